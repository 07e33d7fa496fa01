-- probabilistic_linkage: patterns of agreement, EM, and the links that follow.
\set SHOW_CONTEXT never

-- EX-FS-1: 100,000 pairs of three fields, one pair in each block.  EM must find
-- prior 0.1, m = (0.9, 0.8, 0.95), u = (0.1, 0.2, 0.05).
CREATE TABLE fs (g1 int, g2 int, g3 int, n int);
INSERT INTO fs VALUES (1,1,1,6930), (1,1,0,2070), (1,0,1,2070), (1,0,0,6930),
  (0,1,1,1570), (0,1,0,15430), (0,0,1,3430), (0,0,0,61570);
CREATE TABLE fs_original AS
SELECT row_number() OVER () AS pair, 1 AS g1, 1 AS g2, 1 AS g3 FROM fs, generate_series(1, n);
CREATE TABLE fs_masked AS
SELECT row_number() OVER () AS pair, g1, g2, g3 FROM fs, generate_series(1, n);
SELECT field, level, agreement, round(m::numeric, 9) AS m, round(u::numeric, 9) AS u, round(weight::numeric, 4) AS weight,
       CASE field WHEN '*' THEN round(share::numeric, 9) END AS prior
FROM sdc.estimate_linkage('fs_original', 'fs_masked', '{g1,g2,g3}',
  '{"block": ["pair"], "compare": {"g1": "equal", "g2": "equal", "g3": "equal"}, "mu": 0.005, "lambda": 0.014}');
-- the published classes: links 111 and 101, non-links 100, 010 and 000 (0 is agreement here)
SELECT pattern, pairs, round(weight::numeric, 4) AS weight, round(posterior::numeric, 4) AS posterior, class
FROM sdc.linkage_patterns('fs_original', 'fs_masked', '{g1,g2,g3}',
  '{"block": "pair", "compare": {"g1": "equal", "g2": "equal", "g3": "equal"}, "mu": 0.005, "lambda": 0.014}');
-- far fewer rounds say so
SELECT count(*) FROM sdc.estimate_linkage('fs_original', 'fs_masked', '{g1,g2,g3}',
  '{"block": ["pair"], "compare": {"g1": "equal", "g2": "equal", "g3": "equal"}, "iterations": 2}');
DROP TABLE fs, fs_original, fs_masked;

-- Two files of people: noise on the age, typing errors in the name, NULLs.
CREATE TABLE person AS
SELECT i AS id, 20 + (i * 37) % 60 AS age, (ARRAY['smith', 'smyth', 'miller', 'muller', 'weaver', 'carter', 'mason'])[1 + i % 7] AS name,
       nullif((i * 11) % 5, 4) AS region, date '1950-01-01' + (i * 997) % 9000 AS born
FROM generate_series(1, 120) AS i;
CREATE TABLE person_masked AS
SELECT id, age + (id * 13) % 5 - 2 AS age, CASE WHEN id % 6 = 0 THEN overlay(name PLACING 'e' FROM 2 FOR 1) ELSE name END AS name,
       CASE WHEN id % 10 = 0 THEN (region + 1) % 4 ELSE region END AS region, born + (id % 3)::int AS born
FROM person WHERE id % 15 > 0;

