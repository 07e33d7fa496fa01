-- copy: a safe copy of a whole schema, and the proof that it is one.
SET client_min_messages = warning;
INSERT INTO sdc.secret (domain, key) VALUES ('person', sha256('person'));
\set shop regress_shop
\set customers 320
\i data/shop.sql
RESET search_path;
-- Every column has a decision, and a reason.
SELECT relation, column_name, kind, decided_by, method FROM sdc.plan_copy('regress_shop');
SELECT sdc.copy_schema('regress_shop', 'regress_safe');
SELECT count(*) AS no_schema FROM pg_namespace WHERE nspname = 'regress_safe';
-- The levels: column before kind before role before type before what was found.
SELECT column_name, decided_by, rule ->> 'value' AS value FROM sdc.plan_copy('regress_shop', '{
    "customer.email": {"method": "constant", "value": "column"}, "kind:phone": {"method": "constant", "value": "kind"}, "kind:email": {"method": "constant", "value": "no"},
    "role:sensitive": {"method": "constant", "value": "role"}, "role:identifier": {"method": "constant", "value": "id"}, "type:text": {"method": "constant", "value": "type"}, "*": {"method": "constant", "value": "rest"}}')
WHERE column_name IN ('email', 'phone', 'salary', 'iban', 'label', 'customer_id', 'net') ORDER BY relation::text, column_name;
SELECT sdc.plan_copy('regress_shop', '{"customer.emial": {"method": "keep"}}');
SELECT count(*) > 0 AS planned FROM sdc.plan_copy('regress_shop', '{"kind:shoe": {"method": "keep"}}');
SELECT count(*) > 0 AS planned FROM sdc.plan_copy('regress_shop', '{"role:sensitiv": {"method": "null"}}');
SELECT count(*) > 0 AS planned FROM sdc.plan_copy('regress_shop', '{"type:varchar": {"method": "null"}}');
-- a column of a domain is of the type below
SELECT count(*) > 0 AS planned FROM sdc.plan_copy('regress_shop', '{"type:information_schema.sql_identifier": {"method": "null"}}');
SELECT count(*) > 0 AS planned FROM sdc.plan_copy('regress_shop', '{"sort:x": {"method": "null"}}');
-- a kind, a role or a type that this schema has not got is one all the same
SELECT count(*) > 0 AS planned FROM sdc.plan_copy('regress_shop', '{"kind:mac": {"method": "null"}, "kind:undecided": {"method": "null"}, "role:household": {"method": "null"}, "type:character varying": {"method": "null"}, "type:regress_shop.tier": {"method": "null"}}');
SELECT sdc.plan_copy('regress_shop', '[]');
SELECT sdc.plan_copy('no_such_schema');
SELECT sdc.plan_copy(NULL);
SELECT sdc.copy_schema('regress_shop', 'public');
SELECT sdc.copy_schema('regress_shop', NULL);

-- One call.
SELECT step, subject, method, rows, detail FROM sdc.copy_schema('regress_shop', 'regress_safe', '{"*": {"method": "keep"}}', '{"locale": "de"}')
WHERE step <> 'mask' AND step <> 'kept';
SELECT * FROM sdc.check_copy('regress_shop', 'regress_safe');
-- the same structure: columns, types, NOT NULL, defaults but for sequences, generated columns, constraints, indexes
SELECT count(*) AS other_columns FROM (
    SELECT c.relname, a.attname, a.attnum, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 WHERE c.relnamespace = 'regress_shop'::regnamespace AND c.relkind IN ('r', 'p')
    EXCEPT SELECT c.relname, a.attname, a.attnum, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 WHERE c.relnamespace = 'regress_safe'::regnamespace) AS d;
SELECT contype, count(*) FILTER (WHERE connamespace = 'regress_shop'::regnamespace) = count(*) FILTER (WHERE connamespace = 'regress_safe'::regnamespace) AS as_many,
       bool_and(convalidated) AS valid
FROM pg_constraint WHERE connamespace IN ('regress_shop'::regnamespace, 'regress_safe'::regnamespace) AND conrelid <> 0 AND contype <> 'n' GROUP BY contype ORDER BY contype;
SELECT count(*) AS still_refer FROM pg_constraint WHERE connamespace = 'regress_safe'::regnamespace AND confrelid <> 0
AND confrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'regress_shop'::regnamespace);
-- as many rows, unique where it was, the generated computed anew, children with their parents
SELECT (SELECT count(*) FROM regress_safe.customer) AS customers, (SELECT count(DISTINCT email) FROM regress_safe.customer) AS addresses,
       (SELECT count(*) FROM regress_safe.customer WHERE full_name <> first_name || ' ' || last_name) AS other_names,
       (SELECT count(*) FROM regress_safe.orders WHERE net <> round(amount / 1.19, 2)) AS other_net,
       (SELECT count(*) FROM regress_safe.orders_2024) AS of_2024;
