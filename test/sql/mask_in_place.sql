-- mask_in_place: the storage of a table is written anew.
\set SHOW_CONTEXT never

CREATE TABLE country (name text PRIMARY KEY);
INSERT INTO country VALUES ('de'), ('es'), ('se');
CREATE TABLE person (
    gone text, id integer PRIMARY KEY, country text REFERENCES country,
    income integer NOT NULL CHECK (income < 100000), hours float8,
    born date, name varchar(20), note text,
    half integer GENERATED ALWAYS AS (income / 2) STORED,
    number integer GENERATED ALWAYS AS IDENTITY);
INSERT INTO person (id, country, income, hours, born, name, note)
SELECT i, (ARRAY['de', 'es', 'se'])[1 + i % 3], 1000 + (i * 7919) % 5000,
       nullif(i * 13 % 97, 5), date '1960-01-01' + (i * 37 % 15000),
       'name' || i, repeat(md5(i::text), 200)
FROM generate_series(1, 500) AS i;
ALTER TABLE person DROP COLUMN gone;
ALTER TABLE person ADD late integer DEFAULT 4711;
CREATE INDEX person_income ON person (income);
CREATE INDEX person_born ON person ((born + 1)) WHERE hours > 10;
CREATE STATISTICS person_joint ON country, name FROM person;
CREATE TABLE visit (id integer PRIMARY KEY, person integer REFERENCES person);
INSERT INTO visit SELECT i, i FROM generate_series(1, 100) AS i;
CREATE VIEW shown AS SELECT id, income, half FROM person;
CREATE MATERIALIZED VIEW kept AS SELECT max(income) FROM shown;
CREATE TABLE audit (said text);
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN INSERT INTO audit VALUES (OLD.name); RETURN NEW; END $$;
CREATE TRIGGER teller BEFORE UPDATE OR DELETE ON person
FOR EACH ROW EXECUTE FUNCTION tell();
COMMENT ON COLUMN person.income IS 'a year';
ANALYZE person;
CREATE TABLE original AS TABLE person;

-- What would be done, and what it has to do with.
SELECT step, subject, method, rows, changed, detail
FROM sdc.mask('person', '{"income": {"method": "rank_swap", "p": 10},
                          "name": {"method": "mask_text", "keep": 4}}',
              dry_run => true, seed => 7)
WHERE step <> 'example' AND step <> 'dry run';
TABLE person EXCEPT TABLE original;

-- In place and into a copy the same is done.
SELECT set_config('test.rules', '{
    "country": {"method": "shuffle"},
    "income": {"method": "rank_swap", "p": 10, "strata": ["country"]},
    "hours": {"method": "add_noise", "alpha": 0.1},
    "born": {"method": "microaggregate", "k": 5},
    "name": {"method": "mask_text", "keep": 4},
    "note": {"method": "shuffle"}}', false) IS NULL;
SELECT count(*) > 0 FROM sdc.mask('person', current_setting('test.rules')::jsonb, target => 'copy', seed => 7);
CREATE TABLE place AS SELECT oid, relfilenode FROM pg_class
WHERE oid IN ('person'::regclass, 'person_income'::regclass, 'person_pkey'::regclass);
SELECT step, subject, method, rows, changed FROM sdc.mask('person', current_setting('test.rules')::jsonb, seed => 7)
WHERE step IN ('mask', 'write');
SELECT count(*) FROM person p JOIN copy c USING (id, country, income, hours, born, name, note, number, late)
WHERE p.half = p.income / 2;
-- rows with a NULL in hours do not join
SELECT count(*) FROM person WHERE hours IS NULL;

-- The storage is new, the table is the same: what depends on it works.
SELECT count(*) AS moved FROM place JOIN pg_class c USING (oid) WHERE c.relfilenode <> place.relfilenode;
SELECT count(*) FROM shown JOIN original USING (id) WHERE shown.half <> original.half;
SELECT col_description('person'::regclass, 4);
SELECT count(*) FROM audit;
INSERT INTO person (id, country, income) VALUES (1, 'de', 1);
INSERT INTO person (id, country, income) VALUES (1001, 'xx', 1);
INSERT INTO person (id, country, income) VALUES (1001, 'de', 100000);
DELETE FROM person WHERE id = 5;
INSERT INTO person (id, country, income) VALUES (1001, 'de', 70) RETURNING half, number, late;
DELETE FROM person WHERE id = 1001;
SELECT count(*) FROM audit;

