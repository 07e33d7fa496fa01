-- mask: rules applied to a table, into a copy.
\set SHOW_CONTEXT never

-- Ties in all columns, NULLs, an id that is not in the order of the rows.
CREATE TABLE person AS
SELECT (i * 7919) % 1009 AS id, (i % 3)::text AS region, 20 + i % 60 AS age,
       (1000 + (i * 7919) % 500)::integer AS income,
       nullif((i * 13 % 97)::float8, 5) AS hours,
       (i * 31 % 89)::numeric(8, 2) AS spent,
       date '1960-01-01' + (i * 37 % 15000) AS born,
       timestamp '2020-01-01' + (i * 37 % 15000) * interval '1 min' AS seen,
       timestamptz '2020-01-01 UTC' + (i * 7 % 5000) * interval '1 min' AS paid,
       'name' || i AS name,
       (ARRAY['a', 'b', 'c'])[1 + i % 3]::varchar(3) AS sector,
       ('10.0.' || i % 200 || '.7')::inet AS address,
       i % 2 = 0 AS flag, nullif(i % 7, 3) AS children, i AS extra
FROM generate_series(1, 600) AS i;
ALTER TABLE person ADD PRIMARY KEY (id);
SELECT sdc.create_hierarchy('mask_age', 'interval',
    '{"levels": [[30, 40, 50, 60, 70], [40, 60]]}');

-- Every method, in one statement.
SELECT step, subject, method, rows, changed IS NULL AS not_counted
FROM sdc.mask('person', '{
    "income": {"method": "rank_swap", "p": 10, "strata": ["region", "sector"]},
    "hours,spent": {"method": "microaggregate", "k": 5, "variant": "vmdav"},
    "born": {"method": "microaggregate", "k": 4},
    "seen": {"method": "add_noise", "alpha": 0.2, "variant": "laplace"},
    "paid": {"method": "shuffle", "strata": "region"},
    "name": {"method": "mask_text", "keep": 2, "fill": "_"},
    "sector": {"method": "pram", "p": 60},
    "address": {"method": "mask_inet", "keep": 16},
    "flag": {"method": "null"},
    "age": {"method": "generalize", "hierarchy": "mask_age", "level": 1},
    "children": {"method": "top_code", "upper": 4},
    "extra": {"method": "constant", "value": 42},
    "region": {"method": "keep"}}', target => 'masked', seed => 7)
WHERE step IN ('mask', 'write');

-- The same by hand: the functions, with the seeds that mask gives them.
CREATE FUNCTION seed_of(subject text) RETURNS bigint LANGUAGE sql AS
$$ SELECT sdc.mask_seed(subject, 7) $$;
CREATE TABLE by_hand AS
SELECT id, region, sdc.generalize(age, 'mask_age', 1) AS age,
       sdc.rank_swap(income, 10, 'classic', seed_of('income'))
           OVER (PARTITION BY region, sector ORDER BY id) AS income,
       CASE WHEN g IS NOT NULL THEN avg(hours) OVER grouped END AS hours,
       CASE WHEN g IS NOT NULL THEN
           (avg(spent::float8) OVER grouped)::numeric(8, 2) END AS spent,
       date '2000-01-01' +
           (sdc.microaggregate((born - date '2000-01-01')::float8, 4)
                OVER (ORDER BY id))::integer AS born,
       to_timestamp(sdc.add_noise(date_part('epoch', seen), 0.2, 'laplace',
                                  seed_of('seen')) OVER (ORDER BY id))
           AT TIME ZONE 'UTC' AS seen,
       sdc.shuffle(paid, seed_of('paid'))
           OVER (PARTITION BY region ORDER BY id) AS paid,
       sdc.mask_text(name, 2, '_') AS name,
       sdc.pram(sector::text, 60, 'invariant', seed_of('sector'))
           OVER (ORDER BY id)::varchar(3) AS sector,
       sdc.mask_inet(address, 16) AS address, NULL::boolean AS flag,
       CASE WHEN children > 4 THEN 4 ELSE children END AS children, 42 AS extra
