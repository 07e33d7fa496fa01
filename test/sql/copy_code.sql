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
-- By dependencies: domains that functions take or give, and that a check casts to; policies of row-level security that hold for the owner, too.
CREATE FUNCTION regress_code.takes(regress_util.spied) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
CREATE FUNCTION regress_code.gives(int) RETURNS regress_util.spied LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1; END';
ALTER FUNCTION regress_code.takes(regress_util.spied) OWNER TO regress_code_owner;
ALTER FUNCTION regress_code.gives(int) OWNER TO regress_code_owner;
BEGIN; SET LOCAL client_min_messages = error; SET LOCAL ROLE regress_code_owner; ALTER TABLE regress_code.t ADD CHECK (regress_code.takes(id)); :copied
ROLLBACK; BEGIN; SET LOCAL client_min_messages = error; SET LOCAL ROLE regress_code_owner; ALTER TABLE regress_code.t ADD CHECK (id::regress_util.spied > 0); :copied
ROLLBACK; BEGIN; SET LOCAL client_min_messages = error; SET LOCAL ROLE regress_code_owner; CREATE MATERIALIZED VIEW regress_code.v AS SELECT regress_code.gives(id)::int AS n FROM regress_code.t; :copied
ROLLBACK; BEGIN; SET LOCAL client_min_messages = error; SET LOCAL ROLE regress_code_owner; CREATE POLICY p ON regress_code.t USING (regress_util.spy(id) > 0); ALTER TABLE regress_code.t ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; :copied
-- a policy that does not hold for the owner runs nothing
ROLLBACK; BEGIN; SET LOCAL client_min_messages = error; SET LOCAL ROLE regress_code_owner; CREATE POLICY p ON regress_code.t USING (regress_util.spy(id) > 0); ALTER TABLE regress_code.t ENABLE ROW LEVEL SECURITY; :copied
-- and a view that calls a function of another role, with a type of his, is left out, as before
ROLLBACK; CREATE FUNCTION regress_util.theirs() RETURNS regress_util.spied LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN 1; END';
ALTER FUNCTION regress_util.theirs() OWNER TO regress_code_other;
BEGIN; SET LOCAL client_min_messages = error; SET LOCAL ROLE regress_code_owner; CREATE VIEW regress_code.v AS SELECT regress_util.theirs() IS NULL AS n FROM regress_code.t; :copied
ROLLBACK; DROP FUNCTION regress_util.theirs(), regress_code.takes(regress_util.spied), regress_code.gives(int);
-- A part of a table in another schema, which belongs to another role.
GRANT ALL ON SCHEMA regress_util TO regress_code_owner;
BEGIN; SET LOCAL client_min_messages = error; SET LOCAL ROLE regress_code_owner; CREATE TABLE regress_code.p (id int) PARTITION BY LIST (id); RESET ROLE;
CREATE TABLE regress_util.p_1 PARTITION OF regress_code.p DEFAULT; ALTER TABLE regress_util.p_1 OWNER TO regress_code_other;
SET LOCAL ROLE regress_code_other; CREATE INDEX ON regress_util.p_1 (regress_util.spy(id));
SET LOCAL ROLE regress_code_owner; INSERT INTO regress_code.p VALUES (1); :copied
ROLLBACK; BEGIN; SET LOCAL client_min_messages = error; SET LOCAL ROLE regress_code_owner; CREATE TABLE regress_code.p (id int) PARTITION BY LIST (id); RESET ROLE;
CREATE TABLE regress_util.p_1 PARTITION OF regress_code.p DEFAULT; ALTER TABLE regress_util.p_1 OWNER TO regress_code_owner; SET LOCAL ROLE regress_code_owner; CREATE INDEX ON regress_util.p_1 (regress_util.spy(id)); :copied
ROLLBACK;
-- What takes values of any type, in what is written out and read again: a check that is not validated, a default with numbers of a sequence.
CREATE FUNCTION regress_code.fits(anyelement) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE FUNCTION regress_code.code(anyelement) RETURNS text LANGUAGE sql AS $$ SELECT 'x'::text $$;
ALTER FUNCTION regress_code.fits(anyelement) OWNER TO regress_code_owner;
ALTER FUNCTION regress_code.code(anyelement) OWNER TO regress_code_owner;
BEGIN; SET LOCAL ROLE regress_code_owner; ALTER TABLE regress_code.t ADD CHECK (regress_code.fits(id)) NOT VALID; SET LOCAL ROLE regress_code_other; CREATE FUNCTION regress_code.fits(int) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN true; END'; :copied
ROLLBACK; BEGIN; SET LOCAL ROLE regress_code_owner; CREATE SEQUENCE regress_code.number; ALTER TABLE regress_code.t ALTER a SET DEFAULT regress_code.code(nextval('regress_code.number')); SET LOCAL ROLE regress_code_other; CREATE FUNCTION regress_code.code(bigint) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN 'y'; END $$; :copied
-- and in what is taken over as it is, but asked what it makes of constants
ROLLBACK; BEGIN; SET LOCAL ROLE regress_code_owner; ALTER TABLE regress_code.t ALTER a SET DEFAULT regress_code.code(1); SET LOCAL ROLE regress_code_other; CREATE FUNCTION regress_code.code(int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN regress_util.spy(ROW($1)); END $$; :copied
ROLLBACK; BEGIN; SET LOCAL ROLE regress_code_owner; ALTER TABLE regress_code.t ADD CHECK (regress_code.fits(2)); SET LOCAL ROLE regress_code_other; CREATE FUNCTION regress_code.fits(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN regress_util.spy(ROW($1)) = 'spied'; END $$; :copied
ROLLBACK;
-- A function that somebody makes after views were written out, and before they are read again.
CREATE FUNCTION regress_util.meanwhile() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE object_identity ~ '^regress_safe.first') THEN
        CREATE FUNCTION regress_code.to_jsonb(text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $f$ BEGIN RAISE WARNING 'ran as %', current_user; RETURN '1'; END $f$;
    END IF;
END $$;
BEGIN; CREATE EVENT TRIGGER regress_meanwhile ON ddl_command_end WHEN tag IN ('CREATE VIEW') EXECUTE FUNCTION regress_util.meanwhile();
SET LOCAL ROLE regress_code_owner; CREATE VIEW regress_code.first AS SELECT 1 AS one; CREATE MATERIALIZED VIEW regress_code.second AS SELECT to_jsonb(a) AS a FROM regress_code.t; :copied
ROLLBACK;
DROP FUNCTION regress_code.fits(anyelement), regress_code.code(anyelement);
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
