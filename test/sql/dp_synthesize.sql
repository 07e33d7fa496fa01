-- sdc.dp_synthesize: what is charged, what is public, what errors say.
\set VERBOSITY default
CREATE DATABASE sdc_dp_synthesize;
SELECT current_database() AS home \gset
\c sdc_dp_synthesize
SET client_min_messages = warning;
CREATE EXTENSION sdc;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE visits AS
SELECT i AS id, i % 500 AS patient,
       (ARRAY['north', 'south', 'east'])[i % 3 + 1] AS region,
       20 + i % 60 AS age, (i * 7919 % 5000 / 10.0)::numeric(7, 2) AS cost,
       (ARRAY['sad', 'ok', 'happy'])[1 + i % 60 / 20]::mood AS mood,
       i % 60 >= 30 AS old, i % 7 / 4.0::float8 AS dose
FROM generate_series(1, 3000) AS i;
ALTER TABLE visits ALTER region SET NOT NULL;
UPDATE visits SET age = NULL WHERE id % 50 = 0;
CREATE ROLE regress_synth;
-- as it is from 15 on
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
CREATE SCHEMA synth AUTHORIZATION regress_synth;
SELECT sdc.create_dataset('visits', 'visits', accounting => 'approx',
    epsilon => 100000, delta => 0.001);
SELECT sdc.describe_column('visits', 'region',
    categories => '{north,south,east,west}');
SELECT sdc.describe_column('visits', 'age', 0, 119);
SELECT sdc.describe_column('visits', 'cost', 0, 500);
SELECT sdc.describe_column('visits', 'dose', 0, 2);
SELECT sdc.grant_budget('visits', 'regress_synth', 90000, 0.001);
-- EXECUTE is granted to nobody
SET ROLE regress_synth;
SELECT * FROM sdc.dp_synthesize('visits', 'synth.s', 1);
RESET ROLE;
GRANT EXECUTE ON FUNCTION sdc.dp_synthesize TO regress_synth;
-- nobody without a budget, the owner included, whatever his name is
DO $$
BEGIN
  PERFORM sdc.dp_synthesize('visits', 'synth.s', 1);
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING '%', replace(SQLERRM, current_user, 'owner');
END $$;
SET ROLE regress_synth;
-- a plan costs nothing
SELECT step, subject, method, measure, value, detail
FROM sdc.dp_synthesize('visits', 'synth.s', 2,
    params => '{"dry_run": true, "bins": {"age": 12}}');
SELECT spent, delta_spent FROM sdc.remaining_budget('visits') WHERE role IS NULL;
-- with much epsilon the counts are those of the table
CREATE TEMP TABLE done AS
SELECT * FROM sdc.dp_synthesize('visits', 'synth.much', 1000,
    params => '{"bins": {"age": 120}}');
SELECT region, abs(count(*) - 1000) < 50 AS thousand FROM synth.much
WHERE region <> 'west' GROUP BY region ORDER BY region;
-- of 1000 some 987 are right, with a deviation of 8 from draw to draw
SELECT mood, old, abs(count(*) - CASE mood WHEN 'ok' THEN 500 ELSE 1000 END) < 80 AS near FROM synth.much
GROUP BY mood, old HAVING count(*) > 200 ORDER BY 1, 2;
SELECT abs(count(*) - count(age) - 60) < 60 AS no_age,
       min(age) >= 0 AND max(age) <= 119 AS bounds
FROM synth.much;
SELECT count(*) FILTER (WHERE cost BETWEEN 0 AND 500) = count(cost) AS inside,
       count(DISTINCT scale(cost)) AS scales,
       bool_and(dose BETWEEN 0 AND 2 AND dose = round(dose::numeric, 4)) AS doses
FROM synth.much;
SELECT attname, format_type(atttypid, atttypmod) AS type
FROM pg_attribute WHERE attrelid = 'synth.much'::regclass AND attnum > 0
ORDER BY attnum;
SELECT pg_get_userbyid(relowner) AS owner FROM pg_class
WHERE oid = 'synth.much'::regclass;
SELECT rows, left(detail, 42) AS detail FROM done WHERE step = 'write';
-- the auditor: what the noise that was used costs, from the steps alone
CREATE TABLE synth.account AS
SELECT 'pure mst' AS what, 1.5 AS epsilon, 0.0 AS delta, s.* FROM
    sdc.dp_synthesize('visits', 'pg_temp.a', 1.5) AS s
