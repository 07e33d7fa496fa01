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
    "role:sensitive": {"method": "constant", "value": "role"}, "role:identifier": {"method": "constant", "value": "id"}, "type:tier": {"method": "constant", "value": "type"}, "*": {"method": "constant", "value": "rest"}}')
WHERE column_name IN ('email', 'phone', 'salary', 'iban', 'label', 'customer_id', 'net') ORDER BY relation::text, column_name;
SELECT sdc.plan_copy('regress_shop', '{"customer.emial": {"method": "keep"}}');
SELECT sdc.plan_copy('regress_shop', '{"kind:shoe": {"method": "keep"}}') LIMIT 0;
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
SELECT format('GRANT CREATE ON DATABASE %I TO regress_sdc_owner', current_database()) \gexec
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
SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_sdc_owner', current_database()) \gexec
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
SELECT sdc.forget_pseudonyms('person');
