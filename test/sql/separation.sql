-- separation: distinction and separation of key subsets, against all pairs of
-- records.

\set SHOW_CONTEXT never

-- EX-SAL: six people, and the same after making some values coarser
CREATE TABLE sal_original(id int PRIMARY KEY, ssn text, dob text, sex text, zip text, salary int);
INSERT INTO sal_original VALUES
(1,'11-1-111','1/21/76','M','53715',50000),(2,'22-2-222','4/13/86','F','53715',55000),
(3,'33-3-333','2/28/76','M','53703',60000),(4,'44-4-444','1/21/76','M','53703',65000),
(5,'55-5-555','4/13/86','F','53706',70000),(6,'66-6-666','2/28/76','F','53706',75000);
CREATE VIEW sal_generalized AS
SELECT id, dob, CASE WHEN dob = '2/28/76' THEN '*' ELSE sex END AS sex,
       left(zip, 3) || '**' AS zip, salary FROM sal_original;
SELECT sdc.declare('sal_original', id => 'id', identifiers => '{ssn}',
                   keys => '{dob,sex,zip}', sensitive => '{salary}');
SELECT * FROM sdc.separation('sal_original');
-- k = 1: each record is alone; k = 2: three classes of two
SELECT min(n) AS k, count(*)::float8 / sum(n) AS distinction
FROM (SELECT count(*) AS n FROM sal_original GROUP BY dob, sex, zip) AS c;
SELECT min(n) AS k, count(*)::float8 / sum(n) AS distinction
FROM (SELECT count(*) AS n FROM sal_generalized GROUP BY dob, sex, zip) AS c;
SELECT * FROM sdc.separation('sal_generalized', '{dob,sex,zip}')
WHERE subject = 'dob, sex, zip';

-- All subsets of five columns with NULLs, compared pair by pair.  The columns
-- of a subset go into a row: rows compare NULLs as GROUP BY does.
CREATE TABLE people AS
SELECT i AS id, nullif(i * 7 % 5, 0) AS a, nullif(i % 3, 1) AS b,
       (i * i % 11)::numeric(6,2) AS c,
       CASE WHEN i % 4 > 0 THEN 'v' || i % 9 END AS "d d",
       date '2020-01-01' + i % 13 AS e
FROM generate_series(1, 90) AS i;
CREATE FUNCTION expected(columns text[]) RETURNS TABLE(separation float8, distinction float8)
LANGUAGE plpgsql AS $$
DECLARE
  list text := (SELECT string_agg('r.' || quote_ident(c), ', ' ORDER BY o)
                FROM unnest(columns) WITH ORDINALITY AS u(c, o));
