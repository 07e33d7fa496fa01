# A person's name, planted wherever a database can keep one: what the copy of
# the schema holds of it, by grep over a dump of the copy and what it says.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use lib "$ENV{TESTDIR}/t";
use SdcSession;
use SdcStop;

my $node = SdcSession::keep(PostgreSQL::Test::Cluster->new('main'));
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION sdc');
my $version = $node->safe_psql('postgres', 'SHOW server_version_num') / 10000;

# The whole name, which is an identifier, and the last name, which may be a
# word or the name of another one.
my %word = (full => 'Zoltan Quarmby', last => 'Quarmby');

# Sixty people with last names that few have.
my $people = q{
	SET client_min_messages = error;
	CREATE SCHEMA o;
	SET search_path = o;
	CREATE TABLE customer (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, first_name text, last_name text,
		full_name text, email text UNIQUE, phone text, state text DEFAULT 'new', amount int);
	INSERT INTO customer (first_name, last_name, full_name, email, phone, amount)
	SELECT f, l, f || ' ' || l, lower(f) || '.' || lower(l) || '@web.test', '+49 171 ' || 5549993 + 8 * i, i
	FROM (SELECT i, CASE i WHEN 7 THEN 'Zoltan' ELSE (ARRAY['Sabine','Heike','Petra','Uwe','Holger'])[1 + i % 5] END AS f,
		CASE i WHEN 7 THEN 'Quarmby' ELSE (ARRAY['Schmidt','Weber','Meyer','Wagner','Fischer','Becker','Hoffmann','Schulz'])[1 + i % 8] || i END AS l
		FROM generate_series(1, 60) AS i) AS s;
};
my $copy = q{SELECT step, subject, detail FROM sdc.copy_schema('o', 'cc', '{"*": {"method": "keep"}}')
	WHERE step NOT IN ('write', 'mask', 'kept', 'check')};

