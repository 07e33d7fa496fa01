-- local recoding: every class has k records afterwards, counted by plain SQL.
\set SHOW_CONTEXT never

CREATE SCHEMA local_recoding;
SET search_path = local_recoding, public;

CREATE FUNCTION draw(i int, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT ('x' || substr(md5(i || salt), 1, 6))::bit(24)::int % n
$$;
CREATE TABLE people AS
SELECT i AS id, 18 + draw(i, 'a', 12) * draw(i, 'b', 6) AS age, (ARRAY['Kiel', 'Bonn', 'Ulm', 'Jena', 'Gera'])[1 + draw(i, 'c', 3) + draw(i, 'd', 3)] AS town,
       chr(97 + draw(i, 'e', 3)) AS kind, 'note ' || i AS note, least(draw(i, 'f', 5), draw(i, 'g', 5)) AS disease
FROM generate_series(1, 400) AS i;
CREATE TABLE gaps AS
SELECT id, CASE WHEN draw(id, 'k', 20) > 0 THEN age END AS age, CASE WHEN draw(id, 'i', 20) > 0 THEN town END AS town, kind, note,
       nullif(disease, 0) AS disease FROM people;
SELECT sdc.create_hierarchy('lr age', 'numeric', '{"widths": [5, 20], "domain": [10, 90]}');
SELECT sdc.create_hierarchy('lr town', 'table', '{"rows": [["Kiel", "north", "*"], ["Bonn", "west", "*"], ["Essen", "west", "*"],
  ["Ulm", "south", "*"], ["Jena", "east", "*"], ["Gera", "east", "*"]]}');
\set hierarchies '{"hierarchies": {"age": "lr age", "town": "lr town"}}'

SELECT step, subject, method, rows, changed, measure, value, detail FROM sdc.recode_locally('people', 'recoded', 'id', '{age,town,kind}', k => 5, params => :'hierarchies');
-- what the report says, by plain SQL
SELECT count(*) FILTER (WHERE r.age <> p.age::text) AS age, count(*) FILTER (WHERE r.town <> p.town) AS town,
       count(*) FILTER (WHERE r.kind <> p.kind) AS kind FROM recoded AS r JOIN people AS p USING (id);
SELECT count(*) AS classes, sum(n) AS records, min(n) AS smallest FROM (SELECT count(*) AS n FROM recoded GROUP BY age, town, kind) AS c;
SELECT count(*) FILTER (WHERE (r.age, r.town, r.kind) = (p.age::text, p.town, p.kind)) AS unchanged,
       count(*) FILTER (WHERE r.note <> p.note OR r.disease <> p.disease) AS other,
       count(*) FILTER (WHERE r.age NOT IN (SELECT label FROM sdc.hierarchy_levels(p.age, 'lr age'))) AS bad_age,
       count(*) FILTER (WHERE r.town NOT IN (SELECT label FROM sdc.hierarchy_levels(p.town, 'lr town'))) AS bad_town,
       count(*) FILTER (WHERE r.kind NOT IN (p.kind, '*')) AS bad_kind
FROM recoded AS r JOIN people AS p USING (id);
SELECT round(1 - (sum(share) - 400 / 6.0) / (400 - 400 / 6.0), 6) AS town FROM
 (SELECT CASE town WHEN '*' THEN 1 WHEN 'west' THEN 2 / 6.0 WHEN 'east' THEN 2 / 6.0 ELSE 1 / 6.0 END AS share FROM recoded) AS t;
SELECT round(1 - sum(CASE WHEN age = '*' THEN 1 WHEN age LIKE '[%' THEN (split_part(trim('[)' FROM age), ',', 2)::numeric - split_part(trim('[)' FROM age), ',', 1)::numeric) / 80
       ELSE 0 END) / 400, 6) AS age FROM recoded;
SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'local_recoding' AND table_name = 'recoded' ORDER BY ordinal_position;

-- many k, with NULLs, with l and t: all by plain SQL
CREATE FUNCTION try(rel regclass, k int, l int, t float8,
  OUT k_found bigint, OUT l_found bigint, OUT t_met boolean, OUT records bigint, OUT reported boolean, OUT granularity float8)
LANGUAGE plpgsql AS $$
DECLARE
  said jsonb;
