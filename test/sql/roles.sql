-- roles: what sdc.declare says of columns, who may say it, and who reads it.

\set SHOW_CONTEXT never

CREATE TABLE patients(
    id int PRIMARY KEY, name text, born date, sex "char", zip varchar(5),
    diagnosis text, weight numeric(8,2), clinic int, home int,
    "Odd, ""name""" text);

-- Nothing is declared at first.
SELECT * FROM sdc.declared('patients');

SELECT sdc.declare('patients', id => 'id', identifiers => '{name}',
                   keys => '{zip,born,sex}', sensitive => '{diagnosis}',
                   weight => 'weight', strata => '{clinic}',
                   household => 'home',
                   insensitive => ARRAY['Odd, "name"']::name[]);
SELECT * FROM sdc.declared('patients');

-- A declaration replaces the one before as a whole.
SELECT sdc.declare('patients', keys => '{sex,born}', sensitive => '{diagnosis}');
SELECT column_name, role FROM sdc.declared('patients');
SELECT sdc.declare('patients', keys => '{sex,born}', sensitive => '{diagnosis}');
SELECT column_name, role FROM sdc.declared('patients');
SELECT count(*) FROM sdc.role WHERE relation = 'patients'::regclass;

-- Without any column it is removed.
SELECT sdc.declare('patients');
SELECT * FROM sdc.declared('patients');
SELECT count(*) FROM sdc.role;

-- What is refused leaves the declaration as it was.
SELECT sdc.declare('patients', keys => '{sex,born}');
SELECT sdc.declare(NULL, keys => '{sex}');
SELECT sdc.declare('patients', keys => '{sex,sex}');
SELECT sdc.declare('patients', keys => '{sex}', sensitive => '{diagnosis,sex}');
SELECT sdc.declare('patients', 'id', insensitive => '{id}');
SELECT sdc.declare('patients', keys => '{sx}');
SELECT sdc.declare('patients', keys => '{}');
SELECT sdc.declare('patients', keys => '{NULL}');
SELECT sdc.declare('patients', id => 'ctid');
SELECT sdc.declare('patients', id => '"id"');
SELECT sdc.declare('patients', keys => ARRAY['sex) FROM patients; --']::name[]);
SELECT sdc.declare('patients', weight => 'zip');
SELECT sdc.declare('patients', weight => 'born');
SELECT sdc.declare('pg_class_oid_index', keys => '{oid}');
SELECT sdc.declare(0::oid::regclass, keys => '{oid}');
SELECT sdc.declared(0::oid::regclass);
SELECT sdc.declared(NULL);
SELECT column_name, role FROM sdc.declared('patients');

-- Rows that are events: whose, when, what and how much.
CREATE TABLE events(who int, at timestamptz, what text, much numeric, note json);
SELECT sdc.declare('events', person => 'who', at => 'at', item => 'what',
                   amount => 'much');
SELECT column_name, role FROM sdc.declared('events');
SELECT sdc.declare('events', person => 'who');
SELECT column_name, role FROM sdc.declared('events');
SELECT sdc.declare('events', at => 'at');
SELECT sdc.declare('events', keys => '{who}', item => 'what');
SELECT sdc.declare('events', id => 'who', amount => 'much');
SELECT sdc.declare('events', person => 'who', at => 'much');
SELECT sdc.declare('events', person => 'who', amount => 'at');
SELECT sdc.declare('events', person => 'who', item => 'note');
SELECT sdc.declare('events', person => 'note');
SELECT sdc.declare('events', person => 'who', item => 'who');
SELECT sdc.declare('events', person => 'who', keys => '{what}', item => 'what');
SELECT sdc.declare('events', nulls => 'wildcard', person => 'who');
SELECT column_name, role FROM sdc.declared('events');
SELECT sdc.declared_nulls('events');
SELECT sdc.declare('events');
SELECT count(*) FROM sdc.role WHERE relation = 'events'::regclass;
DROP TABLE events;

