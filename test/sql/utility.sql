-- utility: sdc.utility_report against the formulas in plain SQL.

CREATE TABLE ut_original(id int, a float8, b float8);
INSERT INTO ut_original VALUES (1,10,1),(2,20,3),(3,30,2),(4,40,5),(5,50,4),(6,60,6);
CREATE TABLE ut_masked(id int, a float8, b float8);
INSERT INTO ut_masked VALUES (1,12,1),(2,18,2),(3,33,3),(4,40,4),(5,47,5),(6,62,6);

-- EX-UT-1: IL1s 0.163785; EX-UT-2: correlation 0.105869; eigen 0.9825; pMSE 0.000201
SELECT measure, subject, round(value::numeric, 6) AS value
FROM sdc.utility_report('ut_original', 'ut_masked', 'id', measures => '{information_loss,correlation,eigenvalues,pmse,relative_squared_error,relative_change}');

-- every sentence once
SELECT DISTINCT ON (measure) measure, detail
FROM sdc.utility_report('ut_original', 'ut_masked', 'id') WITH ORDINALITY AS r(measure, subject, value, detail, example, n)
ORDER BY measure, n;

-- a relation has lost nothing of itself; loss counts 1 / |A| for single values
SELECT measure, subject, value FROM sdc.utility_report('ut_original', 'ut_original', 'id')
WHERE value <> 0 AND measure NOT LIKE 'pmse\_%';

-- exactly nothing, whatever the order of its rows
CREATE TABLE same AS SELECT i AS id, 1e9 + sqrt(i) AS a, ln(i) AS b, i % 7 / 3.0 AS c FROM generate_series(1, 3000) AS i;
CREATE TABLE again AS SELECT * FROM same ORDER BY md5(id::text);
SELECT count(*) AS lines, count(*) FILTER (WHERE value <> 0) AS not_zero
FROM sdc.utility_report('same', 'again', 'id') WHERE measure NOT IN ('records', 'loss', 'ambiguity') AND measure NOT LIKE 'pmse%';
SELECT value < 1e-25 AS pmse FROM sdc.utility_report('same', 'again', 'id', measures => '{pmse}') WHERE measure = 'pmse';

-- numbers, categories, dates and NULLs against plain SQL
CREATE TABLE x AS
SELECT i AS id, (i * 7919 % 1009)::float8 / 7 AS num, 1e9 + (i * 104729 % 503) AS big,
       CASE WHEN i % 11 > 0 THEN (i * 31 % 97)::int END AS hole,
       chr(97 + i * i % 5) AS cat, date '2020-01-01' + i % 50 AS day, i % 3 = 0 AS flag
FROM generate_series(1, 400) AS i;
CREATE TABLE y AS
SELECT id, num + (id % 7 - 3) * 1.5 AS num, big + id % 4 AS big,
       CASE WHEN id % 13 > 0 THEN hole + id % 2 END AS hole,
       CASE WHEN id % 9 = 0 THEN 'z' WHEN id % 8 > 0 THEN cat END AS cat, day + id % 3 AS day,
       flag <> (id % 10 = 0) AS flag
FROM x WHERE id % 50 <> 7;
CREATE VIEW report AS
SELECT * FROM sdc.utility_report('x', 'y', 'id', params => '{"bins": 4, "smoothing": 0.5}');
CREATE TABLE r AS SELECT * FROM report;
SELECT measure, subject, round(value::numeric, 6) AS value FROM r WHERE subject IN ('all columns', 'cat') ORDER BY 2, 1;

CREATE FUNCTION near(text, text, float8) RETURNS text LANGUAGE sql AS
$$ SELECT CASE WHEN count(*) = 1 THEN max(CASE WHEN abs(value - $3) <= 1e-9 * (1 + abs($3)) THEN 'same' ELSE 'differs' END)
              ELSE 'rows: ' || count(*) END
   FROM r WHERE measure = $1 AND subject = $2 $$;

