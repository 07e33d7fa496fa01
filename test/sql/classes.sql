-- classes: aggregates over the classes of a file, against plain SQL.

-- EX-SAL-1, 2: k of the salaries is 1, of the generalised table 2
CREATE TABLE sal_original(id int PRIMARY KEY, ssn text, dob text, sex text, zip text, salary int);
INSERT INTO sal_original VALUES
  (1,'11-1-111','1/21/76','M','53715',50000), (2,'22-2-222','4/13/86','F','53715',55000),
  (3,'33-3-333','2/28/76','M','53703',60000), (4,'44-4-444','1/21/76','M','53703',65000),
  (5,'55-5-555','4/13/86','F','53706',70000), (6,'66-6-666','2/28/76','F','53706',75000);
CREATE VIEW sal_generalized AS
SELECT id, dob, CASE WHEN dob='2/28/76' THEN '*' ELSE sex END AS sex, left(zip,3)||'**' AS zip, salary
FROM sal_original;
SELECT sdc.k_anonymity(ROW(dob, sex, zip)) AS "EX-SAL-1: 1", sdc.unique_count(ROW(dob, sex, zip)),
       sdc.class_histogram(ROW(dob, sex, zip)) FROM sal_original;
SELECT sdc.k_anonymity(ROW(dob, sex, zip)) AS "EX-SAL-2: 2", sdc.unique_count(ROW(dob, sex, zip)),
       sdc.class_histogram(ROW(dob, sex, zip)) FROM sal_generalized;

-- discernibility and AECS: three classes of 4 inpatients make 48 and 4
SELECT sdc.discernibility(i / 4), sdc.average_class(i / 4) FROM generate_series(0, 11) AS i;

-- EX-BF: f = 1, F = 17 and f = 2, F = 84.5, whose two records have this risk each
SELECT round(sdc.expected_reids(1, 17)::numeric, 6) AS "EX-BF-1: 0.177076" FROM generate_series(1, 1);
SELECT round((sdc.expected_reids(1, w) / 2)::numeric, 6) AS "EX-BF-2: 0.022042" FROM (VALUES (80.0), (4.5)) AS t(w);

-- classes of many sizes with NULLs against GROUP BY
CREATE TABLE people AS
SELECT i AS id, nullif(i * i % 97, 5) AS a, (i * 31 % 13)::text AS b,
       date '2000-01-01' + i % 3 AS c, 1 + (i * 7 % 40) / 8.0::float8 AS w
FROM generate_series(1, 5000) AS i;
CREATE VIEW sizes AS SELECT count(*) AS n, sum(w::numeric)::float8 AS f FROM people GROUP BY a, b, c;
SELECT g.k = s.k AS k, g.u = s.u AS u, g.m = s.m AS m, g.d = s.d AS d, g.h = s.h AS h
FROM (SELECT sdc.k_anonymity(ROW(a, b, c)) AS k, sdc.unique_count(ROW(a, b, c)) AS u,
             sdc.average_class(ROW(a, b, c)) AS m, sdc.discernibility(ROW(a, b, c)) AS d,
             sdc.class_histogram(ROW(a, b, c)) AS h FROM people) AS g,
     (SELECT min(n) AS k, count(*) FILTER (WHERE n = 1) AS u, avg(n)::float8 AS m, sum(n * n) AS d,
             (SELECT jsonb_object_agg(n::text, c) FROM (SELECT n, count(*) AS c FROM sizes GROUP BY n) AS x) AS h
      FROM sizes) AS s;

