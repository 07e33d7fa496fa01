-- suppress: every record has k like it afterwards, by comparing all pairs.
\set SHOW_CONTEXT never

CREATE FUNCTION draw(i int, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT ('x' || substr(md5(i || salt), 1, 6))::bit(24)::int % n
$$;
CREATE TABLE people AS
SELECT i AS id, draw(i, 'a', 6) * draw(i, 'b', 4) AS age, (ARRAY['n', 's', 'w'])[1 + draw(i, 'c', 3)]::varchar(3) AS region,
       (1 + draw(i, 'd', 5) * draw(i, 'e', 3) / 4.0)::numeric(6,2) AS size, 'note ' || i AS note,
       least(draw(i, 'f', 5), draw(i, 'g', 5)) AS disease, nullif(draw(i, 'h', 4), 0) AS ward
FROM generate_series(1, 400) AS i;
CREATE TABLE gaps AS
SELECT id, CASE WHEN draw(id, 'k', 30) > 0 THEN age END AS age, CASE WHEN draw(id, 'i', 30) > 0 THEN region END AS region,
       CASE WHEN draw(id, 'j', 50) > 0 THEN size END AS size, note, disease, ward FROM people;

-- how many records have fewer than k like them, or fewer than l diseases or
-- wards among these
CREATE FUNCTION lacking(rel regclass, wildcard boolean, k int, l int)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  lacking bigint;
BEGIN
  EXECUTE format('SELECT count(*) FROM (SELECT count(*) AS alike, count(DISTINCT coalesce(b.disease, -1)) AS diseases, '
    'count(DISTINCT coalesce(b.ward, -1)) AS wards FROM %1$s AS a JOIN %1$s AS b ON '
    '(a.age IS NOT DISTINCT FROM b.age OR %2$L AND (a.age IS NULL OR b.age IS NULL)) AND '
    '(a.region IS NOT DISTINCT FROM b.region OR %2$L AND (a.region IS NULL OR b.region IS NULL)) AND '
    '(a.size IS NOT DISTINCT FROM b.size OR %2$L AND (a.size IS NULL OR b.size IS NULL)) '
    'GROUP BY a.id) AS c WHERE alike < %3$s OR diseases < %4$s OR wards < %4$s', rel, wildcard, k, l) INTO lacking;
  RETURN lacking;
END $$;

-- values that are in the one table but not in the other
CREATE FUNCTION lost(original regclass, masked regclass)
RETURNS TABLE (lost bigint, other bigint) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT sum((o.age IS NOT NULL AND m.age IS NULL)::int + (o.region IS NOT NULL AND '
    'm.region IS NULL)::int + (o.size IS NOT NULL AND m.size IS NULL)::int), count(*) FILTER (WHERE m.id IS NULL OR '
    'o.id IS NULL OR m.age <> o.age OR m.region <> o.region OR m.size <> o.size OR (o.note, o.disease, o.ward) '
    'IS DISTINCT FROM (m.note, m.disease, m.ward)) FROM %s AS o FULL JOIN %s AS m USING (id)', original, masked);
END $$;

CREATE FUNCTION try(rel regclass, nulls text, k int, l int,
  OUT before bigint, OUT suppressed bigint, OUT lost bigint, OUT other bigint, OUT after bigint, OUT rank float8)
LANGUAGE plpgsql AS $$
BEGIN
  before := lacking(rel, nulls = 'wildcard', k, l);
  suppressed := (SELECT value FROM sdc.suppress(rel, 'tried', 'id', '{age,region,size}', CASE WHEN l > 1 THEN '{disease,ward}'::name[] END,
    k, CASE WHEN l > 1 THEN l END, jsonb_build_object('nulls', nulls), 5) WHERE measure = 'suppressed');
  SELECT * INTO lost, other FROM lost(rel, 'tried');
  after := lacking('tried', nulls = 'wildcard', k, l);
  SELECT value INTO rank FROM sdc.risk_report('tried', '{age,region,size}', params => jsonb_build_object('nulls', nulls))
  WHERE measure = 'k_anonymity';
  DROP TABLE tried;
END $$;
SELECT rel, nulls, k, l, before, suppressed, lost, other, after, rank >= k AS reported
FROM unnest(ARRAY['people', 'gaps']) AS rel, unnest(ARRAY['wildcard', 'category']) AS nulls,
     (VALUES (2, 1), (3, 1), (10, 1), (3, 2), (8, 4)) AS a(k, l), try(rel::regclass, nulls, k, l)
ORDER BY rel, nulls DESC, l, k;

-- wildcard is what one gets unasked; k is 3
SELECT value FROM sdc.suppress('people', target => 'unasked', id => 'id', keys => '{age,region,size}', seed => 1) WHERE measure = 'suppressed';
SELECT lacking('unasked', true, 3, 1) AS wildcard, lacking('unasked', false, 3, 1) > 0 AS category_lacks;

-- each key loses what its row says
CREATE TABLE said AS SELECT * FROM sdc.suppress('people', target => 'lossy', id => 'id', keys => '{age,region,size}', k => 6, seed => 1);
SELECT step, subject, method, rows, measure, detail,
       changed = (SELECT count(*) FROM people AS p JOIN lossy AS m USING (id)
                  WHERE to_jsonb(p) -> subject <> to_jsonb(m) -> subject) AS changed_so_many,
       value = (SELECT sum(changed) FROM said) AS in_all
FROM said;
DROP TABLE said, lossy;

-- The same records whatever the order of rows; a seed chooses others, as many
CREATE TABLE shuffled AS SELECT * FROM people ORDER BY md5(id::text);
SELECT (SELECT value FROM sdc.suppress('people', target => 'first', id => 'id', keys => '{age,region,size}', k => 6, params => '{"nulls": "category"}', seed => 1) WHERE measure = 'suppressed') AS first,
       (SELECT value FROM sdc.suppress('shuffled', target => 'again', id => 'id', keys => '{age,region,size}', k => 6, params => '{"nulls": "category"}', seed => 1) WHERE measure = 'suppressed') AS again,
       (SELECT value FROM sdc.suppress('people', target => 'otherwise', id => 'id', keys => '{age,region,size}', k => 6, params => '{"nulls": "category"}', seed => 2) WHERE measure = 'suppressed') AS otherwise,
       (SELECT value FROM sdc.suppress('people', target => 'random', id => 'id', keys => '{age,region,size}', k => 6, params => '{"nulls": "category"}') WHERE measure = 'suppressed') AS random;
SELECT count(*) AS differ FROM (SELECT * FROM first EXCEPT SELECT * FROM again) AS d;
SELECT count(*) > 0 AS differ FROM (SELECT * FROM first EXCEPT SELECT * FROM otherwise) AS d;

-- Importance: what matters more is suppressed less
SELECT (SELECT value FROM sdc.suppress('people', target => 'age_matters', id => 'id', keys => '{age,region,size}', k => 5, params => '{"importance": {"age": 9}}', seed => 1) WHERE measure = 'suppressed'),
       (SELECT value FROM sdc.suppress('people', target => 'size_matters', id => 'id', keys => '{age,region,size}', k => 5, params => '{"importance": {"region": 0.5, "size": 8, "age": 2}}', seed => 1) WHERE measure = 'suppressed');
SELECT count(*) - count(age) AS age, count(*) - count(region) AS region, count(*) - count(size) AS size FROM age_matters
UNION ALL
SELECT count(*) - count(age) AS age, count(*) - count(region) AS region, count(*) - count(size) AS size FROM size_matters;

-- Types keep their lengths, domains lose their NOT NULL; what is generated
-- from a key goes with it
CREATE DOMAIN zip AS char(5) NOT NULL CHECK (VALUE ~ '^[0-9]');
CREATE TABLE "odd ""one" (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "Zip code" zip, gone int,
  "a'; DROP TABLE people; --" varchar(7) NOT NULL COLLATE "C", area text GENERATED ALWAYS AS (substr("Zip code"::text, 1, 4)) STORED,
  half int GENERATED ALWAYS AS (rest / 2) STORED, rest int);
ALTER TABLE "odd ""one" DROP COLUMN gone;
INSERT INTO "odd ""one"("Zip code", "a'; DROP TABLE people; --", rest)
SELECT lpad((12340 + i % 13)::text, 5, '0'), 'x' || i % 5, i FROM generate_series(1, 70) AS i;
CREATE SCHEMA "S 1";
SELECT value FROM sdc.suppress('"odd ""one"', target => '"S 1"."T.""x"', id => 'id', keys => ARRAY['Zip code', 'a''; DROP TABLE people; --'], k => 2,
  seed => 1) WHERE measure = 'suppressed';
SELECT attname, format_type(atttypid, atttypmod), attcollation = '"C"'::regcollation AS c FROM pg_attribute
WHERE attrelid = '"S 1"."T.""x"'::regclass AND attnum > 0 ORDER BY attnum;
SELECT count(*), count(*) - count("Zip code") AS no_zip, count(*) FILTER (WHERE ("Zip code" IS NULL) <> (area IS NULL)) AS area_differs,
       count(half) FROM "S 1"."T.""x";

-- Views, partitions, temporary and unqualified targets
CREATE VIEW adults AS SELECT id, age, region FROM people WHERE age > 2;
SELECT (SELECT value FROM sdc.suppress('adults', target => 'pg_temp.from_view', id => 'id', keys => '{age,region}', k => 9, seed => 1) WHERE measure = 'suppressed') > 0 AS suppressed;
SELECT count(*) = (SELECT count(*) FROM adults) AS all_rows FROM pg_temp.from_view;
CREATE TABLE parts(id int, age int, region text) PARTITION BY LIST (region);
CREATE TABLE parts_n PARTITION OF parts FOR VALUES IN ('n');
CREATE TABLE parts_rest PARTITION OF parts DEFAULT;
INSERT INTO parts SELECT id, age, region FROM people;
SELECT (SELECT value FROM sdc.suppress('parts', target => 'from_parts', id => 'id', keys => '{age,region}', k => 9, seed => 1) WHERE measure = 'suppressed') = (SELECT value FROM sdc.suppress('people', target => 'from_one', id => 'id', keys => '{age,region}', k => 9, seed => 1) WHERE measure = 'suppressed') AS same;
SELECT count(*) AS differ FROM (SELECT id, age, region FROM from_one EXCEPT SELECT * FROM from_parts) AS d;

-- The declaration is used
SELECT sdc.declare('people', id => 'id', keys => '{age,region}', sensitive => '{disease}');
SELECT (SELECT value FROM sdc.suppress('people', target => 'declared', id => NULL, keys => NULL, l => 4, seed => 1) WHERE measure = 'suppressed') > 0 AS suppressed;

-- Nothing to do, and nothing at all
CREATE TABLE same AS SELECT i AS id, 1 AS x, NULL::int AS y FROM generate_series(1, 5) AS i;
SELECT (SELECT value FROM sdc.suppress('same', target => 'same2', id => 'id', keys => '{x,y}', k => 5) WHERE measure = 'suppressed'), (SELECT value FROM sdc.suppress('same', target => 'same3', id => 'id', keys => '{x,y}', k => 5, params => '{"nulls": "category"}') WHERE measure = 'suppressed');
CREATE TABLE nothing (id int, x text);
SELECT value FROM sdc.suppress('nothing', target => 'nothing2', id => 'id', keys => '{x}') WHERE measure = 'suppressed';
SELECT count(*) FROM nothing2;
INSERT INTO nothing VALUES (1, 'x');
SELECT value FROM sdc.suppress('nothing', target => 'one_row', id => 'id', keys => '{x}', k => 1) WHERE measure = 'suppressed';
SELECT * FROM one_row;

-- What it takes to be refused
SELECT sdc.suppress('nothing', target => 'no', id => 'id', keys => '{x}', k => 2);
SELECT sdc.suppress('people', id => 'id', keys => '{age}');
SELECT sdc.suppress('people', target => 'unasked', id => 'id', keys => '{age}');
SELECT sdc.suppress('people', target => 'a b', id => 'id', keys => '{age}');
SELECT sdc.suppress('people', target => 'nowhere.x', id => 'id', keys => '{age}');
SELECT sdc.suppress('people', target => 'other.public.x', id => 'id', keys => '{age}');
SELECT sdc.suppress('people', target => '', id => 'id', keys => '{age}');
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age}', k => 0);
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age}', k => NULL);
SELECT sdc.suppress(NULL, target => 'no', id => 'id', keys => '{age}');
SELECT sdc.suppress('nothing', target => 'no', id => NULL, keys => '{x}');
SELECT sdc.suppress('nothing', target => 'no', id => 'id', keys => NULL);
SELECT sdc.suppress('nothing', target => 'no', id => 'id', keys => '{}');
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{agee}');
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age,age}');
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age,id}');
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age,disease}', sensitive => '{disease}', l => 2);
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age}', sensitive => '{disease}');
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age}', sensitive => '{disease}', l => 6);
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age}', sensitive => '{disease}', l => 'NaN');
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age}', sensitive => '{disease}', l => 0.5);
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age}', params => '{"null": "category"}');
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age}', params => '{"nulls": "ignore"}');
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age}', params => '{"importance": {"aeg": 2}}');
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age}', params => '{"importance": {"age": 0}}');
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age}', params => '{"importance": {"age": "much"}}');
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age}', params => '{"importance": 3}');
CREATE TABLE twice AS SELECT * FROM people UNION ALL SELECT * FROM people WHERE id = 7;
SELECT sdc.suppress('twice', target => 'no', id => 'id', keys => '{age}');
CREATE TABLE unknown AS SELECT nullif(id, 7) AS id, age, '{}'::json AS j FROM people;
SELECT sdc.suppress('unknown', target => 'no', id => 'id', keys => '{age}');
SELECT sdc.suppress('unknown', target => 'no', id => 'id', keys => '{j}');
CREATE SEQUENCE counter;
SELECT sdc.suppress('counter', target => 'no', id => 'last_value', keys => '{is_called}');
-- a view that is another each time
CREATE VIEW fickle AS SELECT id, age, random() AS r FROM people;
SELECT (SELECT value FROM sdc.suppress('fickle', target => 'fickle2', id => 'id', keys => '{age,r}', k => 1) WHERE measure = 'suppressed') = 0 AS nothing_to_do;
CREATE SEQUENCE reads;
CREATE VIEW drifting AS SELECT id, CASE WHEN nextval('reads') > 400 THEN id ELSE age END AS age FROM people;
SELECT sdc.suppress('drifting', target => 'no', id => 'id', keys => '{age}', k => 5);
SELECT to_regclass('no') AS nothing_was_left;

