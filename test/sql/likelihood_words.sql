-- likelihood_words: columns that are no keys and tell as categories or names do.
SET sdc.progress_interval = 0;
CREATE FUNCTION told(keys name[], OUT hits bigint, OUT said float8) LANGUAGE plpgsql AS $$
BEGIN
    SELECT count(*) FILTER (WHERE correct), sum(best) INTO hits, said
    FROM (SELECT *, max(probability) OVER (PARTITION BY id) AS best FROM sdc.attack_likelihood('told', 'shown',
        (SELECT jsonb_object_agg(k, '{"method": "null"}'::jsonb) FROM unnest(keys) AS k),
        'id', keys, '{"assignment": "none"}', 1)) AS l
    WHERE probability = best;
END $$;

-- Numbers are codes, too: each job has two of them, and each town, which lie
-- anywhere, so that no line and no mean tells.
CREATE TABLE told AS
SELECT i AS id, 'job ' || i * 7 % 20 AS job, 'town ' || i * i % 19 AS town,
       (i * 7 % 20 * 2 + i / 20 % 2) * 37 % 41 + 100 AS job_code,
       (i * i % 19 * 2 + i / 3 % 2) * 23 % 43 + 50 AS town_code
FROM generate_series(1, 200) AS i;
CREATE TABLE shown AS SELECT id, NULL::text AS job, NULL::text AS town, job_code, town_code FROM told;
SELECT hits >= 0.9 * n AS finds, abs(said - n) < 20 AS says_so
FROM told('{job,town}'), (SELECT count(DISTINCT (job, town)) AS n FROM told) AS c;
DROP TABLE told, shown;

-- A text that names somebody is as sure as it is where it can be checked: here
-- three in ten name somebody else.
CREATE TABLE told AS
SELECT i AS id, initcap(translate(md5(i::text), '0123456789', 'ghijklmnop')) AS name, i * 7919 % 1009 AS income, NULL::text AS note
FROM generate_series(1, 200) AS i;
UPDATE told AS t SET note = 'was seen with ' || o.name || ' on day ' || t.id % 7
FROM told AS o WHERE o.id = CASE WHEN t.id % 10 < 3 THEN 1 + t.id * 37 % 200 ELSE t.id END;
CREATE TABLE shown AS SELECT id, NULL::text AS name, NULL::int AS income, note FROM told;
SELECT hits >= 115 AS finds, said < 170 AS is_not_sure FROM told('{name,income}');
DROP TABLE told, shown;

-- A word of two letters is nobody's name, though somebody has it: texts that
-- begin with it name those whom they name.
CREATE TABLE told AS
SELECT i AS id, CASE i WHEN 7 THEN 'An' ELSE initcap(translate(md5(i::text), '0123456789', 'ghijklmnop')) END AS name, NULL::text AS note
FROM generate_series(1, 200) AS i;
UPDATE told AS t SET note = replace((ARRAY['An X, Bitte um Antwort', 'An die liebe Frau X', 'An Herrn X wegen der Sache'])[1 + t.id * 7 % 3], 'X', o.name)
FROM told AS o WHERE o.id = CASE WHEN t.id % 10 < 3 THEN 1 + t.id * 37 % 200 ELSE t.id END;
CREATE TABLE shown AS SELECT id, NULL::text AS name, note FROM told;
SELECT hits >= 100 AS finds FROM told('{name}');
DROP TABLE told, shown;
DROP FUNCTION told;
-- Of more columns than can be learned those are kept that tell most, wherever
-- they stand: twelve that tell a little come before one that tells who it is.
CREATE TABLE vague AS SELECT i AS id, k[1] AS k1, k[2] AS k2, k[3] AS k3, k[4] AS k4, k[5] AS k5, k[6] AS k6
FROM (SELECT i, ARRAY(SELECT sqrt(-2 * ln(((i * 7919 + g * 104729) % 10007 + 0.5) / 10007)) * cos(i * (7 + g) % 6283) FROM generate_series(1, 6) AS g) AS k
      FROM generate_series(1, 150) AS i) AS x;
SELECT format('CREATE TABLE vague_masked AS SELECT id, NULL::float8 AS k1, NULL::float8 AS k2, NULL::float8 AS k3, NULL::float8 AS k4, NULL::float8 AS k5, NULL::float8 AS k6, %s, %s, 0.7 * k1 + 0.3 * k2 AS told, %s FROM vague',
    string_agg(format('cos(id * id %% %s * 31) AS d%s', 9973 - 2 * g, g), ', ') FILTER (WHERE g <= 4),
    string_agg(format('k%s + 1.15 * sqrt(-2 * ln(((id * %s) %% 9973 + 0.5) / 9973)) * cos(id * %s %% 6283) AS w%s', 1 + g % 6, 7907 + 62 * g, 11 + g, g), ', '),
    string_agg(format('cos(id * id %% %s * 31) AS d%s', 9973 - 2 * g, g), ', ') FILTER (WHERE g > 4))
FROM generate_series(1, 12) AS g \gexec
SELECT count(*) FILTER (WHERE correct) > 135 AS finds
FROM sdc.attack_likelihood('vague', 'vague_masked', (SELECT jsonb_object_agg('k' || g, '{"method": "null"}'::jsonb) FROM generate_series(1, 6) AS g), 'id', '{k1,k2,k3,k4,k5,k6}', '{"max_candidates": 1}', 1);
DROP TABLE vague, vague_masked;