UNION ALL SELECT 'pure aim', 3, 0, s.* FROM
    sdc.dp_synthesize('visits', 'pg_temp.b', 3, method => 'aim',
    columns => 'region,mood,old') AS s
UNION ALL SELECT 'approx mst', 2, 1e-6, s.* FROM
    sdc.dp_synthesize('visits', 'pg_temp.c', 2, 1e-6) AS s
UNION ALL SELECT 'approx aim', 0.7, 1e-5, s.* FROM
    sdc.dp_synthesize('visits', 'pg_temp.d', 0.7, 1e-5, 'aim') AS s
UNION ALL SELECT 'approx independent', 1, 1e-9, s.* FROM
    sdc.dp_synthesize('visits', 'pg_temp.e', 1, 1e-9, 'independent') AS s;
CREATE TABLE synth.costs AS
SELECT what, epsilon, delta, sum(CASE
    WHEN step = 'choose' AND delta = 0 THEN chosen
    WHEN step = 'choose' THEN chosen * chosen / 8
    WHEN delta = 0 THEN 1 / scale ELSE 1 / (2 * scale) END) AS cost
FROM (SELECT what, epsilon, delta, step,
        substring(detail FROM 'epsilon is exactly (\S+?)\.$')::numeric AS chosen,
        substring(detail FROM 'exactly (\d+) /')::numeric /
            2 ^ substring(detail FROM '2\^(\d+)')::numeric AS scale
      FROM synth.account WHERE step IN ('choose', 'measure')) AS used
GROUP BY 1, 2, 3;
-- epsilon itself; or an order for which rho gives no more than delta
SELECT what, cost <= epsilon AS within, cost > 0.999999 * epsilon AS all_of_it
FROM synth.costs WHERE delta = 0 ORDER BY what;
CREATE FUNCTION synth.excess(a numeric, rho numeric, epsilon numeric, delta numeric)
RETURNS numeric LANGUAGE sql IMMUTABLE AS
'SELECT (a - 1) * (a * rho - epsilon) + a * ln(1 - 1 / a) - ln(a - 1) - ln(delta)';
SELECT what, least <= 0 AS within, least > -0.001 AS all_of_it,
       more <= 0 AS a_percent_more
FROM (SELECT DISTINCT ON (what) what, cost, c.epsilon, delta, a
      FROM synth.costs AS c,
           LATERAL (SELECT 1 + exp(n / 100.0) AS a
                    FROM generate_series(-100, 800) AS n) AS coarse
      WHERE delta > 0
      ORDER BY what, synth.excess(a, cost, epsilon, delta)) AS best,
     LATERAL (SELECT min(synth.excess(1 + (a - 1) * (1 + n * 0.000003), cost,
                  epsilon, delta)) AS least,
                  min(synth.excess(1 + (a - 1) * (1 + n * 0.000003),
                  cost * 1.01, epsilon, delta)) AS more
              FROM generate_series(-4000, 4000) AS n) AS fine
ORDER BY what;
-- charged as asked, whatever is rolled back, and in the log
BEGIN;
SELECT count(*) FROM sdc.dp_synthesize('visits', 'synth.back', 5, 1e-6);
ROLLBACK;
SELECT to_regclass('synth.back');
SELECT spent, delta_spent, rolled_back FROM sdc.remaining_budget('visits')
WHERE role IS NULL;
SELECT request, cost, delta_cost FROM sdc.dp_ledger ORDER BY id LIMIT 2;
-- errors come before the charge
SELECT * FROM sdc.dp_synthesize('visits', 'visits', 1);
SELECT * FROM sdc.dp_synthesize('visits', 'synth.much', 1);
SELECT * FROM sdc.dp_synthesize('visits', 'synth.s', 1, columns => 'id');
SELECT * FROM sdc.dp_synthesize('visits', 'synth.s', 1, columns => 'nothing');
SELECT * FROM sdc.dp_synthesize('visits', 'synth.s', 1, method => 'cart');
SELECT * FROM sdc.dp_synthesize('visits', 'synth.s', 0.0001);
SELECT * FROM sdc.dp_synthesize('visits', 'synth.s', 'NaN');
SELECT * FROM sdc.dp_synthesize('visits', 'synth.s', 1, 1);
SELECT * FROM sdc.dp_synthesize('visits', 'synth.s', 1, rows => 0);
SELECT * FROM sdc.dp_synthesize('visits', 'synth.s', 1, params => '{"bin": 3}');
SELECT * FROM sdc.dp_synthesize('visits', 'synth.s', 1,
    params => '{"bins": {"age": 0}}');
