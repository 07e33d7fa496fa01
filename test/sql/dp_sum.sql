-- dp_sum: private sums.
-- Sums of whole numbers within -1 .. 1 with epsilon 1024 round to another once
-- in 1e222; other sums are compared within 50 scales of the noise.

\set SHOW_CONTEXT never

CREATE SCHEMA dp_sum;
SET search_path = dp_sum, public;
CREATE TABLE people AS
SELECT i AS id, i % 7 - 3 AS whole, sin(i) * 100 AS real,
       nullif(i % 10, 0) AS age
FROM generate_series(1, 1000) AS i;
CREATE TABLE nobody (LIKE people);

-- Sums of clipped values: the noise of whole ones is rounded away.
SELECT sum(greatest(-1, least(1, whole))) AS expected,
       round(sdc.dp_sum(whole, -1, 1, 1024)::numeric) AS int4,
       round(sdc.dp_sum(whole::smallint, -1, 1, 1024)::numeric) AS int2,
       round(sdc.dp_sum(whole::bigint, -1, 1, 1024)::numeric) AS int8,
       round(sdc.dp_sum(whole::numeric, -1, 1, 1024)::numeric) AS numeric,
       pg_typeof(sdc.dp_sum(whole, -1, 1, 1)) AS type
FROM people;
SELECT abs(sdc.dp_sum(real, -50, 100, 1000) - sum(greatest(-50, least(100, real)))) < 50 * 0.1 AS float8,
       abs(sdc.dp_sum(real::numeric, -50, 100, 1000) - sum(greatest(-50, least(100, real)))) < 50 * 0.1 AS numeric
FROM people;
-- Neighbours are a setting; replaced values need noise for the whole width.
SET sdc.dp_neighbours = replace;
SELECT round(sdc.dp_sum(whole, 0, 1, 1024)::numeric) AS replace,
       sum(greatest(0, least(1, whole))) AS expected,
       abs(sdc.dp_sum(real, -50, 100, 1000) - sum(greatest(-50, least(100, real)))) < 50 * 0.15 AS float8
FROM people;
SELECT abs(avg(s)) < 4.9 * sqrt(512 / 5000.0) AS mean,
       abs(var_samp(s) / 512 - 1) < 4.9 * sqrt(5 / 5000.0) AS variance
FROM (SELECT sdc.dp_sum(0::float8, -5, 3, 0.5) AS s
      FROM generate_series(1, 5000) AS g GROUP BY g) q;
RESET sdc.dp_neighbours;

-- Whatever the order of rows and the workers, the sum is the same.
SELECT DISTINCT s.sum FROM generate_series(1, 5) AS round,
    LATERAL (SELECT round(sdc.dp_sum(whole, -1, 1, 1024)::numeric) AS sum
             FROM (SELECT whole FROM people ORDER BY md5((id * round)::text)) p) s;
CREATE FUNCTION plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF line ~ 'Aggregate|Gather' THEN
            RETURN NEXT btrim(line, ' ->');
        END IF;
    END LOOP;
END $$;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT plan_of('SELECT sdc.dp_sum(whole, -1, 1, 1024) FROM people WHERE id % 3 > 0');
SELECT round(sdc.dp_sum(whole, -1, 1, 1024)::numeric) AS workers_2 FROM people WHERE id % 3 > 0;
SET max_parallel_workers_per_gather = 4;
SELECT round(sdc.dp_sum(whole, -1, 1, 1024)::numeric) AS workers_4 FROM people WHERE id % 3 > 0;
-- Where no worker finds a row the parameters are known all the same.
SELECT round(sdc.dp_sum(whole, -1, 1, 1024)::numeric) AS none, sdc.dp_count(1024) AS rows,
       round(sdc.dp_avg(real, 5, 5, 1)::numeric) AS mean,
       sdc.dp_median(real, 7, 7, 1) AS median FROM people WHERE id + 0 < 0;
