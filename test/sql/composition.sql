-- composition: several releases of the same people, intersected.
\set SHOW_CONTEXT never

-- Two hospitals publish the same patients, each 4-anonymous: together they tell.
CREATE TABLE first_release (id int, zip text, age text, disease text);
CREATE TABLE second_release (id int, zip text, age text, disease text);
INSERT INTO first_release VALUES (1, '130**', '<30', 'AIDS'), (2, '130**', '<30', 'heart'), (3, '130**', '<30', 'flu'), (4, '130**', '<30', 'flu'),
  (5, '130**', '>40', 'cancer'), (6, '130**', '>40', 'heart'), (7, '130**', '>40', 'flu'), (8, '130**', '>40', 'flu');
INSERT INTO second_release VALUES (1, '13***', '2*', 'AIDS'), (9, '13***', '2*', 'cold'), (5, '13***', '2*', 'cancer'), (10, '13***', '2*', 'cold'),
  (6, '13***', '5*', 'heart'), (7, '13***', '5*', 'flu'), (8, '13***', '5*', 'flu'), (2, '13***', '5*', 'heart');
SELECT * FROM sdc.attack_composition('{first_release,second_release}', 'id', '{zip,age}', '{disease}') WHERE id IN ('1', '5', '6');
SELECT (sdc.reid(l)).* FROM sdc.attack_composition('{first_release}', 'id', '{zip,age}', '{disease}') AS l;
SELECT (sdc.reid(l)).* FROM sdc.attack_composition('{first_release,second_release}', 'id', '{zip,age}', '{disease}') AS l;
SELECT id, linked_id, candidates, certain, correct
FROM sdc.attack_composition('{first_release,second_release}', 'id', '{zip,age}', '{disease}', '{"by": "records"}') WHERE id IN ('1', '5', '6');
DROP TABLE first_release, second_release;

-- Three releases against plain SQL.
CREATE TABLE r1 AS SELECT i AS id, i / 9 AS a, nullif(i % 2, 1) AS b, (i * 7) % 5 AS s, (i * 3) % 4 AS t FROM generate_series(1, 70) AS i;
CREATE TABLE r2 AS SELECT i AS id, (i / 6)::text AS a, i % 3 AS b, (i * 7) % 5 AS s, (i * 3) % 4 AS t FROM generate_series(11, 90) AS i;
CREATE TABLE r3 AS SELECT i AS id, (i + 4) / 8 AS a, 0 AS b, (i * 7) % 5 AS s, CASE WHEN i = 44 THEN 9 ELSE (i * 3) % 4 END AS t FROM generate_series(20, 60) AS i;
CREATE VIEW released AS
SELECT 1 AS r, id, a::text, b, s || ', ' || t AS v FROM r1 UNION ALL SELECT 2, id, a, b, s || ', ' || t FROM r2
UNION ALL SELECT 3, id, a::text, b, s || ', ' || t FROM r3;
-- what each person's class in each release holds, and the least of it over all
CREATE VIEW held AS
SELECT p.id, c.v, c.r, count(*) AS n FROM released AS p
JOIN released AS c ON c.r = p.r AND c.a IS NOT DISTINCT FROM p.a AND c.b IS NOT DISTINCT FROM p.b GROUP BY 1, 2, 3;
CREATE VIEW left_over AS
SELECT h.id, h.v, min(h.n) AS n FROM held AS h GROUP BY h.id, h.v
HAVING count(*) = (SELECT count(*) FROM released AS p WHERE p.id = h.id);
CREATE TABLE found AS SELECT * FROM sdc.attack_composition('{r1,r2,r3}', 'id', '{a,b}', '{s,t}');
SELECT count(DISTINCT id) AS people, count(*) FILTER (WHERE linked_id IS NULL) AS nothing_left FROM found;
SELECT count(*) AS differences FROM (
  SELECT *, count(*) OVER (PARTITION BY id) AS k, sum(n) OVER (PARTITION BY id) AS total FROM left_over) AS h
FULL JOIN (SELECT * FROM found WHERE linked_id IS NOT NULL) AS f ON f.id = h.id::text AND f.linked_id = h.v
WHERE h.k IS DISTINCT FROM f.candidates OR abs(f.probability - h.n / h.total) > 1e-12 OR f.certain <> (h.k = 1)
   OR f.correct <> (h.k = 1 AND (SELECT bool_and(p.v = h.v) FROM released AS p WHERE p.id = h.id));
-- records: people who are in one class with him in every release he is in
SELECT count(*) AS differences FROM (
  SELECT p.id, c.id AS other FROM released AS p
  JOIN released AS c ON c.r = p.r AND c.a IS NOT DISTINCT FROM p.a AND c.b IS NOT DISTINCT FROM p.b
  GROUP BY 1, 2 HAVING count(*) = (SELECT count(*) FROM released AS x WHERE x.id = p.id)) AS h
FULL JOIN sdc.attack_composition('{r1,r2,r3}', 'id', '{a,b}', '{s,t}', '{"by": "records"}') AS f
  ON f.id = h.id::text AND f.linked_id = h.other::text
WHERE f.id IS NULL OR h.id IS NULL;
-- one more release never leaves more, and the order of rows is nothing
SELECT bool_and(two.candidates <= one.candidates) AS fewer
FROM (SELECT DISTINCT id, candidates FROM sdc.attack_composition('{r1,r2}', 'id', '{a,b}', '{s,t}')) AS one
JOIN (SELECT DISTINCT id, candidates FROM found) AS two USING (id) WHERE id::int BETWEEN 20 AND 60;
CREATE VIEW r2_backwards AS SELECT * FROM r2 ORDER BY id DESC;
SELECT count(*) AS differences FROM (
  SELECT * FROM sdc.attack_composition('{r1,r2_backwards,r3}', 'id', '{a,b}', '{s,t}') EXCEPT ALL TABLE found) AS x;

-- Bad input
INSERT INTO r3 VALUES (20, 1, 0, 1, 1);
SELECT * FROM sdc.attack_composition('{r1,r3}', 'id', '{a}', '{s}');
SELECT * FROM sdc.attack_composition('{}', 'id', '{a}', '{s}');
SELECT * FROM sdc.attack_composition(ARRAY['r1', NULL]::regclass[], 'id', '{a}', '{s}');
SELECT * FROM sdc.attack_composition('{r1}', 'id', '{a}', '{}');
SELECT * FROM sdc.attack_composition('{r1}', 'id', '{a}', '{x}');
SELECT * FROM sdc.attack_composition('{r1}', 'id', '{a}', '{s}', '{"by": "luck"}');
SELECT * FROM sdc.attack_composition(NULL, 'id', '{a}', '{s}');
SELECT * FROM sdc.attack_composition(array_fill('r1'::regclass, ARRAY[65]), 'id', '{a}', '{s}');
DROP VIEW r2_backwards, left_over, held, released;
DROP TABLE found, r1, r2, r3;