SELECT near('information_loss', 'num', avg(abs(x.num - y.num)) / (sqrt(2) * (SELECT stddev(num) FROM x))) AS information_loss,
       near('value_change', 'num', avg(2 / pi() * atan(abs(x.num - y.num) / (SELECT stddev(num) FROM x)))) AS value_change,
       near('relative_squared_error', 'num', sum((x.num - y.num) ^ 2) / (var_pop(x.num) * count(*))) AS relative_squared_error,
       near('information_loss', 'hole', avg(abs(x.hole - y.hole)) / (sqrt(2) * (SELECT stddev(hole) FROM x))) AS nulls,
       near('information_loss', 'big', avg(abs(x.big - y.big)) / (sqrt(2) * (SELECT stddev(big - 1e9) FROM x))) AS large,
       near('information_loss', 'day', avg(abs(x.day - y.day)) / (sqrt(2) * (SELECT stddev(day - date '2020-01-01') FROM x))::float8) AS days,
       near('value_change', 'cat', avg((x.cat IS DISTINCT FROM y.cat)::int)) AS categories,
       near('value_change', 'flag', avg((x.flag <> y.flag)::int)) AS booleans
FROM x JOIN y USING (id);

SELECT near('mean', 'num', abs(a.m - b.m) / a.m) AS mean,
       near('variance', 'num', abs(a.v - b.v) / a.v) AS variance,
       near('mean', 'hole', abs(a.h - b.h) / a.h) AS nulls,
       near('variance', 'big', abs(a.big - b.big) / a.big) AS large
FROM (SELECT avg(num) AS m, variance(num) AS v, avg(hole) AS h, variance(big - 1e9) AS big FROM x) AS a,
     (SELECT avg(num) AS m, variance(num) AS v, avg(hole) AS h, variance(big - 1e9) AS big FROM y) AS b;
WITH a AS (SELECT corr(num, big - 1e9) AS nb, corr(num, hole) AS nh, corr(num, day - date '2020-01-01') AS nd, covar_samp(num, hole) AS ch,
                  covar_samp(num, big - 1e9) AS cb, covar_samp(num, day - date '2020-01-01') AS cd FROM x),
     b AS (SELECT corr(num, big - 1e9) AS nb, corr(num, hole) AS nh, corr(num, day - date '2020-01-01') AS nd, covar_samp(num, hole) AS ch,
                  covar_samp(num, big - 1e9) AS cb, covar_samp(num, day - date '2020-01-01') AS cd FROM y)
SELECT near('correlation', 'num', (abs(a.nb - b.nb) + abs(a.nh - b.nh) + abs(a.nd - b.nd)) / 3) AS correlation,
       near('covariance', 'num', (abs(a.cb / b.cb - 1) * abs(b.cb / a.cb) + abs(1 - b.ch / a.ch) + abs(1 - b.cd / a.cd)) / 3) AS covariance
FROM a, b;

-- tables: categories with NULL as one more
WITH n AS (SELECT coalesce(cat, 'NULL') AS cat, count(*)::float8 AS n FROM x GROUP BY 1), m AS (SELECT coalesce(cat, 'NULL') AS cat, count(*)::float8 AS m FROM y GROUP BY 1),
     c AS (SELECT coalesce(n, 0) AS n, coalesce(m, 0) AS m FROM n FULL JOIN m USING (cat)),
     s AS (SELECT sum(n) AS n, sum(m) AS m, count(*) AS k FROM c)
SELECT near('hellinger', 'cat', sqrt(sum((sqrt(c.n / s.n) - sqrt(c.m / s.m)) ^ 2) / 2)) AS hellinger,
       near('total_variation', 'cat', sum(abs(c.n / s.n - c.m / s.m)) / 2) AS tv,
       near('kullback_leibler', 'cat', sum((c.n + 0.5) / (s.n + k / 2.0) * ln((c.n + 0.5) / (s.n + k / 2.0) * (s.m + k / 2.0) / (c.m + 0.5)))) AS kl
FROM c, s;
-- and intervals: cut before the values of rank floor(n b / 4)
WITH cut AS (SELECT array_agg(num ORDER BY b) AS at FROM (SELECT num, row_number() OVER (ORDER BY num) - 1 AS rank FROM x) AS q JOIN generate_series(1, 3) AS b ON rank = 400 * b / 4),
     n AS (SELECT width_bucket(num, at) AS w, count(*)::float8 AS n FROM x, cut GROUP BY 1),
     m AS (SELECT width_bucket(num, at) AS w, count(*)::float8 AS m FROM y, cut GROUP BY 1)