-- Indexes find what the table has.
SET enable_seqscan = off;
SELECT sum(income), count(*) FROM person WHERE income BETWEEN 2000 AND 3000;
SELECT count(*) FROM person WHERE born + 1 > '1980-01-01' AND hours > 10;
SET enable_seqscan = on; SET enable_indexscan = off; SET enable_bitmapscan = off;
SELECT sum(income), count(*) FROM person WHERE income BETWEEN 2000 AND 3000;
SELECT count(*) FROM person WHERE born + 1 > '1980-01-01' AND hours > 10;
RESET enable_seqscan; RESET enable_indexscan; RESET enable_bitmapscan;

-- The statistics know nothing that the table does not show.
SELECT count(*) > 0 AS there,
       count(*) FILTER (WHERE s.most_common_vals::text LIKE '%name1%'
                           OR s.histogram_bounds::text LIKE '%name1%') AS old
FROM pg_stats s WHERE tablename = 'person';
SELECT count(*) FROM pg_stats_ext WHERE statistics_name = 'person_joint' AND most_common_vals::text LIKE '%name1%';

-- A transaction that fails later takes it back.
CREATE TABLE now AS TABLE person;
BEGIN;
SELECT count(*) > 0 FROM sdc.mask('person', '{"name": {"method": "null"}}');
SELECT count(name) FROM person;
ROLLBACK;
SELECT count(*) FROM (TABLE person EXCEPT TABLE now) AS d;
SELECT count(name) FROM person;
-- Also a savepoint.
BEGIN;
SAVEPOINT before;
SELECT count(*) > 0 FROM sdc.mask('person', '{"name": {"method": "null"}}');
ROLLBACK TO before;
SELECT count(name) FROM person;
SELECT count(*) > 0 FROM sdc.mask('person', '{"note": {"method": "null"}}');
UPDATE person SET late = 1 WHERE id = 7;
SELECT count(*) > 0 FROM sdc.mask('person', '{"late": {"method": "top_code", "upper": 100}}');
COMMIT;
SELECT count(name), count(note), sum(late) FROM person;
DROP TABLE now;

-- Rows of the same transaction are masked, too, in any isolation level.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM visit;
INSERT INTO person (id, country, income, name) VALUES (2000, 'de', 5, 'newcomer');
SELECT count(*) > 0 FROM sdc.mask('person', '{"name": {"method": "mask_text", "keep": 1}}');
SELECT name FROM person WHERE id = 2000;
COMMIT;
DELETE FROM person WHERE id = 2000;

-- What would break a promise is refused, and nothing is changed.  No message
-- has a value of the data.
CREATE FUNCTION try(rules text, rel regclass DEFAULT 'person') RETURNS text LANGUAGE plpgsql AS $$
DECLARE said text; detail text; hint text;
BEGIN
    PERFORM sdc.mask(rel, rules::jsonb, seed => 1);
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS said = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
        hint = PG_EXCEPTION_HINT;
    -- 18 gives the keys of partitions names of another form
    RETURN concat_ws(E'\n', sqlstate || ': ' || replace(said, 'fkey_1', 'fkey1'), nullif(detail, ''), nullif(hint, ''));