FROM (SELECT *, sdc.microaggregate_group(ROW(hours, spent::float8), 5, 'vmdav',
                    true, seed_of('hours,spent')) OVER (ORDER BY id) AS g
      FROM person) AS p
WINDOW grouped AS (PARTITION BY g ORDER BY id
                   ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);
(TABLE masked EXCEPT TABLE by_hand) UNION ALL (TABLE by_hand EXCEPT TABLE masked);
SELECT count(*) FROM masked JOIN by_hand USING (id);

-- Types are those of the table, but for what is generalized.
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
WHERE attrelid = 'masked'::regclass AND attnum > 0
  AND (attname, atttypid, atttypmod) NOT IN (
      SELECT attname, atttypid, atttypmod FROM pg_attribute
      WHERE attrelid = 'person'::regclass);

-- What is counted as changed is what differs.
CREATE TABLE step AS
SELECT * FROM sdc.mask('person', '{"income": {"method": "rank_swap", "p": 3},
                                   "sector": {"method": "pram", "p": 50},
                                   "age": {"method": "top_code", "upper": 50}}',
                       target => 'counted', seed => 3) AS m;
SELECT subject, changed = n AS right_count
FROM step
JOIN (SELECT 'income' AS subject, count(*) AS n
      FROM person p JOIN counted c USING (id) WHERE p.income <> c.income
      UNION ALL SELECT 'sector', count(*)
      FROM person p JOIN counted c USING (id) WHERE p.sector <> c.sector
      UNION ALL SELECT 'age', count(*)
      FROM person p JOIN counted c USING (id) WHERE p.age <> c.age) AS d
    USING (subject)
WHERE step = 'mask' ORDER BY subject;
DROP TABLE step;
DROP TABLE masked, by_hand;

-- The order of the rows does not matter, nor does a dropped column before.
CREATE TABLE permuted AS SELECT NULL::text AS gone, * FROM person ORDER BY md5(name);
ALTER TABLE permuted DROP COLUMN gone;
SELECT set_config('test.rules', '{
    "income": {"method": "rank_swap", "p": 10},
    "hours,spent": {"method": "microaggregate", "k": 5},
    "age,children": {"method": "add_noise", "alpha": 0.3},
    "*": {"method": "sample_rows", "p": 25, "strata": ["region"]}}', false) IS NULL;
SELECT count(*) FROM sdc.mask('person', current_setting('test.rules')::jsonb, 'one', 'id', seed => 9);
SELECT count(*) FROM sdc.mask('permuted', current_setting('test.rules')::jsonb, 'two', 'id', seed => 9);
(TABLE one EXCEPT TABLE two) UNION ALL (TABLE two EXCEPT TABLE one);
-- The rows that are masked are those of the sample: as sample_rows draws it.
SELECT rows FROM sdc.sample_rows('person', 'sample', '{region}', 25, 9) WHERE step = 'write';
(SELECT id FROM sample EXCEPT SELECT id FROM one)
UNION ALL (SELECT id FROM one EXCEPT SELECT id FROM sample);
-- Groups have their k in the sample, not in what was left out.
SELECT min(n) >= 5 AS k_holds
FROM (SELECT count(*) AS n FROM one WHERE hours IS NOT NULL GROUP BY hours, spent) AS g;
SELECT count(*) FROM one WHERE hours IS NULL AND spent IS NOT NULL;
DROP TABLE one, two, sample, permuted, counted;

-- Columns with the same values are not masked alike.
CREATE TABLE twins AS SELECT id, income AS a, income AS b FROM person;
SELECT count(*) > 0 FROM sdc.mask('twins', '{"a": {"method": "shuffle"},
    "b": {"method": "shuffle"}}', 'apart', 'id', seed => 5);
SELECT count(*) > 400 AS apart FROM apart WHERE a <> b;
DROP TABLE twins, apart;

