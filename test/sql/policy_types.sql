-- policy_types: a rule that cannot mask the type of its column is found when
-- the policy is written, not when it is released.
\set SHOW_CONTEXT never
SET client_min_messages = error;
SET sdc.progress_interval = 0;
CREATE SCHEMA policy_types;
SET search_path = policy_types;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE pair AS (a int, b text);
SELECT sdc.create_hierarchy('types_tens', 'interval', '{"levels": [[25], []]}');

-- Values of many types, and a rule of each method.
CREATE TABLE types(type text, value text);
INSERT INTO types VALUES
    ('int4', 'i % 4'), ('numeric', 'i % 4'), ('float8', 'i % 4'),
    ('text', $$'a' || i % 4$$), ('char(4)', $$'a' || i % 4$$),
    ('bool', 'i % 2 = 0'), ('uuid', 'md5((i % 4)::text)::uuid'),
    ('date', $$date '2020-01-01' + i % 4$$),
    ('timestamptz', $$timestamptz '2020-01-01' + i % 4 * interval '1 day'$$),
    ('interval', $$i % 4 * interval '1 day'$$),
    ('inet', $$('10.0.0.' || i % 4)::inet$$),
    ('json', $$('{"a":' || i % 4 || '}')::json$$),
    ('point', 'point(i % 4, 1)'), ('bytea', $$('\x0' || i % 4)::bytea$$),
    ('int4[]', 'ARRAY[i % 4]'), ('mood', $$(ARRAY['sad', 'ok', 'happy'])[1 + i % 3]::mood$$),
    ('pair', $$ROW(i % 4, 'a')::pair$$);
CREATE TABLE rules AS
SELECT topic::jsonb -> (SELECT min(k) FROM jsonb_object_keys(topic::jsonb) AS k) AS rule
FROM sdc.help('methods')
WHERE topic::jsonb -> (SELECT min(k) FROM jsonb_object_keys(topic::jsonb) AS k) ->> 'method'
      NOT IN ('synthesize', 'sample', 'generalize', 'top_code', 'bottom_code', 'constant')
UNION ALL SELECT r::jsonb FROM unnest(ARRAY[
    '{"method": "generalize", "hierarchy": "types_tens", "level": 1}',
    '{"method": "top_code", "upper": 2}', '{"method": "bottom_code", "lower": "2"}',
    '{"method": "constant", "value": "7"}', '{"method": "constant", "value": "2020-01-01"}',
    '{"method": "pseudonym", "domain": "types", "format": "digits"}',
    '{"method": "pseudonym", "domain": "types", "format": "uuid"}',
    '{"method": "pseudonym", "domain": "types", "format": "email"}']) AS r;
SELECT count(*) > 20 AS many FROM rules;