END $$;
CREATE TABLE now AS TABLE person;
SELECT try('{"income": {"method": "null"}}');
SELECT try('{"income": {"method": "constant", "value": 100000}}');
SELECT try('{"number": {"method": "null"}}');
SELECT try('{"half": {"method": "null"}}');
SELECT try('{"country": {"method": "constant", "value": "xx"}}');
SELECT try('{"id": {"method": "shuffle"}}');
SELECT try('{"name": {"method": "mask_text", "keep": 1, "fill": "---------"}}');
SELECT try('{"hours": {"method": "generalize", "hierarchy": "x", "level": 1}}');
SELECT try('{"*": {"method": "sample_rows", "p": 50}}');
DROP TABLE visit;
SELECT try('{"id": {"method": "constant", "value": 3}}');
CREATE UNIQUE INDEX person_unique ON person ((id / 5), (id % 5));
SELECT try('{"id": {"method": "round_to", "base": 5}}');
TABLE person EXCEPT TABLE now;
SELECT try('{"id": {"method": "shuffle"}}');
DROP INDEX person_unique;
CREATE FUNCTION loud(x integer) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS
$$ BEGIN
    IF x = 77 THEN RAISE EXCEPTION 'loud says %', x; END IF;
    IF x = 76 THEN RAISE EXCEPTION 'loud says %', x USING ERRCODE = 'data_exception'; END IF;
    IF x = 75 THEN RAISE EXCEPTION 'loud says %', x USING ERRCODE = 'external_routine_exception'; END IF;
    IF x = 74 THEN RAISE EXCEPTION 'loud says %', x USING ERRCODE = 'external_routine_invocation_exception'; END IF;
    IF x = 73 THEN RAISE EXCEPTION 'loud says %', x USING ERRCODE = 'check_violation'; END IF;
    IF x = 81 THEN RAISE EXCEPTION 'loud says %', x USING ERRCODE = 'feature_not_supported'; END IF;
    IF x = 82 THEN RAISE EXCEPTION 'loud says %', x USING ERRCODE = 'internal_error'; END IF;
    IF x = 83 THEN RAISE EXCEPTION 'loud says %', x USING ERRCODE = 'program_limit_exceeded'; END IF;
    IF x = 84 THEN RAISE EXCEPTION 'loud says %', x USING ERRCODE = 'serialization_failure'; END IF;
    IF x = 85 THEN EXECUTE 'SELECT value_' || x; END IF;
    IF x = 86 THEN RAISE division_by_zero; END IF;
    IF x = 72 THEN RAISE EXCEPTION 'loud says %', x USING ERRCODE = 'LOUD1'; END IF;
    RETURN true;
END $$;
ALTER TABLE person ADD CONSTRAINT loud CHECK (loud(income));
SELECT try('{"income": {"method": "constant", "value": 77}}');
SELECT try(format('{"income": {"method": "constant", "value": %s}}', i)) FROM generate_series(72, 86) AS i WHERE i NOT IN (77, 78, 79, 80);
SELECT count(*) > 0 FROM sdc.mask('person', '{"income": {"method": "constant", "value": 78}}', seed => 1);
SELECT DISTINCT income, half FROM person;
CREATE TABLE read_as (name text, n int GENERATED ALWAYS AS (name::int) STORED);
INSERT INTO read_as VALUES ('4711');
SELECT try('{"name": {"method": "mask_text", "keep": 2}}', 'read_as');
DROP TABLE read_as;

-- Kinds of relations.
SELECT try('{}', 'shown');
SELECT try('{}', 'kept');
SELECT try('{}', 'person_income');
SELECT try('{}', 'pg_class');
CREATE TABLE above (a integer);
CREATE TABLE below (b integer) INHERITS (above);
SELECT try('{}', 'above');
SELECT try('{"a": {"method": "null"}}', 'below');
CREATE RULE ruled AS ON DELETE TO below DO INSTEAD NOTHING;
SELECT try('{}', 'below');
DROP TABLE above CASCADE;
CREATE TEMPORARY TABLE passing AS SELECT i AS id, i AS x FROM generate_series(1, 9) AS i;
SELECT try('{"x": {"method": "constant", "value": 1}}', 'passing');
SELECT sum(x) FROM passing;
CREATE UNLOGGED TABLE unlogged AS TABLE passing;
SELECT try('{"x": {"method": "constant", "value": 2}}', 'unlogged');
SELECT sum(x), min(relpersistence) FROM unlogged, pg_class c WHERE c.oid = 'unlogged'::regclass;
DROP TABLE unlogged, passing;

