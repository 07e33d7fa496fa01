-- copy_code: a copy of a schema runs no code of other roles.
SET client_min_messages = warning;
CREATE ROLE regress_code_owner;
CREATE ROLE regress_code_other;
\set ECHO none
SELECT format('GRANT CREATE ON DATABASE %I TO regress_code_owner', current_database()) \gexec
\set ECHO all
CREATE SCHEMA regress_code AUTHORIZATION regress_code_owner;
CREATE SCHEMA regress_util;
GRANT ALL ON SCHEMA regress_code TO regress_code_other;
GRANT ALL ON SCHEMA regress_util TO regress_code_owner, regress_code_other;
SET ROLE regress_code_owner;
CREATE TABLE regress_code.t (id int PRIMARY KEY, a text);
INSERT INTO regress_code.t SELECT i, 'x' FROM generate_series(1, 5) AS i;
CREATE FUNCTION regress_util.label(regress_code.t) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT $1.a $$;
CREATE FUNCTION regress_util.twice(int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT 2 * $1 $$;
CREATE FUNCTION regress_util.same(regress_code.t, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT $1.id = $2 $$;
CREATE OPERATOR regress_util.=== (FUNCTION = regress_util.same, LEFTARG = regress_code.t, RIGHTARG = int);
SET ROLE regress_code_other;
CREATE FUNCTION regress_util.spy(record) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF current_user = 'regress_code_owner' THEN RAISE WARNING 'ran as %', current_user; END IF; RETURN 'spied'; END $$;
CREATE FUNCTION regress_util.spy(record, int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN regress_util.spy($1) = 'spied'; END $$;
CREATE FUNCTION regress_util.spy(int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT length(regress_util.spy(ROW($1))) $$;
CREATE FUNCTION regress_util.spy(float8, float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT $1 - $2 FROM (SELECT regress_util.spy(ROW($1))) AS s $$;
CREATE DOMAIN regress_util.spied AS int CHECK (regress_util.spy(VALUE) > 0);
RESET ROLE;
\set copied 'SET LOCAL ROLE regress_code_owner; SET LOCAL client_min_messages = warning; SELECT step, subject, detail FROM sdc.copy_schema(''regress_code'', ''regress_safe'', ''{"*": {"method": "keep"}}'') WHERE step NOT IN (''kept'', ''write'');'
-- A row of a table is of another type in the copy: what takes any row would be called in the place of what takes that one.
BEGIN; SET LOCAL ROLE regress_code_owner; CREATE MATERIALIZED VIEW regress_code.v AS SELECT t.id, regress_util.label(t) FROM regress_code.t;
SET LOCAL ROLE regress_code_other; CREATE FUNCTION regress_util.label(r record) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN regress_util.spy(r); END $$; :copied
ROLLBACK; BEGIN; SET LOCAL ROLE regress_code_owner; CREATE INDEX ON regress_code.t (regress_util.label(t));
SET LOCAL ROLE regress_code_other; CREATE FUNCTION regress_util.label(r record) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN regress_util.spy(r); END $$; :copied
ROLLBACK; BEGIN; SET LOCAL ROLE regress_code_owner; CREATE INDEX ON regress_code.t (id) WHERE t OPERATOR(regress_util.===) 3;
SET LOCAL ROLE regress_code_other; CREATE OPERATOR regress_util.=== (FUNCTION = regress_util.spy, LEFTARG = record, RIGHTARG = int); :copied
-- a name of another schema, or one of what takes no row, is no matter
ROLLBACK; BEGIN; SET LOCAL ROLE regress_code_owner; CREATE MATERIALIZED VIEW regress_code.v AS SELECT id, regress_util.twice(id) FROM regress_code.t WHERE id <> 1.5;
SET LOCAL ROLE regress_code_other; CREATE FUNCTION regress_code.label(record) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'; CREATE FUNCTION regress_util.twice(numeric) RETURNS int LANGUAGE sql AS 'SELECT 1'; :copied
-- Functions of others in keys of partitions, in types, in what is made of a materialized view, and in domains that it casts to.
ROLLBACK; BEGIN; SET LOCAL ROLE regress_code_owner; CREATE TABLE regress_code.p (id int) PARTITION BY RANGE (regress_util.spy(id)); CREATE TABLE regress_code.p_1 PARTITION OF regress_code.p DEFAULT; :copied
ROLLBACK; BEGIN; SET LOCAL ROLE regress_code_owner; CREATE TYPE regress_code.span AS RANGE (SUBTYPE = float8, SUBTYPE_DIFF = regress_util.spy); ALTER TABLE regress_code.t ADD s regress_code.span; :copied
ROLLBACK; BEGIN; SET LOCAL ROLE regress_code_owner; CREATE TYPE regress_code.span AS RANGE (SUBTYPE = float8, SUBTYPE_DIFF = regress_util.spy); CREATE MATERIALIZED VIEW regress_code.v AS SELECT regress_code.span(id, id + 1) FROM regress_code.t; :copied
ROLLBACK; BEGIN; SET LOCAL client_min_messages = error; SET LOCAL ROLE regress_code_owner; CREATE MATERIALIZED VIEW regress_code.v AS SELECT id FROM regress_code.t; CREATE INDEX ON regress_code.v (regress_util.spy(id)); :copied
ROLLBACK; BEGIN; SET LOCAL client_min_messages = error; SET LOCAL ROLE regress_code_owner; CREATE MATERIALIZED VIEW regress_code.v AS SELECT id::regress_util.spied::int FROM regress_code.t; :copied
ROLLBACK;
-- An event trigger whose function another role can replace does not run as a superuser.
CREATE FUNCTION regress_util.on_ddl() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'fired as a superuser: %', (SELECT rolsuper FROM pg_roles WHERE rolname = current_user); END $$;
CREATE SCHEMA regress_plain;
CREATE TABLE regress_plain.t (id int PRIMARY KEY);
BEGIN;
CREATE EVENT TRIGGER regress_on_ddl ON ddl_command_end WHEN tag IN ('CREATE SCHEMA') EXECUTE FUNCTION regress_util.on_ddl();
SELECT count(*) > 0 AS done FROM sdc.copy_schema('regress_plain', 'regress_safe');
DROP SCHEMA regress_safe CASCADE;
ALTER FUNCTION regress_util.on_ddl() OWNER TO regress_code_other;
SELECT sdc.copy_schema('regress_plain', 'regress_safe');
ROLLBACK;
DROP SCHEMA regress_plain, regress_code, regress_util CASCADE;
\set ECHO none
SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_code_owner', current_database()) \gexec
\set ECHO all
DROP OWNED BY regress_code_owner, regress_code_other;
DROP ROLE regress_code_owner, regress_code_other;