-- In the transaction of the caller, with the rights of the caller
BEGIN;
SELECT (SELECT value FROM sdc.suppress('people', target => 'undone', id => 'id', keys => '{age,size}', seed => 1) WHERE measure = 'suppressed') > 0 AS suppressed;
ROLLBACK;
SELECT to_regclass('undone') AS undone;
BEGIN READ ONLY;
SELECT sdc.suppress('people', target => 'no', id => 'id', keys => '{age}');
ROLLBACK;
CREATE ROLE suppress_user;
CREATE SCHEMA mine AUTHORIZATION suppress_user;
CREATE TABLE secret AS SELECT * FROM people;
CREATE TABLE hidden AS SELECT * FROM people;
GRANT SELECT ON people, hidden TO suppress_user;
GRANT SELECT (id, age) ON secret TO suppress_user;
ALTER TABLE hidden ENABLE ROW LEVEL SECURITY;
CREATE POLICY young ON hidden USING (age < 5);
SET ROLE suppress_user;
SELECT sdc.suppress('secret', target => 'mine.no', id => 'id', keys => '{age}');
SELECT sdc.suppress('people', target => '"S 1".no', id => 'id', keys => '{age}');
SELECT sdc.suppress('hidden', target => 'mine.no', id => 'id', keys => '{age}');
SELECT (SELECT value FROM sdc.suppress('hidden', target => 'mine.visible', id => 'id', keys => '{age,region}', k => 9, params => '{"rls": "allow"}', seed => 1) WHERE measure = 'suppressed') > 0 AS suppressed;
SELECT count(*) = (SELECT count(*) FROM hidden) AS just_these FROM mine.visible;
SELECT (SELECT value FROM sdc.suppress('people', target => 'mine.ours', id => 'id', keys => '{age,size}', seed => 1) WHERE measure = 'suppressed') > 0 AS suppressed;
RESET ROLE;
SELECT tableowner FROM pg_tables WHERE tablename = 'ours';