SELECT count(*) AS tickets, count(*) FILTER (WHERE c.id = o.id) AS of_the_same_person FROM regress_safe.ticket AS t JOIN regress_safe.customer AS c USING (email)
JOIN regress_shop.ticket AS s ON s.id = t.id JOIN regress_shop.customer AS o ON o.email = s.email;
-- nobody has what was his; the row order tells nothing (.28: five standard
-- deviations of 320 rows by chance); sequences go on; nothing fired
SELECT count(*) FILTER (WHERE s.email = o.email) AS email, count(*) FILTER (WHERE s.phone = o.phone) AS phone, count(*) FILTER (WHERE s.iban = o.iban) AS iban,
       count(*) FILTER (WHERE s.card_number = o.card_number) AS card, count(*) FILTER (WHERE s.login = o.login) AS login, count(*) FILTER (WHERE s.password_hash = o.password_hash) AS hash,
       count(*) FILTER (WHERE s.date_of_birth = o.date_of_birth) AS birth, count(*) FILTER (WHERE s.prefs = o.prefs) AS prefs, count(*) FILTER (WHERE s.tags = o.tags) AS tags
FROM regress_safe.customer AS s JOIN regress_shop.customer AS o USING (id);
SELECT abs(corr(id, place)) < 0.28 AS any_order FROM (SELECT id, row_number() OVER (ORDER BY ctid) AS place FROM regress_safe.customer) AS p;
SELECT nextval(pg_get_serial_sequence('regress_safe.ticket', 'id')) AS ticket, nextval(pg_get_serial_sequence('regress_safe.customer', 'id')) AS customer,
       (SELECT count(*) FROM regress_shop.audit) AS fired;
-- by grep: no original in any row as text, whatever the column
SELECT count(*) AS left_over FROM (
    SELECT c::text AS t FROM regress_safe.customer AS c UNION ALL SELECT k::text FROM regress_safe.ticket AS k UNION ALL SELECT o::text FROM regress_safe.orders AS o) AS a
WHERE t ~ '@web\.test|user_?\d|171 ?555\d{4}|secret';
-- what was planted is found
UPDATE regress_safe.ticket SET body = 'x user77@web.test, and +49 171 555-0078 too' WHERE id = 3;
UPDATE regress_safe.customer SET prefs = '{"deep": [{"er": "User79@web.test"}]}' WHERE id = 5;
ALTER TABLE regress_safe.audit ALTER who SET DEFAULT 'user80@web.test';
SELECT measure, subject, value FROM sdc.check_copy('regress_shop', 'regress_safe');
ALTER TABLE regress_safe.ticket DROP CONSTRAINT ticket_email_fkey;
UPDATE regress_safe.ticket SET email = 'no@body' WHERE id = 7;
SELECT measure, subject, value FROM sdc.check_copy('regress_shop', 'regress_safe') WHERE measure = 'orphans';
ALTER TABLE regress_safe.country DROP label;
SELECT * FROM sdc.check_copy('regress_shop', 'regress_safe');
DROP SCHEMA regress_safe CASCADE;

-- The gate: what would leave an identifier is refused, and nothing is left.
SELECT sdc.copy_schema('regress_shop', 'regress_safe', '{"*": {"method": "keep"}, "customer.notes": {"method": "keep"}}');
SELECT sdc.copy_schema('regress_shop', 'regress_safe', '{"*": {"method": "keep"}, "customer.prefs": {"method": "keep"}}');
SELECT sdc.copy_schema('regress_shop', 'regress_safe', '{"*": {"method": "keep"}, "kind:iban": {"method": "shuffle"}}');
-- whole names and streets in what is kept; not in fakes, which may be like them
UPDATE regress_shop.ticket SET body = 'It was ' || (SELECT full_name FROM regress_shop.customer WHERE id = 9) WHERE id = 1;
UPDATE regress_shop.audit SET who = NULL;
INSERT INTO regress_shop.audit VALUES (now(), (SELECT street FROM regress_shop.customer WHERE id = 11), '{"q": 4}');
SELECT sdc.copy_schema('regress_shop', 'regress_safe', '{"*": {"method": "keep"}, "audit.who": {"method": "keep"}}');
DELETE FROM regress_shop.audit;
-- a rule that breaks what the table asks for says so, and shows no value
SELECT sdc.copy_schema('regress_shop', 'regress_safe', '{"*": {"method": "keep"}, "customer.gender": {"method": "constant", "value": "x"}}');
SELECT sdc.copy_schema('regress_shop', 'regress_safe', '{"*": {"method": "keep"}, "customer.login": {"method": "fake", "kind": "first_name", "domain": "person"}}');
SELECT sdc.copy_schema('regress_shop', 'regress_safe', '{"*": {"method": "no such"}}');
SELECT count(*) > 0 AS done FROM sdc.copy_schema('regress_shop', 'regress_safe', '{"*": {"method": "keep"}, "orders.customer_id": {"method": "keep"}, "customer.id": {"method": "pseudonym", "domain": "person", "format": "digits"}}');
SELECT count(*) AS orders, count(*) FILTER (WHERE o.customer_id = s.customer_id) < 20 AS other_ids FROM regress_shop.orders AS o JOIN regress_safe.orders AS s USING (id);
DROP SCHEMA regress_safe CASCADE;
SELECT count(*) AS no_schema FROM pg_namespace WHERE nspname = 'regress_safe';
-- a rule of a column that is referenced goes by the value, whatever "by" says
SELECT relation, column_name, decided_by, rule FROM sdc.plan_copy('regress_shop', '{"customer.email": {"method": "fake", "kind": "email", "domain": "person", "by": "id"}}') WHERE column_name = 'email';

