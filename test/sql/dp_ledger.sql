-- dp_ledger: what was spent, in whole units; see also test/t/022_dp_ledger.pl.

\set SHOW_CONTEXT never
CREATE ROLE regress_sdc_analyst;
CREATE ROLE regress_sdc_second;
CREATE SCHEMA data_sets;
SET search_path = data_sets;
CREATE TABLE people AS SELECT i AS id FROM generate_series(1, 100) AS i;
SELECT sdc.create_dataset('people', 'people', epsilon => 1.5);
SELECT sdc.grant_budget('people', 'regress_sdc_analyst', 1);
SELECT sdc.grant_budget('people', 'regress_sdc_second', 1);

-- Ten charges of 0.1 are 1, not 0.9999999999999999.
SET ROLE regress_sdc_analyst;
SELECT count(value) AS answers FROM generate_series(1, 10) AS i, sdc.dp_query('people', '{count}', 0.1 + 0 * i);
SELECT role, total, spent, remaining, rolled_back FROM sdc.remaining_budget('people');
SELECT (sdc.dp_query('people', '{count}', 0.1)).value;
SELECT (sdc.dp_query('people', '{count}', 0.001)).value;
SELECT (sdc.dp_query('people', '{count}', 0.0009)).value;
SELECT role, spent FROM sdc.remaining_budget('people');
SELECT count(*), sum(cost) AS cost, min(request) AS request, bool_and(role = current_user) AS own
FROM sdc.dp_ledger WHERE dataset = 'people';

-- Several roles together get no more than the data set has.
SET ROLE regress_sdc_second;
SELECT count(*) AS mine FROM sdc.dp_ledger;
SELECT (sdc.dp_query('people', '{count}', 0.6)).value;
SELECT (sdc.dp_query('people', '{count}', 0.5)).value IS NOT NULL AS answered;
SELECT (sdc.dp_query('people', '{count}', 0.1)).value;
SELECT role, total, spent, remaining FROM sdc.remaining_budget();
RESET ROLE;
SELECT role, spent FROM sdc.remaining_budget('people');

-- What is charged is rounded up to 1e-9, what is granted rounded down.
SELECT sdc.grant_budget('people', current_user::regrole, 0.0000000019);
SELECT total FROM sdc.remaining_budget('people') WHERE role = current_user::text;
-- Single rows were protected by what was spent, not what the column says.
SELECT sdc.create_dataset('people', 'people', 'id', epsilon => 10);
SELECT sdc.create_dataset('people', 'people', 'id', epsilon => 10);
SELECT sdc.create_dataset('people', 'people', epsilon => 10);
SELECT sdc.grant_budget('people', current_user::regrole, 5);
SELECT (sdc.dp_query('people', '{count}', 0.1000000001)).value IS NOT NULL AS answered;
SELECT spent FROM sdc.remaining_budget('people') WHERE role = current_user::text;

-- Rolled back: the row of the log goes, what was spent stays.
BEGIN;
SELECT (sdc.dp_query('people', '{count}', 0.25)).value IS NOT NULL AS answered;
ROLLBACK;
BEGIN;
SAVEPOINT s;
SELECT (sdc.dp_query('people', '{count}', 0.25)).value IS NOT NULL AS answered;
ROLLBACK TO s;
COMMIT;
DO $$BEGIN
    PERFORM (sdc.dp_query('people', '{count}', 0.25)).value;
    RAISE division_by_zero;
EXCEPTION WHEN division_by_zero THEN
END$$;
SELECT spent, rolled_back FROM sdc.remaining_budget('people') WHERE role = current_user::text;

-- No charge where it could not be kept.
BEGIN READ ONLY;
SELECT (sdc.dp_query('people', '{count}', 0.25)).value;
ROLLBACK;
SELECT spent FROM sdc.remaining_budget('people') WHERE role = current_user::text;

-- zcdp: epsilon of one request costs epsilon^2 / 2; the limit is the rho that
-- epsilon and delta allow.
CREATE TABLE more AS SELECT i AS id FROM generate_series(1, 100) AS i;
SELECT sdc.create_dataset('more', 'more', accounting => 'zcdp',
                             epsilon => 1, delta => 1e-6);
SELECT sdc.grant_budget('more', current_user::regrole, 1, 1e-6);
SELECT count(value) AS answers FROM generate_series(1, 300) AS i, sdc.dp_query('more', '{count}', 0.01 + 0 * i);
SELECT unit, total, spent, remaining FROM sdc.remaining_budget('more') WHERE role IS NULL;
-- 300 * 0.01 is 3, more than 1: by zcdp it costs 0.015, of the limit
SELECT trunc(((sqrt(l + 1) - sqrt(l)) ^ 2)::numeric, 7) AS rho,
       round((rho + 2 * sqrt(rho * l))::numeric, 9) AS epsilon