-- Suppression is applied to what the other rules leave.
SELECT step, subject, method, changed FROM sdc.mask('person', '{
    "age": {"method": "generalize", "hierarchy": "mask_age", "level": 1},
    "age,sector,children": {"method": "suppress", "k": 8,
                            "importance": {"age": 1, "sector": 2, "children": 3}}}',
    target => 'scarce', seed => 2) WHERE step = 'mask';
SELECT max(fk.n) >= 8 AND min(fk.n) >= 8 AS k_holds
FROM (SELECT s.id, count(*) AS n FROM scarce s JOIN scarce o
          ON (s.age = o.age OR s.age IS NULL OR o.age IS NULL)
         AND (s.sector = o.sector OR s.sector IS NULL OR o.sector IS NULL)
         AND (s.children = o.children OR s.children IS NULL OR o.children IS NULL)
      GROUP BY s.id) AS fk;
SELECT count(*) FROM scarce s JOIN person p USING (id)
WHERE s.age <> sdc.generalize(p.age, 'mask_age', 1) OR s.sector <> p.sector;
SELECT relname FROM pg_class WHERE relname LIKE 'sdc\_%' AND relnamespace = 'public'::regnamespace;
DROP TABLE scarce;

-- A dry run makes nothing and shows the statement, counts and examples.
SELECT step, subject, method, rows, changed > 0 AS changed, sql IS NOT NULL AS sql
FROM sdc.mask('person', '{"income": {"method": "rank_swap", "p": 10}}',
              target => 'nothing', dry_run => true, seed => 1);
SELECT to_regclass('nothing');
-- Its counts are those of the mask itself.
SELECT (SELECT changed FROM sdc.mask('person', '{"income": {"method": "shuffle"}}',
            target => 'nothing', dry_run => true, seed => 1) WHERE step = 'mask')
     = (SELECT changed FROM sdc.mask('person', '{"income": {"method": "shuffle"}}',
            target => 'something', seed => 1) WHERE step = 'mask') AS same;
DROP TABLE something;
-- No seed is shown.
SELECT count(*) FROM sdc.mask('person', '{"income": {"method": "shuffle"}}',
    target => 'nothing', dry_run => true, seed => 1234567890123) AS m
WHERE m::text LIKE '%1234567890123%'
   OR m::text LIKE '%' || sdc.mask_seed('income', 1234567890123) || '%';

-- A copy of a generated column would give away what it is made from.
CREATE TABLE derived (id integer PRIMARY KEY, a integer, b integer,
                      twice integer GENERATED ALWAYS AS (a * 2) STORED,
                      other integer GENERATED ALWAYS AS (b * 2) STORED);
INSERT INTO derived (id, a, b) SELECT i, i, i FROM generate_series(1, 20) AS i;
SELECT count(*) > 0 FROM sdc.mask('derived', '{"a": {"method": "shuffle"}}', target => 'd');
SELECT count(*), count(twice), count(other) FROM d;
DROP TABLE d, derived;

-- A copy takes over what is asked for, but for indexes with code in them.
CREATE TABLE built (id integer PRIMARY KEY, a integer NOT NULL, "b c" text UNIQUE, d integer);
CREATE INDEX ON built (d, a);
CREATE INDEX ON built ((a + 1));
CREATE UNIQUE INDEX ON built (a) WHERE d > 3;
COMMENT ON TABLE built IS 'a table';
COMMENT ON COLUMN built."b c" IS 'a column';
INSERT INTO built SELECT i, i % 5, 'b' || i, i % 4 FROM generate_series(1, 20) AS i;
SELECT count(*) > 0 FROM sdc.mask('built', '{"a": {"method": "shuffle"}}', target => 'plain', seed => 1);
SELECT count(*) > 0 FROM sdc.mask('built', '{"a": {"method": "shuffle"}}', target => 'rich', params => '{"keep": ["comments", "not_null", "keys", "indexes"]}',
    seed => 1);
SELECT r AS relation, obj_description(r, 'pg_class') AS said, col_description(r, 3) AS of_column,
       (SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute
        WHERE attrelid = r AND attnotnull AND attnum > 0) AS not_null