-- Each level in plain SQL; text distance by the definition of Levenshtein.
CREATE FUNCTION edits(a text, b text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE before int[]; now int[]; cost int;
BEGIN
  before := ARRAY(SELECT generate_series(0, length(b)));
  FOR i IN 1..length(a) LOOP
    now := ARRAY[i];
    FOR j IN 1..length(b) LOOP
      cost := CASE WHEN substr(a, i, 1) = substr(b, j, 1) THEN 0 ELSE 1 END;
      now := now || least(before[j + 1] + 1, now[j] + 1, before[j] + cost);
    END LOOP;
    before := now;
  END LOOP;
  RETURN before[length(b) + 1];
END $$;
CREATE VIEW pair_by_hand AS
WITH age AS (SELECT age, avg(place) AS rank FROM (
               SELECT age, row_number() OVER (ORDER BY age) - 1 AS place
               FROM (SELECT age FROM person UNION ALL SELECT age FROM person_masked) AS a) AS b GROUP BY age),
     n AS (SELECT (SELECT count(*) FROM person) + (SELECT count(*) FROM person_masked) AS n)
SELECT o.id, m.id AS linked_id,
       CASE WHEN d = 0 THEN 0 WHEN d <= 2 THEN 1 WHEN d <= 10 THEN 2 ELSE 3 END AS age,
       CASE WHEN o.name = m.name THEN 0 WHEN edits(o.name, m.name) <= 0.25 * greatest(length(o.name), length(m.name)) THEN 1 ELSE 2 END AS name,
       CASE WHEN o.region = m.region THEN 0 WHEN o.region <> m.region THEN 1 ELSE 2 END AS region
FROM person AS o CROSS JOIN person_masked AS m CROSS JOIN n
JOIN age AS oa ON oa.age = o.age JOIN age AS ma ON ma.age = m.age
CROSS JOIN LATERAL (SELECT 100 * abs(oa.rank - ma.rank) / n AS d) AS x;
CREATE TABLE found AS
SELECT * FROM sdc.linkage_patterns('person', 'person_masked', '{age,name,region}',
  '{"compare": {"region": "equal"}, "within": {"age": [0, 2, 10]}, "estimate": "all", "iterations": 100000}');
SELECT count(*) AS patterns, sum(pairs) AS pairs FROM found;
SELECT count(*) AS differences FROM (
  SELECT age || ' ' || name || ' ' || CASE region WHEN 2 THEN '-' ELSE region::text END AS pattern, count(*) AS pairs
  FROM pair_by_hand GROUP BY age, name, region) AS h
FULL JOIN found AS f USING (pattern) WHERE h.pairs IS DISTINCT FROM f.pairs;
-- the same patterns, whatever the order of the rows
CREATE VIEW person_backwards AS SELECT * FROM person ORDER BY id DESC;
SELECT count(*) FROM (
  (TABLE found EXCEPT ALL SELECT * FROM sdc.linkage_patterns(
    'person_backwards', 'person_masked', '{age,name,region}',
    '{"compare": {"region": "equal"}, "within": {"age": [0, 2, 10]}, "estimate": "all", "iterations": 100000}'))) AS x;
DROP VIEW person_backwards;

-- The estimate is a fixed point of EM: one more round in SQL changes nothing.
CREATE TABLE model AS
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age,name,region}',
  '{"compare": {"region": "equal"}, "within": {"age": [0, 2, 10]}, "estimate": "all", "iterations": 100000}');
WITH prior AS (SELECT share AS p FROM model WHERE agreement = 'pairs that match'),
     z AS (SELECT f.*, p * m / (p * m + (1 - p) * u) AS z FROM found AS f, prior)
SELECT abs(sum(pairs * z) / sum(pairs) - max(p)) < 1e-9 AS prior_stays FROM z, prior;
-- m and u of each field are distributions
SELECT field, abs(sum(m) - 1) < 1e-9 AND abs(sum(u) - 1) < 1e-9 AND abs(sum(share) - 1) < 1e-9 AS sums
FROM model WHERE field <> '*' GROUP BY field ORDER BY field;
-- each m lies in its interval, which ends within 0 and 1
SELECT bool_and(m_low <= m + 1e-12 AND m <= m_high + 1e-12 AND m_low >= 0 AND m_high <= 1 AND m_low < m_high) AS inside,
       count(*) FILTER (WHERE field = '*' AND m_low IS NULL AND m_high IS NULL) AS summaries FROM model;
