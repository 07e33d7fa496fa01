-- copy_objects: views, sequences and partitions of a copy, and what is not in it.
SET client_min_messages = warning;
INSERT INTO sdc.secret (domain, key) VALUES ('person', sha256('person')) ON CONFLICT DO NOTHING;
CREATE SCHEMA regress_from;
CREATE SCHEMA regress_beside;
CREATE TABLE regress_beside.other (x text);
INSERT INTO regress_beside.other VALUES ('anna@web.test');
CREATE SEQUENCE regress_from.shared START 100;
CREATE SEQUENCE regress_from.invoice;
CREATE TABLE regress_from.a (id int PRIMARY KEY DEFAULT nextval('regress_from.shared'), email text UNIQUE, nr text DEFAULT 'INV-' || nextval('regress_from.invoice'));
CREATE TABLE regress_from.b (id int PRIMARY KEY DEFAULT nextval('regress_from.shared'), a int REFERENCES regress_from.a, serial serial);
INSERT INTO regress_from.a (email) SELECT 'user' || i || '@web.test' FROM generate_series(1, 50) AS i;
INSERT INTO regress_from.b (a) SELECT 100 + i % 50 FROM generate_series(1, 20) AS i;
CREATE TABLE regress_from.p (k int, d date, t text) PARTITION BY RANGE (d);
CREATE TABLE regress_from.p1 PARTITION OF regress_from.p FOR VALUES FROM ('2024-01-01') TO ('2025-01-01') PARTITION BY LIST (k);
CREATE TABLE regress_from.p1a PARTITION OF regress_from.p1 FOR VALUES IN (1, 2, 3);
CREATE TABLE regress_from.p1b PARTITION OF regress_from.p1 DEFAULT;
CREATE TABLE regress_from.p2 PARTITION OF regress_from.p DEFAULT;
CREATE INDEX ON regress_from.p (t);
CREATE UNIQUE INDEX ON regress_from.p1a (k, d, t);
INSERT INTO regress_from.p SELECT i % 5, date '2024-06-01' + i * 20, 't' || i FROM generate_series(1, 40) AS i;
CREATE FUNCTION regress_from.peek(i int) RETURNS text LANGUAGE sql STABLE AS $$ SELECT email FROM regress_from.a WHERE id = i $$;
CREATE FUNCTION regress_from.twice(t text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT t || t $$;
-- a view that reads one that is younger, and what others may be
CREATE VIEW regress_from.older AS SELECT 1 AS x;
CREATE VIEW regress_from.named (mail, "A nr") WITH (security_barrier) AS SELECT email, nr FROM regress_from.a WHERE id > 105;
CREATE OR REPLACE VIEW regress_from.older AS SELECT count(*)::int AS x FROM regress_from.named;
CREATE MATERIALIZED VIEW regress_from.stored AS SELECT a.email, count(*) AS n, regress_from.twice(a.email) AS twice FROM regress_from.a JOIN regress_from.b ON b.a = a.id GROUP BY 1;
CREATE UNIQUE INDEX stored_key ON regress_from.stored (email);
CREATE MATERIALIZED VIEW regress_from.unfilled AS SELECT * FROM regress_from.named WITH NO DATA;
CREATE RECURSIVE VIEW regress_from.counted (n) AS SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 3;
CREATE VIEW regress_from.updatable AS SELECT id, email FROM regress_from.a WHERE id > 0 WITH CASCADED CHECK OPTION;
-- these would read the original, or tell of it
CREATE VIEW regress_from.reads_beside AS SELECT x FROM regress_beside.other;
CREATE VIEW regress_from.calls AS SELECT regress_from.peek(id) AS p FROM regress_from.a;
CREATE VIEW regress_from.reads_that AS SELECT * FROM regress_from.calls;
CREATE VIEW regress_from.tells AS SELECT * FROM regress_from.a WHERE email <> 'user7@web.test';
ALTER TABLE regress_from.a ENABLE ROW LEVEL SECURITY;
CREATE POLICY a_policy ON regress_from.a USING (true);
CREATE RULE a_rule AS ON DELETE TO regress_from.b DO ALSO NOTHING;
CREATE STATISTICS regress_from.a_statistics ON k, d FROM regress_from.p;
CREATE FUNCTION regress_from.fires() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM regress_from.b; RETURN NEW; END $$;
CREATE TRIGGER a_trigger BEFORE INSERT ON regress_from.a FOR EACH ROW EXECUTE FUNCTION regress_from.fires();
SELECT last_value AS before FROM regress_from.shared;
SELECT step, subject, rows, detail FROM sdc.copy_schema('regress_from', 'regress_to', '{"*": {"method": "keep"}}') WHERE step NOT IN ('mask', 'kept');
-- the views read the copy, whoever looks
SELECT (SELECT x FROM regress_to.older) AS older, (SELECT count(*) FROM regress_to.stored) AS stored, (SELECT count(*) FROM regress_to.named WHERE mail LIKE '%web.test' OR mail IS NULL) AS originals,
       (SELECT count(*) FROM regress_to.stored JOIN regress_to.a USING (email)) AS of_the_copy, (SELECT max(n) FROM regress_to.counted) AS counted;
SELECT c.relname, array_to_string(c.reloptions, ',') AS options, (SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0) AS columns
FROM pg_class AS c WHERE c.relnamespace = 'regress_to'::regnamespace AND c.relkind IN ('v', 'm') ORDER BY 1;
SELECT count(*) AS leads_to_the_original FROM pg_depend AS d JOIN pg_class AS o ON d.refclassid = 'pg_class'::regclass AND o.oid = d.refobjid AND o.relnamespace = 'regress_from'::regnamespace
JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid JOIN pg_class AS v ON v.oid = w.ev_class AND v.relnamespace = 'regress_to'::regnamespace;
SELECT count(*) AS indexes FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid WHERE c.relname IN ('stored', 'p', 'p1', 'p1a', 'p1b', 'p2') AND c.relnamespace = 'regress_to'::regnamespace;
-- numbers of the copy are its own, and go on after its largest
SELECT nextval('regress_to.shared') AS shared, nextval('regress_to.invoice') AS invoice, nextval('regress_to.b_serial_seq') AS serial, (SELECT last_value FROM regress_from.shared) AS as_before;
INSERT INTO regress_to.a (email) VALUES ('new@web.test') RETURNING id, nr;
-- rows lie where they lay
SELECT c.relname, count(*) FROM regress_to.p JOIN pg_class AS c ON c.oid = p.tableoid GROUP BY 1 ORDER BY 1;
SELECT count(*) AS as_many FROM sdc.copy_schema('regress_from', 'regress_part', '{"*": {"method": "keep"}}', '{"subset": {"rows": 40, "from": "p"}}', 3) WHERE step = 'write';
SELECT measure, value FROM sdc.check_copy('regress_from', 'regress_to', '{"*": {"method": "keep"}}');
-- a policy takes its own views away with the last copy, and no others
SELECT sdc.create_copy('regress objects', 'regress_from', 'regress_night', '{"*": {"method": "keep"}}');
SELECT count(*) > 0 AS done FROM sdc.run_copy('regress objects');
SELECT count(*) > 0 AS again FROM sdc.run_copy('regress objects');
CREATE VIEW regress_night.foreign_one AS SELECT 1;
SELECT sdc.run_copy('regress objects');
SELECT sdc.drop_policy('regress objects');
-- what a view says of a value is not shown
CREATE MATERIALIZED VIEW regress_from.fails AS SELECT substr(email, 5, strpos(email, '@') - 5)::int AS n FROM regress_from.a;
SELECT sdc.copy_schema('regress_from', 'regress_fails', '{"*": {"method": "keep"}}');
DROP MATERIALIZED VIEW regress_from.fails;
-- what materialized views compute is searched, constants that are put together
-- are read as one, and so are the numbers of sequences
CREATE MATERIALIZED VIEW regress_from.computed AS SELECT replace('uXser7@wXeb.test', 'X', '') AS x;
SELECT sdc.copy_schema('regress_from', 'regress_fails', '{"*": {"method": "keep"}}');
DROP MATERIALIZED VIEW regress_from.computed;
CREATE VIEW regress_from.joined AS SELECT (('user7@'::text || ('web.'::varchar)) || 'test') AS x;
CREATE TABLE regress_from.halves (i int, x text DEFAULT 'user7@' || 'web.test');
CREATE VIEW regress_from.folded AS SELECT chr(117) || reverse('tset.bew@7res') AS x;
CREATE VIEW regress_from.over AS SELECT x || '' AS y FROM regress_from.folded;
ALTER TABLE regress_from.halves ADD y text DEFAULT chr(117) || reverse('tset.bew@8res'), ADD z text DEFAULT chr(117) || 'nit';
-- a sequence with such a name, and the default that takes its numbers
CREATE SEQUENCE regress_from."of user9@web.test";
CREATE TABLE regress_from.counts (i int DEFAULT nextval('regress_from."of user9@web.test"'));
SELECT subject, detail FROM sdc.copy_schema('regress_from', 'regress_halves', '{"*": {"method": "keep"}}') WHERE detail LIKE '%identifier: not%';
SELECT to_regclass('regress_halves.folded') IS NULL AS left_out;
SELECT count(*) AS defaults FROM information_schema.columns WHERE table_schema = 'regress_halves' AND table_name = 'halves' AND column_default IS NOT NULL;
DROP VIEW regress_from.joined;
DROP VIEW regress_from.over, regress_from.folded;
DROP TABLE regress_from.halves, regress_from.counts;
DROP SEQUENCE regress_from."of user9@web.test";
CREATE TABLE regress_from.client (id int GENERATED ALWAYS AS IDENTITY (START 900) PRIMARY KEY, phone bigint);
INSERT INTO regress_from.client (phone) SELECT 491715550000 + i FROM generate_series(1, 20) AS i;
CREATE TABLE regress_from.numbered (i bigint GENERATED ALWAYS AS IDENTITY (START 491715550007), x int);
SELECT sdc.declare('regress_from.client', id => 'id', identifiers => '{phone}');
SELECT sdc.copy_schema('regress_from', 'regress_fails', '{"*": {"method": "keep"}, "client.phone": {"method": "constant", "value": 1}}');
DROP TABLE regress_from.numbered;
-- sequences that begin late or go down, and have nothing to go on after
CREATE TABLE regress_from.late (i int GENERATED ALWAYS AS IDENTITY (START 500 MINVALUE 400), d int GENERATED BY DEFAULT AS IDENTITY (INCREMENT -2));
SELECT count(*) > 0 AS copied FROM sdc.copy_schema('regress_from', 'regress_late', '{"*": {"method": "keep"}, "client.phone": {"method": "constant", "value": 1}}');
INSERT INTO regress_late.late DEFAULT VALUES RETURNING i, d;
INSERT INTO regress_from.late DEFAULT VALUES;
INSERT INTO regress_from.late DEFAULT VALUES;
DROP SCHEMA regress_late CASCADE;
SELECT count(*) > 0 AS copied FROM sdc.copy_schema('regress_from', 'regress_late', '{"*": {"method": "keep"}, "client.phone": {"method": "constant", "value": 1}}');
INSERT INTO regress_late.late DEFAULT VALUES RETURNING i, d;
SELECT sdc.declare('regress_from.client');
-- keys of one partition, and what rows break that the original has not validated
CREATE SCHEMA regress_keys;
CREATE TABLE regress_keys.customer (id int PRIMARY KEY, email text UNIQUE, amount int);
INSERT INTO regress_keys.customer SELECT i, 'user' || i || '@web.test', i FROM generate_series(1, 300) AS i;
ALTER TABLE regress_keys.customer ADD CONSTRAINT large CHECK (amount > 5) NOT VALID;
CREATE TABLE regress_keys.visit (gone int, region int, who int, mail text) PARTITION BY LIST (region);
ALTER TABLE regress_keys.visit DROP COLUMN gone;
CREATE TABLE regress_keys.visit_1 (mail text, region int, who int CHECK (who > 0));
ALTER TABLE regress_keys.visit ATTACH PARTITION regress_keys.visit_1 FOR VALUES IN (1);
CREATE TABLE regress_keys.visit_2 PARTITION OF regress_keys.visit FOR VALUES IN (2);
ALTER TABLE regress_keys.visit_1 ADD CONSTRAINT of FOREIGN KEY (who) REFERENCES regress_keys.customer,
    ADD CONSTRAINT by_mail FOREIGN KEY (mail) REFERENCES regress_keys.customer (email);
INSERT INTO regress_keys.visit SELECT 1, i, 'user' || i || '@web.test' FROM generate_series(1, 300) AS i;
INSERT INTO regress_keys.visit SELECT 2, i, 'user' || i || '@web.test' FROM generate_series(300, 600) AS i;
CREATE TABLE regress_keys.old (id int PRIMARY KEY, c int, d int);
INSERT INTO regress_keys.old VALUES (1, 999, 3), (2, 4, 5);
ALTER TABLE regress_keys.old ADD CONSTRAINT broken FOREIGN KEY (c) REFERENCES regress_keys.customer NOT VALID,
    ADD CONSTRAINT whole FOREIGN KEY (d) REFERENCES regress_keys.customer NOT VALID;
SELECT column_name, decided_by FROM sdc.plan_copy('regress_keys') WHERE relation = 'regress_keys.visit'::regclass;
SELECT step, subject, detail FROM sdc.copy_schema('regress_keys', 'regress_kept', '{"*": {"method": "keep"}}') WHERE step IN ('constraint', 'not covered', 'check');
SELECT conname, convalidated FROM pg_constraint WHERE connamespace = 'regress_kept'::regnamespace AND contype IN ('c', 'f') AND conparentid = 0 ORDER BY 1;
SELECT measure, value FROM sdc.check_copy('regress_keys', 'regress_kept', '{"*": {"method": "keep"}}');
SELECT step, subject, rows FROM sdc.copy_schema('regress_keys', 'regress_some', '{"*": {"method": "keep"}}', '{"subset": {"rows": 60, "from": "customer"}}', 3) WHERE step = 'write';
SELECT count(*) AS joined FROM regress_some.visit_1 JOIN regress_some.customer ON who = id AND mail = email;
-- one that was validated and is not here counts
ALTER TABLE regress_kept.visit_1 DROP CONSTRAINT by_mail;
UPDATE regress_kept.visit_1 SET mail = 'nobody' WHERE who = 9;
ALTER TABLE regress_kept.visit_1 ADD CONSTRAINT by_mail FOREIGN KEY (mail) REFERENCES regress_kept.customer (email) NOT VALID;
SELECT measure, subject, value FROM sdc.check_copy('regress_keys', 'regress_kept', '{"*": {"method": "keep"}}');
DROP SCHEMA regress_keys, regress_kept, regress_some CASCADE;
-- a partition of a table of another schema is none of the copy, and one in another schema of a table of this one is
CREATE SCHEMA regress_keys;
CREATE SCHEMA regress_away;
CREATE TABLE regress_keys.customer (id int PRIMARY KEY);
CREATE TABLE regress_away.visit (id int PRIMARY KEY, customer int) PARTITION BY RANGE (id);
CREATE TABLE regress_keys.visit_1 PARTITION OF regress_away.visit FOR VALUES FROM (1) TO (1000);
ALTER TABLE regress_keys.visit_1 ADD FOREIGN KEY (customer) REFERENCES regress_keys.customer;
CREATE TABLE regress_keys.bill (visit int REFERENCES regress_keys.visit_1, paid int) PARTITION BY LIST (paid);
CREATE TABLE regress_away.bill_1 PARTITION OF regress_keys.bill (FOREIGN KEY (paid) REFERENCES regress_keys.customer) FOR VALUES IN (1);
INSERT INTO regress_keys.customer VALUES (1);
INSERT INTO regress_keys.bill VALUES (NULL, 1);
SELECT step, subject, rows, detail FROM sdc.copy_schema('regress_keys', 'regress_kept', '{"*": {"method": "keep"}}') WHERE step <> 'kept';
SELECT conrelid::regclass AS of, confrelid::regclass AS to FROM pg_constraint WHERE connamespace = 'regress_kept'::regnamespace AND contype = 'f';
SELECT measure, value FROM sdc.check_copy('regress_keys', 'regress_kept', '{"*": {"method": "keep"}}');
DROP SCHEMA regress_keys, regress_kept, regress_away CASCADE;
DROP SCHEMA regress_from, regress_to, regress_beside, regress_night, regress_part, regress_halves, regress_late CASCADE;
SELECT sdc.forget_pseudonyms('person');
