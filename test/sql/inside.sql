-- inside: identifiers in free text, and rules for paths within values.
INSERT INTO sdc.secret (domain, key) VALUES ('inside', sha256('inside')), ('person', sha256('person')) ON CONFLICT (domain) DO UPDATE SET key = excluded.key;
SET client_min_messages = warning;
CREATE SCHEMA regress_inside;
SET search_path = regress_inside, public;

-- What is found, and that each find is the fake that a column would have.
CREATE VIEW finds AS SELECT * FROM (VALUES
    ('email', 'Write to a.b+c@web.test now.', 'a.b+c@web.test'),
    ('phone', 'Call +49 171 555-0007 now.', '+49 171 555-0007'),
    ('phone', 'Call 01715550007.', '01715550007'),
    ('iban', 'From DE89 3704 0044 0532 0130 00 today', 'DE89 3704 0044 0532 0130 00'),
    ('card', 'With 4111-1111-1111-1111, please', '4111-1111-1111-1111'),
    ('national_id', 'SSN 123-45-6789', '123-45-6789'),
    ('street', 'lives in Hauptstraße 12a, Town', 'Hauptstraße 12a'),
    ('name', 'Dear Sabine Müller, hello', 'Sabine Müller'),
    ('last_name', 'Frau Zbinden called', 'Zbinden')) AS v (kind, note, found);
SELECT kind, sdc.scrub(note, 'inside', locale => 'de') = replace(note, found, sdc.fake(found, kind, 'inside', locale => 'de')) AS as_the_fake FROM finds;
SELECT sdc.scrub('from 10.1.2.3 and 00:1a:2b:3c:4d:5e', 'inside') ~ '^from 192\.0\.2\.\d+ and 00:00:5e:00:53:[0-9a-f]{2}$' AS of_examples;
SELECT count(*) AS changed FROM (VALUES (''), ('on 01.02.2023 at 10:30, 2023-02-01'), ('order 4711, 12 of 3.50'), ('Where is my parcel?'), ('user@host'), ('Mr.')) AS v (t) WHERE sdc.scrub(t, 'inside') <> t;
-- known values, whatever stands between their letters; the longest goes first
SELECT sdc.scrub('Xavér-Quux, xaver quux and XAVER; nr AB-77812-ZZ994x', 'inside', known => '{xaver,Xaver Quux,NULL,ab77812zz994}', become => '{V,W W,x,NULL}');
-- in other spellings, and with the last word first, as the search of a copy reads them
SELECT sdc.scrub('Juergen Grossmann; Größmann, Jürgen; GROESSMANN Jurgen; Jurgen Grosmannn', 'inside', known => '{a@b.test,Jürgen Größmann}', become => '{x,V W}');
SELECT sdc.scrub('a@b.test a@b.test', 'inside', size => 12), sdc.scrub(NULL, 'inside') IS NULL AS is_null;
SELECT sdc.scrub('a', NULL);
SELECT sdc.scrub('a', 'inside', locale => 'xx');
SELECT sdc.scrub('a', 'inside', size => -1);
SELECT sdc.scrub('a', 'inside', known => '{a,b}', become => '{c}');
-- a period has other fakes
SELECT sdc.scrub('a@b.test', 'inside', '2026') <> sdc.scrub('a@b.test', 'inside', '2027') AS by_period;

-- Paths: the longest one decides, arrays have no keys, nobody's become null.
SELECT sdc.mask_inside('{"a": {"b": "1", "c": [{"d": 2, "e": "3"}], "x y": true}, "f": null, "g": 4.50}'::jsonb, p) AS masked FROM (VALUES
    ('{"$": {"method": "keep"}}'::jsonb),
    ('{"$.a": {"method": "keep"}}'),
    ('{"$.a": {"method": "keep"}, "$.a.c": {"method": "null"}}'),
    ('{"$.a.c[*].d": {"method": "constant", "value": 9}, "$.a.c": {"method": "mask_text", "keep": 0}}'),
    ('{"$.*.b": {"method": "keep"}}'),
    ('{"$.a.*": {"method": "null"}, "$.a.b": {"method": "keep"}}'),
    ('{"$.a.\"x y\"": {"method": "keep"}, "$.g": {"method": "constant", "value": "n"}}'),
    ('{"$.z": {"method": "keep"}}')) AS v (p);