-- Partitions: columns in another order, one level below, a rule across all.
CREATE TABLE sale (year integer, amount integer, buyer text) PARTITION BY RANGE (year);
CREATE TABLE sale_1 (buyer text, gone text, year integer, amount integer);
ALTER TABLE sale_1 DROP COLUMN gone;
ALTER TABLE sale ATTACH PARTITION sale_1 FOR VALUES FROM (2000) TO (2010);
CREATE TABLE sale_2 PARTITION OF sale DEFAULT PARTITION BY LIST (year);
CREATE TABLE sale_2d PARTITION OF sale_2 DEFAULT;
CREATE INDEX ON sale (amount);
INSERT INTO sale SELECT 2000 + i % 20, i, 'buyer' || i FROM generate_series(1, 400) AS i;
CREATE TABLE was AS SELECT tableoid::regclass AS part, * FROM sale;
SELECT try('{"year": {"method": "shuffle"}}', 'sale');
SELECT try('{"year": {"method": "shuffle"}}', 'sale_1');
SELECT step, subject, rows, changed FROM sdc.mask('sale', '{
    "amount": {"method": "rank_swap", "p": 30},
    "buyer": {"method": "mask_text", "keep": 3}}', seed => 1)
WHERE step IN ('mask', 'partition');
SELECT tableoid::regclass AS part, count(*), count(DISTINCT year), count(DISTINCT buyer) FROM sale GROUP BY 1 ORDER BY 1;
SELECT part, count(*) FROM was GROUP BY part ORDER BY part;
-- values crossed from partition to partition, none was lost
SELECT count(*) > 50 AS crossed FROM sale s JOIN was w USING (amount) WHERE s.tableoid::regclass <> w.part;
SELECT sum(amount), count(DISTINCT amount) FROM sale;
SELECT count(*) FROM pg_stats WHERE tablename LIKE 'sale%' AND histogram_bounds::text LIKE '%buyer1%';
SELECT try('{"amount": {"method": "constant", "value": 0}}', 'sale_1');
SELECT sum(amount) = 0 AS all_zero FROM sale_1;
DROP TABLE sale, was;

-- Domains are checked as the owner; identity and generated columns live on.
CREATE DOMAIN small AS integer CHECK (VALUE < 10);
CREATE TABLE tiny (id integer PRIMARY KEY, x small);
INSERT INTO tiny SELECT i, i FROM generate_series(1, 9) AS i;
SELECT try('{"x": {"method": "constant", "value": 11}}', 'tiny');
SELECT try('{"x": {"method": "constant", "value": 5}}', 'tiny');
SELECT sum(x) FROM tiny;
DROP TABLE tiny;

-- Suppression in place reaches k, and leaves nothing beside the table.
CREATE TABLE rare AS SELECT i AS id, i % 7 AS a, (i * i) % 11 AS b FROM generate_series(1, 300) AS i;
ALTER TABLE rare ADD PRIMARY KEY (id);
SELECT step, subject, method, changed > 0 AS changed FROM sdc.mask('rare', '{
    "a": {"method": "top_code", "upper": 5}, "a,b": {"method": "suppress", "k": 12}}', seed => 3)
WHERE step = 'mask';
SELECT min(n) >= 12 AS k_holds
FROM (SELECT s.id, count(*) AS n FROM rare s JOIN rare o
          ON (s.a = o.a OR s.a IS NULL OR o.a IS NULL)
         AND (s.b = o.b OR s.b IS NULL OR o.b IS NULL) GROUP BY s.id) AS c;
SELECT count(*), count(a) < 300 OR count(b) < 300 AS suppressed, max(a) FROM rare;
SELECT relname FROM pg_class WHERE relname ~ '^(sdc_|pg_temp_)' AND relkind = 'r';
ALTER TABLE rare ALTER b SET NOT NULL;
DROP TABLE rare;