-- What a call ends with: the state of its error, or NULL.
CREATE FUNCTION outcome(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE call;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE TABLE found(type text, rule jsonb, written text, masked text);
DO $$
DECLARE
    t types;
    r jsonb;
BEGIN
    FOR t IN SELECT * FROM types LOOP
        EXECUTE format('CREATE TABLE source AS SELECT i AS id, i %% 2 AS region, '
            'CAST(%s AS %s) AS x FROM generate_series(1, 40) AS i', t.value, t.type);
        FOR r IN SELECT jsonb_build_object('x', rule) FROM rules LOOP
            INSERT INTO found VALUES (t.type, r,
                outcome(format('SELECT sdc.create_policy(''types'', ''source'', %L,
                    ''[{"attack": "exact", "<=": 1}]'', ''{"id": "id", "keys": ["x", "region"]}'')', r)),
                outcome(format('SELECT sdc.mask(''source'', %L, ''types_copy'', ''id'', seed => 1)', r)));
            DROP TABLE IF EXISTS types_copy;
        END LOOP;
        DROP TABLE source CASCADE;
    END LOOP;
END $$;

-- Refused by one of them only: what depends on the values, as where a text has
-- digits, cannot be known before.
SELECT rule -> 'x' ->> 'method' AS method, type, written, masked
FROM found WHERE (written IS NULL) <> (masked IS NULL)
ORDER BY rule::text COLLATE "C", type COLLATE "C";
SELECT count(*) FILTER (WHERE written IS NULL) > 100 AS taken,
       count(*) FILTER (WHERE written IS NOT NULL) > 100 AS refused FROM found;

-- What is said.
CREATE TABLE source AS
SELECT i AS id, i AS number, 'a' || i AS word, point(i, i) AS place,
       '{}'::json AS doc FROM generate_series(1, 9) AS i;
CREATE FUNCTION written(rule jsonb, params jsonb DEFAULT '{}') RETURNS void
LANGUAGE sql AS $$
    SELECT sdc.create_policy('types', 'source', rule,
        '[{"attack": "exact", "<=": 1}]', '{"id": "id", "keys": ["number"]}' || params) $$;
SELECT written('{"number": {"method": "pseudonym", "domain": "types"}}');
SELECT written('{"place": {"method": "rank_swap", "p": 5}}');
SELECT written('{"doc,number": {"method": "suppress", "k": 2}}');
SELECT written('{"word": {"method": "generalize", "hierarchy": "types_tens", "level": 1}}');
SELECT written('{"number": {"method": "generalize", "hierarchy": "types_tens", "level": 9}}');
SELECT written('{"number": {"method": "top_code", "upper": "much"}}');
-- nothing is written
SELECT count(*) FROM sdc.policy_relation WHERE relation = 'source'::regclass;

-- A column of groups may be one of the masked table only; else it is a typo.
SET client_min_messages = warning;
SELECT sdc.create_policy('types', 'source', '{}',
    '[{"attack": "minimality", "params": {"groups": "numbr", "l": 2}, "<=": 0.5}]',
    '{"id": "id", "sensitive": ["word"]}');
SELECT sdc.create_policy('types', 'source', '{}',
    '[{"attack": "minimality", "params": {"groups": "number", "l": 2}, "<=": 0.5}]',
    '{"id": "id", "sensitive": ["word"]}');
SELECT sdc.drop_policy('types');

-- Columns of types without equality are published, and compared as texts.
SET client_min_messages = error;
CREATE TABLE unequal AS
SELECT i AS id, (i * 7919 % 97)::int AS age, i % 5 AS zip,
       ('{"n": ' || i % 7 || '}')::json AS doc, ('<a>' || i % 3 || '</a>')::xml AS mark,
       point(3 * i + 500, 1) AS place, circle(point(i % 4, 1), 2) AS ring, ('$.a' || i % 3)::jsonpath AS path,
       ARRAY[('{"n": ' || i % 7 || '}')::json] AS docs, polygon(box(point(0, 0), point(1, i % 3))) AS area
FROM generate_series(1, 120) AS i;
SELECT sdc.declare('unequal', id => 'id', keys => '{age,zip}',
                   insensitive => '{doc,mark,place,ring,path,docs,area}');
SELECT sdc.create_policy('unequal', 'unequal', '{"age": {"method": "rank_swap", "p": 10}}',
    '[{"attack": "likelihood", "<=": 1}, {"attack": "exact", "<=": 1},
      {"utility": "value_change", "<=": 1}]', '{"schema": "policy_types_out"}');
CREATE SCHEMA policy_types_out;
CALL sdc.release('unequal');
UPDATE unequal SET doc = '{"n": 8}', ring = circle(point(9, 9), 1) WHERE id < 9;
CALL sdc.release('unequal');
SELECT release - min(release) OVER () AS night, status FROM sdc.releases('unequal') ORDER BY release;
SELECT count(*) AS as_they_are FROM policy_types_out.unequal AS m JOIN unequal AS o ON 3 * o.id + 500 = m.place[0]
WHERE ROW(m.doc, m.mark, m.place, m.ring, m.path, m.docs, m.area)::text
    = ROW(o.doc, o.mark, o.place, o.ring, o.path, o.docs, o.area)::text;
-- the share of values that changed, beside plain SQL on their texts
CREATE TABLE changed AS
SELECT id, age, zip, CASE WHEN id % 3 > 0 THEN doc END AS doc, CASE WHEN id % 4 > 0 THEN mark ELSE '<a>7</a>'::xml END AS mark,
       place, CASE WHEN id % 5 > 0 THEN ring ELSE circle(point(7, 7), 7) END AS ring, path, docs, area
FROM unequal;
SELECT subject, value = (SELECT count(*) FILTER (WHERE to_jsonb(o) -> subject IS DISTINCT FROM to_jsonb(c) -> subject)::float8
                                / count(*)
                         FROM unequal AS o JOIN changed AS c USING (id)) AS as_counted
FROM sdc.utility_report('unequal', 'changed', 'id', measures => '{value_change}')
WHERE subject IN ('doc', 'mark', 'ring', 'docs') ORDER BY subject COLLATE "C";
SELECT subject, round(value::numeric, 4) AS unchanged, detail
FROM sdc.disclosure_report('unequal', 'changed', 'id', 'age,zip', 'doc,mark,ring', measures => 'unchanged_share')
WHERE measure = 'unchanged_share' ORDER BY subject COLLATE "C";
SELECT sdc.drop_policy('unequal');
SELECT sdc.drop_hierarchy('types_tens');
SELECT bool_and(sdc.forget_pseudonyms(domain)) AS forgotten FROM sdc.secret WHERE domain IN ('person', 'study', 'types');
RESET search_path;
DROP SCHEMA policy_types, policy_types_out CASCADE;
