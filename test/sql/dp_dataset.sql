-- dp_dataset: what may be declared about a table, by whom; budgets stay.

\set SHOW_CONTEXT never
CREATE ROLE regress_sdc_curator;
CREATE ROLE regress_sdc_analyst;
GRANT EXECUTE ON FUNCTION
    sdc.create_dataset(text, regclass, name, text, integer, integer, text,
                       numeric, numeric, numeric, interval, boolean),
    sdc.drop_dataset(text),
    sdc.describe_column(text, name, numeric, numeric, text[]),
    sdc.grant_budget(text, regrole, numeric, numeric),
    sdc.check_dataset(text, regrole) TO regress_sdc_curator;
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
SELECT sdc.create_dataset('p', 'people', epsilon => 1);
SELECT sdc.describe_column('p', 'age', 0, 120);
SELECT sdc.grant_budget('p', 'regress_sdc_analyst', 1);
SELECT sdc.drop_dataset('p');
SELECT * FROM sdc.check_dataset('p', 'regress_sdc_analyst');
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
SELECT sdc.create_dataset('o', 'others', epsilon => 1);

-- Arguments.
SELECT sdc.create_dataset(NULL, 'people', epsilon => 1);
SELECT sdc.create_dataset('', 'people', epsilon => 1);
SELECT sdc.create_dataset('p', NULL, epsilon => 1);
SELECT sdc.create_dataset('p', 'people');
SELECT sdc.create_dataset('p', 'people', epsilon => 'NaN');
SELECT sdc.create_dataset('p', 'people', epsilon => -1);
SELECT sdc.create_dataset('p', 'people', epsilon => 1e10);
SELECT sdc.create_dataset('p', 'people', epsilon => 1,
                             delta => 0.1);
SELECT sdc.create_dataset('p', 'people', accounting => 'approx',
                             epsilon => 1, delta => 1);
SELECT sdc.create_dataset('p', 'people', accounting => 'approx',
                             epsilon => 1, delta => 'NaN');
SELECT sdc.create_dataset('p', 'people', accounting => 'zcdp',
                             epsilon => 1);
SELECT sdc.create_dataset('p', 'people', accounting => 'renyi',
                             epsilon => 1);
SELECT sdc.create_dataset('p', 'people', neighbours => 'swap',
                             epsilon => 1);
SELECT sdc.create_dataset('p', 'people', 'person', max_groups => 0,
                             epsilon => 1);
SELECT sdc.create_dataset('p', 'people', 'person', max_rows => 10001,
                             epsilon => 1);
SELECT sdc.create_dataset('p', 'people', 'person', max_groups => 10000,
                             max_rows => 10000, epsilon => 1);
SELECT sdc.create_dataset('p', 'people', max_rows => 2, epsilon => 1);
SELECT sdc.create_dataset('p', 'people', epsilon => 1, min_epsilon => -1);
SELECT sdc.create_dataset('p', 'people', epsilon => 1, min_epsilon => 'NaN');
SELECT sdc.create_dataset('p', 'people', epsilon => 1, min_duration => '-1 s');
SELECT sdc.create_dataset('p', 'people', epsilon => 1, min_duration => '1 day');
SELECT sdc.create_dataset('p', 'people', 'nobody', epsilon => 1);
SELECT sdc.create_dataset('p', 'people', 'ctid', epsilon => 1);
SELECT sdc.create_dataset('p', 'people', 'place', epsilon => 1);

-- Relations that would run the code of others.
CREATE VIEW seen AS SELECT * FROM people;
CREATE TEMP TABLE brief AS SELECT 1 AS id;
CREATE SEQUENCE counter;
SELECT sdc.create_dataset('p', 'seen', epsilon => 1);
SELECT sdc.create_dataset('p', 'brief', epsilon => 1);
SELECT sdc.create_dataset('p', 'counter', epsilon => 1);

-- One that is right, and its columns.
SELECT sdc.create_dataset('p', 'people', 'person', max_groups => 2,
                             max_rows => 3, epsilon => 10);
