-- dp_choose: one of several candidates by their scores, privately.
-- Tests of a distribution are wrong about once in a million runs.

\set SHOW_CONTEXT never

-- A score that is far above the others wins.
SELECT sdc.dp_choose('{a,b,c}'::text[], ARRAY[0, 1000, 1], 1, 1) AS flip,
       sdc.dp_choose('{a,b,c}'::text[], ARRAY[0, 1000, 1], 1, 1, variant => 'exponential') AS exponential,
       sdc.dp_choose(ARRAY[7, 8], ARRAY[1.5, -900], 0.5, 1, true) AS int4,
       sdc.dp_choose(ARRAY[DATE '2000-01-01'], ARRAY[0], 1, 1) AS one;
SELECT sdc.dp_choose(array_agg(region), array_agg(people::float8), 1, 1) AS rows
FROM (VALUES ('north', 100), ('south', 3000), ('west', 2)) AS v(region, people);

-- The laws, for scores 2, 1, 0, epsilon 2, sensitivity 1: weights 1, r, r^2
-- with r = exp(-1); when monotonic r = exp(-2). Permute and flip by cases.
CREATE FUNCTION flips(r float8) RETURNS float8[] LANGUAGE sql AS $$
    SELECT ARRAY[1 - b - c, b, c]
    FROM (SELECT r / 3 + (1 - r * r) / 3 * r / 2 AS b,
                 r * r / 3 + (1 - r) / 3 * r * r / 2 AS c) s
$$;
CREATE FUNCTION weights(r float8) RETURNS float8[] LANGUAGE sql AS $$
    SELECT ARRAY[1 / t, r / t, r * r / t] FROM (SELECT 1 + r + r * r AS t) s
$$;
CREATE FUNCTION statistic(seen text[], expected float8[]) RETURNS float8
LANGUAGE sql AS $$
    SELECT sum((coalesce(n, 0) - cardinality(seen) * p) ^ 2 / (cardinality(seen) * p))
    FROM unnest(expected) WITH ORDINALITY AS e(p, i)
    LEFT JOIN (SELECT s, count(*) AS n FROM unnest(seen) AS s GROUP BY s) c
           ON s = chr(96 + i::int)
$$;
-- 2 degrees: 27.6 is exceeded once in a million.
SELECT statistic(array_agg(f), flips(exp(-1))) < 27.6 AS flip,
       statistic(array_agg(fm), flips(exp(-2))) < 27.6 AS flip_monotonic,
       statistic(array_agg(e), weights(exp(-1))) < 27.6 AS exponential,
       statistic(array_agg(em), weights(exp(-2))) < 27.6 AS exponential_monotonic,
       statistic(array_agg(f), weights(exp(-1))) > 27.6 AS not_alike
FROM (SELECT sdc.dp_choose('{a,b,c}'::text[], '{2,1,0}'::float8[], 1, 2) AS f,
             sdc.dp_choose('{a,b,c}'::text[], '{2,1,0}'::float8[], 1, 2, true) AS fm,
             sdc.dp_choose('{a,b,c}'::text[], '{2,1,0}'::float8[], 1, 2, false, 'exponential') AS e,
             sdc.dp_choose('{a,b,c}'::text[], '{2,1,0}'::float8[], 1, 2, true, 'exponential') AS em
      FROM generate_series(1, 20000) AS g) q;

-- Scores that are too large are cut off, not refused.
SELECT sdc.dp_choose('{a,b}'::text[], '{-1e308,1e308}'::float8[], 1e-300, 1) AS wide;

-- Errors.
SELECT sdc.dp_choose(NULL::text[], '{1}'::float8[], 1, 1);
SELECT sdc.dp_choose('{a}'::text[], NULL::float8[], 1, 1);
SELECT sdc.dp_choose('{a}'::text[], '{1}'::float8[], NULL, 1);
SELECT sdc.dp_choose('{a}'::text[], '{1}'::float8[], 1, NULL);
SELECT sdc.dp_choose('{a}'::text[], '{1}'::float8[], 1, 1, NULL);
SELECT sdc.dp_choose('{a,b}'::text[], '{1}'::float8[], 1, 1);
SELECT sdc.dp_choose('{}'::text[], '{}'::float8[], 1, 1);
SELECT sdc.dp_choose('{a,NULL}'::text[], '{1,2}'::float8[], 1, 1);
SELECT sdc.dp_choose('{a,b}'::text[], '{1,NULL}'::float8[], 1, 1);
SELECT sdc.dp_choose('{a,b}'::text[], '{1,NaN}'::float8[], 1, 1);
SELECT sdc.dp_choose('{a,b}'::text[], '{1,Infinity}'::float8[], 1, 1);
SELECT sdc.dp_choose('{a}'::text[], '{1}'::float8[], 0, 1);
SELECT sdc.dp_choose('{a}'::text[], '{1}'::float8[], -1, 1);
SELECT sdc.dp_choose('{a}'::text[], '{1}'::float8[], 'NaN', 1);
SELECT sdc.dp_choose('{a}'::text[], '{1}'::float8[], 1, 0);
SELECT sdc.dp_choose('{a}'::text[], '{1}'::float8[], 1, 1, variant => 'noisy max');
SELECT sdc.dp_choose('{a}'::text[], '{1}'::float8[], 1, 1, variant => NULL);
DROP FUNCTION flips, weights, statistic;