BEGIN
  RETURN QUERY EXECUTE format(
    'WITH v AS (SELECT r.id, ROW(%s) AS v FROM people AS r)
     SELECT (SELECT avg((x.v IS DISTINCT FROM y.v)::int)::float8
             FROM v AS x JOIN v AS y ON x.id < y.id),
            (SELECT count(DISTINCT v)::float8 / count(*) FROM v)', list);
END $$;
CREATE VIEW measured AS
SELECT subject, place,
       value AS separation, lead(value) OVER (ORDER BY place) AS distinction,
       lead(measure) OVER (ORDER BY place) AS follows, measure
FROM sdc.separation('people', '{a,b,c,"d d",e}', '{"max_size":5}')
     WITH ORDINALITY AS s(measure, subject, value, detail, example, place);
SELECT count(*) AS subsets, count(DISTINCT subject) AS different,
       bool_and(follows = 'distinction') AS paired,
       bool_and(abs(m.separation - e.separation) < 1e-14) AS separation,
       bool_and(m.distinction = e.distinction) AS distinction
FROM measured AS m,
     LATERAL (SELECT array_agg(btrim(c, '"') ORDER BY o)
              FROM unnest(string_to_array(subject, ', ')) WITH ORDINALITY AS u(c, o)) AS s(columns),
     LATERAL expected(columns) AS e
WHERE measure = 'separation';
-- best first; of equal ones, those with fewer columns
SELECT count(*) FROM (
  SELECT separation, lag(separation) OVER (ORDER BY place) AS before
  FROM measured WHERE measure = 'separation') AS o
WHERE separation > before;
SELECT subject FROM measured WHERE measure = 'separation' ORDER BY place LIMIT 5;

-- The smallest class of any m keys: all pairs, and all triples, by GROUP BY.
CREATE FUNCTION smallest(VARIADIC columns text[]) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE result int8;
BEGIN
  EXECUTE format('SELECT min(count) FROM (SELECT count(*) FROM people GROUP BY %s) AS c',
                 (SELECT string_agg(quote_ident(c), ', ') FROM unnest(columns) AS u(c))) INTO result;
  RETURN result;
END $$;
WITH named(c, o) AS (SELECT * FROM unnest('{a,b,c,d d,e}'::text[]) WITH ORDINALITY),
pairs AS (SELECT quote_ident(x.c) || ', ' || quote_ident(y.c) AS subject, smallest(x.c, y.c) AS k
          FROM named AS x JOIN named AS y ON x.o < y.o)
SELECT count(*), bool_and(r.value = p.k), min(r.value) = min(p.k) AS worst
FROM sdc.risk_report('people', '{a,b,c,"d d",e}', measures => 'subset_k_anonymity', params => '{"worst": 100}') AS r
FULL JOIN pairs AS p USING (subject);
WITH named(c, o) AS (SELECT * FROM unnest('{a,b,c,d d,e}'::text[]) WITH ORDINALITY),
triples AS (SELECT smallest(x.c, y.c, z.c) AS k FROM named AS x JOIN named AS y ON x.o < y.o JOIN named AS z ON y.o < z.o)
SELECT count(*), array_agg(value ORDER BY place) =
       (SELECT array_agg(k::float8 ORDER BY k) FROM (SELECT k FROM triples ORDER BY k LIMIT 4) AS t) AS same
FROM sdc.risk_report('people', '{a,b,c,"d d",e}', measures => 'subset_k_anonymity', params => '{"m": 3, "worst": 4}')
     WITH ORDINALITY AS r(measure, subject, value, detail, example, place);
-- NULL as a wildcard: compared pair by pair
SELECT r.value = (SELECT min(n) FROM (SELECT count(*) AS n FROM people AS x JOIN people AS y
         ON (x.a = y.a OR x.a IS NULL OR y.a IS NULL) AND (x.b = y.b OR x.b IS NULL OR y.b IS NULL)
         GROUP BY x.id) AS c) AS wildcard
FROM sdc.risk_report('people', 'a,b', measures => 'subset_k_anonymity', params => '{"nulls": "wildcard"}') AS r;
SELECT subject, value, detail FROM sdc.risk_report('people', 'a,b', measures => 'subset_k_anonymity', params => '{"m": 8}');
SELECT count(*) FROM sdc.risk_report('people', 'a', measures => 'subset_k_anonymity', params => '{"m": 9}');
-- 200 columns: more than a word has bits
SELECT format('CREATE TABLE broad AS SELECT i AS id, %s FROM generate_series(1, 60) AS i',
              string_agg(format('(hashint4(i + 1000 * %s) & 1) AS c%s', j, j), ', '))
FROM generate_series(1, 200) AS j \gexec
UPDATE broad SET c150 = 7 WHERE id = 9;
SELECT subject, value FROM sdc.risk_report('broad', (SELECT array_agg('c' || j) FROM generate_series(1, 200) AS j)::sdc.columns,
  measures => 'subset_k_anonymity', params => '{"m": 1, "worst": 1}');
SELECT value FROM sdc.risk_report('broad', (SELECT array_agg('c' || j) FROM generate_series(1, 200) AS j)::sdc.columns,
  measures => 'k_anonymity');
-- all pairs of 70 columns, by GROUP BY; all eights are too many
WITH value AS (SELECT b.id, x.key, x.value FROM broad AS b, jsonb_each(to_jsonb(b) - 'id') AS x
  WHERE substr(x.key, 2)::int > 130),
class AS (SELECT a.key AS one, b.key AS other, count(*) AS n FROM value AS a JOIN value AS b ON a.id = b.id AND substr(a.key, 2)::int < substr(b.key, 2)::int
          GROUP BY a.key, b.key, a.value, b.value),
pair AS (SELECT one || ', ' || other AS subject, min(n) AS k FROM class GROUP BY one, other)
SELECT count(*), bool_and(r.value = p.k) AS same, (SELECT count(*) FROM pair WHERE k < 2) AS alone, count(*) FILTER (WHERE r.value < 2) AS found
FROM sdc.risk_report('broad', (SELECT array_agg('c' || j) FROM generate_series(131, 200) AS j)::sdc.columns,
  measures => 'subset_k_anonymity', params => '{"worst": 1000}') AS r JOIN pair AS p USING (subject);
SELECT subject FROM sdc.risk_report('broad', (SELECT array_agg('c' || j) FROM generate_series(1, 200) AS j)::sdc.columns,
  measures => 'subset_k_anonymity', params => '{"m": 8}');
SELECT sdc.separation('broad', (SELECT array_agg('c' || j) FROM generate_series(1, 65) AS j)::sdc.columns);
-- each column, and each pair of 70 columns
CREATE TABLE record AS SELECT to_jsonb(b) AS v FROM broad AS b;
SELECT max_size, count(*), bool_and(s.value = d.n / 60) AS same
FROM (VALUES (1, 1), (2, 131)) AS a (max_size, first),
  sdc.separation('broad', (SELECT array_agg('c' || j) FROM generate_series(first, 200) AS j)::sdc.columns,
    jsonb_build_object('max_size', max_size)) AS s,
  LATERAL (SELECT count(DISTINCT row(v -> split_part(s.subject, ', ', 1), v -> split_part(s.subject, ', ', 2)))::float8 AS n
    FROM record) AS d
WHERE s.measure = 'distinction' GROUP BY max_size ORDER BY 1;
DROP TABLE broad, record;

-- Names are written as SQL writes them.
CREATE TABLE quoted("a, b" int, "say ""hi""" int, "A" int, plain int);
SELECT sdc.declare('quoted', keys => ARRAY['a, b', 'say "hi"', 'A', 'plain']::name[]);
SELECT subject FROM sdc.separation('quoted', params => '{"max_size":1}')
WHERE measure = 'separation';

-- The order of rows changes nothing, nor who counts.
CREATE TABLE other_order AS TABLE people ORDER BY c, id DESC;
SELECT count(*) FROM (
  (SELECT * FROM sdc.separation('people', '{e,a,c}') EXCEPT ALL
   SELECT * FROM sdc.separation('other_order', '{e,a,c}'))
  UNION ALL
  (SELECT * FROM sdc.separation('other_order', '{e,a,c}') EXCEPT ALL
   SELECT * FROM sdc.separation('people', '{e,a,c}'))) AS differ;
CREATE TABLE by_rows AS SELECT * FROM sdc.separation('people', '{e,a,c}');
SET sdc.count_with = 'groups';
SELECT count(*) FROM (
  (SELECT * FROM sdc.separation('people', '{e,a,c}') EXCEPT ALL TABLE by_rows)
  UNION ALL
  (TABLE by_rows EXCEPT ALL SELECT * FROM sdc.separation('people', '{e,a,c}'))) AS differ;
RESET sdc.count_with;

-- The default is subsets of up to three; max_size may exceed the keys.
SELECT count(*) FROM sdc.separation('people', '{id,a,b,c,e}');
SELECT count(*) FROM sdc.separation('people', '{id,a,b,c,e}', '{"max_size":64}');
SELECT count(*) FROM sdc.separation('people', '{id,a,b,c,e}', '{"max_size":1}');

-- Few records, constant and empty columns.
SELECT * FROM sdc.separation('people', '{a}') LIMIT 0;
CREATE TABLE few(a int, b int);
SELECT * FROM sdc.separation('few', '{a,b}', '{"max_size":1}');
INSERT INTO few VALUES (1, NULL);
SELECT * FROM sdc.separation('few', '{a}');
INSERT INTO few VALUES (2, NULL);
SELECT * FROM sdc.separation('few', '{a,b}', '{"max_size":1}');
INSERT INTO few SELECT 2, NULL FROM generate_series(1, 2);
SELECT measure, subject, value, detail FROM sdc.separation('few', '{b,a}', '{"max_size":1}');

-- arguments
SELECT * FROM sdc.separation(NULL, '{a}');
SELECT * FROM sdc.separation('few');
SELECT * FROM sdc.separation('few', '{}');
SELECT * FROM sdc.separation('few', '{a,a}');
SELECT * FROM sdc.separation('few', '{x}');
SELECT * FROM sdc.separation('few', '{a}', '{"size":1}');
SELECT * FROM sdc.separation('few', '{a}', '{"max_size":0}');
SELECT * FROM sdc.separation('few', '{a}', '{"max_size":"2"}');
DO $$
BEGIN
  EXECUTE format('CREATE TABLE wide(%s)',
    (SELECT string_agg('c' || i || ' int', ',') FROM generate_series(1, 65) AS i));
END $$;
SELECT count(*) FROM sdc.separation('wide',
  (SELECT array_agg('c' || i)::name[] FROM generate_series(1, 39) AS i));
SELECT count(*) FROM sdc.separation('wide',
  (SELECT array_agg('c' || i)::name[] FROM generate_series(1, 40) AS i));
SELECT count(*) FROM sdc.separation('wide',
  (SELECT array_agg('c' || i)::name[] FROM generate_series(1, 65) AS i), '{"max_size":1}');

-- rights: those of a query, and row-level security is told
CREATE ROLE regress_sdc_separation;
GRANT SELECT (a) ON few TO regress_sdc_separation;
SET ROLE regress_sdc_separation;
SELECT value FROM sdc.separation('few', '{a}');
SELECT value FROM sdc.separation('few', '{b}');
RESET ROLE;
GRANT SELECT ON few TO regress_sdc_separation;
ALTER TABLE few ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON few USING (a = 2);
SET ROLE regress_sdc_separation;
SELECT measure, value, detail FROM sdc.separation('few', '{a}');
RESET ROLE;

SET client_min_messages = warning;
SELECT sdc.declare('sal_original'), sdc.declare('quoted');
DROP VIEW measured, sal_generalized;
DROP TABLE sal_original, people, other_order, by_rows, quoted, few, wide;
DROP FUNCTION expected, smallest;
DROP ROLE regress_sdc_separation;
