-- relations: every kind that can be read, names that need quotes, rights,
-- row-level security, hostile search_path.
\set SHOW_CONTEXT never

-- A table, read directly and through everything that stands for it, gives the
-- same: k = 2, 3 classes, 7 records.
CREATE SCHEMA rel;
CREATE TABLE rel.plain(id int, gone int, a int, b text, double_a int GENERATED ALWAYS AS (a * 2) STORED);
ALTER TABLE rel.plain DROP COLUMN gone;
INSERT INTO rel.plain VALUES (1, 1, 'x'), (2, 1, 'x'), (3, 1, 'x'), (4, 2, 'y'), (5, 2, 'y'), (6, NULL, 'z'), (7, NULL, 'z');
CREATE VIEW rel.view AS SELECT id, a, b FROM rel.plain;
CREATE MATERIALIZED VIEW rel.matview AS SELECT id, a, b FROM rel.plain;
CREATE TABLE rel.parted(id int, a int, b text) PARTITION BY LIST (b);
CREATE TABLE rel.part_x PARTITION OF rel.parted FOR VALUES IN ('x');
CREATE TABLE rel.part_rest(b text, extra int, a int, id int);
ALTER TABLE rel.part_rest DROP COLUMN extra;
ALTER TABLE rel.parted ATTACH PARTITION rel.part_rest DEFAULT;
INSERT INTO rel.parted SELECT id, a, b FROM rel.plain;
CREATE TABLE rel.parent(id int, a int, b text);
CREATE TABLE rel.child() INHERITS (rel.parent);
INSERT INTO rel.parent SELECT id, a, b FROM rel.plain WHERE id < 4;
INSERT INTO rel.child SELECT id, a, b FROM rel.plain WHERE id >= 4;
CREATE TEMP TABLE temporary AS SELECT id, a, b FROM rel.plain;
CREATE DOMAIN rel.whole AS int CHECK (VALUE < 100);
CREATE TABLE rel.domained(id rel.whole, a rel.whole, b text);
INSERT INTO rel.domained SELECT id, a, b FROM rel.plain;
CREATE FUNCTION summary(rel regclass, keys name[] DEFAULT '{a,b}') RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(measure || ' ' || value, ', ') FROM sdc.risk_report(rel, keys, measures => '{records,classes,k_anonymity}')
$$;
CREATE FUNCTION links(rel regclass, keys name[] DEFAULT '{a}') RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(id || '>' || coalesce(linked_id, '-'), ' ') FROM sdc.attack_distance(rel, rel, 'id', keys)
$$;
SELECT r, summary(r), links(r)
FROM unnest('{rel.plain,rel.view,rel.matview,rel.parted,rel.parent,temporary,rel.domained}'::regclass[]) AS r;
-- a generated column; a partition alone; a system catalog
SELECT summary('rel.plain', '{double_a}'), links('rel.plain', '{double_a}');
SELECT summary('rel.part_rest');
SELECT summary('pg_catalog.pg_class', '{oid}') LIKE '%k_anonymity 1' AS catalog;

-- what is no table
CREATE INDEX plain_a ON rel.plain(a);
CREATE SEQUENCE rel.seq;
CREATE TYPE rel.pair AS (a int, b int);
SELECT summary('rel.plain_a');
SELECT summary('rel.seq');
SELECT summary('rel.pair');
SELECT summary(4000000000::oid::regclass);
-- columns that are gone or never were
SELECT summary('rel.plain', '{gone}');
SELECT summary('rel.plain', '{........pg.dropped.2........}');
SELECT summary('rel.plain', '{tableoid}');
SELECT summary('rel.plain', '{A}');
SELECT summary('rel.plain', '{r.a}');
SELECT summary('rel.plain', '{1}');
SELECT summary('rel.plain', '{*}');
-- types without equality are PostgreSQL's to refuse
CREATE TABLE rel.odd(id json, a int);
INSERT INTO rel.odd VALUES ('{"k": 1}', 1), ('2', 3);
\set VERBOSITY terse
SELECT summary('rel.odd', '{id}');
\set VERBOSITY default
-- an id needs no order, only a text
SELECT links('rel.odd');

-- names that need quotes
CREATE SCHEMA "S""; DROP SCHEMA rel CASCADE; --";
CREATE TABLE "S""; DROP SCHEMA rel CASCADE; --"."r, pg_class AS c"(
  "id""" int, "SELECT" int, "a b" int, "a""); DROP TABLE rel.plain; --" int, "'" int, r int, size int, "Ä" int);