SELECT near('total_variation', 'num', sum(abs(n / 400 - m / (SELECT count(*) FROM y))) / 2) AS tv FROM n FULL JOIN m USING (w);

-- all tables of one and two columns, and those that a column is in
WITH c(f, a) AS (SELECT 0, ARRAY[coalesce(cat, 'NULL'), flag::text] FROM x UNION ALL SELECT 1, ARRAY[coalesce(cat, 'NULL'), flag::text] FROM y),
     t(k, f, cell) AS (SELECT 1, f, a[1:1] FROM c UNION ALL SELECT 2, f, a[2:2] FROM c UNION ALL SELECT 3, f, a FROM c),
     n AS (SELECT k, cell, count(*) FILTER (WHERE f = 0) / 400.0 AS p, count(*) FILTER (WHERE f = 1) / 392.0 AS q FROM t GROUP BY 1, 2),
     d AS (SELECT k, sqrt(sum((sqrt(p) - sqrt(q)) ^ 2) / 2) AS h FROM n GROUP BY 1)
SELECT r.subject, abs(r.value - (SELECT avg(h) FROM d WHERE r.subject = 'all columns' OR k = 3 OR k = CASE r.subject WHEN 'cat' THEN 1 ELSE 2 END)) < 1e-12 AS same
FROM sdc.utility_report('x', 'y', columns => '{cat,flag}', measures => '{tables}') AS r WHERE measure = 'tables' ORDER BY 1;

-- pMSE of one category is that of the shares of its values
SELECT round(value::numeric, 10) = (
    SELECT round(sum(c * (s - (SELECT count(*) FROM y)::numeric / (SELECT count(*) FROM (TABLE x UNION ALL TABLE y) u)) ^ 2) / sum(c), 10)
    FROM (SELECT count(*) AS c, avg(side) AS s FROM (SELECT cat, 0 AS side FROM x UNION ALL SELECT cat, 1 FROM y) u GROUP BY cat) AS q) AS same,
    substring(detail FROM '; .*') AS detail
FROM sdc.utility_report('x', 'y', 'id', '{cat}', '{pmse}') WHERE measure = 'pmse';

-- the order of rows changes nothing, not even the last digit
CREATE TABLE x2 AS SELECT * FROM x ORDER BY md5(id::text);
CREATE TABLE y2 AS SELECT * FROM y ORDER BY num, md5(id::text);
SELECT count(*) AS lines, count(*) FILTER (WHERE a IS DISTINCT FROM b) AS differ
FROM (SELECT measure, subject, value AS a FROM r WHERE measure <> 'records') AS a(measure, subject, a)
FULL JOIN (SELECT measure, subject, value AS b FROM sdc.utility_report('x2', 'y2', 'id', params => '{"bins": 4, "smoothing": 0.5}') WHERE measure <> 'records') AS b USING (measure, subject);

-- worst columns first
SELECT count(*) FILTER (WHERE value > before) AS out_of_order
FROM (SELECT value, lag(value) OVER (PARTITION BY measure ORDER BY n) AS before
      FROM sdc.utility_report('x', 'y', 'id') WITH ORDINALITY AS q(measure, subject, value, detail, example, n)
      WHERE subject <> 'all columns' AND measure <> 'precision') AS q;

-- without an id nothing is paired; the columns are those of both
SELECT DISTINCT measure FROM sdc.utility_report('x', 'y') ORDER BY 1;
SELECT measure, value, detail FROM sdc.utility_report('x', 'y', columns => '{num}', measures => '{information_loss,mean}');

