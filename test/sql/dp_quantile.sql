-- dp_quantile: private medians and quantiles.
-- Tests of a distribution are wrong about once in a million runs.

\set SHOW_CONTEXT never

CREATE SCHEMA dp_quantile;
SET search_path = dp_quantile, public;
CREATE TABLE people AS
SELECT i AS id, (i * 7919 % 10007)::float8 AS income, i % 10 AS age
FROM generate_series(1, 10006) AS i;
CREATE TABLE nobody (LIKE people);

-- With much epsilon the rank is right to a few records: incomes are 1 .. 10006.
SELECT abs(sdc.dp_median(income, 0, 10007, 100) - 5003) < 10 AS median,
       abs(sdc.dp_median(income::numeric, 0, 10007, 100) - 5003) < 10 AS numeric,
       abs(sdc.dp_median(id, 0, 10007, 100) - 5003) < 10 AS int4,
       abs(sdc.dp_quantile(0.9, 0, 10007, 100) WITHIN GROUP (ORDER BY income) - 9006) < 10 AS p90,
       abs(sdc.dp_quantile(0.9, 0, 10007, 100) WITHIN GROUP (ORDER BY income DESC) - 1001) < 10 AS p10,
       abs(sdc.dp_quantile(0.25, 0, 10007, 100)
           WITHIN GROUP (ORDER BY income::numeric) - 2502) < 10 AS p25
FROM people;
-- Neighbours and the number of cells are settings.
SET sdc.dp_neighbours = replace;
SET sdc.dp_cells = 1048576;
SELECT abs(sdc.dp_median(income, 0, 10007, 100) - 5003) < 10 AS median,
       abs(sdc.dp_quantile(0.25, 0, 10007, 100) WITHIN GROUP (ORDER BY income) - 2502) < 10 AS p25
FROM people;
SET sdc.dp_cells = 4;
SELECT sdc.dp_median(id, 0, 8, 1000) AS median,
       sdc.dp_quantile(0, 0, 8, 1000) WITHIN GROUP (ORDER BY id) AS least
FROM people WHERE id < 4;
RESET sdc.dp_cells;
RESET sdc.dp_neighbours;
-- Two quantiles with other bounds share nothing.
SELECT abs(sdc.dp_quantile(0.5, 0, 10007, 100) WITHIN GROUP (ORDER BY income) - 5003) < 10 AS a,
       abs(sdc.dp_quantile(0.5, 0, 20014, 100) WITHIN GROUP (ORDER BY income) - 5003) < 10 AS b
FROM people;
SELECT age, abs(sdc.dp_median(income, 0, 10007, 100) - percentile_disc(0.5) WITHIN GROUP (ORDER BY income)) < 50 AS near
FROM people GROUP BY age ORDER BY age;

-- EX-MED: {1, 2, 3, 10} in [0, 20]; the answer falls into the gaps with
-- probability proportional to their width and exp(-epsilon |j - n / 2|).
CREATE FUNCTION statistic(neighbours text, expected float8[]) RETURNS float8
LANGUAGE plpgsql AS $$BEGIN
    PERFORM set_config('sdc.dp_neighbours', neighbours, true),
            set_config('sdc.dp_cells', '4000', true);
    RETURN (WITH draw AS (
        SELECT sdc.dp_median(x, 0, 20, 1) AS m
        FROM generate_series(1, 4000) AS g, unnest('{1,2,3,10}'::float8[]) AS x
        GROUP BY g
    ), seen AS (
        SELECT width_bucket(m, '{1,2,3,10}'::float8[]) AS gap
        FROM draw
    )
    SELECT sum((coalesce(n, 0) - 4000 * p) ^ 2 / (4000 * p))
    FROM unnest(expected) WITH ORDINALITY AS e(p, i)
    LEFT JOIN (SELECT gap, count(*) AS n FROM seen GROUP BY gap) s ON gap = i - 1);
END$$;
-- 4 degrees: 33.4 is exceeded once in a million.
SELECT statistic('add_remove', '{0.0249,0.0677,0.1841,0.4741,0.2491}') < 33.4 AS ex_med_1,
       statistic('replace', '{0.0372,0.0613,0.1010,0.4289,0.3716}') < 33.4 AS ex_med_2,
       statistic('replace', '{0.0249,0.0677,0.1841,0.4741,0.2491}') > 33.4 AS not_alike;