SELECT sdc.dp_sum(whole, 1, 0, 1024) FROM people WHERE id + 0 < 0;
SELECT sdc.dp_sum(whole, 1, 0, 1024) FROM people;
PREPARE asked(float8) AS SELECT sdc.dp_count(id, $1) FROM people WHERE id + 0 < 0;
SET plan_cache_mode = force_generic_plan;
EXECUTE asked(1024);
EXECUTE asked(-1);
RESET plan_cache_mode;
DEALLOCATE asked;
-- By groups, over a table of partitions.
CREATE TABLE parted (id int, half int, real float8) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (500);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (500) TO (2000);
INSERT INTO parted SELECT id, id % 2, real FROM people;
ANALYZE parted;
SET enable_partitionwise_aggregate = on;
SELECT half, round(sdc.dp_sum(id, 0, 2000, 1024) / 400) AS sum,
       round(sum(id) / 400.0) AS expected, sdc.dp_count(1024) AS count
FROM parted GROUP BY half ORDER BY half;
SELECT sdc.dp_count(1024) AS count FROM parted WHERE id < -5;
SELECT sdc.dp_count(1024) AS count, round(sdc.dp_avg(half, 0, 1, 1024)::numeric, 2) AS mean FROM parted WHERE id + 0 < 0 OR true;
RESET enable_partitionwise_aggregate;
-- Moments and medians of workers.
SELECT abs(sdc.dp_avg(real, -100, 100, 1000) - avg(real)) < 0.1 AS mean,
       abs(sdc.dp_stddev(real, -100, 100, 1000) - stddev_pop(real)) < 0.1 AS deviation,
       abs(sdc.dp_median(id, 0, 1001, 100) - 500) < 10 AS median FROM people;
SET sdc.dp_cells = 64;
SELECT abs(sdc.dp_median(id, 0, 1001, 100) - 500) < 20 AS median,
       sdc.dp_median(id, 0, 1001, 100) * 64 / 1001 - floor(sdc.dp_median(id, 0, 1001, 100) * 64 / 1001) AS middle
FROM people;
RESET sdc.dp_cells;
SET max_parallel_workers_per_gather = 0;
SELECT round(sdc.dp_sum(whole, -1, 1, 1024)::numeric) AS workers_0,
       sum(greatest(-1, least(1, whole))) AS expected FROM people WHERE id % 3 > 0;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- No order makes 1e16 - 1e16 lose anything but what the grid rounds.
SELECT bool_and(abs(s) < 50 * 1e16 / 1024) AS order_free
FROM (SELECT sdc.dp_sum(x, -1e16, 1e16, 1024) AS s
      FROM (VALUES (1, '{1e16,1,-1e16}'::float8[]), (2, '{1,1e16,-1e16}'),
                   (3, '{1e16,-1e16,1}')) AS v(o, a), unnest(a) AS x
      GROUP BY o) q;

-- NULL and NaN are left out; infinities are clipped; -0 and the least double
-- are numbers. Nothing in the data is an error.
SELECT abs(sdc.dp_sum(x, -1, 2, 1024) - 3) < 0.1 AS float8
FROM unnest('{NULL,NaN,Infinity,-Infinity,-0,4.9e-324,1.7e308}'::float8[]) AS x;
SELECT abs(sdc.dp_sum(x, -1, 2, 1024) - 3) < 0.1 AS numeric
FROM unnest(ARRAY[NULL, 'NaN', 1e300, -1e300, 0, 1e-300, 1e308]::numeric[]) AS x;
SELECT round(sdc.dp_sum(x, -1, 1, 1024)::numeric) AS int8
FROM unnest('{NULL,9223372036854775807,-9223372036854775808,9223372036854775807}'::bigint[]) AS x;
SELECT sdc.dp_sum(x, 0, 4611686018427387904, 1024) BETWEEN 46116860184273879040 - 3e17
           AND 46116860184273879040 + 3e17 AS beyond_64_bits