-- The codes of errors are part of the interface.
CREATE FUNCTION code_of(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE query;
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
  RETURN sqlstate;
END $$;
SELECT code_of($$SELECT sdc.declare('patients', keys => '{sx}')$$) AS unknown,
       code_of($$SELECT sdc.declare('patients', 'id', keys => '{id}')$$) AS twice,
       code_of($$SELECT sdc.declare('patients', weight => 'zip')$$) AS weight,
       code_of($$SELECT sdc.declare(NULL)$$) AS no_rel;

-- Reports take from the declaration what an argument leaves open.
INSERT INTO patients(id, sex, born)
SELECT i, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END, date '2000-01-01' + i % 3
FROM generate_series(1, 12) AS i;
SELECT measure, subject, value FROM sdc.separation('patients');
SELECT measure, subject, value FROM sdc.separation('patients', '{sex}');
CREATE TABLE undeclared AS TABLE patients;
SELECT measure FROM sdc.separation('undeclared');
SELECT sdc.declare('undeclared', sensitive => '{diagnosis}');
SELECT measure FROM sdc.separation('undeclared');

-- A table that is renamed keeps its declaration, in whatever schema; a column
-- that is renamed or dropped has lost its role, and reports say so.
CREATE SCHEMA "Else, where";
ALTER TABLE patients SET SCHEMA "Else, where";
ALTER TABLE "Else, where".patients RENAME TO "the ""ill""";
SELECT column_name, role FROM sdc.declared('"Else, where"."the ""ill"""');
ALTER TABLE "Else, where"."the ""ill""" RENAME sex TO gender;
SELECT column_name, role FROM sdc.declared('"Else, where"."the ""ill"""');
SELECT measure FROM sdc.separation('"Else, where"."the ""ill"""');
ALTER TABLE "Else, where"."the ""ill""" DROP born, DROP gender;
SELECT measure FROM sdc.separation('"Else, where"."the ""ill"""');
ALTER TABLE "Else, where"."the ""ill""" ADD sex bigint;
SELECT column_name, role, type FROM sdc.declared('"Else, where"."the ""ill"""');

-- A column that has taken the name of a declared one is not taken for it: after
-- two were swapped, names of people would leave under the name of a column that
-- names nobody, by a policy that is written after it.
CREATE TABLE swapped AS SELECT i AS id, concat('Name', i) AS name, concat('city', i % 3) AS city, i % 10 AS age FROM generate_series(1, 60) AS i;
SELECT sdc.declare('swapped', id => 'id', identifiers => '{name}', keys => '{age}', insensitive => '{city}');
ALTER TABLE swapped RENAME name TO former;
ALTER TABLE swapped RENAME city TO name;
ALTER TABLE swapped RENAME former TO city;
SELECT column_name, role, reason FROM sdc.drift('swapped') ORDER BY 1;
SELECT column_name, role FROM sdc.declared('swapped') ORDER BY 1;
SELECT count(*) FROM sdc.separation('swapped');
SELECT sdc.create_policy('swapped', 'swapped', rules => '{}', constraints => '[{"disclosure": "unchanged_share", "subject": "age", "<=": 1}]',
    params => '{"schema": "swapped_open", "attacks": []}');
SELECT sdc.declare('swapped', id => 'id', identifiers => '{city}', keys => '{age}', insensitive => '{name}');
SELECT count(*) FROM sdc.drift('swapped');
-- so is one that was made anew under the name of the one before
ALTER TABLE swapped DROP name;
ALTER TABLE swapped ADD name text;
SELECT column_name, role, reason FROM sdc.drift('swapped');
SELECT sdc.declare('swapped');
DROP TABLE swapped;

-- A view that shows other columns under the names that were declared; not one that is the same again, or whose
-- table has other names.
CREATE TABLE shown AS SELECT i AS id, concat('Name', i) AS name, concat('city', i % 3) AS city, i % 10 AS age FROM generate_series(1, 60) AS i;
CREATE VIEW shows AS SELECT id, name, city, age FROM shown;
SELECT sdc.declare('shows', id => 'id', identifiers => '{name}', keys => '{age}', insensitive => '{city}');
SELECT count(*) FROM sdc.drift('shows');
CREATE OR REPLACE VIEW shows AS
    SELECT shown.id, shown.name, shown.city, shown.age FROM shown;
ALTER TABLE shown RENAME TO was_shown;
ALTER TABLE was_shown RENAME city TO town;
SELECT count(*) FROM sdc.drift('shows');
CREATE OR REPLACE VIEW shows AS SELECT id, town AS name, name AS city, age FROM was_shown;
SELECT column_name, role, reason FROM sdc.drift('shows') ORDER BY 1;
SELECT count(*) FROM sdc.separation('shows');
SELECT sdc.declare('shows', id => 'id', identifiers => '{city}', keys => '{age}', insensitive => '{name}');
SELECT count(*) FROM sdc.drift('shows');
SELECT sdc.declare('shows');
DROP VIEW shows;
DROP TABLE was_shown;

-- A row of a table that was dropped does no harm, and goes with the next call.
DROP TABLE "Else, where"."the ""ill""";
SELECT count(*) FROM sdc.role
WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = relation);
SELECT sdc.declare('undeclared');
SELECT count(*) FROM sdc.role;