-- EX-NCP-1: 0.392157 / 0.166667 / 1, together 0.519608
CREATE TABLE inp(id int PRIMARY KEY, zip text, age int, nation text, disease text);
INSERT INTO inp VALUES (1,'13053',28,'Russian','Heart Disease'),(2,'13068',29,'American','Heart Disease'),(3,'13068',21,'Japanese','Viral Infection'),(4,'13053',23,'American','Viral Infection'),(5,'14853',50,'Indian','Cancer'),(6,'14853',55,'Russian','Heart Disease'),(7,'14850',47,'American','Viral Infection'),(8,'14850',49,'American','Viral Infection'),(9,'13053',31,'American','Cancer'),(10,'13053',37,'Indian','Cancer'),(11,'13068',36,'Japanese','Cancer'),(12,'13068',35,'American','Cancer');
CREATE VIEW inp3 AS SELECT id, left(zip,4)||'*' AS zip, CASE WHEN age<=40 THEN '[21,37]' ELSE '[47,55]' END AS age, '*' AS nation, disease FROM inp;
SELECT sdc.create_hierarchy('ut_zip', 'prefix', '{"length": 5}');
SELECT measure, subject, round(value::numeric, 6) AS value
FROM sdc.utility_report('inp', 'inp3', 'id', '{age,zip,nation}', '{certainty_penalty,loss,precision,height,entropy,ambiguity,discernibility,average_class,normalized_average_class}',
    '{"hierarchies": {"zip": "ut_zip"}, "keys": ["zip", "age", "nation"], "k": 4}');
-- labels that the hierarchy lacks: no mean that leaves the column out
CREATE VIEW inp4 AS SELECT id, left(zip,4)||'-' AS zip, age, '*' AS nation FROM inp;
SELECT measure, subject, value, detail
FROM sdc.utility_report('inp', 'inp4', 'id', '{age,zip,nation}', '{certainty_penalty,precision,ambiguity}',
    '{"hierarchies": {"zip": "ut_zip"}}') ORDER BY measure, subject NULLS FIRST;
DROP VIEW inp4;
-- the same by the definition: bits, and products of leaves
SELECT round(sum(log(2.0, a) + log(2.0, z) - log(2.0, za) - log(2.0, zz) + log(2.0, 12) - log(2.0, n)), 6) AS entropy,
       round(avg(la * lz * 4), 6) AS ambiguity
FROM (SELECT count(*) OVER (PARTITION BY age <= 40)::numeric AS a, count(*) OVER (PARTITION BY left(zip, 4))::numeric AS z,
             count(*) OVER (PARTITION BY age)::numeric AS za, count(*) OVER (PARTITION BY zip)::numeric AS zz, count(*) OVER (PARTITION BY nation)::numeric AS n,
             CASE WHEN age <= 40 THEN 8 ELSE 4 END AS la, CASE WHEN zip LIKE '14%' THEN 2 ELSE 1 END AS lz FROM inp) AS q;

-- ranges of PostgreSQL, labels, and what they do as numbers
CREATE VIEW ranged AS SELECT id, CASE WHEN age > 40 THEN '[47,56)' ELSE '[21,38)' END::int4range AS age FROM inp;
CREATE VIEW labelled AS SELECT id, CASE WHEN age < 30 THEN '<30' WHEN age < 40 THEN '30-39' ELSE '>=40' END AS age FROM inp;
SELECT 'ranged' AS file, measure, value FROM sdc.utility_report('inp', 'ranged', 'id', '{age}', '{certainty_penalty,information_loss}') WHERE subject = 'age'
UNION ALL
SELECT 'labelled', measure, value FROM sdc.utility_report('inp', 'labelled', 'id', '{age}', '{certainty_penalty,information_loss}') WHERE subject = 'age';
SELECT avg(CASE WHEN age < 30 THEN 29 - 21 WHEN age < 40 THEN 9 ELSE 55 - 40 END) / 34 AS ncp,
       avg(abs(age - CASE WHEN age < 30 THEN 25 WHEN age < 40 THEN 34.5 ELSE 47.5 END)) / (sqrt(2) * stddev(age)) AS information_loss FROM inp;