-- Only the owner, and never with more rights than the owner.
CREATE ROLE mask_owner;
CREATE ROLE mask_other;
CREATE SCHEMA mask_home AUTHORIZATION mask_owner;
GRANT USAGE ON SCHEMA mask_home TO mask_other;
GRANT USAGE ON SCHEMA public TO mask_owner, mask_other;
SET ROLE mask_owner;
CREATE TABLE mask_home.t (id integer PRIMARY KEY, x integer, y text);
INSERT INTO mask_home.t SELECT i, i, i FROM generate_series(1, 20) AS i;
GRANT ALL ON mask_home.t TO mask_other;
SET ROLE mask_other;
SELECT count(*) FROM sdc.mask('mask_home.t', '{"x": {"method": "null"}}');
SELECT count(*) FROM sdc.mask('mask_home.t', '{"x": {"method": "null"}}', dry_run => true);
SELECT count(*) > 0 FROM sdc.mask('mask_home.t', '{"x": {"method": "shuffle"}}', target => 'pg_temp.mine');
-- A hostile owner waits for a superuser: triggers, checks, domains, generated
-- columns, expressions of indexes and defaults that try to become one.
SET ROLE mask_owner;
CREATE FUNCTION mask_home.try_it() RETURNS void VOLATILE LANGUAGE plpgsql AS $$
BEGIN
    IF current_user <> 'mask_owner' THEN
        RAISE EXCEPTION 'runs as somebody else';
    END IF;
    IF current_setting('test.armed', true) = 'on' THEN
        BEGIN
            EXECUTE 'RESET ROLE';
            RAISE EXCEPTION 'could reset the role';
        EXCEPTION WHEN insufficient_privilege THEN NULL;
        END;
        BEGIN
            EXECUTE 'CREATE TEMPORARY TABLE trap ()';
            RAISE EXCEPTION 'could make a temporary table';
        EXCEPTION WHEN insufficient_privilege THEN NULL;
        END;
        PERFORM nextval('mask_home.runs');
    END IF;
END $$;
CREATE SEQUENCE mask_home.runs;
CREATE FUNCTION mask_home.grab(x integer) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS
$$ BEGIN PERFORM mask_home.try_it(); RETURN x; END $$;
CREATE FUNCTION mask_home.fire() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the trigger fired as %', current_user; END $$;
CREATE DOMAIN mask_home.trap AS integer CHECK (mask_home.grab(VALUE) IS NOT NULL);
CREATE TABLE mask_home.bait (
    id integer PRIMARY KEY, x integer CHECK (mask_home.grab(x) > -1),
    d mask_home.trap, g integer GENERATED ALWAYS AS (mask_home.grab(x)) STORED,
    w text DEFAULT mask_home.grab(1));
INSERT INTO mask_home.bait (id, x, d) SELECT i, i, i FROM generate_series(1, 20) AS i;
CREATE INDEX ON mask_home.bait (mask_home.grab(x));
CREATE TRIGGER fire BEFORE INSERT OR UPDATE OR DELETE ON mask_home.bait
FOR EACH ROW EXECUTE FUNCTION mask_home.fire();
CREATE TRIGGER fire_all AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON mask_home.bait
FOR EACH STATEMENT EXECUTE FUNCTION mask_home.fire();
RESET ROLE;
SET test.armed = on;
SELECT subject, method, rows FROM sdc.mask('mask_home.bait', '{
    "x": {"method": "shuffle"}, "d": {"method": "shuffle"}}', seed => 1) WHERE step = 'mask';
SELECT count(*), sum(x) = sum(g) AS computed FROM mask_home.bait;
SELECT current_user = session_user AS back;
-- each of them did run: 20 rows, check, domain, generated column, index
SELECT last_value >= 80 AS tried FROM mask_home.runs;
SELECT setval('mask_home.runs', 1);
-- a copy is read with the rights of the caller, which code in an index may get:
-- only where that is allowed, and then the checks, the domain and the rest are
-- not run at all
SELECT count(*) > 0 FROM sdc.mask('mask_home.bait', '{
    "x": {"method": "shuffle"}, "d": {"method": "shuffle"}}', target => 'bait_copy', seed => 1);
SET sdc.allow_views = on;
SELECT count(*) > 0 FROM sdc.mask('mask_home.bait', '{
    "x": {"method": "shuffle"}, "d": {"method": "shuffle"}}', target => 'bait_copy', seed => 1);