SELECT sdc.describe_column('p', 'age', 0, 120);
SELECT sdc.describe_column('p', 'age', 0);
SELECT sdc.describe_column('p', 'age', 120, 0);
SELECT sdc.describe_column('p', 'age', 0, 0.5);
SELECT sdc.describe_column('p', 'age', 0, 1e30) IS NULL AS out_of_range;
SELECT sdc.describe_column('p', 'income', 0, 'NaN');
SELECT sdc.describe_column('p', 'region', 0, 1);
SELECT sdc.describe_column('p', 'region', categories => '{}');
SELECT sdc.describe_column('p', 'region', categories => '{north,north}');
SELECT sdc.describe_column('p', 'region', categories => '{north,NULL}');
SELECT sdc.describe_column('p', 'place', categories => '{north}');
SELECT sdc.describe_column('p', 'age', categories => '{1,01}');
SELECT sdc.describe_column('p', 'nothing', 0, 1);
SELECT sdc.describe_column('q', 'age', 0, 1);
SELECT sdc.describe_column('p', NULL, 0, 1);
SELECT sdc.describe_column('p', 'region', categories => '{north,south,east}');
RESET ROLE;
SELECT column_name, lower, upper, categories FROM sdc.dp_dataset_column
ORDER BY column_name;

-- Grants: a new one for the same role goes on, 0 takes it back.
SET ROLE regress_sdc_curator;
SELECT sdc.grant_budget('p', 'regress_sdc_analyst', NULL);
SELECT sdc.grant_budget('p', 'regress_sdc_analyst', 'NaN');
SELECT sdc.grant_budget('p', 'regress_sdc_analyst', 2, 0.1);
SELECT sdc.grant_budget('p', 'regress_sdc_analyst', 2);
SET ROLE regress_sdc_analyst;
SELECT (sdc.dp_query('p', '{count}', 1)).value IS NOT NULL AS answered;
SET ROLE regress_sdc_curator;
SELECT (sdc.dp_query('p', '{count}', 1)).value;
SELECT sdc.grant_budget('p', 'regress_sdc_analyst', 0);
SET ROLE regress_sdc_analyst;
SELECT (sdc.dp_query('p', '{count}', 1)).value;
SET ROLE regress_sdc_curator;
SELECT sdc.grant_budget('p', 'regress_sdc_analyst', 3);
SELECT role, total, spent, remaining FROM sdc.remaining_budget('p');

-- Another name for the same table is another budget, so it must be said.
SELECT sdc.create_dataset('again', 'people', epsilon => 10);
SELECT sdc.create_dataset('again', 'people', epsilon => 10,
                             anew => true);
SELECT sdc.create_dataset('again', 'people', accounting => 'zcdp',
                             epsilon => 10, delta => 1e-6);

-- Dropped, nobody may ask; made again, what was spent stays spent.
SELECT sdc.drop_dataset('p');
SELECT sdc.drop_dataset('nothing');
SET ROLE regress_sdc_analyst;
SELECT (sdc.dp_query('p', '{count}', 1)).value;
SET ROLE regress_sdc_curator;
SELECT sdc.create_dataset('p', 'people', 'person', epsilon => 10);
SELECT role, total, spent, remaining FROM sdc.remaining_budget('p');

-- So it does when the table is dropped and made again, or renamed.
ALTER TABLE people RENAME TO persons;
SET ROLE regress_sdc_analyst;
SELECT (sdc.dp_query('p', '{count}', 1)).value;
SET ROLE regress_sdc_curator;
SELECT sdc.create_dataset('p', 'persons', 'person', epsilon => 10);
DROP VIEW seen;
DROP TABLE persons;
CREATE TABLE persons AS SELECT i AS id, i AS person FROM generate_series(1, 5) AS i;
SET ROLE regress_sdc_analyst;
SELECT (sdc.dp_query('p', '{count}', 1)).value;
SET ROLE regress_sdc_curator;
SELECT sdc.create_dataset('other', 'persons', epsilon => 10);
RESET ROLE;
SELECT sdc.create_dataset('p', 'persons', 'person', epsilon => 10);
SELECT role, total, spent, remaining FROM sdc.remaining_budget('p');

