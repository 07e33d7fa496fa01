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
-- The same of the best link alone.
CREATE FUNCTION linked(keys name[], OUT hits bigint, OUT said float8) LANGUAGE plpgsql AS $$
BEGIN
    SELECT count(*) FILTER (WHERE correct), sum(probability) INTO hits, said FROM sdc.attack_likelihood('told', 'shown',
        (SELECT jsonb_object_agg(k, '{"method": "null"}'::jsonb) FROM unnest(keys) AS k), 'id', keys, '{"max_candidates": 1}', 1)
    WHERE linked_id IS NOT NULL;
END $$;
-- What people have together who live together is known of each: here both
-- income and household are blanked, and the place between the own income and
-- the mean of the household is published, or its part of the total, or the
-- total by the root of the heads.
CREATE TABLE told AS
SELECT i AS id, CASE i % 4 WHEN 0 THEN i / 12 ELSE 100 + i / 5 END AS house, 500 + i::bigint * i * i * 7919 % 4001 + i % 7 / 8.0 AS income FROM generate_series(1, 150) AS i;
CREATE TABLE shown AS
SELECT id, NULL::int AS house, NULL::float8 AS income, income - avg(income) OVER (PARTITION BY house) AS r FROM told;
SELECT hits >= 145 AS finds, said >= 140 AS says_so FROM linked('{house,income}');
DROP TABLE shown;
CREATE TABLE shown AS
SELECT id, NULL::int AS house, NULL::float8 AS income, 100 * income / sum(income) OVER (PARTITION BY house) AS r FROM told;
SELECT hits >= 145 AS finds, said >= 140 AS says_so FROM linked('{house,income}');
DROP TABLE shown;
-- Of a total each of a house may be the one.
CREATE TABLE shown AS
SELECT id, NULL::int AS house, NULL::float8 AS income, sum(income) OVER w / sqrt(count(*) OVER w) AS r FROM told WINDOW w AS (PARTITION BY house);
SELECT hits BETWEEN 35 AND 75 AS finds, said BETWEEN 42 AND 58 AS says_so FROM linked('{house,income}');
DROP TABLE shown;
-- Nothing is found where the column has nothing to do with them.
CREATE TABLE shown AS
SELECT id, NULL::int AS house, NULL::float8 AS income, 500 + (id * 104729 + 17) % 4001 AS r FROM told;
SELECT hits < 15 AS finds_nobody, said < 15 AS says_so FROM linked('{house,income}');
DROP TABLE told, shown;