BEGIN
  SELECT jsonb_object_agg(measure, value) FILTER (WHERE measure <> 'granularity' OR subject = rel::text) INTO said
  FROM sdc.recode_locally(rel, 'tried', 'id', '{age,town,kind}', CASE WHEN l > 1 OR t < 1 THEN '{disease}'::name[] END, k, nullif(l, 1),
    jsonb_build_object('hierarchies', jsonb_build_object('age', 'lr age', 'town', 'lr town')) ||
    CASE WHEN t < 1 THEN jsonb_build_object('t', t) ELSE '{}' END);
  SELECT min(n), min(d), sum(n) INTO k_found, l_found, records
  FROM (SELECT count(*) AS n, count(DISTINCT coalesce(disease, -1)) AS d FROM tried GROUP BY age, town, kind) AS c;
  WITH seen AS (SELECT age, town, kind, disease, count(*)::float8 AS n FROM tried GROUP BY 1, 2, 3, 4),
       found AS (SELECT age, town, kind, sum(n) AS n, array_agg(disease) AS diseases, array_agg(n) AS counts FROM seen GROUP BY 1, 2, 3),
       whole AS (SELECT disease, sum(n) / 400 AS q FROM seen GROUP BY 1)
  SELECT max(far) <= t * (1 + 1e-9) INTO t_met FROM found, LATERAL
   (SELECT sum(abs(coalesce(counts[array_position(diseases, disease)], 0) / n - q)) / 2 AS far FROM whole) AS d;
  reported := (said->>'k_anonymity')::int = k_found AND (said->>'records')::int = records;
  granularity := round((said->>'granularity')::numeric, 4);
  DROP TABLE tried;
END $$;
SELECT rel, k, l, t, k_found >= k AS k_met, l_found >= l AS l_met, t_met, records, reported, granularity
FROM unnest(ARRAY['people', 'gaps']) AS rel, (VALUES (1, 1, 1), (2, 1, 1), (20, 1, 1), (400, 1, 1), (2, 3, 1), (3, 1, 0.25)) AS a(k, l, t),
     try(rel::regclass, k, l, t) ORDER BY rel, l, t DESC, k;

-- The order of rows has no say; weights have
CREATE TABLE shuffled AS SELECT * FROM people ORDER BY md5(id::text);
SELECT count(*) FROM sdc.recode_locally('shuffled', 'again', 'id', '{age,town,kind}', k => 5, params => :'hierarchies');
SELECT count(*) AS differ FROM (TABLE again EXCEPT TABLE recoded) AS d;
SELECT a.subject, a.value > b.value AS more_detail
FROM sdc.recode_locally('people', 'age_matters', 'id', '{age,town,kind}', k => 9, params => :'hierarchies'::jsonb || '{"weights": {"age": 20}}') AS a
JOIN sdc.recode_locally('people', 'age_is_nothing', 'id', '{age,town,kind}', k => 9, params => :'hierarchies'::jsonb || '{"weights": {"age": 0.01}}') AS b
USING (measure, subject) WHERE measure = 'granularity' AND subject = 'age';

-- NULLs stay, unless they must join others
SELECT count(*) > 0 AS reports FROM sdc.recode_locally('gaps', 'recoded_gaps', 'id', '{age,town}', k => 400, params => :'hierarchies');
SELECT age, town, count(*) FROM recoded_gaps GROUP BY age, town;
SELECT count(*) > 0 AS reports FROM sdc.recode_locally('gaps', 'no_town', 'id', '{town}', k => 15, params => '{"hierarchies": {"town": "lr town"}}');
SELECT n.town, count(*) FROM no_town AS n JOIN gaps AS g USING (id) WHERE g.town IS NULL GROUP BY 1;

-- Names, types, views, partitions; what is generated from a key
CREATE DOMAIN zip AS char(5) NOT NULL CHECK (VALUE ~ '^[0-9]');
CREATE TABLE "odd ""one" ("I D" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "Zip code" zip, gone int, "a'; DROP TABLE people; --" numeric(5,1),
  area text GENERATED ALWAYS AS (substr("Zip code"::text, 1, 4)) STORED, half int GENERATED ALWAYS AS (rest / 2) STORED, rest int);