INSERT INTO "S""; DROP SCHEMA rel CASCADE; --"."r, pg_class AS c"
SELECT i, i % 2, i % 3, i % 2, 1, 1, i % 2, 5 FROM generate_series(1, 12) AS i;
SET search_path = "S""; DROP SCHEMA rel CASCADE; --", public;
SELECT measure, subject, value FROM sdc.risk_report('"r, pg_class AS c"',
  ARRAY['SELECT', 'a b', 'a"); DROP TABLE rel.plain; --', '''', 'r', 'size', 'Ä'],
  measures => '{records,classes,k_anonymity}');
SELECT count(*), bool_or(linked_id = id) AS self FROM sdc.attack_distance('"r, pg_class AS c"', '"r, pg_class AS c"', 'id"',
  ARRAY['SELECT', 'a b', 'a"); DROP TABLE rel.plain; --', '''', 'r', 'size']);
RESET search_path;
SELECT count(*) AS still_there FROM rel.plain;

-- A schema ahead of pg_catalog cannot change a figure: operators, functions,
-- types and a function that looks like a column.
CREATE SCHEMA evil;
CREATE FUNCTION evil.trap() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
CREATE FUNCTION evil.equal(int, int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
CREATE OPERATOR evil.= (LEFTARG = int, RIGHTARG = int, FUNCTION = evil.equal);
CREATE OPERATOR evil.< (LEFTARG = int, RIGHTARG = int, FUNCTION = evil.equal);
CREATE FUNCTION evil.textequal(text, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.textequal);
CREATE FUNCTION evil.keep(bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
CREATE FUNCTION evil.step(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT -1::bigint';
CREATE AGGREGATE evil.count(*) (SFUNC = evil.step, STYPE = bigint, INITCOND = '7');
CREATE FUNCTION evil.text(int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
CREATE DOMAIN evil.text AS pg_catalog.text CHECK (VALUE = 'never');
CREATE TABLE evil.plain(id int, a int, b pg_catalog.text);
CREATE FUNCTION evil.salary(rel.plain) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
SET search_path = evil, rel, pg_catalog;
SELECT measure, value FROM sdc.risk_report('rel.plain', '{a,b}', measures => '{records,classes,k_anonymity}');
SELECT id, linked_id, candidates FROM sdc.attack_distance('rel.plain', 'rel.plain', 'id', '{a}');
SELECT measure, value FROM sdc.risk_report('rel.plain', '{salary}');
SHOW search_path;
RESET search_path;

-- A role without rights learns nothing; with rights on some columns it can use
-- those.
CREATE ROLE regress_sdc_reader;
GRANT USAGE ON SCHEMA sdc, rel TO regress_sdc_reader;
GRANT SELECT (id, a) ON rel.parted TO regress_sdc_reader;
CREATE VIEW rel.window AS SELECT id, a FROM rel.plain;
GRANT SELECT ON rel.window TO regress_sdc_reader;
SET ROLE regress_sdc_reader;
SELECT measure, value FROM sdc.risk_report('rel.plain', '{a}');
SELECT * FROM sdc.attack_distance('rel.plain', 'rel.plain', 'id', '{a}');
SELECT value FROM sdc.risk_report('rel.parted', '{a}', measures => '{records}');
SELECT value FROM sdc.risk_report('rel.parted', '{b}', measures => '{records}');
SELECT count(*) FROM sdc.attack_distance('rel.parted', 'rel.window', 'id', '{a}');
SELECT count(*) FROM sdc.attack_distance('rel.parted', 'rel.plain', 'id', '{a}');
RESET ROLE;

-- Row-level security: only the rows that are visible, and the report says so.
CREATE TABLE rel.secured(id int, a int);
INSERT INTO rel.secured SELECT i, i % 3 FROM generate_series(1, 30) AS i;
ALTER TABLE rel.secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY low ON rel.secured USING (id <= 10);
GRANT SELECT ON rel.secured TO regress_sdc_reader;
SELECT measure, value, detail FROM sdc.risk_report('rel.secured', '{a}', measures => '{records,k_anonymity}');
SET ROLE regress_sdc_reader;
SELECT measure, value, detail FROM sdc.risk_report('rel.secured', '{a}', measures => '{records,k_anonymity}');
SELECT count(DISTINCT id) AS records, max(linked_id::int) AS last
FROM sdc.attack_distance('rel.secured', 'rel.secured', 'id', '{a}');
RESET ROLE;
SET row_security = off;
SET ROLE regress_sdc_reader;
SELECT measure, value FROM sdc.risk_report('rel.secured', '{a}', measures => '{records}');
RESET ROLE;
RESET row_security;

-- A view that fails half-way leaves nothing behind: the next call works.
CREATE VIEW rel.failing AS SELECT id, a / (id - 5) AS a FROM rel.plain;
SELECT count(*) FROM sdc.risk_report('rel.failing', '{a}');
DO $$
BEGIN
  PERFORM sdc.attack_distance('rel.failing', 'rel.plain', 'id', '{a}');
EXCEPTION WHEN division_by_zero THEN
  RAISE NOTICE 'caught';
END $$;
SELECT links('rel.plain');

-- inside a function, over a cursor, in a subtransaction
BEGIN;
DECLARE c CURSOR FOR SELECT id, linked_id FROM sdc.attack_distance('rel.plain', 'rel.plain', 'id', '{a}');
FETCH 2 FROM c;
SAVEPOINT s;
SELECT count(*) FROM sdc.risk_report('rel.plain', '{a}');
ROLLBACK TO s;
FETCH 1 FROM c;
COMMIT;

DROP OWNED BY regress_sdc_reader;
DROP ROLE regress_sdc_reader;
DROP FUNCTION summary, links;
DROP TABLE temporary;
\set VERBOSITY terse
SET client_min_messages = warning;
DROP SCHEMA rel, evil, "S""; DROP SCHEMA rel CASCADE; --" CASCADE;
