-- rank_swap and shuffle: values move between rows.  Every check that can be
-- one is a question answered with t; tables that are printed are frozen, so
-- that a change of the random numbers is noticed on every version.
SET sdc.progress_interval = 0;
\pset null (null)

-- 1. The worked example of rank swapping: ten rows, four columns of ranks,
-- p = 20 percent, so a window of two ranks.
--
-- EX-RS: CREATE TABLE rs_original(id int PRIMARY KEY, a1 int, a2 int, a3 int,
--   a4 int); the masked file of the source keeps every |rank change| <= 2.
CREATE TABLE rs_original(id int PRIMARY KEY, a1 int, a2 int, a3 int, a4 int);
INSERT INTO rs_original VALUES
	(1,8,9,1,3), (2,6,7,10,2), (3,10,3,4,1), (4,7,1,2,6), (5,9,4,6,4),
	(6,2,2,8,8), (7,1,10,3,9), (8,4,8,7,10), (9,5,5,5,5), (10,3,6,9,7);
CREATE TABLE rs_swapped AS
SELECT id, sdc.rank_swap(a1, 20, seed => 1) OVER () AS a1,
	   sdc.rank_swap(a2, 20, seed => 1) OVER () AS a2,
	   sdc.rank_swap(a3, 20, seed => 1) OVER () AS a3,
	   sdc.rank_swap(a4, 20, seed => 1) OVER () AS a4
FROM rs_original;
SELECT * FROM rs_swapped ORDER BY id;
SELECT max(abs(o.a1 - s.a1)) AS a1, max(abs(o.a2 - s.a2)) AS a2,
	   max(abs(o.a3 - s.a3)) AS a3, max(abs(o.a4 - s.a4)) AS a4
FROM rs_original o JOIN rs_swapped s USING (id);
SELECT array_agg(DISTINCT a1) AS a1, array_agg(DISTINCT a2) AS a2,
	   array_agg(DISTINCT a3) AS a3, array_agg(DISTINCT a4) AS a4
FROM rs_swapped;

-- 2. Frozen results of one seed, for each method.
CREATE TABLE small(id int PRIMARY KEY, x int);
INSERT INTO small SELECT i, (i * 7) % 20 FROM generate_series(1, 20) AS i;
SELECT id, x,
	   sdc.rank_swap(x, 15, seed => 42) OVER () AS classic,
	   sdc.rank_swap(x, 15, 'buckets', 42) OVER () AS buckets,
	   sdc.rank_swap(x, 15, 'distribution', 42) OVER () AS distribution,
	   sdc.shuffle(x, 42) OVER () AS shuffle
FROM small ORDER BY id;

-- 3. Invariants, for every ordered type.  A column of 500 rows is made from i:
-- about a third of the values occur more than once, every ninth is NULL.
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'glad');
CREATE DOMAIN positive AS int CHECK (value > 0);
CREATE TYPE pair AS (a int, b text);

-- The distance of two values in ranks is taken between the ends of the
-- intervals of ranks that equal values cover.  The first letters of an md5 of
-- the result freeze it.
CREATE FUNCTION swap_report(expression text, p float8, method text,
	OUT rows bigint, OUT nulls_stay boolean, OUT same_values boolean,
	OUT inside_window boolean, OUT moved boolean, OUT frozen text)
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format($q$
		WITH original AS (
			SELECT i AS id, CASE WHEN i %% 9 = 0 THEN NULL ELSE %1$s END AS x
			FROM (SELECT i, (i * 7919) %% 311 AS j
				  FROM generate_series(1, 500) AS i) AS s),
		masked AS (
			SELECT id, x, sdc.rank_swap(x, %2$L, %3$L, 7) OVER (ORDER BY id) AS y
			FROM original),
		ranks AS (
			SELECT x, min(r) AS low, max(r) AS high
			FROM (SELECT x, row_number() OVER (ORDER BY x) AS r
				  FROM original WHERE x IS NOT NULL) AS s
			GROUP BY x)
		SELECT count(*), bool_and((m.x IS NULL) = (m.y IS NULL)),
			   array_agg(m.x::text ORDER BY m.x::text COLLATE "C") =
			   array_agg(m.y::text ORDER BY m.y::text COLLATE "C"),
			   bool_and(coalesce(greatest(rx.low - ry.high, ry.low - rx.high)
								 <= floor(%2$s * 445 / 100), true)),
			   bool_or(m.x <> m.y),
			   left(md5(string_agg(m.y::text, ',' ORDER BY m.id)), 8)
		FROM masked m LEFT JOIN ranks rx ON rx.x = m.x
			 LEFT JOIN ranks ry ON ry.x = m.y
		$q$, expression, p, method)
	INTO rows, nulls_stay, same_values, inside_window, moved, frozen;
