-- microaggregate and microaggregate_group: groups of at least k.
SET sdc.progress_interval = 0;
\pset null (null)

-- 1. By hand.  Two neighbours, then a gap: the best partition of
-- 1 2 | 10 11 12 | 30 31 into groups of at least 2 follows the gaps; the
-- sorted one cuts 2, 2 and 3 off.
SELECT x, sdc.microaggregate(x, 2) OVER () AS optimal,
	   sdc.microaggregate(x, 2, 'sorted') OVER () AS sorted,
	   sdc.microaggregate(x, 3) OVER () AS optimal_3,
	   sdc.microaggregate(x, 7) OVER () AS all_alike,
	   sdc.microaggregate(x, 1) OVER () AS k_1
FROM (VALUES (31), (1), (12), (NULL), (2), (11), (30), (10)) AS v(x) ORDER BY x;

-- 2. Invariants on a column with duplicates and NULLs.
CREATE TABLE income AS
SELECT i AS id, i % 5 AS region,
	   CASE WHEN i % 17 <> 0 THEN exp(((i * 7919) % 1009) / 100.0)::numeric(12,2)::float8
	   END AS x
FROM generate_series(1, 2000) AS i;
CREATE FUNCTION partition_report(k int, method text,
	OUT smallest bigint, OUT largest_below_2k boolean, OUT intervals boolean,
	OUT same_mean boolean, OUT means boolean, OUT nulls_stay boolean)
LANGUAGE sql AS $$
	WITH m AS (SELECT id, x, sdc.microaggregate(x, k, method) OVER () AS y
			   FROM income),
		 g AS (SELECT y, count(*) AS n, min(x) AS low, max(x) AS high, avg(x) AS mean
			   FROM m WHERE x IS NOT NULL GROUP BY y)
	SELECT min(n), max(n) < 2 * greatest(k, 2),
		   bool_and(low >= last_high),
		   (SELECT abs(avg(x) - avg(y)) < 1e-9 * avg(x) FROM m),
		   bool_and(abs(y - mean) <= 1e-12 * abs(mean)),
		   (SELECT bool_and((x IS NULL) = (y IS NULL)) FROM m)
	FROM (SELECT *, coalesce(lag(high) OVER (ORDER BY y), low) AS last_high
		  FROM g) AS s
$$;
SELECT k, method, r.*
FROM unnest(ARRAY[1, 2, 3, 10, 64, 65, 500, 941, 942, 1883]) AS k,
	 unnest(ARRAY['optimal', 'sorted']) AS method,
	 partition_report(k, method) AS r
ORDER BY method, k;

-- The optimum is never worse than groups of exactly k, and no worse than
-- every partition into two that a query can try.
WITH m AS (SELECT x, k, sdc.microaggregate(x, k) OVER (PARTITION BY k) AS a,
				  sdc.microaggregate(x, k, 'sorted') OVER (PARTITION BY k) AS b
		   FROM income, unnest(ARRAY[2, 3, 10, 100]) AS k WHERE x IS NOT NULL)
SELECT k, sum((x - a) ^ 2) <= sum((x - b) ^ 2) AS optimal_is_better,
	   round((sum((x - a) ^ 2) / sum((x - b) ^ 2))::numeric, 4) AS ratio
FROM m GROUP BY k ORDER BY k;
WITH c AS (SELECT x, row_number() OVER (ORDER BY x) AS r FROM income
		   WHERE id <= 100 AND x IS NOT NULL),
	 cuts AS (SELECT cut, sum(e) AS error FROM (
				SELECT cut, r <= cut AS side, var_pop(x) * count(*) AS e
				FROM c, generate_series(40, 55) AS cut
				GROUP BY cut, r <= cut) AS s GROUP BY cut)
SELECT (SELECT sum((x - y) ^ 2) FROM
			(SELECT x, sdc.microaggregate(x, 40) OVER () AS y FROM c) AS s)
	   <= (SELECT min(error) FROM cuts) * (1 + 1e-12) AS best_cut;

-- Frozen.
SELECT left(md5(string_agg(y::text, ',' ORDER BY id)), 8) AS k_3,
	   left(md5(string_agg(z::text, ',' ORDER BY id)), 8) AS k_100