-- A weight is that of m and u, each of half a pair at least, but never above
-- that of a level that agrees more; a level that no pair has is like the one
-- before.
SELECT field, count(*) FILTER (WHERE abs(weight - fallen) < 1e-9) AS right_weights, count(*) AS levels
FROM (
  SELECT field, weight, min(log(2, (greatest(m, 0.5 / (p * 13440)) / greatest(u, 0.5 / ((1 - p) * 13440)))::numeric))
    FILTER (WHERE share > 0) OVER (PARTITION BY field ORDER BY level) AS fallen
  FROM model, (SELECT share AS p FROM model WHERE agreement = 'pairs that match') AS prior
  WHERE field <> '*') AS x
GROUP BY field ORDER BY field;
SELECT count(*) AS rises FROM (SELECT weight > lag(weight) OVER (PARTITION BY field ORDER BY level) + 1e-9 AS r
  FROM model WHERE field <> '*') AS x WHERE r;

-- The attack: each record goes to all its likeliest pairs, by hand and by sdc.
CREATE TABLE linked AS
SELECT * FROM sdc.attack_probabilistic('person', 'person_masked', 'id', '{age,name,region}', '{"compare": {"region": "equal"}, "within": {"age": [0, 2, 10]}, "estimate": "all", "iterations": 100000}');
WITH w AS (
  SELECT h.id, h.linked_id, f.weight FROM pair_by_hand AS h JOIN found AS f
    ON f.pattern = h.age || ' ' || h.name || ' ' || CASE h.region WHEN 2 THEN '-' ELSE h.region::text END),
best AS (SELECT *, count(*) OVER (PARTITION BY id) AS n FROM (
    SELECT *, max(weight) OVER (PARTITION BY id) AS most FROM w) AS x WHERE weight >= most - 1e-9)
SELECT count(*) AS differences
FROM best AS b FULL JOIN linked AS l ON l.id = b.id::text AND l.linked_id = b.linked_id::text
WHERE b.n IS DISTINCT FROM l.candidates OR abs(l.probability - 1.0 / b.n) > 1e-12 OR abs(l.distance + b.weight) > 1e-9
   OR l.correct <> (b.n = 1 AND b.id = b.linked_id) OR l.certain;
SELECT records, round(reid_k::numeric, 4) > 1.0 / 112 AS better_than_chance, k_reid
FROM (SELECT (sdc.reid(l)).* FROM sdc.attack_probabilistic('person', 'person_masked', 'id', '{age,name,region}',
  '{"compare": {"region": "equal"}, "within": {"age": [0, 2, 10]}, "estimate": "all", "iterations": 100000}') AS l) AS r;
-- only links, the other way round, and with blocks
SELECT bool_and(l.linked_id IS NULL OR l.distance <= -f.weight) AS only_links FROM
  sdc.attack_probabilistic('person', 'person_masked', 'id', '{age,name,region}',
    '{"compare": {"region": "equal"}, "within": {"age": [0, 2, 10]}, "estimate": "all", "iterations": 100000, "accept": "link"}') AS l,
  (SELECT min(weight) AS weight FROM found WHERE class = 'link') AS f;
SELECT count(DISTINCT id), bool_and(id::int % 15 > 0) FROM sdc.attack_probabilistic('person', 'person_masked', 'id',
  '{age,name,region}', '{"compare": {"region": "equal"}, "within": {"age": [0, 2, 10]}, "estimate": "all", "iterations": 100000, "direction": "to_original"}');
SELECT count(*) FILTER (WHERE o.region IS DISTINCT FROM m.region) AS other_blocks, count(*) FILTER (WHERE l.linked_id IS NULL) AS nobody
FROM sdc.attack_probabilistic('person', 'person_masked', 'id', '{age,name,born}', '{"block": ["region"]}') AS l
JOIN person AS o ON o.id::text = l.id LEFT JOIN person_masked AS m ON m.id::text = l.linked_id
WHERE l.linked_id IS NOT NULL OR o.region IS NULL;
SELECT count(*) FROM person WHERE region IS NULL;
-- matches are rare: u is that of all pairs, and everybody is in
SELECT field, level, abs(share - u) < 1e-12 AS u_of_all FROM sdc.estimate_linkage('person', 'person_masked', '{age}') WHERE field <> '*';
-- columns of other names and types
CREATE VIEW renamed AS SELECT id, age::numeric AS years, name::varchar AS called, region::text AS place FROM person_masked;
SELECT count(*) AS differences FROM (
  SELECT id, linked_id, candidates FROM sdc.attack_probabilistic('person', 'renamed', 'id', '{age,name,region}',
    '{"compare": {"region": "equal"}, "within": {"age": [0, 2, 10]}, "estimate": "all", "iterations": 100000, "map": {"age": "years", "name": "called", "region": "place"}}')
  EXCEPT SELECT id, linked_id, candidates FROM linked) AS x;

