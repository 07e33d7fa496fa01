-- hierarchy: what values become on each level, against plain SQL.

\set SHOW_CONTEXT never

CREATE SCHEMA hierarchies;
SET search_path = hierarchies, public;

-- What a list of values becomes on all levels.
CREATE FUNCTION all_levels(entries anyarray, name text)
RETURNS TABLE (value text, levels text) LANGUAGE sql AS $$
    SELECT v::text, string_agg(l.label, '  ' ORDER BY l.level)
    FROM unnest(entries) WITH ORDINALITY AS e (v, i),
         sdc.hierarchy_levels(v, name) AS l
    GROUP BY v, i ORDER BY i $$;

-- prefix -------------------------------------------------------------------
SELECT sdc.create_hierarchy('zip', 'prefix', '{"length": 5}');
SELECT * FROM all_levels('{53715,53703,5371,""}'::text[], 'zip');
SELECT sdc.create_hierarchy('start', 'prefix', '{"keep": [3, 1], "fill": "#"}');
SELECT * FROM all_levels('{abcdef,ab,äöüß,""}'::text[], 'start');
SELECT sdc.create_hierarchy('end', 'prefix',
                            '{"keep": [2], "length": 6, "from": "end"}');
SELECT * FROM all_levels('{123456,1234,7}'::text[], 'end');
-- a value that is longer than the length says has no rule, see below
-- numbers and padded strings are read as the text they are shown as
SELECT sdc.generalize(53715, 'zip', 2) AS number,
       sdc.generalize('537'::char(9), 'zip', 1) AS padded,
       sdc.generalize('53715', 'zip', 2) AS unknown;
SELECT count(*) AS values,
       count(*) FILTER (WHERE sdc.generalize(z, 'zip', l) =
                              CASE WHEN l = 5 THEN '*'
                                   ELSE rpad(left(z, 5 - l), 5, '*') END) AS same
FROM (SELECT lpad((i * 7919 % 100000)::text, 5, '0') AS z
      FROM generate_series(1, 2000) AS i) s, generate_series(0, 5) AS l;

-- numeric ------------------------------------------------------------------
SELECT sdc.create_hierarchy('age', 'numeric',
    '{"widths": [5, 10, 30], "bottom": 18, "top": 90}');
SELECT * FROM all_levels('{0,17,18,19,20,37,89,90,120}'::int[], 'age');
SELECT sdc.create_hierarchy('cent', 'numeric',
    '{"widths": [0.1, 0.50], "origin": -0.05}');
SELECT * FROM all_levels('{-0.2,-0.05,0.05,0.15,0.25,0.7}'::float8[], 'cent');
SELECT * FROM all_levels('{-0.2,-0.05,0.05,0.15,0.25,0.7}'::float4[], 'cent');
SELECT * FROM all_levels('{1.10,-7}'::numeric[], 'cent');
-- a division of doubles would put some of these on the wrong side
SELECT sdc.create_hierarchy('tenth', 'numeric', '{"widths": [0.1, 0.7]}');
SELECT count(*) AS values,
       count(*) FILTER (
           WHERE sdc.generalize(x::float8, 'tenth', l) = format('[%s,%s)', trim_scale(low), trim_scale(low + w))
             AND sdc.generalize(x, 'tenth', l) = format('[%s,%s)', trim_scale(low), trim_scale(low + w))) AS same
FROM (SELECT i / 100.0 AS x, l, w, floor(i / 100.0 / w) * w AS low
      FROM generate_series(-1000, 1000) AS i,
           (VALUES (1, 0.1), (2, 0.7)) AS v (l, w)) s;

-- interval -----------------------------------------------------------------
SELECT sdc.create_hierarchy('income', 'interval',
    '{"levels": [[1000, 2000.50, 5000], [2000.5], []]}');
SELECT * FROM all_levels('{-1,999.99,1000,2000.5,5000,1e12,Infinity}'::float8[], 'income');
SELECT sdc.create_hierarchy('grown', 'interval',
    '{"levels": [[6, 18, 65], [18]], "labels": [["infant", "child", "adult", "senior"], null]}');
