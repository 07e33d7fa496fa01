-- synthesize: what a table of synthetic records holds, and what it refuses.
\set SHOW_CONTEXT never
\set VERBOSITY terse
CREATE FUNCTION is_fine(integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE TABLE patient (
    id integer PRIMARY KEY,
    name text,
    town text,
    sex text,
    admitted date NOT NULL,
    discharged date,
    cost numeric(10,2) CHECK (cost >= 100),
    children integer,
    "odd ""name" boolean,
    CHECK (discharged >= admitted),
    CHECK (sex = 'f' OR children IS NULL OR children < 3),
    CHECK (is_fine(children)));
INSERT INTO patient
SELECT i, 'name ' || i,
       CASE WHEN i < 4 THEN 'Hamlet' ELSE 'town ' || i * i % 7 END,
       CASE WHEN i % 3 = 0 THEN 'f' ELSE 'm' END,
       date '2020-01-01' + i * 37 % 700,
       CASE WHEN i % 11 = 0 THEN NULL ELSE date '2020-01-01' + i * 37 % 700 + i * i % 30 END,
       100 + (i * 7919::bigint % 300017) / 100.0,
       CASE WHEN i % 5 = 0 THEN NULL WHEN i % 3 = 0 THEN i % 6 ELSE i % 3 END,
       i % 2 = 0
FROM generate_series(1, 2000) AS i;
SELECT sdc.declare('patient', id => 'id', identifiers => '{name}', keys => '{town,sex}', sensitive => '{cost}');

SELECT step, subject, method, rows, detail FROM sdc.synthesize('patient', 'made', seed => 1);
-- The table: its columns, the types below them, its rows.
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'made'::regclass AND attnum > 0 ORDER BY attnum;
SELECT count(*), count(DISTINCT id), min(id), max(id) FROM made;
-- Constraints hold, a rare town is not there, nobody's cost is repeated but by chance.
SELECT count(*) FILTER (WHERE cost < 100) AS cheap, count(*) FILTER (WHERE discharged < admitted) AS early,
       count(*) FILTER (WHERE sex = 'm' AND children >= 3) AS many, count(*) FILTER (WHERE town = 'Hamlet') AS rare,
       count(*) FILTER (WHERE discharged IS NULL) BETWEEN 120 AND 240 AS unknown,
       count(*) FILTER (WHERE cost IN (SELECT cost FROM patient)) < 100 AS others,
       max(cost) < (SELECT max(cost) FROM patient) AS top FROM made;
-- What belongs together stays together.
SELECT abs(avg((sex = 'f')::int) - 1 / 3.0) < 0.04 AS women,
       abs(avg(discharged - admitted) - (SELECT avg(discharged - admitted) FROM patient)) < 1 AS stay,
       abs(avg(children) FILTER (WHERE sex = 'f') - (SELECT avg(children) FROM patient WHERE sex = 'f')) < 0.15 AS children
FROM made;

-- A seed gives its rows, whatever the order of the originals; no seed others.
CREATE TABLE permuted (LIKE patient INCLUDING ALL);
INSERT INTO permuted SELECT * FROM patient ORDER BY md5(id::text);
SELECT count(*) FROM sdc.synthesize('permuted', 'again', '{id,town,sex,admitted,discharged,cost,children,"odd \"name"}', seed => 1);
SELECT count(*) AS differ FROM (TABLE made EXCEPT ALL TABLE again) AS d;
SELECT count(*) FROM sdc.synthesize('patient', 'other', seed => 2);
SELECT count(*) > 1500 AS others FROM (TABLE made EXCEPT ALL TABLE other) AS d;
SELECT count(*) FROM sdc.synthesize('patient', 'drawn1');
SELECT count(*) FROM sdc.synthesize('patient', 'drawn2');
SELECT count(*) > 1500 AS others FROM (TABLE drawn1 EXCEPT ALL TABLE drawn2) AS d;
DROP TABLE again, other, drawn1, drawn2;

-- Columns that are named, their order, the number of rows, other trees.
SELECT step, subject, method, rows FROM sdc.synthesize('patient', 'few', '{sex,town,cost}', '{"rows": 10, "visit": "cost", "smooth": false, "minbucket": 50, "rare": 0}', 1);
SELECT count(*), count(*) FILTER (WHERE cost IN (SELECT cost FROM patient)) AS kept FROM few;
-- How far the tables of one, two and three columns are apart: by hand for those of one.
SELECT m.measure, round(m.value::numeric, 3) AS value, round(m.value::numeric, 12) = round(h.value::numeric, 12) AS by_hand, substring(m.detail FROM '^.*columns?;') AS detail
FROM sdc.utility_report('patient', 'made', columns => '{town,sex,children}', measures => '{marginals_1,marginals_2,marginals_3}', params => '{"categories": "children"}') AS m
LEFT JOIN (SELECT 'marginals_1', avg(v) FROM (SELECT sdc.table_distance('patient', 'made', ARRAY[c], 'total_variation') AS v FROM unnest('{town,sex,children}'::text[]) AS c) AS d) AS h (measure, value) USING (measure) WHERE measure <> 'records';
SELECT value FROM sdc.utility_report('patient', 'patient', columns => '{town,sex,cost}', measures => '{marginals_3}') WHERE measure <> 'records';
-- Orders that no constraint says.
CREATE TABLE stay AS SELECT admitted, discharged, admitted + 40 AS born, CASE WHEN id % 4 > 0 THEN discharged + id % 3 END AS paid FROM patient;
SELECT count(*) FROM sdc.synthesize('stay', 'stayed', params => '{"ascending": ["admitted, discharged ,paid", "admitted,born"]}', seed => 5);
SELECT count(*), count(*) FILTER (WHERE discharged < admitted OR paid < discharged OR born < admitted) AS broken, count(*) FILTER (WHERE paid IS NULL) > 300 AS unpaid FROM stayed;
DROP TABLE few, stay, stayed;

-- Any type: enums, domains, times, arrays; only NULLs; one row; none.
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE DOMAIN share AS float8 CHECK (VALUE BETWEEN 0 AND 1);
CREATE TABLE kinds AS SELECT (ARRAY['good', 'bad'])[1 + i % 2]::mood AS m, (i % 10 / 10.0)::share AS s, timestamp '2021-05-05 10:00' + i * interval '1 hour' AS t,
    ARRAY[i % 3, 1] AS a, NULL::text AS n, NULL::int AS x, (i % 7)::smallint AS k, i::bigint * 1000000007 AS b, i / 8.0::real AS r FROM generate_series(1, 500) AS i;
SELECT subject, detail FROM sdc.synthesize('kinds', 'kinds2', seed => 1) WHERE step = 'draw';
SELECT count(*), count(m), count(s), count(n), count(x), count(DISTINCT a), bool_and(date_trunc('hour', t) = t) AS hours, count(DISTINCT t) > 250 AS t, bool_and(b BETWEEN 1000000007 AND 500000003500) AS b, count(DISTINCT r) > 250 AS r FROM kinds2;
CREATE TABLE one AS SELECT 1 AS x, 2 AS y;
SELECT step, detail FROM sdc.synthesize('one', 'one2');
TABLE one2;
CREATE TABLE none (x int, y date);
SELECT step, subject, detail FROM sdc.synthesize('none', 'none2');
SELECT count(*) FROM none2;
-- A view has no constraints; its rows are those the caller sees.
CREATE VIEW women AS SELECT town, sex, children FROM patient WHERE sex = 'f';
SELECT step, subject, rows FROM sdc.synthesize('women', 'pg_temp.women2', seed => 1) WHERE step = 'draw';
SELECT count(*), count(DISTINCT sex) FROM pg_temp.women2;
DROP VIEW women;
DROP TABLE kinds, kinds2, one, one2, none, none2;

-- Nothing tells of who is alone at an end: smoothed or not, with his own type, under a constraint that few numbers satisfy.
CREATE DOMAIN pay AS numeric(14,2);
CREATE TABLE ends AS SELECT i, CASE WHEN i = 77 THEN 1e9 ELSE 20000 + i * 7919::bigint % 8000003 / 100.0 END::pay AS income,
    CASE WHEN i = 77 THEN 112 WHEN i = 78 THEN 1 ELSE 20 + i * 37 % 70 END AS age, CASE WHEN i = 77 THEN 1000000 ELSE i * 1000 END AS round,
    make_date(2000, 1, 1) + i * 31 % 900 AS day FROM generate_series(1, 2000) AS i;
UPDATE ends SET day = '1890-05-05' WHERE i = 77;
ALTER TABLE ends ADD CHECK (round % 1000 = 0);
SELECT subject, detail FROM sdc.synthesize('ends', 'ends2', '{income,age,round,day}', '{"visit": "round"}', 3) WHERE step = 'draw' AND subject = 'age';
SELECT max(income) < 100020 AS income, count(*) FILTER (WHERE income IN (SELECT income FROM ends)) < 20 AS own, min(age), max(age),
       max(round) <= 1996000 AND min(round) >= 5000 AS round, min(day) >= '2000-01-01' AS day FROM ends2;
SELECT count(*) FROM sdc.synthesize('ends', 'ends3', '{age,income}', '{"minbucket": 1}', 3);
SELECT max(income) < 100020 AS income, max(age) AS age FROM ends3;
SELECT count(*) FROM sdc.synthesize('ends', 'ends4', '{age}', '{"rare": 0, "rows": 60000}', 3);
SELECT min(age), max(age) FROM ends4;
CREATE DOMAIN pay2 AS numeric CHECK (VALUE > 0);
CREATE TABLE pays AS SELECT income::numeric::pay2 AS a, income::numeric::money AS b FROM ends;
SELECT * FROM sdc.synthesize('pays', 'no', '{a}');
SELECT * FROM sdc.synthesize('pays', 'no', '{b}');
SELECT count(*) FROM sdc.synthesize('pays', 'pays2', '{a,b}', '{"smooth": false}', 3);
SELECT max(a) < 100020 AS a, max(b) < 100020::money AS b FROM pays2;
DROP TABLE ends, ends2, ends3, ends4, pays, pays2;
DROP DOMAIN pay, pay2;
-- A CHECK of the owner of the table runs nothing with the rights of who reads it.
CREATE FUNCTION shout(integer) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''run as %'', current_user; END';
CREATE DOMAIN trap AS integer CHECK (shout(VALUE));
CREATE SEQUENCE rung;
CREATE TABLE traps (children integer, sex text, born date,
    CONSTRAINT into_domain CHECK (children::trap > 0), CONSTRAINT is_volatile CHECK (nextval('rung') > 0 AND children > -1),
    CONSTRAINT runs_query CHECK (query_to_xml('SELECT shout(' || children || ')', true, true, '') IS NOT NULL),
    CONSTRAINT reads_table CHECK (table_to_xml('patient', true, true, sex) IS NOT NULL),
    CONSTRAINT stable CHECK (born <= current_date AND born < now() AND to_char(born, 'YYYY') > '1'), CONSTRAINT plain CHECK (children < 6));
SELECT step, subject FROM sdc.synthesize('patient', 'trapped', '{children,sex}', '{"like": "traps", "rows": 50}', 1) WHERE step IN ('constraint', 'not covered') ORDER BY 2;
SELECT is_called FROM rung;
CREATE VIEW births AS SELECT admitted AS born FROM patient;
SELECT step, subject FROM sdc.synthesize('births', 'born', '{born}', '{"like": "traps"}', 1) WHERE step = 'constraint';
DROP VIEW births;
DROP TABLE traps, trapped, born;
DROP SEQUENCE rung;
DROP DOMAIN trap;
DROP FUNCTION shout;

-- What is refused.
SELECT * FROM sdc.synthesize(NULL, 'no');
SELECT * FROM sdc.synthesize('patient', NULL);
SELECT * FROM sdc.synthesize('patient', 'made');
SELECT * FROM sdc.synthesize('patient', 'no', '{name}');
SELECT * FROM sdc.synthesize('patient', 'no', '{nix}');
SELECT * FROM sdc.synthesize('patient', 'no', '{id}');
SELECT * FROM sdc.synthesize('patient', 'no', params => '{"leaf": 3}');
SELECT * FROM sdc.synthesize('patient', 'no', params => '{"minbucket": 0}');
SELECT * FROM sdc.synthesize('patient', 'no', params => '{"rows": 0}');
SELECT * FROM sdc.synthesize('patient', 'no', params => '{"visit": ["town", "town"]}');
SELECT * FROM sdc.synthesize('patient', 'no', params => '{"visit": "name"}');
SELECT * FROM sdc.synthesize('patient', 'no', params => '{"ascending": "town,cost"}');
SELECT * FROM sdc.synthesize('patient', 'no', params => '{"ascending": "cost,admitted"}');
SELECT * FROM sdc.synthesize('patient', 'no', '{town}', '{"rare": 1000}');
CREATE TABLE texts AS SELECT 'a ' || i AS t, 10 * i AS n, 30 * i AS s, float8 'NaN' AS f FROM generate_series(1, 100) AS i;
SELECT * FROM sdc.synthesize('texts', 'no', '{t,n}');
SELECT * FROM sdc.synthesize('texts', 'no', '{f}');
ALTER TABLE texts ADD CHECK (s = 3 * n);
SELECT * FROM sdc.synthesize('texts', 'no', '{n,s}', '{"smooth": "n"}', 1);
ALTER TABLE texts DROP CONSTRAINT texts_check, ADD CHECK (1 / (n - 57) < 2);
SELECT * FROM sdc.synthesize('texts', 'no', '{n}', '{"smooth": true, "rows": 5000}', 1);

-- Rights and row-level security are those of the caller.
CREATE ROLE regress_synthesizer;
GRANT CREATE, USAGE ON SCHEMA public TO regress_synthesizer;
GRANT USAGE ON SCHEMA sdc TO regress_synthesizer;
SET ROLE regress_synthesizer;
SELECT * FROM sdc.synthesize('patient', 'mine', '{town}');
RESET ROLE;
GRANT SELECT (town, sex) ON patient TO regress_synthesizer;
SET ROLE regress_synthesizer;
SELECT * FROM sdc.synthesize('patient', 'mine', '{town,cost}');
SELECT count(*) FROM sdc.synthesize('patient', 'mine', '{town,sex}');
RESET ROLE;
SELECT tableowner FROM pg_tables WHERE tablename = 'mine';
ALTER TABLE patient ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen_rows ON patient USING (sex = 'f');
SET ROLE regress_synthesizer;
SELECT * FROM sdc.synthesize('patient', 'hidden', '{town,sex}');
SELECT count(*) FROM sdc.synthesize('patient', 'seen', '{town,sex}', '{"rls": "allow"}');
SELECT DISTINCT sex FROM seen;
RESET ROLE;
DROP TABLE mine, seen, made, texts, permuted, patient;
DROP DOMAIN share;
DROP TYPE mood;
DROP FUNCTION is_fine;
REVOKE ALL ON SCHEMA public, sdc FROM regress_synthesizer;
DROP ROLE regress_synthesizer;

-- fakes: texts that cannot be drawn, of persons who are nobody
CREATE TYPE sex AS ENUM ('female', 'male');
CREATE TABLE staff (id int PRIMARY KEY, name text, login varchar(40) UNIQUE, sex sex, note text, zip char(8), age int,
    CHECK (login LIKE 'u%'));
INSERT INTO staff SELECT i, 'Name ' || i, 'u' || i, CASE WHEN i % 3 = 0 THEN 'female' ELSE 'male' END::sex, 'note ' || i, '1', 20 + i % 50
FROM generate_series(1, 600) AS i;
SELECT sdc.declare('staff', id => 'id', identifiers => '{name,login}');
\set fakes '{"fakes": {"name": "first_name", "login": "login", "note": "text", "zip": "postcode"}, "locale": "de", "sex": "sex"}'
SELECT step, subject, rows, detail FROM sdc.synthesize('staff', 'made_staff', params => :'fakes', seed => 1) WHERE step <> 'draw';
SELECT count(DISTINCT login) AS logins, bool_and(login ~ '^[a-z]' AND octet_length(zip) = 8 AND length(note) BETWEEN 1 AND 64) AS like_it,
       bool_and(split_part(login, '.', 1) = lower(name)) FILTER (WHERE name ~ '^[A-Za-z]+$') AS they_fit,
       (SELECT count(*) FROM staff AS o WHERE o.name = ANY (SELECT name FROM made_staff) OR o.note = ANY (SELECT note FROM made_staff)) AS found
FROM made_staff;
-- a first name has the sex of its record
SELECT count(*) > 20 AS some, count(*) FILTER (WHERE sexes > 1) < 5 AS one_sex
FROM (SELECT name, count(DISTINCT sex) AS sexes FROM made_staff GROUP BY name HAVING count(*) > 1) AS n;
-- a seed gives the same ones, whatever the originals are called
UPDATE staff SET name = md5(name), note = md5(note);
SELECT count(*) > 0 AS done FROM sdc.synthesize('staff', 'made_again', params => :'fakes', seed => 1);
SELECT count(*) AS differ FROM (SELECT * FROM made_staff EXCEPT SELECT * FROM made_again) AS d;
SELECT count(*) > 0 AS done FROM sdc.synthesize('staff', 'made_other', params => :'fakes', seed => 2);
SELECT count(*) AS in_common FROM made_staff JOIN made_other USING (login);
SELECT * FROM sdc.synthesize('staff', 'none', params => '{"fakes": {"nam": "name"}}');
SELECT * FROM sdc.synthesize('staff', 'none', params => '{"fakes": {"name": "nam"}}');
SELECT * FROM sdc.synthesize('staff', 'none', params => '{"fakes": {"age": "name"}}');
SELECT * FROM sdc.synthesize('staff', 'none', params => '{"fakes": {"name": 3}}');
SELECT * FROM sdc.synthesize('staff', 'none', params => '{"fakes": {"name": "name", "note": "text", "login": "email", "zip": "iban"}}');
SELECT * FROM sdc.synthesize('staff', 'none', params => '{"fakes": {"name": "iban", "note": "text"}, "locale": "ja"}');
SELECT * FROM sdc.synthesize('staff', 'none', params => '{"fakes": {"name": "name", "note": "text"}, "sex": "age"}');
-- tables that belong together
CREATE TABLE visit (id int PRIMARY KEY, staff int NOT NULL REFERENCES staff, room text, comment text);
INSERT INTO visit SELECT i, 1 + i % 600, 'room ' || i % 9, 'comment ' || i FROM generate_series(1, 1000) AS i;
SELECT step, subject FROM sdc.synthesize_tables('{staff,visit}', '{made_1,made_2}',
    '{"fakes": {"name": "name", "login": "login", "note": "text", "comment": "text"}, "sex": "sex"}', 1) WHERE step IN ('fake', 'withhold', 'write');
SELECT count(DISTINCT comment) > 900 AS differ FROM made_2 JOIN made_1 ON made_1.id = staff;
SELECT * FROM sdc.synthesize_tables('{staff,visit}', '{none_1,none_2}', '{"fakes": {"commend": "text"}}');
DROP TABLE made_staff, made_again, made_other, made_1, made_2, visit, staff;
DROP TYPE sex;