-- Types of any schema, arrays and domains are kept as they are written.
CREATE TYPE "Else, where".mood AS ENUM ('sad', 'glad');
CREATE DOMAIN "Else, where".years AS int CHECK (VALUE >= 0);
CREATE TABLE typed(a "Else, where".mood, b "Else, where".years, c text[],
                   d timestamp(3) with time zone, e varchar, f "char");
SELECT sdc.declare('typed', keys => '{a,b,c,d,e,f}');
SELECT column_name, type FROM sdc.declared('typed');
SELECT sdc.declare('typed', weight => 'b');
SELECT column_name, type FROM sdc.declared('typed');

-- Views, materialized views, temporary tables.
CREATE VIEW seen AS SELECT id, zip FROM undeclared;
CREATE MATERIALIZED VIEW kept AS SELECT id, zip FROM undeclared;
CREATE TEMPORARY TABLE passing(id int, zip text);
SELECT sdc.declare('seen', keys => '{zip}'), sdc.declare('kept', 'id'),
       sdc.declare('passing', sensitive => '{zip}');
SELECT r.name, d.column_name, d.role
FROM unnest('{seen,kept,passing}'::text[]) AS r(name), sdc.declared(r.name) AS d;

-- Partitions have the roles of the nearest parent that declares any.
CREATE TABLE visits(id int, year int, region int, age int, zip text)
PARTITION BY LIST (year);
CREATE TABLE visits_1 PARTITION OF visits FOR VALUES IN (1)
PARTITION BY LIST (region);
CREATE TABLE visits_1_1 PARTITION OF visits_1 FOR VALUES IN (1);
CREATE TABLE visits_1_2 PARTITION OF visits_1 FOR VALUES IN (2);
CREATE TABLE visits_2(zip text, gone int, age int, year int, region int, id int);
ALTER TABLE visits_2 DROP gone;
ALTER TABLE visits ATTACH PARTITION visits_2 FOR VALUES IN (2);
CREATE VIEW roles_of AS
SELECT r.name AS rel, string_agg(column_name || ' ' || role, ', ' ORDER BY n)
         AS roles, min(inherited_from::text) AS inherited_from
FROM unnest('{visits,visits_1,visits_1_1,visits_1_2,visits_2}'::text[])
       AS r(name)
LEFT JOIN LATERAL sdc.declared(r.name) WITH ORDINALITY
       AS d(column_name, role, type, inherited_from, n) ON true
GROUP BY r.name;
SELECT * FROM roles_of ORDER BY rel;
SELECT sdc.declare('visits', 'id', keys => '{age,zip}');
SELECT * FROM roles_of ORDER BY rel;
SELECT sdc.declare('visits_1', 'id', keys => '{zip,region}');
SELECT sdc.declare('visits_1_2', sensitive => '{age}');
SELECT * FROM roles_of ORDER BY rel;
INSERT INTO visits SELECT i, 1 + i % 2, 1 + i % 3 % 2, i % 5, i % 4
FROM generate_series(1, 40) AS i;
SELECT subject, value FROM sdc.separation('visits_2', params => '{"max_size":1}')
WHERE measure = 'distinction';
SELECT sdc.declare('visits_1_2'), sdc.declare('visits_1');
SELECT * FROM roles_of ORDER BY rel;
ALTER TABLE visits DETACH PARTITION visits_2;
SELECT * FROM roles_of ORDER BY rel;
-- children by INHERITS have columns of their own, and inherit nothing
CREATE TABLE heir() INHERITS (visits_2);
SELECT sdc.declare('visits_2', keys => '{age}');
SELECT * FROM sdc.declared('heir');