-- Nor is a budget new for records that another table holds, as its part, by
-- inheritance or as a materialized view; not even where that is below a view.
CREATE TABLE whole (id int, person int) PARTITION BY RANGE (id);
CREATE TABLE whole_1 PARTITION OF whole FOR VALUES FROM (0) TO (100);
CREATE VIEW shown AS SELECT * FROM whole;
CREATE MATERIALIZED VIEW stored AS SELECT * FROM shown;
CREATE MATERIALIZED VIEW stored_1 AS SELECT * FROM whole_1;
SELECT sdc.create_dataset('stored', 'stored', epsilon => 1);
SELECT sdc.create_dataset('whole', 'whole', epsilon => 1);
SELECT sdc.create_dataset('whole_1', 'whole_1', epsilon => 1);
SELECT sdc.create_dataset('stored_1', 'stored_1', epsilon => 1);
SELECT value FROM sdc.check_dataset('stored', 'regress_sdc_analyst')
WHERE measure = 'other data sets';
SELECT sdc.create_dataset('stored_1', 'stored_1', epsilon => 1, anew => true);
SELECT value FROM sdc.check_dataset('stored', 'regress_sdc_analyst')
WHERE measure = 'other data sets';
DROP TABLE whole CASCADE;
CREATE TABLE mother (id int, age int);
CREATE TABLE daughter () INHERITS (mother);
CREATE TABLE sister () INHERITS (mother);
SELECT sdc.create_dataset('daughter', 'daughter', epsilon => 1);
SELECT sdc.create_dataset('sister', 'sister', epsilon => 1);
SELECT sdc.create_dataset('mother', 'mother', epsilon => 1);

-- Nor for a part that is one no more: what was one when the data set was made,
-- a role got a budget, or a request was charged.
CREATE TABLE torn (id int) PARTITION BY RANGE (id);
CREATE TABLE torn_1 PARTITION OF torn FOR VALUES FROM (0) TO (100);
CREATE MATERIALIZED VIEW torn_stored AS SELECT * FROM torn;
SELECT sdc.create_dataset('torn_stored', 'torn_stored', epsilon => 1);
ALTER TABLE torn DETACH PARTITION torn_1;
SELECT sdc.create_dataset('torn_1', 'torn_1', epsilon => 1);
SELECT sdc.create_dataset('torn', 'torn', epsilon => 1, anew => true);
CREATE TABLE torn_2 PARTITION OF torn FOR VALUES FROM (100) TO (200) PARTITION BY RANGE (id);
CREATE TABLE torn_3 PARTITION OF torn_2 FOR VALUES FROM (100) TO (200);
SELECT sdc.grant_budget('torn', 'regress_sdc_analyst', 1);
CREATE TABLE torn_4 PARTITION OF torn FOR VALUES FROM (200) TO (300);
SET ROLE regress_sdc_analyst;
SELECT FROM sdc.dp_query('torn', '{count}', 0.1);
RESET ROLE;
ALTER TABLE torn DETACH PARTITION torn_2;
ALTER TABLE torn_2 DETACH PARTITION torn_3;
ALTER TABLE torn DETACH PARTITION torn_4;
SELECT sdc.create_dataset('torn_3', 'torn_3', epsilon => 1);
SELECT sdc.create_dataset('torn_4', 'torn_4', epsilon => 1);
CREATE TABLE torn_5 PARTITION OF torn FOR VALUES FROM (300) TO (400);
ALTER TABLE torn DETACH PARTITION torn_5;
SELECT sdc.create_dataset('torn_5', 'torn_5', epsilon => 1);
SELECT DISTINCT d.name, p.part FROM sdc.dp_dataset_part AS p JOIN sdc.dp_dataset AS d ON d.id = p.dataset
WHERE d.name LIKE 'torn%' ORDER BY 1, 2;
SELECT sdc.drop_dataset(name) FROM sdc.dp_dataset WHERE name LIKE 'torn%' ORDER BY name;
DROP TABLE torn, torn_1, torn_2, torn_3, torn_4, torn_5 CASCADE;

