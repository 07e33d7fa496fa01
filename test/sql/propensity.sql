-- propensity: the pMSE, by closed forms and by its equations.

CREATE TABLE ut_original(id int, a float8, b float8);
INSERT INTO ut_original VALUES (1,10,1),(2,20,3),(3,30,2),(4,40,5),(5,50,4),(6,60,6);
CREATE TABLE ut_masked(id int, a float8, b float8);
INSERT INTO ut_masked VALUES (1,12,1),(2,18,2),(3,33,3),(4,40,4),(5,47,5),(6,62,6);

-- EX-UT: pMSE 0.000201, expected 0.020833, ratio 0.00965
SELECT measure, round(value::numeric, 6) AS value, detail FROM sdc.propensity('ut_original', 'ut_masked', '{a,b}');
-- a table cannot be told from itself
SELECT measure, round(value::numeric, 12) AS value FROM sdc.propensity('ut_original', 'ut_original', '{a,b}');

-- factors with all their products give every cell its own share
CREATE TABLE a AS SELECT i % 3 AS u, nullif(chr(97 + i * i % 7 % 3), 'c') AS v, i AS w FROM generate_series(1, 90) AS i;
CREATE TABLE b AS SELECT i % 3 AS u, nullif(chr(97 + i * i % 5 % 3), 'c') AS v, i + 5 AS w FROM generate_series(1, 60) AS i;
SELECT measure, abs(p.value - q.value) < 1e-10 AS same
FROM sdc.propensity('a', 'b', '{u,v}', params => '{"interactions": true, "categories": ["u"]}') AS p,
     (SELECT sum(c * (s - 0.4) ^ 2) / 150 AS value
      FROM (SELECT count(*) AS c, avg(side) AS s FROM (SELECT *, 0 AS side FROM a UNION ALL SELECT *, 1 FROM b) AS f GROUP BY u, v) AS g) AS q
WHERE measure = 'pmse';
-- so many parameters: (k - 1) (1 - c)^2 c / N
SELECT round(value::numeric, 12) = round((cells - 1) * 0.6 * 0.6 * 0.4 / 150, 12) AS expected
FROM sdc.propensity('a', 'b', '{u,v}', params => '{"interactions": true, "categories": "u"}'),
     (SELECT count(*) AS cells FROM (SELECT u, v FROM a UNION SELECT u, v FROM b) AS f) AS c
WHERE measure = 'pmse_expected';

-- values that only one relation has tell records apart: the limit is the answer
CREATE TABLE c AS SELECT 'x' AS u, w FROM a;
CREATE TABLE d AS SELECT 'y' AS u, w FROM a;
SELECT measure, round(value::numeric, 6) AS value, detail FROM sdc.propensity('c', 'd', '{u}') WHERE measure = 'pmse';
-- columns that say the same twice, or nothing, do not count
CREATE TABLE e AS SELECT w, 2 * w + 1 AS twice, 7 AS constant, CASE WHEN w % 4 = 0 THEN w END AS hole FROM a;
CREATE TABLE f AS SELECT w, 2 * w + 1 AS twice, 7 AS constant, CASE WHEN w % 3 = 0 THEN w END AS hole FROM b;
SELECT (SELECT value FROM sdc.propensity('e', 'f', '{w,twice,constant}') WHERE measure = 'pmse')::numeric(20,12) =
       (SELECT value FROM sdc.propensity('e', 'f', '{w}') WHERE measure = 'pmse')::numeric(20,12) AS same;
SELECT substring(detail FROM '\d+ parameters') AS with_missing FROM sdc.propensity('e', 'f', '{w,hole}') WHERE measure = 'pmse';
SELECT measure, value, detail FROM sdc.propensity('e', 'f', '{constant}');

-- the order of rows changes nothing
CREATE TABLE e2 AS SELECT * FROM e ORDER BY md5(w::text);
SELECT (SELECT value FROM sdc.propensity('e', 'f', '{w,hole}') WHERE measure = 'pmse') =
       (SELECT value FROM sdc.propensity('e2', 'f', '{w,hole}') WHERE measure = 'pmse') AS same;
CREATE TABLE none AS SELECT * FROM e WHERE false;
SELECT measure, value, detail FROM sdc.propensity('e', 'none', '{w}');

-- by a tree: what two columns show together and none alone
CREATE TABLE g AS SELECT i % 2 AS u, i % 2 AS v FROM generate_series(1, 200) AS i;
CREATE TABLE h AS SELECT i % 2 AS u, 1 - i % 2 AS v FROM generate_series(1, 201) AS i;
SELECT measure, round(value::numeric, 6) AS value, detail FROM sdc.propensity('g', 'h', '{u,v}') WHERE measure = 'pmse';
SELECT measure, round(value::numeric, 6) AS value, detail FROM sdc.propensity('g', 'h', '{u,v}', 'tree') WHERE measure = 'pmse_tree';
SELECT min(value) > 20 AS far FROM sdc.propensity('g', 'h', '{u,v}', 'tree') WHERE measure ~ 'ratio|standardized';
-- the order of the rows does not matter; the seed does; the report says the same
CREATE TABLE g2 AS SELECT i % 7 AS u, i * 7919 % 101 AS v FROM generate_series(1, 300) AS i;
CREATE TABLE h2 AS SELECT i % 6 AS u, i * 7907 % 97 AS v FROM generate_series(1, 250) AS i;
CREATE TABLE h3 AS SELECT * FROM h2 ORDER BY v, u;
SELECT array_agg(value ORDER BY measure) AS figures FROM sdc.propensity('g2', 'h2', '{u,v}', 'tree', '{"minbucket": 10}') \gset
SELECT array_agg(value ORDER BY measure) = :'figures' AS same FROM sdc.propensity('g2', 'h3', '{u,v}', 'tree', '{"minbucket": 10}');
SELECT array_agg(value ORDER BY measure) = :'figures' AS same_by_report
FROM sdc.utility_report('g2', 'h2', measures => '{pmse_tree}', params => '{"minbucket": 10}') WHERE measure <> 'records';
SELECT count(DISTINCT value) AS seeds FROM generate_series(1, 5) AS s, LATERAL sdc.propensity('g2', 'h2', '{u,v}', 'tree', seed => s) WHERE measure = 'pmse_tree_expected';
SELECT measure, value, detail FROM sdc.propensity('e', 'none', '{w}', 'tree');
SELECT measure, value, detail FROM sdc.propensity('e', 'f', '{constant}', 'tree');

-- errors
\set SHOW_CONTEXT never
SELECT * FROM sdc.propensity(NULL, 'b', '{u}');
SELECT * FROM sdc.propensity('a', NULL, '{u}');
SELECT * FROM sdc.propensity('a', 'b', NULL);
SELECT * FROM sdc.propensity('a', 'b', '{u}', 'forest');
SELECT * FROM sdc.propensity('a', 'b', '{u}', params => '{"levels": 3}');
SELECT * FROM sdc.propensity('a', 'b', '{u}', params => '{"max_levels": 1}');
SELECT * FROM sdc.propensity('a', 'b', '{u}', 'tree', '{"permutations": 1}');
CREATE TABLE many AS SELECT i AS u, i + 1 AS w FROM generate_series(1, 100) AS i;
SELECT * FROM sdc.propensity('many', 'many', '{u,w}', params => '{"categories": ["u", "w"], "interactions": true, "max_levels": 2000}');

DROP TABLE ut_original, ut_masked, a, b, c, d, e, f, e2, none, many, g, h, g2, h2, h3;