SELECT * FROM all_levels('{5,6,17,18,65}'::smallint[], 'grown');
SELECT sdc.create_hierarchy('score', 'interval',
    '{"levels": [[50]], "domain": [0, 100]}');
SELECT * FROM all_levels('{0,50,100}'::int[], 'score');

-- order --------------------------------------------------------------------
SELECT sdc.create_hierarchy('school', 'order',
    '{"values": ["none", "primary", "secondary", "bachelor", "master"], "sizes": [2, 4]}');
SELECT * FROM all_levels('{none,primary,secondary,bachelor,master}'::text[], 'school');
CREATE TYPE grade AS ENUM ('a', 'b', 'c');
SELECT sdc.create_hierarchy('grade', 'order', '{"values": ["a", "b", "c"]}');
SELECT * FROM all_levels('{a,c}'::grade[], 'grade');

-- date ---------------------------------------------------------------------
SELECT sdc.create_hierarchy('day', 'date',
    '{"levels": ["day", "month", "quarter", "halfyear", "year", "decade", "century"]}');
SELECT * FROM all_levels('{2024-09-03,1999-12-31,0001-01-01}'::date[], 'day');
SELECT sdc.create_hierarchy('week', 'date', '{"levels": ["week"]}');
SELECT * FROM all_levels('{2024-12-29,2024-12-30,2021-01-03}'::date[], 'week');
SELECT count(*) AS days,
       count(*) FILTER (WHERE array_agg = ARRAY[to_char(d, 'YYYY-MM-DD'),
           to_char(d, 'YYYY-MM'), to_char(d, 'YYYY-"Q"Q'),
           to_char(d, 'YYYY-"H"') || (extract(month FROM d)::int + 5) / 6,
           to_char(d, 'YYYY'), extract(decade FROM d) || '0s']
         AND sdc.generalize(d, 'week', 1) = to_char(d, 'IYYY-"W"IW')) AS same
FROM (SELECT d, (SELECT array_agg(sdc.generalize(d, 'day', l) ORDER BY l)
                 FROM generate_series(1, 6) AS l)
      FROM (SELECT '1895-01-01'::date + i * 37 AS d
            FROM generate_series(0, 1500) AS i) s) t;
-- no setting changes a label; the time zone says which day it is
SET DateStyle = 'German';
SET TimeZone = 'UTC';
SELECT * FROM all_levels('{2024-12-31 23:30:00}'::timestamp[], 'week');
SELECT sdc.generalize('2024-12-31 23:30:00+00'::timestamptz, 'day', 1) AS utc;
SET TimeZone = 'Asia/Tokyo';
SELECT sdc.generalize('2024-12-31 23:30:00+00'::timestamptz, 'day', 1) AS tokyo;
RESET TimeZone;
RESET DateStyle;

-- network ------------------------------------------------------------------
SELECT sdc.create_hierarchy('net', 'network',
    '{"keep": [24, 16, 8], "keep6": [64, 48, 32]}');
SELECT * FROM all_levels('{192.168.3.4,10.1.2.3/12,2001:db8:1:2:3::4}'::inet[], 'net');
SELECT * FROM all_levels('{10.0.0.0/8}'::cidr[], 'net');
SELECT count(*) AS addresses,
       count(*) FILTER (WHERE sdc.generalize(a, 'net', l) =
           network(set_masklen(a, least(masklen(a), 32 - 8 * l)))::text) AS same
FROM (SELECT '0.0.0.0'::inet + (i::bigint * 2654435761 % 4294967296) AS a
      FROM generate_series(1, 500) AS i) s, generate_series(1, 3) AS l;

-- table --------------------------------------------------------------------
CREATE TABLE "Work; DROP" ("what's" text, "Level 1" varchar, l2 char(12), n int);
INSERT INTO "Work; DROP" VALUES
    ('Private', 'Non-Government', '*', 1), ('Self-emp', 'Non-Government', '*', 2),
    ('Federal', 'Government', '*', 3), ('Local', 'Government', '*', 4),
    ('Never-worked', 'Unemployed', '*', 5);
SELECT sdc.create_hierarchy('work "x"', 'table',
    '{"relation": "\"Work; DROP\"", "levels": ["what''s", "Level 1", "l2"]}');