RESET sdc.allow_views;
DROP TABLE bait_copy;
SELECT last_value AS none FROM mask_home.runs;
RESET test.armed;
-- an owner who row-level security hides rows from, FORCEd on himself
ALTER TABLE mask_home.t ENABLE ROW LEVEL SECURITY;
ALTER TABLE mask_home.t FORCE ROW LEVEL SECURITY;
CREATE POLICY few ON mask_home.t USING (id < 5);
SELECT try('{"x": {"method": "null"}}', 'mask_home.t');
ALTER TABLE mask_home.t NO FORCE ROW LEVEL SECURITY;
SELECT try('{"x": {"method": "null"}}', 'mask_home.t');
SELECT count(*), count(x) FROM mask_home.t;
-- a partition of somebody else
CREATE TABLE mask_home.whole (id integer, x integer) PARTITION BY LIST (id);
CREATE TABLE mask_home.part PARTITION OF mask_home.whole DEFAULT;
ALTER TABLE mask_home.part OWNER TO mask_owner;
SELECT try('{"x": {"method": "null"}}', 'mask_home.whole');
-- an owner who took the right to read away from himself is shown nothing
ALTER TABLE mask_home.t DISABLE ROW LEVEL SECURITY;
UPDATE mask_home.t SET x = id;
REVOKE ALL ON mask_home.t FROM mask_owner;
GRANT SELECT (id, x) ON mask_home.t TO mask_owner;
SET ROLE mask_owner;
SELECT count(*) FROM sdc.mask('mask_home.t', '{"x": {"method": "shuffle"}}', dry_run => true);
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA mask_home CASCADE;
DROP OWNED BY mask_owner, mask_other;
DROP ROLE mask_owner, mask_other;

-- A table that is in use by the same session.
CREATE TABLE busy AS SELECT 1 AS id;
BEGIN;
DECLARE c CURSOR FOR TABLE busy;
FETCH c;
SELECT split_part(try('{"id": {"method": "null"}}', 'busy'), ':', 1);
ROLLBACK;
DROP TABLE busy;


-- Pseudonyms follow foreign keys, from table to table, and everything still
-- joins; what else is masked there stays as it is.
CREATE TABLE ward (code text PRIMARY KEY, name text);
CREATE TABLE patient (id text PRIMARY KEY, ward text REFERENCES ward, boss text REFERENCES patient, age integer);
CREATE TABLE stay (patient text REFERENCES patient, day integer, PRIMARY KEY (patient, day)) PARTITION BY RANGE (day);
CREATE TABLE stay_1 PARTITION OF stay FOR VALUES FROM (0) TO (5);
CREATE TABLE stay_2 PARTITION OF stay DEFAULT;
CREATE TABLE bill (patient text, day integer, amount integer, FOREIGN KEY (patient, day) REFERENCES stay);
INSERT INTO ward SELECT 'w' || i, 'ward ' || i FROM generate_series(1, 3) AS i;
INSERT INTO patient SELECT 'p' || i, 'w' || 1 + i % 3, CASE WHEN i > 1 THEN 'p' || i / 2 END, 20 + i FROM generate_series(1, 30) AS i;
INSERT INTO stay SELECT 'p' || i, i % 10 FROM generate_series(1, 30) AS i;
INSERT INTO bill SELECT patient, day, day * 10 FROM stay WHERE day % 2 = 0;
CREATE VIEW joined AS
SELECT w.name, p.age, b.age AS boss_age, s.day, i.amount
FROM patient p LEFT JOIN ward w ON w.code = p.ward LEFT JOIN patient b ON b.id = p.boss
LEFT JOIN stay s ON s.patient = p.id LEFT JOIN bill i ON i.patient = s.patient AND i.day = s.day;
CREATE TABLE joined_before AS TABLE joined;
-- the column that references its own table must be named
SELECT try('{"id": {"method": "pseudonym", "domain": "mask_test"}}', 'patient');
SELECT try('{"id": {"method": "pseudonym", "domain": "mask_test"},
             "boss": {"method": "pseudonym", "domain": "mask_other"}}', 'patient');