ALTER TABLE "odd ""one" DROP COLUMN gone;
INSERT INTO "odd ""one"("Zip code", "a'; DROP TABLE people; --", rest) SELECT lpad((12340 + i % 13)::text, 5, '0'), i % 3, i FROM generate_series(1, 70) AS i;
SELECT sdc.create_hierarchy('lr "zip', 'prefix', '{"length": 5}');
CREATE SCHEMA "S 1";
SELECT measure, subject, value, detail FROM sdc.recode_locally('"odd ""one"', '"S 1"."T.""x"', 'I D', ARRAY['Zip code', 'a''; DROP TABLE people; --'], k => 3,
  params => '{"hierarchies": {"Zip code": "lr \"zip"}}') WHERE measure = 'k_anonymity';
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '"S 1"."T.""x"'::regclass AND attnum > 0 ORDER BY attnum;
SELECT count(*), count(area) AS area, count(half) AS half, min("a'; DROP TABLE people; --") AS least FROM "S 1"."T.""x";
CREATE VIEW adults AS SELECT id, age, town FROM people WHERE age > 30;
SELECT count(*) > 0 AS reports FROM sdc.recode_locally('adults', 'pg_temp.from_view', 'id', '{age,town}', k => 9, params => :'hierarchies');
SELECT count(*) = (SELECT count(*) FROM adults) AS all_rows FROM pg_temp.from_view;
SELECT sdc.declare('people', id => 'id', keys => '{age,town}', sensitive => '{disease}');
SELECT measure, subject, value FROM sdc.recode_locally('people', 'declared', l => 4, params => :'hierarchies') WHERE measure = 'l_distinct';

-- Nothing to do, and nothing at all
CREATE TABLE nothing (id int, x text);
SELECT step, subject, method, rows, changed, measure, value, detail FROM sdc.recode_locally('nothing', 'nothing2', 'id', '{x}');
SELECT count(*) FROM nothing2;
INSERT INTO nothing VALUES (1, NULL);
SELECT step, subject, method, rows, changed, measure, value, detail FROM sdc.recode_locally('nothing', 'one_row', 'id', '{x}', k => 1);
SELECT * FROM one_row;
CREATE TABLE same AS SELECT i AS id, 1 AS x, NULL::text AS town FROM generate_series(1, 5) AS i;
SELECT measure, subject, value FROM sdc.recode_locally('same', 'same2', 'id', '{x,town}', k => 5, params => '{"hierarchies": {"town": "lr town"}}');
SELECT DISTINCT x, town FROM same2;

-- What it takes to be refused
SELECT sdc.recode_locally('nothing', 'no', 'id', '{x}', k => 2);
SELECT sdc.recode_locally('people', NULL, 'id', '{age}');
SELECT sdc.recode_locally('people', 'recoded', 'id', '{age}');
SELECT sdc.recode_locally('people', 'nowhere.x', 'id', '{age}');
SELECT sdc.recode_locally('people', 'no', 'id', '{age}', k => 0);
SELECT sdc.recode_locally('people', 'no', 'id', '{age}', k => NULL);
SELECT sdc.recode_locally(NULL, 'no', 'id', '{age}');
SELECT sdc.recode_locally('nothing', 'no', NULL, '{x}');
SELECT sdc.recode_locally('nothing', 'no', 'id');
SELECT sdc.recode_locally('people', 'no', 'id', '{agee}');
SELECT sdc.recode_locally('people', 'no', 'id', '{age,age}');
SELECT sdc.recode_locally('people', 'no', 'id', '{age,id}');
SELECT sdc.recode_locally('people', 'no', 'id', '{age,disease}', '{disease}', l => 2);
SELECT sdc.recode_locally('people', 'no', 'id', '{age}', '{disease}');
SELECT measure, subject, value >= 2 AS diverse FROM sdc.recode_locally('people', 'two', 'id', '{age}', '{disease,note}', l => 2)
WHERE measure = 'l_distinct';
DROP TABLE two;
SELECT sdc.recode_locally('people', 'no', 'id', '{age}', '{disease}', l => 6);
SELECT sdc.recode_locally('people', 'no', 'id', '{age}', '{disease}', l => 'NaN');
SELECT sdc.recode_locally('people', 'no', 'id', '{age}', '{disease}', params => '{"t": 2}');
SELECT sdc.recode_locally('people', 'no', 'id', '{age}', params => '{"hierarchy": {"age": "lr age"}}');
SELECT sdc.recode_locally('people', 'no', 'id', '{age}', params => '{"hierarchies": {"aeg": "lr age"}}');
SELECT sdc.recode_locally('people', 'no', 'id', '{age}', params => '{"hierarchies": {"age": "no such"}}');
SELECT sdc.recode_locally('people', 'no', 'id', '{age}', params => '{"hierarchies": {"age": 3}}');
SELECT sdc.recode_locally('people', 'no', 'id', '{age}', params => '{"hierarchies": "lr age"}');
\set SHOW_CONTEXT errors
SELECT sdc.recode_locally('people', 'no', 'id', '{age,note}', params => '{"hierarchies": {"note": "lr town"}}');
\set SHOW_CONTEXT never
SELECT sdc.recode_locally('people', 'no', 'id', '{town}', params => '{"hierarchies": {"town": "lr age"}}');
SELECT sdc.recode_locally('people', 'no', 'id', '{age}', params => '{"weights": {"age": -1}}');
SELECT sdc.recode_locally('people', 'no', 'id', '{age}', params => '{"weights": {"town": 1}}');
CREATE TABLE twice AS SELECT * FROM people UNION ALL SELECT * FROM people WHERE id = 7;
SELECT sdc.recode_locally('twice', 'no', 'id', '{age}');
CREATE TABLE unknown AS SELECT nullif(id, 7) AS id, age, '{}'::json AS j FROM people;
SELECT sdc.recode_locally('unknown', 'no', 'id', '{age}');
SELECT sdc.recode_locally('unknown', 'no', 'id', '{j}');
-- a view that is another each time
CREATE SEQUENCE reads;
CREATE VIEW drifting AS SELECT CASE WHEN nextval('reads') > 400 THEN -id ELSE id END AS id, age FROM people;
SELECT sdc.recode_locally('drifting', 'no', 'id', '{age}', k => 5);
SELECT to_regclass('no') AS nothing_was_left;