CREATE TABLE people (id int, work varchar, born date, zip text, pay numeric, ip inet);
INSERT INTO people
SELECT i, (ARRAY['Private', 'Self-emp', 'Federal', NULL])[1 + i % 4],
       '2000-01-01'::date + i * 40, lpad((i * 37)::text, 5, '0'), i * 1.5,
       '10.0.0.0'::inet + i * 200
FROM generate_series(1, 200) AS i;
SELECT count(*) AS rows,
       count(*) FILTER (WHERE sdc.generalize(p.work, 'work "x"', 1) = w."Level 1") AS same,
       count(*) FILTER (WHERE sdc.generalize(p.work, 'work "x"', 2) = '*') AS top
FROM people p JOIN "Work; DROP" w ON w."what's" = p.work;
SELECT count(*) AS nulls FROM people
WHERE work IS NULL AND sdc.generalize(work, 'work "x"', 1) IS NULL;
-- numbers as values and labels; what was copied stays
SELECT sdc.create_hierarchy('number', 'table',
    '{"relation": "hierarchies.\"Work; DROP\"", "levels": ["n", "Level 1"]}');
DROP TABLE "Work; DROP";
SELECT * FROM all_levels('{1,5}'::int[], 'number');
SELECT * FROM all_levels('{Private,Local}'::text[], 'work "x"');
SELECT sdc.create_hierarchy('small', 'table',
    '{"rows": [["a", "A", "*"], ["b", "A", "*"], ["", "-", "*"], [7, "B", "*"]]}');
SELECT * FROM all_levels('{a,"",7}'::text[], 'small');

-- What is there ------------------------------------------------------------
SELECT hierarchy, kind, levels, params, owner = current_user AS mine
FROM sdc.hierarchy ORDER BY hierarchy COLLATE "C";
SELECT * FROM sdc.hierarchy_value
WHERE hierarchy IN ('work "x"', 'grade')
ORDER BY hierarchy COLLATE "C", place;
SELECT sdc.hierarchy_height('zip') AS zip, sdc.hierarchy_height('small') AS small;

-- A whole column: groups and shares ----------------------------------------
SELECT * FROM sdc.check_hierarchy('people', 'work', 'work "x"');
SELECT subject, value FROM sdc.check_hierarchy('people', 'zip', 'zip')
WHERE measure = 'groups';
SELECT measure, count(*), count(*) FILTER (WHERE abs(value - wanted) < 1e-12) AS same
FROM sdc.check_hierarchy('people', 'born', 'day') c
CROSS JOIN LATERAL (
    -- the share of the days from the first to the last that a unit covers
    SELECT CASE measure WHEN 'groups' THEN count(DISTINCT u)
           ELSE avg((least(u + step, last + 1)::date - greatest(u, first)::date) / (last - first + 1)::float8) END
    FROM (SELECT date_trunc(unit, born)::date AS u, step,
                 min(born) OVER () AS first, max(born) OVER () AS last
          FROM people,
               (VALUES (0, 'day', interval '1 day'), (1, 'day', '1 day'), (2, 'month', '1 month'),
                       (3, 'quarter', '3 months'), (5, 'year', '1 year'), (6, 'decade', '10 years'))
               AS v (l, unit, step)
          WHERE 'level ' || l = subject) s) AS w (wanted)
WHERE subject NOT IN ('level 4', 'level 7', 'level 8')
GROUP BY measure ORDER BY measure;
SELECT subject, value FROM sdc.check_hierarchy('people', 'pay', 'income')
WHERE measure = 'share';
SELECT sdc.create_hierarchy('pay', 'numeric', '{"widths": [100], "domain": [0, 400]}');
SELECT subject, value FROM sdc.check_hierarchy('people', 'pay', 'pay')
WHERE measure = 'share';
SELECT subject, round(value::numeric, 6) AS value
FROM sdc.check_hierarchy('people', 'ip', 'net')
WHERE measure = 'share';
CREATE TABLE one (x int);
SELECT measure, subject, value, detail FROM sdc.check_hierarchy('one', 'x', 'age')
WHERE subject = 'level 1';
INSERT INTO one VALUES (NULL), (30);
SELECT measure, subject, value, detail FROM sdc.check_hierarchy('one', 'x', 'age')
WHERE subject = 'level 1';

