-- dp_moments: private mean, variance and standard deviation.
-- Compared within many scales of the noise, or by properties that hold always.

\set SHOW_CONTEXT never

CREATE SCHEMA dp_moments;
SET search_path = dp_moments, public;
CREATE TABLE people AS
SELECT i AS id, 50 + 30 * sin(i) AS income, i % 10 AS age
FROM generate_series(1, 5000) AS i;
CREATE TABLE nobody (LIKE people);

-- Epsilon 1000 on 5000 rows: noise of 1e-6 of the width.
SELECT abs(sdc.dp_avg(income, 0, 100, 1000) - avg(income)) < 0.01 AS avg,
       abs(sdc.dp_var(income, 0, 100, 1000) - var_pop(income)) < 0.1 AS var,
       abs(sdc.dp_stddev(income, 0, 100, 1000) - stddev_pop(income)) < 0.01 AS stddev,
       abs(sdc.dp_avg(income::numeric, 0, 100, 1000) - avg(income)) < 0.01 AS numeric,
       abs(sdc.dp_avg(age, 0, 10, 1000) - avg(age)) < 0.01 AS int4
FROM people;
SET sdc.dp_neighbours = replace;
SELECT abs(sdc.dp_avg(income, 0, 100, 1000) - avg(income)) < 0.01 AS avg,
       abs(sdc.dp_var(income, 0, 100, 1000) - var_pop(income)) < 0.1 AS var,
       abs(sdc.dp_stddev(income::numeric, 0, 100, 1000) - stddev_pop(income)) < 0.01 AS stddev
FROM people;
RESET sdc.dp_neighbours;
-- Values are clipped.
SELECT abs(sdc.dp_avg(income, 40, 60, 1000) - avg(greatest(40, least(60, income)))) < 0.01 AS avg,
       abs(sdc.dp_stddev(income, 40, 60, 1000) - stddev_pop(greatest(40, least(60, income)))) < 0.01 AS stddev
FROM people;
SELECT age, abs(sdc.dp_avg(income, 0, 100, 1000) - avg(income)) < 0.1 AS avg
FROM people GROUP BY age ORDER BY age;

-- Within what is possible, however little epsilon there is, also for no rows.
SELECT bool_and(a BETWEEN 10 AND 30) AS avg, bool_and(v BETWEEN 0 AND 100) AS var,
       bool_and(s BETWEEN 0 AND 10) AS stddev, count(a) AS never_null
FROM (SELECT sdc.dp_avg(income, 10, 30, 1e-3) AS a, sdc.dp_var(income, 10, 30, 1e-3) AS v,
             sdc.dp_stddev(income, 10, 30, 1e-3) AS s
      FROM people GROUP BY id % 100) q;
SELECT sdc.dp_avg(income, 10, 30, 1) BETWEEN 10 AND 30 AS avg,
       sdc.dp_var(income, 10, 30, 1) BETWEEN 0 AND 100 AS var,
       sdc.dp_stddev(income, 10, 30, 1) BETWEEN 0 AND 10 AS stddev FROM nobody;
SELECT sdc.dp_avg(income, 10, 30, 1) FILTER (WHERE false) IS NOT NULL AS filtered,
       sdc.dp_avg(NULL::float8, 10, 30, 1) IS NOT NULL AS nulls,
       sdc.dp_avg('NaN'::float8, 10, 30, 1) IS NOT NULL AS nans FROM people;

-- Odd values and bounds.
SELECT sdc.dp_avg(x, -1, 1, 1) BETWEEN -1 AND 1 AS float8,
       sdc.dp_var(x, -1.7e308, 1.7e308, 1) < 'Infinity' AS widest,
       sdc.dp_avg(x, -1.7e308, 1.7e308, 1) BETWEEN -1.7e308 AND 1.7e308 AS widest,
       sdc.dp_avg(x, 0, 4.9e-324, 1) <= 4.9e-324 AS narrowest
FROM unnest('{NULL,NaN,Infinity,-Infinity,-0,4.9e-324,1.7e308}'::float8[]) AS x;
SELECT sdc.dp_avg(x, -1, 1, 1) BETWEEN -1 AND 1 AS numeric
FROM unnest(ARRAY['NaN', 1e300, -1e300, 0]::numeric[]) AS x;
SELECT sdc.dp_avg(income, 7, 7, 1) AS avg, sdc.dp_var(income, 7, 7, 1) AS var,
       sdc.dp_stddev(income, 7, 7, 1) AS stddev FROM people;

-- Errors, the same with and without rows.
SELECT sdc.dp_avg(income, 1, 0, 1) FROM people;
SELECT sdc.dp_avg(income, 1, 0, 1) FROM nobody;
SELECT sdc.dp_var(income, NULL, 0, 1) FROM nobody;
SELECT sdc.dp_stddev(income, 0, 'Infinity', 1) FROM nobody;
SELECT sdc.dp_avg(income, 0, 1, 0) FROM nobody;
SELECT sdc.dp_avg(income, 0, age, 1) FROM people;
SELECT sdc.dp_avg(income, 0, age, 1) FROM nobody;
SELECT sdc.dp_var(DISTINCT income, 0, 1, 1) FROM people;
SELECT sdc.dp_stddev(income, 0, 1, 1) OVER () FROM people;

SET client_min_messages = warning;
DROP SCHEMA dp_moments CASCADE;