FROM (VALUES ('plain'::regclass), ('rich')) AS v (r);
SELECT pg_get_indexdef(indexrelid) AS index FROM pg_index
WHERE indrelid IN ('plain'::regclass, 'rich'::regclass)
ORDER BY pg_get_indexdef(indexrelid) COLLATE "C";
SELECT sdc.mask('built', '{"b c": {"method": "constant", "value": "x"}}', target => 'x', params => '{"keep": "keys"}');
SELECT sdc.mask('built', '{"a": {"method": "null"}}', target => 'x', params => '{"keep": "not_null"}');
SELECT sdc.mask('built', '{}', target => 'x', params => '{"keep": "rights"}');
SELECT sdc.mask('built', '{}', target => 'x', params => '{"kept": "keys"}');
SELECT sdc.mask('built', '{}', params => '{"keep": "keys"}');
DROP TABLE built, plain, rich;

-- Domains become the type below; dropped columns do not matter.
CREATE DOMAIN percentage AS integer CHECK (VALUE BETWEEN 0 AND 100) NOT NULL;
CREATE TABLE rate (id integer PRIMARY KEY, gone text, p percentage);
ALTER TABLE rate DROP COLUMN gone;
INSERT INTO rate SELECT i, i FROM generate_series(1, 100) AS i;
SELECT subject, method, rows FROM sdc.mask('rate', '{"p": {"method": "null"}}', target => 'r')
WHERE step = 'mask';
SELECT count(*), count(p), min(pg_typeof(p)::text) FROM r;
DROP TABLE r, rate;
DROP DOMAIN percentage;

-- Partitioned tables and materialized views can be copied, views cannot.
CREATE TABLE parts (a integer, b text) PARTITION BY RANGE (a);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (50);
CREATE TABLE parts_2 PARTITION OF parts DEFAULT;
INSERT INTO parts SELECT i, i FROM generate_series(1, 100) AS i;
CREATE MATERIALIZED VIEW kept AS TABLE parts;
CREATE VIEW shown AS TABLE parts;
SELECT count(*) > 0 FROM sdc.mask('parts', '{"a": {"method": "shuffle"}}', 'p', 'b', seed => 1);
SELECT count(*) > 0 FROM sdc.mask('kept', '{"a": {"method": "shuffle"}}', 'k', 'b', seed => 1);
SELECT count(*), count(DISTINCT a) FROM p;
(TABLE p EXCEPT TABLE k) UNION ALL (TABLE k EXCEPT TABLE p);
SELECT * FROM sdc.mask('shown', '{"a": {"method": "shuffle"}}', target => 'x');
DROP TABLE p, k;
DROP MATERIALIZED VIEW kept;
DROP VIEW shown;
DROP TABLE parts;

-- Empty tables, one row, no rules, no columns.
CREATE TABLE empty (id integer, x float8, y float8);
SELECT step, rows FROM sdc.mask('empty', '{"x": {"method": "rank_swap", "p": 5}}', target => 'e') WHERE step = 'write';
INSERT INTO empty VALUES (1, 2, 3);
SELECT step, rows FROM sdc.mask('empty', '{"x,y": {"method": "add_noise", "alpha": 1}}', target => 'f') WHERE step = 'write';
TABLE f;
SELECT step, rows FROM sdc.mask('empty', '{}', target => 'g') WHERE step = 'write';
TABLE g;
CREATE TABLE bare ();
SELECT step, rows FROM sdc.mask('bare', '{}', target => 'h') WHERE step = 'write';
DROP TABLE e, f, g, h, empty, bare;

