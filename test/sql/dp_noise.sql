-- dp_noise: noise for one number; no result here depends on the noise.
-- Randomness cannot be seeded, so tests of a distribution are wrong about
-- once in a million runs, and the others far less often.

\set SHOW_CONTEXT never

-- Whole numbers stay whole, of whatever type.
SELECT pg_typeof(sdc.laplace(1, 1, 0.5)) AS int4,
       pg_typeof(sdc.laplace(1::smallint, 1, 0.5)) AS int2,
       pg_typeof(sdc.laplace(1::bigint, 1, 0.5)) AS int8,
       pg_typeof(sdc.laplace(1.5, 1, 0.5)) AS numeric,
       pg_typeof(sdc.laplace(1::real, 1, 0.5)) AS float4,
       pg_typeof(sdc.gaussian(1, 1, 0.5)) AS gaussian;

-- Epsilon 1024 and sensitivity 1: noise other than 0 once in 1e444.
SELECT sdc.laplace(42, 1, 1024) AS int4, sdc.laplace(42::bigint, 1, 1024) AS int8,
       sdc.laplace(42, 0, 0.001) AS none, sdc.gaussian(42, 0, 0.001) AS none,
       abs(sdc.laplace(42::float8, 1, 1024) - 42) < 0.1 AS near,
       abs(sdc.gaussian(42::float8, 1, 1024) - 42) < 1 AS near;

-- The law of a discrete Laplace variable with epsilon 1: Pearson's statistic
-- for -6 .. 6 and the two tails; 14 degrees, 57.4 is exceeded once in 3e6.
WITH draw AS (
    SELECT greatest(-7, least(7, sdc.laplace(0, 1, 1))) AS y
    FROM generate_series(1, 50000)
), law AS (
    SELECT y, 50000 * CASE WHEN abs(y) < 7
                           THEN (1 - exp(-1)) / (1 + exp(-1)) * exp(-abs(y))
                           ELSE exp(-7) / (1 + exp(-1)) END AS expected
    FROM generate_series(-7, 7) AS y
)
SELECT sum((coalesce(seen, 0) - expected) ^ 2 / expected) < 57.4 AS plausible
FROM law LEFT JOIN (SELECT y, count(*) AS seen FROM draw GROUP BY y) s USING (y);

-- The same test refuses noise of another scale.
WITH draw AS (
    SELECT greatest(-7, least(7, sdc.laplace(0, 1, 1.1))) AS y
    FROM generate_series(1, 50000)
), law AS (
    SELECT y, 50000 * CASE WHEN abs(y) < 7
                           THEN (1 - exp(-1)) / (1 + exp(-1)) * exp(-abs(y))
                           ELSE exp(-7) / (1 + exp(-1)) END AS expected
    FROM generate_series(-7, 7) AS y
)
SELECT sum((coalesce(seen, 0) - expected) ^ 2 / expected) > 57.4 AS refused
FROM law LEFT JOIN (SELECT y, count(*) AS seen FROM draw GROUP BY y) s USING (y);

-- Mean and spread of noise for doubles: scale 8, variance 128; variance 9.
SELECT abs(avg(l)) < 4.9 * sqrt(128 / 20000.0) AS laplace_mean,
       abs(var_samp(l) / 128 - 1) < 4.9 * sqrt(5 / 20000.0) AS laplace_variance,
       abs(avg(g)) < 4.9 * sqrt(9 / 20000.0) AS gaussian_mean,
       abs(var_samp(g) / 9 - 1) < 4.9 * sqrt(2 / 20000.0) AS gaussian_variance
FROM (SELECT sdc.laplace(0::float8, 2, 0.25) AS l, sdc.gaussian(0::float8, 3, 0.5) AS g
      FROM generate_series(1, 20000)) s;

-- Each row, column and execution has noise of its own; setseed changes none.
SELECT count(DISTINCT a) AS rows, bool_and(a <> b) AS columns
FROM (SELECT sdc.laplace(0::float8, 1, 1) AS a, sdc.laplace(0::float8, 1, 1) AS b
      FROM generate_series(1, 100)) s;