-- Who owns a relation declares it; everyone reads declarations.
CREATE ROLE regress_sdc_roles_owner;
CREATE ROLE regress_sdc_roles_member IN ROLE regress_sdc_roles_owner;
CREATE ROLE regress_sdc_roles_other;
CREATE TABLE owned(id int, age int);
ALTER TABLE owned OWNER TO regress_sdc_roles_owner;
GRANT ALL ON owned TO regress_sdc_roles_other;
SET ROLE regress_sdc_roles_other;
SELECT sdc.declare('owned', keys => '{age}');
SELECT sdc.declare('owned');
SELECT sdc.declare('undeclared', keys => '{zip}');
SELECT sdc.declare('pg_catalog.pg_class', keys => '{relname}');
SELECT sdc.declare('sdc.role', keys => '{relation}');
INSERT INTO sdc.role VALUES ('owned', 'age', 'key', 'integer', 1);
DELETE FROM sdc.role;
UPDATE sdc.role SET role = 'insensitive';
TRUNCATE sdc.role;
SELECT * FROM sdc.declared('owned');
SET ROLE regress_sdc_roles_owner;
SELECT sdc.declare('owned', keys => '{age}');
SET ROLE regress_sdc_roles_other;
SELECT column_name, role FROM sdc.declared('owned');
SET ROLE regress_sdc_roles_member;
SELECT sdc.declare('owned', 'id', keys => '{age}');
SET ROLE regress_sdc_roles_owner;
SELECT column_name, role FROM sdc.declared('owned');

-- The owner of the table sdc.role is the current user for one statement only,
-- also when this fails.
SELECT current_user;
BEGIN READ ONLY;
SELECT sdc.declare('owned', keys => '{age}');
ROLLBACK;
BEGIN;
SAVEPOINT s;
SET TRANSACTION READ ONLY;
SELECT sdc.declare('owned', keys => '{age}');
ROLLBACK TO s;
SELECT current_user;
SELECT * FROM undeclared;
ROLLBACK;
DO $$
BEGIN
  SET TRANSACTION READ ONLY;
  PERFORM sdc.declare('owned', keys => '{age}');
EXCEPTION WHEN read_only_sql_transaction THEN
  RAISE NOTICE 'caught, as %', current_user;
END $$;
SELECT sdc.declare('owned', keys => '{id,age}');
DELETE FROM sdc.role;
RESET ROLE;

-- A transaction that is rolled back has declared nothing.
BEGIN;
SELECT sdc.declare('owned');
ROLLBACK;
SELECT column_name, role FROM sdc.declared('owned');

-- A hostile search_path: traps for all that the statements could name.
CREATE SCHEMA trap;
CREATE TABLE trap.role(rel regclass, column_name name, role text, type text, place int);
CREATE TABLE trap.pg_class(oid oid);
CREATE FUNCTION trap.fail(oid, oid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'a trap was called'; END $$;
CREATE FUNCTION trap.fail(text, text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'a trap was called'; END $$;
CREATE FUNCTION trap.fail(regclass, regclass) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'a trap was called'; END $$;
CREATE OPERATOR trap.= (LEFTARG = oid, RIGHTARG = oid, FUNCTION = trap.fail);
CREATE OPERATOR trap.= (LEFTARG = text, RIGHTARG = text, FUNCTION = trap.fail);
CREATE OPERATOR trap.= (LEFTARG = regclass, RIGHTARG = regclass, FUNCTION = trap.fail);
CREATE FUNCTION trap.declared(regclass) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'a trap was called'; END $$;
CREATE TEMPORARY TABLE role(trap int);
CREATE TEMPORARY TABLE pg_class(trap int);
SET search_path = trap, pg_temp, pg_catalog, public;
SELECT 1::oid = 2::oid;
SELECT sdc.declare('owned', 'age', sensitive => '{id}');
SELECT * FROM sdc.declared('owned');
SELECT measure, subject, value FROM sdc.separation('owned', '{id,age}');
SELECT column_name, role FROM sdc.suggest('owned');
SELECT column_name, role FROM sdc.drift('owned');
SELECT pg_catalog.count(*) FROM trap.role;
RESET search_path;
DROP TABLE pg_temp.role, pg_temp.pg_class;

SET client_min_messages = warning;
DROP VIEW roles_of;
DROP SCHEMA trap, "Else, where" CASCADE;
DROP TABLE undeclared CASCADE;
DROP TABLE heir, visits, visits_2, typed, owned, passing;
-- what the dropped tables leave behind goes with the next declaration
CREATE TABLE last(a int);
SELECT sdc.declare('last');
SELECT count(*) FROM sdc.role;
DROP TABLE last;
DROP FUNCTION code_of;
DROP ROLE regress_sdc_roles_owner, regress_sdc_roles_member, regress_sdc_roles_other;
