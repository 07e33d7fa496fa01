-- copy_types: an original identifier in a copy is found whatever the type of the column.
SET client_min_messages = warning;
INSERT INTO sdc.secret (domain, key) VALUES ('person', sha256('person')) ON CONFLICT DO NOTHING;
CREATE SCHEMA regress_typed;
CREATE TYPE regress_typed.pair AS (a text, b int);
CREATE TYPE regress_typed.words AS RANGE (subtype = text);
CREATE TABLE regress_typed.person (id int PRIMARY KEY, email text UNIQUE, account bigint);
INSERT INTO regress_typed.person SELECT i, 'anna.berger' || i || '@web.test', 7000000000000 + i * 7919 FROM generate_series(1, 9) AS i;
CREATE TABLE regress_typed.thing (id int PRIMARY KEY, text_ text, bytes bytea, doc json, docb jsonb, xml xml, vector tsvector, query tsquery, path jsonpath, words regress_typed.words,
    numbers numrange, longs int8range, bits varbit, id_ uuid, pair regress_typed.pair, list text[], number numeric, name name, many regress_typed.pair[]);
INSERT INTO regress_typed.thing (id) VALUES (1), (2);
SELECT sdc.declare('regress_typed.person', id => 'id', identifiers => '{email,account}');
\set rules '{"*": {"method": "keep"}, "kind:undecided": {"method": "keep"}, "person.email": {"method": "null"}, "person.account": {"method": "null"}}'
SELECT detail FROM sdc.copy_schema('regress_typed', 'regress_made', :'rules') WHERE step = 'check';
UPDATE regress_made.thing SET text_ = 'anna.berger1 [at] web.test', bytes = 'anna.berger1@web.test', doc = '{"a": "anna.berger1\u0040web.test"}', docb = '{"anna.berger1@web.test": 1}',
    xml = '<a><b>anna.berger1</b>@<c>web.test</c></a>', vector = '''anna.berger1@web.test'':1', query = '''anna.berger1@web.test''', path = '$.a ? (@ == "anna.berger1@web.test")',
    words = '[anna.berger1@web.test,b)', numbers = '[7000000007919,7000000007920)', longs = '[7000000007919,7000000007920)',
    bits = (SELECT string_agg(get_byte('anna.berger1@web.test'::bytea, i)::bit(8)::text, '' ORDER BY i) FROM generate_series(0, 20) AS i)::varbit,
    pair = ROW('anna.berger1@web.test', 1), list = '{a,anna.berger1@web.test}', number = 7000000007919, name = 'anna.berger1@web.test', many = ARRAY[ROW('anna.berger1@web.test', 1)::regress_typed.pair]
WHERE id = 2;
SELECT subject, value FROM sdc.check_copy('regress_typed', 'regress_made', :'rules') WHERE measure = 'leaks';
UPDATE regress_made.thing SET text_ = translate('anna.berger1@web.test', 'abegnrstw', 'norgaefgj'), bytes = NULL, doc = '{"user": "anna.berger1", "age": 40, "host": "web.test"}', docb = NULL, xml = NULL, vector = NULL, query = NULL, path = NULL,
    words = NULL, numbers = NULL, longs = NULL, bits = NULL, pair = NULL, list = NULL, number = NULL, name = NULL, many = NULL;
-- what the page says is not found
SELECT subject, value FROM sdc.check_copy('regress_typed', 'regress_made', :'rules') WHERE measure = 'leaks';
-- digests of identifiers, in every way to write them, and cut; with a salt, or of nobody: not found
UPDATE regress_made.thing SET text_ = 'https://img.test/' || md5('anna.berger1@web.test') || '?s=80', bytes = sha256('anna.berger2@web.test'), name = '64d1674c14cc5e46d9ea9836489309db152a8154',
    doc = json_build_object('h', upper(encode(sha512('anna.berger3@web.test'), 'hex'))), id_ = md5('anna.berger4@web.test')::uuid,
    list = ARRAY[encode(sha256('anna.berger5@web.test'), 'base64'), encode(sha224('7000000007919'), 'hex')] WHERE id = 2;
SELECT subject, value FROM sdc.check_copy('regress_typed', 'regress_made', :'rules') WHERE measure = 'leaks';
ALTER TABLE regress_made.thing ALTER text_ SET DEFAULT '3f9eafe362244d9d8aa11b83d0efd1b0', ALTER name SET DEFAULT '6e854442cd2a940c9e95941dce4ad598';
UPDATE regress_made.thing SET text_ = md5('salt' || 'anna.berger1@web.test'), bytes = substr(sha256('anna.berger2@web.test'), 1, 31), name = left('64d1674c14cc5e46d9ea9836489309db152a8154', 39),
    doc = json_build_object('h', md5('nobody@web.test')), id_ = gen_random_uuid(), list = ARRAY[md5('x') || md5('anna.berger1@web.test')] WHERE id = 2;
SELECT subject, value FROM sdc.check_copy('regress_typed', 'regress_made', :'rules') WHERE measure = 'leaks';
ALTER TABLE regress_made.thing ALTER text_ DROP DEFAULT;
-- first and last name of a row are a whole name
DROP SCHEMA regress_made CASCADE;
ALTER TABLE regress_typed.person ADD first_name text DEFAULT 'Xaverine', ADD last_name text DEFAULT 'Quarzbichler';
SELECT count(*) > 0 AS copied FROM sdc.copy_schema('regress_typed', 'regress_made', '{"*": {"method": "keep"}, "kind:undecided": {"method": "keep"}, "kind:text": {"method": "keep"}, "person.email": {"method": "null"}, "person.account": {"method": "null"}}');
UPDATE regress_made.thing SET text_ = 'to Quarzbichler, Xaverine', bytes = 'Xaverine''s', name = 'Quarzbichler' WHERE id = 2;
SELECT measure, subject, value FROM sdc.check_copy('regress_typed', 'regress_made', :'rules') WHERE value > 0;
-- however the session prints floats
DROP SCHEMA regress_made CASCADE;
ALTER TABLE regress_typed.thing ADD "float" float8;
SELECT count(*) > 0 AS copied FROM sdc.copy_schema('regress_typed', 'regress_made', :'rules');
UPDATE regress_made.thing SET "float" = 7000000007919 WHERE id = 2;
BEGIN; SET LOCAL extra_float_digits = -10;
SELECT measure, subject, value FROM sdc.check_copy('regress_typed', 'regress_made', :'rules') WHERE value > 0;
ROLLBACK;
DROP SCHEMA regress_typed, regress_made CASCADE;
SELECT bool_and(sdc.forget_pseudonyms(domain)) AS forgotten FROM sdc.secret WHERE domain = 'person';