# Where it is planted, as W; what happens with the whole name, and with the last
# name: "refused": there is no copy; "left out": of the copy, which is told;
# "look": it is there, and told where; "clean": it never goes into a copy.
# undef: it is planted as the whole name only.
my @places = (
	[ 'check', 'left out', 'left out', q{ALTER TABLE customer ADD CHECK (state <> 'W')} ],
	[ 'check name', 'left out', 'look', q{ALTER TABLE customer ADD CONSTRAINT "not W" CHECK (amount > 0)} ],
	[ 'default', 'left out', 'left out', q{ALTER TABLE customer ALTER state SET DEFAULT 'W'} ],
	[ 'default of function', 'left out', 'left out', q{CREATE FUNCTION f() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'W'::text $$; ALTER TABLE customer ALTER state SET DEFAULT f()} ],
	[ 'default nested', 'refused', 'look', q{CREATE FUNCTION g() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'W'::text $$; CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN o.g(); END $$; ALTER TABLE customer ALTER state SET DEFAULT f()} ],
	[ 'default nested BEGIN ATOMIC', 'refused', 'look', q{CREATE FUNCTION g() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN 'W'; END $$; CREATE FUNCTION f() RETURNS text BEGIN ATOMIC SELECT g(); END; ALTER TABLE customer ALTER state SET DEFAULT f()} ],
	[ 'check nested plpgsql', 'refused', 'look', q{CREATE FUNCTION g(t text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN t <> 'W'; END $$; CREATE FUNCTION f(t text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN o.g(t); END $$; ALTER TABLE customer ADD CHECK (f(state))} ],
	[ 'generated', 'refused', 'look', q{ALTER TABLE customer ADD gen boolean GENERATED ALWAYS AS (state = 'W') STORED} ],
	[ 'partial index', 'left out', 'left out', q{CREATE INDEX i ON customer (amount) WHERE state = 'W'} ],
	[ 'index name', 'left out', 'look', q{CREATE INDEX "of W" ON customer (amount)} ],
	[ 'table name', 'refused', 'look', q{CREATE TABLE "orders of W" (id int PRIMARY KEY); INSERT INTO "orders of W" VALUES (1)} ],
	[ 'column name', 'refused', 'look', q{ALTER TABLE customer ADD "for W" int} ],
	[ 'comment table', 'clean', 'clean', q{COMMENT ON TABLE customer IS 'ask W'} ],
	[ 'comment column', 'clean', 'clean', q{COMMENT ON COLUMN customer.state IS 'ask W'} ],
	[ 'comment enum', 'refused', 'look', q{CREATE TYPE e AS ENUM ('a','b'); COMMENT ON TYPE e IS 'ask W'; ALTER TABLE customer ADD en e} ],
	[ 'comment function', 'clean', 'clean', q{CREATE FUNCTION f() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'x'::text $$; COMMENT ON FUNCTION f() IS 'ask W'; ALTER TABLE customer ALTER state SET DEFAULT f()} ],
	[ 'enum label', 'refused', 'look', q{CREATE TYPE e AS ENUM ('a','W'); ALTER TABLE customer ADD en e DEFAULT 'a'} ],
	[ 'type name', 'refused', 'look', q{CREATE TYPE "W" AS ENUM ('a','b'); ALTER TABLE customer ADD en "W" DEFAULT 'a'} ],
	[ 'domain check', 'refused', 'look', q{CREATE DOMAIN d AS text CHECK (VALUE <> 'W'); ALTER TABLE customer ADD en d} ],
	[ 'domain default', 'refused', 'look', q{CREATE DOMAIN d AS text DEFAULT 'W'; ALTER TABLE customer ADD en d} ],
	[ 'composite value', 'refused', 'refused', q{CREATE TYPE c AS (a int, b text); ALTER TABLE customer ADD en c; UPDATE customer SET en = (1, 'W') WHERE id = 9} ],
	[ 'array', 'refused', 'look', q{ALTER TABLE customer ADD marks text[]; UPDATE customer SET marks = '{a,W}' WHERE id = 9} ],
	[ 'json value', 'refused', 'look', q{ALTER TABLE customer ADD doc jsonb; UPDATE customer SET doc = '{"a": {"b": "W"}}' WHERE id = 9} ],
	[ 'json key', 'refused', 'look', q{ALTER TABLE customer ADD doc jsonb; UPDATE customer SET doc = '{"W": 1}' WHERE id = 9} ],
	[ 'audit', 'refused', 'look', q{CREATE TABLE audit (at timestamptz, old jsonb, query text); INSERT INTO audit SELECT now(), to_jsonb(c), 'UPDATE customer SET x WHERE id = ' || id FROM customer AS c; INSERT INTO audit VALUES (now(), NULL, 'UPDATE customer SET last_name = ''W''')} ],
	[ 'kept code', 'refused', 'look', q{CREATE TABLE thing (id int PRIMARY KEY, label text); INSERT INTO thing SELECT i, 'label ' || i FROM generate_series(1, 100) AS i; INSERT INTO thing VALUES (200, 'W')} ],
	[ 'text key', 'refused', 'look', q{CREATE TABLE team (code varchar(30) PRIMARY KEY, n int); INSERT INTO team VALUES ('W', 1), ('x', 2), ('y', 3); ALTER TABLE customer ADD team varchar(30) REFERENCES team; UPDATE customer SET team = 'W' WHERE id = 7} ],
	[ 'partition name', 'refused', 'look', q{CREATE TABLE p (id int, who text) PARTITION BY LIST (id); CREATE TABLE "p W" PARTITION OF p FOR VALUES IN (1); INSERT INTO p VALUES (1, NULL)} ],
	[ 'partition bound', 'refused', 'look', q{CREATE TABLE p (id int, who text) PARTITION BY LIST (who); CREATE TABLE p1 PARTITION OF p FOR VALUES IN ('W'); CREATE TABLE p2 PARTITION OF p DEFAULT; INSERT INTO p VALUES (1, 'W'), (2, 'b')} ],
	[ 'view', 'left out', 'left out', q{CREATE VIEW v AS SELECT * FROM customer WHERE last_name <> 'W'} ],
	[ 'view column', 'left out', 'look', q{CREATE VIEW v AS SELECT amount AS "W" FROM customer WHERE amount > 3} ],
	[ 'view function', 'left out', 'left out', q{CREATE FUNCTION g() RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN 'W'; END $$; CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN o.g(); END $$; CREATE VIEW v AS SELECT amount, f() FROM customer} ],
	[ 'matview', 'left out', 'left out', q{CREATE MATERIALIZED VIEW v AS SELECT amount, 'W'::text AS c FROM customer} ],
	[ 'matview made', 'left out', 'left out', q{CREATE MATERIALIZED VIEW v AS SELECT amount, reverse(reverse('W')) AS c FROM customer} ],
	[ 'sequence name', 'left out', 'left out', q{CREATE SEQUENCE "s W"; ALTER TABLE customer ADD n int DEFAULT nextval('"s W"')} ],
	[ 'sequence unused', 'clean', 'clean', q{CREATE SEQUENCE "s W"} ],
	[ 'trigger', 'clean', 'clean', q{CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$; CREATE TRIGGER t BEFORE INSERT ON customer FOR EACH ROW WHEN (NEW.state = 'W') EXECUTE FUNCTION f('W')} ],
	[ 'trigger name', 'clean', 'clean', q{CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$; CREATE TRIGGER "W" BEFORE INSERT ON customer FOR EACH ROW EXECUTE FUNCTION f('W')} ],
	[ 'rule', 'clean', 'clean', q{CREATE RULE "r W" AS ON DELETE TO customer WHERE OLD.state = 'W' DO INSTEAD NOTHING} ],
	[ 'policy', 'clean', 'clean', q{CREATE POLICY "p W" ON customer USING (state <> 'W')} ],
	[ 'role', 'left out', 'left out', q{CREATE ROLE "W"; CREATE POLICY p ON customer TO "W" USING (true); GRANT SELECT ON customer TO "W"; ALTER TABLE customer ADD CHECK (current_user <> 'W')} ],
	[ 'fdw', 'clean', 'clean', q{CREATE EXTENSION IF NOT EXISTS postgres_fdw WITH SCHEMA public; CREATE SERVER sv FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'W'); CREATE USER MAPPING FOR CURRENT_USER SERVER sv OPTIONS (user 'W', password 'W'); CREATE FOREIGN TABLE ft (a int) SERVER sv OPTIONS (table_name 'W')} ],
	[ 'publication', 'clean', 'clean', q{CREATE PUBLICATION "p W" FOR TABLE customer} ],
	[ 'text search', 'refused', 'look', q{CREATE TEXT SEARCH CONFIGURATION "c W" (COPY = pg_catalog.simple); CREATE TEXT SEARCH DICTIONARY "d W" (TEMPLATE = simple); ALTER TEXT SEARCH CONFIGURATION "c W" ALTER MAPPING FOR asciiword WITH "d W"; ALTER TABLE customer ADD v tsvector GENERATED ALWAYS AS (to_tsvector('o."c W"', state)) STORED} ],
	[ 'collation', 'refused', 'look', q{CREATE COLLATION "c W" FROM "C"; ALTER TABLE customer ADD v text COLLATE "c W"} ],
	[ 'operator class', 'left out', 'look', q{CREATE OPERATOR CLASS "oc W" FOR TYPE int4 USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 btint4cmp(int4, int4); CREATE INDEX i ON customer (amount "oc W")} ],
	[ 'operator', 'refused', 'look', q{CREATE FUNCTION same(a text, b text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN a = b OR a = 'W'; END $$; CREATE OPERATOR ~~~~ (LEFTARG = text, RIGHTARG = text, FUNCTION = same); ALTER TABLE customer ADD CHECK (state ~~~~ state)} ],
	[ 'large object', 'refused', 'refused', q{ALTER TABLE customer ADD photo oid; UPDATE customer SET photo = lo_from_bytea(0, 'W') WHERE id = 7} ],
	[ 'exclusion', 'refused', 'look', q{ALTER TABLE customer ADD CONSTRAINT ex EXCLUDE USING btree (amount WITH =) WHERE (state = 'W')} ],
	[ 'fk name', 'clean', 'look', q{CREATE TABLE k (id int PRIMARY KEY, c int, CONSTRAINT "k W" FOREIGN KEY (c) REFERENCES customer)} ],
	[ 'range', 'refused', 'refused', q{CREATE TYPE tr AS RANGE (subtype = text); CREATE TABLE d (id int, v tr); INSERT INTO d VALUES (1, tr('W', NULL)), (2, tr('b', 'c'))} ],
	[ 'xml', 'refused', 'look', q{CREATE TABLE d (id int, v xml); INSERT INTO d VALUES (1, '<a n="W"><b>W</b></a>'), (2, '<a/>')} ],
	[ 'hstore', 'refused', 'refused', q{CREATE EXTENSION IF NOT EXISTS hstore WITH SCHEMA public; CREATE TABLE d (id int, v public.hstore); INSERT INTO d SELECT 1, public.hstore('a', 'W'); INSERT INTO d SELECT 2, public.hstore('a', 'b')} ],
	[ 'url', 'refused', 'look', q{CREATE TABLE d (id int, v text); INSERT INTO d SELECT i, 'https://web.test/u/' || i FROM generate_series(1, 50) AS i; UPDATE d SET v = 'https://web.test/u/' || replace('W', ' ', '-') WHERE id = 4} ],
	[ 'file', 'refused', 'look', q{CREATE TABLE d (id int, v text); INSERT INTO d SELECT i, '/srv/files/' || i || '.pdf' FROM generate_series(1, 50) AS i; UPDATE d SET v = '/srv/files/cv_' || lower(replace('W', ' ', '_')) || '.pdf' WHERE id = 4} ],
	[ 'slug', 'refused', 'refused', q{CREATE TABLE d (id int, slug text); INSERT INTO d SELECT i, lower(first_name || '-' || last_name) FROM customer, generate_series(1,1) AS i} ],
	[ 'domain over domain', 'refused', undef, q{CREATE DOMAIN d AS text CHECK (VALUE <> 'W'); CREATE DOMAIN dd AS d; ALTER TABLE customer ADD en dd} ],
	[ 'domain in composite in array', 'refused', undef, q{CREATE DOMAIN d AS text CHECK (VALUE <> 'W'); CREATE TYPE c AS (a int, b d); ALTER TABLE customer ADD en c[]} ],
	[ 'domain default by function', 'refused', undef, q{CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN 'W'; END $$; CREATE DOMAIN d AS text DEFAULT f(); ALTER TABLE customer ADD en d} ],
	[ 'composite attribute', 'refused', undef, q{CREATE TYPE c AS (a int, "W" text); ALTER TABLE customer ADD en c} ],
	[ 'array of composite', 'refused', undef, q{CREATE TYPE c AS (a int, b text); ALTER TABLE customer ADD en c[]; UPDATE customer SET en = ARRAY[(1, 'W')::c] WHERE id = 9} ],
	[ 'array of arrays', 'refused', 'look', q{ALTER TABLE customer ADD marks text[]; UPDATE customer SET marks = '{{a,b},{c,W}}' WHERE id = 9} ],
	[ 'json escaped', 'refused', undef, q{ALTER TABLE customer ADD doc json; UPDATE customer SET doc = replace('{"a": "W"}', 'Q', '\u0051')::json WHERE id = 9} ],
	[ 'xml entity', 'refused', undef, q{CREATE TABLE d (id int, v xml); INSERT INTO d VALUES (1, replace('<a>W</a>', 'Q', '&#81;')::xml), (2, '<a/>')} ],
	[ 'xml comment', 'refused', undef, q{CREATE TABLE d (id int, v xml); INSERT INTO d VALUES (1, '<a><!-- W --></a>'), (2, '<a/>')} ],
	[ 'far in a text', 'refused', undef, q{CREATE TABLE d (id int, v text); INSERT INTO d SELECT i, repeat('lorem ipsum ', 2000) || CASE i WHEN 3 THEN 'W' ELSE 'dolor' END FROM generate_series(1, 9) AS i} ],
	[ 'name type', 'refused', undef, q{CREATE TABLE d (id int, v name); INSERT INTO d VALUES (1, 'W'), (2, 'b')} ],
	[ 'citext', 'refused', undef, q{CREATE EXTENSION IF NOT EXISTS citext WITH SCHEMA public; CREATE TABLE d (id int, v public.citext); INSERT INTO d VALUES (1, 'W'), (2, 'b')} ],
	[ 'tsvector', 'refused', undef, q{CREATE TABLE d (id int, v tsvector); INSERT INTO d VALUES (1, to_tsvector('simple', 'W')), (2, 'b')} ],
	[ 'bytea', 'refused', undef, q{CREATE TABLE d (id int, v bytea); INSERT INTO d VALUES (1, convert_to('W', 'UTF8')), (2, 'b')} ],
	[ 'base64', 'refused', undef, q{CREATE TABLE d (id int, v text); INSERT INTO d VALUES (1, encode(convert_to('for W today', 'UTF8'), 'base64')), (2, 'b')} ],
	[ 'hexadecimal', 'refused', undef, q{CREATE TABLE d (id int, v text); INSERT INTO d VALUES (1, encode(convert_to('for W today', 'UTF8'), 'hex')), (2, 'b')} ],
	[ 'combining accents', 'refused', undef, q{CREATE TABLE d (id int, v text); INSERT INTO d VALUES (1, replace('W', 'a', U&'a\0301')), (2, 'b')} ],
	[ 'other case', 'refused', undef, q{CREATE TABLE d (id int, v text); INSERT INTO d VALUES (1, upper('W')), (2, 'b')} ],
	[ 'default of chr', 'left out', 'left out', q{ALTER TABLE customer ALTER state SET DEFAULT chr(32) || reverse(reverse('W'))} ],
	[ 'check of reverse', 'left out', 'left out', q{DO $$ BEGIN EXECUTE format('ALTER TABLE o.customer ADD CHECK (state <> reverse(%L))', reverse('W')); END $$} ],
	[ 'index of reverse', 'left out', 'left out', q{DO $$ BEGIN EXECUTE format('CREATE INDEX i ON o.customer (amount) WHERE state = reverse(%L)', reverse('W')); END $$} ],
	[ 'generated of reverse', 'refused', 'refused', q{DO $$ BEGIN EXECUTE format('ALTER TABLE o.customer ADD gen boolean GENERATED ALWAYS AS (state = reverse(%L)) STORED', reverse('W')); END $$} ],
	[ 'parameter default', 'refused', undef, q{CREATE FUNCTION f(t text DEFAULT 'W') RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN 'x'; END $$; ALTER TABLE customer ALTER state SET DEFAULT f('a')} ],
	[ 'setting of a function', 'refused', undef, q{CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql SET application_name = 'W' AS $$ BEGIN RETURN 'x'; END $$; ALTER TABLE customer ALTER state SET DEFAULT f()} ],
	[ 'function of a cast', 'refused', undef, q{CREATE TYPE e AS ENUM ('a', 'b'); CREATE FUNCTION f(e) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN 'W'; END $$; CREATE CAST (e AS text) WITH FUNCTION f(e); ALTER TABLE customer ADD en e, ADD CHECK (en::text <> '')} ],
	[ 'function of an index', 'refused', undef, q{CREATE FUNCTION f(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN replace($1, 'W', ''); END $$; CREATE INDEX i ON customer (f(state))} ],
	[ 'default of a partition', 'clean', undef, q{CREATE TABLE p (id int, who text) PARTITION BY LIST (id); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1); ALTER TABLE p1 ALTER who SET DEFAULT 'W', ADD CHECK (who <> 'W'); INSERT INTO p VALUES (1, NULL)} ],
	[ 'key of a partition', 'left out', undef, q{CREATE TABLE p (id int, who text) PARTITION BY LIST (id); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1); CREATE INDEX i ON p1 (id) WHERE who = 'W'; INSERT INTO p VALUES (1, NULL)} ],
	[ 'partition key', 'refused', 'look', q{CREATE TABLE p (id int, who text) PARTITION BY LIST ((id || 'W')); CREATE TABLE p1 PARTITION OF p DEFAULT; INSERT INTO p VALUES (1, NULL)} ],
	[ 'index of a matview', 'left out', undef, q{CREATE MATERIALIZED VIEW v AS SELECT amount, state FROM customer; CREATE INDEX i ON v (amount) WHERE state = 'W'} ],
	[ 'default of a view', 'clean', undef, q{CREATE VIEW v AS SELECT amount, state FROM customer; ALTER VIEW v ALTER state SET DEFAULT 'W'} ],
	[ 'rule of a view', 'clean', undef, q{CREATE VIEW v AS SELECT amount, state FROM customer; CREATE RULE r AS ON INSERT TO v DO INSTEAD INSERT INTO customer (state) VALUES ('W')} ],
	[ 'statistics name', 'clean', undef, q{CREATE STATISTICS "s W" ON amount, state FROM customer} ],
	[ 'statistics expression', 'clean', undef, q{CREATE STATISTICS s ON (state = 'W'), amount FROM customer; ANALYZE customer} ],
	[ 'row filter', 'clean', undef, q{CREATE PUBLICATION "p W" FOR TABLE customer WHERE (id <> length('W'))} ],
	[ 'event trigger', 'clean', undef, q{CREATE FUNCTION f() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM length('W'); END $$; CREATE EVENT TRIGGER "e W" ON ddl_command_start WHEN TAG IN ('CREATE SERVER') EXECUTE FUNCTION f()} ],
	[ 'security label, comment of a constraint', 'clean', undef, q{ALTER TABLE customer ADD CONSTRAINT k CHECK (amount > 0); COMMENT ON CONSTRAINT k ON customer IS 'W'; CREATE INDEX i ON customer (amount); COMMENT ON INDEX i IS 'W'} ],
	[ 'regular expression', 'left out', undef, q{ALTER TABLE customer ADD CHECK (state !~ '^(W)$')} ],
	[ 'row in a constraint', 'left out', undef, q{ALTER TABLE customer ADD CHECK (state <> ALL (ARRAY['a', 'W']))} ],
	[ 'aggregate of a view', 'refused', 'look', q{CREATE AGGREGATE agg(text) (SFUNC = textcat, STYPE = text, INITCOND = 'W '); CREATE VIEW v AS SELECT agg(state) FROM customer} ],
	[ 'enum of a view', 'refused', 'look', q{CREATE TYPE e AS ENUM ('a', 'W'); CREATE VIEW v AS SELECT 'a'::e AS c, amount FROM customer} ],
	[ 'enum of a cast', 'refused', undef, q{CREATE TYPE e AS ENUM ('new', 'W'); ALTER TABLE customer ADD CHECK (state::e IS NOT NULL)} ],
	[ 'domain of a cast', 'refused', undef, q{CREATE DOMAIN d AS text CHECK (VALUE <> 'W'); ALTER TABLE customer ALTER state SET DEFAULT 'a'::d} ],
	[ 'enum of a function', 'refused', undef, q{CREATE TYPE e AS ENUM ('a', 'W'); CREATE FUNCTION f(x text) RETURNS e LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN 'a'; END $$; CREATE VIEW v AS SELECT f(state)::text AS t FROM customer} ],
	[ 'schema of a type', 'refused', 'look', q{CREATE SCHEMA "W"; CREATE TYPE "W".e AS ENUM ('a', 'b'); ALTER TABLE customer ADD en "W".e} ],
	[ 'phone in two constants', 'left out', undef, q{ALTER TABLE customer ALTER state SET DEFAULT array_to_string(ARRAY['+49 171', '5550049'], '-')} ],
	[ 'phone in the body of a function, behind an apostrophe', 'refused', undef, q{CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $$ BEGIN /* don't */ RETURN concat('+49 171'::text, '5550049'::text); END $$; ALTER TABLE customer ALTER state SET DEFAULT f()} ],
	[ 'dates of birth in bounds and checks', 'clean', undef, q{ALTER TABLE customer ADD born date; UPDATE customer SET born = date '1950-01-01' + id * 391; CREATE TABLE p (id int, d date) PARTITION BY RANGE (d); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM ('1951-01-27') TO ('2031-01-01'); ALTER TABLE p ADD CHECK (d <> date '1951-01-27')} ],
	[ 'umlauts in two letters', 'refused', undef, q{UPDATE customer SET full_name = 'Jürgen Größmann' WHERE id = 9; CREATE TABLE d (id int, v text); INSERT INTO d VALUES (1, 'visit of Juergen Groessmann'), (2, 'b')} ],
	[ 'two letters as umlauts', 'refused', undef, q{UPDATE customer SET full_name = 'Juergen Groessmann' WHERE id = 9; CREATE TABLE d (id int, v text); INSERT INTO d VALUES (1, 'visit of Jürgen Größmann'), (2, 'b')} ],
	[ 'Latin-1 in a link', 'refused', undef, q{UPDATE customer SET full_name = 'Jürgen Größmann' WHERE id = 9; CREATE TABLE d (id int, v text); INSERT INTO d VALUES (1, 'x?n=J%FCrgen+Gr%F6%DFmann'), (2, 'b')} ],
	[ 'user name', 'look', undef, q{CREATE TABLE d (id int, v text); INSERT INTO d VALUES (1, 'by zquarmby'), (2, 'b')} ],
	[ 'user name with the last name first', 'look', undef, q{CREATE TABLE d (id int, v text); INSERT INTO d VALUES (1, 'QUARMBYZ'), (2, 'b')} ],
	[ 'user name in a default', 'left out', undef, q{ALTER TABLE customer ALTER state SET DEFAULT 'z.quarmby'} ],
	[ 'last name of a whole name', 'look', undef, q{ALTER TABLE customer DROP first_name, DROP last_name; CREATE TABLE d (id int, v text); INSERT INTO d VALUES (1, 'ask Quarmby'), (2, 'b')} ],
	[ 'user name of a whole name, the last one first', 'look', undef, q{UPDATE customer SET full_name = last_name || ', ' || first_name; ALTER TABLE customer DROP first_name, DROP last_name; CREATE TABLE d (id int, v text); INSERT INTO d VALUES (1, 'zquarmby'), (2, 'b')} ],
	[ 'two columns', 'refused', undef, q{CREATE TABLE old (id int, a text, b text); INSERT INTO old SELECT i, 'item ' || i, 'thing ' || i FROM generate_series(1, 90) AS i; INSERT INTO old SELECT 91, split_part('W', ' ', 1), split_part('W', ' ', 2)} ],
	[ 'address in two columns', 'refused', undef, q{CREATE TABLE old (id int, a text, b text); INSERT INTO old SELECT i, 'item ' || i, 'thing ' || i FROM generate_series(1, 90) AS i; UPDATE customer SET email = 'qx17zz@vexmail.test' WHERE id = 9; INSERT INTO old VALUES (91, 'qx17zz', 'vexmail.test')} ],
);

# Other identifiers of the same person, written otherwise, as values that a rule
# keeps: what is planted, and whether it is found.
my @values = (
	[ 'phone as a whole number', 1, q{ADD n bigint; UPDATE customer SET n = 491715550049 WHERE id = 7} ],
	[ 'phone as numeric', 1, q{ADD n numeric(15, 2); UPDATE customer SET n = 491715550049 WHERE id = 7} ],
	[ 'phone as a float', 1, q{ADD n float8; UPDATE customer SET n = 491715550049 WHERE id = 7} ],
	[ 'phone as money', 1, q{ADD n money; UPDATE customer SET n = 491715550049::money WHERE id = 7} ],
	[ 'phone with marks of thousands', 1, q{ADD n text; UPDATE customer SET n = '491.715.550.049' WHERE id = 7} ],
	[ 'phone in scientific notation', 1, q{ADD n text; UPDATE customer SET n = '4.91715550049E+11' WHERE id = 7} ],
	[ 'phone of the country', 1, q{ADD n text; UPDATE customer SET n = 'Tel. 0171/55 50 049' WHERE id = 7} ],
	[ 'phone without the zero', 1, q{ADD n text; UPDATE customer SET n = '171-5550049' WHERE id = 7} ],
	[ 'phone in a JSON number', 1, q{ADD n jsonb; UPDATE customer SET n = '{"p": 491715550049}' WHERE id = 7} ],
	[ 'phone in full-width digits', 1, q{ADD n text; UPDATE customer SET n = translate('+491715550049', '0123456789', '０１２３４５６７８９') WHERE id = 7} ],
	[ 'phone as seconds of an interval', 1, q{ADD n interval; UPDATE customer SET n = interval '1 s' * 491715550049 WHERE id = 7} ],
	[ 'phone as days and seconds of an interval', 1, q{ADD n interval; UPDATE customer SET n = justify_interval(interval '1 s' * 491715550049) WHERE id = 7} ],
	[ 'phone as seconds of a time', 1, q{ADD n timestamptz; UPDATE customer SET n = to_timestamp(491715550049) WHERE id = 7} ],
	[ 'phone as seconds of a time, the point moved', 1, q{ADD n timestamp; UPDATE customer SET n = timestamp '1970-01-01' + interval '4917155.50049 s' WHERE id = 7} ],
	[ 'phone before 1970', 1, q{ADD n timestamp; UPDATE customer SET n = timestamp '1970-01-01' - interval '49171555.0049 s' WHERE id = 7} ],
	[ 'times of these years', 0, q{ADD n timestamptz; UPDATE customer SET n = timestamptz '2024-01-01' + id * interval '7.25 hours'} ],
	[ 'phone as a uuid', 1, q{ADD n uuid; UPDATE customer SET n = lpad('491715550049', 32, '0')::uuid WHERE id = 7} ],
	[ 'phone as a uuid with zeros behind', 1, q{ADD n uuid; UPDATE customer SET n = rpad('491715550049', 32, '0')::uuid WHERE id = 7} ],
	[ 'name as the bytes of a uuid', 1, q{ADD n uuid; UPDATE customer SET n = rpad(encode('Zoltan Quarmby', 'hex'), 32, '0')::uuid WHERE id = 7} ],
	[ 'name among the bytes of a uuid', 1, q{ADD n uuid; UPDATE customer SET n = overlay('f91bc47a0b1ce37d91a5cf02e61d9f3b' PLACING encode('Zoltan Quarmby', 'hex') FROM 3)::uuid WHERE id = 7} ],
	[ 'uuids of chance', 0, q{ADD n uuid; UPDATE customer SET n = md5(id::text)::uuid} ],
	[ 'e-mail with at', 1, q{ADD n text; UPDATE customer SET n = 'zoltan.quarmby (at) web.test' WHERE id = 7} ],
	[ 'e-mail in a link', 1, q{ADD n text; UPDATE customer SET n = '<a href="mailto:zoltan%2Equarmby%40web.test">' WHERE id = 7} ],
	[ 'e-mail with a tag', 1, q{ADD n text; UPDATE customer SET n = 'zoltan.quarmby+news@web.test' WHERE id = 7} ],
	[ 'e-mail in base64 of hexadecimal', 1, q{ADD n text; UPDATE customer SET n = encode(convert_to(encode('zoltan.quarmby@web.test', 'hex'), 'UTF8'), 'base64') WHERE id = 7} ],
	[ 'e-mail in UTF-16', 1, q{ADD n bytea; UPDATE customer SET n = decode(regexp_replace(encode('zoltan.quarmby@web.test', 'hex'), '(..)', '\100', 'g'), 'hex') WHERE id = 7} ],
	[ 'e-mail as an array of codes', 1, q{ADD n int[]; UPDATE customer SET n = ARRAY(SELECT ascii(c) FROM regexp_split_to_table('zoltan.quarmby@web.test', '') AS c) WHERE id = 7} ],
	[ 'e-mail backwards', 1, q{ADD n text; UPDATE customer SET n = reverse('zoltan.quarmby@web.test') WHERE id = 7} ],
	[ 'e-mail as its digest', 1, q{ADD n text; UPDATE customer SET n = md5('zoltan.quarmby@web.test') WHERE id = 7} ],
	[ 'e-mail as a digest in a link', 1, q{ADD n text; UPDATE customer SET n = 'https://img.test/' || encode(sha256('zoltan.quarmby@web.test'), 'hex') || '.png' WHERE id = 7} ],
	[ 'e-mail as its digest with a salt', 0, q{ADD n text; UPDATE customer SET n = md5('pepper' || 'zoltan.quarmby@web.test') WHERE id = 7} ],
	[ 'e-mail as it is read', 1, q{ADD n text; UPDATE customer SET n = 'to zoltan dot quarmby at web dot test' WHERE id = 7} ],
	[ 'name with points between letters', 1, q{ADD n text; UPDATE customer SET n = 'Z.o.l.t.a.n Q.u.a.r.m.b.y' WHERE id = 7} ],
	[ 'name, last one first', 1, q{ADD n text; UPDATE customer SET n = 'QUARMBY, Zoltan' WHERE id = 7} ],
	[ 'name with a title between', 0, q{ADD n text; UPDATE customer SET n = 'Zoltan Maria Quarmby' WHERE id = 7} ],
	[ 'function of a range', 'a function', q{ADD i int; CREATE FUNCTION apart(a int, b int) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN length('Zoltan Quarmby') + a - b; END $$; CREATE TYPE tr AS RANGE (subtype = int, subtype_diff = apart); ALTER TABLE customer ADD n tr} ],
	[ 'name in two entries of an array', 1, q{ADD n text[]; UPDATE customer SET n = '{Zoltan,Quarmby}' WHERE id = 7} ],
	[ 'e-mail in base32', 1, q{ADD n text; UPDATE customer SET n = 'PJXWY5DBNYXHC5LBOJWWE6KAO5SWELTUMVZXI===' WHERE id = 7} ],
	[ 'name in base32 in small letters', 1, q{ADD n text; UPDATE customer SET n = 'ljxwy5dbnyqfc5lbojwwe6i' WHERE id = 7} ],
	[ 'name in base64 of UTF-16', 1, q{ADD n text; UPDATE customer SET n = encode(decode(regexp_replace(encode('for Zoltan Quarmby', 'hex'), '(..)', '\100', 'g'), 'hex'), 'base64') WHERE id = 7} ],
	[ 'name in UTF-16 with other letters', 1, q{ADD n bytea; UPDATE customer SET full_name = 'Łukasz Świątek', n = '\x41017500 6b006100 73007a00 20005a01 77006900 05017400 65006b00' WHERE id = 7} ],
	[ 'name in base64 of Latin-1', 1, q{ADD n text; UPDATE customer SET full_name = 'Jürgen Größmann', n = encode(convert_to('Jürgen Größmann', 'LATIN1'), 'base64') WHERE id = 7} ],
	[ 'name in UTF-8 twice', 1, q{ADD n text; UPDATE customer SET full_name = 'Jürgen Müller', n = convert_from(convert_to('Jürgen Müller', 'UTF8'), 'LATIN1') WHERE id = 7} ],
	[ 'bytes as in C', 1, q{ADD n text; UPDATE customer SET n = regexp_replace(encode('zoltan.quarmby@web.test', 'hex'), '(..)', '0x\1, ', 'g') WHERE id = 7} ],
	[ 'codes in JSON', 1, q{ADD n jsonb; UPDATE customer SET n = to_jsonb(ARRAY(SELECT ascii(c) FROM regexp_split_to_table('zoltan.quarmby@web.test', '') AS c)) WHERE id = 7} ],
	[ '%u of a script', 1, q{ADD n text; UPDATE customer SET n = '%u005Aoltan%u0020Quarmby' WHERE id = 7} ],
	[ 'tab in JSON', 1, q{ADD n jsonb; UPDATE customer SET n = jsonb_build_object('who', E'Zoltan\tQuarmby') WHERE id = 7} ],
	[ 'LDAP', 1, q{ADD n text; UPDATE customer SET n = 'zoltan\2equarmby\40web.test' WHERE id = 7} ],
	[ 'entity of a blank', 1, q{ADD n text; UPDATE customer SET n = 'Zoltan&ensp;Quarmby' WHERE id = 7} ],
	[ 'name of four Chinese characters', 1, q{ADD n text; UPDATE customer SET full_name = '山田 太郎', n = '山田太郎様より電話' WHERE id = 7} ],
	[ 'name in two keys of JSON', 1, q{ADD n jsonb; UPDATE customer SET n = '{"first": "Zoltan", "last": "Quarmby"}' WHERE id = 7} ],
	[ 'name in a link', 1, q{ADD n text; UPDATE customer SET n = 'https://web.test/?first=Zoltan&last=Quarmby' WHERE id = 7} ],
	[ 'name in attributes', 1, q{ADD n xml; UPDATE customer SET n = '<p first="Zoltan" last="Quarmby"/>' WHERE id = 7} ],
	[ 'name backwards', 1, q{ADD n text; UPDATE customer SET n = 'see ' || reverse('Zoltan Quarmby') WHERE id = 7} ],
	[ 'name of whom it is', 1, q{ADD n text; UPDATE customer SET n = 'Akte Zoltan Quarmbys' WHERE id = 7} ],
	[ 'last names first', 1, q{ADD n text; UPDATE customer SET full_name = 'Juan Carlos Garciaz Lopezky', n = 'Garciaz Lopezky, Juan Carlos' WHERE id = 7} ],
	[ 'name in black circles', 1, q{ADD n text; UPDATE customer SET n = '🅩🅞🅛🅣🅐🅝 🅠🅤🅐🅡🅜🅑🅨' WHERE id = 7} ],
	[ 'street in short', 1, q{ADD n text; ALTER TABLE customer ADD street text; UPDATE customer SET street = 'Lindenweg ' || id; UPDATE customer SET street = 'Quellenhofstraße 23', n = 'wohnt Quellenhofstr. 23' WHERE id = 7} ],
	[ 'number of the network as one', 1, q{ADD n bigint; ALTER TABLE customer ADD ip inet; UPDATE customer SET ip = ('203.0.113.' || id + 70)::inet; UPDATE customer SET n = 3405803853 WHERE id = 7} ],
	[ 'number of the network backwards', 1, q{ADD n text; ALTER TABLE customer ADD ip inet; UPDATE customer SET ip = ('203.0.113.' || id + 70)::inet; UPDATE customer SET n = '77.113.0.203.in-addr.arpa' WHERE id = 7} ],
	[ 'number of the network as bytes', 1, q{ADD n bytea; ALTER TABLE customer ADD ip inet; UPDATE customer SET ip = ('203.0.113.' || id + 70)::inet; UPDATE customer SET n = '\xcb00714d' WHERE id = 7} ],
	[ 'phone in Thai digits', 1, q{ADD n text; UPDATE customer SET n = translate('491715550049', '0123456789', '๐๑๒๓๔๕๖๗๘๙') WHERE id = 7} ],
	[ 'phone in digits of India', 1, q{ADD n text; UPDATE customer SET n = translate('491715550049', '0123456789', '०१२३४५६७८९') WHERE id = 7} ],
	[ 'phone from North America', 1, q{ADD n text; UPDATE customer SET n = '011491715550049' WHERE id = 7} ],
	[ 'phone as packed bytes', 1, q{ADD n bytea; UPDATE customer SET n = '\x491715550049' WHERE id = 7} ],
	[ 'phone as the number of a device', 1, q{ADD n macaddr; UPDATE customer SET n = '49:17:15:55:00:49' WHERE id = 7} ],
	[ 'phone with a point in it', 1, q{ADD n numeric; UPDATE customer SET n = 491715550.049 WHERE id = 7} ],
	[ 'digest of a line', 1, q{ADD n text; UPDATE customer SET n = md5(E'zoltan.quarmby@web.test\n') WHERE id = 7} ],
	[ 'digest of capitals', 1, q{ADD n text; UPDATE customer SET n = md5(upper('zoltan.quarmby@web.test')) WHERE id = 7} ],
	[ 'digest of a digest', 1, q{ADD n text; UPDATE customer SET n = md5(md5('zoltan.quarmby@web.test')) WHERE id = 7} ],
	[ 'digest as a fingerprint', 1, q{ADD n text; UPDATE customer SET n = regexp_replace(md5('zoltan.quarmby@web.test'), '(..)(?=.)', '\1:', 'g') WHERE id = 7} ],
	[ 'digest in base64 without its end', 1, q{ADD n text; UPDATE customer SET n = rtrim(encode(sha256('zoltan.quarmby@web.test'), 'base64'), '=') WHERE id = 7} ],
	[ 'digest that was cut', 1, q{ADD n text; UPDATE customer SET n = left(encode(sha256('zoltan.quarmby@web.test'), 'hex'), 16) WHERE id = 7} ],
	[ 'digest that was cut to a uuid', 1, q{ADD n uuid; UPDATE customer SET n = left(encode(sha256('zoltan.quarmby@web.test'), 'hex'), 32)::uuid WHERE id = 7} ],
	[ 'digest as a number', 1, q{ADD n bigint; UPDATE customer SET n = ('x' || left(md5('zoltan.quarmby@web.test'), 16))::bit(64)::bigint WHERE id = 7} ],
	[ 'hash of PostgreSQL', 1, q{ADD n bigint; UPDATE customer SET n = hashtextextended('zoltan.quarmby@web.test', 0) WHERE id = 7} ],
	[ 'numbers as large', 0, q{ADD n bigint; UPDATE customer SET n = hashtextextended('pepper' || id, 0)} ],
	[ 'uuid of version 3', 1, q{ADD n uuid; UPDATE customer SET n = overlay(overlay(h PLACING '3' FROM 13) PLACING to_hex(8 | ('x' || substr(h, 17, 1))::bit(4)::int & 3) FROM 17)::uuid FROM md5('\x6ba7b8119dad11d180b400c04fd430c8'::bytea || 'zoltan.quarmby@web.test') AS h WHERE id = 7} ],
	[ 'digest of a link', 1, q{ADD n text; UPDATE customer SET n = md5('mailto:zoltan.quarmby@web.test') WHERE id = 7} ],
	[ 'digest of another digest', 1, q{ADD n text; UPDATE customer SET n = encode(sha256(md5('zoltan.quarmby@web.test')::bytea), 'hex') WHERE id = 7} ],
	[ 'digest as a uuid in a text', 1, q{ADD n text; UPDATE customer SET n = 'of ' || md5('zoltan.quarmby@web.test')::uuid WHERE id = 7} ],
	[ 'token in a link', 1, q{ADD n text; ALTER TABLE customer ADD api_token text; UPDATE customer SET api_token = 'sk_' || md5('t' || id), n = 'https://web.test/?token=sk_' || md5('t7')} ],
	[ 'digest of a token', 1, q{ADD n text; ALTER TABLE customer ADD api_token text; UPDATE customer SET api_token = 'sk_' || md5('t' || id), n = encode(sha256(('sk_' || md5('t7'))::bytea), 'hex')} ],
	[ 'short secret', 0, q{ADD n text; ALTER TABLE customer ADD password text; UPDATE customer SET password = 'summer' || id, n = 'summer7'} ],
	[ 'phone in two columns', 0, q{ADD n text; ALTER TABLE customer ADD m text; UPDATE customer SET n = '0171', m = '5550049' WHERE id = 7} ],
	[ 'phone as the bits of a number', 0, q{ADD n bit(64); UPDATE customer SET n = 491715550049::bigint::bit(64) WHERE id = 7} ],
	[ 'name in Braille', 0, q{ADD n text; UPDATE customer SET n = '⠵⠕⠇⠞⠁⠝ ⠟⠥⠁⠗⠍⠃⠽' WHERE id = 7} ],
	[ 'account without its bank', 0, q{ADD n text; ALTER TABLE customer ADD iban text; UPDATE customer SET iban = 'DE89370400440532013000', n = 'BLZ 370 400 44, Konto 0532013000' WHERE id = 7} ],
);

# What came of one place: in words, and what the copy said.
sub outcome
{
	my ($sql) = @_;
	my ($status, $told, $error) = $node->psql('postgres', "$people $sql; $copy", on_error_stop => 1);

	if ($status != 0)
	{
		return ($error =~ /would hold \d+ original|have no decision/ ? 'refused' : "failed: $error", $error);
	}
	my $dump;
	IPC::Run::run([ "$ENV{SDC_BIN}/pg_dump", '-p', $node->port, '-h', $node->host, '-n', 'cc', 'postgres' ], '>', \$dump) or die 'pg_dump';
	my $looks = $told =~ /^look\|/m;

	return ("there, and nobody is told", $told) if $dump =~ /quarmby/i && !$looks;
	return ('look', $told) if $looks;
	return ('left out', $told) if $told =~ /(?:holds|computes) (?:an original|the last)/;
	return ('clean', $told);
}

foreach my $place (@places)
{
	my ($name, $full, $last, $sql) = @$place;
	my %expected = (full => $full, last => $last);

	next if $sql =~ /BEGIN ATOMIC|STATISTICS s ON/ && $version < 14;
	next if $sql =~ /PUBLICATION.*WHERE/ && $version < 15;
	foreach my $kind ('full', 'last')
	{
		next unless defined $expected{$kind};
		my $planted = $sql =~ s/\bW\b/$word{$kind}/gr;
		my ($outcome, $told) = outcome($planted);

		is($outcome, $expected{$kind}, "$name, $kind name") || diag($told);
		# what is told of an identifier does not show it
		unlike($told, qr/quarmby/i, "$name: it is not shown") if $kind eq 'full';
		$node->safe_psql('postgres', qq{
			SET client_min_messages = error;
			DROP SCHEMA IF EXISTS cc, o, "$word{$kind}" CASCADE;
			DROP SERVER IF EXISTS sv CASCADE;
			DROP EVENT TRIGGER IF EXISTS "e $word{$kind}";
			DROP PUBLICATION IF EXISTS "p $word{$kind}";
			DROP ROLE IF EXISTS "$word{$kind}";
			SELECT lo_unlink(oid) FROM pg_largeobject_metadata});
	}
}

foreach my $value (@values)
{
	my ($name, $found, $sql) = @$value;
	my $kept = $copy =~ s/keep"\}\}'/keep"}, "customer.n": {"method": "keep"}}'/r;
	my ($status, undef, $error) = $node->psql('postgres', "$people; ALTER TABLE customer $sql; $kept", on_error_stop => 1);

	is($error =~ /would hold \d+ original.*They are in (?:customer\.n|(a function))/s ? $1 // 1 : $status == 0 ? 0 : $error, $found, $name);
	unlike($error, qr/quarmby|5550049/i, "$name: it is not shown");
	$node->safe_psql('postgres', 'SET client_min_messages = error; DROP SCHEMA IF EXISTS cc, o CASCADE');
}