-- One to one: nobody is linked twice, no exchange of two links weighs more,
-- and more of them are right.
CREATE TABLE assigned AS
SELECT * FROM sdc.attack_probabilistic('person', 'person_masked', 'id', '{age,name,region}',
  '{"compare": {"region": "equal"}, "within": {"age": [0, 2, 10]}, "estimate": "all", "iterations": 100000, "assignment": "one_to_one"}', seed => 3);
CREATE TABLE pair_weight AS
SELECT h.id::text, h.linked_id::text, f.weight FROM pair_by_hand AS h JOIN found AS f
  ON f.pattern = h.age || ' ' || h.name || ' ' || CASE h.region WHEN 2 THEN '-' ELSE h.region::text END;
CREATE INDEX ON pair_weight (id, linked_id);
SELECT count(*) AS links, count(linked_id) AS linked, count(DISTINCT linked_id) AS records,
       bool_and(candidates = 1 OR linked_id IS NULL) AS one_each FROM assigned;
SELECT count(*) AS differences FROM assigned AS a JOIN pair_weight AS w USING (id, linked_id) WHERE abs(a.distance + w.weight) > 1e-9;
SELECT count(*) AS better_exchanges
FROM assigned AS a JOIN assigned AS b ON a.id < b.id
JOIN pair_weight AS ab ON (ab.id, ab.linked_id) = (a.id, b.linked_id)
JOIN pair_weight AS ba ON (ba.id, ba.linked_id) = (b.id, a.linked_id)
WHERE ab.weight + ba.weight > -a.distance - b.distance + 1e-3;
SELECT (SELECT count(*) FROM assigned WHERE correct) > (SELECT count(*) FROM linked WHERE correct) AS more_right,
       (SELECT sum(-distance) FROM assigned) >= (SELECT sum(weight) FROM pair_weight WHERE id = linked_id) AS no_less;
-- a link that is none is nobody's
SELECT count(*) FILTER (WHERE a.linked_id IS NULL) = count(*) FILTER (WHERE -b.distance < w.weight OR b.linked_id IS NULL) AS nobody,
       count(*) FILTER (WHERE a.linked_id IS NULL) > 8 AS some
FROM sdc.attack_probabilistic('person', 'person_masked', 'id', '{age,name,region}',
  '{"compare": {"region": "equal"}, "within": {"age": [0, 2, 10]}, "estimate": "all", "iterations": 100000, "assignment": "one_to_one", "accept": "clerical", "lambda": 0.2}', seed => 3) AS a
JOIN assigned AS b USING (id), (SELECT min(weight) AS weight FROM sdc.linkage_patterns('person', 'person_masked', '{age,name,region}',
  '{"compare": {"region": "equal"}, "within": {"age": [0, 2, 10]}, "estimate": "all", "iterations": 100000, "lambda": 0.2}') WHERE class <> 'non-link') AS w;
SELECT count(*) AS linked_there FROM sdc.attack_probabilistic('person', 'person_masked', 'id', '{age,name,born}',
  '{"block": ["region"], "assignment": "one_to_one"}') AS l
JOIN person AS o ON o.id::text = l.id JOIN person_masked AS m ON m.id::text = l.linked_id WHERE o.region IS DISTINCT FROM m.region;
DROP TABLE assigned, pair_weight;