-- EX-LAT-1 and EX-LAT-2: nodes of the lattice, by generalize alone
CREATE TABLE inp (id int PRIMARY KEY, zip text, age int, nation text, disease text);
INSERT INTO inp VALUES
    (1, '13053', 28, 'Russian', 'Heart Disease'), (2, '13068', 29, 'American', 'Heart Disease'),
    (3, '13068', 21, 'Japanese', 'Viral Infection'), (4, '13053', 23, 'American', 'Viral Infection'),
    (5, '14853', 50, 'Indian', 'Cancer'), (6, '14853', 55, 'Russian', 'Heart Disease'),
    (7, '14850', 47, 'American', 'Viral Infection'), (8, '14850', 49, 'American', 'Viral Infection'),
    (9, '13053', 31, 'American', 'Cancer'), (10, '13053', 37, 'Indian', 'Cancer'),
    (11, '13068', 36, 'Japanese', 'Cancer'), (12, '13068', 35, 'American', 'Cancer');
SELECT sdc.create_hierarchy('inp_zip', 'prefix', '{"keep": [4, 3], "length": 5}'),
       sdc.create_hierarchy('inp_age', 'interval', '{"levels": [[30, 40], [40]]}'),
       sdc.create_hierarchy('inp_nation', 'table',
           '{"rows": [["Russian", "*"], ["American", "*"], ["Japanese", "*"], ["Indian", "*"]]}');
CREATE VIEW node AS
SELECT z, a, n, min(k) AS k, min(l) AS l
FROM (SELECT z, a, n, count(*) AS k, count(DISTINCT disease) AS l
      FROM inp, generate_series(0, sdc.hierarchy_height('inp_zip')) AS z,
           generate_series(0, sdc.hierarchy_height('inp_age')) AS a,
           generate_series(0, sdc.hierarchy_height('inp_nation')) AS n
      GROUP BY z, a, n, sdc.generalize(zip, 'inp_zip', z),
               sdc.generalize(age, 'inp_age', a),
               sdc.generalize(nation, 'inp_nation', n)) c
GROUP BY z, a, n;
SELECT count(*) AS nodes,
       count(*) FILTER (WHERE k >= 4) AS k4,
       count(*) FILTER (WHERE k >= 4 AND l >= 3) AS k4_l3,
       string_agg(format('(%s,%s,%s)', z, a, n), ' ' ORDER BY z, a, n) FILTER (
           WHERE k >= 4 AND NOT EXISTS (
               SELECT FROM node b WHERE b.k >= 4 AND (b.z, b.a, b.n) <> (node.z, node.a, node.n)
               AND b.z <= node.z AND b.a <= node.a AND b.n <= node.n)) AS minimal
FROM node;

-- A plan with workers, and several hierarchies in one call
CREATE TABLE many AS SELECT i, i % 100 AS age FROM generate_series(1, 50000) AS i;
ANALYZE many;
SELECT sum(hashtext(sdc.generalize(age, 'age', 2))) AS alone FROM many \gset
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT count(sdc.generalize(age, 'age', 2)) FROM many;
SELECT sum(hashtext(sdc.generalize(age, 'age', 2))) = :alone AS same FROM many;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
SELECT DISTINCT name, sdc.generalize(37, name, 1)
FROM many, LATERAL (VALUES ('age'), ('income'), ('zip')) AS v (name) WHERE i < 4
ORDER BY name;

-- Values without a rule ----------------------------------------------------
SELECT sdc.generalize('z', 'small', 0);
SELECT sdc.generalize('537153', 'zip', 1);
SELECT sdc.generalize(101, 'score', 2);
SELECT sdc.generalize('NaN'::float8, 'age', 1);
SELECT sdc.generalize('NaN'::float8, 'income', 1);
SELECT sdc.generalize('Infinity'::float8, 'tenth', 2);
SELECT sdc.generalize(1e300, 'tenth', 0);
SELECT sdc.generalize('infinity'::date, 'day', 1);
SELECT sdc.generalize('0044-03-15 BC'::date, 'day', 8);
SELECT sdc.create_hierarchy('net4', 'network', '{"keep": [16]}');
SELECT sdc.generalize('::1'::inet, 'net4', 2);
SELECT sdc.generalize('Infinity'::float8, 'age', 1) AS above,
       sdc.generalize('-Infinity'::float8, 'age', 1) AS below;
