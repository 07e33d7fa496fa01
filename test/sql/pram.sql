-- pram: categories change at random in a known way.
SET sdc.progress_interval = 0;
\pset null (null)

CREATE TABLE jobs AS
SELECT i AS id, i % 3 AS region,
	   CASE WHEN i % 20 = 0 THEN NULL WHEN h < 50 THEN 'cook' WHEN h < 80 THEN 'nurse'
			WHEN h < 95 THEN 'judge' ELSE 'mayor' END AS job
FROM (SELECT i, (i * 7919) % 100 AS h FROM generate_series(1, 30000) AS i) AS s;
CREATE TABLE jobs_moved AS SELECT * FROM jobs ORDER BY (id * 7877) % 30011;

-- 1. Frozen results of one seed.
SELECT job, sdc.pram(job, 50, seed => 42) OVER (ORDER BY id) AS masked
FROM jobs WHERE id <= 12 ORDER BY id;
SELECT left(md5(string_agg(v, ',' ORDER BY id)), 8) AS bit_for_bit
FROM (SELECT id, sdc.pram(job, 70, seed => 42) OVER (ORDER BY id) AS v FROM jobs) AS s;

-- 2. Transitions: P(b | a) = p [a = b] + (1 - p) share(b).  Each cell may be
-- five standard deviations from its expectation.
CREATE FUNCTION transitions(p float8, OUT cells bigint, OUT as_expected boolean,
	OUT invariant boolean, OUT nulls_stay boolean)
LANGUAGE sql AS $$
	WITH m AS (SELECT job AS a, sdc.pram(job, 100 * p, seed => 7) OVER () AS b FROM jobs),
		 share AS (SELECT a AS job, count(*)::float8 AS n, count(*) / sum(count(*)) OVER ()
				   AS share FROM m WHERE a IS NOT NULL GROUP BY a),
		 cell AS (SELECT f.n, t.share, f.job = t.job AS same,
						 (SELECT count(*) FROM m WHERE a = f.job AND b = t.job) AS seen,
						 (CASE WHEN f.job = t.job THEN p ELSE 0 END + (1 - p) * t.share)::float8
						 AS expected
				  FROM share f, share t)
	SELECT (SELECT count(*) FILTER (WHERE seen > 0) FROM cell),
		   (SELECT bool_and(abs(seen - n * expected)
							<= 5 * sqrt(n * expected * (1 - expected)) + 1e-9) FROM cell),
		   (SELECT bool_and(abs(after - n) <= 5 * sqrt(2 * (1 - p) * n) + 1e-9)
			FROM share JOIN (SELECT b, count(*) AS after FROM m GROUP BY b) AS s ON b = job),
		   (SELECT bool_and((a IS NULL) = (b IS NULL)) FROM m)
$$;
SELECT p, t.* FROM unnest(ARRAY[0, 0.3, 0.9, 1]) AS p, transitions(p) AS t ORDER BY p;

-- 3. By strata: each stratum has its own frequencies, and nothing leaves it.
SELECT region, string_agg(DISTINCT y, ',' ORDER BY y) AS values_seen,
	   count(*) FILTER (WHERE x <> y) > 0 AS changed
FROM (SELECT region, x, sdc.pram(x, 50, seed => 3) OVER (PARTITION BY region) AS y
	  FROM (SELECT region, region || job AS x FROM jobs) AS s) AS t
WHERE x IS NOT NULL GROUP BY region ORDER BY region;
SELECT s, x, sdc.pram(x, 0, seed => 1) OVER (PARTITION BY s) AS y
FROM (VALUES (1, 'alone'), (2, NULL), (3, 'b'), (3, 'b')) AS v(s, x) ORDER BY s;