-- Errors in rules; each tells what is wrong.
CREATE FUNCTION try(rules text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE said text;
BEGIN
    PERFORM sdc.mask('person', rules::jsonb, target => 'x');
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS said = MESSAGE_TEXT;
    RETURN sqlstate || ': ' || said;
END $$;
SELECT try('[]');
SELECT try('{"nowhere": {"method": "null"}}');
SELECT try('{"income": "null"}');
SELECT try('{"income": {"method": "forget"}}');
SELECT try('{"income": {"method": "null", "p": 1}}');
SELECT try('{"income": {"method": "rank_swap"}}');
SELECT try('{"income": {"method": "rank_swap", "p": 101}}');
SELECT try('{"income": {"method": "rank_swap", "p": "many"}}');
SELECT try('{"income": {"method": "rank_swap", "p": 1, "variant": "best"}}');
SELECT try('{"income": {"method": "rank_swap", "p": 1, "strata": ["nowhere"]}}');
SELECT try('{"income,age": {"method": "rank_swap", "p": 1}}');
SELECT try('{"income": {"method": "shuffle"}, "income,age": {"method": "add_noise", "alpha": 1}}');
SELECT try('{"name": {"method": "microaggregate", "k": 3}}');
SELECT try('{"income": {"method": "mask_text", "keep": 3}}');
SELECT try('{"income": {"method": "mask_inet", "keep": 3}}');
SELECT try('{"name": {"method": "round_to", "base": 10}}');
SELECT try('{"income": {"method": "round_to", "base": 0}}');
SELECT try('{"income": {"method": "constant", "value": [1]}}');
SELECT try('{"income": {"method": "generalize", "hierarchy": "none", "level": 1}}');
SELECT try('{"*": {"method": "shuffle"}}');
SELECT try('{"*": {"method": "sample_rows", "p": 0}}');
SELECT try('{"income": {"method": "sample_rows", "p": 10}}');
SELECT try('{"age": {"method": "suppress", "k": 2}, "sector": {"method": "suppress", "k": 2}}');
SELECT try('{"income": {"method": "microaggregate", "k": 601}}');
SELECT sdc.mask(NULL, '{}', target => 'x');
SELECT sdc.mask('person', NULL, target => 'x');
SELECT sdc.mask('person', '{}', target => 'x', dry_run => NULL);
SELECT sdc.mask('person', '{}', target => 'person');
SELECT sdc.mask('person', '{}', target => 'nowhere.x');
SELECT sdc.mask('person', '{}', 'x', 'nowhere');
SELECT sdc.mask('pg_stats', '{}', target => 'x');

-- round_to, bottom_code and their kin; several types.
SELECT count(*) > 0 FROM sdc.mask('person', '{
    "income": {"method": "round_to", "base": 100},
    "hours": {"method": "round_to", "base": 7, "random": true},
    "born": {"method": "bottom_code", "lower": "1975-01-01"},
    "region": {"method": "constant", "value": "x''y"},
    "seen": {"method": "constant", "value": null}}', target => 'r', seed => 4);
SELECT count(*) FILTER (WHERE r.income = sdc.round_to(p.income, 100)) AS nearest,
       count(*) FILTER (WHERE r.hours IS NOT DISTINCT FROM
           sdc.round_to(p.hours::numeric, 7, sdc.mask_seed('hours', 4))::float8) AS random,
       count(*) FILTER (WHERE r.born = greatest(p.born, date '1975-01-01')) AS bottom,
       count(*) FILTER (WHERE r.region = 'x''y') AS constant, count(r.seen)
FROM r JOIN person p USING (id);
DROP TABLE r;

-- Nobody gains rights.
CREATE ROLE mask_reader;
CREATE SCHEMA mask_own AUTHORIZATION mask_reader;
CREATE SCHEMA mask_other;
SET ROLE mask_reader;
SELECT count(*) FROM sdc.mask('person', '{}', target => 'mask_own.x');
RESET ROLE;
GRANT SELECT (id, region, age) ON person TO mask_reader;
SET ROLE mask_reader;
SELECT count(*) FROM sdc.mask('person', '{"income": {"method": "shuffle"}}', target => 'mask_own.x');
-- columns that are not read need no right
SELECT count(*) > 0 FROM sdc.mask('person', '{
    "income": {"method": "null"}, "hours": {"method": "null"}, "spent": {"method": "null"},
    "born": {"method": "null"}, "seen": {"method": "null"}, "paid": {"method": "null"},
    "name": {"method": "constant", "value": "x"}, "sector": {"method": "null"},
    "address": {"method": "null"}, "flag": {"method": "null"},
    "children": {"method": "null"}, "extra": {"method": "null"}}', target => 'mask_own.x');
SELECT count(*), count(age), count(income) FROM mask_own.x;
SELECT count(*) FROM sdc.mask('person', '{}', target => 'mask_other.x');
RESET ROLE;
-- row-level security: an error, not a part of the rows
GRANT SELECT ON person TO mask_reader;
ALTER TABLE person ENABLE ROW LEVEL SECURITY;
CREATE POLICY young ON person USING (age < 30);
SET ROLE mask_reader;
SELECT count(*) FROM sdc.mask('person', '{}', target => 'mask_own.y');
RESET ROLE;
ALTER TABLE person DISABLE ROW LEVEL SECURITY;
DROP OWNED BY mask_reader;
DROP SCHEMA mask_other;
DROP ROLE mask_reader;

-- Hostile names, values and operators are data.
CREATE SCHEMA hostile;
CREATE FUNCTION hostile.boo(anyelement, anyelement) RETURNS boolean LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'hostile operator'; END $$;
CREATE OPERATOR hostile.= (FUNCTION = hostile.boo, LEFTARG = anyelement, RIGHTARG = anyelement);
CREATE FUNCTION hostile.avg(float8) RETURNS float8 LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'hostile avg'; END $$;
CREATE TABLE hostile."t"");--" (id integer, "a"", now()" text, "x,y" integer, sdc_1 float8, sdc_2 float8);
INSERT INTO hostile."t"");--" SELECT i, 'v' || i, i, i, i % 7 FROM generate_series(1, 50) AS i;
SET search_path = hostile, public, pg_catalog;
SELECT count(*) > 0 FROM sdc.mask('"t"");--"', '{
    "a\", now()": {"method": "constant", "value": "'' || (SELECT 1) || ''"},
    "x,y": {"method": "shuffle"},
    "sdc_1,sdc_2": {"method": "microaggregate", "k": 3}}', 'public."o"";--"', 'id', seed => 1);
RESET search_path;
SELECT DISTINCT "a"", now()" FROM "o"";--";
SELECT count(DISTINCT "x,y"), count(DISTINCT (sdc_1, sdc_2)) < 17 AS grouped FROM "o"";--";
DROP TABLE "o"";--";
SET client_min_messages = warning;
DROP SCHEMA hostile CASCADE;
RESET client_min_messages;

SELECT sdc.drop_hierarchy('mask_age');
DROP FUNCTION try, seed_of;
DROP TABLE person;

-- What is not finite is told by column, once, all strata counted; also where
-- memory is too small for columns, and not of columns whose values trade places.
CREATE TABLE open_ended AS SELECT i AS id, i % 4 AS region, CASE i % 12 WHEN 0 THEN float8 'NaN' WHEN 1 THEN 'inf' WHEN 2 THEN '-inf' ELSE i * 1.5 END AS x,
  i * 2.5 AS y, CASE WHEN i % 20 = 7 THEN 'infinity' ELSE date '2020-01-01' + i END AS day FROM generate_series(1, 20000) AS i;
SELECT count(*) > 0 FROM sdc.mask('open_ended', '{"x": {"method": "microaggregate", "k": 3, "strata": "region"}, "day": {"method": "add_noise", "alpha": 0.1}}', 'told', 'id', seed => 1);
SELECT count(*) > 0 FROM sdc.mask('open_ended', '{"x,y": {"method": "microaggregate", "k": 3, "variant": "mondrian"}, "day": {"method": "rank_swap", "p": 5}}', NULL, 'id', true, seed => 1);
SET sdc.memory_limit = '1MB';
SELECT count(*) > 0 FROM sdc.mask('open_ended', '{"y": {"method": "shuffle", "strata": "region"}, "x": {"method": "add_noise", "alpha": 0.1, "strata": "region"}}', NULL, 'id', true, seed => 1);
RESET sdc.memory_limit;
DROP TABLE open_ended, told;