INSERT INTO people VALUES (201, 'Military');
SELECT * FROM sdc.check_hierarchy('people', 'work', 'work "x"');
SELECT DISTINCT work FROM people ORDER BY work OFFSET 1 LIMIT 1;

-- Levels and names that are not there --------------------------------------
SELECT sdc.generalize('a', 'small', 3);
SELECT sdc.generalize('a', 'small', -1);
SELECT sdc.generalize('a', 'nothing', 1);
SELECT sdc.hierarchy_height('nothing');
SELECT sdc.drop_hierarchy('nothing');
SELECT * FROM sdc.check_hierarchy('people', 'nothing', 'zip');
SELECT sdc.generalize('2024'::text, 'day', 1);
SELECT sdc.generalize(true, 'age', 1);
SELECT * FROM sdc.check_hierarchy('people', 'zip', 'net');
-- NULL
SELECT sdc.generalize(NULL, 'zip', 1) IS NULL AS value,
       sdc.generalize('1', NULL, 1) IS NULL AS hierarchy,
       sdc.generalize('1', 'zip', NULL) IS NULL AS level;
SELECT sdc.create_hierarchy(NULL, 'prefix', '{}');
SELECT sdc.create_hierarchy('x', NULL, '{}');
SELECT sdc.create_hierarchy('x', 'prefix', NULL);
SELECT sdc.drop_hierarchy(NULL);
SELECT * FROM sdc.check_hierarchy(NULL, 'work', 'zip');

