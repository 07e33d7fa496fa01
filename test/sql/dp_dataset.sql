-- dp_dataset: what may be declared about a table, by whom; budgets stay.

\set SHOW_CONTEXT never
CREATE ROLE regress_sdc_curator;
CREATE ROLE regress_sdc_analyst;
GRANT EXECUTE ON FUNCTION
    sdc.dp_dataset_create(text, regclass, name, text, integer, integer, text,
                          numeric, numeric, boolean),
    sdc.dp_dataset_drop(text),
    sdc.dp_column(text, name, numeric, numeric, text[]),
    sdc.dp_grant(text, regrole, numeric, numeric),
    sdc.dp_check(text, regrole) TO regress_sdc_curator;
CREATE SCHEMA data_sets AUTHORIZATION regress_sdc_curator;
GRANT USAGE ON SCHEMA data_sets TO regress_sdc_analyst;
SET search_path = data_sets;
SET ROLE regress_sdc_curator;
CREATE TABLE people AS
SELECT i AS id, i % 10 AS person, i % 90 AS age, i * 1.5 AS income,
       (ARRAY['north', 'south'])[i % 2 + 1] AS region, point(i, i) AS place
FROM generate_series(1, 100) AS i;

-- What an analyst may not do at all.
SET ROLE regress_sdc_analyst;
SELECT sdc.dp_dataset_create('p', 'people', epsilon_total => 1);
SELECT sdc.dp_column('p', 'age', 0, 120);
SELECT sdc.dp_grant('p', 'regress_sdc_analyst', 1);
SELECT sdc.dp_dataset_drop('p');
SELECT * FROM sdc.dp_check('p', 'regress_sdc_analyst');
SELECT * FROM sdc.dp_dataset;
SELECT * FROM sdc.dp_dataset_column;
SELECT * FROM sdc.dp_budget;
SELECT * FROM sdc.dp_log;
DELETE FROM sdc.dp_log;
SELECT nextval('sdc.dp_budget_id');

-- Who may call the functions must own the table as well.
RESET ROLE;
CREATE TABLE others AS SELECT 1 AS id;
SET ROLE regress_sdc_curator;
SELECT sdc.dp_dataset_create('o', 'others', epsilon_total => 1);

-- Arguments.
SELECT sdc.dp_dataset_create(NULL, 'people', epsilon_total => 1);
SELECT sdc.dp_dataset_create('', 'people', epsilon_total => 1);
SELECT sdc.dp_dataset_create('p', NULL, epsilon_total => 1);
SELECT sdc.dp_dataset_create('p', 'people');
SELECT sdc.dp_dataset_create('p', 'people', epsilon_total => 'NaN');
SELECT sdc.dp_dataset_create('p', 'people', epsilon_total => -1);
SELECT sdc.dp_dataset_create('p', 'people', epsilon_total => 1e10);
SELECT sdc.dp_dataset_create('p', 'people', epsilon_total => 1,
                             delta_total => 0.1);
SELECT sdc.dp_dataset_create('p', 'people', accounting => 'approx',
                             epsilon_total => 1, delta_total => 1);
SELECT sdc.dp_dataset_create('p', 'people', accounting => 'approx',
                             epsilon_total => 1, delta_total => 'NaN');
SELECT sdc.dp_dataset_create('p', 'people', accounting => 'zcdp',
                             epsilon_total => 1);
SELECT sdc.dp_dataset_create('p', 'people', accounting => 'renyi',
                             epsilon_total => 1);
SELECT sdc.dp_dataset_create('p', 'people', neighbours => 'swap',
                             epsilon_total => 1);
SELECT sdc.dp_dataset_create('p', 'people', 'person', max_groups => 0,
                             epsilon_total => 1);
SELECT sdc.dp_dataset_create('p', 'people', 'person', max_rows => 10001,
                             epsilon_total => 1);