-- NULLs that were there are not suppressed; more of them are
SELECT value FROM sdc.utility_report('x', 'x', 'id', '{hole}', '{certainty_penalty}') WHERE subject = 'hole';
SELECT round(value::numeric, 10) = (SELECT round(((SELECT count(*) FROM y WHERE hole IS NULL) - (SELECT count(*) FROM x WHERE hole IS NULL))::numeric / count(*), 10) FROM y) AS share
FROM sdc.utility_report('x', 'y', 'id', '{hole}', '{certainty_penalty}') WHERE subject = 'hole';
-- a record that is gone is suppressed, too
SELECT measure, value FROM sdc.utility_report('x', 'y', 'id', '{cat}', '{discernibility,average_class}', '{"keys": "cat"}') WHERE measure <> 'records';
SELECT sum(c * c) FILTER (WHERE cat IS NOT NULL) + 400 * (sum(c) FILTER (WHERE cat IS NULL) + 8) AS discernibility,
       avg(c) FILTER (WHERE cat IS NOT NULL) AS average_class
FROM (SELECT cat, count(*) AS c FROM y GROUP BY 1) AS q;

-- queries, answered by both; EX-CT-1: at most 5, on average 23/12
CREATE TABLE ct(zip text, band int, n int, noisy int);
INSERT INTO ct VALUES ('53703',1,200,205),('53703',2,11,8),('53703',3,10,9),('53703',4,5,7),('53706',1,18,19),('53706',2,5,8),('53706',3,65,66),('53706',4,200,201),('53715',1,60,59),('53715',2,100,97),('53715',3,100,98),('53715',4,40,40);
CREATE VIEW ct_original AS SELECT zip, band FROM ct, generate_series(1, n);
CREATE VIEW ct_masked AS SELECT zip, band FROM ct, generate_series(1, noisy);
SELECT measure, subject, round(value::numeric, 6) AS value
FROM sdc.utility_report('ct_original', 'ct_masked', measures => '{queries}',
    params => (SELECT jsonb_build_object('queries', jsonb_agg(jsonb_build_object('zip', zip, 'band', band) ORDER BY zip, band)) FROM ct))
WHERE measure <> 'queries' OR value >= 3;
SELECT subject, value, detail
FROM sdc.utility_report('x', 'y', 'id', measures => '{queries}', params => '{"queries": [
    {"num": [20, 60], "flag": true}, {"cat": ["a", "b"], "hole": [10, 50]}, {"hole": null}, {"day": ["2020-01-05", "2020-01-09"]},
    {"cat": "no such"}, {}, {"hole": 17}, {"cat": null, "flag": false}]}') WHERE measure = 'queries';
SELECT count(*) FILTER (WHERE num BETWEEN 20 AND 60 AND flag) AS q1, count(*) FILTER (WHERE cat IN ('a', 'b') AND hole BETWEEN 10 AND 50) AS q2,
       count(*) FILTER (WHERE hole IS NULL) AS q3, count(*) FILTER (WHERE day BETWEEN '2020-01-05' AND '2020-01-09') AS q4,
       count(*) AS q6, count(*) FILTER (WHERE hole = 17) AS q7, count(*) FILTER (WHERE cat IS NULL AND NOT flag) AS q8 FROM y;
-- a range meets a condition by its share: 13 of the 17 ages from 21 to 37
SELECT detail FROM sdc.utility_report('inp', 'ranged', 'id', '{age}', '{queries}', '{"queries": [{"age": [25, 40]}]}') WHERE measure = 'queries';
SELECT 8 * 13 / 17.0 AS expected;

-- columns that are no numbers though they look so
SELECT measure, subject, value FROM sdc.utility_report('x', 'y', 'id', '{hole}', '{information_loss,value_change}', '{"categories": ["hole"]}');
WITH v AS (SELECT h, dense_rank() OVER (ORDER BY h) AS k FROM (SELECT hole FROM x UNION SELECT hole FROM y) AS q(h) WHERE h IS NOT NULL)
SELECT abs(value - (SELECT avg(CASE WHEN x.hole IS NULL AND y.hole IS NULL THEN NULL WHEN x.hole IS NULL OR y.hole IS NULL THEN 1
                                    ELSE abs(a.k - b.k) / ((SELECT max(k) FROM v) - 1.0) END)
                    FROM x JOIN y USING (id) LEFT JOIN v AS a ON a.h = x.hole LEFT JOIN v AS b ON b.h = y.hole)) < 1e-12 AS ranks