-- Who may read or own what it is part of, or a part of it, needs no budget; nor
-- does who can grant himself that.
CREATE ROLE regress_sdc_other;
CREATE ROLE regress_sdc_granting;
SELECT sdc.create_dataset('mother', 'mother', epsilon => 1, anew => true);
SELECT measure FROM sdc.check_dataset('daughter', 'regress_sdc_other') WHERE value = 1;
GRANT SELECT ON mother TO regress_sdc_other;
SELECT measure FROM sdc.check_dataset('daughter', 'regress_sdc_other')
WHERE value = 1 AND measure IN ('select', 'write', 'owner');
GRANT INSERT ON sister TO regress_sdc_other;
SELECT measure FROM sdc.check_dataset('mother', 'regress_sdc_other')
WHERE value = 1 AND measure IN ('select', 'write', 'owner');
ALTER TABLE sister OWNER TO regress_sdc_other;
SELECT measure FROM sdc.check_dataset('mother', 'regress_sdc_other');
ALTER TABLE sister OWNER TO CURRENT_USER;
ALTER TABLE mother OWNER TO regress_sdc_other;
SELECT measure FROM sdc.check_dataset('daughter', 'regress_sdc_other')
WHERE value = 1 AND measure IN ('select', 'write', 'owner');
ALTER TABLE mother OWNER TO CURRENT_USER;
SELECT measure FROM sdc.check_dataset('mother', 'regress_sdc_granting')
WHERE value = 1 AND measure IN ('select', 'write', 'owner', 'grants itself roles');
GRANT SELECT ON mother TO regress_sdc_other;
ALTER ROLE regress_sdc_granting CREATEROLE;
SELECT value = (current_setting('server_version_num')::int < 160000)::int AS told
FROM sdc.check_dataset('mother', 'regress_sdc_granting')
WHERE measure IN ('select', 'server files', 'grants itself roles');

-- Another type has not the bounds of the one of before: what cannot be a number
-- is refused before anything is charged, whatever the rows are.
SELECT sdc.describe_column('mother', 'age', 0, 120);
SELECT sdc.grant_budget('mother', current_user::regrole, 1);
ALTER TABLE mother ALTER age TYPE text;
SELECT sdc.dp_query('mother', '{sum(age)}', 1);
SELECT spent FROM sdc.remaining_budget('mother');
DROP TABLE mother CASCADE;
DROP ROLE regress_sdc_other, regress_sdc_granting;

-- A table that takes the name of another one does not take its data set as long
-- as that one is there: those records would have a second budget.
CREATE TABLE swapped (id int);
SELECT sdc.create_dataset('swapped', 'swapped', epsilon => 1);
ALTER TABLE swapped RENAME TO swapped_before;
CREATE TABLE swapped (id int);
SELECT sdc.create_dataset('swapped', 'swapped', epsilon => 1);
SELECT sdc.create_dataset('more', 'swapped_before', epsilon => 1);
DROP TABLE swapped_before;
SELECT sdc.create_dataset('swapped', 'swapped', epsilon => 1);
DROP TABLE swapped;

-- Row-level security that holds for the owner would run policies.
ALTER TABLE persons ENABLE ROW LEVEL SECURITY;
ALTER TABLE persons FORCE ROW LEVEL SECURITY;
SET ROLE regress_sdc_analyst;
SELECT (sdc.dp_query('p', '{count}', 1)).value;
RESET ROLE;
ALTER TABLE persons NO FORCE ROW LEVEL SECURITY;
SET ROLE regress_sdc_analyst;
SELECT (sdc.dp_query('p', '{count}', 1)).value IS NOT NULL AS answered;
RESET ROLE;

-- What a role could learn without a budget.
SELECT measure, value FROM sdc.check_dataset('p', 'regress_sdc_analyst');
GRANT SELECT (id) ON persons TO regress_sdc_analyst;
GRANT INSERT ON persons TO regress_sdc_analyst;
SELECT measure FROM sdc.check_dataset('p', 'regress_sdc_analyst')
WHERE value = 1 EXCEPT SELECT unnest('{number of rows,size,time}'::text[])
ORDER BY measure;
SELECT measure FROM sdc.check_dataset('p', 'regress_sdc_curator')
WHERE value = 1 AND measure IN ('superuser', 'owner');

