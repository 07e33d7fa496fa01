-- risk: risk_report against counting in plain SQL.
\set SHOW_CONTEXT never

-- EX-SAL: k of the original is 1, of the generalised table 2
CREATE TABLE sal_original(id int PRIMARY KEY, ssn text, dob text, sex text, zip text, salary int);
INSERT INTO sal_original VALUES
  (1,'11-1-111','1/21/76','M','53715',50000), (2,'22-2-222','4/13/86','F','53715',55000),
  (3,'33-3-333','2/28/76','M','53703',60000), (4,'44-4-444','1/21/76','M','53703',65000),
  (5,'55-5-555','4/13/86','F','53706',70000), (6,'66-6-666','2/28/76','F','53706',75000);
CREATE VIEW sal_generalized AS
SELECT id, dob, CASE WHEN dob='2/28/76' THEN '*' ELSE sex END AS sex, left(zip,3)||'**' AS zip, salary
FROM sal_original;
SELECT * FROM sdc.risk_report('sal_original', '{dob,sex,zip}');
SELECT * FROM sdc.risk_report('sal_generalized', ARRAY['dob','sex','zip']);

-- chosen measures come in the order of the report
SELECT measure, value FROM sdc.risk_report('sal_generalized', '{sex}', measures => '{classes,k_anonymity,classes}');

-- EX-LD: the twelve inpatients, 4-anonymous and 3-diverse
CREATE TABLE inp(id int, zip text, age int, nation text, disease text);
INSERT INTO inp VALUES
  (1,'13053',28,'Russian','Heart'), (2,'13068',29,'American','Heart'),
  (3,'13068',21,'Japanese','Viral'), (4,'13053',23,'American','Viral'),
  (5,'14853',50,'Indian','Cancer'), (6,'14853',55,'Russian','Heart'),
  (7,'14850',47,'American','Viral'), (8,'14850',49,'American','Viral'),
  (9,'13053',31,'American','Cancer'), (10,'13053',37,'Indian','Cancer'),
  (11,'13068',36,'Japanese','Cancer'), (12,'13068',35,'American','Cancer');
CREATE VIEW inp4 AS SELECT id, left(zip,3)||'**' AS zip,
  CASE WHEN age<30 THEN '<30' WHEN age<40 THEN '3*' ELSE '>=40' END AS age, '*' AS nation, disease FROM inp;
CREATE VIEW inp3 AS SELECT id, left(zip,4)||'*' AS zip,
  CASE WHEN age<=40 THEN '<=40' ELSE '>40' END AS age, '*' AS nation, disease FROM inp;
SELECT * FROM sdc.risk_report('inp4', '{zip,age,nation}', '{disease}');
-- entropy 2.8284, frequency 2, t 1/6; recursive (2,3) is not met, (3,3) is
SELECT measure, value FROM sdc.risk_report('inp3', '{zip,age,nation}', '{disease}',
  measures => '{k_anonymity,l_distinct,l_entropy,l_frequency,l_recursive,t_equal}');
SELECT measure, value FROM sdc.risk_report('inp3', '{zip,age,nation}', '{disease}',
  measures => '{l_recursive}', params => '{"c":3}');

-- every measure against plain SQL, on classes of many sizes with NULLs
CREATE TABLE people AS
SELECT i AS id, nullif(i * i % 97, 5) AS a, (i * 31 % 13)::text AS b,
       date '2000-01-01' + i % 3 AS c, (nullif(i * i % 7, 2) * 10)::numeric AS s,
       (i * 7 % 11)::smallint AS s2, 1 + i % 9 / 2.0::float8 AS w, i / 3 AS home
FROM generate_series(1, 5000) AS i;
CREATE FUNCTION expected(class_sizes bigint[])
RETURNS TABLE (measure text, value float8) LANGUAGE sql AS $$
  WITH s AS (SELECT unnest(class_sizes) AS n)
  SELECT * FROM (
    SELECT unnest(ARRAY['records', 'classes', 'k_anonymity', 'unique_count',
                        'unique_share', 'average_class', 'largest_class', 'below_3', 'below_5',
                        'discernibility', 'prosecutor_highest', 'prosecutor_average', 'at_risk']),
           unnest(ARRAY[sum(n)::float8, count(*), min(n), count(*) FILTER (WHERE n = 1),
                        (count(*) FILTER (WHERE n = 1))::float8 / sum(n), avg(n)::float8, max(n),
                        coalesce(sum(n) FILTER (WHERE n < 3), 0),
                        coalesce(sum(n) FILTER (WHERE n < 5), 0),
                        sum(n * n), 1.0 / min(n), count(*) / sum(n)::float8,
                        coalesce(sum(n) FILTER (WHERE n < 5), 0) / sum(n)::float8])
    FROM s) AS e