-- Hierarchies that cannot be -----------------------------------------------
SELECT sdc.create_hierarchy('', 'prefix', '{"length": 5}');
SELECT sdc.create_hierarchy(repeat('x', 64), 'prefix', '{"length": 5}');
SELECT sdc.create_hierarchy('zip', 'prefix', '{"length": 5}');
SELECT sdc.create_hierarchy('x', 'tree', '{}');
SELECT sdc.create_hierarchy('x', 'prefix', '[]');
SELECT sdc.create_hierarchy('x', 'prefix', '{"lenght": 5}');
SELECT sdc.create_hierarchy('x', 'prefix', '{}');
SELECT sdc.create_hierarchy('x', 'prefix', '{"length": 0}');
SELECT sdc.create_hierarchy('x', 'prefix', '{"length": 99}');
SELECT sdc.create_hierarchy('x', 'prefix', '{"keep": [2, 3]}');
SELECT sdc.create_hierarchy('x', 'prefix', '{"keep": [2.5]}');
SELECT sdc.create_hierarchy('x', 'prefix', '{"keep": ["2"]}');
SELECT sdc.create_hierarchy('x', 'prefix', '{"keep": 2}');
SELECT sdc.create_hierarchy('x', 'prefix', '{"length": 5, "fill": "ab"}');
SELECT sdc.create_hierarchy('x', 'prefix', '{"length": 5, "from": "middle"}');
SELECT sdc.create_hierarchy('x', 'numeric', '{}');
SELECT sdc.create_hierarchy('x', 'numeric', '{"widths": []}');
SELECT sdc.create_hierarchy('x', 'numeric', '{"widths": [5, 12]}');
SELECT sdc.create_hierarchy('x', 'numeric', '{"widths": [5, 5]}');
SELECT sdc.create_hierarchy('x', 'numeric', '{"widths": [-5]}');
SELECT sdc.create_hierarchy('x', 'numeric', '{"widths": [0.0000000000000001]}');
SELECT sdc.create_hierarchy('x', 'numeric', '{"widths": [1e-9], "origin": 1e9}');
SELECT sdc.create_hierarchy('x', 'numeric', '{"widths": [1e400]}');
SELECT sdc.create_hierarchy('x', 'numeric', '{"widths": [1], "bottom": 3, "top": 3}');
SELECT sdc.create_hierarchy('x', 'numeric', '{"widths": [1], "origin": "0"}');
SELECT sdc.create_hierarchy('x', 'interval', '{"levels": [[3, 2]]}');
SELECT sdc.create_hierarchy('x', 'interval', '{"levels": [[1, 2], [3]]}');
SELECT sdc.create_hierarchy('x', 'interval', '{"levels": [1, 2]}');
SELECT sdc.create_hierarchy('x', 'interval', '{"levels": [[1]], "labels": [["a"]]}');
SELECT sdc.create_hierarchy('x', 'interval', '{"levels": [[1]], "labels": [["a", "a"]]}');
SELECT sdc.create_hierarchy('x', 'interval', '{"levels": [[1]], "labels": []}');
SELECT sdc.create_hierarchy('x', 'interval', '{"levels": [[1]], "domain": [1]}');
SELECT sdc.create_hierarchy('x', 'interval', '{"levels": [[1]], "domain": [1, 1]}');
SELECT sdc.create_hierarchy('x', 'order', '{"values": []}');
SELECT sdc.create_hierarchy('x', 'order', '{"values": ["a", null]}');
SELECT sdc.create_hierarchy('x', 'order', '{"values": ["a", "b", "a"]}');
SELECT sdc.create_hierarchy('x', 'order', '{"values": ["a", "b"], "sizes": [1]}');
SELECT sdc.create_hierarchy('x', 'order', '{"values": ["a", "b"], "sizes": [2, 3]}');
SELECT sdc.create_hierarchy('x', 'date', '{"levels": ["year", "month"]}');
SELECT sdc.create_hierarchy('x', 'date', '{"levels": ["week", "month"]}');
SELECT sdc.create_hierarchy('x', 'date', '{"levels": ["fortnight"]}');
SELECT sdc.create_hierarchy('x', 'network', '{}');
SELECT sdc.create_hierarchy('x', 'network', '{"keep": [33]}');
SELECT sdc.create_hierarchy('x', 'network', '{"keep": [8, 16]}');
SELECT sdc.create_hierarchy('x', 'network', '{"keep": [8], "keep6": [64, 32]}');
SELECT sdc.create_hierarchy('x', 'table', '{}');
SELECT sdc.create_hierarchy('x', 'table', '{"rows": []}');
SELECT sdc.create_hierarchy('x', 'table', '{"rows": [[]]}');
SELECT sdc.create_hierarchy('x', 'table', '{"rows": [["secret"]]}');
SELECT sdc.create_hierarchy('x', 'table', '{"rows": [["secret", "A"], ["b"]]}');
SELECT sdc.create_hierarchy('x', 'table', '{"rows": [["secret", "A"], ["b", null]]}');
SELECT sdc.create_hierarchy('x', 'table', '{"rows": [["secret", "A"], ["b", "B"], ["secret", "A"]]}');
SELECT sdc.create_hierarchy('x', 'table', '{"rows": [["secret", {}]]}');
SELECT sdc.create_hierarchy('x', 'table',
    '{"rows": [["a", "A", "1"], ["b", "B", "1"], ["c", "A", "2"]]}');
SELECT sdc.create_hierarchy('x', 'table', '{"rows": [["a", "A"]], "relation": "people"}');
SELECT sdc.create_hierarchy('x', 'table', '{"relation": "people"}');
SELECT sdc.create_hierarchy('x', 'table', '{"relation": "people", "levels": ["id"]}');
SELECT sdc.create_hierarchy('x', 'table', '{"relation": "people", "levels": ["id", "wrok"]}');
SELECT sdc.create_hierarchy('x', 'table', '{"relation": "people", "levels": ["id", null]}');
SELECT sdc.create_hierarchy('x', 'table', '{"relation": "people", "levels": ["id", "work"]}');
SELECT sdc.create_hierarchy('x', 'table', '{"relation": "people", "levels": ["work", "id"]}');
SELECT sdc.create_hierarchy('x', 'table', '{"relation": "no.people", "levels": ["id", "zip"]}');
SELECT sdc.create_hierarchy('x', 'table', '{"relation": "a.b.c.d", "levels": ["id", "zip"]}');
SELECT sdc.create_hierarchy('x', 'table', '{"relation": 5, "levels": ["id", "zip"]}');
SELECT sdc.create_hierarchy('x', 'table', '{"relation": "pg_class_oid_index", "levels": ["a", "b"]}');
-- nothing of them was kept
SELECT count(*) AS kept FROM sdc.hierarchy WHERE hierarchy = 'x';