PREPARE noisy AS SELECT sdc.laplace(0::float8, 1, 1) AS x;
SET plan_cache_mode = force_generic_plan;
CREATE TEMPORARY TABLE seen (x float8);
INSERT INTO seen SELECT sdc.laplace(0::float8, 1, 1) FROM (SELECT setseed(0.42)) s;
INSERT INTO seen SELECT sdc.laplace(0::float8, 1, 1) FROM (SELECT setseed(0.42)) s;
CREATE TEMPORARY TABLE first AS EXECUTE noisy;
CREATE TEMPORARY TABLE second AS EXECUTE noisy;
INSERT INTO seen SELECT x FROM first UNION ALL SELECT x FROM second;
SELECT count(DISTINCT x) FROM seen;
RESET plan_cache_mode;
DEALLOCATE noisy;

-- All results for doubles lie on a grid that depends on the parameters only.
SELECT bool_and(x * 2 ^ 40 = floor(x * 2 ^ 40)) AS grid
FROM (SELECT sdc.laplace(v, 1, 1) AS x
      FROM unnest('{0,0.1,0.3333333333333333,1234.5678}'::float8[]) AS v,
           generate_series(1, 50)) s;

-- Results are finite and of 64 bits at most.
SELECT sdc.laplace(9223372036854775807, 1, 1024::float8) AS most,
       sdc.laplace((-9223372036854775808)::bigint, 1000000, 0.001)
           <= -9223372036854775808 + 1e12 AS least,
       sdc.laplace('Infinity'::float8, 1, 1) < 'Infinity' AS cut,
       abs(sdc.laplace(1.7e308::float8, 1.7e308, 1e-9)) < 'Infinity' AS finite,
       sdc.laplace(0::float8, 4.9e-324, 1) < 1e-300 AS tiny;

-- NULL stays NULL; parameters may not be NULL, NaN or out of range.
SELECT sdc.laplace(NULL::float8, 1, 1), sdc.gaussian(NULL::int, 1, 1);
SELECT sdc.laplace(1, NULL, 1);
SELECT sdc.laplace(1, 1, NULL);
SELECT sdc.laplace(NULL::float8, 1, NULL);
SELECT sdc.gaussian(1, 1, NULL);
SELECT sdc.laplace('NaN'::float8, 1, 1);
SELECT sdc.laplace(1, -1, 1);
SELECT sdc.laplace(1::float8, -0.5, 1);
SELECT sdc.laplace(1::float8, 'NaN', 1);
SELECT sdc.laplace(1::float8, 'Infinity', 1);
SELECT sdc.gaussian(1::float8, 'Infinity', 1);
SELECT e AS epsilon, count(sdc.laplace(1, 1, e)) FROM unnest('{0}'::float8[]) AS e GROUP BY e;
SELECT sdc.laplace(1, 1, -1);
SELECT sdc.laplace(1, 1, 'NaN');
SELECT sdc.laplace(1, 1, 'Infinity');
SELECT sdc.laplace(1, 1, 1e-320);
SELECT sdc.laplace(1, 1, 1e300);
SELECT sdc.gaussian(1, 1, 0);
SELECT sdc.gaussian(1, 1, 'NaN');
SELECT sdc.laplace(1, 4611686018427387904, 1);
SELECT sdc.gaussian(1::bigint, 4611686018427387904, 1);

-- Half widths: for Laplace noise ln(1 / (1 - confidence)) scales.
SELECT round(sdc.dp_halfwidth('laplace', 2, 0.5, 0.95)::numeric, 4) AS laplace,
       round(4 * ln(20.0), 4) AS expected,
       sdc.dp_halfwidth('discrete_laplace', 1, 1, 0.95) AS counts,
       round(sdc.dp_halfwidth('gaussian', 1, 0.5, 0.95)::numeric, 4) AS normal,
       sdc.dp_halfwidth('discrete_gaussian', 1, 0.5, 0.95) AS whole,
       sdc.dp_halfwidth('laplace', 0, 1, 0.95) AS none;