$$;
SELECT r.measure, r.value, r.value = e.value AS same
FROM sdc.risk_report('people', '{a,b,c}') AS r
FULL JOIN expected((SELECT array_agg(n) FROM (SELECT count(*) AS n FROM people GROUP BY a, b, c) AS g)) AS e
USING (measure) ORDER BY measure COLLATE "C";
SELECT bool_and(r.value = e.value) AS same
FROM sdc.risk_report('people', '{a}') AS r
FULL JOIN expected((SELECT array_agg(n) FROM (SELECT count(*) AS n FROM people GROUP BY a) AS g)) AS e
USING (measure);

-- sensitive columns against plain SQL; NULL is one more value, or not counted
CREATE VIEW histograms AS
SELECT 'category' AS nulls, a, b, coalesce(s::text, 'none') AS v, count(*) AS n FROM people GROUP BY a, b, s
UNION ALL SELECT 'ignore', a, b, s::text, count(*) FROM people WHERE s IS NOT NULL GROUP BY a, b, s;
CREATE VIEW sensitive_oracle AS
WITH total AS (SELECT nulls, v, sum(n) AS q, sum(sum(n)) OVER (PARTITION BY nulls) AS whole FROM histograms GROUP BY nulls, v),
 class AS (SELECT nulls, a, b, sum(n) AS size, count(*) AS l, max(n) AS most,
                  exp(-sum(n / t * ln(n / t)))::float8 AS e
           FROM (SELECT *, sum(n) OVER (PARTITION BY nulls, a, b) AS t FROM histograms) AS h GROUP BY nulls, a, b),
 distance AS (SELECT c.nulls, c.a, c.b, sum(abs(coalesce(h.n, 0) / c.size - q / whole)) / 2 AS t,
                     max(h.n / c.size / (q / whole)) - 1 AS beta, max(abs(log(2, h.n / c.size / (q / whole)))) AS delta
              FROM class AS c JOIN total USING (nulls)
              LEFT JOIN histograms AS h ON h.nulls = c.nulls AND h.v = total.v
                   AND h.a IS NOT DISTINCT FROM c.a AND h.b IS NOT DISTINCT FROM c.b
              GROUP BY c.nulls, c.a, c.b)
SELECT nulls, m AS measure, value FROM (
  SELECT nulls, min(l) AS l_distinct, min(e) AS l_entropy, min(size / most) AS l_frequency,
         sum((SELECT count(*) FROM people AS p WHERE (p.a, p.b) IS NOT DISTINCT FROM (class.a, class.b))) FILTER (WHERE l = 1)
           AS homogeneous_records FROM class GROUP BY nulls) AS x
  JOIN (SELECT nulls, max(t) AS t_equal, max(beta) AS beta_likeness, max(delta) AS delta_disclosure
        FROM distance GROUP BY nulls) AS y USING (nulls),
  LATERAL (VALUES ('l_distinct', l_distinct::float8), ('l_entropy', l_entropy), ('l_frequency', l_frequency::float8),
    ('homogeneous_records', coalesce(homogeneous_records, 0)::float8), ('t_equal', t_equal::float8),
    ('beta_likeness', beta_likeness::float8), ('delta_disclosure', delta_disclosure::float8)) AS e(m, value);
SELECT o.nulls, measure, round(r.value::numeric, 9) AS value, abs(r.value - o.value) < 1e-9 AS same
FROM sensitive_oracle AS o
JOIN (SELECT 'category' AS nulls, * FROM sdc.risk_report('people', '{a,b}', '{s}')
      UNION ALL SELECT 'ignore', * FROM sdc.risk_report('people', '{a,b}', '{s}', params => '{"nulls":"ignore"}')) AS r
  USING (nulls, measure) ORDER BY nulls, measure COLLATE "C";