FROM (SELECT id, sdc.microaggregate(x, 3) OVER () AS y,
			 sdc.microaggregate(x, 100) OVER () AS z FROM income) AS s;

-- 3. Few rows, constants, large offsets, large and small numbers.
SELECT sdc.microaggregate(x, 3) OVER () FROM income WHERE false;
SELECT sdc.microaggregate(NULL, 3) OVER () FROM income WHERE id < 3;
SELECT sdc.microaggregate(5, 1) OVER ();
SELECT DISTINCT sdc.microaggregate(0.1, 3) OVER () AS y FROM income;
SELECT x - 1e9 AS x, sdc.microaggregate(x, 2) OVER () - 1e9 AS y
FROM (VALUES (1e9), (1e9 + 0.25), (1e9 + 5), (1e9 + 5.5)) AS v(x) ORDER BY x;
SELECT x, sdc.microaggregate(x, 2) OVER () AS y
FROM (VALUES (1.7e308::float8), (1.6e308), (-1.7e308), (-1.6e308)) AS v(x)
ORDER BY x;
SELECT x, sdc.microaggregate(x, 2) OVER () AS y
FROM (VALUES (4e-320::float8), (2e-320), (1e-310), (3e-310)) AS v(x) ORDER BY x;
-- a true -999 is a value like any other
SELECT x, sdc.microaggregate(x, 3) OVER () AS y
FROM (VALUES (-999), (-998), (-997), (5), (6), (7), (NULL), (NULL)) AS v(x)
ORDER BY x;

-- 4. Strata, types, arguments.
SELECT region, count(DISTINCT y) AS groups, min(n) AS smallest
FROM (SELECT region, y, count(*) OVER (PARTITION BY region, y) AS n
	  FROM (SELECT region, sdc.microaggregate(x, 10) OVER (PARTITION BY region) AS y
			FROM income WHERE x IS NOT NULL) AS s) AS t
GROUP BY region ORDER BY region;
SELECT sdc.microaggregate(x::int2, 2) OVER (), sdc.microaggregate(x::int8, 2) OVER (),
	   sdc.microaggregate(x::float4, 2) OVER (), sdc.microaggregate(x::numeric, 2) OVER ()
FROM (VALUES (1), (2), (3)) AS v(x);
SELECT sdc.microaggregate(x, 4) OVER () FROM (VALUES (1), (2), (NULL), (NULL)) AS v(x);
SELECT sdc.microaggregate(x, 3) OVER (PARTITION BY s)
FROM (VALUES (1, 1), (1, 2), (1, 3), (2, 4)) AS v(s, x);
SELECT sdc.microaggregate(x, 0) OVER () FROM income;
SELECT sdc.microaggregate(x, -3) OVER () FROM income;
SELECT sdc.microaggregate(x, NULL) OVER () FROM income;
SELECT sdc.microaggregate(x, 3, NULL) OVER () FROM income;
SELECT sdc.microaggregate(x, 3, 'mdav') OVER () FROM income;
SELECT sdc.microaggregate(x, region + 1) OVER () FROM income;
SELECT sdc.microaggregate('NaN', 1) OVER ();
SELECT sdc.microaggregate(x, 1) OVER () FROM (VALUES (1), ('-Infinity'::float8)) AS v(x);
SELECT sdc.microaggregate(x, 2) OVER () FROM (VALUES (1), ('Infinity'::float8), ('NaN'), (3), (8), ('-Infinity'), (10), ('Infinity')) AS v(x);
SELECT sdc.microaggregate(x, 2147483647) OVER () FROM income;

-- 5. microaggregate_group on columns that mix numbers and categories, by
-- Gower's distance.  Two clear clusters and a remainder.
SELECT g, count(*), min(age) AS age_from, max(age) AS age_to,
	   string_agg(DISTINCT job, ',' ORDER BY job) AS jobs
FROM (SELECT age, job,
			 sdc.microaggregate_group(ROW(age, job), 3) OVER () AS g
	  FROM (VALUES (20, 'cook'), (21, 'cook'), (22, 'cook'), (60, 'judge'),
				   (61, 'judge'), (62, 'judge'), (63, 'judge')) AS v(age, job)) AS s