FROM sdc.utility_report('x', 'y', 'id', '{hole}', '{value_change}', '{"ordinal": "hole"}') WHERE subject = 'hole';

-- one row, a constant, an empty table: a defined answer
CREATE TABLE one AS SELECT * FROM x WHERE id = 1;
CREATE TABLE none AS SELECT * FROM x WHERE false;
CREATE TABLE still AS SELECT id, 0.1::float8 AS num, 'c' AS cat FROM x;
SELECT count(*) > 20 AS lines, count(*) FILTER (WHERE value <> 0 AND measure NOT IN ('records', 'loss', 'ambiguity')) AS other FROM sdc.utility_report('one', 'one', 'id');
SET client_min_messages = error;
SELECT count(*) > 20 AS lines, count(value) FILTER (WHERE measure NOT IN ('records', 'eigenvalues')) AS known FROM sdc.utility_report('none', 'none', 'id');
SELECT count(*) > 20 AS lines, count(*) FILTER (WHERE value IS NULL) > 10 AS unknown FROM sdc.utility_report('x', 'none', 'id');
SELECT count(*) > 20 AS lines FROM sdc.utility_report('none', 'x', 'id');
RESET client_min_messages;
SELECT measure, subject, value FROM sdc.utility_report('still', 'still', 'id', measures => '{information_loss,variance,correlation,eigenvalues,tables,pmse}');

-- names that must be quoted, a domain, a partitioned table
CREATE DOMAIN "ut Age" AS int;
CREATE TABLE "Ut ""q"" t" ("The id" int, "a'; DROP" "ut Age", "b""" text) PARTITION BY RANGE ("The id");
CREATE TABLE ut_part PARTITION OF "Ut ""q"" t" FOR VALUES FROM (0) TO (100);
INSERT INTO "Ut ""q"" t" SELECT i, i % 10, 'v' || i % 3 FROM generate_series(1, 60) AS i;
SELECT measure, subject, round(value::numeric, 6) AS value FROM sdc.utility_report('"Ut ""q"" t"', 'ut_part', 'The id', measures => '{information_loss,value_change,tables}');

-- declared roles
SELECT sdc.declare('inp', id => 'id', keys => '{zip,age}');
SELECT measure, subject, value FROM sdc.utility_report('inp', 'inp', columns => '{age}', measures => '{information_loss,average_class}');
SELECT sdc.declare('inp');

-- errors
\set SHOW_CONTEXT never
SELECT * FROM sdc.utility_report(NULL, 'x');
SELECT * FROM sdc.utility_report('x', NULL);
SELECT * FROM sdc.utility_report('x', 'y', 'nothing');
SELECT * FROM sdc.utility_report('x', 'y', 'id', '{}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', '{num,num}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', '{nothing}');
SELECT * FROM sdc.utility_report('x', 'inp', 'id', '{num}');
SELECT * FROM sdc.utility_report('x', 'y', 'cat', '{num}');
CREATE TABLE ids_one AS SELECT i AS id, i::float8 AS num FROM generate_series(1, 200) AS i;
CREATE TABLE ids_twice AS SELECT * FROM ids_one UNION ALL SELECT 7, 1;
CREATE TABLE ids_beside AS SELECT * FROM ids_one UNION ALL SELECT 300, 1 UNION ALL SELECT 300, 2;
CREATE TABLE ids_nameless AS SELECT * FROM ids_one UNION ALL SELECT NULL, 1;
CREATE TABLE ids_nobody AS SELECT * FROM ids_one WHERE false;
SELECT * FROM sdc.utility_report('ids_twice', 'ids_one', 'id');
SELECT * FROM sdc.utility_report('ids_beside', 'ids_one', 'id');
SELECT * FROM sdc.utility_report('ids_nameless', 'ids_one', 'id');
SELECT measure, value FROM sdc.utility_report('ids_one', 'ids_nobody', 'id', measures => '{value_change}') WHERE measure = 'records';
DROP TABLE ids_one, ids_twice, ids_beside, ids_nameless, ids_nobody;
SELECT * FROM sdc.utility_report('x', 'y', 'id', measures => '{}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', measures => '{nothing}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', params => '{"nothing": 1}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', params => '{"order": 4}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', params => '{"bins": 1}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', params => '{"categories": "nothing"}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', params => '{"keys": ["nothing"]}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', params => '{"hierarchies": {"nothing": "h"}}');
SELECT * FROM sdc.utility_report('inp', 'inp3', 'id', '{zip}', params => '{"hierarchies": {"zip": "nothing"}}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', params => '{"queries": {"num": 1}}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', params => '{"queries": []}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', params => '{"queries": [{"nothing": 1}]}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', params => '{"queries": [{"num": [1]}]}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', params => '{"queries": [{"num": [3, 1]}]}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', params => '{"queries": [{"num": true}]}');
SELECT * FROM sdc.utility_report('x', 'y', 'id', params => '{"queries": ["1 = 1"]}');
CREATE TABLE nan AS SELECT 1 AS id, 'NaN'::float8 AS num;
SELECT * FROM sdc.utility_report('nan', 'nan', 'id');