-- who can rule out one value: r1 / (n - r2)
SELECT measure, r.value, abs(r.value - e.value) < 1e-12 AS same
FROM sdc.risk_report('people', '{a,b}', '{s}', measures => '{background_knowledge}', params => '{"exclude":1}') AS r,
  (SELECT max(r1 / (n - r2)::float8) AS value FROM
    (SELECT (array_agg(n ORDER BY n DESC))[1] AS r1, coalesce((array_agg(n ORDER BY n DESC))[2], 0) AS r2, sum(n) AS n
     FROM histograms WHERE nulls = 'category' GROUP BY a, b) AS x) AS e;
-- a hierarchy of the sensitive values; on one level below the top it is the distance between its groups
SELECT sdc.create_hierarchy('test risk', 'table', '{"rows":[["10","x","*"],["20","x","*"],["30","y","*"],["40","y","*"],["0","y","*"]]}');
SELECT r.value, abs(r.value - e.value) < 1e-12 AS same
FROM sdc.risk_report('people', '{a,b}', '{s}', measures => '{t_hierarchical}', params => '{"nulls":"ignore","hierarchy":{"s":"test risk"}}') AS r,
  (WITH v AS (SELECT a, b, s::text AS v, CASE WHEN s IN (10, 20) THEN 'x' ELSE 'y' END AS g FROM people WHERE s IS NOT NULL),
    leaf AS (SELECT a, b, p.v, count(*) FILTER (WHERE v.v = p.v) / count(*)::float8 - p.q AS d FROM v,
             (SELECT v, count(*) / sum(count(*)) OVER ()::float8 AS q FROM v GROUP BY v) AS p GROUP BY a, b, p.v, p.q),
    grp AS (SELECT a, b, p.g, count(*) FILTER (WHERE v.g = p.g) / count(*)::float8 - p.q AS d FROM v,
             (SELECT g, count(*) / sum(count(*)) OVER ()::float8 AS q FROM v GROUP BY g) AS p GROUP BY a, b, p.g, p.q)
   SELECT max(l.t + g.t) / 2 AS value FROM (SELECT a, b, sum(abs(d)) / 2 AS t FROM leaf GROUP BY a, b) AS l
   JOIN (SELECT a, b, sum(abs(d)) / 2 AS t FROM grp GROUP BY a, b) AS g
     ON (l.a, l.b) IS NOT DISTINCT FROM (g.a, g.b)) AS e;
SELECT sdc.drop_hierarchy('test risk');
-- ordered t: salaries 3 to 11 thousand, the class {3,4,5} is 0.375 away (Li et al.)
CREATE TABLE salaries AS SELECT CASE WHEN i <= 3 THEN 1 ELSE 2 END AS k, (i + 2) * 1000 AS salary FROM generate_series(1, 9) AS i;
SELECT value FROM sdc.risk_report('salaries', '{k}', '{salary}', measures => '{t_ordered}');
-- several sensitive columns: the same as one by one
SELECT count(*) AS lines, bool_and(b.value = s.value AND b.detail = s.detail) AS same
FROM sdc.risk_report('people', '{a,b}', '{s,s2}', measures => '{l_entropy,t_equal,t_ordered,l_recursive,homogeneous_records}') AS b
FULL JOIN (SELECT * FROM sdc.risk_report('people', '{a,b}', '{s}', measures => '{l_entropy,t_equal,t_ordered,l_recursive,homogeneous_records}')
           UNION ALL SELECT * FROM sdc.risk_report('people', '{a,b}', '{s2}', measures => '{l_entropy,t_equal,t_ordered,l_recursive,homogeneous_records}')) AS s
  USING (measure, subject);

-- NULL as a wildcard, against comparing all pairs
CREATE TABLE holes AS
SELECT i AS id, nullif(i % 5, 0) AS a, nullif(i * 7 % 4, 0)::text AS b, nullif(i % 3, 0) AS c, i * i % 5 AS s, (i % 4)::float8 AS w
FROM generate_series(1, 200) AS i;
CREATE VIEW pairs AS
SELECT x.id, y.id AS other, y.s, y.w FROM holes AS x JOIN holes AS y
  ON coalesce(x.a = y.a, true) AND coalesce(x.b = y.b, true) AND coalesce(x.c = y.c, true);
SELECT measure, r.value, r.value = e.value AS same FROM sdc.risk_report('holes', '{a,b,c}', '{s}', params => '{"nulls":"wildcard"}') AS r
JOIN (SELECT unnest(ARRAY['k_anonymity','largest_class','unique_count','discernibility','prosecutor_highest']),
             unnest(ARRAY[min(f), max(f), count(*) FILTER (WHERE f = 1), sum(f), 1.0 / min(f)]) FROM
      (SELECT count(*) AS f FROM pairs GROUP BY id) AS x) AS e(measure, value) USING (measure);