-- Also what it could become, what it sees at second hand, and what every role
-- sees.
CREATE ROLE regress_sdc_member NOINHERIT;
GRANT regress_sdc_analyst TO regress_sdc_member;
SELECT measure FROM sdc.check_dataset('p', 'regress_sdc_member')
WHERE value = 1 AND measure IN ('superuser', 'select', 'write') ORDER BY measure;
CREATE ROLE regress_sdc_other;
CREATE TABLE known (id int PRIMARY KEY, note text) PARTITION BY RANGE (id);
CREATE TABLE known_1 PARTITION OF known FOR VALUES FROM (0) TO (100);
INSERT INTO known SELECT i, (SELECT string_agg(md5(j::text), '') FROM generate_series(i, i + 200) AS j)
FROM generate_series(1, 3) AS i;
CREATE INDEX ON known_1 (id) WHERE id > 1;
CREATE TABLE referring (id int REFERENCES known);
CREATE VIEW once AS SELECT id FROM known;
CREATE VIEW twice AS SELECT id FROM once;
CREATE FUNCTION told() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT 1::bigint';
REVOKE EXECUTE ON FUNCTION told() FROM PUBLIC;
SELECT sdc.create_dataset('known', 'known', epsilon => 1, min_epsilon => 0,
                          min_duration => '1 ms');
SELECT measure FROM sdc.check_dataset('known', 'regress_sdc_other') WHERE value = 1;
GRANT SELECT ON twice TO regress_sdc_other;
GRANT INSERT ON referring TO regress_sdc_other;
GRANT EXECUTE ON FUNCTION told() TO regress_sdc_other;
SELECT sdc.create_dataset('known again', 'known', epsilon => 1, anew => true);
SELECT measure FROM sdc.check_dataset('known again', 'regress_sdc_other') WHERE value = 1;
-- Who deletes from a table that this one refers to learns which keys it has, and
-- who owns the domain of a column what it holds.
CREATE TABLE place (name text PRIMARY KEY);
CREATE TABLE told_of (name text REFERENCES place);
CREATE DOMAIN inner_domain AS text;
CREATE DOMAIN outer_domain AS inner_domain;
CREATE TABLE of_domain (note outer_domain);
SELECT sdc.create_dataset('told_of', 'told_of', epsilon => 1);
SELECT sdc.create_dataset('of_domain', 'of_domain', epsilon => 1);
SELECT measure FROM sdc.check_dataset('told_of', 'regress_sdc_other')
WHERE value = 1 AND measure IN ('foreign keys', 'domains');
SELECT measure FROM sdc.check_dataset('of_domain', 'regress_sdc_other')
WHERE value = 1 AND measure IN ('foreign keys', 'domains');
GRANT DELETE ON place TO regress_sdc_other;
ALTER DOMAIN inner_domain OWNER TO regress_sdc_other;
SELECT measure FROM sdc.check_dataset('told_of', 'regress_sdc_other')
WHERE value = 1 AND measure IN ('foreign keys', 'domains');
SELECT measure FROM sdc.check_dataset('of_domain', 'regress_sdc_other')
WHERE value = 1 AND measure IN ('foreign keys', 'domains');
DROP TABLE told_of, place, of_domain;
DROP DOMAIN outer_domain, inner_domain;
DROP TABLE referring, known CASCADE;
DROP FUNCTION told();
DROP ROLE regress_sdc_member, regress_sdc_other;

-- A budget cannot be spent by the transaction that made it.
BEGIN;
CREATE TABLE fresh AS SELECT 1 AS id;
SELECT sdc.create_dataset('fresh', 'fresh', epsilon => 1);
SELECT sdc.grant_budget('fresh', current_user::regrole, 1);
SELECT (sdc.dp_query('fresh', '{count}', 1)).value;
ROLLBACK;