# What permutes names, or keeps their letters, leaves those of people.
foreach my $rule ('"method": "shuffle"', '"method": "mask_text", "keep": 40')
{
	my $shuffled = $copy =~ s/keep"\}\}'/keep"}, "customer.full_name": {$rule}}'/r;
	my (undef, undef, $error) = $node->psql('postgres', "$people; $shuffled", on_error_stop => 1);

	like($error, qr/would hold 60 original identifiers\nDETAIL:  They are in customer.full_name/, "whole names by $rule");
	$node->safe_psql('postgres', 'DROP SCHEMA o CASCADE');
}

# Who is in no column of identifiers is told, wherever it is, unless a rule for
# the column says that somebody has looked at it.
$node->safe_psql('postgres', "$people CREATE TABLE d (id int, v text); INSERT INTO d SELECT i, 'item ' || i FROM generate_series(1, 3000) AS i;
	UPDATE d SET v = 'write to other\@else.test' WHERE id = 2900");
like($node->safe_psql('postgres', $copy), qr/^look\|d.v\|Values that look like an e-mail address, an IBAN or a phone: 1\./m, 'an address of somebody else');
is($node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', measure, subject, value), ', ') FROM sdc.check_copy('o', 'cc', '{"*": {"method": "keep"}}') WHERE value > 0}),
	'look_alikes d.v 1', 'check_copy says where');
is($node->safe_psql('postgres', q{SELECT count(*) FROM sdc.check_copy('o', 'cc', '{"*": {"method": "keep"}, "d.v": {"method": "keep"}}') WHERE value > 0}), 0, 'a rule for the column');
$node->safe_psql('postgres', 'DROP SCHEMA cc, o CASCADE');

# A name that many have is no one's, and params say what is a word.
$node->safe_psql('postgres', "$people; UPDATE customer SET last_name = 'Quarmby' WHERE id <= 25; ALTER TABLE customer ALTER state SET DEFAULT 'Quarmby'");
unlike($node->safe_psql('postgres', $copy), qr/last name/, 'a last name that many have');
$node->safe_psql('postgres', "DROP SCHEMA cc, o CASCADE; $people; ALTER TABLE customer ALTER state SET DEFAULT 'Quarmby', ADD mark text; UPDATE o.customer SET mark = 'ask Quarmby' WHERE id = 3");
my $words = $copy =~ s/keep"\}\}'/keep"}}', '{"words": ["quarmby"]}'/r;
unlike($node->safe_psql('postgres', $words), qr/last name/, 'a word');
is($node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', measure, subject, value), ', ' ORDER BY subject) FROM sdc.check_copy('o', 'cc', '{"*": {"method": "keep"}}') WHERE value > 0}),
	'last_names a default of table "customer" 1, last_names customer.mark 1', 'check_copy says where');