SELECT measure, abs(r.value - e.value) < 1e-12 AS same FROM sdc.risk_report('holes', '{a,b,c}', '{s}', params => '{"nulls":"wildcard"}') AS r
JOIN (SELECT unnest(ARRAY['l_distinct','l_entropy','l_frequency']), unnest(ARRAY[min(l), min(e), min(f)]) FROM
      (SELECT id, count(*)::float8 AS l, exp(-sum(n / t * ln(n / t)))::float8 AS e, (sum(n) / max(n))::float8 AS f FROM
        (SELECT id, s, count(*) AS n, sum(count(*)) OVER (PARTITION BY id) AS t FROM pairs GROUP BY id, s) AS h GROUP BY id) AS x)
     AS e(measure, value) USING (measure);
SELECT count(*) AS records,
       bool_and(r.class_size = e.f) AS size, bool_and(r.population = e.w) AS population,
       bool_and(r.l_distinct = e.l) AS l, bool_and(abs(r.confidence - e.c) < 1e-12) AS confidence
FROM sdc.risk_records('holes', 'id', keys => '{a,b,c}', sensitive => '{s}', weight => 'w', params => '{"nulls":"wildcard"}') AS r
JOIN (SELECT id, sum(n) AS f, sum(w) AS w, count(*) AS l, max(n) / sum(n)::float8 AS c
      FROM (SELECT id, s, count(*) AS n, sum(w) AS w FROM pairs GROUP BY id, s) AS h GROUP BY id) AS e ON e.id = r.id::int;

-- a register of the population
CREATE TABLE register AS SELECT a, b, c FROM people UNION ALL SELECT a, b, c FROM people WHERE id % 2 = 0
  UNION ALL SELECT 1000, '1', date '2000-01-01';
SELECT measure, r.value, abs(r.value - e.value) < 1e-12 AS same
FROM sdc.risk_report('people', '{a,b,c}', params => '{"population":"register"}') AS r
JOIN (SELECT unnest(ARRAY['k_map','delta_presence_lowest','delta_presence_highest','journalist_highest','marketer']),
             unnest(ARRAY[min(p) FILTER (WHERE f > 0), min(f / p::float8), max(f / p::float8),
                          max(1.0 / p) FILTER (WHERE f > 0), sum(f / p::float8) / sum(f)])
      FROM (SELECT count(*) AS p, (SELECT count(*) FROM people AS q
              WHERE (q.a, q.b, q.c) IS NOT DISTINCT FROM (g.a, g.b, g.c)) AS f
            FROM register AS g GROUP BY a, b, c) AS x) AS e(measure, value) USING (measure);

-- individual risk: weights, a sampling fraction, households
CREATE VIEW individual AS
SELECT id, home, f, p, sdc.individual_risk(f, p) AS r
FROM (SELECT id, home, count(*) OVER (PARTITION BY a, c) AS f, sum(w) OVER (PARTITION BY a, c) AS p FROM people) AS x;
SELECT count(*) AS records, bool_and(r.class_size = e.f) AS size, bool_and(abs(r.population - e.p) < 1e-9) AS population,
       bool_and(abs(r.risk - e.r) < 1e-12) AS risk, bool_and(abs(r.household_risk - e.h) < 1e-12) AS household
FROM sdc.risk_records('people', 'id', '{a,c}', household => 'home', weight => 'w') AS r
JOIN (SELECT *, 1 - exp(sum(ln(1 - r)) OVER (PARTITION BY home)) AS h FROM individual) AS e ON e.id = r.id::int;
SELECT measure, abs(r.value - e.value) < 1e-9 * e.value AS same
FROM sdc.risk_report('people', '{a,c}', weight => 'w') AS r
JOIN (SELECT unnest(ARRAY['population','sampling_fraction','individual_risk_highest','expected_reids','global_risk']),
             unnest(ARRAY[(SELECT sum(w) FROM people), 5000 / (SELECT sum(w) FROM people), max(r), sum(r), avg(r)])
      FROM individual) AS e(measure, value) USING (measure);