-- A counter that is gone, or without a value, stops everything.
SELECT sdc.grant_budget('p', current_user::regrole, 5);
SELECT 'sdc.dp_spent_' || id AS counter FROM sdc.dp_dataset WHERE name = 'p' \gset
ALTER SEQUENCE :counter RESTART;
DO $$BEGIN
    PERFORM sdc.dp_query('p', '{count}', 1);
EXCEPTION WHEN data_corrupted THEN
    RAISE NOTICE '%', regexp_replace(SQLERRM, '\d+', 'N');
END$$;
ALTER SEQUENCE :counter RENAME TO hidden;
\set VERBOSITY sqlstate
SELECT (sdc.dp_query('p', '{count}', 1)).value;
\set VERBOSITY default
ALTER SEQUENCE sdc.hidden RENAME TO again;

-- Code of others that a request cannot do without, as the functions of a type
-- of units, can do nothing as the owner of the table: no operation that lasts,
-- and no path but PostgreSQL's own.
SET client_min_messages = warning;
CREATE TYPE person;
CREATE FUNCTION person_in(cstring) RETURNS person STRICT IMMUTABLE LANGUAGE internal AS 'int4in';
CREATE FUNCTION person_out(person) RETURNS cstring STRICT IMMUTABLE LANGUAGE internal AS 'int4out';
CREATE TYPE person (INPUT = person_in, OUTPUT = person_out, LIKE = int4);
RESET client_min_messages;
CREATE FUNCTION person_equal(person, person) RETURNS boolean STRICT IMMUTABLE LANGUAGE internal AS 'int4eq';
CREATE FUNCTION person_less(person, person) RETURNS boolean STRICT IMMUTABLE LANGUAGE internal AS 'int4lt';
CREATE FUNCTION person_order(person, person) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    CREATE TEMPORARY TABLE caught (a int);
    RAISE EXCEPTION 'could make a table';
EXCEPTION WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'restricted, as %, in %', current_user, current_setting('search_path');
END $$;
CREATE OPERATOR = (LEFTARG = person, RIGHTARG = person, FUNCTION = person_equal);
CREATE OPERATOR < (LEFTARG = person, RIGHTARG = person, FUNCTION = person_less);
CREATE OPERATOR CLASS person_ordered DEFAULT FOR TYPE person USING btree AS
    OPERATOR 1 <, OPERATOR 3 =, FUNCTION 1 person_order(person, person);
CREATE TABLE homes AS SELECT (i % 5)::text::person AS person, i AS id FROM generate_series(1, 10) AS i;
ALTER TABLE homes OWNER TO regress_sdc_curator;
SELECT sdc.create_dataset('homes', 'homes', 'person', epsilon => 10);
SELECT sdc.grant_budget('homes', current_user::regrole, 10);
SELECT (sdc.dp_query('homes', '{count}', 1)).value IS NULL AS answered;

-- A column that takes the name of the unit is not the unit.
CREATE TABLE traded AS SELECT i AS id, 1 AS person FROM generate_series(1, 1000) AS i;
SELECT sdc.create_dataset('traded', 'traded', 'person', epsilon => 1000);
SELECT sdc.grant_budget('traded', current_user::regrole, 1000);
SELECT value FROM sdc.dp_query('traded', '{count}', 100);
ALTER TABLE traded RENAME person TO other;
SELECT value FROM sdc.dp_query('traded', '{count}', 100);
ALTER TABLE traded RENAME id TO person;
SELECT value FROM sdc.dp_query('traded', '{count}', 100);
SELECT sdc.create_dataset('traded', 'traded', 'other', epsilon => 1000);
SELECT value FROM sdc.dp_query('traded', '{count}', 100);
SELECT sdc.drop_dataset('traded');
DROP TABLE traded;

-- Rows and sequences go for the tests that follow.
DROP SEQUENCE sdc.again;
DELETE FROM sdc.dp_dataset;
DELETE FROM sdc.dp_dataset_column;
DELETE FROM sdc.dp_dataset_part;
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
