-- partition_agreement: aggregates on two sets of labels, against all pairs.

-- EX-CL: 0.714286, 0.333333, 0.738095, 0.304348
CREATE TABLE cl(id int, l1 int, l2 int);
INSERT INTO cl VALUES (1,1,1),(2,1,1),(3,1,2),(4,2,2),(5,2,2),(6,2,2),(7,3,3),(8,3,1);
SELECT round(sdc.rand_index(l1, l2)::numeric, 6) AS rand,
       round(sdc.jaccard_index(l1, l2)::numeric, 6) AS jaccard,
       round(sdc.f_measure(l1, l2)::numeric, 6) AS f,
       round(sdc.adjusted_rand(l1, l2)::numeric, 6) AS adjusted
FROM cl;

-- any type, and both types may differ
SELECT sdc.rand_index(l1, l2) = sdc.rand_index('label ' || l1, l2 * 1.5) AS same FROM cl;

-- by group and by all pairs in plain SQL; NULL is a label
CREATE TABLE labels AS
SELECT g, i AS id, nullif(i * 7919 % (3 + g), 1) AS a, nullif(i * i % 11 % (2 + g), 0) AS b
FROM generate_series(1, 3) AS g, generate_series(1, 120) AS i;
WITH pairs AS (
    SELECT x.g, x.a IS NOT DISTINCT FROM y.a AS a, x.b IS NOT DISTINCT FROM y.b AS b
    FROM labels AS x JOIN labels AS y ON x.g = y.g AND x.id < y.id),
counted AS (
    SELECT g, count(*) FILTER (WHERE a AND b)::float8 AS joined,
           count(*) FILTER (WHERE a)::float8 AS a,
           count(*) FILTER (WHERE b)::float8 AS b, count(*)::float8 AS n
    FROM pairs GROUP BY g)
SELECT l.g,
       abs(sdc.rand_index(l.a, l.b) - min((n - c.a - c.b + 2 * joined) / n)) < 1e-12 AS rand,
       abs(sdc.jaccard_index(l.a, l.b) - min(joined / (c.a + c.b - joined))) < 1e-12 AS jaccard,
       abs(sdc.adjusted_rand(l.a, l.b)
           - min((joined - c.a * c.b / n) / ((c.a + c.b) / 2 - c.a * c.b / n))) < 1e-12 AS adjusted
FROM labels AS l JOIN counted AS c USING (g) GROUP BY l.g ORDER BY l.g;
SELECT x.g, abs(sdc.f_measure(x.a, x.b) - (
    SELECT sum(share * best) FROM (
        SELECT max(f.n1) / 120.0 AS share, max(2.0 * n / (n1 + n2)) AS best
        FROM (SELECT a, b, count(*) AS n,
                     (SELECT count(*) FROM labels AS o WHERE o.g = x.g AND o.a IS NOT DISTINCT FROM l.a) AS n1,
                     (SELECT count(*) FROM labels AS o WHERE o.g = x.g AND o.b IS NOT DISTINCT FROM l.b) AS n2
              FROM labels AS l WHERE l.g = x.g GROUP BY a, b) AS f
        GROUP BY a) AS parts)) < 1e-12 AS f
FROM labels AS x GROUP BY x.g ORDER BY x.g;

-- nothing, one row, all alike, all different
SELECT sdc.rand_index(i, i) AS rand, sdc.f_measure(i, i) AS f FROM generate_series(1, 0) AS i;
SELECT sdc.rand_index(i, i) AS rand, sdc.jaccard_index(i, i) AS jaccard,
       sdc.adjusted_rand(i, i) AS adjusted, sdc.f_measure(i, i) AS f FROM generate_series(1, 1) AS i;
SELECT sdc.rand_index(1, 2) AS rand, sdc.jaccard_index(1, 2) AS jaccard,
       sdc.adjusted_rand(1, 2) AS adjusted, sdc.f_measure(1, 2) AS f FROM generate_series(1, 5);
SELECT sdc.rand_index(i, -i) AS rand, sdc.jaccard_index(i, -i) AS jaccard,
       sdc.adjusted_rand(i, -i) AS adjusted, sdc.f_measure(i, -i) AS f FROM generate_series(1, 5) AS i;

-- workers give the same
CREATE TABLE many AS
SELECT i % 7 AS a, i * 7919 % 10007 % 9 AS b FROM generate_series(1, 100000::bigint) AS i;
ANALYZE many;
SELECT sdc.adjusted_rand(a, b) AS alone FROM many \gset
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT sdc.adjusted_rand(a, b) = :alone AS same FROM many;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- errors
SELECT sdc.rand_index(ROW(l1, id), l2) FROM cl;

DROP TABLE cl, labels, many;