-- once no risk is above the threshold the global risk is the target
SELECT abs(avg(least(e.r, t.value)) - 0.01) < 1e-9 AS threshold
FROM individual AS e, sdc.risk_report('people', '{a,c}', weight => 'w', measures => '{risk_threshold}', params => '{"target":0.01}') AS t;
SELECT abs(r.value - p * n1 / (p * n1 + 2 * (1 - p) * n2)) < 1e-12 AS dis
FROM sdc.risk_report('people', '{a,b,c}', measures => '{correct_match}', params => '{"sampling_fraction":0.1}') AS r,
  (SELECT 0.1::float8 AS p, count(*) FILTER (WHERE n = 1) AS n1, count(*) FILTER (WHERE n = 2) AS n2
   FROM (SELECT count(*) AS n FROM people GROUP BY a, b, c) AS g) AS e;
SELECT bool_and(population = class_size / 0.1 AND abs(risk - sdc.individual_risk(class_size, class_size / 0.1)) < 1e-12) AS fraction
FROM sdc.risk_records('people', 'id', keys => '{a,c}', params => '{"sampling_fraction":0.1}');
SELECT bool_and(risk = 1.0 / class_size) AS prosecutor, bool_and(population = class_size) AS population, bool_and(household_risk IS NULL AND l_distinct IS NULL) AS nothing
FROM sdc.risk_records('people', 'id', keys => '{a,c}', variant => 'prosecutor');
SELECT bool_and(risk = 1.0 / population) AS journalist
FROM sdc.risk_records('people', 'id', keys => '{a,c}', variant => 'journalist', params => '{"population":"register"}');
-- who has no household is one alone; an id may be NULL
CREATE TABLE alone(id int, k int, h text);
INSERT INTO alone VALUES (1, 1, NULL), (2, 1, NULL), (3, 2, 'x'), (NULL, 2, 'x');
SELECT * FROM sdc.risk_records('alone', 'id', '{k}', household => 'h');

-- the same as a table
CREATE FUNCTION written(rel text, more text) RETURNS TABLE (records bigint, same bigint) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SELECT rows FROM sdc.risk_records_into(%L, ''risks'', ''id'', %s)', rel, more);
  RETURN QUERY EXECUTE format('SELECT count(*), count(*) FILTER (WHERE (m.class_size, m.l_distinct, m.confidence, m.population)
      IS NOT DISTINCT FROM (r.class_size, r.l_distinct, r.confidence, r.population)
      AND abs(m.risk - r.risk) <= 1e-15 * r.risk)
    FROM sdc.risk_records(%L, ''id'', %s) AS r FULL JOIN risks AS m ON COALESCE(m.id::text, ''none'') = COALESCE(r.id, ''none'')', rel, more);
  DROP TABLE risks;
END $$;
SELECT * FROM written('people', $$'{a,c}'$$);
SELECT * FROM written('people', $$'{a,b,c}', '{s,s2}', weight => 'w'$$);
SELECT * FROM written('people', $$'{a,c}', '{s}', variant => 'approx', params => '{"sampling_fraction":0.1}'$$);
SELECT * FROM written('people', $$'{a,c}', variant => 'prosecutor'$$);
SELECT * FROM written('holes', $$'{a,b,c}', '{s}', weight => 'w', params => '{"nulls":"ignore"}'$$);
SELECT * FROM written('holes', $$'{a,b,c}', '{s}', params => '{"nulls":"category"}'$$);
SELECT * FROM written('alone', $$'{k}'$$);
DROP FUNCTION written(text, text);
SELECT step, subject, rows FROM sdc.risk_records_into('people', 'pg_temp.risks', 'id', '{a}', '{s}');
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'pg_temp.risks'::regclass AND attnum > 0 ORDER BY attnum;
SELECT count(*) AS left_over FROM pg_class WHERE relname LIKE 'sdc\_cells%';
SELECT sdc.risk_records_into('people', 'pg_temp.risks', 'id', '{a}');
SELECT sdc.risk_records_into('people', NULL, 'id', '{a}');
SELECT sdc.risk_records_into('people', 'made', keys => '{a}');
SELECT sdc.risk_records_into('people', 'made', 'id', '{a}', variant => 'journalist');
SELECT sdc.risk_records_into('people', 'made', 'id', '{a}', params => '{"nulls":"wildcard"}');

