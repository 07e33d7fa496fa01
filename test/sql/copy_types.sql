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
UPDATE regress_made.thing SET text_ = reverse('anna.berger1@web.test'), bytes = NULL, doc = '{"user": "anna.berger1", "host": "web.test"}', docb = NULL, xml = NULL, vector = NULL, query = NULL, path = NULL,
    words = NULL, numbers = NULL, longs = NULL, bits = NULL, pair = NULL, list = NULL, number = NULL, name = NULL, many = NULL;
-- what the page says is not found
SELECT subject, value FROM sdc.check_copy('regress_typed', 'regress_made', :'rules') WHERE measure = 'leaks';
DROP SCHEMA regress_typed, regress_made CASCADE;
SELECT bool_and(sdc.forget_pseudonyms(domain)) AS forgotten FROM sdc.secret WHERE domain = 'person';