# a rule for the column itself: somebody has looked at it
is($node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', measure, subject, value), ', ' ORDER BY subject) FROM sdc.check_copy('o', 'cc', '{"*": {"method": "keep"}, "customer.mark": {"method": "keep"}}') WHERE value > 0}),
	'last_names a default of table "customer" 1', 'a rule for the column');
$node->safe_psql('postgres', 'DROP SCHEMA cc, o CASCADE');

# Views that would read the original while the copy is made, and functions that
# say they read nothing.
$node->safe_psql('postgres', "$people " . q{
	ANALYZE customer;
	CREATE FUNCTION who(i int) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT last_name FROM o.customer WHERE id = i';
	CREATE FUNCTION year(d date) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT extract(year FROM d)::int';
	CREATE FUNCTION state_of() RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT last_name FROM o.customer LIMIT 1';
	CREATE TABLE defaults (id int, a text DEFAULT state_of(), b int CHECK (state_of() <> ''));
	CREATE MATERIALIZED VIEW by_query AS SELECT query_to_xml('SELECT last_name FROM o.customer', false, true, '')::text AS x;
	CREATE MATERIALIZED VIEW by_table AS SELECT (SELECT table_to_xml('o.customer', false, true, '')::text) AS x;
	CREATE MATERIALIZED VIEW by_statistics AS SELECT most_common_vals::text AS x FROM pg_stats WHERE tablename = 'customer';
	CREATE VIEW below AS SELECT query_to_xml('SELECT last_name FROM o.customer', false, true, '')::text AS x;
	CREATE MATERIALIZED VIEW above AS SELECT * FROM below;
	CREATE MATERIALIZED VIEW by_function AS SELECT who(id) FROM customer;
	CREATE FUNCTION whose(i int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN o.who(i); END';
	CREATE FUNCTION more(t text, i int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN t || o.whose(i); END';
	CREATE AGGREGATE all_of(int) (SFUNC = more, STYPE = text, INITCOND = '');
	CREATE VIEW by_nested_function AS SELECT whose(id) FROM customer;
	CREATE MATERIALIZED VIEW by_aggregate AS SELECT all_of(id) FROM customer;
	CREATE VIEW by_definition AS SELECT pg_get_viewdef('by_nested_function'::regclass);
	CREATE MATERIALIZED VIEW good AS SELECT year(date '2020-01-01') AS y, random() AS r, count(*) AS n FROM customer});
my $told = $node->safe_psql('postgres', $copy);
is($node->safe_psql('postgres', q{SELECT string_agg(relname, ' ') FROM pg_class WHERE relnamespace = 'cc'::regnamespace AND relkind IN ('v', 'm')}), 'good', 'no view reads the original');
is(scalar(() = $told =~ /view: not in the copy/gi), 9, 'and all of them are told');
is($node->safe_psql('postgres', q{SELECT (SELECT count(*) FROM pg_attrdef WHERE adrelid = 'cc.defaults'::regclass) + (SELECT count(*) FROM pg_constraint WHERE conrelid = 'cc.defaults'::regclass)}), 0,
	'no default or check runs with the rights of the owner of the original');
like($told, qr/A check calls a function that runs with the rights of its owner/, 'which is told');
$node->safe_psql('postgres', q{DROP SCHEMA cc CASCADE; ALTER TABLE o.customer ADD other text GENERATED ALWAYS AS (o.who(id)) STORED});
my (undef, undef, $error) = $node->psql('postgres', $copy);
like($error, qr/Function "who", which a generated column calls, reads tables/, 'nor does a generated column');
$node->safe_psql('postgres', q{ALTER TABLE o.customer DROP other, ADD other text GENERATED ALWAYS AS (o.whose(id)) STORED});
(undef, undef, $error) = $node->psql('postgres', $copy);
like($error, qr/Function "who", which a generated column calls, reads tables/, 'nor by another function');

# The same behind another function, an operator, a cast or an index, in a
# domain, also of a composite type, and behind TABLE: a developer who writes a
# row of the copy would ask the original with the rights of its owner.
$node->safe_psql('postgres', q{SET search_path = o;
	ALTER TABLE customer DROP other;
	DROP TABLE defaults;
	CREATE FUNCTION nth(int) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN (SELECT last_name FROM o.customer WHERE id = $1); END';
	CREATE FUNCTION nested(int) RETURNS text LANGUAGE sql AS 'SELECT o.nth($1)';
	CREATE FUNCTION sum(int, int) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN (SELECT last_name FROM o.customer WHERE id = $1 + $2); END';
	CREATE OPERATOR ### (LEFTARG = int, RIGHTARG = int, FUNCTION = sum);
	CREATE FUNCTION known(text) RETURNS bool LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER AS 'BEGIN RETURN EXISTS (SELECT FROM o.customer WHERE last_name = $1); END';
	CREATE DOMAIN asked AS text CHECK (known(VALUE));
	CREATE TABLE defaults (id int, a text DEFAULT nested(1), b text DEFAULT 1 ### 2, c text CHECK (c::asked IS NOT NULL), EXCLUDE (c WITH =) WHERE (known(c)));
	CREATE INDEX ON defaults (known(c));
	CREATE INDEX plain ON defaults (c)});
$told = $node->safe_psql('postgres', $copy);
is($node->safe_psql('postgres', q{SELECT concat_ws(' ', (SELECT count(*) FROM pg_attrdef WHERE adrelid = 'cc.defaults'::regclass),
	(SELECT string_agg(indexrelid::regclass::text, ' ') FROM pg_index WHERE indrelid = 'cc.defaults'::regclass),
	(SELECT count(*) FROM pg_constraint WHERE conrelid = 'cc.defaults'::regclass))}), '0 cc.plain 0',
	'nor does one by another function, an operator or a cast to a domain, nor an index');
is(scalar(() = $told =~ /(default|check|index) calls a function that runs with the rights of its owner/gi), 5, 'and all of them are told');
foreach my $place (
	q{CREATE DOMAIN checked AS text CHECK (known(VALUE)); CREATE TABLE more (x checked)},
	q{CREATE DOMAIN checked AS text CHECK (known(VALUE)); CREATE TYPE pair AS (a int, b checked[]); CREATE TABLE more (x pair)},
	q{CREATE DOMAIN checked AS text CHECK (known(VALUE)); CREATE TYPE pair AS (a int, b checked); CREATE TABLE more (x pair)},
	q{CREATE DOMAIN filled AS text DEFAULT nth(1); CREATE TABLE more (x filled)},
	q{CREATE TABLE more (x text) PARTITION BY LIST (known(x))},
	q{CREATE TABLE more (x text, y bool GENERATED ALWAYS AS (known(x)) STORED)})
{
	(undef, undef, $error) = $node->psql('postgres', "BEGIN; DROP SCHEMA cc CASCADE; SET search_path = o; $place; $copy");
	like($error, qr/Function "(known|nth)", which a (generated column|domain, a generated column or a partition key) calls, (reads tables|runs with the rights of its owner)/,
		"refused: $place");
}
$node->safe_psql('postgres', q{DROP SCHEMA cc CASCADE; SET search_path = o; DROP TABLE defaults;
	CREATE FUNCTION short(int) RETURNS text LANGUAGE sql IMMUTABLE AS 'WITH t AS (TABLE o.customer) SELECT left(min(last_name), 2) FROM t';
	CREATE MATERIALIZED VIEW by_table_command AS SELECT short(id) FROM customer});
like($node->safe_psql('postgres', $copy), qr/Materialized view: not in the copy, for it calls "short", which may read the original/, 'TABLE is read, too');
$node->safe_psql('postgres', q{DROP SCHEMA cc CASCADE; CREATE TYPE o.label AS ENUM ('Zoltan Quarmby'); CREATE TYPE o.pair AS (a int, b o.label); CREATE TABLE o.more (x o.pair)});
(undef, undef, $error) = $node->psql('postgres', $copy =~ s/keep"\}\}/keep"}, "more.x": {"method": "keep"}}/r);
like($error, qr/They are in type "label"/, 'the labels of a type within a composite one');

# A password in the text of a function that a default calls goes with it.
$node->safe_psql('postgres', "DROP SCHEMA o CASCADE; $people");
foreach my $connection ('host=db.test user=app password=Tr0ub4dor', 'postgresql://app:Tr0ub4dor@db.test/shop')
{
	$node->safe_psql('postgres', qq{SET search_path = o; CREATE OR REPLACE FUNCTION connection() RETURNS text LANGUAGE plpgsql AS \$\$ BEGIN RETURN length('$connection')::text; END \$\$;
		ALTER TABLE customer ALTER state SET DEFAULT connection()});
	(undef, undef, $error) = $node->psql('postgres', $copy);
	like($error, qr/in a function that is called in table "customer" \(a password\)/, 'a password is refused');
	unlike($error, qr/Tr0ub4dor/, 'and not shown');
}
$node->safe_psql('postgres', q{SET search_path = o; CREATE OR REPLACE FUNCTION connection() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN 'https://web.test:8080/a@b'; END $$});
is($node->psql('postgres', $copy), 0, 'an address without one is none');


# Marks that somebody has written behind one letter, of two kinds: PostgreSQL
# puts them in order in the square of how many they are, and answers no cancel.
create_processor($node);
$node->safe_psql('postgres', q{DROP SCHEMA cc CASCADE; UPDATE o.customer SET state = 'a' || repeat(chr(769), 30000) || repeat(chr(803), 30000) WHERE id = 3});
my $late;
($late, $error) = stopped_after($node, q{sdc.copy_schema('o', 'cc', '{"*": {"method": "keep"}}')}, 1000);
like($error, qr/^$|canceling statement due to statement timeout/, 'sixty thousand marks on a letter');
cmp_ok($late, '<', $patience, sprintf('answered after %.2f s', $late));
$node->safe_psql('postgres', q{DROP SCHEMA IF EXISTS cc CASCADE; UPDATE o.customer SET state = 'a' || repeat(chr(769), 600) || ' Zo' || chr(769) || 'ltan Quarmby' WHERE id = 3});
(undef, undef, $error) = $node->psql('postgres', $copy);
like($error, qr/customer\.state/, 'and a name behind many of them is found');

$node->stop;
done_testing();