-- who counts does not matter: rows, GROUP BY, parallel plans, another order
CREATE TABLE shuffled AS SELECT * FROM people ORDER BY md5(id::text);
CREATE FUNCTION digest(rel regclass) RETURNS text LANGUAGE sql AS $$
  SELECT md5(string_agg(measure || subject || value || detail, ',' ORDER BY measure COLLATE "C", subject COLLATE "C"))
  FROM sdc.risk_report(rel, '{a,b,c}', '{s,s2}', params => '{"sampling_fraction":0.3,"population":"register"}')
$$;
CREATE TABLE digests(how text, digest text);
SET sdc.count_with = rows;
INSERT INTO digests SELECT 'rows', digest('people');
INSERT INTO digests SELECT 'another order', digest('shuffled');
SET sdc.count_with = groups;
INSERT INTO digests SELECT 'groups', digest('people');
INSERT INTO digests SELECT 'groups in another order', digest('shuffled');
SET enable_hashagg = off;
INSERT INTO digests SELECT 'sorted groups', digest('shuffled');
RESET enable_hashagg;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
INSERT INTO digests SELECT 'workers', digest('people');
RESET sdc.count_with;
INSERT INTO digests SELECT 'auto', digest('people');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SELECT count(*) AS ways, count(DISTINCT digest) AS answers FROM digests;

-- declared roles are the default
SELECT sdc.declare('people', id => 'id', keys => '{a,c}', sensitive => '{s}', weight => 'w', household => 'home');
SELECT count(*) AS lines FROM sdc.risk_report('people');
SELECT count(*) AS same FROM (
  SELECT * FROM sdc.risk_records('people')
  INTERSECT SELECT * FROM sdc.risk_records('people', 'id', '{a,c}', '{s}', 'home', 'w')) AS x;
SELECT sdc.declare('people');

-- values of any type count as GROUP BY counts them
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN positive AS int CHECK (value > 0);
CREATE TABLE types(n numeric, f float8, e mood, d positive, t timestamptz, b bytea, c char(5), x text[], r int4range, u uuid);
INSERT INTO types VALUES
  (1.0, 0, 'happy', 1, '2020-01-01 00:00+00', 'a', 'a', '{a,b}', '[1,3)', '00000000-0000-0000-0000-000000000001'),
  (1.00, '-0', 'happy', 1, '2020-01-01 01:00+01', 'a', 'a  ', '{a,b}', '[1,2]', '00000000-0000-0000-0000-000000000001'),
  (1.01, 'NaN', 'sad', 2, '2020-01-01 01:00+00', 'b', ' a', '{b,a}', 'empty', '00000000-0000-0000-0000-000000000002'),
  ('NaN', 'NaN', NULL, 2, 'infinity', '', NULL, '{NULL}', NULL, NULL);
SELECT k, r.value, r.value = e.value AS same
FROM unnest('{n,f,e,d,t,b,c,x,r,u}'::text[]) AS k,
  LATERAL sdc.risk_report('types', ARRAY[k]::name[], measures => '{classes}') AS r,
  LATERAL (SELECT CASE k WHEN 'n' THEN count(DISTINCT n) + 0 WHEN 'f' THEN count(DISTINCT f) WHEN 'e' THEN 3 WHEN 'd' THEN count(DISTINCT d)
    WHEN 't' THEN count(DISTINCT t) WHEN 'b' THEN count(DISTINCT b) WHEN 'c' THEN 3 WHEN 'x' THEN count(DISTINCT x)
    WHEN 'r' THEN 3 WHEN 'u' THEN 3 END AS value FROM types) AS e;

-- no records
CREATE TABLE nobody(a int);
SELECT * FROM sdc.risk_report('nobody', '{a}');

-- the report sees what the statement sees, not what it changes
BEGIN;
WITH gone AS (DELETE FROM sal_original WHERE id > 1 RETURNING id)
SELECT value, (SELECT count(*) FROM gone) AS deleted
FROM sdc.risk_report('sal_original', '{sex}', measures => '{records}');
SELECT value FROM sdc.risk_report('sal_original', '{sex}', measures => '{records}');
ROLLBACK;