SELECT try('{"id": {"method": "mask_text", "keep": 1}}', 'patient');
SELECT try('{"patient": {"method": "pseudonym", "domain": "mask_test"}}', 'stay');
SELECT try('{"patient": {"method": "pseudonym", "domain": "mask_test"}}', 'bill');
SELECT try('{"patient": {"method": "pseudonym", "domain": "mask_test"}}', 'stay_1');
SELECT step, subject, method, rows, changed FROM sdc.mask('patient', '{
    "id": {"method": "pseudonym", "domain": "mask_test"},
    "boss": {"method": "pseudonym", "domain": "mask_test"}}', dry_run => true)
WHERE step = 'mask';
SELECT count(*) FROM patient WHERE id ~ '^p\d+$';
SELECT step, subject, method, rows, changed FROM sdc.mask('patient', '{
    "id": {"method": "pseudonym", "domain": "mask_test"},
    "boss": {"method": "pseudonym", "domain": "mask_test"}}')
WHERE step IN ('mask', 'write');
SELECT count(*) FROM patient WHERE id ~ '^p\d+$' OR boss ~ '^p\d+$';
SELECT count(*) FROM stay WHERE patient ~ '^p\d+$';
SELECT count(*) FROM bill WHERE patient ~ '^p\d+$';
SELECT count(*) FROM (TABLE joined EXCEPT ALL TABLE joined_before) AS d;
SELECT count(*), count(*) = (SELECT count(*) FROM joined_before) AS all_of_them FROM joined;
SELECT count(*) FROM patient WHERE id = sdc.pseudonym('p1', 'mask_test');
-- the foreign keys are at work
INSERT INTO stay VALUES ('p1', 3);
DO $$ BEGIN DELETE FROM patient WHERE boss IS NULL;
EXCEPTION WHEN foreign_key_violation THEN RAISE NOTICE 'still referenced'; END $$;
SELECT tableoid::regclass, count(*) FROM stay GROUP BY 1 ORDER BY 1;
-- somebody who owns one table only
CREATE ROLE mask_owner;
ALTER TABLE ward OWNER TO mask_owner;
GRANT CREATE ON SCHEMA public TO mask_owner;
GRANT EXECUTE ON FUNCTION sdc.pseudonym TO mask_owner;
SET ROLE mask_owner;
SELECT sdc.mask('ward', '{"code": {"method": "pseudonym", "domain": "mask_test"}}');
RESET ROLE;
SELECT code FROM ward ORDER BY code;
DROP VIEW joined;
DROP TABLE joined_before, bill, stay, patient, ward;
DROP OWNED BY mask_owner;
DROP ROLE mask_owner;
SELECT sdc.forget_pseudonyms('mask_test'), sdc.forget_pseudonyms('mask_other') IS NOT NULL AS other;

-- Rows that the caller would not see are not masked behind his back, although
-- the owner, as whom they are read, sees them; and a dry run has no example of
-- a column that its caller may not read.
CREATE ROLE mask_owner BYPASSRLS;
CREATE ROLE mask_member IN ROLE mask_owner;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA sdc TO mask_owner;
CREATE TABLE hidden AS SELECT i AS id, i + 100 AS x FROM generate_series(1, 9) AS i;
ALTER TABLE hidden OWNER TO mask_owner;
ALTER TABLE hidden ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY first ON hidden USING (id = 1);
SET ROLE mask_member;
SELECT count(*) FROM sdc.mask('hidden', '{"x": {"method": "null"}}');
RESET ROLE;
ALTER TABLE hidden DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
SET ROLE mask_owner;
SELECT count(*) > 0 AS examples FROM sdc.mask('hidden', '{"x": {"method": "constant", "value": 1}}', dry_run => true)
WHERE step = 'example';
REVOKE ALL ON hidden FROM mask_owner;
GRANT SELECT (id) ON hidden TO mask_owner;
SELECT count(*) > 0 AS examples FROM sdc.mask('hidden', '{"x": {"method": "constant", "value": 1}}', dry_run => true)
WHERE step = 'example';
RESET ROLE;
DROP TABLE hidden;
DROP OWNED BY mask_owner;
DROP ROLE mask_member, mask_owner;

DROP FUNCTION try;
DROP MATERIALIZED VIEW kept;
DROP VIEW shown;
DROP TABLE person, country, audit, copy, place, original, now;
DROP FUNCTION tell, loud;
DROP DOMAIN small;