-- In the transaction of the caller, with the rights of the caller
BEGIN;
SELECT count(*) > 0 AS reports FROM sdc.recode_locally('people', 'undone', 'id', '{age}');
ROLLBACK;
SELECT to_regclass('undone') AS undone;
CREATE ROLE local_recoding_user;
CREATE SCHEMA mine AUTHORIZATION local_recoding_user;
CREATE TABLE secret AS SELECT * FROM people;
CREATE TABLE hidden AS SELECT * FROM people;
GRANT USAGE ON SCHEMA local_recoding TO local_recoding_user;
GRANT SELECT ON people, hidden TO local_recoding_user;
GRANT SELECT (id, age) ON secret TO local_recoding_user;
ALTER TABLE hidden ENABLE ROW LEVEL SECURITY;
CREATE POLICY young ON hidden USING (age < 35);
SET ROLE local_recoding_user;
SELECT sdc.recode_locally('secret', 'mine.no', 'id', '{age}');
SELECT sdc.recode_locally('people', '"S 1".no', 'id', '{age}');
SELECT sdc.recode_locally('hidden', 'mine.no', 'id', '{age}');
SELECT count(*) > 0 AS reports FROM sdc.recode_locally('hidden', 'mine.visible', 'id', '{age,town}', k => 9, params => :'hierarchies'::jsonb || '{"rls": "allow"}');
SELECT count(*) = (SELECT count(*) FROM hidden) AS just_these FROM mine.visible;
-- a name from search_path, one that hides what sdc calls
CREATE FUNCTION mine.unnest(anyarray) RETURNS SETOF anyelement LANGUAGE sql AS 'SELECT NULL';
CREATE FUNCTION mine.divide(bigint, integer) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
CREATE OPERATOR mine./ (LEFTARG = bigint, RIGHTARG = integer, FUNCTION = mine.divide);
SET search_path = mine, pg_catalog;
SELECT count(*) > 0 AS reports FROM sdc.recode_locally('local_recoding.people', 'here', 'id', '{age,town,kind}', k => 5, params => :'hierarchies');
RESET search_path;
SELECT count(*) FILTER (WHERE n < 5) AS too_small, sum(n) AS records FROM (SELECT count(*) AS n FROM mine.here GROUP BY age, town, kind) AS c;
RESET ROLE;

DROP OWNED BY local_recoding_user CASCADE;
DROP ROLE local_recoding_user;
SELECT sdc.drop_hierarchy(h) FROM unnest(ARRAY['lr age', 'lr town', 'lr "zip']) AS h;
SET client_min_messages = warning;
DROP SCHEMA local_recoding, "S 1" CASCADE;