-- Rights -------------------------------------------------------------------
CREATE ROLE regress_sdc_maker;
CREATE ROLE regress_sdc_other;
CREATE ROLE regress_sdc_member IN ROLE regress_sdc_maker;
GRANT USAGE ON SCHEMA hierarchies TO regress_sdc_maker, regress_sdc_other;
SET ROLE regress_sdc_maker;
SELECT sdc.create_hierarchy('stolen', 'table', '{"relation": "people", "levels": ["id", "zip"]}');
SELECT sdc.create_hierarchy('mine', 'table', '{"rows": [["a", "*"], ["b", "*"]]}');
SELECT hierarchy, owner FROM sdc.hierarchy WHERE hierarchy = 'mine';
INSERT INTO sdc.hierarchy VALUES ('direct', 'prefix', '{"length": 5}', 6, 'postgres');
UPDATE sdc.hierarchy_value SET levels = '{a,secret}';
DELETE FROM sdc.hierarchy;
SET ROLE regress_sdc_other;
SELECT sdc.generalize('a', 'mine', 1) AS everyone_reads;
SELECT sdc.drop_hierarchy('mine');
SELECT sdc.create_hierarchy('mine', 'prefix', '{"length": 5}');
SET ROLE regress_sdc_member;
SELECT sdc.drop_hierarchy('mine');
RESET ROLE;
SELECT count(*) AS left FROM sdc.hierarchy_value WHERE hierarchy = 'mine';
-- the role of an owner is gone: superusers remain
SET ROLE regress_sdc_other;
SELECT sdc.create_hierarchy('orphan', 'prefix', '{"length": 5}');
RESET ROLE;
REVOKE ALL ON SCHEMA hierarchies FROM regress_sdc_maker, regress_sdc_other;
DROP ROLE regress_sdc_other;
SET ROLE regress_sdc_maker;
SELECT sdc.drop_hierarchy('orphan');
RESET ROLE;
SELECT sdc.drop_hierarchy('orphan');
DROP ROLE regress_sdc_member, regress_sdc_maker;

-- Created, used and dropped within one transaction; undone with it
BEGIN;
SELECT sdc.create_hierarchy('brief', 'table', '{"rows": [["a", "*"]]}');
SELECT sdc.generalize('a', 'brief', 1);
SELECT sdc.drop_hierarchy('brief');
SELECT sdc.create_hierarchy('brief', 'prefix', '{"keep": [1]}');
SELECT sdc.generalize('abc', 'brief', 1);
ROLLBACK;
SELECT sdc.generalize('a', 'brief', 1);

-- A call that keeps what it has read, as PL/pgSQL does within a transaction,
-- notices changes, also those that are undone.
CREATE FUNCTION half(i int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN RETURN sdc.generalize(i, 'half', 1); END $$;
SELECT sdc.create_hierarchy('half', 'numeric', '{"widths": [5]}');
BEGIN;
SELECT half(7);
SELECT sdc.drop_hierarchy('half');
SELECT half(7);
ROLLBACK;
BEGIN;
SELECT half(7);
SELECT sdc.drop_hierarchy('half');
SELECT sdc.create_hierarchy('half', 'numeric', '{"widths": [3]}');
SELECT half(7);
SAVEPOINT s;
SELECT sdc.drop_hierarchy('half');
SELECT sdc.create_hierarchy('half', 'numeric', '{"widths": [4]}');
SELECT half(7);
ROLLBACK TO s;
SELECT half(7);
COMMIT;

SELECT count(sdc.drop_hierarchy(hierarchy)) FROM sdc.hierarchy;
SELECT (SELECT count(*) FROM sdc.hierarchy) AS hierarchies,
       (SELECT count(*) FROM sdc.hierarchy_value) AS values;
SET client_min_messages = warning;
DROP SCHEMA hierarchies CASCADE;