SELECT sdc.mask_inside('"s"'::jsonb, '{"$": {"method": "keep"}}') AS string, sdc.mask_inside('7'::jsonb, '{"$": {"method": "constant", "value": 8}}') AS number, sdc.mask_inside('[[], {}]'::jsonb, '{"$.a": {"method": "keep"}}') AS empty,
       sdc.mask_inside('{"b": 1, "a": "x"}'::json, '{"$.b": {"method": "keep"}}') AS json, sdc.mask_inside(NULL::jsonb, '{"$": {"method": "keep"}}') IS NULL AS is_null;
-- a key that looks like an identifier goes with its value, unless a path names or keeps it
SELECT sdc.mask_inside(d, '{"$.a": {"method": "keep"}}') AS gone, sdc.mask_inside(d, '{"$": {"method": "keep"}}') AS kept, sdc.mask_inside(d, '{"$.\"u@web.test\".b": {"method": "keep"}}') AS named
FROM (SELECT '{"u@web.test": {"b": [1, {"c": 2}]}, "a": {"v@web.test": 3}, "z": 1}'::jsonb) AS j (d);
-- each method for single values, as it is for columns
SELECT d ->> 'mail' = sdc.fake('u@web.test', 'email', 'inside') AS fake, d ->> 'who' = sdc.fake('x', 'name', 'inside', locale => 'de', sex => 'f', person => '7') AS by_row,
       d ->> 'code' = sdc.pseudonym('AB12', 'inside', format => 'same') AS pseudonym, (d ->> 'n')::int <> 4711 AND jsonb_typeof(d -> 'n') = 'number' AS number,
       d ->> 'zip' AS mask_text, (d ->> 'born')::timestamp - '2000-02-29T10:00' = sdc.shift_days('7', 'inside', days => 9) * interval '1 day' AS shift,
       d ->> 'odd' AS no_date, d ->> 'alone' <> '2000-02-29' AS alone
FROM sdc.mask_inside('{"mail": "u@web.test", "who": "x", "code": "AB12", "n": 4711, "zip": "10115", "born": "2000-02-29T10:00", "odd": "2001-02-29", "alone": "2000-02-29"}'::jsonb, '{
    "$.mail": {"method": "fake", "kind": "email", "domain": "inside"}, "$.who": {"method": "fake", "kind": "name", "domain": "inside", "locale": "de", "by": "id", "sex": "s"},
    "$.code": {"method": "pseudonym", "domain": "inside", "format": "same"}, "$.n": {"method": "pseudonym", "domain": "inside", "format": "digits"},
    "$.zip": {"method": "mask_text", "keep": 2}, "$.born": {"method": "shift", "domain": "inside", "by": "id", "days": 9},
    "$.odd": {"method": "shift", "domain": "inside"}, "$.alone": {"method": "shift", "domain": "inside"}}', '{id,s}', '{7,f}') AS d;
-- arrays, rows, XML
CREATE TYPE place AS (street text, number int, tags varchar(9)[], note json);
CREATE DOMAIN code AS text CHECK (VALUE <> '-');
CREATE TYPE coded AS (c code, d int);
SELECT sdc.mask_inside('{{a,b},{NULL,"a@web.test"}}'::text[], '{"$": {"method": "mask_text", "keep": 1}}') AS texts, sdc.mask_inside('[0:1]={1,2}'::int[], '{"$": {"method": "keep"}}') AS numbers,
       sdc.mask_inside(ARRAY['{"a": 1, "b": 2}']::jsonb[], '{"$.a": {"method": "keep"}}') AS documents, sdc.mask_inside('{a}'::text[], '{"$.a": {"method": "keep"}}') AS nobodys;
SELECT sdc.mask_inside(ROW('Main St.', 5, '{abc,d}', '{"x": "y"}')::place, '{"$.street": {"method": "constant", "value": "s"}, "$.number": {"method": "keep"}, "$.tags": {"method": "mask_text", "keep": 1}, "$.note.x": {"method": "keep"}}') AS field,
       sdc.mask_inside(ARRAY[ROW('Main St.', 5, NULL, NULL)::place], '{"$.number": {"method": "keep"}}') AS rows, sdc.mask_inside(ROW('a', 1)::coded, '{"$": {"method": "keep"}}') AS kept;
SELECT sdc.mask_inside(ROW('a', 1)::coded, '{"$": {"method": "constant", "value": "-"}}');
-- of a field that was dropped nothing is left, and one has room for what its type has
CREATE TABLE cut (name text, gone text, code varchar(5));
CREATE TABLE cuts AS SELECT ROW('Anna', repeat('a secret', 9), 'abc')::cut AS c;
ALTER TABLE cut DROP gone;
SELECT sdc.mask_inside(c, '{"$.name": {"method": "constant", "value": "x"}, "$.code": {"method": "keep"}}') AS field,
       pg_column_size(c) - pg_column_size(sdc.mask_inside(c, '{"$": {"method": "keep"}}')) >= 60 AS gone FROM cuts;