-- The least whole number, by the law: P(|Y| > w) = 2 r^(w + 1) / (1 + r).
SELECT count(*) AS compared, count(*) FILTER (WHERE
           2 * exp(-e * (w + 1)) / (1 + exp(-e)) > (1 - c) * (1 + 1e-9)
           OR w > 0 AND 2 * exp(-e * w) / (1 + exp(-e)) <= (1 - c) * (1 - 1e-9)) AS wrong
FROM (SELECT e, c, sdc.dp_halfwidth('discrete_laplace', 1, e, c) AS w
      FROM unnest('{0.01,0.1,1,3}'::float8[]) AS e,
           unnest('{0,0.5,0.9,0.95,0.999}'::float8[]) AS c) s;
-- Draws stay within it as often as it says.
SELECT abs(avg((abs(x) <= w)::int) - 0.9) < 4.9 * sqrt(0.09 / 20000) AS within
FROM (SELECT sdc.laplace(0::float8, 3, 0.7) AS x, sdc.dp_halfwidth('laplace', 3, 0.7, 0.9) AS w
      FROM generate_series(1, 20000)) s;
SELECT sdc.dp_halfwidth('snapping', 1, 1, 0.95);
SELECT sdc.dp_halfwidth('laplace', -1, 1, 0.95);
SELECT sdc.dp_halfwidth('discrete_laplace', 1.5, 1, 0.95);
SELECT sdc.dp_halfwidth('laplace', 1, 0, 0.95);
SELECT sdc.dp_halfwidth('laplace', 1, 1, 1);
SELECT sdc.dp_halfwidth('discrete_laplace', 4e18, 0.001, 0.9);

-- What the planner may do with them: nothing but call them, in the leader;
-- aggregates whose states can be combined, in workers, too.
-- Whoever may read the data may call them; what asks a dataset for leave itself
-- is open to all (test dp_query).
SELECT p.oid::regprocedure FROM pg_proc p
JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'sdc'
WHERE d.deptype = 'e' AND p.prokind = 'f' AND p.proname <> 'dp_halfwidth'
  AND p.pronamespace = 'sdc'::regnamespace
  AND (p.proname LIKE 'dp\_%' OR p.proname IN ('laplace', 'gaussian'))
  AND (p.provolatile <> 'v' OR p.proparallel = 's' OR p.proleakproof
       OR has_function_privilege('public', p.oid, 'EXECUTE')
          AND p.proname NOT IN ('dp_query', 'dp_histogram', 'remaining_budget'))
ORDER BY 1;
SELECT p.oid::regprocedure FROM pg_proc p
JOIN pg_aggregate a ON a.aggfnoid = p.oid
JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'sdc'
WHERE d.deptype = 'e' AND p.proname LIKE 'dp\_%'
  AND ((a.aggcombinefn <> 0) <> (p.proparallel = 's')
       OR has_function_privilege('public', p.oid, 'EXECUTE'))
ORDER BY 1;

-- What they are made of is nobody's to call, nor to see.
SELECT count(*) > 20 AS functions,
       bool_or(has_function_privilege('public', p.oid, 'EXECUTE')) AS public
FROM pg_proc p WHERE pronamespace = 'sdc_internal'::regnamespace AND proname LIKE 'dp\_%';

-- Nowhere in the extension can a seed for them be given.
SELECT p.oid::regprocedure FROM pg_proc p
JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'sdc'
WHERE (p.proname LIKE 'dp\_%' OR p.proname IN ('laplace', 'gaussian'))
  AND 'seed' = ANY (p.proargnames);
SELECT name FROM pg_settings WHERE name LIKE 'sdc.%seed%';

CREATE ROLE regress_sdc_analyst;
SET ROLE regress_sdc_analyst;
SELECT sdc.laplace(1, 1, 1);
SELECT sdc.dp_halfwidth('laplace', 0, 1, 0.95) AS allowed;
RESET ROLE;
DROP ROLE regress_sdc_analyst;
DROP TABLE seen, first, second;
