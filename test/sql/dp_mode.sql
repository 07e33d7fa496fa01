-- dp_mode: the most frequent of public candidates, privately.
-- With epsilon 100 and counts that differ by 10 or more, another answer than
-- the true one comes once in 1e200.

\set SHOW_CONTEXT never

CREATE SCHEMA dp_mode;
SET search_path = dp_mode, public;
CREATE TABLE people AS
SELECT i AS id, (ARRAY['north', 'south', 'south', 'west'])[i % 4 + 1] AS region,
       i % 4 AS code
FROM generate_series(1, 400) AS i;
CREATE TABLE nobody (LIKE people);

SELECT sdc.dp_mode(region, '{west,south,north,east}', 100) AS text,
       sdc.dp_mode(region, '{east,west}'::text[], 100) AS of_few,
       sdc.dp_mode(code / 2, '{0,1}', 100) IN (0, 1) AS int4,
       sdc.dp_mode(round(code / 3.0, 2), '{0.00,0.3}', 100) AS numeric,
       sdc.dp_mode(region, '{east}', 0.1) AS one
FROM people;
SELECT code, sdc.dp_mode(region, '{west,south,north}', 100) FROM people
GROUP BY code ORDER BY code;

-- Nothing to count: any candidate, each as often. 2 degrees, 27.6 once in a million.
WITH draw AS (
    SELECT sdc.dp_mode(region, '{a,b,c}', 1) FILTER (WHERE false) AS m
    FROM people, generate_series(1, 10) AS g GROUP BY id, g
)
SELECT sum((n - 4000 / 3.0) ^ 2 / (4000 / 3.0)) < 27.6 AS uniform
FROM (SELECT count(*) AS n FROM draw GROUP BY m) s;
SELECT sdc.dp_mode(region, '{a,b}', 1) IN ('a', 'b') AS empty FROM nobody;
SELECT sdc.dp_mode(NULL::text, '{a,b}', 1) IN ('a', 'b') AS nulls FROM people;

-- Permute and flip, counts 2 and 1, epsilon 1: the second is chosen when it
-- comes first and its event of exp(-1) happens; when replaced, exp(-1/2).
SELECT abs(avg((a = 'y')::int) - exp(-1) / 2) < 4.9 * sqrt(0.15 / 5000) AS add_remove
FROM (SELECT sdc.dp_mode(x, '{x,y}', 1) AS a
      FROM generate_series(1, 5000) AS g, unnest('{x,x,y}'::text[]) AS x GROUP BY g) q;
SET sdc.dp_neighbours = replace;
SELECT abs(avg((a = 'y')::int) - exp(-0.5) / 2) < 4.9 * sqrt(0.22 / 5000) AS replace
FROM (SELECT sdc.dp_mode(x, '{x,y}', 1) AS a
      FROM generate_series(1, 5000) AS g, unnest('{x,x,y}'::text[]) AS x GROUP BY g) q;
RESET sdc.dp_neighbours;

-- States of workers are added up: groups in some, in all, and in none of them.
CREATE TABLE many AS
SELECT i AS id, (ARRAY['a', 'b', 'b', 'c', 'c', 'c'])[i % 6 + 1] AS word, i % 3 AS g
FROM generate_series(1, 60000) AS i;
ANALYZE many;
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT sdc.dp_mode(word, '{a,b,c,d}', 10) FROM many;
SELECT sdc.dp_mode(word, '{a,b,c,d}', 10) AS all,
       sdc.dp_mode(word, '{b,a}', 10) AS of_two,
       sdc.dp_mode(word, '{d,a}', 10) FILTER (WHERE id = 7 OR id % 6 = 0) AS few,
       sdc.dp_mode(word, '{d}', 10) FILTER (WHERE false) AS none
FROM many;
SELECT g, sdc.dp_mode(word, '{c,b,a}', 10) FROM many WHERE id % 6 < 3
GROUP BY g ORDER BY g;
SELECT sdc.dp_mode(word, '{a,a}', 10) FROM many;
ROLLBACK;

-- Errors, the same with and without rows.
SELECT sdc.dp_mode(region, NULL, 1) FROM people;
SELECT sdc.dp_mode(region, NULL, 1) FROM nobody;
SELECT sdc.dp_mode(region, '{}', 1) FROM people;
SELECT sdc.dp_mode(region, '{}', 1) FROM nobody;
SELECT sdc.dp_mode(region, '{a,NULL}', 1) FROM nobody;
SELECT sdc.dp_mode(region, '{{a},{b}}', 1) FROM nobody;
SELECT sdc.dp_mode(region, '{a,b,a}', 1) FROM nobody;
SELECT sdc.dp_mode(region, ARRAY[region], 1) FROM nobody;
SELECT sdc.dp_mode(point(0, 0), ARRAY[point(0, 0)], 1) FROM nobody;
SELECT sdc.dp_mode(region, '{a}', 0) FROM nobody;
SELECT sdc.dp_mode(DISTINCT region, '{a}', 1) FROM people;
SELECT sdc.dp_mode(region, '{a}', 1) OVER () FROM people;

SET client_min_messages = warning;
DROP SCHEMA dp_mode CASCADE;