SELECT sdc.mask_inside(c, '{"$.code": {"method": "constant", "value": "longer"}}') FROM cuts;
SELECT sdc.mask_inside('<?xml version="1.0"?><!-- Anna --><c xmlns:x="u" id="7" k=''k''><m>a &amp; b&#64;c</m> <n><m>in</m></n><e/><![CDATA[<raw>]]><?do it?></c>'::xml, p) AS xml FROM (VALUES
    ('{"$": {"method": "keep"}}'::jsonb), ('{"$.c.m": {"method": "keep"}, "$.c.@id": {"method": "constant", "value": "<\""}}'), ('{"$.c.n": {"method": "keep"}, "$.c": {"method": "null"}}')) AS v (p);
SELECT sdc.mask_inside('<!DOCTYPE a [<!ENTITY w "Anna">]><a>&w;</a>'::xml, '{"$": {"method": "keep"}}') IS NULL AS what_names_others;
-- what is wrong
SELECT sdc.mask_inside(5, '{"$": {"method": "keep"}}');
SELECT sdc.mask_inside('{}'::jsonb, '[]');
SELECT sdc.mask_inside('{}'::jsonb, '{"a": {"method": "keep"}}');
SELECT sdc.mask_inside('{}'::jsonb, '{"$.": {"method": "keep"}}');
SELECT sdc.mask_inside('{}'::jsonb, '{"$.\"a": {"method": "keep"}}');
SELECT sdc.mask_inside('{}'::jsonb, '{"$.a": {"method": "shuffle"}}');
SELECT sdc.mask_inside('{}'::jsonb, '{"$.a": "keep"}');
SELECT sdc.mask_inside(('{"a":' || repeat('{"a":', 70) || '1' || repeat('}', 71))::jsonb, '{"$": {"method": "keep"}}');
SELECT sdc.mask_inside(array_fill('x'::text, '{3}'), '{"$": {"method": "fake", "kind": "iban", "domain": "inside", "locale": "ja"}}');