-- No rows: uniform over the range. Tenths; 9 degrees, 45.1 once in a million.
WITH draw AS (
    SELECT width_bucket(sdc.dp_median(1, 0, 10, 1) FILTER (WHERE false), 0, 10, 10) AS cell
    FROM generate_series(1, 5000) AS g GROUP BY g
)
SELECT sum((coalesce(n, 0) - 500) ^ 2 / 500) < 45.1 AS plausible
FROM generate_series(1, 10) AS cell
LEFT JOIN (SELECT cell, count(*) AS n FROM draw GROUP BY cell) s USING (cell);
SELECT sdc.dp_median(income, 0, 10, 1) BETWEEN 0 AND 10 AS median,
       sdc.dp_quantile(0.1, 0, 10, 1) WITHIN GROUP (ORDER BY income) BETWEEN 0 AND 10 AS quantile
FROM nobody;

-- One and two values, ties, a value that is nearly all.
SELECT bool_and(sdc BETWEEN -3 AND 4) AS inside FROM (
    SELECT sdc.dp_median(x, -3, 4, 0.5) AS sdc
    FROM generate_series(1, 30) AS g, unnest('{1,100}'::float8[]) AS x
    WHERE x <= g * 5 GROUP BY g) q;
SELECT floor(sdc.dp_median(x, 0, 65536, 1)) AS zeros
FROM (SELECT 0 AS x FROM generate_series(1, 200000) UNION ALL SELECT 1) s;

-- Odd values and bounds.
SELECT sdc.dp_median(x, -1, 1, 1) BETWEEN -1 AND 1 AS float8,
       sdc.dp_median(x, -1.7e308, 1.7e308, 1) BETWEEN -1.7e308 AND 1.7e308 AS widest,
       sdc.dp_median(x, 0, 4.9e-324, 1) BETWEEN 0 AND 4.9e-324 AS narrowest,
       sdc.dp_median(x, 5, 5, 1) AS equal
FROM unnest('{NULL,NaN,Infinity,-Infinity,-0,4.9e-324,1.7e308}'::float8[]) AS x;
SELECT sdc.dp_median(x, -1, 1, 1) BETWEEN -1 AND 1 AS numeric
FROM unnest(ARRAY['NaN', 1e300, -1e300, 0]::numeric[]) AS x;
SELECT sdc.dp_quantile(0, 0, 10007, 100) WITHIN GROUP (ORDER BY income) < 10 AS least,
       sdc.dp_quantile(1, 0, 10007, 100) WITHIN GROUP (ORDER BY income) > 9997 AS most
FROM people;

-- Errors, the same with and without rows.
SELECT sdc.dp_median(income, 1, 0, 1) FROM people;
SELECT sdc.dp_median(income, 1, 0, 1) FROM nobody;
SET sdc.dp_cells = 1;
SET sdc.dp_cells = 2000000;
SELECT sdc.dp_median(income, 0, age, 1) FROM people;
SELECT sdc.dp_median(income, 0, age, 1) FROM nobody;
SELECT sdc.dp_median(DISTINCT income, 0, 1, 1) FROM people;
SELECT sdc.dp_median(income, 0, 1, 1) OVER () FROM people;
SELECT sdc.dp_quantile(-0.1, 0, 1, 1) WITHIN GROUP (ORDER BY income) FROM people;
SELECT sdc.dp_quantile(1.1, 0, 1, 1) WITHIN GROUP (ORDER BY income) FROM nobody;
SELECT sdc.dp_quantile('NaN', 0, 1, 1) WITHIN GROUP (ORDER BY income) FROM nobody;
SELECT sdc.dp_quantile(NULL, 0, 1, 1) WITHIN GROUP (ORDER BY income) FROM people;
SELECT sdc.dp_quantile(NULL, 0, 1, 1) WITHIN GROUP (ORDER BY income) FROM nobody;
SELECT sdc.dp_quantile(0.5, 0, NULL, 1) WITHIN GROUP (ORDER BY income) FROM nobody;
SELECT sdc.dp_quantile(0.5, 0, 1, NULL) WITHIN GROUP (ORDER BY income) FROM nobody;
SELECT age, sdc.dp_quantile(age / 10.0, 0, 1, 1) WITHIN GROUP (ORDER BY income)
FROM people GROUP BY age;
SELECT sdc.dp_quantile(random(), 0, 1, 1) WITHIN GROUP (ORDER BY income) FROM people;
SELECT sdc.dp_quantile(0.5, 0, 1, 1) WITHIN GROUP (ORDER BY income) OVER () FROM people;

SET client_min_messages = warning;
DROP SCHEMA dp_quantile CASCADE;