SELECT sdc.dp_dataset_create('p', 'people', 'person', max_groups => 10000,
                             max_rows => 10000, epsilon_total => 1);
SELECT sdc.dp_dataset_create('p', 'people', max_rows => 2, epsilon_total => 1);
SELECT sdc.dp_dataset_create('p', 'people', 'nobody', epsilon_total => 1);
SELECT sdc.dp_dataset_create('p', 'people', 'ctid', epsilon_total => 1);
SELECT sdc.dp_dataset_create('p', 'people', 'place', epsilon_total => 1);

-- Relations that would run the code of others.
CREATE VIEW seen AS SELECT * FROM people;
CREATE TEMP TABLE brief AS SELECT 1 AS id;
CREATE SEQUENCE counter;
SELECT sdc.dp_dataset_create('p', 'seen', epsilon_total => 1);
SELECT sdc.dp_dataset_create('p', 'brief', epsilon_total => 1);
SELECT sdc.dp_dataset_create('p', 'counter', epsilon_total => 1);

-- One that is right, and its columns.
SELECT sdc.dp_dataset_create('p', 'people', 'person', max_groups => 2,
                             max_rows => 3, epsilon_total => 10);
SELECT sdc.dp_column('p', 'age', 0, 120);
SELECT sdc.dp_column('p', 'age', 0);
SELECT sdc.dp_column('p', 'age', 120, 0);
SELECT sdc.dp_column('p', 'age', 0, 0.5);
SELECT sdc.dp_column('p', 'age', 0, 1e30) IS NULL AS out_of_range;
SELECT sdc.dp_column('p', 'income', 0, 'NaN');
SELECT sdc.dp_column('p', 'region', 0, 1);
SELECT sdc.dp_column('p', 'region', categories => '{}');
SELECT sdc.dp_column('p', 'region', categories => '{north,north}');
SELECT sdc.dp_column('p', 'region', categories => '{north,NULL}');
SELECT sdc.dp_column('p', 'place', categories => '{north}');
SELECT sdc.dp_column('p', 'age', categories => '{1,01}');
SELECT sdc.dp_column('p', 'nothing', 0, 1);
SELECT sdc.dp_column('q', 'age', 0, 1);
SELECT sdc.dp_column('p', NULL, 0, 1);
SELECT sdc.dp_column('p', 'region', categories => '{north,south,east}');
RESET ROLE;
SELECT column_name, lower, upper, categories FROM sdc.dp_dataset_column
ORDER BY column_name;

-- Grants: a new one for the same role goes on, 0 takes it back.
SET ROLE regress_sdc_curator;
SELECT sdc.dp_grant('p', 'regress_sdc_analyst', NULL);
SELECT sdc.dp_grant('p', 'regress_sdc_analyst', 'NaN');
SELECT sdc.dp_grant('p', 'regress_sdc_analyst', 2, 0.1);
SELECT sdc.dp_grant('p', 'regress_sdc_analyst', 2);
SET ROLE regress_sdc_analyst;
SELECT sdc.dp_count_q('p', 1) IS NOT NULL AS answered;
SET ROLE regress_sdc_curator;
SELECT sdc.dp_count_q('p', 1);
SELECT sdc.dp_grant('p', 'regress_sdc_analyst', 0);
SET ROLE regress_sdc_analyst;
SELECT sdc.dp_count_q('p', 1);
SET ROLE regress_sdc_curator;
SELECT sdc.dp_grant('p', 'regress_sdc_analyst', 3);
SELECT role, total, spent, remaining FROM sdc.dp_remaining('p');

-- Another name for the same table is another budget, so it must be said.
SELECT sdc.dp_dataset_create('again', 'people', epsilon_total => 10);
SELECT sdc.dp_dataset_create('again', 'people', epsilon_total => 10,
                             anew => true);
SELECT sdc.dp_dataset_create('again', 'people', accounting => 'zcdp',
                             epsilon_total => 10, delta_total => 1e-6);

