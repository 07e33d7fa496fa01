-- loss: information_loss against the formula in plain SQL.

CREATE TABLE ut_original(id int, a float8, b float8);
INSERT INTO ut_original VALUES (1,10,1),(2,20,3),(3,30,2),(4,40,5),(5,50,4),(6,60,6);
CREATE TABLE ut_masked(id int, a float8, b float8);
INSERT INTO ut_masked VALUES (1,12,1),(2,18,2),(3,33,3),(4,40,4),(5,47,5),(6,62,6);

-- EX-UT-1: the mean over both columns is 0.163785
SELECT round(((sdc.information_loss(o.a, m.a) + sdc.information_loss(o.b, m.b)) / 2)::numeric, 6) AS information_loss
FROM ut_original o JOIN ut_masked m USING (id);

-- the same by the formula, for each column
SELECT abs(sdc.information_loss(o.a, m.a) - avg(abs(o.a - m.a)) / (sqrt(2) * stddev(o.a))) < 1e-14 AS a,
       abs(sdc.information_loss(o.b, m.b) - avg(abs(o.b - m.b)) / (sqrt(2) * stddev(o.b))) < 1e-14 AS b
FROM ut_original o JOIN ut_masked m USING (id);

-- pairs with a NULL do not count
SELECT sdc.information_loss(x, y) = (SELECT sdc.information_loss(x, y) FROM (VALUES (1, 2), (3, 3), (7, 4)) AS v(x, y)) AS same
FROM (VALUES (1, 2), (NULL, 1), (3, 3), (100, NULL), (7, 4), (NULL, NULL)) AS v(x, y);

-- nothing to compare; nothing changed; changed, but without a scale
SELECT sdc.information_loss(x, x) AS none FROM generate_series(1, 0) AS x;
SELECT sdc.information_loss(0.1, 0.1) AS same FROM generate_series(1, 10);
SELECT sdc.information_loss(5, 5) AS one_same, sdc.information_loss(5, 6) AS one_changed;
-- a sum of squares by differences of large numbers would not be exactly 0
SELECT sdc.information_loss(0.1, x) AS constant FROM generate_series(1, 10) AS x;

-- a large mean and a small spread, where sum(x^2) - sum(x)^2/n loses all digits
SELECT round(sdc.information_loss(1e9 + x, 1e9 + x + 1)::numeric, 10) =
       round((1 / (sqrt(2) * stddev(x)))::numeric, 10) AS stable
FROM generate_series(1, 100) AS x;

-- by group
SELECT g, round(sdc.information_loss(x, x + g)::numeric, 10) =
       round((g / (sqrt(2) * stddev(x)))::numeric, 10) AS same
FROM generate_series(1, 30) AS x, generate_series(0, 3) AS g
GROUP BY g ORDER BY g;

-- as a window aggregate the state must not be shared between rows
SELECT x, round(sdc.information_loss(x, y) OVER (ORDER BY x)::numeric, 6) AS information_loss
FROM (VALUES (1, 2), (2, 2), (4, 3)) AS v(x, y);

-- errors
SELECT sdc.information_loss(x, 1) FROM (VALUES (1), ('NaN'::float8)) AS v(x);
SELECT sdc.information_loss(1, x) FROM (VALUES (1), ('-infinity'::float8)) AS v(x);
SELECT sdc.information_loss(x, 1) FROM (VALUES (1e308), (-1e308)) AS v(x);
SELECT sdc_internal.il1s_accum('{1,2}', 1, 1);
SELECT sdc_internal.il1s_combine('{}', '{{0,0,0,0}}');
SELECT sdc_internal.il1s_final('{0,0,0,NULL}');

-- a state that somebody made up: more parts than there is room for
SELECT sdc_internal.il1s_accum(array_fill(1e6::float8, '{124}'), 1, 1);
SELECT sdc_internal.il1s_combine('{}', array_fill('NaN'::float8, '{124}'));
SELECT sdc_internal.il1s_final(array_fill(-2::float8, '{124}'));
SELECT sdc_internal.il1s_final(sdc_internal.il1s_accum(array_fill(40::float8, '{124}'), 1, 3)) > 0 AS survives;

-- the state argument of a direct call is not changed in place
CREATE TABLE state AS SELECT array_fill(0::float8, '{124}') AS s;
SELECT (sdc_internal.il1s_accum(s, 1, 2))[1:3] AS new, s[1:3] AS old FROM state;

-- workers give the same bits, and so does another order of the rows
CREATE TABLE many AS
SELECT (i * 7919 % 10007)::float8 / 7 AS x, (i * 104729 % 10007)::float8 / 3 AS y
FROM generate_series(1, 50000::bigint) AS i;
ANALYZE many;
SELECT sdc.information_loss(x, y) AS alone FROM many \gset
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT sdc.information_loss(x, y) FROM many;
SELECT sdc.information_loss(x, y) = :alone AS same FROM many;
SET max_parallel_workers_per_gather = 0;
SELECT sdc.information_loss(x, y ORDER BY md5(x::text), y) = :alone AS same FROM many;
SET max_parallel_workers_per_gather = 2;
SELECT abs(:alone * sqrt(2) * stddev(x) / avg(abs(x - y)) - 1) < 1e-12 AS right FROM many;

DROP TABLE ut_original, ut_masked, state, many;