-- sum of f * E(1/F | f), which is a series
CREATE FUNCTION risk(f bigint, p float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  -- E(1/F) of F = f + j, j negative binomial: sum of p^f C(f+j-1, j) (1-p)^j / (f+j)
  WITH RECURSIVE s AS (
    SELECT 0 AS j, p ^ f AS t
    UNION ALL
    SELECT j + 1, t * (f + j) / (j + 1) * (1 - p) FROM s WHERE t > 1e-25 OR j < f / p)
  SELECT sum(t / (f + j)) FROM s
$$;
SELECT abs(sdc.expected_reids(ROW(a, b, c), w) / (SELECT sum(n * risk(n, least(n / f, 1))) FROM sizes) - 1) < 1e-9 AS same
FROM people;

-- merging classes never lowers k
SELECT bool_and(sdc_k >= finer) AS monotone FROM (
  SELECT m, sdc.k_anonymity(ROW(a % m, b)) AS sdc_k,
         (SELECT sdc.k_anonymity(ROW(a, b)) FROM people) AS finer
  FROM people, generate_series(1, 6) AS m GROUP BY m) AS s;

-- the report on the same table agrees
SELECT r.measure, r.value = g.value AS same
FROM sdc.risk_report('people', keys => '{a,b,c}', measures => '{k_anonymity,unique_count,average_class}') AS r
JOIN (SELECT unnest(ARRAY['k_anonymity', 'unique_count', 'average_class']) AS measure,
             unnest(ARRAY[sdc.k_anonymity(ROW(a, b, c)), sdc.unique_count(ROW(a, b, c)), sdc.average_class(ROW(a, b, c))]) AS value
      FROM people) AS g USING (measure) ORDER BY measure COLLATE "C";

-- one column is a row of one field; a composite type is its fields, nested too
CREATE TYPE place AS (zip text, house int);
SELECT sdc.k_anonymity(a) = sdc.k_anonymity(ROW(a)) AS row_of_one,
       sdc.class_histogram(ROW(b, a)) = sdc.class_histogram(ROW(b, a)::place) AS composite,
       sdc.class_histogram(ROW(a, b, c)) = sdc.class_histogram(ROW(ROW(a, b), c)) AS nested,
       sdc.class_histogram(ROW(a, b, c)) = sdc.class_histogram(ROW(ROW(b, a)::place, ROW(c))) AS nested_composite
FROM people;
SELECT sdc.class_histogram(p) FROM (VALUES (NULL::place), (ROW(NULL, NULL)::place), (ROW('a', 1)::place), (ROW('a', 1)::place)) AS t(p);
-- rows of different types with the same fields are one
SELECT sdc.class_histogram(CASE i % 2 WHEN 0 THEN ROW('a'::varchar(5), 1) ELSE ROW('a'::varchar(6), 1) END)
FROM generate_series(1, 4) AS i;

-- what is equal to GROUP BY is one class, whatever it looks like
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN age AS int CHECK (value >= 0);
SELECT sdc.class_histogram(v) AS numeric FROM (VALUES (1.0), (1.00), (1), (2)) AS t(v);
SELECT sdc.class_histogram(v) AS float8 FROM (VALUES (0::float8), ('-0'), ('NaN'), ('NaN'), ('Infinity')) AS t(v);
SELECT sdc.class_histogram(v) AS timestamptz FROM (VALUES (timestamptz '2000-01-01 12:00+00'), ('2000-01-01 14:00+02'), (NULL)) AS t(v);
SELECT sdc.class_histogram(v) AS enum FROM (VALUES ('sad'::mood), ('ok'), ('sad')) AS t(v);
SELECT sdc.class_histogram(v) AS domain FROM (VALUES (3::age), (3), (4)) AS t(v);
SELECT sdc.class_histogram(v) AS array FROM (VALUES ('{1.0,2}'::numeric[]), ('{1,2.0}'), ('{1,NULL}')) AS t(v);
SELECT sdc.class_histogram(v) AS jsonb FROM (VALUES ('{"a": 1}'::jsonb), ('{"a":1.0}'), ('{}')) AS t(v);
SELECT sdc.class_histogram(v) AS bpchar FROM (VALUES ('a '::char(3)), ('a'), ('b')) AS t(v);
SELECT sdc.class_histogram(v) AS inet FROM (VALUES ('10.0.0.1'::inet), ('10.0.0.1/32'), ('10.0.0.1/8')) AS t(v);
SELECT sdc.class_histogram(v) AS bits FROM (VALUES (B'101'), (B'101'), (B'1010')) AS t(v);
SELECT sdc.class_histogram(v) AS interval FROM (VALUES (interval '1 day'), ('24 hours'), ('1 month')) AS t(v);
SELECT sdc.class_histogram('x') AS literal, sdc.class_histogram(ROW('x', i % 2)) AS literal_field
FROM generate_series(1, 3) AS i;
-- long values are kept whole
SELECT sdc.class_histogram(repeat(chr(97 + i % 2), 100000)) AS long FROM generate_series(1, 5) AS i;
CREATE TABLE toasted(v text);
INSERT INTO toasted SELECT repeat(chr(97 + i % 3), 1000000) FROM generate_series(1, 6) AS i;
SELECT sdc.class_histogram(v) AS toasted FROM toasted;

-- collations in which different strings are equal; each column has its own
CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT sdc.class_histogram(v COLLATE loose) AS loose, sdc.class_histogram(v) AS strict,
       sdc.class_histogram(ROW(v COLLATE loose, v COLLATE "C")) AS both
FROM (VALUES ('a'), ('A'), ('b'), ('b')) AS t(v);

-- nothing to count
SELECT sdc.k_anonymity(i), sdc.class_histogram(i), sdc.unique_count(i), sdc.average_class(i),
       sdc.discernibility(i), sdc.expected_reids(i, 1)
FROM generate_series(1, 0) AS i;

-- FILTER, DISTINCT, windows
SELECT sdc.k_anonymity(a) FILTER (WHERE a > 90) = (SELECT sdc.k_anonymity(a) FROM people WHERE a > 90) AS filtered,
       sdc.class_histogram(DISTINCT a % 5) AS once FROM people;
SELECT i, sdc.class_histogram(i / 3) OVER (ORDER BY i) FROM generate_series(1, 6) AS i;
SELECT sdc.class_histogram(i % 900) OVER () = '{"1": 800, "2": 100}' AS expanded FROM generate_series(1, 1000) AS i LIMIT 1;
SELECT i, sdc.k_anonymity(ROW(i % 2, 'x')) OVER (ORDER BY i ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)
FROM generate_series(1, 5) AS i;

-- parallel plans give the same bits as serial ones, and rows in any order
CREATE TABLE many AS
SELECT i AS id, i % 3 AS region, (i * 7919 % 20011)::text AS a, i * 31 % 11 AS b, 1 + sqrt(i % 1000) AS w
FROM generate_series(1, 40000) AS i;
ANALYZE many;
CREATE VIEW figure AS
SELECT sdc.k_anonymity(ROW(a, b)) AS k, sdc.class_histogram(ROW(a, b)) AS h,
       sdc.discernibility(a) AS d, sdc.expected_reids(ROW(a, b), w) AS e, sdc.expected_reids(b, w) AS f FROM many;
CREATE VIEW by_region AS
SELECT region, sdc.k_anonymity(ROW(a, b)) AS k, sdc.expected_reids(b, w) AS f FROM many GROUP BY region;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE serial AS SELECT * FROM figure;
CREATE TABLE serial_region AS SELECT * FROM by_region;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_hashagg = off;
EXPLAIN (COSTS OFF) SELECT * FROM figure;
SELECT (SELECT figure FROM figure)::text = (SELECT serial FROM serial)::text AS same;
SET enable_hashagg = on;
SELECT (SELECT string_agg(by_region::text, ' ' ORDER BY region) FROM by_region)
     = (SELECT string_agg(serial_region::text, ' ' ORDER BY region) FROM serial_region) AS same;
RESET ALL;
-- partitions counted one by one, and joined
CREATE TABLE parts (LIKE many) PARTITION BY HASH (id);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (modulus 2, remainder 0);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES WITH (modulus 2, remainder 1);
INSERT INTO parts SELECT * FROM many;
ANALYZE parts;
SET enable_partitionwise_aggregate = on;
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query;
END $$;
SELECT count(*) AS partial_aggregates
FROM plan_of('SELECT b, sdc.class_histogram(a), sdc.expected_reids(a, w) FROM parts GROUP BY b') AS line WHERE line ~ 'Partial';
DROP FUNCTION plan_of;
SELECT count(*) AS groups, bool_and(p.h = m.h) AS h, bool_and(p.e = m.e) AS e
FROM (SELECT b, sdc.class_histogram(a) AS h, sdc.expected_reids(a, w) AS e FROM parts GROUP BY b) AS p
JOIN (SELECT b, sdc.class_histogram(a) AS h, sdc.expected_reids(a, w) AS e FROM many GROUP BY b) AS m USING (b);
DROP TABLE parts;
RESET ALL;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE backwards AS SELECT * FROM many ORDER BY a DESC, id % 7;
SELECT f.e = s.e AND f.f = s.f AND f.h = s.h AS same FROM serial AS s,
  (SELECT sdc.class_histogram(ROW(a, b)) AS h, sdc.expected_reids(ROW(a, b), w) AS e, sdc.expected_reids(b, w) AS f
   FROM backwards) AS f;
RESET ALL;

-- cells: one text for values, which is equal if and only if they are
CREATE TABLE cells AS
SELECT i % 5 AS a, CASE WHEN i % 7 > 0 THEN (i % 3)::numeric(9, 2) END AS b,
       date '2020-01-01' + i % 4 AS c, CASE WHEN i % 11 > 0 THEN 'x;' || i % 2 END AS d,
       (ARRAY['-0', '0', 'NaN'])[1 + i % 3]::float8 AS e, i % 2 = 0 AS f
FROM generate_series(1, 5000) AS i;
SELECT count(*) AS groups, count(DISTINCT cell) AS cells, max(forms) AS forms
FROM (SELECT a, b, c, d, e, f, min(cell) AS cell, count(DISTINCT cell) AS forms
      FROM (SELECT *, sdc.cell(a, b, c, d, e, f) AS cell FROM cells) AS t
      GROUP BY a, b, c, d, e, f) AS g;
SELECT sdc.k_anonymity(sdc.cell(a, b, c, d, e, f)) = sdc.k_anonymity(ROW(a, b, c, d, e, f)) AS k,
       sdc.unique_count(sdc.cell(a, b, c, d, e, f)) = sdc.unique_count(ROW(a, b, c, d, e, f)) AS u,
       sdc.average_class(sdc.cell(a, b, d)) = sdc.average_class(ROW(a, b, d)) AS average,
       sdc.discernibility(sdc.cell(a, b, d)) = sdc.discernibility(ROW(a, b, d)) AS dm,
       sdc.class_histogram(sdc.cell(a, b, d)) = sdc.class_histogram(ROW(a, b, d)) AS sizes,
       sdc.l_diversity(sdc.cell(a, b), d) = sdc.l_diversity(ROW(a, b), d::varchar) AS l,
       sdc.t_closeness(sdc.cell(a, b), sdc.cell(c)) = sdc.t_closeness(ROW(a, b), c) AS t
FROM cells;
SELECT sdc.cell('a', 'b;') <> sdc.cell('a;b') AS apart, sdc.cell(NULL::text) <> sdc.cell('') AS not_empty,
       sdc.cell(1.0::numeric) = sdc.cell(1.00::numeric) AS scale,
       sdc.cell('a '::char(4)) = sdc.cell('a'::char(2)) AS padded, sdc.cell(1, NULL::int, 'x'::text, true);
SELECT sdc.cell('1 day'::interval);
SELECT sdc.cell(1, v) FROM (SELECT 'a'::text COLLATE loose) AS t(v);
SELECT sdc.cell(1.5::float4) = sdc.cell(1.5::float4), sdc.cell('1 day'::interval::text);
DROP TABLE cells;

-- errors
SELECT sdc.k_anonymity(v) FROM (VALUES ('{}'::json)) AS t(v);
SELECT sdc.k_anonymity(ROW(1, v)) FROM (VALUES ('<(1,2),3>'::circle)) AS t(v);
SELECT sdc.k_anonymity(ROW(1, v)) FROM (VALUES ('(1,2)'::point), ('(1,2)'), ('(2,1)'), ('(2,1)')) AS t(v);
SELECT sdc.k_anonymity(ROW()) FROM people;
SELECT sdc.k_anonymity(CASE WHEN i > 1 THEN ROW(1, 2) ELSE ROW(1) END) FROM generate_series(1, 2) AS i;
SELECT sdc.k_anonymity(CASE WHEN i > 1 THEN ROW(1) ELSE ROW('1'::text) END) FROM generate_series(1, 2) AS i;
SELECT sdc.k_anonymity(CASE WHEN i > 1 THEN ROW(1) END) FROM generate_series(1, 2) AS i;
SELECT sdc.expected_reids(i, NULL) FROM generate_series(1, 2) AS i;
SELECT sdc.expected_reids(i, 'NaN') FROM generate_series(1, 2) AS i;
SELECT sdc.expected_reids(i, 'Infinity') FROM generate_series(1, 2) AS i;
SELECT sdc.expected_reids(i, -1) FROM generate_series(1, 2) AS i;
SET sdc.memory_limit = '1MB';
SELECT sdc.k_anonymity(i) FROM generate_series(1, 100000) AS i;
RESET sdc.memory_limit;

DROP VIEW sal_generalized, sizes, figure, by_region;
DROP TABLE sal_original, people, toasted, many, backwards, serial, serial_region;
DROP FUNCTION risk;
DROP TYPE place, mood;
DROP DOMAIN age;
DROP COLLATION loose;