FROM (SELECT -ln(1e-6) AS l) AS a, LATERAL (SELECT (sqrt(l + 1) - sqrt(l)) ^ 2 AS rho) AS b;
SELECT sdc.dp_query('more', '{count}', 1, delta => 1e-7);

-- approx: delta adds up by itself.
SELECT sdc.create_dataset('some', 'more', accounting => 'approx', epsilon => 1,
                             delta => 1e-6, anew => true);
SELECT sdc.grant_budget('some', current_user::regrole, 1, 1e-6);
SELECT count(*) AS cells FROM sdc.dp_histogram('some', '{id}', 0.5, 9e-7);
SELECT sdc.dp_histogram('some', '{id}', 0.25, 2e-7);
SELECT unit, total, spent, delta_total, delta_spent, delta_remaining
FROM sdc.remaining_budget('some') WHERE role IS NULL;

-- The counters belong to the owner of the extension, and to nobody else.
SET ROLE regress_sdc_analyst;
DO $$
DECLARE
    counter text;
    tried text;
BEGIN
    FOR counter IN SELECT oid::regclass FROM pg_class
                   WHERE relnamespace = 'sdc'::regnamespace AND relkind = 'S'
    LOOP
        FOREACH tried IN ARRAY ARRAY['SELECT setval(%L, 1)', 'SELECT nextval(%L)',
            'SELECT last_value FROM %s', 'ALTER SEQUENCE %s RESTART',
            'DROP SEQUENCE %s']
        LOOP
            BEGIN
                EXECUTE format(tried, counter);
                RAISE WARNING 'done: %', format(tried, counter);
            EXCEPTION WHEN insufficient_privilege THEN
            END;
        END LOOP;
    END LOOP;
END$$;
INSERT INTO sdc.dp_log (dataset, budget, role_name, request, cost, delta_cost)
VALUES (1, 1, 'x', 'x', 1, 1);
UPDATE sdc.dp_budget SET epsilon = 100;
CREATE TABLE sdc.mine ();
RESET ROLE;

-- What the server says of its work does not reach who asks.
SELECT sdc.grant_budget('people', 'regress_sdc_second', 2);
SET ROLE regress_sdc_second;
SET client_min_messages = log;
SET trace_sort = on;
SELECT count(*) AS answers FROM sdc.dp_query('people', '{count}', 0.25, predicate => 'id > 3');
RESET trace_sort;
RESET client_min_messages;
SELECT count(*) AS shown FROM sdc.progress;
RESET ROLE;

-- A superuser can set a counter back, which the log then tells.
SELECT measure, value FROM sdc.check_dataset('people', 'regress_sdc_second')
WHERE measure ~ 'ledger';
SELECT setval('sdc.dp_spent_' || id, 0) AS set FROM sdc.dp_dataset WHERE name = 'people';
SELECT measure, value FROM sdc.check_dataset('people', 'regress_sdc_second')
WHERE measure ~ 'ledger';

-- A role that is dropped takes its grant along, not what was spent.
CREATE ROLE regress_sdc_brief;
SELECT sdc.grant_budget('more', 'regress_sdc_brief', 1, 1e-6);
SET ROLE regress_sdc_brief;
SELECT (sdc.dp_query('more', '{count}', 0.01)).value IS NOT NULL AS answered;
RESET ROLE;
DROP ROLE regress_sdc_brief;
CREATE ROLE regress_sdc_brief;
SET ROLE regress_sdc_brief;
SELECT (sdc.dp_query('more', '{count}', 0.01)).value;
RESET ROLE;
DROP ROLE regress_sdc_brief;
SELECT spent FROM sdc.remaining_budget('more') WHERE role IS NULL;

-- Default privileges that would let others at the counters stop a new budget.
ALTER DEFAULT PRIVILEGES GRANT UPDATE ON SEQUENCES TO regress_sdc_analyst;
SELECT sdc.create_dataset('third', 'more', epsilon => 1, anew => true);
ALTER DEFAULT PRIVILEGES REVOKE UPDATE ON SEQUENCES FROM regress_sdc_analyst;

DELETE FROM sdc.dp_dataset;
DELETE FROM sdc.dp_dataset_column;
DELETE FROM sdc.dp_budget;
DELETE FROM sdc.dp_log;
SET client_min_messages = warning;
\set ECHO none
SELECT format('DROP SEQUENCE sdc.%I', relname) FROM pg_class
WHERE relkind = 'S' AND relnamespace = 'sdc'::regnamespace
  AND relname ~ '^dp_(spent|delta)_' \gexec
\set ECHO all
RESET search_path;
DROP SCHEMA data_sets CASCADE;
DROP ROLE regress_sdc_analyst, regress_sdc_second;
