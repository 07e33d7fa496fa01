-- copy_nights: copies of many nights, and what changes between them.
SET client_min_messages = warning;
INSERT INTO sdc.secret (domain, key) VALUES ('person', sha256('person'));
CREATE SCHEMA regress_pay;
CREATE TABLE regress_pay.staff (id int PRIMARY KEY, email text UNIQUE, salary float8, bonus int, age int, grade text, level int);
INSERT INTO regress_pay.staff SELECT i, 'p' || i || '@pay.test', 30000 + i * 7919 % 50000, i * 37 % 900, 20 + i * 31 % 45, 'g' || i * 13 % 7, i % 9 FROM generate_series(1, 300) AS i;
CREATE TABLE regress_pay.note (staff int REFERENCES regress_pay.staff, points float8);
INSERT INTO regress_pay.note SELECT i, i FROM generate_series(1, 300) AS i;

-- What is drawn anew, or made of all rows, is told; what each row becomes by itself and by a key is not.
\set rules '''{"*": {"method": "keep"}, "staff.salary": {"method": "add_noise", "alpha": 1}, "staff.bonus": {"method": "round_to", "base": 100, "random": true}, "staff.age": {"method": "rank_swap", "p": 10}, "staff.level": {"method": "round_to", "base": 3}, "note.points": {"method": "shuffle"}}'''
SELECT sdc.create_copy('regress_pay', 'regress_pay', 'regress_paid', :rules);
SELECT step, subject, detail FROM sdc.run_copy('regress_pay') WHERE step NOT IN ('mask', 'kept', 'write');
-- one copy by itself has no other ones
SELECT count(*) FROM sdc.copy_schema('regress_pay', 'regress_once', :rules) WHERE step = 'not covered';
DROP SCHEMA regress_once CASCADE;
-- and so it is: a mean of ten nights misses by a third of what one misses by (.316)
CREATE TEMP TABLE seen (night int, id int, salary float8);
CREATE FUNCTION pg_temp.nights(nights int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    FOR n IN 1 .. nights LOOP
        PERFORM * FROM sdc.run_copy('regress_pay', 4611686018427387905 + n);
        INSERT INTO seen SELECT n, id, salary FROM regress_paid.staff;
    END LOOP;
END $$;
SELECT pg_temp.nights(10);
SELECT stddev(m.salary - o.salary) / stddev(s.salary - o.salary) BETWEEN 0.2 AND 0.5 AS averages_out
FROM seen AS s JOIN regress_pay.staff AS o USING (id) JOIN (SELECT id, avg(salary) AS salary FROM seen GROUP BY id) AS m USING (id) WHERE s.night = 1;

-- No name of a table is in the way of the copy's own.
CREATE TABLE regress_pay.sdc_stage (id int PRIMARY KEY);
INSERT INTO regress_pay.sdc_stage SELECT i FROM generate_series(1, 20) AS i;
SELECT subject, rows FROM sdc.copy_schema('regress_pay', 'regress_once', :rules) WHERE step = 'write';
SELECT count(*) AS tables FROM pg_class WHERE relnamespace = 'regress_once'::regnamespace AND relkind = 'r';
DROP SCHEMA regress_once CASCADE;
DROP TABLE regress_pay.sdc_stage;

-- A column named * is a column where the method masks columns.
CREATE TABLE regress_pay.odd (id int PRIMARY KEY, "*" text, "a,b" int);
INSERT INTO regress_pay.odd SELECT i, 'word', i FROM generate_series(1, 20) AS i;
SELECT sdc.create_copy('regress_pay', 'regress_pay', 'regress_paid', '{"*": {"method": "keep"}, "odd.*": {"method": "constant", "value": "none"}}');
DROP SCHEMA regress_paid CASCADE;
SELECT subject, method, detail FROM sdc.run_copy('regress_pay') WHERE subject ~ '^odd';
SELECT "*", count(*), sum("a,b") FROM regress_paid.odd GROUP BY 1;
SELECT subject, method, changed FROM sdc.mask('regress_pay.odd', '{"*": {"method": "constant", "value": "none"}}', 'regress_pay.odd_masked') WHERE step = 'mask';
SELECT subject, method, rows FROM sdc.mask('regress_pay.odd', '{"*": {"method": "sample_rows", "p": 50}}', 'regress_pay.odd_part', seed => 7) WHERE step = 'write';
SELECT sdc.mask('regress_pay.note', '{"*": {"method": "constant", "value": "none"}}', 'regress_pay.note_masked');
-- a rule for rows would leave that column as it is
SELECT sdc.create_copy('regress_pay', 'regress_pay', 'regress_paid', '{"*": {"method": "keep"}, "odd.*": {"method": "sample_rows", "p": 10}}');
SELECT sdc.plan_copy('regress_pay', '{"*": {"method": "sample_rows", "p": 10}}');
SELECT sdc.drop_policy('regress_pay');
DROP SCHEMA regress_paid, regress_pay CASCADE;

-- Rights on the last copy are those on the next one, also where default privileges give more; labels come with them, rows that are hidden stop it.
CREATE ROLE regress_night_reader;
CREATE SCHEMA regress_pay;
CREATE TABLE regress_pay.staff (id int PRIMARY KEY, a int);
INSERT INTO regress_pay.staff SELECT i, i FROM generate_series(1, 20) AS i;
SELECT sdc.create_copy('regress_pay', 'regress_pay', 'regress_paid', '{"staff.a": {"method": "keep"}}');
BEGIN; ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO regress_night_reader; ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO regress_night_reader;
SELECT count(*) > 0 AS done FROM sdc.run_copy('regress_pay');
SELECT has_table_privilege('regress_night_reader', 'regress_paid.staff', 'SELECT') AS reads, has_schema_privilege('regress_night_reader', 'regress_paid', 'USAGE') AS uses;
REVOKE SELECT ON regress_paid.staff FROM regress_night_reader; REVOKE USAGE ON SCHEMA regress_paid FROM regress_night_reader; GRANT SELECT (id) ON regress_paid.staff TO regress_night_reader;
SELECT count(*) > 0 AS done FROM sdc.run_copy('regress_pay');
SELECT has_table_privilege('regress_night_reader', 'regress_paid.staff', 'SELECT') AS reads, has_column_privilege('regress_night_reader', 'regress_paid.staff', 'id', 'SELECT') AS reads_id, has_schema_privilege('regress_night_reader', 'regress_paid', 'USAGE') AS uses;
ROLLBACK;
SELECT count(*) > 0 AS done FROM sdc.run_copy('regress_pay');
BEGIN; ALTER TABLE regress_paid.staff ENABLE ROW LEVEL SECURITY;
SELECT sdc.run_copy('regress_pay');
ROLLBACK;
-- no provider is loaded here, so that none says yes
\set VERBOSITY terse
BEGIN; SET LOCAL allow_system_table_mods = on;
INSERT INTO pg_seclabel (objoid, classoid, objsubid, provider, label) VALUES ('regress_paid.staff'::regclass, 'pg_class'::regclass, 1, 'house', 'secret');
SELECT sdc.run_copy('regress_pay');
ROLLBACK;
\set VERBOSITY default
SELECT sdc.drop_policy('regress_pay');
DROP SCHEMA regress_paid, regress_pay CASCADE;
DROP ROLE regress_night_reader;

-- A rule, and a decision, is for one column.
CREATE SCHEMA regress_pay;
CREATE TABLE regress_pay.a (id int PRIMARY KEY, "b.c" bytea);
CREATE TABLE regress_pay."a.b" (id int PRIMARY KEY, c bytea);
SELECT sdc.plan_copy('regress_pay', '{"a.b.c": {"method": "keep"}}');
ALTER TABLE regress_pay.a DROP "b.c", ADD j jsonb, ADD "j$.x" int;
SELECT sdc.plan_copy('regress_pay', '{"a.j$.x": {"method": "keep"}}');
SELECT column_name, decided_by FROM sdc.plan_copy('regress_pay', '{"a.j$.y": {"method": "keep"}, "a.b.c": {"method": "null"}}');
DROP SCHEMA regress_pay CASCADE;

-- What changes the meaning of a decision stops the night, also where names and types are as they were.
CREATE SCHEMA regress_pay;
CREATE TABLE regress_pay.staff (id int PRIMARY KEY, salary float8, net float8 GENERATED ALWAYS AS (salary * 0.6) STORED, a int, b int, c int);
INSERT INTO regress_pay.staff (id, salary, a, b, c) SELECT i, 30000 + i, i, 1000 + i, 2000 + i FROM generate_series(1, 20) AS i;
CREATE TABLE regress_pay.alpha (id int PRIMARY KEY, amount int);
CREATE TABLE regress_pay.beta (id int PRIMARY KEY, amount int);
CREATE TABLE regress_pay.pic (staff int);
INSERT INTO regress_pay.alpha SELECT i, i FROM generate_series(1, 20) AS i;
INSERT INTO regress_pay.beta SELECT i, 100000 + i FROM generate_series(1, 20) AS i;
\set rules '''{"staff.salary": {"method": "constant", "value": 0}, "staff.a": {"method": "keep"}, "staff.b": {"method": "constant", "value": 0}, "staff.c": {"method": "keep"}, "alpha.amount": {"method": "keep"}, "beta.amount": {"method": "constant", "value": 0}}'''
SELECT sdc.create_copy('regress_pay', 'regress_pay', 'regress_paid', :rules);
SELECT count(*) > 0 AS done FROM sdc.run_copy('regress_pay');
-- what was computed from masked columns holds originals now
BEGIN; ALTER TABLE regress_pay.staff ALTER net DROP EXPRESSION;
SELECT sdc.run_copy('regress_pay');
ROLLBACK;
-- two columns that were swapped, and two tables
BEGIN; ALTER TABLE regress_pay.staff RENAME a TO other; ALTER TABLE regress_pay.staff RENAME b TO a; ALTER TABLE regress_pay.staff RENAME other TO b;
SELECT sdc.run_copy('regress_pay');
ROLLBACK; BEGIN; ALTER TABLE regress_pay.alpha RENAME TO other; ALTER TABLE regress_pay.beta RENAME TO alpha; ALTER TABLE regress_pay.other RENAME TO beta;
SELECT sdc.run_copy('regress_pay');
ROLLBACK;
-- with the same rules it is no matter, nor where a load makes a table anew
BEGIN; ALTER TABLE regress_pay.staff RENAME a TO other; ALTER TABLE regress_pay.staff RENAME c TO a; ALTER TABLE regress_pay.staff RENAME other TO c;
SELECT count(*) > 0 AS done FROM sdc.run_copy('regress_pay');
SELECT min(a) AS a, min(b) AS b, min(c) AS c FROM regress_paid.staff;
ROLLBACK; BEGIN; CREATE TABLE regress_pay.other AS TABLE regress_pay.alpha; ALTER TABLE regress_pay.other ADD PRIMARY KEY (id); DROP TABLE regress_pay.alpha; ALTER TABLE regress_pay.other RENAME TO alpha;
SELECT count(*) > 0 AS done FROM sdc.run_copy('regress_pay');
-- but where columns have traded names in it: a and b, which have other rules, not a and c
ROLLBACK; BEGIN; ALTER TABLE regress_pay.staff RENAME a TO other; ALTER TABLE regress_pay.staff RENAME b TO a; ALTER TABLE regress_pay.staff RENAME other TO b;
CREATE TABLE regress_pay.other (LIKE regress_pay.staff INCLUDING ALL); INSERT INTO regress_pay.other (id, salary, a, b, c) SELECT id, salary, a, b, c FROM regress_pay.staff;
DROP TABLE regress_pay.staff; ALTER TABLE regress_pay.other RENAME TO staff;
SELECT sdc.run_copy('regress_pay');
ROLLBACK; BEGIN; ALTER TABLE regress_pay.staff RENAME a TO other; ALTER TABLE regress_pay.staff RENAME c TO a; ALTER TABLE regress_pay.staff RENAME other TO c;
CREATE TABLE regress_pay.other (LIKE regress_pay.staff INCLUDING ALL); INSERT INTO regress_pay.other (id, salary, a, b, c) SELECT id, salary, a, b, c FROM regress_pay.staff;
DROP TABLE regress_pay.staff; ALTER TABLE regress_pay.other RENAME TO staff;
SELECT count(*) > 0 AS done FROM sdc.run_copy('regress_pay');
ROLLBACK;
-- what was empty, and so kept, has values that nobody has decided about; a key that is none any more
BEGIN; INSERT INTO regress_pay.pic SELECT i FROM generate_series(1, 20) AS i;
SELECT sdc.run_copy('regress_pay');
ROLLBACK; BEGIN; ALTER TABLE regress_pay.beta DROP CONSTRAINT beta_pkey;
SELECT sdc.run_copy('regress_pay');
ROLLBACK;
SELECT count(*) > 0 AS again FROM sdc.run_copy('regress_pay');
SELECT sdc.drop_policy('regress_pay');
DROP SCHEMA regress_paid, regress_pay CASCADE;
SELECT sdc.forget_pseudonyms('person');