SELECT * FROM sdc.dp_synthesize('visits', 'synth.s', 1,
    params => '{"max_size": 0.01, "bins": {"cost": 5000}}');
SELECT * FROM sdc.dp_synthesize('visits', 'nowhere.s', 1);
SELECT * FROM sdc.dp_synthesize('visits', 'synth.s', 1025);
SELECT * FROM sdc.dp_synthesize('other', 'synth.s', 1);
SELECT * FROM sdc.dp_synthesize(NULL, 'synth.s', 1);
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM sdc.dp_synthesize('visits', 'synth.s', 1);
ROLLBACK;
EXPLAIN (ANALYZE, COSTS off)
SELECT * FROM sdc.dp_synthesize('visits', 'synth.s', 1);
SELECT spent, delta_spent FROM sdc.remaining_budget('visits') WHERE role IS NULL;
RESET ROLE;
-- neighbours: what is no answer is the same, whatever one record holds
CREATE TABLE near AS SELECT region, age, cost FROM visits;
CREATE TABLE far AS SELECT region, age, cost FROM visits;
INSERT INTO far VALUES ('nowhere', 5000, NULL), ('north', NULL, 99999),
    ('', -1, 'NaN');
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY '{near,far}'::text[] LOOP
        PERFORM sdc.create_dataset(name, name::regclass, epsilon => 100000);
        PERFORM sdc.describe_column(name, 'region',
            categories => '{north,south,east,west}');
        PERFORM sdc.describe_column(name, 'age', 0, 119);
        PERFORM sdc.describe_column(name, 'cost', 0, 500);
        PERFORM sdc.grant_budget(name, 'regress_synth', 100000);
    END LOOP;
END$$;
SET ROLE regress_synth;
CREATE TABLE synth.near_steps AS
SELECT * FROM sdc.dp_synthesize('near', 'synth.near', 1, rows => 100);
CREATE TABLE synth.far_steps AS
SELECT * FROM sdc.dp_synthesize('far', 'synth.far', 1, rows => 100);
SELECT step, subject, method, measure, value, detail FROM synth.near_steps
WHERE step IN ('column', 'withhold') OR (step = 'measure' AND subject !~ ',')
EXCEPT
SELECT step, subject, method, measure, value, detail FROM synth.far_steps;
SELECT step, count(*) FROM synth.near_steps GROUP BY step
EXCEPT SELECT step, count(*) FROM synth.far_steps GROUP BY step;
-- of the three records the one with public values is counted, clipped
SELECT rows FROM sdc.dp_synthesize('far', 'synth.far2', 1000) WHERE step = 'write';
SELECT count(*) FILTER (WHERE age IS NULL) BETWEEN 30 AND 120 AS no_age,
       count(*) FILTER (WHERE region NOT IN ('north', 'south', 'east')) < 50 AS few_others,
       max(cost) <= 500 AS clipped
FROM synth.far2;
RESET ROLE;
-- a unit counts with no more rows than it may; rows without one do not
CREATE TABLE many AS
SELECT i % 100 AS unit, 'a' AS kind FROM generate_series(1, 1000) AS i
UNION ALL SELECT 7, 'b' FROM generate_series(1, 5000)
UNION ALL SELECT NULL, 'c' FROM generate_series(1, 500);
SELECT sdc.create_dataset('many', 'many', unit_column => 'unit', max_rows => 3,
    neighbours => 'replace', accounting => 'zcdp', epsilon => 90000, delta => 1e-6);
SELECT sdc.describe_column('many', 'kind', categories => '{a,b,c}');
SELECT sdc.grant_budget('many', 'regress_synth', 90000, 1e-6);
SET ROLE regress_synth;
SELECT rows BETWEEN 299 AND 301 AS rows
FROM sdc.dp_synthesize('many', 'synth.many', 300) WHERE step = 'write';
-- 300 of the 6,500 rows, some by noise of another kind, or of none
SELECT count(*) FILTER (WHERE kind = 'a') >= 285 AS most,
       count(*) FILTER (WHERE kind <> 'a' OR kind IS NULL) BETWEEN 1 AND 15 AS few
FROM synth.many;
SELECT * FROM sdc.dp_synthesize('many', 'synth.m', 1, columns => 'unit,kind');
SELECT * FROM sdc.dp_synthesize('many', 'synth.m', 1, 1e-9);
-- rho is epsilon^2 / 2: of 3 rows, replaced, 3^2 / variance
SELECT sum(9 / (substring(detail FROM 'exactly (\d+) /')::numeric /
           2 ^ substring(detail FROM '2\^(\d+)')::numeric)) BETWEEN 0.4999999 AND 0.5
           AS half