-- More keys than a word has bits; a column that is generated from keys of two words
DO $$ BEGIN
  EXECUTE (SELECT 'CREATE TABLE wide AS SELECT i AS id, ' ||
      string_agg(format('CASE WHEN i %% %s = 0 THEN %s ELSE 0 END AS k%s', 7 + j % 11, j % 3, j), ', ') ||
      ' FROM generate_series(1, 60) AS i' FROM generate_series(1, 150) AS j);
END $$;
ALTER TABLE wide ADD both_ends int GENERATED ALWAYS AS (k1 + k149) STORED;
CREATE FUNCTION wide_keys(n int) RETURNS sdc.columns LANGUAGE sql AS
  'SELECT array_agg(''k'' || j)::name[]::sdc.columns FROM generate_series(1, n) AS j';
SELECT nulls, (SELECT value > 0 FROM sdc.suppress('wide', 'wide_' || nulls, 'id', wide_keys(150), k => 3,
    params => jsonb_build_object('nulls', nulls, 'importance', '{"k149": 0.5}'::jsonb), seed => 1) WHERE measure = 'suppressed') AS suppressed
FROM unnest('{wildcard,category}'::text[]) AS nulls;
SELECT w, (SELECT value FROM sdc.risk_report(w, wide_keys(150), measures => '{k_anonymity}')) >= 3 AS k
FROM unnest('{wide,wide_wildcard,wide_category}'::regclass[]) AS w;
SELECT min(n) >= 3 AS k FROM (SELECT count(*) AS n FROM wide_category AS w GROUP BY to_jsonb(w) - 'id' - 'both_ends') AS c;
SELECT bool_and((both_ends IS NULL) = (k1 IS NULL OR k149 IS NULL)), bool_or(k149 IS NULL) AS lost, bool_or(both_ends IS NOT NULL) AS left
FROM wide_category;
-- only what is lost differs
SELECT count(*) FROM (SELECT w.id, x.key, x.value FROM wide_category AS w, jsonb_each(to_jsonb(w)) AS x WHERE x.value <> 'null'
  EXCEPT SELECT w.id, x.key, x.value FROM wide AS w, jsonb_each(to_jsonb(w)) AS x) AS d;