-- Rights: the owner of all tables, and no code of others.
CREATE ROLE regress_sdc_owner;
CREATE ROLE regress_sdc_other;
\set ECHO none
SELECT format('GRANT CREATE ON DATABASE %I TO regress_sdc_owner', current_database()) \gexec
\set ECHO all
GRANT ALL ON SCHEMA regress_shop TO regress_sdc_owner, regress_sdc_other;
SET ROLE regress_sdc_owner;
SELECT sdc.plan_copy('regress_shop');
RESET ROLE;
SET ROLE regress_sdc_other;
CREATE FUNCTION regress_shop.spy(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'ran as %', current_user; END $$;
CREATE DOMAIN regress_shop.spied AS text;
RESET ROLE;
CREATE SCHEMA regress_small;
CREATE TABLE regress_small.t (id int PRIMARY KEY, a text CHECK (regress_shop.spy(a)));
SELECT sdc.copy_schema('regress_small', 'regress_safe', '{"*": {"method": "keep"}}');
ALTER TABLE regress_small.t DROP CONSTRAINT t_a_check, ADD b regress_shop.spied;
SELECT sdc.copy_schema('regress_small', 'regress_safe', '{"*": {"method": "keep"}}');
ALTER TABLE regress_small.t DROP b, OWNER TO regress_sdc_other;
SELECT sdc.copy_schema('regress_small', 'regress_safe', '{"*": {"method": "keep"}}');
ALTER TABLE regress_small.t OWNER TO regress_sdc_owner;
GRANT USAGE ON SCHEMA regress_small TO regress_sdc_owner;
INSERT INTO regress_small.t VALUES (1, 'mail me: a@b.example');
SET ROLE regress_sdc_owner;
SELECT sdc.copy_schema('regress_small', 'regress_safe', '{"*": {"method": "keep"}}');
RESET ROLE;
GRANT EXECUTE ON FUNCTION sdc.fake TO regress_sdc_owner;
SET ROLE regress_sdc_owner;
SELECT step, subject, method FROM sdc.copy_schema('regress_small', 'regress_safe', '{"*": {"method": "keep"}}');
SELECT nspowner::regrole FROM pg_namespace WHERE nspname = 'regress_safe';
RESET ROLE;
DROP SCHEMA regress_safe, regress_small, regress_shop CASCADE;
\set ECHO none
SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_sdc_owner', current_database()) \gexec
\set ECHO all
DROP OWNED BY regress_sdc_owner, regress_sdc_other;
DROP ROLE regress_sdc_owner, regress_sdc_other;
-- cycles of foreign keys, and one to a table outside
CREATE SCHEMA regress_cycle;
CREATE TABLE regress_cycle.a (id int PRIMARY KEY, b int, email text UNIQUE);
CREATE TABLE regress_cycle.b (id int PRIMARY KEY, a int REFERENCES regress_cycle.a, email text REFERENCES regress_cycle.a (email));
ALTER TABLE regress_cycle.a ADD FOREIGN KEY (b) REFERENCES regress_cycle.b DEFERRABLE INITIALLY DEFERRED;
CREATE TABLE outside (id int PRIMARY KEY);
INSERT INTO outside VALUES (1);
CREATE TABLE regress_cycle.c (id int PRIMARY KEY REFERENCES outside, "odd "" name" text);
BEGIN;
INSERT INTO regress_cycle.a SELECT i, i, 'x' || i || '@y.example' FROM generate_series(1, 50) AS i;
INSERT INTO regress_cycle.b SELECT i, 51 - i, 'x' || i || '@y.example' FROM generate_series(1, 50) AS i;
COMMIT;
INSERT INTO regress_cycle.c VALUES (1, 'z');
SELECT step, subject, detail FROM sdc.copy_schema('regress_cycle', 'Regress "Safe"', '{"*": {"method": "keep"}}') WHERE step NOT IN ('kept', 'mask');
SELECT measure, value FROM sdc.check_copy('regress_cycle', 'Regress "Safe"');
SELECT count(*) AS joined FROM "Regress ""Safe""".a JOIN "Regress ""Safe""".b USING (email);
DROP SCHEMA "Regress ""Safe""", regress_cycle CASCADE;
DROP TABLE outside;
-- What is left of an identifier, wherever somebody may have put it.
CREATE SCHEMA regress_left;
CREATE TABLE regress_left.client (id int PRIMARY KEY, email text NOT NULL UNIQUE, phone text, born date, code int, note text, j jsonb, b bytea, a text[], d date, n numeric(12,2));
INSERT INTO regress_left.client SELECT i, 'anna' || i || '@web.test', '+49 171 ' || 5550000 + 7 * i, date '1950-01-01' + 311 * i, 10000000 + i * 29989, 'fine', '{"a": "b"}', 'raw', '{x}', '2024-05-01', i FROM generate_series(1, 60) AS i;
SELECT sdc.declare('regress_left.client', identifiers => '{born,code}');
\set keep '''{"*": {"method": "keep"}, "client.email": {"method": "fake", "kind": "email", "domain": "person"}, "client.phone": {"method": "null"}, "client.born": {"method": "null"}, "client.code": {"method": "null"}, "client.note": {"method": "keep"}, "client.j": {"method": "keep"}, "client.b": {"method": "keep"}, "client.a": {"method": "keep"}}'''
\set try 'SELECT step, subject, detail FROM sdc.copy_schema(''regress_left'', ''regress_safe'', ' :keep ') WHERE step IN (''not covered'', ''check'');'
:try
SELECT measure, value FROM sdc.check_copy('regress_left', 'regress_safe');
DROP SCHEMA regress_safe CASCADE;
-- indexes, checks, defaults: left out, and told
BEGIN;
CREATE INDEX ON regress_left.client (id) WHERE email <> 'anna3@web.test';
CREATE INDEX ON regress_left.client ((email = 'anna4@web.test'));
CREATE INDEX "anna5@web.test" ON regress_left.client (note);
ALTER TABLE regress_left.client ADD CHECK (email <> 'anna6@web.test x'), ADD CONSTRAINT "anna7@web.test" CHECK (id > 0), ADD CONSTRAINT "anna8@web.test" UNIQUE (id, note),
    ALTER note SET DEFAULT 'as anna9@web.test';
:try
SELECT conname ~ 'anna' AS named, contype FROM pg_constraint WHERE connamespace = 'regress_safe'::regnamespace AND contype <> 'n' ORDER BY conname;
SELECT count(*) FILTER (WHERE indexdef ~ 'anna'), count(*) FROM pg_indexes WHERE schemaname = 'regress_safe';
SELECT count(*) FROM sdc.check_copy('regress_left', 'regress_safe') WHERE value > 0;
ROLLBACK;
-- what cannot be left out: refused, with the place, and without a name that tells
BEGIN; ALTER TABLE regress_left.client ADD g text GENERATED ALWAYS AS (CASE WHEN id < 0 THEN 'anna10@web.test' END) STORED; :try
ROLLBACK; BEGIN; ALTER TABLE regress_left.client RENAME n TO "anna11@web.test"; :try
ROLLBACK; BEGIN; CREATE TABLE regress_left."anna12@web.test" (id int UNIQUE); :try
ROLLBACK; BEGIN; CREATE TABLE regress_left.part (id int, who text) PARTITION BY LIST (who); CREATE TABLE regress_left.part_1 PARTITION OF regress_left.part FOR VALUES IN ('anna13@web.test'); :try
ROLLBACK; BEGIN; CREATE TABLE regress_left.part (id int) PARTITION BY LIST (id); CREATE TABLE regress_left."part anna14@web.test" PARTITION OF regress_left.part FOR VALUES IN (1); :try
ROLLBACK; BEGIN; CREATE TYPE regress_left.who AS ENUM ('anna15@web.test', 'other'); ALTER TABLE regress_left.client ALTER a TYPE regress_left.who[] USING NULL; :try
ROLLBACK; BEGIN; CREATE DOMAIN regress_left.no AS bigint CHECK (VALUE <> 491715550007); ALTER TABLE regress_left.client ADD w regress_left.no; :try
ROLLBACK; BEGIN; CREATE TYPE regress_left.pair AS (a int, "anna17@web.test" int); ALTER TABLE regress_left.client ALTER b TYPE regress_left.pair USING NULL; :try
ROLLBACK; BEGIN; CREATE FUNCTION regress_left.is_ok(int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT $1 > 0 OR 'anna18@web.test' = '' $$; ALTER TABLE regress_left.client ADD CHECK (regress_left.is_ok(id)); :try
ROLLBACK; BEGIN; CREATE SEQUENCE regress_left."anna19@web.test" OWNED BY regress_left.client.id; :try
ROLLBACK; BEGIN; CREATE COLLATION regress_left."anna20@web.test" FROM "C"; ALTER TABLE regress_left.client ALTER note TYPE text COLLATE regress_left."anna20@web.test"; :try
ROLLBACK; BEGIN; ALTER TABLE regress_left.client ADD lo oid; UPDATE regress_left.client SET lo = lo_from_bytea(0, 'anna21@web.test') WHERE id = 1; :try
ROLLBACK; SELECT CASE WHEN current_setting('server_version_num')::int >= 140000 THEN '(lower(email)), (email = ''anna22@web.test'')' ELSE 'id, email' END AS counted \gset
BEGIN; CREATE STATISTICS regress_left."anna22@web.test" ON :counted FROM regress_left.client; CREATE RULE r AS ON DELETE TO regress_left.client WHERE OLD.email = 'anna22@web.test' DO INSTEAD NOTHING; ALTER TABLE regress_left.client ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON regress_left.client USING (email <> 'anna22@web.test'); CREATE VIEW regress_left.v AS SELECT 'anna22@web.test'::text AS e; CREATE TABLE regress_left.child () INHERITS (regress_left.client); :try
ROLLBACK; BEGIN; CREATE STATISTICS regress_left."anna23@web.test" ON :counted FROM regress_left.client; CREATE VIEW regress_left.v AS SELECT 'anna22@web.test'::text AS e; COMMENT ON TABLE regress_left.client IS 'anna22@web.test'; ALTER TABLE regress_left.client SET UNLOGGED; :try
SELECT count(*) FROM sdc.check_copy('regress_left', 'regress_safe') WHERE value > 0;
ROLLBACK;
-- values in what is kept, however they are written
CREATE FUNCTION pg_temp.copied(said text, written text, rules jsonb) RETURNS TABLE (how text, left_in text) LANGUAGE plpgsql AS $$
BEGIN
    how := said;
    EXECUTE 'UPDATE regress_left.client SET ' || written || ' WHERE id = 1';
    PERFORM * FROM sdc.copy_schema('regress_left', 'regress_safe', rules);
    RAISE EXCEPTION 'nothing was found' USING ERRCODE = 'assert_failure';
EXCEPTION WHEN check_violation OR assert_failure THEN
    GET STACKED DIAGNOSTICS left_in = PG_EXCEPTION_DETAIL;
    RETURN NEXT;
END $$;
SELECT t.* FROM (VALUES
    ('a key of JSON', $$j = '{"anna9@web.test": 1}'$$), ('a key deep in JSON', $$j = '{"a": [{"x": {"Anna9@Web.Test": []}}]}'$$),
    ('JSON, escaped', $$note = '{"m": "anna9\u0040web.test"}'$$), ('a number of JSON', $$j = '{"p": 491715550007}'$$), ('a short one', $$j = '[10029989]'$$),
    ('an array', $$a = '{x,"<anna9@web.test>"}'$$), ('capitals', $$note = 'see ANNA9@WEB.TEST!'$$), ('in a URL', $$note = 'http://x/?m=anna9%40web.test&y'$$), ('twice', $$note = 'anna9%2540web.test'$$),
    ('base64', $$note = encode('Mail: anna9@web.test', 'base64')$$), ('base64 in JSON', $$j = jsonb_build_object('t', encode('{"m":"anna9@web.test"}', 'base64'))$$), ('hexadecimal', $$note = encode('anna9@web.test', 'hex')$$),
    ('bytes', $$b = 'anna9@web.test'$$), ('bytes of UTF-16', $$b = '\x61006e006e006100390040007700650062002e007400650073007400'$$), ('HTML', $$note = 'anna9&#64;web.test'$$), ('no border', $$note = 'xanna9@web.testy'$$),
    ('wide letters', $$note = 'ａnna9＠web.test'$$), ('a hyphen that is not seen', $$note = U&'anna\00ad9@web.test'$$), ('a phone at home', $$note = '(0171) 555-0007'$$), ('and abroad', $$note = '00491715550007'$$),
    ('a number', $$n = 10029989$$), ('a date', $$d = '1950-11-08'$$), ('a date in words', $$note = 'born 8.11.1950'$$), ('a date in JSON', $$j = '{"born": "1950-11-08T00:00:00Z"}'$$),
    ('a long text', $$note = repeat('lorem ipsum ', 20000) || 'anna9@web.test'$$), ('other values', $$note = 'anna999 at web.test, 10029988, 1950-11-09', n = 10029988.5, d = '1950-11-09'$$)) AS v (said, written),
    pg_temp.copied(said, written, :keep) AS t;
DROP SCHEMA regress_left CASCADE;
-- A policy of a copy: every night the same, in place of the last one.
CREATE SCHEMA regress_night;
CREATE TABLE regress_night.person (id int PRIMARY KEY, email text UNIQUE, town text, amount int, remark text);
CREATE TABLE regress_night.visit (person int REFERENCES regress_night.person, at date);
INSERT INTO regress_night.person SELECT i, 'p' || i || '@night.test', 'x', i, 'none' FROM generate_series(1, 40) AS i;
INSERT INTO regress_night.visit SELECT i, '2025-01-01' FROM generate_series(1, 40) AS i;
SELECT sdc.create_copy('regress_nightly', 'regress_night', 'regress_day');
SELECT sdc.create_copy('regress_nightly', 'regress_night', 'regress_day', '{"*": {"method": "keep"}}', '{"locale": "fr"}');
SELECT sdc.policy_json('regress_nightly');
SELECT sdc.run_copy('no such');
SELECT count(*) FROM sdc.run_copy('regress_nightly', 4611686018427387905) WHERE step = 'write';
CREATE ROLE regress_dev;
GRANT USAGE ON SCHEMA regress_day TO regress_dev;
GRANT SELECT ON regress_day.person TO regress_dev;
GRANT UPDATE (at) ON regress_day.visit TO PUBLIC;
CREATE TEMP TABLE first_night AS SELECT * FROM regress_day.person;
INSERT INTO regress_night.person VALUES (41, 'new@night.test', 'y', 41);
SELECT step, subject, rows, detail FROM sdc.run_copy('regress_nightly') WHERE step NOT IN ('mask', 'kept');
SELECT count(*) AS as_before FROM first_night JOIN regress_day.person USING (id, email);
SELECT has_schema_privilege('regress_dev', 'regress_day', 'USAGE') AS usage, has_table_privilege('regress_dev', 'regress_day.person', 'SELECT') AS "select", has_column_privilege('regress_dev', 'regress_day.visit', 'at', 'UPDATE') AS update;
SELECT count(*) AS stages FROM pg_namespace WHERE nspname ~ '^sdc_copy';
SELECT * FROM sdc.check_copy('regress_night', 'regress_day', '{"*": {"method": "keep"}}');
-- what has changed stops the night, and the last copy stays
ALTER TABLE regress_night.visit ADD note text;
SELECT sdc.run_copy('regress_nightly');
ALTER TABLE regress_night.visit DROP note;
ALTER TABLE regress_night.person ALTER amount TYPE bigint;
SELECT sdc.run_copy('regress_nightly');
ALTER TABLE regress_night.person ALTER amount TYPE int;
CREATE TABLE regress_night.more (id int PRIMARY KEY);
SELECT sdc.run_copy('regress_nightly');
SELECT sdc.create_copy('regress_nightly', 'regress_night', 'regress_day', '{"*": {"method": "keep"}}', '{"locale": "fr"}');
SELECT step, subject, rows FROM sdc.run_copy('regress_nightly') WHERE step = 'write';
DROP TABLE regress_night.more;
SELECT sdc.run_copy('regress_nightly');
SELECT sdc.create_copy('regress_nightly', 'regress_night', 'regress_day', '{"*": {"method": "keep"}}', '{"locale": "fr"}');
ALTER TABLE regress_night.visit RENAME at TO on_day;
SELECT sdc.run_copy('regress_nightly');
ALTER TABLE regress_night.visit RENAME on_day TO at;
UPDATE regress_night.person SET remark = 'q' || id || '@night.test';
SELECT sdc.run_copy('regress_nightly');
UPDATE regress_night.person SET remark = 'z';
-- nor is anything lost that is not of the copy
CREATE VIEW public.on_copy AS SELECT * FROM regress_day.person;
SELECT sdc.run_copy('regress_nightly');
DROP VIEW public.on_copy;
CREATE TABLE regress_day.mine (id int);
SELECT sdc.run_copy('regress_nightly');
DROP TABLE regress_day.mine;
CREATE TABLE public.on_copy (id int, kept regress_day.person);
SELECT sdc.run_copy('regress_nightly');
DROP TABLE public.on_copy;
CREATE FUNCTION public.on_copy(regress_day.person) RETURNS int LANGUAGE sql AS 'SELECT 1';
SELECT sdc.run_copy('regress_nightly');
DROP FUNCTION public.on_copy(regress_day.person);
CREATE SEQUENCE regress_day.mine;
SELECT sdc.run_copy('regress_nightly');
CREATE TABLE public.on_copy (id int DEFAULT nextval('regress_day.mine'));
SELECT sdc.run_copy('regress_nightly');
DROP TABLE public.on_copy;
DROP SEQUENCE regress_day.mine;
CREATE DOMAIN regress_day.mine AS int;
SELECT sdc.run_copy('regress_nightly');
DROP DOMAIN regress_day.mine;
SELECT count(*) > 0 AS again FROM sdc.run_copy('regress_nightly');
ALTER SCHEMA regress_day RENAME TO regress_old;
CREATE SCHEMA regress_day;
SELECT sdc.run_copy('regress_nightly');
DROP SCHEMA regress_day, regress_old CASCADE;
-- the document goes back; only the owner runs it
SELECT sdc.policy_json('regress_nightly') AS document \gset
SELECT sdc.drop_policy('regress_nightly');
SELECT sdc.run_copy('regress_nightly');
SELECT sdc.create_policy(:'document');
SELECT sdc.policy_json('regress_nightly') = :'document'::jsonb AS same;
GRANT EXECUTE ON FUNCTION sdc.run_copy TO regress_dev;
SET ROLE regress_dev;
SELECT sdc.run_copy('regress_nightly');
RESET ROLE;
REVOKE ALL ON FUNCTION sdc.run_copy FROM regress_dev;
SELECT sdc.create_policy('regress_other', 'regress_night.person', '{}', '[]', '{"attacks": []}');
SELECT sdc.run_copy('regress_other');
SELECT sdc.drop_policy('regress_other');
SELECT sdc.drop_policy('regress_nightly');
DROP SCHEMA regress_night CASCADE;
DROP ROLE regress_dev;
-- A part of a schema: some persons and all that belongs to them.
CREATE SCHEMA regress_part;
SET search_path = regress_part;
CREATE TABLE team (id int PRIMARY KEY, lead int, name text);
CREATE TABLE person (id int PRIMARY KEY, email text UNIQUE, boss int REFERENCES person, team int REFERENCES team);
ALTER TABLE team ADD FOREIGN KEY (lead) REFERENCES person DEFERRABLE;
CREATE TABLE orders (id int, year int, person int REFERENCES person, PRIMARY KEY (id, year)) PARTITION BY LIST (year);
CREATE TABLE orders_1 PARTITION OF orders FOR VALUES IN (2024);
CREATE TABLE orders_2 PARTITION OF orders FOR VALUES IN (2025);
CREATE TABLE line (id int PRIMARY KEY, "order" int, year int, article int, FOREIGN KEY ("order", year) REFERENCES orders);
CREATE TABLE article (id int PRIMARY KEY, part_of int REFERENCES article, label text);
ALTER TABLE line ADD FOREIGN KEY (article) REFERENCES article;
CREATE TABLE log (n int, who text);
CREATE TABLE setting (key text PRIMARY KEY);
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
INSERT INTO team SELECT i, i * 50, 'team' FROM generate_series(1, 40) AS i;
INSERT INTO person SELECT i, 'p' || i || '@part.test', nullif(i / 8, 0), 1 + i % 40 FROM generate_series(1, 2000) AS i;
COMMIT;
INSERT INTO orders SELECT i, 2024 + i % 2, 1 + i % 2000 FROM generate_series(1, 6000) AS i;
INSERT INTO article SELECT i, nullif(i / 3, 0), 'thing' FROM generate_series(1, 300) AS i;
INSERT INTO line SELECT i, 1 + i % 6000, 2024 + (1 + i % 6000) % 2, 1 + i % 300 FROM generate_series(1, 12000) AS i;
INSERT INTO log SELECT i, 'p' || 1 + i % 2000 || '@part.test' FROM generate_series(1, 4000) AS i;
INSERT INTO setting SELECT 'k' || i FROM generate_series(1, 20) AS i;
RESET search_path;
\set part '''{"subset": {"rows": 3000, "from": "person", "keys": [{"child": "log", "columns": ["who"], "parent": "person", "parent_columns": ["email"]}]}}'''
SELECT subject, rows FROM sdc.copy_schema('regress_part', 'regress_some', '{"*": {"method": "keep"}, "log.who": {"method": "fake", "kind": "email", "domain": "person"}}', :part, 7) WHERE step = 'constraint' OR subject ~ 'setting';
SELECT sum(n) BETWEEN 2950 AND 3300 AS of_that_size FROM (SELECT count(*) AS n FROM regress_some.team UNION ALL SELECT count(*) FROM regress_some.person UNION ALL SELECT count(*) FROM regress_some.orders
    UNION ALL SELECT count(*) FROM regress_some.line UNION ALL SELECT count(*) FROM regress_some.article UNION ALL SELECT count(*) FROM regress_some.log) AS c;
-- such a key decides as one that a constraint has, but for a column with a rule of its own
SELECT column_name, decided_by, method, rule ->> 'domain' AS domain FROM sdc.plan_copy('regress_part', '{"*": {"method": "keep"}}', :part) WHERE column_name IN ('who', 'email');
SELECT column_name, decided_by, method FROM sdc.plan_copy('regress_part', '{"*": {"method": "keep"}, "log.who": {"method": "null"}}', :part) WHERE column_name = 'who';
SELECT column_name, decided_by, method FROM sdc.plan_copy('regress_part', '{"*": {"method": "keep"}, "person.id": {"method": "pseudonym", "domain": "person", "format": "digits"}}',
    '{"subset": {"keys": [{"child": "log", "columns": ["n"], "parent": "person", "parent_columns": ["id"]}]}}') WHERE relation::text ~ 'log|person' ORDER BY 1;
SELECT column_name, decided_by FROM sdc.plan_copy('regress_part', '{"*": {"method": "keep"}}', '{"subset": {"keys": {"child": "log", "columns": "who", "parent": ["person"]}}}') WHERE column_name = 'who';
SELECT measure, value FROM sdc.check_copy('regress_part', 'regress_some', '{"*": {"method": "keep"}, "log.who": {"method": "fake", "kind": "email", "domain": "person"}}');
-- the key that no constraint has: nobody of the log is missing
SELECT count(*) > 0 AS some, count(*) FILTER (WHERE p.id IS NULL) AS orphans FROM regress_some.log AS l LEFT JOIN regress_some.person AS p ON p.email = l.who;
-- whose orders are there has all of them, with all lines
SELECT count(DISTINCT person) > 100 AS some, count(*) FILTER (WHERE n NOT IN (0, 3)) AS in_part FROM (SELECT p.id AS person, count(o.id) AS n FROM regress_some.person AS p LEFT JOIN regress_some.orders AS o ON o.person = p.id GROUP BY 1) AS s;
SELECT count(*) FILTER (WHERE n <> 2) AS without_lines FROM (SELECT o.id, count(l.id) AS n FROM regress_some.orders AS o LEFT JOIN regress_some.line AS l ON (l."order", l.year) = (o.id, o.year) GROUP BY 1) AS s;
-- the same seed, the same part, wherever rows lie; half as many are a part of them
CREATE TABLE public.first_part AS SELECT id FROM regress_some.orders;
DROP SCHEMA regress_some CASCADE;
UPDATE regress_part.person SET team = team;
UPDATE regress_part.line SET article = article;
ANALYZE regress_part.person;
SELECT count(*) > 0 AS done FROM sdc.copy_schema('regress_part', 'regress_some', '{"*": {"method": "keep"}, "log.who": {"method": "fake", "kind": "email", "domain": "person"}}', :part, 7);
SELECT count(*) FILTER (WHERE f.id IS NULL OR o.id IS NULL) AS others FROM regress_some.orders AS o FULL JOIN public.first_part AS f USING (id);
DROP SCHEMA regress_some CASCADE;
SELECT count(*) > 0 AS done FROM sdc.copy_schema('regress_part', 'regress_some', '{"*": {"method": "keep"}}', '{"subset": {"rows": 1000, "from": "person", "up": ["line.line_order_year_fkey"]}}', 7);
SELECT (SELECT count(*) FROM regress_some.line) AS lines, count(*) > 0 AS orders, count(*) FILTER (WHERE f.id IS NULL) < count(*) / 2 AS mostly_the_same FROM regress_some.orders AS o LEFT JOIN public.first_part AS f USING (id);
DROP SCHEMA regress_some CASCADE;
DROP TABLE public.first_part;
SELECT count(*) > 0 AS all_of_it FROM sdc.copy_schema('regress_part', 'regress_some', '{"*": {"method": "keep"}}', '{"subset": {"rows": 1000000, "from": "person"}}');
SELECT (SELECT count(*) FROM regress_some.line) AS lines, (SELECT count(*) FROM regress_some.person) AS persons, (SELECT count(*) FROM regress_some.log) AS logs;
DROP SCHEMA regress_some CASCADE;
-- all people are looked for, or those of the part: the others are found by check_copy
INSERT INTO regress_part.setting SELECT 'k' || i FROM generate_series(21, 300) AS i;
INSERT INTO regress_part.setting VALUES ('p1999@part.test');
\set part '''{"subset": {"rows": 100, "from": "person"}}'''
\set own '''{"subset": {"rows": 100, "from": "person", "search": "part"}}'''
SELECT sdc.copy_schema('regress_part', 'regress_some', '{"*": {"method": "keep"}}', :part, 7);
SELECT step, detail ~ 'None of [0-9]+ original identifiers of its own rows was found' AS of_its_own FROM sdc.copy_schema('regress_part', 'regress_some', '{"*": {"method": "keep"}}', :own, 7) WHERE step = 'check';
SELECT measure, subject, value FROM sdc.check_copy('regress_part', 'regress_some', '{"*": {"method": "keep"}}', :own) WHERE measure = 'leaks';
DROP SCHEMA regress_some CASCADE;
UPDATE regress_part.setting SET key = 'p50@part.test' WHERE key ~ 'p1999';
SELECT sdc.copy_schema('regress_part', 'regress_some', '{"*": {"method": "keep"}}', :own, 7);
SELECT sdc.copy_schema('regress_part', 'regress_some', '{"*": {"method": "keep"}}', '{"subset": {"from": "person", "search": "none"}}');
SELECT sdc.copy_schema('regress_part', 'regress_some', '{"*": {"method": "keep"}}', '{"subset": {"rows": 100}}');
SELECT sdc.copy_schema('regress_part', 'regress_some', '{"*": {"method": "keep"}}', '{"subset": {"from": "nobody"}}');
SELECT sdc.copy_schema('regress_part', 'regress_some', '{"*": {"method": "keep"}}', '{"subset": {"from": "person", "rows": 0}}');
SELECT sdc.copy_schema('regress_part', 'regress_some', '{"*": {"method": "keep"}}', '{"subset": {"from": "person", "up": ["x"]}}');
SELECT sdc.copy_schema('regress_part', 'regress_some', '{"*": {"method": "keep"}}', '{"subset": {"from": "person", "keys": [{"child": "log", "columns": ["nobody"], "parent": "person", "parent_columns": ["email"]}]}}');
SELECT sdc.copy_schema('regress_part', 'regress_some', '{"*": {"method": "keep"}}', '{"subset": {"from": "person", "keys": [{"child": "log", "columns": ["who"], "parent": "person"}]}}');
DROP SCHEMA regress_part CASCADE;
SELECT sdc.forget_pseudonyms('person');