-- A wage and some hundreds more has the wage's tens and cents; so has a time
-- some days later the time of the day, and what most have most are found by.
CREATE TABLE told AS
SELECT i AS id, (500 + i * 7919 % 4001 + i * 37 % 100 / 100.0)::float8 AS wage FROM generate_series(1, 200) AS i;
CREATE TABLE shown AS SELECT id, NULL::float8 AS wage, wage + 100 * (id * 31 % 6) AS r FROM told;
SELECT hits >= 190 AS finds, said BETWEEN 185 AND 200 AS says_so FROM linked('{wage}');
DROP TABLE shown;
CREATE TABLE shown AS
SELECT id, NULL::float8 AS wage, wage + 100 * (id * 31 % 60) + CASE WHEN id % 5 = 0 THEN 100 * cos(id) ELSE 0 END AS r FROM told;
SELECT hits >= 150 AS finds, abs(said - hits) < 20 AS says_so FROM linked('{wage}');
DROP TABLE told, shown;
CREATE TABLE told AS
SELECT i AS id, timestamp '2026-01-01' + make_interval(secs => i * 7919 % 100003 * 17) AS came FROM generate_series(1, 200) AS i;
CREATE TABLE shown AS SELECT id, NULL::timestamp AS came, came + make_interval(days => id * 31 % 90) AS r FROM told;
SELECT hits >= 190 AS finds, said BETWEEN 185 AND 200 AS says_so FROM linked('{came}');
DROP TABLE told, shown;
-- So has a price with one of three fees, and a wage by the part of the time
-- that is worked, though neither says which.
CREATE TABLE told AS SELECT i AS id, round(20 + i::bigint * i * i * 7919 % 40009 / 10.0, 2) AS price FROM generate_series(1, 200) AS i;
CREATE TABLE shown AS SELECT id, NULL::numeric AS price, price + (ARRAY[4.9, 7.2, 12.4])[1 + id * 31 % 3] AS r FROM told;
SELECT hits >= 190 AS finds, said BETWEEN 170 AND 200 AS says_so FROM linked('{price}');
DROP TABLE shown;
CREATE TABLE shown AS SELECT id, NULL::numeric AS price, round(price * (ARRAY[0.5, 0.6, 0.75, 0.8, 1])[1 + id * 31 % 5], 2) AS r FROM told;
SELECT hits >= 180 AS finds, said BETWEEN 140 AND 200 AS says_so FROM linked('{price}');
DROP TABLE shown;
-- Where wages are coarse, each may be that of another one with another bonus:
-- what is said is as often right, and no bonus is not told twice.
CREATE TABLE coarse AS SELECT i AS id, 100 * (i::bigint * i * i * 7919 % 10007 % 80)::int AS wage FROM generate_series(1, 200) AS i;
CREATE TABLE coarse_shown AS SELECT id, NULL::int AS wage, wage + (ARRAY[0, 0, 50, 100, 500])[1 + id * 571 % 997 % 5] AS r FROM coarse;
SELECT count(*) FILTER (WHERE correct) BETWEEN 52 AND 70 AS finds, abs(sum(probability) - count(*) FILTER (WHERE correct)) < 13 AS says_so
FROM sdc.attack_likelihood('coarse', 'coarse_shown', '{"wage": {"method": "null"}}', 'id', 'wage', '{"max_candidates": 1}', 1)
WHERE linked_id IS NOT NULL;
DROP TABLE coarse, coarse_shown;
-- Nothing is found where the part is anybody's own.
CREATE TABLE shown AS SELECT id, NULL::numeric AS price, round(price * (0.5 + id * 7919 % 4999 / 10000.0), 2) AS r FROM told;
SELECT hits < 20 AS finds_few, said < 20 AS says_so FROM linked('{price}');
DROP TABLE told, shown;
-- Numbers of a grid have nothing left over, which tells nothing.
CREATE TABLE told AS SELECT i AS id, i * 7919 % 4001 * 10 AS wage FROM generate_series(1, 200) AS i;
CREATE TABLE shown AS SELECT id, NULL::int AS wage, id * 104729 % 3989 * 10 AS r FROM told;
SELECT hits < 15 AS finds_nobody, said < 15 AS says_so FROM linked('{wage}');
DROP TABLE told, shown;
-- What a formula makes of two keys is known by who knows both: a share, a
-- distance, a product of a sum; and nobody is found by one of other numbers.
CREATE TABLE told AS
SELECT i AS id, (500 + i::bigint * i * i * 7919 % 4001)::float8 AS a, (300 + i::bigint * i * 104729 % 2999)::float8 AS b FROM generate_series(1, 200) AS i;
CREATE TABLE shown AS SELECT id, NULL::float8 AS a, NULL::float8 AS b, b / (a + b) AS r FROM told;
SELECT hits >= 195 AS finds, said BETWEEN 185 AND 200 AS says_so FROM linked('{a,b}');
DROP TABLE shown;
CREATE TABLE shown AS SELECT id, NULL::float8 AS a, NULL::float8 AS b, round(sqrt(a * a + b * b)::numeric, 2) AS r FROM told;
SELECT hits >= 195 AS finds, said BETWEEN 185 AND 200 AS says_so FROM linked('{a,b}');
DROP TABLE shown;
CREATE TABLE shown AS SELECT id, NULL::float8 AS a, NULL::float8 AS b, (a - b) * (a - b) AS r FROM told;
SELECT hits >= 195 AS finds, said BETWEEN 185 AND 200 AS says_so FROM linked('{a,b}');
DROP TABLE shown;
CREATE TABLE shown AS SELECT t.id, NULL::float8 AS a, NULL::float8 AS b, u.b / (u.a + u.b) AS r FROM told t JOIN told u ON u.id = 1 + t.id * 67 % 199;
SELECT hits < 15 AS finds_nobody, said < 15 AS says_so FROM linked('{a,b}');
DROP TABLE told, shown;
-- So is what a formula makes of two columns that are published: a wage from
-- what is left of it by the hour, the hours and the costs.
CREATE TABLE told AS SELECT i AS id, (500 + i::bigint * i * i * 7919 % 4001)::float8 AS a FROM generate_series(1, 200) AS i;
CREATE TABLE shown AS
SELECT id, NULL::float8 AS a, 1 + id * 37 % 41 AS q, 20 + id * 104729 % 997 AS p, round(((a - 20 - id * 104729 % 997) / (1 + id * 37 % 41))::numeric, 4) AS r FROM told;
SELECT hits >= 190 AS finds, said BETWEEN 185 AND 200 AS says_so FROM linked('{a}');
DROP TABLE shown;
ALTER TABLE told ADD b float8;
UPDATE told SET b = 300 + id::bigint * id * 104729 % 2999;
CREATE TABLE shown AS SELECT id, NULL::float8 AS a, NULL::float8 AS b, 1 + id * 37 % 97 AS q, round(((a + b) / (1 + id * 37 % 97))::numeric, 3) AS r FROM told;
SELECT hits >= 185 AS finds, said BETWEEN 175 AND 200 AS says_so FROM linked('{a,b}');
DROP TABLE shown;
CREATE TABLE shown AS
SELECT t.id, NULL::float8 AS a, 1 + t.id * 37 % 41 AS q, 20 + t.id * 104729 % 997 AS p, round(((u.a - 20 - t.id * 104729 % 997) / (1 + t.id * 37 % 41))::numeric, 4) AS r
FROM told t JOIN told u ON u.id = 1 + t.id * 67 % 199;
SELECT hits < 15 AS finds_nobody, said < 15 AS says_so FROM linked('{a}');
DROP TABLE shown;
-- What two keys make with columns of their own is a number of neither file: a
-- pay of a wage by the hour and an allowance, some of it by another one; and
-- the pay of other people tells nothing.
CREATE TABLE shown AS SELECT id, NULL::float8 AS a, NULL::float8 AS b, 1 + id * 37 % 97 AS q, round((a + b * (1 + id * 37 % 97) / 10)::numeric, 2) AS r FROM told;
SELECT hits >= 195 AS finds, said BETWEEN 190 AND 200 AS says_so FROM linked('{a,b}');
ALTER TABLE shown ADD net numeric;
UPDATE shown SET net = round(.77 * r, 2);
SELECT hits >= 195 AS finds, said BETWEEN 190 AND 200 AS says_so FROM linked('{a,b}');
UPDATE shown SET r = 1000 + id * 9973 % 20011, net = r WHERE id % 12 = 0;
SELECT hits BETWEEN 180 AND 190 AS finds, said BETWEEN 175 AND 192 AS says_so FROM linked('{a,b}');
UPDATE shown SET net = NULL, r = (SELECT round((a + b * q / 10)::numeric, 2) FROM told WHERE id = 1 + shown.id * 67 % 199);
SELECT hits < 15 AS finds_nobody, said < 15 AS says_so FROM linked('{a,b}');
DROP TABLE told, shown;
DROP FUNCTION told(name[]), linked(name[]);
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