SELECT sdc.drop_hierarchy('ut_zip');
DROP FUNCTION near(text, text, float8);
DROP VIEW report, inp3, ranged, labelled, ct_original, ct_masked;
DROP TABLE ut_original, ut_masked, same, again, x, y, x2, y2, r, inp, ct, one, none, still, nan, "Ut ""q"" t";
DROP DOMAIN "ut Age";

-- models that learn from each relation: against sdc.classify of a control
CREATE TABLE folk AS
SELECT i AS id, i * 7919 % 50 AS age, 'r' || i * 31 % 5 AS region,
       CASE WHEN i * 7919 % 50 > 25 THEN 'old' WHEN i % 40 > 0 THEN 'young' END AS kind,
       (i * 7919 % 50) * 10.0 + i * 104729 % 40 AS pay
FROM generate_series(1, 1200) AS i;
CREATE TABLE folk_control AS SELECT * FROM folk WHERE id > 900;
DELETE FROM folk WHERE id > 900;
CREATE TABLE folk_made AS
SELECT row_number() OVER (ORDER BY md5(id::text)) AS id, age, region,
       CASE WHEN id % 4 = 0 THEN 'young' ELSE kind END AS kind, pay FROM folk;
SELECT variant, m.measure, m.value, m.value = h.value AS as_classified
FROM unnest('{nb,tree}'::text[]) AS variant, LATERAL sdc.utility_report('folk', 'folk_made', columns => '{age,region,kind,pay}',
    measures => '{accuracy_loss}', params => jsonb_build_object('control', 'folk_control', 'predict', 'kind', 'variant', variant)) AS m,
    LATERAL (SELECT avg((label = kind)::int) AS value FROM folk_control AS c JOIN sdc.classify(
        CASE m.measure WHEN 'accuracy_masked' THEN 'folk_made' ELSE 'folk' END::regclass, 'folk_control', 'id', '{age,region,pay}', '{kind}', variant) AS l
        ON l.id = c.id::text WHERE kind IS NOT NULL) AS h
WHERE m.subject = 'kind' AND m.measure IN ('accuracy_masked', 'accuracy_original') ORDER BY 1, 2;
SELECT value = (SELECT avg((kind = frequent)::int) FROM folk_control, (SELECT mode() WITHIN GROUP (ORDER BY kind) AS frequent FROM folk) AS f) AS baseline
FROM sdc.utility_report('folk', 'folk', columns => '{age,kind}', measures => '{accuracy_loss}', params => '{"control": "public.folk_control", "predict": ["kind"]}')
WHERE measure = 'accuracy_baseline' AND subject = 'kind';
-- with an id nobody is asked about whom the masked records have taught; without one
-- a model that memorises is told apart only by the sentence
CREATE TABLE lots AS SELECT i AS id, (i * 104729 % 7001) / 7.0 AS x, 'k' || ('x' || substr(md5(i::text), 1, 2))::bit(8)::int % 4 AS k FROM generate_series(1, 800) AS i;
SELECT named, max(value) FILTER (WHERE measure = 'accuracy_loss') AS loss, max(value) FILTER (WHERE measure = 'accuracy_masked') > 0.4 AS memorised,
    max(detail) FILTER (WHERE measure = 'accuracy_masked') AS detail