DROP TABLE wide, wide_wildcard, wide_category;
DROP FUNCTION wide_keys;

-- A name from search_path, one that hides what sdc calls
CREATE FUNCTION mine.unnest(anyarray) RETURNS SETOF anyelement LANGUAGE sql AS 'SELECT NULL';
SET search_path = mine, pg_catalog;
SELECT (SELECT value FROM sdc.suppress('public.people', target => 'here', id => 'id', keys => '{age,size}', seed => 1) WHERE measure = 'suppressed') > 0 AS suppressed;
RESET search_path;
SELECT count(*) AS differ FROM (TABLE mine.here EXCEPT TABLE mine.ours) AS d;
DROP SCHEMA mine CASCADE;
DROP TABLE secret, hidden;
REVOKE ALL ON people FROM suppress_user;
DROP ROLE suppress_user;

DROP SCHEMA "S 1" CASCADE;
DROP VIEW adults, fickle, drifting;
DROP TABLE gaps, first, unasked, shuffled, again, otherwise, random, age_matters, size_matters, "odd ""one", from_parts, parts,
  from_one, declared, same, same2, same3, nothing, nothing2, one_row, twice, unknown, fickle2, people;
DROP SEQUENCE counter, reads;
DROP FUNCTION draw, lacking, lost, try;
DROP DOMAIN zip;