-- Dropped, nobody may ask; made again, what was spent stays spent.
SELECT sdc.dp_dataset_drop('p');
SELECT sdc.dp_dataset_drop('nothing');
SET ROLE regress_sdc_analyst;
SELECT sdc.dp_count_q('p', 1);
SET ROLE regress_sdc_curator;
SELECT sdc.dp_dataset_create('p', 'people', 'person', epsilon_total => 10);
SELECT role, total, spent, remaining FROM sdc.dp_remaining('p');

-- So it does when the table is dropped and made again, or renamed.
ALTER TABLE people RENAME TO persons;
SET ROLE regress_sdc_analyst;
SELECT sdc.dp_count_q('p', 1);
SET ROLE regress_sdc_curator;
SELECT sdc.dp_dataset_create('p', 'persons', 'person', epsilon_total => 10);
DROP VIEW seen;
DROP TABLE persons;
CREATE TABLE persons AS SELECT i AS id, i AS person FROM generate_series(1, 5) AS i;
SET ROLE regress_sdc_analyst;
SELECT sdc.dp_count_q('p', 1);
SET ROLE regress_sdc_curator;
SELECT sdc.dp_dataset_create('other', 'persons', epsilon_total => 10);
RESET ROLE;
SELECT sdc.dp_dataset_create('p', 'persons', 'person', epsilon_total => 10);
SELECT role, total, spent, remaining FROM sdc.dp_remaining('p');

-- Row-level security that holds for the owner would run policies.
ALTER TABLE persons ENABLE ROW LEVEL SECURITY;
ALTER TABLE persons FORCE ROW LEVEL SECURITY;
SET ROLE regress_sdc_analyst;
SELECT sdc.dp_count_q('p', 1);
RESET ROLE;
ALTER TABLE persons NO FORCE ROW LEVEL SECURITY;
SET ROLE regress_sdc_analyst;
SELECT sdc.dp_count_q('p', 1) IS NOT NULL AS answered;
RESET ROLE;

-- What a role could learn without a budget.
SELECT measure, value FROM sdc.dp_check('p', 'regress_sdc_analyst');
GRANT SELECT (id) ON persons TO regress_sdc_analyst;
GRANT INSERT ON persons TO regress_sdc_analyst;
SELECT measure FROM sdc.dp_check('p', 'regress_sdc_analyst')
WHERE value = 1 EXCEPT SELECT unnest('{number of rows,size,time}'::text[])
ORDER BY measure;
SELECT measure FROM sdc.dp_check('p', 'regress_sdc_curator')
WHERE value = 1 AND measure IN ('superuser', 'owner');

-- A budget cannot be spent by the transaction that made it.
BEGIN;
CREATE TABLE fresh AS SELECT 1 AS id;
SELECT sdc.dp_dataset_create('fresh', 'fresh', epsilon_total => 1);
SELECT sdc.dp_grant('fresh', current_user::regrole, 1);
SELECT sdc.dp_count_q('fresh', 1);
ROLLBACK;

-- A counter that is gone, or without a value, stops everything.
SELECT sdc.dp_grant('p', current_user::regrole, 5);
SELECT 'sdc.dp_spent_' || id AS counter FROM sdc.dp_dataset WHERE name = 'p' \gset
ALTER SEQUENCE :counter RESTART;
SELECT sdc.dp_count_q('p', 1) > -1000 AS known;
ALTER SEQUENCE :counter RENAME TO hidden;
\set VERBOSITY sqlstate
SELECT sdc.dp_count_q('p', 1);
\set VERBOSITY default
ALTER SEQUENCE sdc.hidden RENAME TO again;

-- Rows and sequences go for the tests that follow.
DROP SEQUENCE sdc.again;
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
DROP OWNED BY regress_sdc_curator, regress_sdc_analyst;
DROP ROLE regress_sdc_curator, regress_sdc_analyst;