FROM (VALUES (name 'id')) AS v (named), LATERAL sdc.utility_report('lots', 'lots', named, '{x,k}', '{accuracy_loss}', '{"predict": "k", "variant": "tree"}', 1)
WHERE subject = 'all columns' GROUP BY named;
SELECT max(value) FILTER (WHERE measure = 'accuracy_loss') < -0.1 AS loss, max(value) FILTER (WHERE measure = 'accuracy_masked') > 0.4 AS memorised,
    max(detail) FILTER (WHERE measure = 'accuracy_masked') AS detail
FROM sdc.utility_report('lots', 'lots', NULL, '{x,k}', '{accuracy_loss}', '{"predict": "k"}', 1) WHERE subject = 'all columns';
-- the order of the rows does not matter; the seed deals the parts; declared sensitive columns are predicted
CREATE TABLE lots_turned AS SELECT * FROM lots ORDER BY md5(id::text);
SELECT count(*) AS differ FROM (
    SELECT r FROM sdc.utility_report('folk', 'folk_made', columns => '{age,region,kind,pay}', measures => '{accuracy_loss}', seed => 1) AS r
    EXCEPT SELECT r FROM sdc.utility_report('folk', (SELECT 'folk_made'::regclass), columns => '{age,region,kind,pay}', measures => '{accuracy_loss}', seed => 1) AS r) AS d;
SELECT count(DISTINCT value) FROM unnest('{lots,lots_turned}'::regclass[]) AS relation,
    LATERAL sdc.utility_report(relation, 'lots', 'id', '{x,k}', '{accuracy_loss}', seed => 1) WHERE measure = 'accuracy_original' AND subject = 'all columns';
SELECT sdc.declare('folk', id => 'id', keys => '{age,region}', sensitive => '{pay}');
SELECT measure, subject FROM sdc.utility_report('folk', 'folk_made', measures => '{accuracy_loss}') WHERE measure = 'accuracy_loss';
SELECT sdc.declare('folk');
SELECT measure, value, detail FROM sdc.utility_report('folk', 'folk_made', columns => '{pay}', measures => '{accuracy_loss}') WHERE measure <> 'records';
CREATE TABLE nobody AS TABLE folk WITH NO DATA;
SELECT measure, subject, value FROM sdc.utility_report('folk', 'nobody', columns => '{age,kind}', measures => '{accuracy_loss}', params => '{"predict": "kind"}') WHERE measure <> 'records';
SELECT measure, subject, value FROM sdc.utility_report('nobody', 'folk', columns => '{age,kind}', measures => '{accuracy_loss}', params => '{"predict": "kind"}') WHERE measure <> 'records';
SELECT * FROM sdc.utility_report('folk', 'folk_made', columns => '{age,kind}', measures => '{accuracy_loss}', params => '{"predict": "pay"}');
SELECT * FROM sdc.utility_report('folk', 'folk_made', columns => '{age,kind}', measures => '{accuracy_loss}', params => '{"variant": "oracle"}');
SELECT * FROM sdc.utility_report('folk', 'folk_made', columns => '{age,kind}', measures => '{accuracy_loss}', params => '{"control": "nowhere"}');
SELECT * FROM sdc.utility_report('folk', 'folk_made', columns => '{age,kind}', measures => '{accuracy_loss}', params => '{"control": "lots"}');
-- the control is read as the caller
CREATE ROLE regress_learner;
GRANT SELECT ON folk, folk_made TO regress_learner;
GRANT USAGE ON SCHEMA sdc TO regress_learner;
SET ROLE regress_learner;
SELECT count(*) FROM sdc.utility_report('folk', 'folk_made', columns => '{age,kind}', measures => '{accuracy_loss}', params => '{"predict": "age"}');
SELECT * FROM sdc.utility_report('folk', 'folk_made', columns => '{age,kind}', measures => '{accuracy_loss}', params => '{"control": "folk_control"}');
RESET ROLE;
DROP TABLE folk, folk_made, folk_control, lots, lots_turned, nobody;
REVOKE ALL ON SCHEMA sdc FROM regress_learner;
DROP ROLE regress_learner;