FROM (SELECT 4611686018427387904 AS x FROM generate_series(1, 10)) s;

-- Empty input.
SELECT round(sdc.dp_sum(whole, -1, 1, 1024)::numeric) AS int4,
       abs(sdc.dp_sum(real, -1, 1, 1024)) < 0.1 AS float8,
       abs(sdc.dp_sum(real::numeric, -1, 1, 1024)) < 0.1 AS numeric FROM nobody;
SELECT round(sdc.dp_sum(NULL::int, -1, 1, 1024)::numeric) AS nulls,
       round((sdc.dp_sum(whole, -1, 1, 1024) FILTER (WHERE false))::numeric) AS filtered FROM people;

-- Equal bounds still need noise, for the number of rows is private; bounds 0
-- and 0 do not. -0 is never returned.
SELECT count(DISTINCT s) > 1 AS noisy,
       max(z) AS zero, bool_and(z::text = '0') AS no_sign
FROM (SELECT sdc.dp_sum(whole, 2, 2, 0.1) AS s,
             sdc.dp_sum(real, 0, 0, 1) AS z
      FROM people GROUP BY id % 50) q;

-- Bounds at the ends of double precision.
SELECT abs(sdc.dp_sum(real, -1e308, 1e308, 1e-3)) < 'Infinity' AS wide,
       abs(sdc.dp_sum(real, 0, 4.9e-324, 1)) < 1e-300 AS narrow FROM people;
SET sdc.dp_neighbours = replace;
SELECT sdc.dp_sum(real, -1e308, 1e308, 1) FROM people;
SELECT count(DISTINCT s) > 1 AS noisy
FROM (SELECT sdc.dp_sum(whole, 2, 2, 0.1) AS s FROM people GROUP BY id % 50) q;
RESET sdc.dp_neighbours;

-- Errors, the same with and without rows.
SELECT sdc.dp_sum(whole, 1, 0, 1) FROM people;
SELECT sdc.dp_sum(whole, 1, 0, 1) FROM nobody;
SELECT sdc.dp_sum(real, 1, 0.5, 1) FROM nobody;
SELECT sdc.dp_sum(real, NULL, 1, 1) FROM people;
SELECT sdc.dp_sum(real, NULL, 1, 1) FROM nobody;
SELECT sdc.dp_sum(real, 0, NULL, 1) FROM nobody;
SELECT sdc.dp_sum(real, 0, 'NaN', 1) FROM people;
SELECT sdc.dp_sum(real, 0, 'NaN', 1) FROM nobody;
SELECT sdc.dp_sum(real, '-Infinity', 1, 1) FROM nobody;
SELECT sdc.dp_sum(real, 0, 1, 0) FROM nobody;
SELECT sdc.dp_sum(real, 0, 1, NULL) FROM nobody;
SET sdc.dp_neighbours = 'both';
SELECT sdc.dp_sum(real, 0, age, 1) FROM people;
SELECT sdc.dp_sum(real, 0, age, 1) FROM nobody;
SELECT sdc.dp_sum(DISTINCT real, 0, 1, 1) FROM people;
SELECT sdc.dp_sum(DISTINCT real, 0, 1, 1) FROM nobody;
SELECT sdc.dp_sum(real, 0, 1, 1) OVER (ORDER BY id) FROM people;

-- The noise is that of the bounds: mean and variance 2 (5 / 0.5)^2 = 200.
SELECT abs(avg(s)) < 4.9 * sqrt(200 / 5000.0) AS mean,
       abs(var_samp(s) / 200 - 1) < 4.9 * sqrt(5 / 5000.0) AS variance
FROM (SELECT sdc.dp_sum(0::float8, -5, 3, 0.5) AS s
      FROM generate_series(1, 5000) AS g GROUP BY g) q;

SET client_min_messages = warning;
DROP SCHEMA dp_sum CASCADE;
