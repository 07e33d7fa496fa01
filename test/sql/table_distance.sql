-- table_distance: against the formulas in plain SQL, over all cells.

CREATE TABLE ct(zip text, band int, n int, noisy int);
INSERT INTO ct VALUES ('53703',1,200,205),('53703',2,11,8),('53703',3,10,9),('53703',4,5,7),('53706',1,18,19),('53706',2,5,8),('53706',3,65,66),('53706',4,200,201),('53715',1,60,59),('53715',2,100,97),('53715',3,100,98),('53715',4,40,40);
CREATE VIEW ct_original AS SELECT zip, band FROM ct, generate_series(1, n);
CREATE VIEW ct_masked AS SELECT zip, band FROM ct, generate_series(1, noisy);

-- EX-CT-1..4: L1 23, max 5, Hellinger 0.023059, KL 0.002078, TV 0.013688
SELECT method, round(sdc.table_distance('ct_original', 'ct_masked', '{zip,band}', method)::numeric, 6) AS distance
FROM unnest('{l1,max,mean,hellinger,kullback_leibler,total_variation,absroot,relative}'::text[]) AS method;
SELECT round(avg(abs(sqrt(n) - sqrt(noisy)))::numeric, 6) AS absroot, round(avg(abs(n - noisy)::numeric / n), 6) AS relative FROM ct;

-- no distance from itself, by the default method too
SELECT sdc.table_distance('ct_original', 'ct_original', '{zip,band}') AS same,
       max(sdc.table_distance('ct_masked', 'ct_masked', '{band}', method, '{"smoothing": 0.5}')) AS all_same
FROM unnest('{l1,max,mean,hellinger,kullback_leibler,total_variation,absroot,relative}'::text[]) AS method;

-- empty cells and NULLs: every combination of the values that occur is a cell
CREATE TABLE a AS SELECT nullif(i % 5, 4) AS u, chr(97 + i * i % 5) AS v FROM generate_series(1, 47) AS i;
CREATE TABLE b AS SELECT nullif(i % 4, 3) AS u, chr(97 + i * i % 8) AS v FROM generate_series(1, 31) AS i;
CREATE TABLE cell AS
WITH u AS (SELECT u FROM a UNION SELECT u FROM b), v AS (SELECT v FROM a UNION SELECT v FROM b)
SELECT (SELECT count(*) FROM a WHERE a.u IS NOT DISTINCT FROM u.u AND a.v = v.v)::float8 AS n,
       (SELECT count(*) FROM b WHERE b.u IS NOT DISTINCT FROM u.u AND b.v = v.v)::float8 AS m FROM u, v;
SELECT count(*) AS cells, count(*) FILTER (WHERE n = 0 AND m = 0) > 0 AS empty FROM cell;
WITH s AS (SELECT sum(n) AS n, sum(m) AS m, count(*) AS k FROM cell),
     right_one AS (
        SELECT unnest('{l1,max,mean,hellinger,total_variation,absroot,relative}'::text[]) AS method, unnest(ARRAY[
            sum(abs(c.n - c.m)), max(abs(c.n - c.m)), avg(abs(c.n - c.m)),
            sqrt(sum((sqrt(c.n / s.n) - sqrt(c.m / s.m)) ^ 2) / 2), sum(abs(c.n / s.n - c.m / s.m)) / 2,
            avg(abs(sqrt(c.n) - sqrt(c.m))), avg(abs(c.n - c.m) / nullif(c.n, 0))]) AS distance
        FROM cell AS c, s)
SELECT method, abs(sdc.table_distance('a', 'b', '{u,v}', method) - distance) < 1e-12 AS same FROM right_one;
WITH s AS (SELECT sum(n + 0.5) AS n, sum(m + 0.5) AS m FROM cell)
SELECT sdc.table_distance('a', 'b', '{u,v}', 'kullback_leibler') AS kl,
       abs(sdc.table_distance('a', 'b', '{u,v}', 'kullback_leibler', '{"smoothing": 0.5}') -
           sum((c.n + 0.5) / s.n * ln((c.n + 0.5) / s.n * s.m / (c.m + 0.5)))) < 1e-12 AS smoothed FROM cell AS c, s;

-- rows in another order, and counted by PostgreSQL
CREATE TABLE a2 AS SELECT * FROM a ORDER BY v, u DESC;
SET sdc.count_with = groups;
SELECT sdc.table_distance('a2', 'b', '{u,v}') AS by_groups \gset
SET sdc.count_with = rows;
SELECT sdc.table_distance('a', 'b', '{u,v}') = :by_groups AS same;
RESET sdc.count_with;

-- an empty table has counts, but no shares
CREATE TABLE none AS SELECT * FROM a WHERE false;
SELECT method, sdc.table_distance('a', 'none', '{u,v}', method) AS distance
FROM unnest('{l1,max,hellinger,kullback_leibler,total_variation,relative}'::text[]) AS method;
SELECT sdc.table_distance('none', 'none', '{u,v}', 'l1') AS l1, sdc.table_distance('none', 'none', '{u,v}', 'mean') AS mean;

-- errors
\set SHOW_CONTEXT never
SELECT sdc.table_distance(NULL, 'b', '{u}');
SELECT sdc.table_distance('a', NULL, '{u}');
SELECT sdc.table_distance('a', 'b', NULL);
SELECT sdc.table_distance('a', 'b', '{u}', NULL);
SELECT sdc.table_distance('a', 'b', '{}');
SELECT sdc.table_distance('a', 'b', '{u,u}');
SELECT sdc.table_distance('a', 'b', '{w}');
SELECT sdc.table_distance('a', 'b', '{u}', 'chi');
SELECT sdc.table_distance('a', 'b', '{u}', params => '{"smooth": 1}');
SELECT sdc.table_distance('a', 'b', '{u}', params => '{"smoothing": -1}');
CREATE TABLE other AS SELECT u::text, v FROM a;
SELECT sdc.table_distance('a', 'other', '{u}');

DROP VIEW ct_original, ct_masked;
DROP TABLE ct, a, b, a2, cell, none, other;