END $$;

CREATE TABLE types(number int, name text, expression text);
INSERT INTO types VALUES
	(1, 'int2', 'j::int2'),
	(2, 'int4', '(j - 150) * 1000000'),
	(3, 'int8', '(j - 150) * 10000000000000'),
	(4, 'numeric', '(j - 150) / 7.0'),
	(5, 'numeric with NaN', 'CASE WHEN j < 9 THEN ''NaN'' ELSE j * 1e50 END'),
	(6, 'float4 with NaN', 'CASE WHEN j < 9 THEN ''NaN'' ELSE (j / 7.0)::float4 END'),
	(7, 'float8 with NaN, Inf', 'CASE WHEN j < 9 THEN ''NaN'' WHEN j < 20
		THEN ''-Infinity'' WHEN j < 30 THEN ''Infinity'' ELSE j - 150.5::float8 END'),
	(8, 'date', '''2020-02-02''::date + j'),
	(9, 'date with infinity', 'CASE WHEN j < 9 THEN ''infinity'' WHEN j < 19
		THEN ''-infinity'' ELSE ''2020-02-02''::date + j END'),
	(10, 'timestamp', '''2020-02-02 01:00''::timestamp + j * interval ''1 h'''),
	(11, 'timestamptz', '''2020-02-02 01:00+0''::timestamptz + j * interval ''1 h'''),
	(12, 'time', '''01:00''::time + j * interval ''1 s'''),
	(13, 'timetz', '''01:00+02''::timetz + j * interval ''1 s'''),
	(14, 'interval', 'j * interval ''1 day 7 hours'''),
	(15, 'text', 'repeat(chr(65 + j % 26), 1 + j % 30) || j'),
	(16, 'text "C"', '(repeat(chr(65 + j % 60), 1 + j % 30) || j) COLLATE "C"'),
	(17, 'text "POSIX"', '(chr(200 + j % 60) || j) COLLATE "POSIX"'),
	(18, 'varchar', '(''v'' || j)::varchar(10)'),
	(19, 'char(n)', '(''c'' || j)::char(12)'),
	(20, '"char"', 'chr(33 + j % 90)::"char"'),
	(21, 'name', '(''n'' || j)::name'),
	(22, 'enum', '(enum_range(NULL::mood))[1 + j % 4]'),
	(23, 'uuid', 'md5(j::text)::uuid'),
	(24, 'inet', '''10.0.0.0''::inet + j * 77'),
	(25, 'cidr', '(''10.'' || j % 256 || ''.0.0/16'')::cidr'),
	(26, 'macaddr', '(''00:00:00:00:00:'' || lpad(to_hex(j % 256), 2, ''0''))::macaddr'),
	(27, 'bool', 'j % 3 = 0'),
	(28, 'money', '(j - 100)::int::money'),
	(29, 'bytea', 'decode(md5(j::text), ''hex'')'),
	(30, 'bit varying', '(j::int4::bit(16))::varbit'),
	(31, 'int[]', 'ARRAY[j % 20, j]'),
	(32, 'text[]', 'ARRAY[''a'', NULL, ''b'' || j]'),
	(33, 'enum[]', 'ARRAY[(enum_range(NULL::mood))[1 + j % 4], ''ok'']'),
	(34, 'composite', 'ROW(j, ''b'' || j)::pair'),
	(35, 'range', 'int4range(j::int, j::int + 10)'),
	(36, 'jsonb', 'jsonb_build_object(''a'', j)'),
	(37, 'tsvector', '(''w'' || j)::tsvector'),
	(38, 'pg_lsn', '(''0/'' || to_hex(j))::pg_lsn'),
	(39, 'oid', '(4000000000 - j)::oid'),
	(40, 'domain', '(j + 1)::int::positive');

SELECT name, method, r.*
FROM types, unnest(ARRAY['classic', 'buckets', 'distribution']) AS method,
	 swap_report(expression, CASE method WHEN 'classic' THEN 3 ELSE 100 END,
				 method) AS r
ORDER BY number, method;

-- A window of 0 ranks changes nothing; 100 percent reaches everywhere.
SELECT p, method, r.*
FROM unnest(ARRAY[0, 0.2, 0.3, 50, 100]) AS p,
	 unnest(ARRAY['classic', 'buckets', 'distribution']) AS method,
	 swap_report('j', p, method) AS r
WHERE method = 'classic' OR p < 0.2 OR p = 100
ORDER BY method, p;

-- A type without an order can be shuffled, not swapped.
SELECT sdc.rank_swap(v, 5) OVER () FROM (VALUES ('{}'::json)) AS t(v);
SELECT sdc.rank_swap(v, 5) OVER () FROM (VALUES (point '(1,2)')) AS t(v);
SELECT array_agg(v::text ORDER BY v::text) AS shuffled
FROM (SELECT sdc.shuffle(v, 1) OVER () AS v
	  FROM (VALUES ('{"a":1}'::json), ('[2]'), (NULL), ('3')) AS t(v)) AS s;

-- 4. Percent means percent: of 10000 rows, 5 percent are 500 ranks; p = 0.05
-- are 5.
CREATE TABLE ten AS
SELECT i AS id, ((i * 7919) % 10007)::float8 AS x
FROM generate_series(1, 10000) AS i;
SELECT p, max(abs(rx - ry)) AS farthest,
	   max(abs(rx - ry)) <= floor(p * 100) AS inside,
	   count(*) FILTER (WHERE rx = ry) <= 10000 * 0.05 AS few_stay,
	   (corr(rx, ry) > 0.99)::text AS correlated
FROM (SELECT p, rx, row_number() OVER (PARTITION BY p ORDER BY y) AS ry
	  FROM (SELECT p, row_number() OVER (PARTITION BY p ORDER BY x) AS rx,
				   sdc.rank_swap(x, 5, seed => 3) OVER (PARTITION BY p) AS y
			FROM ten, (VALUES (5.0)) AS v(p)
			UNION ALL
			SELECT p, row_number() OVER (PARTITION BY p ORDER BY x),
				   sdc.rank_swap(x, 0.05, seed => 3) OVER (PARTITION BY p)
			FROM ten, (VALUES (0.05)) AS v(p)) AS s) AS t
GROUP BY p ORDER BY p;

-- An involution: who gets my value gives me his (all values are distinct).
WITH s AS (
	SELECT method, x, sdc.rank_swap(x, 7, method, 5) OVER (PARTITION BY method) AS y
	FROM ten, unnest(ARRAY['classic', 'buckets', 'distribution']) AS method)
SELECT a.method, count(*) AS rows, count(*) FILTER (WHERE b.y <> a.x) AS wrong
FROM s a JOIN s b ON b.method = a.method AND b.x = a.y
GROUP BY a.method ORDER BY a.method;

-- 5. Few rows, sorted rows, equal rows.
SELECT sdc.rank_swap(x, 50) OVER () FROM small WHERE false;
SELECT sdc.rank_swap(x, 50, seed => 1) OVER () FROM small WHERE id = 3;
SELECT sdc.rank_swap(x, 50, seed => 1) OVER (ORDER BY id) FROM small WHERE id < 3;
SELECT sdc.rank_swap(NULL::text, 50) OVER () FROM generate_series(1, 2);
SELECT count(*), min(y), max(y)
FROM (SELECT sdc.rank_swap(1.5, 50) OVER () AS y FROM small) AS s;
SELECT count(*) FILTER (WHERE abs(i - y) > 15000) AS too_far,
	   count(*) FILTER (WHERE i = y) < 1000 AS few_stay, sum(y)
FROM (SELECT i, sdc.rank_swap(i, 15, seed => 1) OVER () AS y
	  FROM generate_series(1, 100000) AS i) AS s;

-- 6. Arguments.
SELECT sdc.rank_swap(x, -1) OVER () FROM small;
SELECT sdc.rank_swap(x, 100.1) OVER () FROM small;
SELECT sdc.rank_swap(x, 'NaN') OVER () FROM small;
SELECT sdc.rank_swap(x, 'Infinity') OVER () FROM small;
SELECT sdc.rank_swap(x, NULL) OVER () FROM small;
SELECT sdc.rank_swap(x, 5, NULL) OVER () FROM small;
SELECT sdc.rank_swap(x, 5, 'Classic') OVER () FROM small;
SELECT sdc.rank_swap(x, id) OVER () FROM small;
SELECT sdc.rank_swap(x, 5, CASE WHEN id < 9 THEN 'classic' ELSE 'buckets' END)
	OVER () FROM small;
SELECT sdc.rank_swap(x, 5, seed => nullif(id, 9)) OVER () FROM small;
SELECT sdc.rank_swap(x, 5) FROM small;
-- an expression that is the same in every row is fine, by stratum too
SELECT count(*) FROM (SELECT sdc.rank_swap(x, 10 + 0 * id, seed => 1) OVER ()
					  FROM small) AS s;
SELECT count(*) FROM (SELECT sdc.rank_swap(x, 10 * (id % 3), seed => id % 3)
					  OVER (PARTITION BY id % 3) FROM small) AS s;

-- 7. The same seed gives the same result, whatever the plan.
CREATE TABLE people AS
SELECT i AS id, i % 7 AS region,
	   CASE WHEN i % 11 <> 0 THEN ((i * 7919) % 503)::int END AS x,
	   CASE WHEN i % 13 <> 0 THEN 'v' || (i * 104729) % 307 END AS t
FROM generate_series(1, 3000) AS i;
CREATE TABLE people_moved AS SELECT * FROM people ORDER BY (id * 7877) % 3001;
CREATE INDEX people_moved_t ON people_moved(t);
ANALYZE people, people_moved;

-- md5 of the rows that a query with id and v gives
CREATE FUNCTION result_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	EXECUTE 'SELECT md5(string_agg(id || '':'' || coalesce(v::text, ''null''),
		'','' ORDER BY id)) FROM (' || query || ') AS s' INTO result;
	RETURN result;
END $$;
CREATE TABLE reference AS
SELECT result_of('SELECT id, sdc.rank_swap(x, 5, seed => 9) OVER (ORDER BY id)
				  AS v FROM people') AS x,
	   result_of('SELECT id, sdc.rank_swap(t, 5, seed => 9) OVER (ORDER BY id)
				  AS v FROM people') AS t,
	   result_of('SELECT id, sdc.rank_swap(x, 5, seed => 9) OVER
				  (PARTITION BY region ORDER BY id) AS v FROM people') AS region;
SELECT * FROM reference;

CREATE FUNCTION same_results() RETURNS TABLE(x boolean, t boolean, region boolean)
LANGUAGE sql AS $$
	SELECT x = result_of('SELECT id, sdc.rank_swap(x, 5, seed => 9) OVER
						  (ORDER BY id) AS v FROM people_moved'),
		   t = result_of('SELECT id, sdc.rank_swap(t, 5, seed => 9) OVER
						  (ORDER BY id) AS v FROM people_moved'),
		   region = result_of('SELECT id, sdc.rank_swap(x, 5, seed => 9) OVER
						  (PARTITION BY region ORDER BY id) AS v
						  FROM people_moved')
	FROM reference $$;
SELECT * FROM same_results();
SET work_mem = '64kB';
SELECT * FROM same_results();
SET enable_sort = off;
SET enable_seqscan = off;
SELECT * FROM same_results();
RESET enable_sort;
RESET enable_seqscan;
RESET work_mem;
SELECT count(set_config(name, 'on', false)) AS forced FROM pg_settings
WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT * FROM same_results();
SELECT count(set_config(name, 'off', false)) AS reset FROM pg_settings
WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- other ways to ask the same
CREATE VIEW people_view AS
SELECT id, sdc.rank_swap(x, 5, seed => 9) OVER (ORDER BY id) AS v FROM people;
PREPARE swap(float8, bigint) AS
SELECT id, sdc.rank_swap(x, $1, seed => $2) OVER (ORDER BY id) AS v FROM people;
CREATE TEMP TABLE prepared AS EXECUTE swap(5, 9);
CREATE TABLE looped(id int, v int);
DO $$
DECLARE r record;
BEGIN
	FOR r IN SELECT id, sdc.rank_swap(x, 5, seed => 9) OVER (ORDER BY id) AS v
			 FROM people LOOP
		INSERT INTO looped VALUES (r.id, r.v);
	END LOOP;
END $$;
SELECT result_of('SELECT * FROM people_view') = x AS view,
	   result_of('WITH c AS (SELECT * FROM people_view) SELECT * FROM c') = x AS cte,
	   result_of('SELECT id, v FROM (SELECT * FROM people_view OFFSET 0) AS s
				  ORDER BY v') = x AS subquery,
	   result_of('SELECT * FROM prepared') = x AS prepared,
	   result_of('SELECT * FROM looped') = x AS plpgsql
FROM reference;
BEGIN;
DECLARE part CURSOR FOR
SELECT id, sdc.rank_swap(x, 20, seed => 42) OVER (ORDER BY id) AS v
FROM small ORDER BY id;
FETCH 2 FROM part;
MOVE 16 IN part;
FETCH ALL FROM part;
COMMIT;
SELECT id, sdc.rank_swap(x, 20, seed => 42) OVER (ORDER BY id) AS v
FROM small ORDER BY id LIMIT 2;

-- without ORDER BY in the window: the same pairs of value and masked value
SELECT count(*) AS pairs_that_differ FROM (
	(SELECT x, sdc.rank_swap(x, 5, seed => 9) OVER () AS y FROM people
	 EXCEPT ALL
	 SELECT x, sdc.rank_swap(x, 5, seed => 9) OVER () AS y FROM people_moved)
	UNION ALL
	(SELECT x, sdc.rank_swap(x, 5, seed => 9) OVER () AS y FROM people_moved
	 EXCEPT ALL
	 SELECT x, sdc.rank_swap(x, 5, seed => 9) OVER () AS y FROM people)) AS s;
-- also of values that are equal but do not look so
WITH n AS (SELECT id, CASE id % 3 WHEN 0 THEN x::numeric(9,0)
			 WHEN 1 THEN x::numeric(9,2) ELSE x::numeric(9,4) END AS x
		   FROM people),
	 a AS (SELECT x::text, (sdc.rank_swap(x, 5, seed => 9) OVER ())::text AS y
		   FROM (SELECT * FROM n ORDER BY id) AS s),
	 b AS (SELECT x::text, (sdc.rank_swap(x, 5, seed => 9) OVER ())::text AS y
		   FROM (SELECT * FROM n ORDER BY id DESC) AS s)
SELECT count(*) AS pairs_that_differ
FROM (SELECT * FROM a EXCEPT ALL SELECT * FROM b) AS s;
-- and of a type without order
WITH a AS (SELECT t, (sdc.shuffle(to_json(t), 9) OVER ())::text AS y
		   FROM (SELECT * FROM people ORDER BY id) AS s),
	 b AS (SELECT t, (sdc.shuffle(to_json(t), 9) OVER ())::text AS y
		   FROM (SELECT * FROM people ORDER BY id DESC) AS s)
SELECT count(*) AS pairs_that_differ
FROM (SELECT * FROM a EXCEPT ALL SELECT * FROM b) AS s;

-- 8. What differs: seeds, columns, strata, and calls without a seed.
CREATE TABLE columns AS
SELECT i AS id, i % 2 AS stratum, (i * 7919) % 1009 AS a,
	   (i * 7919) % 1009 * 2 + 1 AS b
FROM generate_series(1, 1000) AS i;
WITH s AS (
	SELECT a, b,
		   (sdc.rank_swap(a, 50, seed => 1) OVER w - 1) AS a1,
		   (sdc.rank_swap(a, 50, seed => 2) OVER w - 1) AS a2,
		   (sdc.rank_swap(b, 50, seed => 1) OVER w) AS b1,
		   (sdc.rank_swap(a, 50) OVER w) AS n1,
		   (sdc.rank_swap(a, 50) OVER w) AS n2
	FROM columns WINDOW w AS (ORDER BY id))
SELECT count(*) FILTER (WHERE a1 = a2) < 30 AS seeds_differ,
	   count(*) FILTER (WHERE b1 = (a1 + 1) * 2 + 1) < 30 AS columns_differ,
	   count(*) FILTER (WHERE n1 = n2) < 30 AS null_seeds_differ
FROM s;
-- two strata of the same size with other values: the ranks move differently
WITH ranked AS (
	SELECT stratum, a, sdc.rank_swap(a, 50, seed => 1) OVER (PARTITION BY stratum) AS y
	FROM columns),
moves AS (
	SELECT s.stratum, row_number() OVER (PARTITION BY stratum ORDER BY a) AS rx,
		   row_number() OVER (PARTITION BY stratum ORDER BY y) AS ry FROM ranked s)
SELECT count(*) FILTER (WHERE p.ry = q.ry) < 30 AS strata_differ
FROM moves p JOIN moves q ON p.stratum = 0 AND q.stratum = 1 AND p.rx = q.rx;

-- 9. Strata: nothing leaves its stratum; strata of one row and of NULL.
SELECT bool_and(before = after) AS inside
FROM (SELECT region, array_agg(x ORDER BY x) AS before,
			 array_agg(y ORDER BY y) AS after
	  FROM (SELECT region, x, sdc.rank_swap(x, 30, seed => 2)
						   OVER (PARTITION BY region) AS y FROM people) AS s
	  GROUP BY region) AS t;
SELECT region, x, sdc.rank_swap(x, 100, seed => 2) OVER (PARTITION BY region) AS y
FROM (VALUES (1, 10), (NULL, 20), (NULL, 30), (2, 40), (3, NULL)) AS v(region, x)
ORDER BY region, x;

-- 10. Large values, compressed and stored out of line.
CREATE TABLE large(id int, t text, u text);
ALTER TABLE large ALTER u SET STORAGE EXTERNAL;
INSERT INTO large
SELECT i, repeat(chr(65 + i), 100000), repeat(chr(65 + i), 10000)
FROM generate_series(1, 20) AS i;
SELECT bool_and(length(a) = 100000 AND length(b) = 10000) AS whole,
	   array_agg(DISTINCT left(a, 1)) = array_agg(DISTINCT left(t, 1)) AS all_there,
	   count(*) FILTER (WHERE a <> t) > 10 AS moved
FROM (SELECT t, sdc.rank_swap(t, 50, seed => 1) OVER () AS a,
			 sdc.rank_swap(u, 50, seed => 1) OVER () AS b FROM large) AS s;

-- 11. shuffle: a permutation, inside the stratum, seeded like rank_swap.
WITH s AS (SELECT id, region, x, sdc.shuffle(x, 3) OVER (PARTITION BY region
						ORDER BY id) AS y FROM people),
	 m AS (SELECT id, sdc.shuffle(x, 3) OVER (PARTITION BY region ORDER BY id) AS y
		   FROM people_moved)
SELECT (SELECT bool_and(before = after) FROM
			(SELECT array_agg(x ORDER BY x) AS before, array_agg(y ORDER BY y) AS after
			 FROM s GROUP BY region) AS t) AS permuted,
	   (SELECT bool_and((x IS NULL) = (y IS NULL)) FROM s) AS nulls_stay,
	   (SELECT abs(corr(x, y)) < 0.1 FROM s) AS uncorrelated,
	   (SELECT count(*) FROM s JOIN m USING (id)
		WHERE s.y IS DISTINCT FROM m.y) AS rows_that_depend_on_order;
SELECT sdc.shuffle(x, id) OVER () FROM small;
SELECT sdc.shuffle(x) OVER () FROM small WHERE false;
-- A parameter that is the same, however it is stored, does not vary.
CREATE TABLE stored AS SELECT id, x, 'classic'::text AS variant FROM people;
SELECT count(y) AS same FROM (SELECT sdc.rank_swap(x, 5, CASE WHEN id > 5 THEN variant ELSE 'classic' END) OVER () AS y FROM stored) AS s;
SELECT sdc.rank_swap(x, 5, CASE WHEN id > 5 THEN variant ELSE 'buckets' END) OVER () FROM stored;
DROP TABLE stored;
-- No number that the catalog gave a type has a part in it: arrays hold one.
CREATE DOMAIN once AS int;
CREATE DOMAIN again AS int;
SELECT count(*) AS differ FROM (SELECT sdc.shuffle(ARRAY[id]::once[], 3) OVER () AS a,
	sdc.shuffle(ARRAY[id]::again[], 3) OVER () AS b FROM people) AS s
WHERE a::int[] <> b::int[];
DROP DOMAIN once, again;

DROP TABLE rs_original, rs_swapped, small, types, ten, people_moved, reference,
	looped, columns, large;
DROP VIEW people_view;
DROP TABLE people;
DROP FUNCTION swap_report, result_of, same_results;
DROP TYPE mood, pair;
DROP DOMAIN positive;
