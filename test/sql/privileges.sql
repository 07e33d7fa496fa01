-- privileges: what the functions may do, and what they let a role see.

\set SHOW_CONTEXT never

-- Every function of the extension: kind, volatility, parallel label, whether
-- everyone may call it, and whether it runs with the rights of its owner.
SELECT p.oid::regprocedure AS function, p.prokind AS kind,
       p.provolatile AS volatile, p.proparallel AS parallel,
       has_function_privilege('public', p.oid, 'EXECUTE') AS public,
       p.prosecdef AS definer, p.proleakproof AS leakproof
FROM pg_proc p
JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
JOIN pg_extension e ON e.oid = d.refobjid
WHERE d.deptype = 'e' AND e.extname = 'sdc'
ORDER BY p.oid::regprocedure::text COLLATE "C";

-- Everyone may use the schema, nobody may put things there.
SELECT has_schema_privilege('public', 'sdc', 'USAGE') AS usage,
       has_schema_privilege('public', 'sdc', 'CREATE') AS "create";

-- Relations of the extension and what everyone may do with them.
SELECT c.oid::regclass AS relation, c.relkind AS kind,
       has_table_privilege('public', c.oid, 'SELECT') AS "select",
       has_table_privilege('public', c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
         AS change
FROM pg_class c
JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid
JOIN pg_extension e ON e.oid = d.refobjid
WHERE d.deptype = 'e' AND e.extname = 'sdc' AND c.relkind <> 'c'
ORDER BY c.oid::regclass::text COLLATE "C";

CREATE ROLE regress_sdc_reader;
CREATE ROLE regress_sdc_clerk;
CREATE ROLE regress_sdc_none;

CREATE SCHEMA privileges;
GRANT USAGE ON SCHEMA privileges TO PUBLIC;
SET search_path = privileges, public;

-- Incomes of region 3 lie apart, so one that is seen elsewhere tells itself.
CREATE TABLE people AS
SELECT i AS id, i % 3 + 1 AS region, 20 + i % 50 AS age,
       (CASE WHEN i % 3 = 2 THEN 100000 ELSE 1000 END + i)::float8 AS income,
       'secret ' || i AS diagnosis
FROM generate_series(1, 300) AS i;
ALTER TABLE people ADD PRIMARY KEY (id);
GRANT SELECT (id, region, age, income) ON people TO regress_sdc_reader;
GRANT SELECT, UPDATE (income) ON people TO regress_sdc_clerk;

-- A role without rights gets nothing, and the message holds no value.
SET ROLE regress_sdc_none;
SELECT sdc.rank_swap(income, 5, seed => 1) OVER () FROM people;
SELECT * FROM sdc.risk_report('people', '{region,age}');
CREATE TABLE masked AS
SELECT id, sdc.shuffle(income, 1) OVER () AS income FROM people;
RESET ROLE;

-- Rights on columns: what is granted works, alone or in a row; what is not
-- does not.
SET ROLE regress_sdc_reader;
SELECT count(m) FROM (
    SELECT sdc.rank_swap(income, 5, seed => 1) OVER (PARTITION BY region) AS m
    FROM people) AS q;
SELECT count(m) FROM (
    SELECT sdc.microaggregate_group(ROW(income, age), 3) OVER () AS m
    FROM people) AS q;
SELECT count(*) > 0 AS measured
FROM sdc.risk_report('people', '{region,age}');
SELECT sdc.shuffle(diagnosis, 1) OVER () FROM people;
SELECT sdc.shuffle(people, 1) OVER () FROM people;
SELECT * FROM sdc.risk_report('people', '{region,diagnosis}');
UPDATE people t SET income = q.income
FROM (SELECT id, sdc.rank_swap(income, 5, seed => 1) OVER () AS income
      FROM people) AS q
WHERE t.id = q.id;
RESET ROLE;

-- Row security: a mask moves only values that the role sees.
CREATE TABLE guarded AS TABLE people;
ALTER TABLE guarded ADD PRIMARY KEY (id);
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY not_region_3 ON guarded USING (region <> 3);
GRANT SELECT, UPDATE ON guarded TO regress_sdc_clerk;

SET ROLE regress_sdc_clerk;
CREATE TEMPORARY TABLE seen AS
SELECT id, region, income,
       sdc.rank_swap(income, 100, seed => 1) OVER () AS swapped,
       sdc.shuffle(income, 1) OVER () AS shuffled,
       sdc.microaggregate(income, 3) OVER () AS mean,
       sdc.add_noise(income, 0.01, seed => 1) OVER () AS noisy
FROM guarded;
SELECT count(*) AS rows, bool_or(region = 3) AS hidden,
       max(greatest(swapped, shuffled, mean, noisy)) < 50000 AS apart,
       array_agg(income ORDER BY income)
         = array_agg(swapped ORDER BY swapped) AS swapped,
       array_agg(income ORDER BY income)
         = array_agg(shuffled ORDER BY shuffled) AS shuffled
FROM seen;
-- The report counts what the role sees.
SELECT measure, value FROM sdc.risk_report('guarded', '{region}')
WHERE measure IN ('records', 'classes', 'k_anonymity');
-- The same seed gives the same values as a table that holds only these rows.
SELECT count(*) AS differ FROM (
    SELECT id, swapped FROM seen
    EXCEPT
    SELECT id, sdc.rank_swap(income, 100, seed => 1) OVER ()
    FROM people WHERE region <> 3) AS q;
UPDATE guarded t SET income = q.income
FROM (SELECT id, sdc.rank_swap(income, 100, seed => 2) OVER () AS income
      FROM guarded) AS q
WHERE t.id = q.id;
SET row_security = off;
SELECT sdc.shuffle(income, 1) OVER () FROM guarded;
RESET row_security;
DROP TABLE seen;
RESET ROLE;
SELECT region, sum((g.income <> p.income)::int) > 0 AS masked,
       max(g.income) < 50000 AS low
FROM guarded g JOIN people p USING (id, region) GROUP BY region ORDER BY region;

-- A view hands out with its owner's rights what it shows, and no more.
CREATE VIEW shown WITH (security_barrier) AS
SELECT id, region, income FROM people WHERE region <> 3;
GRANT SELECT ON shown TO regress_sdc_none;
SET ROLE regress_sdc_none;
SELECT count(m), max(m) < 50000 AS low FROM (
    SELECT sdc.shuffle(income, 1) OVER () AS m FROM shown) AS q;
SELECT measure, value FROM sdc.risk_report('shown', '{region}')
WHERE measure = 'records';
-- A leaky function on a masked value sees masked values only.
CREATE FUNCTION pg_temp.leak(value float8) RETURNS boolean LANGUAGE plpgsql
COST 0.0001 AS $$
BEGIN
    IF value > 50000 THEN
        RAISE NOTICE 'a hidden row was seen';
    END IF;
    RETURN true;
END $$;
SELECT count(*) FROM (
    SELECT sdc.rank_swap(income, 100, seed => 1) OVER () AS m FROM shown) AS q
WHERE pg_temp.leak(m);
DROP FUNCTION pg_temp.leak(float8);
RESET ROLE;

-- A view that masks: a role that may not read the table reads the mask.
CREATE VIEW masked_people AS
SELECT id, region, sdc.rank_swap(income, 10, seed => 3) OVER w AS income
FROM people WINDOW w AS (PARTITION BY region);
GRANT SELECT ON masked_people TO regress_sdc_none;
SET ROLE regress_sdc_none;
SELECT region, count(income) FROM masked_people GROUP BY region ORDER BY region;
SELECT count(income) FROM people;
RESET ROLE;

-- EXECUTE can be taken away from everyone and given to some.
REVOKE EXECUTE ON FUNCTION sdc.shuffle(anyelement, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sdc.shuffle(anyelement, bigint) TO regress_sdc_clerk;
SET ROLE regress_sdc_reader;
SELECT sdc.shuffle(income, 1) OVER () FROM people;
SET ROLE regress_sdc_clerk;
SELECT count(m) FROM (SELECT sdc.shuffle(income, 1) OVER () AS m FROM people) q;
RESET ROLE;
GRANT EXECUTE ON FUNCTION sdc.shuffle(anyelement, bigint) TO PUBLIC;
REVOKE EXECUTE ON FUNCTION sdc.shuffle(anyelement, bigint)
FROM regress_sdc_clerk;

-- The parts of aggregates and views cannot be called, but nobody needs to: an
-- aggregate checks that its owner may.
SELECT has_schema_privilege('regress_sdc_reader', 'sdc_internal', 'USAGE')
         AS usage,
       has_schema_privilege('regress_sdc_reader', 'sdc_internal', 'CREATE')
         AS "create";
SET ROLE regress_sdc_reader;
SELECT sdc_internal.k_anonymity_final(NULL);
SELECT '{}'::sdc_internal.tally;
SELECT sdc.k_anonymity(region) AS k, sdc.l_diversity(region, age) AS l,
       sdc.rank_disclosure(income, age, 5) IS NOT NULL AS rank_disclosure,
       sdc.adjusted_rand(region, region) AS same
FROM people;
SELECT region, sdc.unique_count(age) FROM people GROUP BY region
ORDER BY region;
SELECT count(*) FROM sdc.progress;
-- Nor with partial results of parallel workers.
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT sdc.k_anonymity(region) FROM people;
RESET min_parallel_table_scan_size;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET ROLE;

-- Settings are for everyone, and have bounds.
SET ROLE regress_sdc_none;
SET sdc.memory_limit = '2MB';
SET sdc.progress_interval = 0;
\set VERBOSITY sqlstate
SET sdc.memory_limit = 0;
SET sdc.progress_interval = -1;
\set VERBOSITY terse
RESET sdc.memory_limit;
RESET sdc.progress_interval;
SELECT count(*) FROM sdc.progress;
RESET ROLE;

RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA privileges CASCADE;
DROP ROLE regress_sdc_reader, regress_sdc_clerk, regress_sdc_none;
