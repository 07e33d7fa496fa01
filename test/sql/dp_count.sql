-- dp_count: private counts, and what holds for every private aggregate.
-- Epsilon 1024 with sensitivity 1 makes noise other than 0 once in 1e444.

\set SHOW_CONTEXT never

CREATE SCHEMA dp_count;
SET search_path = dp_count, public;
CREATE TABLE people AS
SELECT i AS id, i % 5 AS region, nullif(i % 10, 0) AS age
FROM generate_series(1, 1000) AS i;
CREATE TABLE nobody (LIKE people);

SELECT sdc.dp_count(1024) AS rows, sdc.dp_count(age, 1024) AS values,
       sdc.dp_count(DISTINCT age, 1024) AS different,
       sdc.dp_count(age, 1024) FILTER (WHERE age > 5) AS filtered
FROM people;
SELECT region, sdc.dp_count(1024) FROM people GROUP BY region ORDER BY region;
SELECT region, sdc.dp_count(age, 1024) FROM people
GROUP BY GROUPING SETS ((region), ()) ORDER BY region;
SELECT sdc.dp_count(id::text, 1024) AS text, sdc.dp_count(people, 1024) AS record
FROM people;

-- No row, no value, no group: noise all the same, never NULL.
SELECT sdc.dp_count(1024) AS rows, sdc.dp_count(age, 1024) AS values FROM nobody;
SELECT sdc.dp_count(1024) AS rows FROM people WHERE false;
SELECT sdc.dp_count(age, 1024) FILTER (WHERE false) AS filtered,
       sdc.dp_count(NULL::int, 1024) AS nulls FROM people;
-- Its law is that of a count of 0 (as in dp_noise; once in 3e6).
WITH draw AS (
    SELECT greatest(-7, least(7, sdc.dp_count(1, 1) FILTER (WHERE false))) AS y
    FROM generate_series(1, 20000) AS g GROUP BY g
), law AS (
    SELECT y, 20000 * CASE WHEN abs(y) < 7
                           THEN (1 - exp(-1)) / (1 + exp(-1)) * exp(-abs(y))
                           ELSE exp(-7) / (1 + exp(-1)) END AS expected
    FROM generate_series(-7, 7) AS y
)
SELECT sum((coalesce(seen, 0) - expected) ^ 2 / expected) < 57.4 AS plausible
FROM law LEFT JOIN (SELECT y, count(*) AS seen FROM draw GROUP BY y) s USING (y);

-- Each group and each execution draws anew; the same call twice in one SELECT
-- is one release.
SELECT count(DISTINCT c) > 20 AS fresh
FROM (SELECT sdc.dp_count(0.01) AS c FROM people GROUP BY id % 100) s;
SELECT bool_and(a = b) AS once
FROM (SELECT sdc.dp_count(0.001) AS a, sdc.dp_count(0.001) AS b
      FROM people GROUP BY id % 100) s;
PREPARE noisy(float8) AS SELECT sdc.dp_count($1) AS c FROM people;
SET plan_cache_mode = force_generic_plan;
CREATE TEMPORARY TABLE seen (c bigint);
CREATE TEMPORARY TABLE first AS EXECUTE noisy(1e-6);
CREATE TEMPORARY TABLE second AS EXECUTE noisy(1e-6);
INSERT INTO seen SELECT c FROM first UNION ALL SELECT c FROM second;
SELECT count(DISTINCT c) FROM seen;
EXECUTE noisy(1024);
EXECUTE noisy(NULL);
EXECUTE noisy(-1);
RESET plan_cache_mode;
DEALLOCATE noisy;

-- Parameters come from the query, not from rows; errors are the same with and
-- without rows.
SELECT sdc.dp_count(age) FROM people;
SELECT sdc.dp_count(age) FROM nobody;
SELECT sdc.dp_count(id, age) FROM nobody;
SELECT sdc.dp_count(random()) FROM people;
SELECT sdc.dp_count(random()) FROM nobody;
SELECT sdc.dp_count((SELECT p.age + n.id FROM nobody n LIMIT 1)) FROM people p;
SELECT sdc.dp_count((SELECT 1024)) FROM people;
SELECT r, c FROM (VALUES (1024), (1000)) AS v(r),
    LATERAL (SELECT sdc.dp_count(age, r) AS c FROM people) s ORDER BY r;
SELECT sdc.dp_count(NULL) FROM people;
SELECT sdc.dp_count(NULL) FROM nobody;
SELECT sdc.dp_count(0) FROM people;
SELECT sdc.dp_count(0) FROM nobody;
SELECT sdc.dp_count('NaN') FROM people;
SELECT sdc.dp_count('NaN') FROM nobody;
SELECT sdc.dp_count(-1) FROM nobody;
SELECT sdc.dp_count('Infinity') FROM nobody;
SELECT sdc.dp_count('-Infinity') FROM nobody;
SELECT sdc.dp_count(1e-320) FROM nobody;
SELECT sdc.dp_count(1e300) FROM nobody;

-- No window: each row would be a release.
SELECT sdc.dp_count(1) OVER () FROM people;
SELECT sdc.dp_count(age, 1) OVER (ORDER BY id) FROM people;
SELECT sdc.dp_count(1) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING)
FROM (SELECT 1 AS id) s;


-- Nobody may call them but the owner, until EXECUTE is granted; that of the
-- aggregate is enough.
CREATE ROLE regress_sdc_curator;
GRANT USAGE ON SCHEMA dp_count TO regress_sdc_curator;
GRANT SELECT ON people TO regress_sdc_curator;
SET ROLE regress_sdc_curator;
SELECT sdc.dp_count(1024) FROM people;
RESET ROLE;
GRANT EXECUTE ON FUNCTION sdc.dp_count(float8) TO regress_sdc_curator;
SET ROLE regress_sdc_curator;
SELECT sdc.dp_count(1024) FROM people;
SELECT sdc.dp_count(1024) FROM nobody;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION sdc.dp_count(float8) FROM regress_sdc_curator;
DROP OWNED BY regress_sdc_curator;
DROP ROLE regress_sdc_curator;

-- Workers count, the leader adds noise: the plan has a Gather, the figure is the
-- same.
CREATE FUNCTION has_gather(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF line ~ 'Gather' THEN
            RETURN true;
        END IF;
    END LOOP;
    RETURN false;
END $$;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 4;
SELECT has_gather('SELECT sdc.dp_count(1024), sdc.dp_count(age, 1024) FROM people WHERE id % 2 = 0');
SELECT sdc.dp_count(1024), sdc.dp_count(age, 1024) FROM people WHERE id % 2 = 0;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

DROP TABLE seen, first, second;
SET client_min_messages = warning;
DROP SCHEMA dp_count CASCADE;