FROM sdc.dp_synthesize('many', 'synth.m', 1) WHERE step = 'measure';
SELECT cost FROM sdc.dp_ledger WHERE dataset = 'many' ORDER BY id;
RESET ROLE;
-- an empty table has records only by noise
CREATE TABLE empty (kind text);
SELECT sdc.create_dataset('empty', 'empty', epsilon => 10000);
SELECT sdc.describe_column('empty', 'kind', categories => '{a,b}');
SELECT sdc.grant_budget('empty', 'regress_synth', 10000);
SET ROLE regress_synth;
SELECT rows FROM sdc.dp_synthesize('empty', 'synth.empty', 1000) WHERE step = 'write';
SELECT count(*) FROM synth.empty;
SELECT rows FROM sdc.dp_synthesize('empty', 'synth.ten', 1000, rows => 10)
WHERE step = 'write';
RESET ROLE;
-- bounds beyond a type, or between the values of its grid: what is drawn is
-- neither
SELECT CASE WHEN current_setting('server_version_num')::int >= 150000
    THEN 'numeric(3,-2)' ELSE 'numeric(5,0)' END AS type,
    CASE WHEN current_setting('server_version_num')::int >= 150000
    THEN 100 ELSE 1 END AS step \gset
CREATE TABLE wide (hundreds :type NOT NULL, small int2 NOT NULL,
    usual int4 NOT NULL, tenths numeric(3,1) NOT NULL, kind varchar(2));
INSERT INTO wide SELECT (i - 1000) * 99.9, i * 16, (i - 1000) * 2000000, i / 21.0, 'a'
FROM generate_series(1, 2000) AS i;
SELECT sdc.create_dataset('wide', 'wide', epsilon => 100000);
SELECT sdc.describe_column('wide', 'hundreds', -1000000, 1000000),
    sdc.describe_column('wide', 'small', -5, 40000),
    sdc.describe_column('wide', 'usual', -5000000000, 5000000000),
    sdc.describe_column('wide', 'tenths', -0.25, 5000),
    sdc.describe_column('wide', 'kind', categories => '{a,b,far}');
SELECT sdc.grant_budget('wide', 'regress_synth', 100000);
SET ROLE regress_synth;
SELECT count(*) FROM sdc.dp_synthesize('wide', 'synth.wide', 1000,
    method => 'independent', columns => 'hundreds,small,usual,tenths', rows => 2000,
    params => '{"bins": {"hundreds": 2000}}');
SELECT bool_and(hundreds % :step = 0) AS on_grid,
    min(hundreds) BETWEEN -99999 AND -98000 AS from,
    max(hundreds) BETWEEN 98000 AND 99999 AS up_to,
    count(DISTINCT hundreds) > 1000 AS many,
    min(small) BETWEEN -5 AND 500 AS small, max(small) > 31000 AS short,
    min(usual) < -1900000000 AS below, max(usual) > 1900000000 AS above,
    min(tenths) BETWEEN -0.2 AND 2 AS low, max(tenths) BETWEEN 90 AND 99.9 AS high
FROM synth.wide;
-- what cannot be written is refused before the charge
SELECT * FROM sdc.dp_synthesize('wide', 'synth.kinds', 1, columns => 'kind');
RESET ROLE;
SELECT sdc.describe_column('wide', 'small', 33000, 40000);
SELECT sdc.describe_column('wide', 'tenths', 0.01, 0.09);
CREATE FUNCTION no_tables() RETURNS event_trigger LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION 'no tables today'; END$$;
CREATE EVENT TRIGGER no_tables ON ddl_command_start
    WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION no_tables();
SET ROLE regress_synth;
SELECT * FROM sdc.dp_synthesize('wide', 'synth.kinds', 1, columns => 'small');
SELECT * FROM sdc.dp_synthesize('wide', 'synth.kinds', 1, columns => 'tenths');
SELECT * FROM sdc.dp_synthesize('wide', 'synth.kinds', 1, columns => 'usual');
SELECT spent FROM sdc.remaining_budget('wide') WHERE role IS NULL;
RESET ROLE;
DROP EVENT TRIGGER no_tables;
DROP OWNED BY regress_synth CASCADE;
DROP ROLE regress_synth;
\c :home
DROP DATABASE sdc_dp_synthesize;