GROUP BY g ORDER BY g;
CREATE TABLE mixed AS
SELECT i AS id, (i * 7919) % 61 AS age, (i * 104729) % 1000 / 7.0 AS income,
	   '2020-01-01'::date + (i * 31) % 400 AS born,
	   chr(65 + (i * 13) % 5) AS job,
	   CASE WHEN i % 50 <> 0 THEN i % 2 = 0 END AS flag
FROM generate_series(1, 500) AS i;
CREATE FUNCTION group_report(expression text, call text,
	OUT rows bigint, OUT groups bigint, OUT smallest bigint, OUT largest bigint,
	OUT nulls bigint, OUT order_free boolean, OUT frozen text)
LANGUAGE plpgsql AS $$
DECLARE
	template text := format('SELECT id, %s OVER (ORDER BY id) AS g FROM ',
							replace(call, '$', expression));
BEGIN
	EXECUTE 'WITH m AS (' || template || 'mixed),
		n AS (' || replace(template, 'ORDER BY id', 'ORDER BY id DESC') || 'mixed),
		s AS (SELECT g, count(*) AS n FROM m WHERE g IS NOT NULL GROUP BY g)
		SELECT (SELECT count(*) FROM m), count(*), min(n), max(n),
			   (SELECT count(*) FROM m WHERE g IS NULL),
			   (SELECT count(*) = 0 FROM m JOIN n USING (id) WHERE m.g <> n.g),
			   (SELECT left(md5(string_agg(g::text, '','' ORDER BY id)), 8) FROM m)
		FROM s'
	INTO rows, groups, smallest, largest, nulls, order_free, frozen;
END $$;
-- every row is distinct, so the groups do not depend on the order of rows
SELECT what, call, r.*
FROM (VALUES (1, 'numbers', 'ROW(age, income, id)'),
			 (2, 'numbers and date', 'ROW(age, income, born, id)'),
			 (3, 'with a flag', 'ROW(age, income, id, flag)'),
			 (4, 'with a category', 'ROW(age, job, income, id)'),
			 (5, 'one column', 'ROW(id)')) AS e(number, what, expression),
	 (VALUES ('sdc.microaggregate_group($, 3)'),
			 ('sdc.microaggregate_group($, 7)'),
			 ('sdc.microaggregate_group($, 5, ''mondrian'')')) AS c(call),
	 group_report(expression, call) AS r
ORDER BY number, call;

-- Mondrian never parts equal rows and never makes a group below k.
CREATE TEMP TABLE cut AS
SELECT age % 5 AS a, job, sdc.microaggregate_group(ROW(age % 5, job), 20, 'mondrian') OVER () AS g FROM mixed;
SELECT count(*) AS groups, min(n) >= 20 AS at_least_k,
	   (SELECT count(*) FROM (SELECT a, job FROM cut GROUP BY a, job
							  HAVING min(g) <> max(g)) AS s) AS parted_values
FROM (SELECT count(*) AS n FROM cut GROUP BY g) AS s;

-- Groups, then any summary: k-anonymous by construction.
SELECT min(n) AS k FROM (
	SELECT count(*) AS n FROM (
		SELECT avg(age) OVER (PARTITION BY g) AS age,
			   avg(income) OVER (PARTITION BY g) AS income
		FROM (SELECT age, income,
					 sdc.microaggregate_group(ROW(age, income), 5) OVER () AS g
			  FROM mixed) AS s) AS t GROUP BY age, income) AS u;

-- Standardised, the unit of a column does not matter; otherwise it does.
SELECT standardize, bool_and(a = b) AS same_groups
FROM (SELECT standardize,
			 sdc.microaggregate_group(ROW(age, income), 3, 'mdav', standardize, 1)
			 OVER w AS a,
			 sdc.microaggregate_group(ROW(age * 1024, income), 3, 'mdav', standardize, 1)
			 OVER w AS b
	  FROM mixed, (VALUES (true), (false)) AS v(standardize)
	  WINDOW w AS (PARTITION BY standardize)) AS s
GROUP BY standardize ORDER BY standardize DESC;

