-- cells: risk_cells against plain SQL, for outsiders and coalitions.

-- EX-LD: the inpatients of Machanavajjhala et al., 4-anonymous and 3-diverse
CREATE TABLE inp(id int PRIMARY KEY, zip text, age int, nation text, disease text);
INSERT INTO inp VALUES
  (1,'13053',28,'Russian','Heart Disease'), (2,'13068',29,'American','Heart Disease'),
  (3,'13068',21,'Japanese','Viral Infection'), (4,'13053',23,'American','Viral Infection'),
  (5,'14853',50,'Indian','Cancer'), (6,'14853',55,'Russian','Heart Disease'),
  (7,'14850',47,'American','Viral Infection'), (8,'14850',49,'American','Viral Infection'),
  (9,'13053',31,'American','Cancer'), (10,'13053',37,'Indian','Cancer'),
  (11,'13068',36,'Japanese','Cancer'), (12,'13068',35,'American','Cancer');
CREATE VIEW inp4 AS SELECT id, left(zip,3)||'**' AS zip,
  CASE WHEN age<30 THEN '<30' WHEN age<40 THEN '3*' ELSE '>=40' END AS age, '*' AS nation, disease FROM inp;
CREATE VIEW inp3 AS SELECT id, left(zip,4)||'*' AS zip,
  CASE WHEN age<=40 THEN '<=40' ELSE '>40' END AS age, '*' AS nation, disease FROM inp;
SELECT * FROM sdc.risk_cells('inp4', '{zip,age,nation}', '{disease}');
SELECT * FROM sdc.risk_cells('inp3', '{zip,age,nation}', '{disease}', coalition => 2, params => '{"limit": 1}');

-- EX-LD-5: records under attack from outside, by one member, by two: 4/4/12
-- EX-LD-6: the same of the 3-diverse table: 0/0/12
SELECT rel, string_agg(disclosed, '/' ORDER BY c) AS records
FROM (VALUES ('inp4'), ('inp3')) AS r (rel), generate_series(0, 2) AS c,
  LATERAL (SELECT coalesce(sum(records), 0)::text AS disclosed
           FROM sdc.risk_cells(rel::regclass, '{zip,age}', '{disease}', c, '{"only_disclosed": true}')) AS d
GROUP BY rel ORDER BY rel DESC;

-- EX-SAL: the homogeneity attack, and a grouping that withstands it
CREATE TABLE sal(id int, dob text, zip text, salary int);
INSERT INTO sal VALUES (1,'1/21/76','53715',50000), (2,'4/13/86','53715',55000), (3,'2/28/76','53703',60000),
  (4,'1/21/76','53703',50000), (5,'4/13/86','53706',55000), (6,'2/28/76','53706',60000);
SELECT cell ->> 'dob' AS dob, value, records, disclosed_external FROM sdc.risk_cells('sal', '{dob}', '{salary}');
SELECT cell ->> 'zip' AS zip, value, records, disclosed_external, smallest_coalition
FROM sdc.risk_cells('sal', '{zip}', '{salary}');

-- Every figure against plain SQL: two keys and two sensitive columns of other
-- types, all with NULLs, cells of many sizes
CREATE TABLE people AS
SELECT i AS id, nullif(i * i % 41, 5) AS a, nullif((i * 31 % 7)::text, '3') AS b,
       CASE WHEN i % 11 > 2 THEN date '2000-01-01' + (i * i / 7 % (1 + i % 4)) END AS s,
       nullif((i * 7 + i * i / 3) % (1 + i % 5), 2)::numeric(9,1) AS "T ""q"
FROM generate_series(1, 900) AS i;
CREATE FUNCTION expected(coalition int, nulls text)
RETURNS TABLE (cell jsonb, sensitive text, records bigint, l_distinct bigint, value text, largest bigint,
               homogeneity float8, smallest_coalition bigint, disclosed_external boolean, disclosed_internal boolean)
LANGUAGE sql AS $$
  WITH long AS (
    SELECT a, b, 's' AS sensitive, s::text AS value, dense_rank() OVER (ORDER BY s) AS place FROM people
    UNION ALL
    SELECT a, b, 'T "q', "T ""q"::text, dense_rank() OVER (ORDER BY "T ""q") FROM people),
  cells AS (SELECT DISTINCT a, b FROM people),
  counts AS (
    SELECT c.a, c.b, sensitive, value, place, count(*) AS n
    FROM cells c JOIN long l ON CASE WHEN nulls = 'wildcard'
      THEN (c.a = l.a OR c.a IS NULL OR l.a IS NULL) AND (c.b = l.b OR c.b IS NULL OR l.b IS NULL)
      ELSE c.a IS NOT DISTINCT FROM l.a AND c.b IS NOT DISTINCT FROM l.b END
    WHERE nulls <> 'ignore' OR value IS NOT NULL
    GROUP BY 1, 2, 3, 4, 5),
  sums AS (
    SELECT jsonb_build_object('a', a::text, 'b', b) AS cell, sensitive, sum(n)::bigint AS records,
           count(*) AS l_distinct, (array_agg(value ORDER BY n DESC, place))[1] AS value, max(n) AS largest
    FROM counts GROUP BY a, b, sensitive)
  SELECT *, largest::float8 / records, records - largest, largest = records, largest >= records - coalition FROM sums
$$;
SELECT nulls, c AS coalition,
       (SELECT count(*) FROM sdc.risk_cells('people', '{a,b}', '{s,"T \"q"}', c, params)) AS rows,
       (SELECT count(*) FROM (SELECT * FROM sdc.risk_cells('people', '{a,b}', '{s,"T \"q"}', c, params)
                              EXCEPT ALL SELECT * FROM expected(c, nulls)) AS d) AS too_much,
       (SELECT count(*) FROM (SELECT * FROM expected(c, nulls)
                              EXCEPT ALL SELECT * FROM sdc.risk_cells('people', '{a,b}', '{s,"T \"q"}', c, params)) AS d)
         AS missing