-- As rules: what columns of the row become, in texts and documents of the row.
CREATE TABLE client (id int PRIMARY KEY, name text, email text, note varchar(60), prefs jsonb, tags text[], old json);
INSERT INTO client SELECT i, 'Qoph Quux' || i, 'u' || i || '@web.test', 'QOPH QUUX' || i || ' wrote from U' || i || '@web.test', jsonb_build_object('mail', 'u' || i || '@web.test', 'theme', 'dark', 'by', 'by Qoph Quux' || i), ARRAY['vip', 'u' || i || '@web.test'], '{"a": 1}' FROM generate_series(1, 30) AS i;
SELECT sdc.declare('client', id => 'id', identifiers => '{name,email,note,prefs,tags,old}');
CREATE FUNCTION masked(rules text) RETURNS TABLE (step text, subject text, changed bigint) LANGUAGE sql AS
$$ SELECT step, subject, changed FROM sdc.mask('client', ('{"name": {"method": "fake", "kind": "name", "domain": "inside", "by": "id"}, "email": {"method": "fake", "kind": "email", "domain": "inside"}, ' || rules || '}')::jsonb, target => 'regress_inside.made', id => 'id') WHERE step = 'mask' $$;
SELECT * FROM masked('"note": {"method": "scrub", "domain": "inside"}, "prefs": {"method": "inside", "paths": {"$.mail": {"method": "fake", "kind": "email", "domain": "inside"}, "$.theme": {"method": "keep"}, "$.by": {"method": "scrub", "domain": "inside"}}},
    "tags": {"method": "inside", "paths": {"$": {"method": "scrub", "domain": "inside"}}}, "old": {"method": "inside", "paths": {"$.b": {"method": "keep"}}}') ORDER BY subject;
SELECT count(*) AS clients, bool_and(note = left(name || ' wrote from ' || email, 60)) AS note, bool_and(prefs = jsonb_build_object('mail', email, 'theme', 'dark', 'by', 'by ' || name)) AS prefs, bool_and(tags = ARRAY['vip', email]) AS tags, bool_and(old::jsonb = '{"a": null}') AS old FROM made;
DROP TABLE made;
-- what is known can be fewer columns, and must be masked by row
SELECT * FROM masked('"note": {"method": "scrub", "domain": "inside", "known": "email"}, "prefs": {"method": "null"}, "tags": {"method": "null"}, "old": {"method": "null"}') WHERE subject = 'note';
SELECT bool_and(note LIKE 'QOPH QUUX% wrote from ' || left(email, 20) || '%') AS name_stays FROM made;
DROP TABLE made;
SELECT * FROM masked('"note": {"method": "scrub", "domain": "inside", "known": ["name", "id"]}, "prefs": {"method": "null"}, "tags": {"method": "null"}, "old": {"method": "null"}');
SELECT * FROM masked('"note": {"method": "scrub", "domain": "inside", "known": "nobody"}');
SELECT * FROM masked('"note": {"method": "scrub"}');
SELECT * FROM masked('"prefs": {"method": "scrub", "domain": "inside"}');
SELECT * FROM masked('"note": {"method": "inside", "paths": {"$": {"method": "keep"}}}');
SELECT * FROM masked('"prefs": {"method": "inside", "paths": {}}');
SELECT * FROM masked('"prefs": {"method": "inside", "paths": {"$.a": {"method": "fake"}}}');
SELECT * FROM masked('"prefs": {"method": "inside", "paths": {"$.a": {"method": "fake", "kind": "name", "domain": "d", "by": "nobody"}}}');
SELECT * FROM masked('"prefs": {"method": "inside", "paths": {"$.a": {"method": "keep", "of": 1}}}');

-- In a copy: the gate finds what a rule leaves, and nothing after scrub.
CREATE SCHEMA regress_desk;
CREATE TABLE regress_desk.customer (id int PRIMARY KEY, full_name text, email text UNIQUE, prefs jsonb);
CREATE TABLE regress_desk.ticket (id int PRIMARY KEY, email text REFERENCES regress_desk.customer (email), body text);
INSERT INTO regress_desk.customer SELECT i, 'Sabine Quux' || chr(96 + i) || 'er', 'u' || i || '@web.test', jsonb_build_object('mail', 'u' || i || '@web.test', 'lang', 'de') FROM generate_series(1, 20) AS i;
INSERT INTO regress_desk.ticket SELECT i, 'u' || i || '@web.test', 'Sabine Quux' || chr(96 + i) || 'er of u' || i || '@web.test wrote' FROM generate_series(1, 20) AS i;
\set rules '{"ticket.body": {"method": "scrub", "domain": "person"}, "customer.prefs$.mail": {"method": "fake", "kind": "email", "domain": "person"}, "customer.prefs$.lang": {"method": "keep"}}'
SELECT column_name, decided_by, method, rule FROM sdc.plan_copy('regress_desk', :'rules') WHERE method IN ('scrub', 'inside');
SELECT detail FROM sdc.copy_schema('regress_desk', 'regress_made', :'rules') WHERE step = 'check';
SELECT measure, value FROM sdc.check_copy('regress_desk', 'regress_made', :'rules');
SELECT count(*) AS tickets, bool_and(prefs = jsonb_build_object('mail', email, 'lang', 'de')) AS prefs, bool_and(body LIKE '% of ' || email || ' wrote') AS body, count(*) FILTER (WHERE body ~ 'Quux') AS left_over
FROM regress_made.ticket JOIN regress_made.customer USING (email);
-- a name that no list has and no title stands before is not found, so refused; one that a fake may have only in small letters
UPDATE regress_made.ticket SET body = 'so says Sabine Quuxaer' WHERE id = 1;
SELECT measure, subject, value FROM sdc.check_copy('regress_desk', 'regress_made', :'rules') WHERE measure = 'leaks';
UPDATE regress_desk.customer SET full_name = 'Sabine Müller' WHERE id = 1;
UPDATE regress_made.ticket SET body = 'so says Sabine Müller' WHERE id = 1;
SELECT measure, subject, value FROM sdc.check_copy('regress_desk', 'regress_made', :'rules') WHERE measure = 'leaks';
UPDATE regress_made.ticket SET body = 'so says sabine müller' WHERE id = 1;
SELECT measure, subject, value FROM sdc.check_copy('regress_desk', 'regress_made', :'rules') WHERE measure = 'leaks';
DROP SCHEMA regress_made CASCADE;
SELECT sdc.copy_schema('regress_desk', 'regress_made', '{"customer.prefs$": {"method": "keep"}}');
SELECT sdc.plan_copy('regress_desk', '{"customer.prefs$.a": {"method": "keep"}, "customer.prefs": {"method": "keep"}}');
SELECT sdc.plan_copy('regress_desk', '{"customer.perfs$.a": {"method": "keep"}}');
DROP SCHEMA regress_inside, regress_desk CASCADE;
SELECT bool_and(sdc.forget_pseudonyms(domain)) AS forgotten FROM sdc.secret WHERE domain IN ('inside', 'person');