-- Beyond the budget: a sample that is said, the same in any order of the rows;
-- u stays that of all pairs.
CREATE VIEW person_backwards AS SELECT * FROM person ORDER BY id DESC;
SELECT count(*) FROM (
  (SELECT * FROM sdc.linkage_patterns('person', 'person_masked', '{age,name,region}', '{"work": 40000}', 5)
   EXCEPT ALL SELECT * FROM sdc.linkage_patterns('person_backwards', 'person_masked', '{age,name,region}', '{"work": 40000}', 5))) AS x;
DROP VIEW person_backwards;
SELECT sum(pairs) BETWEEN 13440 - 60 AND 13440 + 60 AS all_pairs
FROM sdc.linkage_patterns('person', 'person_masked', '{age,name,region}', '{"work": 40000}', 5);
SELECT bool_and(abs(a.share - b.share) < 1e-12) AS same_shares, bool_or(a.m <> b.m) AS other_m
FROM sdc.estimate_linkage('person', 'person_masked', '{age,name,region}', '{"work": 40000}', 5) AS a
JOIN sdc.estimate_linkage('person', 'person_masked', '{age,name,region}') AS b USING (field, level) WHERE field <> '*';
SELECT count(DISTINCT id) BETWEEN 1 AND 119 AS some
FROM sdc.attack_probabilistic('person', 'person_masked', 'id', '{age,name,region}', '{"work": 3000}', 5);
SELECT count(*) FROM sdc.attack_probabilistic('person', 'person_masked', 'id', '{age,name,region}',
  '{"work": 3000, "assignment": "one_to_one"}', 5);
-- so does the report, with and without a sample of the people
SELECT work, d.detail FROM unnest('{2000000,40000,3000}'::int[]) AS work, sdc.disclosure_report('person', 'person_masked', 'id', '{age,name,region}',
  measures => '{probabilistic}', params => format('{"probabilistic": {"work": %s, "direction": "to_masked"}}', work)::jsonb, seed => 5) AS d
WHERE d.measure = 'reid_k' ORDER BY work DESC;
-- more work never finds much less, though no pair is within 2 percent of the ranks
SET client_min_messages = warning;
SELECT min(found) > 0.8 * max(found) AS alike, min(found) > 0.7 AS many
FROM (SELECT seed, work, (sdc.reid(l)).reid_k AS found
      FROM generate_series(1, 6) AS seed, unnest('{40000,400000,20000000000}'::bigint[]) AS work,
           sdc.attack_probabilistic('person', 'person_masked', 'id', '{age,name,region}',
             format('{"work": %s}', work)::jsonb, seed) AS l GROUP BY 1, 2) AS f;
RESET client_min_messages;
-- a level that no pair has is no reason to learn nothing: values that are never equal
CREATE VIEW unequal AS SELECT id, age + 0.25 AS age, name, region FROM person_masked;
SELECT (sdc.reid(l)).reid_k > 0.7 AS found
FROM sdc.attack_probabilistic('person', 'unequal', 'id', '{age,name,region}') AS l;
DROP VIEW unequal;
SELECT count(*) FROM sdc.attack_probabilistic('person', 'person_masked', 'id', '{age}', '{"work": 0}');
SELECT count(*) FROM sdc.attack_probabilistic('person', 'person_masked', 'id', '{age}', '{"assignment": "all"}');