-- 6. Edge cases and arguments of the group functions.
SELECT sdc.microaggregate_group(ROW(age), 3) OVER () FROM mixed WHERE false;
SELECT DISTINCT sdc.microaggregate_group(ROW(age, NULL::int), 3) OVER () FROM mixed;
SELECT DISTINCT sdc.microaggregate_group(NULL::record, 3) OVER () FROM mixed;
SELECT sdc.microaggregate_group(ROW(age, job), 1) OVER (), sdc.microaggregate_group(ROW(age), 1, 'mondrian') OVER ()
FROM mixed WHERE id = 1;
SELECT count(DISTINCT g) AS one_group
FROM (SELECT sdc.microaggregate_group(ROW(age, job), 500) OVER () AS g FROM mixed) AS s;
SELECT count(DISTINCT g) AS equal_rows, min(n), max(n)
FROM (SELECT g, count(*) OVER (PARTITION BY g) AS n FROM
		(SELECT sdc.microaggregate_group(ROW(1, 'a'::text), 4) OVER () AS g
		 FROM generate_series(1, 10)) AS s) AS t;
SELECT count(DISTINCT sdc_group) AS equal_rows
FROM (SELECT sdc.microaggregate_group(ROW(1, 'a'::text), 4, 'mondrian') OVER () AS sdc_group
	  FROM generate_series(1, 10)) AS s;
SELECT sdc.microaggregate_group(ROW(age), 501) OVER () FROM mixed;
SELECT sdc.microaggregate_group(ROW(age), 501, 'mondrian') OVER () FROM mixed;
SELECT sdc.microaggregate_group(ROW(age), 0, 'mondrian') OVER () FROM mixed;
SELECT sdc.microaggregate_group(ROW(age), NULL, 'mondrian') OVER () FROM mixed;
SELECT sdc.microaggregate_group(ROW(age), 3, 'kd') OVER () FROM mixed;
SELECT sdc.microaggregate_group(ROW(age), 3, 'MDAV') OVER () FROM mixed;
SELECT sdc.microaggregate_group(ROW(age), 3, 'mdav', NULL, 1) OVER () FROM mixed;
SELECT sdc.microaggregate_group(ROW(age, job), 3, 'vmdav') OVER () FROM mixed;
SELECT sdc.microaggregate_group(ROW(age, '{}'::json), 3) OVER () FROM mixed;
SELECT count(g) FROM (SELECT sdc.microaggregate_group(ROW(age, 'NaN'::float8), 3) OVER () AS g FROM mixed) AS t;
SELECT count(g) FROM (SELECT sdc.microaggregate_group(ROW(age, 'infinity'::date), 3) OVER () AS g FROM mixed) AS t;
SELECT count(g) FROM (SELECT sdc.microaggregate_group(ROW(age, '-infinity'::float8), 3, 'mondrian') OVER () AS g FROM mixed) AS t;
-- open-ended dates are in no group; the others are as without them
SELECT sdc.microaggregate_group(ROW(at), 3) OVER () AS g, at FROM
    (SELECT CASE WHEN i % 4 = 0 THEN 'infinity' ELSE date '2020-01-01' + i END AS at
     FROM generate_series(1, 10) AS i) AS t ORDER BY at;
SELECT sdc.microaggregate_group(ROW(), 3) OVER () FROM mixed;
SELECT sdc.microaggregate_group(age, 3, 'mondrian') OVER () FROM mixed;
-- an expression of type record may bring rows of other shapes
SELECT sdc.microaggregate_group(CASE WHEN id < 9 THEN ROW(age, id) ELSE ROW(job, 1.5) END, 3, 'mondrian')
	OVER () FROM mixed;
SELECT sdc.microaggregate_group(CASE WHEN id < 9 THEN ROW(age) ELSE ROW(age, id) END, 3, 'mondrian')
	OVER () FROM mixed;
SELECT max(g) FROM (
	SELECT sdc.microaggregate_group(CASE WHEN id < 9 THEN ROW(age, id) ELSE ROW(id, age) END, 3, 'mondrian')
		   OVER () AS g FROM mixed) AS s;
-- a whole row of a table, also one that lost a column
ALTER TABLE mixed DROP COLUMN born;
SELECT max(g) FROM (SELECT sdc.microaggregate_group(mixed, 5, 'mondrian') OVER () AS g FROM mixed) AS s;

DROP TABLE income, mixed, cut;
DROP FUNCTION partition_report, group_report;