FROM unnest(ARRAY['category', 'ignore', 'wildcard']) AS nulls, unnest(ARRAY[0, 1, 3]) AS c,
  LATERAL jsonb_build_object('nulls', nulls) AS params;

-- the worst first: the smallest coalition, then the most records, then the
-- column, then the cell in the order of its keys
SELECT count(*) AS rows, count(*) FILTER (WHERE place <> expected) AS misplaced
FROM (SELECT *, row_number() OVER (ORDER BY smallest_coalition, records DESC, sensitive = 'T "q',
                                   (cell ->> 'a')::int, cell ->> 'b' COLLATE "C") AS expected
      FROM sdc.risk_cells('people', '{a,b}', '{s,"T \"q"}') WITH ORDINALITY
        AS r (cell, sensitive, records, l_distinct, value, largest, homogeneity, smallest_coalition,
              disclosed_external, disclosed_internal, place)) AS o;
SELECT count(*) AS rows, bool_and(disclosed_internal) AS all_disclosed
FROM sdc.risk_cells('people', '{a}', '{s}', 30, '{"only_disclosed": true, "limit": 5}');
SELECT count(*) AS rows, bool_and(disclosed_external) AS all_disclosed
FROM sdc.risk_cells('people', '{a,b}', '{s}', params => '{"only_disclosed": true}');

-- neither the order of rows nor who counts changes a row
CREATE TABLE shuffled AS SELECT * FROM people ORDER BY md5(id::text);
CREATE TABLE parted (LIKE people) PARTITION BY HASH (id);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parted SELECT * FROM people;
SELECT (SELECT array_agg(r) FROM sdc.risk_cells('people', '{a,b}', '{s,"T \"q"}') AS r)
     = (SELECT array_agg(r) FROM sdc.risk_cells('shuffled', '{a,b}', '{s,"T \"q"}') AS r) AS same_shuffled,
       (SELECT array_agg(r) FROM sdc.risk_cells('people', '{a,b}', '{s,"T \"q"}') AS r)
     = (SELECT array_agg(r) FROM sdc.risk_cells('parted', '{a,b}', '{s,"T \"q"}') AS r) AS same_parted;
CREATE TEMP TABLE by_rows AS SELECT array_agg(r) AS rows FROM sdc.risk_cells('people', '{a,b}', '{s,"T \"q"}') AS r;
SET sdc.count_with = groups;
SELECT (SELECT array_agg(r) FROM sdc.risk_cells('people', '{a,b}', '{s,"T \"q"}') AS r)
     = (SELECT rows FROM by_rows) AS same_groups;
RESET sdc.count_with;

-- declared roles, hostile names and values, nothing to count
SELECT sdc.declare('people', id => 'id', keys => '{b}', sensitive => '{s}');
SELECT count(*) AS rows, sum(records) AS records FROM sdc.risk_cells('people');
CREATE TABLE "Q; DROP" ("""; --" text, "{}" text);
INSERT INTO "Q; DROP" VALUES (E'"\\\n', NULL), (NULL, 'x'), ('{"a": 1}', '');
SELECT * FROM sdc.risk_cells('"Q; DROP"', ARRAY['"; --'], ARRAY['{}']);
SELECT * FROM sdc.risk_cells('"Q; DROP"', ARRAY['"; --'], ARRAY['{}'], params => '{"nulls": "ignore"}');
DELETE FROM "Q; DROP";
SELECT * FROM sdc.risk_cells('"Q; DROP"', ARRAY['"; --'], ARRAY['{}']);

-- arguments
SELECT * FROM sdc.risk_cells(NULL, '{a}', '{s}');
SELECT * FROM sdc.risk_cells('shuffled', NULL, '{s}');
SELECT * FROM sdc.risk_cells('shuffled', '{a}');
SELECT * FROM sdc.risk_cells('people', '{}', '{s}');
SELECT * FROM sdc.risk_cells('people', '{a}', '{zz}');
SELECT * FROM sdc.risk_cells('people', '{a,s}', '{s}');
SELECT * FROM sdc.risk_cells('people', '{a}', '{s}', NULL);
SELECT * FROM sdc.risk_cells('people', '{a}', '{s}', -1);
SELECT * FROM sdc.risk_cells('people', '{a}', '{s}', params => '[]');
SELECT * FROM sdc.risk_cells('people', '{a}', '{s}', params => '{"limits": 3}');
SELECT * FROM sdc.risk_cells('people', '{a}', '{s}', params => '{"limit": 0}');
SELECT * FROM sdc.risk_cells('people', '{a}', '{s}', params => '{"nulls": "guess"}');
SELECT * FROM sdc.risk_cells('people', '{a}', '{s}', params => '{"only_disclosed": 1}');

-- rights: the caller must be allowed to read every column that is counted
CREATE ROLE regress_sdc_cells;
GRANT USAGE ON SCHEMA sdc TO regress_sdc_cells;
GRANT SELECT (a, b) ON people TO regress_sdc_cells;
SET ROLE regress_sdc_cells;
SELECT count(*) > 0 AS readable FROM sdc.risk_cells('people', '{a}', '{b}');
SELECT * FROM sdc.risk_cells('people', '{a}', '{s}');
RESET ROLE;
REVOKE ALL ON people FROM regress_sdc_cells;
REVOKE USAGE ON SCHEMA sdc FROM regress_sdc_cells;
DROP ROLE regress_sdc_cells;

DROP FUNCTION expected;
DROP VIEW inp4, inp3;
DROP TABLE inp, sal, people, shuffled, parted, by_rows, "Q; DROP";