-- arguments
SELECT * FROM sdc.risk_report(NULL, '{a}');
SELECT * FROM sdc.risk_report('people');
SELECT * FROM sdc.risk_report('people', '{}');
SELECT * FROM sdc.risk_report('people', '{a,NULL}');
SELECT * FROM sdc.risk_report('people', '{a,b,a}');
SELECT * FROM sdc.risk_report('people', '{a,bb}');
SELECT * FROM sdc.risk_report('people', '{"a, b"}');
SELECT * FROM sdc.risk_report('people', '{ctid}');
SELECT * FROM sdc.risk_report('people', '{a}', sensitive => '{a}');
SELECT * FROM sdc.risk_report('people', '{a}', sensitive => '{bb}');
SELECT * FROM sdc.risk_report('people', '{a}', weight => 'b');
SELECT * FROM sdc.risk_report('people', '{a}', params => '[]');
SELECT * FROM sdc.risk_report('people', '{a}', params => '{"null":"category"}');
SELECT * FROM sdc.risk_report('people', '{a}', params => '{"nulls":"maybe"}');
SELECT * FROM sdc.risk_report('people', '{a}', params => '{"threshold":2}');
SELECT * FROM sdc.risk_report('people', '{a}', params => '{"sampling_fraction":0}');
SELECT * FROM sdc.risk_report('people', '{a}', params => '{"c":"x"}');
SELECT * FROM sdc.risk_report('people', '{a}', params => '{"population":"nosuch"}');
SELECT * FROM sdc.risk_report('people', '{a}', '{s}', params => '{"hierarchy":{"ss":"x"}}');
SELECT * FROM sdc.risk_report('people', '{b}', params => '{"population":"sal_original"}');
CREATE TABLE other_types(a text, b text);
SELECT * FROM sdc.risk_report('people', '{a}', params => '{"population":"other_types"}');
CREATE TABLE no_equality(j json);
SELECT * FROM sdc.risk_report('no_equality', '{j}');
SELECT sdc.risk_records_into('no_equality', 'made', 'j', '{j}');
SELECT * FROM sdc.risk_report('people', '{a}', measures => '{k}');
SELECT * FROM sdc.risk_report('people', '{a}', measures => '{}');
SELECT * FROM sdc.risk_report('people', '{a}', measures => '{classes,NULL}');

SELECT * FROM sdc.risk_records(NULL);
SELECT * FROM sdc.risk_records('people', keys => '{a}');
SELECT * FROM sdc.risk_records('people', 'zz', keys => '{a}');
SELECT * FROM sdc.risk_records('people', 'id', keys => '{a}', variant => 'guess');
SELECT * FROM sdc.risk_records('people', 'id', keys => '{a}', variant => 'journalist');
SELECT * FROM sdc.risk_records('nobody', 'a', keys => '{a}');
CREATE TABLE bad_weights(k int, w float8);
INSERT INTO bad_weights VALUES (1, -1);
SELECT sdc.risk_records_into('bad_weights', 'made', 'k', '{k}', weight => 'w');
SELECT * FROM sdc.risk_report('bad_weights', '{k}', weight => 'w');
UPDATE bad_weights SET w = 'NaN';
SELECT * FROM sdc.risk_report('bad_weights', '{k}', weight => 'w');
UPDATE bad_weights SET w = NULL;
SELECT * FROM sdc.risk_report('bad_weights', '{k}', weight => 'w');
CREATE VIEW many AS SELECT i FROM generate_series(1, 100000) AS i;
SET sdc.memory_limit = '1MB';
SELECT * FROM sdc.risk_report('many', '{i}');
RESET sdc.memory_limit;

-- the codes of errors are part of the interface
CREATE FUNCTION code_of(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE query;
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
  RETURN sqlstate;
END $$;
SELECT code_of($$SELECT * FROM sdc.risk_report('people')$$) AS no_keys,
       code_of($$SELECT * FROM sdc.risk_report('people', '{zz}')$$) AS unknown,
       code_of($$SELECT * FROM sdc.risk_report('people', '{a,a}')$$) AS twice,
       code_of($$SELECT * FROM sdc.risk_report('people', '{a}', weight => 'b')$$) AS weight,
       code_of($$SELECT * FROM sdc.risk_report('no_equality', '{j}')$$) AS equality,
       code_of($$SELECT * FROM sdc.risk_report('people', '{a}', measures => '{k}')$$) AS method;

DROP FUNCTION code_of, expected, digest;
DROP VIEW sal_generalized, many, inp3, inp4, sensitive_oracle, histograms, pairs, individual;
DROP TABLE sal_original, people, nobody, inp, salaries, holes, register, alone, shuffled, digests, types, other_types, no_equality, bad_weights;
DROP DOMAIN positive;
DROP TYPE mood;