-- Bad input and degenerate cases end with a message.
CREATE VIEW nobody AS SELECT * FROM person WHERE false;
CREATE VIEW alike AS SELECT id, 1 AS age, 'x'::text AS name, 2 AS region FROM person;
SELECT * FROM sdc.estimate_linkage('person', 'nobody', '{age,name}');
SELECT * FROM sdc.estimate_linkage('nobody', 'nobody', '{age,name}');
SELECT * FROM sdc.attack_probabilistic('alike', 'alike', 'id', '{age,name,region}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age}', '{"prior": 0}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age}', '{"prior": 2}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age}', '{"iterations": 0}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{nothing}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', NULL);
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age}', '{"compare": {"age": "soundex"}}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age,name}', '{"compare": {"name": "rank"}}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age}', '{"compare": {"name": "text"}}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age}', '{"within": {"age": [2, 1]}}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age}', '{"within": {"age": 2}}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age}', '{"within": {"age": ["x"]}}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age}', '{"within": {"age": [1,2,3,4,5,6,7,8]}}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age}', '{"within": [1]}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age}', '{"compare": {"age": "equal"}, "within": {"age": [1]}}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age}', '{"block": ["nothing"]}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age}', '{"blocks": ["age"]}');
SELECT * FROM sdc.estimate_linkage('person', 'person_masked', '{age}', '{"estimate": "u"}');
SELECT * FROM sdc.attack_probabilistic('person', 'person_masked', 'id', '{age}', '{"direction": "up"}');
SELECT * FROM sdc.attack_probabilistic('person', 'person_masked', NULL, '{age}');
-- more edits than a text has letters are all of them
SELECT count(*) FROM (
  SELECT * FROM sdc.linkage_patterns('person', 'person_masked', '{name,age,region}', '{"within": {"name": [0, 1e12]}}')
  EXCEPT SELECT * FROM sdc.linkage_patterns('person', 'person_masked', '{name,age,region}', '{"within": {"name": [0, 1]}}')) AS d;
-- a text that is far too long for edits is equal or different
CREATE VIEW long_texts AS SELECT id, repeat(name, 300) AS name, age, region FROM person;
SELECT count(DISTINCT level) FROM sdc.estimate_linkage('long_texts', 'long_texts', '{name,age,region}') WHERE field = 'name';
CREATE VIEW many_texts AS SELECT i AS id, i::text AS name FROM generate_series(1, 10001) AS i;
SELECT * FROM sdc.estimate_linkage('many_texts', 'many_texts', '{name}');
DROP VIEW many_texts, long_texts, alike, nobody, renamed, pair_by_hand;
DROP TABLE linked, model, found, person, person_masked;
DROP FUNCTION edits(text, text);

-- Numbers of any order of magnitude: their squares need not be numbers.
CREATE TABLE huge AS
SELECT id, (1 + (id * 37) % 60) * 1e200::float8 AS x, (id * 7) % 11 AS y FROM generate_series(1, 60) AS id;
CREATE TABLE huge_masked AS
SELECT id, x + (id % 3 - 1) * 0.2e200 AS x, CASE WHEN id % 5 = 0 THEN (y + 1) % 11 ELSE y END AS y FROM huge;
CREATE VIEW of_one AS SELECT id, x / 1e200 AS x, y FROM huge;
CREATE VIEW of_one_masked AS SELECT id, x / 1e200 AS x, y FROM huge_masked;
WITH pattern AS (
  SELECT 'huge' AS file, p.* FROM sdc.linkage_patterns('huge', 'huge_masked', '{x,y}',
    '{"compare": {"x": "deviation"}}') AS p
  UNION ALL SELECT 'of_one', p.* FROM sdc.linkage_patterns('of_one', 'of_one_masked', '{x,y}',
    '{"compare": {"x": "deviation"}}') AS p)
SELECT pattern, array_agg(pairs ORDER BY file) AS pairs, count(DISTINCT round(weight::numeric, 9)) AS weights
FROM pattern GROUP BY pattern ORDER BY pattern;
SELECT count(*) AS links, count(*) FILTER (WHERE b.id IS NULL) AS different, count(*) FILTER (WHERE a.correct) AS correct
FROM sdc.attack_probabilistic('huge', 'huge_masked', 'id', '{x,y}', '{"compare": {"x": "deviation"}}') AS a
LEFT JOIN sdc.attack_probabilistic('of_one', 'of_one_masked', 'id', '{x,y}', '{"compare": {"x": "deviation"}}') AS b
  ON (b.id, b.linked_id, b.candidates, b.correct) = (a.id, a.linked_id, a.candidates, a.correct)
 AND abs(b.distance - a.distance) < 1e-9;
DROP VIEW of_one, of_one_masked;
DROP TABLE huge, huge_masked;