-- 4. Seeds, order of rows, plans.
CREATE FUNCTION result_of(rel text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	EXECUTE format('SELECT md5(string_agg(v, '','' ORDER BY id)) FROM (SELECT id,
		sdc.pram(job, 70, seed => 42) OVER (PARTITION BY region ORDER BY id) AS v
		FROM %s) AS s', rel) INTO result;
	RETURN result;
END $$;
SELECT result_of('jobs') = result_of('jobs_moved') AS ordered;
CREATE TEMP TABLE reference AS SELECT result_of('jobs') AS v;
SET work_mem = '64kB';
SET enable_sort = off;
SELECT result_of('jobs_moved') = v AS small_memory FROM reference;
RESET work_mem;
RESET enable_sort;
SELECT count(*) AS pairs_that_differ FROM (
	SELECT job, sdc.pram(job, 70, seed => 42) OVER () AS y FROM jobs
	EXCEPT ALL
	SELECT job, sdc.pram(job, 70, seed => 42) OVER () AS y FROM jobs_moved) AS s;
SELECT count(*) FILTER (WHERE a <> b) > 1000 AS seeds_differ,
	   count(*) FILTER (WHERE c <> d) > 1000 AS null_seeds_differ
FROM (SELECT sdc.pram(job, 50, seed => 1) OVER () AS a,
			 sdc.pram(job, 50, seed => 2) OVER () AS b,
			 sdc.pram(job, 50) OVER () AS c, sdc.pram(job, 50) OVER () AS d
	  FROM jobs) AS s;

-- 5. Few rows, other types, arguments.
SELECT sdc.pram(job, 50) OVER () FROM jobs WHERE false;
SELECT sdc.pram('a', 0) OVER ();
SELECT DISTINCT sdc.pram('a', 50) OVER () AS constant FROM jobs;
SELECT DISTINCT sdc.pram(NULL, 50) OVER () AS nulls FROM jobs;
SELECT length(sdc.pram(repeat('x', 100000), 50) OVER ()) AS long_text;
SELECT sdc.pram(v, 100) OVER (), sdc.pram(c, 100) OVER (), pg_typeof(sdc.pram(v, 100) OVER ())
FROM (VALUES ('a'::varchar(5), 'b'::char(3))) AS t(v, c);
SELECT sdc.pram(job, -0.1) OVER () FROM jobs;
SELECT sdc.pram(job, 110) OVER () FROM jobs;
SELECT sdc.pram(job, 'NaN') OVER () FROM jobs;
SELECT sdc.pram(job, NULL) OVER () FROM jobs;
SELECT sdc.pram(job, 50, NULL) OVER () FROM jobs;
SELECT sdc.pram(job, 50, 'classic') OVER () FROM jobs;
SELECT sdc.pram(job, 1.0 / id) OVER () FROM jobs;

-- 6. A matrix that is given.  Each cell may be five standard deviations from
-- its expectation; what has no chance never is.
\set m '{"cook": {"cook": 0.7, "nurse": 0.2, "judge": 0.1}, "nurse": {"nurse": 0.8, "cook": 0.2}, "judge": {"judge": 0.5, "mayor": 0.5}, "mayor": {"mayor": 0.6, "poet": 0.4}, "poet": {"poet": 1}}'
SELECT job, sdc.pram_matrix(job, :'m', seed => 42) OVER (ORDER BY id) AS masked
FROM jobs WHERE id <= 12 ORDER BY id;
CREATE FUNCTION turned(m jsonb, OUT cells bigint, OUT as_expected boolean, OUT nulls_stay boolean)
LANGUAGE sql AS $$
	WITH t AS (SELECT job AS a, sdc.pram_matrix(job, m, seed => 7) OVER () AS b FROM jobs),
		 cell AS (SELECT r.key AS a, c.key AS b, COALESCE((r.value ->> c.key)::float8, 0) AS p
				  FROM jsonb_each(m) AS r, jsonb_object_keys(m) AS c(key)),
		 seen AS (SELECT p, (SELECT count(*) FROM t WHERE t.a = cell.a) AS n,
						 (SELECT count(*) FROM t WHERE t.a = cell.a AND t.b = cell.b) AS seen
				  FROM cell)
	SELECT (SELECT count(*) FILTER (WHERE seen > 0) FROM seen),
		   (SELECT bool_and(abs(seen - n * p) <= 5 * sqrt(n * p * (1 - p)) + 1e-9) FROM seen),
		   (SELECT bool_and((a IS NULL) = (b IS NULL)) FROM t)
$$;
SELECT * FROM turned(:'m');
-- made to keep the distribution, of each stratum: five standard deviations
SELECT bool_and(abs(was - is_now) <= 5 * sqrt(was) + 1e-9) AS invariant, count(*) FILTER (WHERE was = 0) AS new_categories
FROM (SELECT region, job, sum(w) AS was, sum(1 - w) AS is_now FROM (
		SELECT region, job, 1 AS w FROM jobs UNION ALL
		SELECT region, sdc.pram_matrix(job, :'m', 'invariant', seed => 5) OVER (PARTITION BY region), 0 FROM jobs) AS s
	  WHERE job IS NOT NULL GROUP BY region, job) AS t;
-- the order of rows is nothing, seeds are
SELECT count(*) AS pairs_that_differ FROM (
	SELECT job, sdc.pram_matrix(job, :'m', seed => 42) OVER () AS y FROM jobs
	EXCEPT ALL
	SELECT job, sdc.pram_matrix(job, :'m', seed => 42) OVER () AS y FROM jobs_moved) AS s;
SELECT count(*) FILTER (WHERE a <> b) > 1000 AS seeds_differ, count(*) FILTER (WHERE c <> d) > 1000 AS null_seeds_differ
FROM (SELECT sdc.pram_matrix(job, :'m', seed => 1) OVER () AS a, sdc.pram_matrix(job, :'m', seed => 2) OVER () AS b,
			 sdc.pram_matrix(job, :'m') OVER () AS c, sdc.pram_matrix(job, :'m') OVER () AS d FROM jobs) AS s;
-- a rule does what the function does, on a column that is a number, too
SELECT subject, method, changed > 0 AS changed FROM sdc.mask('jobs',
	'{"region": {"method": "pram_matrix", "matrix": {"0": {"0": 0.5, "1": 0.5}, "1": {"1": 1}, "2": {"2": 0.9, "0": 0.1}}}}',
	target => 'jobs_masked', id => 'id', seed => 3) WHERE step = 'mask';
SELECT o.region, m.region AS masked, pg_typeof(m.region) AS type, count(*) > 0 AS some
FROM jobs AS o JOIN jobs_masked AS m USING (id) GROUP BY 1, 2 ORDER BY 1, 2;
SELECT count(*) AS differences FROM jobs_masked AS m JOIN (
	SELECT id, sdc.pram_matrix(region::text, '{"0": {"0": 0.5, "1": 0.5}, "1": {"1": 1}, "2": {"2": 0.9, "0": 0.1}}',
							   seed => sdc.mask_seed('region', 3)) OVER (ORDER BY id) AS region FROM jobs) AS f USING (id)
WHERE m.region::text <> f.region;
-- few rows; rows that are no chances, categories that have none
SELECT sdc.pram_matrix(job, :'m') OVER () FROM jobs WHERE false;
SELECT DISTINCT sdc.pram_matrix(NULL, :'m') OVER () AS nulls FROM jobs;
SELECT DISTINCT sdc.pram_matrix('cook', '{"cook": {"cook": 1}}') OVER () AS constant FROM jobs;
SELECT sdc.pram_matrix(job, '{"cook": {"cook": 1}}') OVER () FROM jobs;
SELECT sdc.pram_matrix(job, '{"a": {"a": 0.5, "b": 0.4}, "b": {"b": 1}}') OVER () FROM jobs;
SELECT sdc.pram_matrix(job, '{"a": {"a": 0.5, "b": 0.5}}') OVER () FROM jobs;
SELECT sdc.pram_matrix(job, '{"a": {"a": 1.5, "b": -0.5}, "b": {"b": 1}}') OVER () FROM jobs;
SELECT sdc.pram_matrix(job, '{"a": {"a": 1e400}}') OVER () FROM jobs;
SELECT sdc.pram_matrix(job, '{"a": {"a": "1"}}') OVER () FROM jobs;
SELECT sdc.pram_matrix(job, '{"a": {"a": [1]}}') OVER () FROM jobs;
SELECT sdc.pram_matrix(job, '{"a": {"a": {"a": 1}}}') OVER () FROM jobs;
SELECT sdc.pram_matrix(job, '{"a": 1}') OVER () FROM jobs;
SELECT sdc.pram_matrix(job, '{"a": {}}') OVER () FROM jobs;
SELECT sdc.pram_matrix(job, '{}') OVER () FROM jobs;
SELECT sdc.pram_matrix(job, '[[1]]') OVER () FROM jobs;
SELECT sdc.pram_matrix(job, NULL) OVER () FROM jobs;
SELECT sdc.pram_matrix(job, '{"a": {"a": 1}}', 'learned') OVER () FROM jobs;
SELECT sdc.pram_matrix(job, (SELECT jsonb_object_agg('c' || i, jsonb_build_object('c' || i, 1)) FROM generate_series(1, 501) AS i)) OVER () FROM jobs;
SELECT sdc.mask('jobs', '{"job": {"method": "pram_matrix"}}', target => 'no', seed => 1);
SELECT sdc.mask('jobs', '{"job": {"method": "pram_matrix", "matrix": {"a": {"a": 0.5}}}}', target => 'no', seed => 1);

DROP TABLE jobs, jobs_moved, reference, jobs_masked;
DROP FUNCTION transitions, result_of, turned;
