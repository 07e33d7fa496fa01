-- Tables with hidden cells: what is hidden, what is refused, and whether what
-- was published can be attacked.

-- A table of counts whose optimum is known: 8 cells of 32 are hidden, for 63.
SELECT sdc.create_hierarchy('pt_rows', 'table',
    '{"rows": [["r1", "A"], ["r2", "A"], ["r3", "B"], ["r4", "B"], ["r5", "B"]]}');
CREATE TABLE pt_people AS
SELECT r AS area, c AS class
FROM (VALUES ('r1', 'c1', 2), ('r1', 'c2', 18), ('r1', 'c3', 9),
             ('r2', 'c1', 11), ('r2', 'c2', 6), ('r2', 'c3', 25),
             ('r3', 'c1', 30), ('r3', 'c2', 4), ('r3', 'c3', 7),
             ('r4', 'c1', 9), ('r4', 'c2', 14), ('r4', 'c3', 1),
             ('r5', 'c1', 16), ('r5', 'c2', 5), ('r5', 'c3', 12)) AS t(r, c, n),
     generate_series(1, n);
SELECT step, measure, subject, value, detail
FROM sdc.protect_table('pt_people', 'pt_target', '{"threshold": 3}',
    '{area,class}', params => '{"hierarchies": {"area": "pt_rows"}, "status": "reason"}');
SELECT area, area_parent, class, class_parent, value, status FROM pt_target
ORDER BY area COLLATE "C", class COLLATE "C";
SELECT * FROM sdc.attack_table('pt_target', '{area,class}') ORDER BY cell::text COLLATE "C";

-- Sums with decimals: the p percent rule, firms that give several rows, and
-- the attacker is kept as far away as the rule asks.
CREATE TABLE pt_firms AS
SELECT 'f' || i / 2 AS firm,
       CASE WHEN i % 41 = 0 THEN NULL ELSE 's' || i * i % 5 END AS sector,
       'r' || i * 7 % 4 AS region,
       CASE WHEN i % 29 = 0 THEN NULL ELSE (i * i * i % 977)::numeric / 4 END AS turnover
FROM generate_series(1, 120) AS i;
SELECT step, measure, subject, value, detail
FROM sdc.protect_table('pt_firms', 'pt_sums', '{"p_percent": 10, "threshold": 2}',
    '{sector,region}', 'turnover', '{"respondent": "firm", "status": "reason"}');
SELECT status, count(*), count(value) AS shown, count(DISTINCT sector) AS sectors
FROM pt_sums GROUP BY status ORDER BY status COLLATE "C";
SELECT sector, sector_parent, value
FROM pt_sums WHERE region = 'Total' ORDER BY sector COLLATE "C";
SELECT sum(turnover) FROM pt_firms;
-- the rule, counted in SQL: of each unsafe cell the interval is this wide
CREATE TABLE pt_true AS
WITH c AS (
    SELECT coalesce(sector, '(null)') AS sector, region, firm, sum(turnover) AS x
    FROM pt_firms WHERE turnover IS NOT NULL
    GROUP BY GROUPING SETS ((sector, region, firm))),
a AS (
    SELECT s.sector, r.region, firm, sum(x) AS x
    FROM c CROSS JOIN LATERAL (VALUES (c.sector), ('Total')) AS s(sector)
         CROSS JOIN LATERAL (VALUES (c.region), ('Total')) AS r(region)
    GROUP BY s.sector, r.region, firm),
o AS (
    SELECT *, row_number() OVER (PARTITION BY sector, region ORDER BY x DESC) AS place
    FROM a)
SELECT sector, region, sum(x) AS value, count(*) AS firms,
       coalesce(sum(x) FILTER (WHERE place = 1), 0) AS x1,
       coalesce(sum(x) FILTER (WHERE place > 2), 0) AS rest
FROM o GROUP BY sector, region;
SELECT count(*) AS cells,
       count(*) FILTER (WHERE s.status <> 'primary' AND (rest < 0.1 * x1 OR firms < 2)) AS missed,
       count(*) FILTER (WHERE s.status = 'primary' AND NOT (rest < 0.1 * x1 OR firms < 2)) AS added,
       count(*) FILTER (WHERE s.value <> t.value) AS wrong
FROM pt_true AS t JOIN pt_sums AS s USING (sector, region);
SELECT count(*) AS attacked, count(*) FILTER (WHERE exact) AS exact,
       count(*) FILTER (WHERE t.value NOT BETWEEN lowest AND highest) AS wrong,
       count(*) FILTER (WHERE s.status = 'primary'
           AND highest - t.value < 0.1 * x1 - rest - 1e-6) AS above,
       count(*) FILTER (WHERE s.status = 'primary'
           AND t.value - lowest < 0.1 * x1 - rest - 1e-6) AS below
FROM sdc.attack_table('pt_sums', '{sector,region}') AS a
JOIN pt_true AS t ON a.cell = jsonb_build_object('sector', t.sector, 'region', t.region)
JOIN pt_sums AS s ON s.sector = t.sector AND s.region = t.region;

-- The order of the rows does not matter.
CREATE TABLE pt_turned AS SELECT * FROM pt_firms ORDER BY md5(firm || region);
SELECT measure FROM sdc.protect_table('pt_turned', 'pt_sums2',
    '{"p_percent": 10, "threshold": 2}', '{sector,region}', 'turnover',
    '{"respondent": "firm", "status": "reason"}') WHERE measure = 'unprotected';
SELECT count(*) AS different FROM (TABLE pt_sums EXCEPT TABLE pt_sums2) AS d;

-- To hide the unsafe cells alone is no protection.
CREATE TABLE pt_naive AS
SELECT area, area_parent, class, class_parent,
       CASE WHEN status <> 'primary' THEN n END AS value
FROM pt_target JOIN LATERAL (
    SELECT count(*) AS n FROM pt_people AS p
    WHERE pt_target.class IN (p.class, 'Total')
      AND (pt_target.area IN (p.area, 'Total')
           OR pt_target.area = CASE WHEN p.area IN ('r1', 'r2') THEN 'A' ELSE 'B' END)) AS n
    ON true;
SELECT * FROM sdc.attack_table('pt_naive', '{area,class}')
ORDER BY cell::text COLLATE "C";

-- Cells of 0 are shown, so a reader knows that hidden ones are 1 or more:
-- three cells of 1 in a row need a fourth that is hidden with them.
CREATE TABLE pt_ones AS
SELECT r, c FROM (VALUES ('r1', 'a', 1), ('r1', 'b', 1), ('r1', 'c', 1), ('r1', 'd', 30),
                         ('r2', 'a', 4), ('r2', 'b', 5), ('r2', 'c', 6), ('r2', 'd', 40),
                         ('r3', 'a', 50), ('r3', 'b', 60), ('r3', 'c', 70), ('r3', 'd', 80))
    AS t(r, c, n), generate_series(1, n);
SELECT value FROM sdc.protect_table('pt_ones', 'pt_ones_t', keys => 'r,c')
WHERE measure = 'unprotected';
SELECT count(*) AS hidden, count(*) FILTER (WHERE exact) AS exact,
       min(highest - lowest) FILTER (WHERE cell->>'r' = 'r1') >= 1 AS wide
FROM sdc.attack_table('pt_ones_t', 'r,c', params => '{"least": 1}');
-- The status does not say which of the hidden cells is small.
SELECT status, count(*) FROM pt_ones_t GROUP BY status ORDER BY status COLLATE "C";
SELECT * FROM sdc.attack_table('pt_ones_t', 'r,c', params => '{"least": 9, "largest": 8}');
SELECT * FROM sdc.attack_table('pt_ones_t', 'r,c', params => '{"least": 9}');

-- A sum of 0 of few respondents is theirs, and hidden as any other.
CREATE TABLE pt_nothing AS
SELECT * FROM (VALUES ('x', 1, 0), ('x', 2, 5), ('x', 2, 7), ('x', 2, 9), ('y', 1, 3), ('y', 1, 9),
    ('y', 1, 8), ('y', 2, 10), ('y', 2, 10), ('y', 2, 30)) AS t(k, l, v);
SELECT measure, value FROM sdc.protect_table('pt_nothing', 'pt_nothing_t', keys => 'k,l',
    value => 'v', params => '{"status": "reason"}') WHERE measure IN ('unsafe', 'unprotected');
SELECT k, l, value, status FROM pt_nothing_t WHERE status = 'primary';
SELECT count(*) AS hidden, count(*) FILTER (WHERE exact) AS exact
FROM sdc.attack_table('pt_nothing_t', 'k,l');

-- Two releases of one table, each protected, give cells away together.
SELECT value FROM sdc.protect_table('pt_people', 'pt_other', '{"threshold": 3}',
    '{area,class}',
    params => '{"hierarchies": {"area": "pt_rows"}, "weight": "cells"}')
WHERE measure = 'cost';
SELECT count(*) AS hidden, count(*) FILTER (WHERE exact) AS exact
FROM sdc.attack_table('pt_target', '{area,class}');
SELECT count(*) AS hidden, count(*) FILTER (WHERE exact) AS exact
FROM sdc.attack_table('pt_other', '{area,class}');
SELECT count(*) AS hidden, count(*) FILTER (WHERE exact) AS exact
FROM sdc.attack_table('pt_target', '{area,class}', params => '{"with": "pt_other"}');

-- Any published table: totals of GROUP BY CUBE, and a linked one with another
-- key, from which a follows.
CREATE TABLE pt_cube (x text, n int);
INSERT INTO pt_cube VALUES ('a', NULL), ('b', NULL), ('c', NULL), ('d', 5), (NULL, 20);
CREATE TABLE pt_link (x text, y text, n int);
INSERT INTO pt_link VALUES ('a', 'u', 1), ('a', 'v', 3), ('a', 'Total', NULL),
    ('b', 'u', 2), ('b', 'v', NULL), ('b', 'Total', NULL);
SELECT * FROM sdc.attack_table('pt_cube', '{x}', 'n') ORDER BY cell::text COLLATE "C";
SELECT * FROM sdc.attack_table('pt_cube', '{x,y}', 'n', '{"with": ["pt_link"], "largest": 9}')
ORDER BY cell::text COLLATE "C";

-- Rules: dominance, pq, zeros, and what an attacker knows before.
SELECT measure, value FROM sdc.protect_table('pt_firms', NULL, '{"dominance": [2, 85]}',
    '{sector,region}', 'turnover') WHERE measure IN ('unsafe', 'unprotected');
SELECT measure, value FROM sdc.protect_table('pt_firms', NULL, '{"pq": [10, 50]}',
    '{sector,region}', 'turnover', '{"bounds": [0.5, 1.5]}')
WHERE measure IN ('unsafe', 'unprotected');
CREATE TABLE pt_zero AS
SELECT x, y, (x + y) % 3 AS v FROM generate_series(1, 3) AS x, generate_series(1, 3) AS y;
SELECT measure, value FROM sdc.protect_table('pt_zero', NULL, '{"zeros": true}', 'x,y', 'v')
WHERE measure IN ('unsafe', 'secondary', 'unprotected');

-- What cannot be protected is not written, and only the caller sees which cell.
SELECT step, measure, value, detail FROM sdc.protect_table('pt_people', NULL,
    '{"threshold": 3}', '{area,class}', params => '{"bounds": [1, 1]}');
SELECT * FROM sdc.protect_table('pt_people', 'pt_none', '{"threshold": 3}',
    '{area,class}', params => '{"bounds": [1, 1]}');

-- No rows, no unsafe cells.
CREATE TABLE pt_none0 (area text, n int);
SELECT measure, value FROM sdc.protect_table('pt_none0', NULL, keys => 'area');
SELECT measure, value FROM sdc.protect_table('pt_people', NULL, keys => 'class');

-- Errors.
SELECT * FROM sdc.protect_table('pt_people', NULL, '{}', 'area');
SELECT * FROM sdc.protect_table('pt_people', NULL, '{"p_percent": 10}', 'area');
SELECT * FROM sdc.protect_table('pt_people', NULL, '{"dominance": [9, 80]}', 'area');
SELECT * FROM sdc.protect_table('pt_people', NULL, '{"pq": [60, 50]}', 'area');
SELECT * FROM sdc.protect_table('pt_people', NULL, '{"tresh": 3}', 'area');
SELECT * FROM sdc.protect_table('pt_people');
SELECT * FROM sdc.protect_table('pt_people', NULL, keys => 'area', value => 'class');
SELECT * FROM sdc.protect_table('pt_people', NULL, keys => 'area', params => '{"bounds": [1.5, 0.5]}');
SELECT * FROM sdc.protect_table('pt_people', 'pt_target', keys => 'area');
CREATE TABLE pt_minus AS SELECT 1 AS a, -3 AS v, 'NaN'::numeric AS w;
SELECT * FROM sdc.protect_table('pt_minus', NULL, keys => 'a', value => 'v');
SELECT * FROM sdc.protect_table('pt_minus', NULL, keys => 'a', value => 'w');
SELECT * FROM sdc.attack_table('pt_people', 'area');
SELECT * FROM sdc.attack_table('pt_sums', 'sector');
SELECT * FROM sdc.attack_table('pt_sums', 'nothing');
UPDATE pt_cube SET n = 3 WHERE x IS NULL;
SELECT * FROM sdc.attack_table('pt_cube', '{x}', 'n');
UPDATE pt_link SET n = 9 WHERE x = 'a' AND y = 'Total';
UPDATE pt_cube SET n = 8 WHERE x = 'a';
SELECT * FROM sdc.attack_table('pt_cube', '{x,y}', 'n', '{"with": ["pt_link"]}');

-- Rounding: multiples of the base next to each value, that add up everywhere.
SELECT measure, value FROM sdc.protect_table('pt_people', 'pt_round', keys => 'area,class',
    params => '{"hierarchies": {"area": "pt_rows"}, "method": "round", "base": 5}');
CREATE VIEW pt_parts AS
SELECT t.area, t.class, t.value, (SELECT sum(p.value) FROM pt_round AS p
    WHERE p.area_parent = t.area AND p.class = t.class) AS by_area,
    (SELECT sum(p.value) FROM pt_round AS p
    WHERE p.class_parent = t.class AND p.area = t.area) AS by_class
FROM pt_round AS t;
SELECT count(*) AS cells, count(*) FILTER (WHERE value % 5 <> 0) AS odd,
       count(*) FILTER (WHERE by_area <> value) + count(*) FILTER (WHERE by_class <> value) AS broken
FROM pt_parts;
SELECT count(*) AS cells, count(*) FILTER (WHERE exact) AS exact,
       count(*) FILTER (WHERE t.value NOT BETWEEN lowest AND highest) AS wrong
FROM sdc.attack_table('pt_round', 'area,class', params => '{"base": 5, "unit": 1}') AS a
JOIN (SELECT area, class, (SELECT count(*) FROM pt_people AS p
          WHERE r.class IN (p.class, 'Total') AND (r.area IN (p.area, 'Total')
              OR r.area = CASE WHEN p.area IN ('r1', 'r2') THEN 'A' ELSE 'B' END)) AS value
      FROM pt_round AS r) AS t ON a.cell = jsonb_build_object('area', t.area, 'class', t.class);
SELECT measure, value FROM sdc.protect_table('pt_firms', NULL, keys => 'sector,region', value => 'turnover',
    params => '{"method": "round", "base": 12.5, "effort": 0}') WHERE measure IN ('cells', 'beyond');

-- Adjustment: unsafe cells move, and no other more than it must.
SELECT measure, value FROM sdc.protect_table('pt_people', 'pt_adjust', keys => 'area,class',
    params => '{"hierarchies": {"area": "pt_rows"}, "method": "adjust"}');
SELECT a.area, a.class, abs(a.value - t.n) AS moved FROM pt_adjust AS a
JOIN (SELECT area, class, count(*) AS n FROM pt_people GROUP BY area, class) AS t USING (area, class)
WHERE t.n < 3 ORDER BY area COLLATE "C";
SELECT count(*) AS cells, count(*) FILTER (WHERE exact) AS exact
FROM sdc.attack_table('pt_adjust', 'area,class', params => '{"noise": 2, "unit": 1, "adjusted": 3}');
SELECT * FROM sdc.protect_table('pt_people', 'pt_none', keys => 'area,class',
    params => '{"method": "adjust", "bounds": [1, 1]}');

-- Cell keys: the same cell has the same noise in every table, whatever else is
-- in it, and a count of 0 stays.
CREATE TABLE pt_persons AS SELECT row_number() OVER () AS id, area, class FROM pt_people;
SELECT measure FROM sdc.protect_table('pt_persons', 'pt_noise', keys => 'area,class', params =>
    '{"method": "cell_key", "domain": "pt", "respondent": "id", "noise": 3, "variance": 2.5, "gap": 1,
      "hierarchies": {"area": "pt_rows"}}');
SELECT measure FROM sdc.protect_table('pt_persons', 'pt_noise1', keys => 'class', params =>
    '{"method": "cell_key", "domain": "pt", "respondent": "id", "noise": 3, "variance": 2.5, "gap": 1}');
SELECT count(*) AS cells, count(*) FILTER (WHERE a.value <> b.value) AS differ
FROM pt_noise AS a JOIN pt_noise1 AS b USING (class) WHERE a.area = 'Total';
SELECT count(*) AS cells, count(*) FILTER (WHERE a.value < 0 OR a.value = 1) AS impossible,
       count(*) FILTER (WHERE abs(a.value - t.value) > 3) AS far
FROM pt_noise AS a JOIN (SELECT area, class, count(*) AS value FROM pt_people GROUP BY CUBE (area, class)) AS t
    ON a.area = coalesce(t.area, 'Total') AND a.class = coalesce(t.class, 'Total');
-- Another domain has other noise: of 18 cells not all are alike.
SELECT measure FROM sdc.protect_table('pt_persons', 'pt_noise2', keys => 'area,class', params =>
    '{"method": "cell_key", "domain": "pt other", "respondent": "id", "noise": 3, "variance": 2.5, "gap": 1}')
WHERE measure = 'cells';
SELECT count(*) > 2 AS other FROM pt_noise AS a JOIN pt_noise2 AS b USING (area, class) WHERE a.value <> b.value;
-- The noise is unbiased: the mean over 3,000 cells of 5 is within 4.5 standard
-- deviations of 0, and so is its variance of the one asked for.
CREATE TABLE pt_many AS SELECT i AS id, i / 5 AS cell FROM generate_series(0, 14999) AS i;
SELECT measure FROM sdc.protect_table('pt_many', 'pt_many_t', keys => 'cell', params =>
    '{"method": "cell_key", "domain": "pt", "respondent": "id", "noise": 5, "variance": 2}') WHERE measure = 'cells';
SELECT abs(avg(value - 5)) < 4.5 * sqrt(2 / 3000.0) AS unbiased,
       abs(avg((value - 5) ^ 2) - 2) < 4.5 * sqrt(8 / 3000.0) AS variance
FROM pt_many_t WHERE cell <> 'Total';
-- Sums: noise in proportion to the largest contribution.
SELECT measure FROM sdc.protect_table('pt_firms', 'pt_noise3', keys => 'region', value => 'turnover', params =>
    '{"method": "cell_key", "domain": "pt", "respondent": "firm"}') WHERE measure = 'cells';
SELECT count(*) AS cells, count(*) FILTER (WHERE n.value = t.value) AS as_they_were,
       count(*) FILTER (WHERE abs(n.value - t.value) > 0.55 * t.x1 + 0.01) AS far
FROM pt_noise3 AS n JOIN pt_true AS t ON t.region = n.region AND t.sector = 'Total' WHERE t.region <> 'Total';
-- A share of a small contribution would round to nothing: then a step is what all values are
-- multiples of, as 1 for flags, and small sums have the noise of counts, of mean 0.
CREATE TABLE pt_flags AS
SELECT i AS id, i / 5 AS cell, (i % 5 < i / 5 % 4)::int AS flag, 0.25 * (i % 5 < i / 5 % 4)::int AS quarter,
       1000 + i * 7919 % 9000 AS income
FROM generate_series(0, 14999) AS i;
SELECT count(*) FROM (VALUES ('flag'), ('quarter'), ('income')) AS v(v),
    sdc.protect_table('pt_flags', 'pt_flags_' || v, keys => 'cell', value => v::name, params =>
        '{"method": "cell_key", "domain": "pt", "respondent": "id"}');
SELECT t.sum, count(*) AS cells, bool_and(f.value = t.sum) = (t.sum = 0) AS zeros, t.sum = 0 OR avg((f.value = t.sum)::int) < 0.6 AS moved,
       abs(avg(f.value - t.sum)) <= 4.5 * sqrt(2 / 750.0) AS unbiased, avg((f.value - t.sum) ^ 2) < 2.5 AS variance,
       bool_and(q.value * 4 % 1 = 0) AS quarters, min(f.value) >= 0 AND min(q.value) >= 0 AS positive,
       max(abs(f.value - t.sum)) <= 5 AND max(abs(q.value - t.sum / 4.0)) <= 1.25 AS within
FROM (SELECT cell::text, sum(flag) FROM pt_flags GROUP BY cell) AS t JOIN pt_flags_flag AS f USING (cell)
    JOIN pt_flags_quarter AS q USING (cell) GROUP BY t.sum ORDER BY t.sum;
SELECT count(*) FILTER (WHERE i.value = t.sum) < 10 AS moved, count(*) FILTER (WHERE abs(i.value - t.sum) > 0.55 * t.max + 1) AS far
FROM (SELECT cell::text, sum(income), max(income) FROM pt_flags GROUP BY cell) AS t JOIN pt_flags_income AS i USING (cell);
-- Both bounds together: no true value is outside of what an attack finds.
CREATE TABLE pt_both AS SELECT * FROM (VALUES ('a', 14), ('b', 100), ('Total', 114)) AS t(cell, value);
SELECT * FROM sdc.attack_table('pt_both', 'cell', params => '{"noise": 2, "noise_percent": 50}')
WHERE cell->>'cell' = 'a';
DROP TABLE pt_both;
SELECT count(*) FILTER (WHERE t.sum < a.lowest OR t.sum > a.highest) AS outside
FROM (SELECT cell::text AS label, sum(quarter) FROM pt_flags GROUP BY cell) AS t
    JOIN sdc.attack_table('pt_flags_quarter', 'cell', params => '{"noise": 1.25, "noise_percent": 55}') AS a
    ON a.cell->>'cell' = t.label;
-- The gate takes a reader to know both, so a 0 that is shown need not be one.
CREATE SCHEMA pt_open;
SELECT sdc.create_policy('pt flags', 'pt_flags', '{}', '[{"table": "exact", "<=": 0}, {"table": "hidden", ">=": 3001}]',
    '{"schema": "pt_open", "table": "flags", "protect": {"keys": ["cell"], "value": "quarter",
      "params": {"method": "cell_key", "domain": "pt", "respondent": "id"}}}');
CALL sdc.release('pt flags');
SELECT count(*) > 750 AS zeros FROM pt_open.flags WHERE value = 0;
SELECT sdc.drop_policy('pt flags');
DROP SCHEMA pt_open CASCADE;
DROP TABLE pt_flags, pt_flags_flag, pt_flags_quarter, pt_flags_income;
SELECT * FROM sdc.protect_table('pt_firms', NULL, keys => 'region', value => 'turnover', params =>
    '{"method": "cell_key", "domain": "pt", "respondent": "firm", "share": 20}');
-- A number beyond double precision is not told in the message, whatever has it.
CREATE TABLE pt_huge AS SELECT 'a'::text AS cell, 1e400::numeric AS v, 1e400::numeric AS value;
SELECT * FROM sdc.protect_table('pt_huge', NULL, keys => 'cell', value => 'v');
UPDATE pt_huge SET v = 1;
SELECT * FROM sdc.protect_table('pt_huge', NULL, keys => 'cell', value => 'v', params => '{"earlier": "pt_huge"}');
DROP TABLE pt_huge;
SELECT * FROM sdc.protect_table('pt_persons', NULL, keys => 'area', params => '{"method": "cell_key"}');
SELECT * FROM sdc.protect_table('pt_persons', NULL, keys => 'area', params => '{"method": "cell_key", "domain": "pt"}');
SELECT * FROM sdc.protect_table('pt_persons', NULL, keys => 'area', params =>
    '{"method": "cell_key", "domain": "pt", "respondent": "class"}');
SELECT * FROM sdc.protect_table('pt_persons', NULL, keys => 'area', params =>
    '{"method": "cell_key", "domain": "pt", "respondent": "id", "gap": 2, "variance": 2}');
SELECT * FROM sdc.protect_table('pt_persons', NULL, keys => 'area', params =>
    '{"method": "cell_key", "domain": "pt", "respondent": "id", "gap": 2, "noise": 2}');
SELECT * FROM sdc.protect_table('pt_firms', NULL, keys => 'region', params => '{"respondent": "sector",
    "method": "cell_key", "domain": "pt"}');
SELECT * FROM sdc.protect_table('pt_people', NULL, keys => 'area', params => '{"method": "round", "base": 2.5}');
SELECT * FROM sdc.protect_table('pt_people', NULL, keys => 'area', params => '{"base": 5}');
SELECT * FROM sdc.attack_table('pt_round', 'area,class', params => '{"base": 5, "noise": 3}');

-- Names of keys that the table has itself.
CREATE VIEW pt_named AS SELECT area AS value, class AS status FROM pt_people;
SELECT * FROM sdc.protect_table('pt_named', 'pt_named_t', keys => 'value,status');
SELECT value FROM sdc.protect_table('pt_named', 'pt_named_t', keys => 'value,status',
    params => '{"names": {"value": "n", "status": "why"}}') WHERE measure = 'unprotected';
SELECT value, status, n, why FROM pt_named_t WHERE value = 'r4' ORDER BY status COLLATE "C";
SELECT * FROM sdc.protect_table('pt_named', 'pt_none', keys => 'value',
    params => '{"names": {"value": "n", "status": "n"}}');
SELECT * FROM sdc.protect_table('pt_named', 'pt_none', keys => 'value', params => '{"names": {"parent": "p"}}');

-- Names of 63 bytes: the parents' are cut between characters, and two that
-- begin alike are refused.
CREATE VIEW pt_long AS SELECT area AS "xäääääääääääääääääääääääääääääää", class,
    class AS "xääääääääääääääääääääääääääääääo" FROM pt_people;
SELECT value FROM sdc.protect_table('pt_long', 'pt_long_t',
    keys => '{xäääääääääääääääääääääääääääääää,class}') WHERE measure = 'unprotected';
SELECT convert_from(convert_to(attname, 'UTF8'), 'UTF8') AS name FROM pg_attribute
WHERE attrelid = 'pt_long_t'::regclass AND attnum = 2;
SELECT count(*) AS hidden FROM sdc.attack_table('pt_long_t', '{xäääääääääääääääääääääääääääääää,class}');
SELECT * FROM sdc.protect_table('pt_long', 'pt_none',
    keys => '{xäääääääääääääääääääääääääääääää,xääääääääääääääääääääääääääääääo}');

-- A category that is called as totals are: the total is the one above it.
CREATE TABLE pt_total AS SELECT (ARRAY['Total', 'x', 'y'])[1 + i % 3] AS a,
    (ARRAY['(null)', NULL, 'z'])[1 + i / 3 % 3] AS b FROM generate_series(1, 40) AS i;
SELECT value FROM sdc.protect_table('pt_total', 'pt_total_t', '{"threshold": 5}', 'a,b')
WHERE measure IN ('unsafe', 'unprotected');
SELECT * FROM sdc.attack_table('pt_total_t', 'a,b', params => '{"least": 1}')
ORDER BY cell::text COLLATE "C";
SELECT sdc.show_table('pt_total_t', 'a,b');
SELECT * FROM sdc.attack_table('pt_total_t', '{a,b,a}');
DROP VIEW pt_long;
DROP TABLE pt_long_t, pt_total, pt_total_t;

-- Values are whole numbers of a unit.
SELECT count(*) AS hidden, bool_and(lowest = floor(lowest) AND highest = floor(highest)) AS whole
FROM sdc.attack_table('pt_target', 'area,class', params => '{"unit": 1, "least": 1}');
SELECT count(*) FILTER (WHERE exact) AS exact FROM sdc.attack_table('pt_target', 'area,class', params => '{"unit": 2}');

-- Changes since an earlier table: one more person is seen in it.
CREATE TABLE pt_before AS TABLE pt_target;
CREATE TABLE pt_after AS SELECT area, area_parent, class, class_parent,
    value + (area IN ('r5', 'B', 'Total') AND class IN ('c2', 'Total'))::int AS value FROM pt_target;
SELECT cell, lowest, highest FROM sdc.attack_table('pt_after', 'area,class', params => '{"earlier": "pt_before"}')
WHERE exact AND lowest <> 0 ORDER BY cell::text COLLATE "C";
SELECT measure, value, detail FROM sdc.table_report('pt_after', 'area,class',
    params => '{"earlier": "pt_before", "change": 3, "least": 1}');
SELECT measure, value FROM sdc.table_report('pt_other', 'area,class',
    params => '{"earlier": "pt_before", "change": 3}') WHERE value > 0;
SELECT measure, value FROM sdc.table_report('pt_after', 'area,class', measures => 'small_changes',
    params => '{"earlier": "pt_before"}');
SELECT * FROM sdc.attack_table('pt_after', 'area,class', params => '{"earlier": "pt_before", "with": "pt_other"}');

-- Values that are off by 1 at most: the change of that cell is from 1 to 5.
CREATE TABLE pt_off AS SELECT x, CASE x WHEN 'a' THEN 10 ELSE 30 END AS value FROM unnest('{a,b}'::text[]) AS x;
CREATE TABLE pt_off2 AS SELECT x, CASE x WHEN 'a' THEN 13 ELSE 30 END AS value FROM unnest('{a,b}'::text[]) AS x;
SELECT measure, value FROM sdc.table_report('pt_off2', 'x', measures => '{small_changes,exact_together}',
    params => '{"earlier": "pt_off", "noise": 1, "change": 6}');
SELECT measure, value FROM sdc.table_report('pt_off2', 'x', measures => 'small_changes',
    params => '{"earlier": "pt_off", "noise": 1, "change": 5}');
DROP TABLE pt_off, pt_off2;

-- People are added in one row of a table, and another pattern is hidden.  In the
-- other rows nothing has changed, so both tables are of the same cells there: a
-- stranger who thinks so knows small ones.  The report says of how many cells;
-- with params.earlier none is left.
CREATE TABLE pt_grow (r text, c text);
CREATE TABLE pt_both (follows boolean, seed int, made boolean, small int, known int, wrong int, said float8);
CREATE FUNCTION pt_twice(seed int, follows boolean) RETURNS void LANGUAGE plpgsql AS $f$
BEGIN
    TRUNCATE pt_grow;
    SET LOCAL client_min_messages = error;
    DROP TABLE IF EXISTS pt_first, pt_second, pt_knows;
    INSERT INTO pt_grow SELECT 'r' || r, 'c' || c FROM generate_series(1, 6) AS r, generate_series(1, 6) AS c,
        generate_series(0, get_byte(decode(md5(seed || ':' || r || ':' || c), 'hex'), 0) / 7);
    PERFORM sdc.protect_table('pt_grow', 'pt_first', keys => '{r,c}');
    INSERT INTO pt_grow SELECT 'r1', 'c' || c FROM generate_series(1, 6) AS c, generate_series(1, (c * 7 + seed) % 9 + 3);
    PERFORM sdc.protect_table('pt_grow', 'pt_second', keys => '{r,c}',
        params => CASE WHEN follows THEN '{"earlier": "pt_first"}'::jsonb END);
    CREATE TABLE pt_knows AS SELECT r, c, a.value AS lowest, a.value AS highest
        FROM pt_first AS a JOIN pt_second AS b USING (r, c)
        WHERE a.value IS NOT NULL AND b.value IS NULL AND r NOT IN ('r1', 'Total');
    INSERT INTO pt_both
    SELECT pt_twice.follows, pt_twice.seed, true, count(*) FILTER (WHERE exact AND n < 3 AND k.r IS NULL),
        count(*) FILTER (WHERE exact AND k.r IS NULL), count(*) FILTER (WHERE exact AND a.lowest <> n),
        (SELECT value FROM sdc.table_report('pt_second', '{r,c}', measures => 'exact_together',
            params => '{"earlier": "pt_first", "least": 1, "unit": 1}'))
    FROM sdc.attack_table('pt_second', '{r,c}', params => '{"known": "pt_knows", "least": 1, "unit": 1}') AS a
    JOIN (SELECT coalesce(r, 'Total') AS r, coalesce(c, 'Total') AS c, count(*) AS n FROM pt_grow GROUP BY CUBE (r, c)) AS t
        ON a.cell = jsonb_build_object('r', t.r, 'c', t.c)
    LEFT JOIN pt_knows AS k ON k.r = t.r AND k.c = t.c;
END $f$;
SELECT count(pt_twice(seed, follows)) FROM generate_series(1, 20) AS seed, unnest('{f,t}'::boolean[]) AS follows;
SELECT follows, sum(small) > 0 AS small_found, sum(known) AS known, sum(wrong) AS wrong, sum(said) AS said,
    count(*) FILTER (WHERE known <> said) AS differ FROM pt_both GROUP BY follows ORDER BY follows;
-- what was hidden is hidden again, and what was shown and is the same still shown
SELECT count(*) FILTER (WHERE a.value IS NULL AND b.value IS NOT NULL) AS shown,
       count(*) FILTER (WHERE a.value IS NOT NULL AND b.value IS NULL AND r <> 'r1') AS hidden
FROM pt_first AS a JOIN pt_second AS b USING (r, c);
SELECT * FROM sdc.protect_table('pt_grow', NULL, keys => '{r,c}', params => '{"earlier": "pt_nowhere"}');
SELECT * FROM sdc.protect_table('pt_grow', NULL, keys => '{r,c}', params => '{"earlier": "pt_first", "method": "round"}');
SELECT * FROM sdc.protect_table('pt_firms', NULL, keys => 'region', value => 'turnover',
    params => '{"earlier": "pt_first", "cell": "mean"}');
DROP FUNCTION pt_twice;
DROP TABLE pt_grow, pt_both, pt_first, pt_second, pt_knows;

-- Several rows of one respondent are his contribution: of 80 it takes 8 to hide
-- them, not 1.
CREATE TABLE pt_rows_of AS SELECT r, c, CASE WHEN r = 1 AND c = 1 THEN 0 ELSE 100 * r + 10 * c + i % 5 END AS who
FROM (VALUES (1, 1, 80), (1, 2, 6), (1, 3, 40), (2, 1, 6), (2, 2, 60), (2, 3, 50), (3, 1, 45), (3, 2, 40), (3, 3, 70))
    AS t(r, c, n), generate_series(1, n) AS i;
SELECT value FROM sdc.protect_table('pt_rows_of', 'pt_rows_of_t', keys => 'r,c', params => '{"respondent": "who"}')
WHERE measure = 'unprotected';
SELECT min(highest - 80) >= 8 AS above, min(80 - lowest) >= 8 AS below
FROM sdc.attack_table('pt_rows_of_t', 'r,c', params => '{"unit": 1, "least": 1}')
WHERE cell = '{"r": "1", "c": "1"}';
DROP TABLE pt_rows_of, pt_rows_of_t;

-- As people read it.
SELECT sdc.show_table('pt_target', 'area,class');
SELECT sdc.show_table('pt_target', 'class,area', format => 'csv', params => '{"mark": ":", "intervals": true, "least": 1}');
CREATE TABLE pt_quoted AS SELECT * FROM (VALUES ('a "b", <c>', 1.50), ('d & e', NULL), (NULL, 3)) AS t(k, value);
SELECT sdc.show_table('pt_quoted', 'k', format => 'html');
SELECT sdc.show_table('pt_quoted', 'k', format => 'csv', params => '{"intervals": true}');
SELECT sdc.show_table('pt_quoted', 'k', format => 'pdf');
-- a key that is not named: said as such, not as two tables that differ
SELECT sdc.show_table('pt_target', 'area');

-- A policy for a table: published, again, and refused for one more person.
CREATE SCHEMA pt_open;
SELECT sdc.create_policy('pt', 'pt_persons', '{}', '[{"table": "exact", "<=": 0},
    {"table": "small_changes", "<=": 0}, {"table": "exact_together", "<=": 0}]',
    '{"schema": "pt_open", "table": "counts", "protect": {"keys": ["area", "class"],
      "params": {"hierarchies": {"area": "pt_rows"}}}}');
-- releases are numbered in a database: these from here on
ALTER SEQUENCE sdc.release_number RESTART 1000;
CALL sdc.release('pt');
SELECT count(*) AS cells, count(value) AS shown FROM pt_open.counts;
CALL sdc.release('pt');
INSERT INTO pt_persons VALUES (9999, 'r5', 'c2');
CALL sdc.release('pt');
INSERT INTO pt_persons SELECT i, 'r5', 'c2' FROM generate_series(10001, 10004) AS i;
CALL sdc.release('pt');
SELECT status FROM sdc.releases('pt') ORDER BY release;
SELECT requirement, value, passed FROM sdc.check_release('pt', 'pt_target') AS c;
SELECT line FROM regexp_split_to_table((SELECT sdc.report(max(release), 'text') FROM sdc.releases('pt')), E'\n') AS line
WHERE line ~ 'cells|holds|show_table';
DROP TABLE pt_open.counts;
CALL sdc.release('pt');
SELECT sdc.create_policy('pt', 'pt_persons', '{"area": {"method": "keep"}}', '[]',
    '{"protect": {"keys": ["area"]}}');
SELECT sdc.create_policy('pt', 'pt_persons', '{}', '[]', '{"protect": {"keys": ["nothing"]}}');
SELECT sdc.create_policy('pt', 'pt_persons', '{}', '[]', '{"protect": {"value": "id"}}');
SELECT sdc.create_policy('pt', 'pt_persons', '{}', '[{"table": "exakt", "<=": 0}]', '{}');
SELECT sdc.create_policy('pt', 'pt_persons', '{}', '[{"measure": "k_anonymity", ">=": 3}]',
    '{"schema": "pt_open", "table": "other", "protect": {"keys": ["area"]}}');
CALL sdc.release('pt');
SELECT sdc.drop_policy('pt');
DROP SCHEMA pt_open CASCADE;
DROP TABLE pt_round, pt_adjust, pt_persons, pt_noise, pt_noise1, pt_noise2, pt_noise3, pt_many, pt_many_t,
    pt_named_t, pt_before, pt_after, pt_quoted CASCADE;
DROP VIEW pt_named;
SELECT sdc.forget_pseudonyms('pt'), sdc.forget_pseudonyms('pt other');

-- Several tables at once: cells that they share are one cell, in whichever
-- table.  Nobody who has all of them comes too close, and who thinks of all
-- keys together (a row for each combination, all of them hidden) does not
-- either.
CREATE TABLE pt_linked AS
SELECT i AS id, 1 + (a * a * 5)::int % 5 || '' AS age, 'r' || (b * 3.999)::int % 4 AS region,
       CASE WHEN c < 0.2 THEN 'f' ELSE 'm' END AS sex, (ARRAY['x', 'y', 'z'])[1 + (d * d * d * 2.4)::int] AS branch,
       (e * e * e * 900)::int / 100.0 + 0.01 AS paid
FROM generate_series(1, 170) AS i,
     LATERAL (SELECT get_byte(h, 0) / 255.0 AS a, get_byte(h, 1) / 255.0 AS b, get_byte(h, 2) / 255.0 AS c,
                     get_byte(h, 3) / 255.0 AS d, get_byte(h, 4) / 255.0 AS e
              FROM decode(md5(i::text), 'hex') AS h) AS t;
CREATE TABLE pt_all AS
SELECT r AS region, CASE WHEN r <> 'Total' THEN 'Total' END AS region_parent,
       b AS branch, CASE WHEN b <> 'Total' THEN 'Total' END AS branch_parent,
       s AS sex, CASE WHEN s <> 'Total' THEN 'Total' END AS sex_parent, NULL::numeric AS value
FROM (SELECT DISTINCT coalesce(region, 'Total') FROM pt_linked GROUP BY ROLLUP (region)) AS a(r),
     (SELECT DISTINCT coalesce(branch, 'Total') FROM pt_linked GROUP BY ROLLUP (branch)) AS b(b),
     (SELECT DISTINCT coalesce(sex, 'Total') FROM pt_linked GROUP BY ROLLUP (sex)) AS c(s);
CREATE VIEW pt_counted AS SELECT coalesce(region, 'Total') AS region, coalesce(branch, 'Total') AS branch,
    coalesce(sex, 'Total') AS sex, count(*) AS n FROM pt_linked GROUP BY CUBE (region, branch, sex);
SELECT measure, value, detail FROM sdc.protect_table('pt_linked', 'pt_l1', '{"threshold": 6}', 'region,branch',
    params => '{"linked": [{"keys": ["region", "sex"], "target": "pt_l2"},
                           {"keys": ["sex", "branch"], "target": "pt_l3"}]}');
-- each hidden count below 6 stays uncertain by 1 either way, unless it is 1
SELECT count(*) AS hidden, count(*) FILTER (WHERE exact) AS exact,
       count(*) FILTER (WHERE n NOT BETWEEN lowest AND highest) AS wrong,
       count(*) FILTER (WHERE n < 6 AND (highest < n + 1 OR lowest > greatest(n - 1, 1))) AS close
FROM sdc.attack_table('pt_l1', 'region,branch,sex', params => '{"with": ["pt_l2", "pt_l3", "pt_all"], "unit": 1}') AS a
JOIN pt_counted AS t ON a.cell = jsonb_build_object('region', region, 'branch', branch, 'sex', sex);
-- Protected one by one they hide less, and nothing but an attack on all of
-- them says whether that is enough; here it is.
SELECT value FROM sdc.protect_table('pt_linked', 'pt_a1', '{"threshold": 6}', 'region,branch') WHERE measure = 'secondary';
SELECT value FROM sdc.protect_table('pt_linked', 'pt_a2', '{"threshold": 6}', 'region,sex') WHERE measure = 'secondary';
SELECT value FROM sdc.protect_table('pt_linked', 'pt_a3', '{"threshold": 6}', 'sex,branch') WHERE measure = 'secondary';
SELECT count(*) AS hidden, count(*) FILTER (WHERE exact) AS exact,
       count(*) FILTER (WHERE n < 6 AND (highest < n + 1 OR lowest > greatest(n - 1, 1))) AS close
FROM sdc.attack_table('pt_a1', 'region,branch,sex', params => '{"with": ["pt_a2", "pt_a3", "pt_all"], "unit": 1}') AS a
JOIN pt_counted AS t ON a.cell = jsonb_build_object('region', region, 'branch', branch, 'sex', sex);
-- All in one table, read as one, shown as three.
SELECT value FROM sdc.protect_table('pt_linked', 'pt_l4', '{"threshold": 6}', 'region,branch',
    params => '{"linked": [{"keys": ["region", "sex"]}, {"keys": ["sex", "branch"]}]}') WHERE measure = 'cells';
SELECT sdc.show_table('pt_l4', 'region,branch,sex', params => '{"intervals": true, "least": 1, "unit": 1}');
SELECT count(*) AS different FROM (SELECT region, branch, value FROM pt_l1
    EXCEPT SELECT region, branch, value FROM pt_l4 WHERE table_no = 1) AS d;
-- Two groupings of one column: what lies between them is nobody's table, and
-- must not follow either.
SELECT sdc.create_hierarchy('pt_a1', 'table', '{"rows": [["1", "1 to 2"], ["2", "1 to 2"], ["3", "3 to 5"], ["4", "3 to 5"], ["5", "3 to 5"]]}');
SELECT sdc.create_hierarchy('pt_a2', 'table', '{"rows": [["1", "1 to 3"], ["2", "1 to 3"], ["3", "1 to 3"], ["4", "4 to 5"], ["5", "4 to 5"]]}');
SELECT measure, value FROM sdc.protect_table('pt_linked', 'pt_g1', '{"threshold": 9}', 'region,age', params =>
    '{"hierarchies": {"age": "pt_a1"}, "levels": {"age": 1}, "linked": [{"keys": ["region", "age"],
      "hierarchies": {"age": "pt_a2"}, "levels": {"age": 1}, "target": "pt_g2"}]}');
SELECT p.region, p.n, q.value - r.value AS between FROM
    (SELECT region, count(*) AS n FROM pt_linked WHERE age = '3' GROUP BY region) AS p
    JOIN pt_g2 AS q ON q.region = p.region AND q.age = '1 to 3'
    JOIN pt_g1 AS r ON r.region = p.region AND r.age = '1 to 2'
WHERE p.n < 9 ORDER BY p.region COLLATE "C";
-- A table of women only: men follow from it, and are protected, too.
SELECT measure, value FROM sdc.protect_table('pt_linked', 'pt_o1', '{"threshold": 6}', 'region,branch', params =>
    '{"linked": [{"keys": ["branch"], "only": {"sex": "m"}, "target": "pt_o2"}]}');
SELECT branch, o.value AS men, t.n AS women FROM pt_o2 AS o JOIN pt_counted AS t USING (branch)
WHERE t.region = 'Total' AND t.sex = 'f' ORDER BY branch COLLATE "C";
SELECT count(*) AS hidden, count(*) FILTER (WHERE exact) AS exact
FROM sdc.attack_table('pt_o1', 'region,branch,sex', params => '{"with": "pt_o2", "unit": 1}');
-- An attack uses that men are no more than all: at most 5 in y.
CREATE TABLE pt_part AS SELECT 'y' AS branch, 'm' AS sex, 'Total' AS sex_parent, NULL::int AS value;
CREATE TABLE pt_whole AS SELECT b AS branch, v AS value FROM (VALUES ('x', 4), ('y', 5), (NULL, 9)) AS t(b, v);
SELECT * FROM sdc.attack_table('pt_whole', 'branch,sex', params => '{"with": "pt_part"}');
-- The other methods: a cell is the same wherever it stands.
SELECT measure, value FROM sdc.protect_table('pt_linked', 'pt_r1', keys => 'region,branch', params =>
    '{"method": "round", "linked": [{"keys": ["region", "sex"], "target": "pt_r2"}]}') WHERE measure IN ('cells', 'beyond');
SELECT count(*) AS cells, count(*) FILTER (WHERE a.value <> b.value) AS differ
FROM pt_r1 AS a JOIN pt_r2 AS b USING (region) WHERE a.branch = 'Total' AND b.sex = 'Total';
-- without the search totals would follow the cells of both tables
SELECT measure FROM sdc.protect_table('pt_linked', NULL, keys => 'region,branch', params =>
    '{"method": "round", "effort": 0, "linked": [{"keys": ["region", "sex"]}]}');
SELECT measure, value FROM sdc.protect_table('pt_linked', 'pt_r3', '{"threshold": 6}', 'region,branch', params =>
    '{"method": "adjust", "linked": [{"keys": ["region", "sex"], "target": "pt_r4"}]}') WHERE measure IN ('cells', 'unprotected');
SELECT count(*) AS cells, count(*) FILTER (WHERE a.value <> b.value) AS differ
FROM pt_r3 AS a JOIN pt_r4 AS b USING (region) WHERE a.branch = 'Total' AND b.sex = 'Total';
-- Means: hidden where their sums must be, beside their counts.
SELECT measure, value FROM sdc.protect_table('pt_linked', 'pt_m1', '{"p_percent": 30}', 'region,branch', 'paid',
    '{"cell": "mean", "digits": 4, "linked": [{"keys": ["branch", "sex"], "target": "pt_m2"}]}')
WHERE measure IN ('cells', 'unsafe', 'secondary', 'unprotected');
SELECT count(*) AS cells, count(m.value) AS shown, count(*) FILTER (WHERE m.value <> round(t.mean, 4)) AS wrong,
       count(*) FILTER (WHERE m.count <> t.n) AS miscounted
FROM pt_m1 AS m JOIN (SELECT coalesce(region, 'Total') AS region, coalesce(branch, 'Total') AS branch,
    avg(paid) AS mean, count(*) AS n FROM pt_linked GROUP BY CUBE (region, branch)) AS t USING (region, branch);
SELECT count(*) AS hidden, count(*) FILTER (WHERE exact) AS exact,
       count(*) FILTER (WHERE t.paid NOT BETWEEN lowest AND highest) AS wrong
FROM sdc.attack_table('pt_m1', 'region,branch,sex', params =>
    '{"with": "pt_m2", "count": "count", "noise": 0.00005, "unit": 0.01}') AS a
JOIN (SELECT coalesce(region, 'Total') AS region, coalesce(branch, 'Total') AS branch, coalesce(sex, 'Total') AS sex,
    sum(paid) AS paid FROM pt_linked GROUP BY CUBE (region, branch, sex)) AS t
    ON a.cell = jsonb_build_object('region', region, 'branch', branch, 'sex', sex);
-- with one cell hidden alone, its sum follows from the means of the others
UPDATE pt_m1 SET value = t.mean, count = t.n FROM (SELECT coalesce(region, 'Total') AS region,
    coalesce(branch, 'Total') AS branch, round(avg(paid), 4) AS mean, count(*) AS n FROM pt_linked GROUP BY CUBE (region, branch)) AS t
WHERE pt_m1.region = t.region AND pt_m1.branch = t.branch;
UPDATE pt_m1 SET value = NULL, count = NULL WHERE region = 'r1' AND branch = 'x';
SELECT a.*, t.paid FROM sdc.attack_table('pt_m1', 'region,branch', params => '{"count": "count", "noise": 0.00005, "unit": 0.01}') AS a,
    (SELECT sum(paid) AS paid FROM pt_linked WHERE region = 'r1' AND branch = 'x') AS t;
-- A policy publishes linked tables as one.
CREATE SCHEMA pt_open;
SELECT sdc.create_policy('pt', 'pt_linked', '{}', '[{"table": "exact", "<=": 0}, {"table": "small_changes", "<=": 0}]',
    '{"schema": "pt_open", "table": "cells", "protect": {"keys": ["region", "branch"], "rules": {"threshold": 6},
      "params": {"linked": [{"keys": ["region", "sex"]}, {"keys": ["branch"], "only": {"age": "2"}}]}}}');
CALL sdc.release('pt');
SELECT table_no, count(*) AS cells, count(value) AS shown FROM pt_open.cells GROUP BY table_no ORDER BY table_no;
SELECT line FROM regexp_split_to_table((SELECT sdc.report(max(release), 'text') FROM sdc.releases('pt')), E'\n') AS line
WHERE line ~ 'linked tables|The table has';
INSERT INTO pt_linked VALUES (1000, '2', 'r1', 'm', 'y', 1);
CALL sdc.release('pt');
SELECT line FROM regexp_split_to_table((SELECT sdc.report(max(release), 'text') FROM sdc.releases('pt')), E'\n') AS line
WHERE line ~ '%  #|by region|show_table';
SELECT sdc.drop_policy('pt');
SELECT sdc.create_policy('pt', 'pt_linked', '{}', '[{"table": "exact", "<=": 0}]', '{"schema": "pt_open", "table": "means",
    "protect": {"keys": ["region", "branch"], "value": "paid", "rules": {"p_percent": 30}, "params": {"cell": "mean"}}}');
CALL sdc.release('pt');
SELECT count(*) AS cells, count(value) = count(count) AS counted FROM pt_open.means;
SELECT sdc.create_policy('pt2', 'pt_linked', '{}', '[]', '{"protect": {"keys": ["region"], "params": {"linked": [{"keys": ["sex"], "target": "t"}]}}}');
SELECT sdc.create_policy('pt2', 'pt_linked', '{}', '[]', '{"protect": {"keys": ["region"], "params": {"linked": [{"keys": ["nothing"]}]}}}');
SELECT sdc.drop_policy('pt');
-- Errors.
SELECT * FROM sdc.protect_table('pt_linked', NULL, keys => 'region', params => '{"linked": {"keys": ["sex"]}}');
SELECT * FROM sdc.protect_table('pt_linked', NULL, keys => 'region', params => '{"linked": [{"hierarchies": {}}]}');
SELECT * FROM sdc.protect_table('pt_linked', NULL, keys => 'region', params => '{"linked": [{"keys": ["sex"], "value": "paid"}]}');
SELECT * FROM sdc.protect_table('pt_linked', NULL, keys => 'region', params => '{"linked": [{"only": {"sex": "d"}}]}');
SELECT * FROM sdc.protect_table('pt_linked', NULL, keys => 'id,paid', params => '{"linked": [{"only": {"sex": "m"}, "keys": ["id"]}]}');
SELECT measure, value, detail FROM sdc.protect_table('pt_linked', NULL, '{"threshold": 2}', keys => 'id,age', params =>
    '{"effort": 0, "linked": [{"keys": ["age", "paid"]}, {"keys": ["id", "paid"]}]}') WHERE measure IN ('inner', 'unprotected');
SELECT * FROM sdc.protect_table('pt_linked', NULL, keys => 'region', params => '{"levels": {"region": 1}}');
SELECT * FROM sdc.protect_table('pt_linked', NULL, keys => 'region', params => '{"levels": {"sex": 1}}');
SELECT * FROM sdc.protect_table('pt_linked', 'pt_none', keys => 'region', params =>
    '{"linked": [{"keys": ["sex"], "target": "pt_none2"}, {"keys": ["branch"]}]}');
SELECT * FROM sdc.protect_table('pt_linked', NULL, keys => 'region', params => '{"cell": "mean"}');
SELECT * FROM sdc.protect_table('pt_linked', NULL, keys => 'region', value => 'paid', params => '{"digits": 3}');
SELECT * FROM sdc.attack_table('pt_m1', 'region,branch', params => '{"count": "count", "base": 5}');
SELECT sdc.create_hierarchy('pt_a3', 'table', '{"rows": [["1", "1 to 2"], ["2", "x"], ["3", "1 to 2"], ["4", "x"], ["5", "x"]]}');
SELECT * FROM sdc.protect_table('pt_linked', NULL, keys => 'age', params => '{"hierarchies": {"age": "pt_a1"},
    "linked": [{"keys": ["age"], "hierarchies": {"age": "pt_a3"}}]}');
SELECT sdc.drop_hierarchy('pt_a1'), sdc.drop_hierarchy('pt_a2'), sdc.drop_hierarchy('pt_a3');
DROP SCHEMA pt_open CASCADE;
DROP VIEW pt_counted;
DROP TABLE pt_linked, pt_all, pt_l1, pt_l2, pt_l3, pt_l4, pt_a1, pt_a2, pt_a3, pt_g1, pt_g2, pt_o1, pt_o2, pt_part,
    pt_whole, pt_r1, pt_r2, pt_r3, pt_r4, pt_m1, pt_m2;

-- Rights are those of the caller.
CREATE ROLE pt_reader;
CREATE VIEW pt_readable AS SELECT * FROM pt_people;
GRANT SELECT ON pt_readable TO pt_reader;
SET ROLE pt_reader;
SELECT * FROM sdc.protect_table('pt_people', NULL, keys => 'area');
SELECT * FROM sdc.attack_table('pt_target', '{area,class}');
SELECT * FROM sdc.table_report('pt_target', '{area,class}');
SELECT sdc.show_table('pt_target', '{area,class}');
SELECT * FROM sdc.protect_table('pt_readable', NULL, keys => 'area', params => '{"method": "cell_key", "domain": "pt", "respondent": "class"}');
RESET ROLE;
DROP VIEW pt_readable;
DROP ROLE pt_reader;

DROP TABLE pt_people, pt_target, pt_firms, pt_sums, pt_sums2, pt_true, pt_turned,
    pt_naive, pt_other, pt_cube, pt_link, pt_zero, pt_none0, pt_minus,
    pt_ones, pt_ones_t, pt_nothing, pt_nothing_t;
SELECT sdc.drop_hierarchy('pt_rows');

-- Sums of hidden cells of a row are known: a has most of two of them
CREATE TABLE owners (firm text, region text, branch text, turnover int);
INSERT INTO owners VALUES
    ('a', 'r1', 'b1', 100), ('b', 'r1', 'b1', 3), ('c', 'r1', 'b1', 2),
    ('a', 'r1', 'b2', 90), ('d', 'r1', 'b2', 4), ('e', 'r1', 'b2', 3),
    ('f', 'r1', 'b3', 50), ('g', 'r1', 'b3', 40), ('h', 'r1', 'b3', 45),
    ('i', 'r1', 'b4', 60), ('j', 'r1', 'b4', 50), ('k', 'r1', 'b4', 45),
    ('l', 'r2', 'b1', 70), ('m', 'r2', 'b1', 60), ('n', 'r2', 'b1', 40),
    ('o', 'r2', 'b2', 70), ('p', 'r2', 'b2', 60), ('q', 'r2', 'b2', 45),
    ('r', 'r2', 'b3', 30), ('s', 'r2', 'b3', 30), ('t', 'r2', 'b3', 45),
    ('u', 'r2', 'b4', 80), ('v', 'r2', 'b4', 60), ('w', 'r2', 'b4', 45);
CREATE FUNCTION owners_by(target text, params jsonb) RETURNS text
LANGUAGE sql AS $$
    SELECT string_agg(measure || ' ' || value, ', ') FROM sdc.protect_table(
        'owners', target, '{"p_percent": 10}', '{region,branch}', 'turnover',
        '{"respondent": "firm"}'::jsonb || params)
$$;
SELECT owners_by('owners_apart', '{"unions": false}');
SELECT sdc.show_table('owners_apart', '{region,branch}');
SELECT owners_by('owners_together', '{}');
SELECT sdc.show_table('owners_together', '{region,branch}');
-- Cells that must be shown, or hidden
SELECT owners_by('owners_forced', '{"publish": [{"region": "r1", "branch": "b3"},
    {"region": "r2"}], "hide": [{"region": "r2", "branch": "b4"}]}');
SELECT sdc.show_table('owners_forced', '{region,branch}');
SELECT owners_by(NULL, '{"publish": [{"region": "r1", "branch": "b1"}]}');
SELECT owners_by(NULL, '{"publish": [{"regon": "r1"}]}');
SELECT owners_by(NULL, '{"hide": [{"region": "r9"}]}');
SELECT owners_by(NULL, '{"hide": "r1"}');
SELECT owners_by(NULL, '{"hide": [{"region": "r1"}], "publish": [{"region": "r1"}]}');
SELECT owners_by(NULL, '{"publish": [], "method": "round"}');
DROP FUNCTION owners_by(text, jsonb);
DROP TABLE owners, owners_apart, owners_together, owners_forced;

-- Who gave nearly all of a total is not to be kept from it by as much as the
-- others: what the others gave is less.  He cannot tell the second largest by
-- 20 percent.
CREATE TABLE pt_led AS
SELECT * FROM (VALUES ('f1', 'r1', 'a', 400), ('f2', 'r1', 'b', 10), ('f3', 'r1', 'c', 30),
    ('f4', 'r2', 'a', 500), ('f5', 'r2', 'c', 40)) AS t(firm, region, branch, x)
UNION ALL
SELECT 'g' || i, 'r' || 3 + i % 2, (ARRAY['a', 'b', 'c', 'd'])[1 + i / 2 % 4], 100 + i * 37 % 61
FROM generate_series(1, 64) AS i;
SELECT value FROM sdc.protect_table('pt_led', 'pt_led_open', '{"p_percent": 20}', '{region,branch}', 'x',
    '{"respondent": "firm", "status": "reason"}') WHERE measure IN ('unsafe', 'unprotected');
SELECT region, branch, status FROM pt_led_open
WHERE status = 'primary' ORDER BY region COLLATE "C", branch COLLATE "C";
CREATE TABLE pt_led_known AS SELECT 'r2' AS region, 'a' AS branch, 500 AS lowest, 500 AS highest;
SELECT lowest <= 540 - 8 AND highest >= 540 + 8 AS kept
FROM sdc.attack_table('pt_led_open', '{region,branch}', params => '{"known": "pt_led_known", "unit": 1}')
WHERE cell = '{"region": "r2", "branch": "Total"}';
-- Where the rest is 1, which nothing is below, he knows it: no more is asked.
DROP TABLE pt_led_open;
UPDATE pt_led SET x = 1 WHERE firm = 'f5';
SELECT value FROM sdc.protect_table('pt_led', 'pt_led_open', '{"p_percent": 20}', '{region,branch}', 'x',
    '{"respondent": "firm", "status": "reason"}') WHERE measure IN ('unsafe', 'unprotected');
DROP TABLE pt_led, pt_led_open, pt_led_known;
-- Who is alone in one hidden cell knows the other of the row, and there the second
-- largest to within 1 of 50: a third is hidden, also where sums are not asked for.
CREATE TABLE pt_alone AS
SELECT * FROM (VALUES ('a', 'b1', 100), ('b', 'b1', 50), ('c', 'b1', 1), ('a', 'b2', 80),
    ('d', 'b3', 60), ('e', 'b3', 55), ('f', 'b3', 50), ('g', 'b4', 70), ('h', 'b4', 65), ('i', 'b4', 60)) AS t(firm, branch, x);
SELECT value FROM sdc.protect_table('pt_alone', 'pt_alone_t', '{"p_percent": 10}', 'branch', 'x',
    '{"respondent": "firm", "status": "reason", "unions": false}') WHERE measure IN ('unsafe', 'unprotected');
SELECT branch, value, status FROM pt_alone_t ORDER BY branch COLLATE "C";
DROP TABLE pt_alone, pt_alone_t;

-- All of a row in one cell: the others of the row, together, must be able to be
-- more than 0, or so many that the largest is below its share.
CREATE TABLE pt_ill AS
SELECT ward, disease FROM (VALUES ('w1', 'cold', 7), ('w1', 'flu', 5), ('w2', 'cold', 6),
    ('w2', 'flu', 4), ('w2', 'hiv', 3), ('w3', 'hiv', 8)) AS t(ward, disease, n), generate_series(1, n);
SELECT measure, value FROM sdc.protect_table('pt_ill', 'pt_ill_open',
    '{"threshold": 3, "group": {"disease": 100}}', '{ward,disease}');
SELECT sdc.show_table('pt_ill_open', '{ward,disease}');
SELECT * FROM sdc.attack_table('pt_ill_open', '{ward,disease}', params => '{"unit": 1}')
ORDER BY cell::text COLLATE "C";
DROP TABLE pt_ill_open;
-- w3 in shares of 80: 2 others at least (8 of 10 are 80 percent, 8 of 11 less)
SELECT measure, value FROM sdc.protect_table('pt_ill', 'pt_ill_open',
    '{"group": {"disease": 80}}', '{ward,disease}') WHERE measure IN ('inner', 'secondary');
SELECT sum(least(highest, 8)) >= 2 AS enough
FROM sdc.attack_table('pt_ill_open', '{ward,disease}', params => '{"unit": 1}')
WHERE cell->>'ward' = 'w3' AND cell->>'disease' IN ('cold', 'flu');
DROP TABLE pt_ill_open;
-- by wards nothing is asked; linked to another table; of sums
SELECT measure, value FROM sdc.protect_table('pt_ill', NULL, '{"group": {"ward": 100}}', '{ward,disease}')
WHERE measure IN ('inner', 'secondary');
SELECT measure, value FROM sdc.protect_table('pt_ill', NULL, '{"group": {"disease": 100}}',
    '{ward}', params => '{"linked": [{"keys": ["ward", "disease"]}]}') WHERE measure IN ('inner', 'secondary');
ALTER TABLE pt_ill ADD days numeric DEFAULT 0.5;
SELECT measure, round(value::numeric, 1) AS value FROM sdc.protect_table('pt_ill', NULL, '{"group": {"disease": 60}}', '{ward,disease}', 'days')
WHERE measure IN ('inner', 'secondary', 'cost');
SELECT sdc.protect_table('pt_ill', NULL, '{"group": {"illness": 100}}', '{ward,disease}');
SELECT sdc.protect_table('pt_ill', NULL, '{"group": {"disease": 50}}', '{ward,disease}');
SELECT sdc.protect_table('pt_ill', NULL, '{"group": {"disease": 100}}', '{ward,disease}',
    params => '{"method": "round"}');
-- 40 tables of 4 wards, two of them with one disease: no cell of 0 of such a ward
-- can be more where the rule is not asked, one of each can where it is.  Some are
-- too small to be protected.
CREATE TABLE pt_wards (ward text, disease text);
CREATE FUNCTION wards_open(seed int, rules jsonb) RETURNS TABLE (wards bigint, open bigint)
LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE pt_wards;
    INSERT INTO pt_wards SELECT 'w' || w, 'd' || d
    FROM generate_series(1, 4) AS w, generate_series(1, 3) AS d,
        LATERAL (SELECT get_byte(decode(md5(seed || '/' || w || '/' || d), 'hex'), 0) AS b) AS h,
        generate_series(1, CASE WHEN w > 2 AND d <> 1 + (seed + w) % 3 THEN 0 ELSE b % 7 + 1 END);
    PERFORM sdc.protect_table('pt_wards', 'pt_wards_open', rules, '{ward,disease}');
    RETURN QUERY
    WITH n AS (SELECT ward, min(disease) AS disease FROM pt_wards
               GROUP BY ward HAVING count(DISTINCT disease) = 1),
    a AS (SELECT cell->>'ward' AS ward, cell->>'disease' AS disease, highest
          FROM sdc.attack_table('pt_wards_open', '{ward,disease}', params => '{"unit": 1}'))
    SELECT count(*), count(*) FILTER (WHERE NOT EXISTS (SELECT FROM a WHERE a.ward = n.ward
        AND a.disease NOT IN (n.disease, 'Total') AND a.highest > 0)) FROM n;
    DROP TABLE pt_wards_open;
EXCEPTION WHEN data_exception THEN
END $$;
SELECT rules, sum(wards) AS wards, sum(open) AS open
FROM generate_series(1, 40) AS seed,
    unnest(ARRAY['{"threshold": 3}', '{"threshold": 3, "group": {"disease": 100}}']::jsonb[]) AS rules,
    wards_open(seed, rules) GROUP BY rules ORDER BY rules::text COLLATE "C";
DROP FUNCTION wards_open;
DROP TABLE pt_ill, pt_wards;

-- Linked tables by columns that have to do with each other: months in quarters,
-- towns in regions, years from January and from July.  Nobody tells sdc.
CREATE TABLE pt_sales AS
SELECT seed, month, 'q' || (month + 2) / 3 AS quarter, 'w' || (2 * month + half) / 3 AS season,
    'h' || (month + 5) / 6 AS half, 't' || town AS town, 'r' || (town + 1) / 2 AS region, branch
FROM generate_series(1, 12) AS seed, generate_series(1, 12) AS month, generate_series(0, 1) AS half,
    generate_series(1, 4) AS town, unnest(ARRAY['x', 'y', 'z']) AS branch,
    LATERAL (SELECT decode(md5(concat(seed, '/', month, half, town, branch)), 'hex') AS b) AS h,
    generate_series(1, CASE WHEN get_byte(b, 0) % 3 > 0 THEN 0 WHEN get_byte(b, 1) % 2 = 0 THEN 1 ELSE get_byte(b, 2) % 9 END);
SELECT sdc.create_hierarchy('pt_quarters', 'table', jsonb_build_object('rows',
    (SELECT jsonb_agg(jsonb_build_array(m::text, 'q' || (m + 2) / 3)) FROM generate_series(1, 12) AS m)));
-- They cost what one table by a hierarchy costs; by themselves months are left over.
CREATE FUNCTION linked_sales(seed int, OUT months bigint, OUT alone bigint, OUT same bool) LANGUAGE plpgsql AS $$
DECLARE
    linked jsonb;
    one jsonb;
BEGIN
    EXECUTE format('CREATE TEMP VIEW pt_s AS SELECT * FROM pt_sales WHERE seed = %s', seed);
    SELECT jsonb_object_agg(measure, value) INTO linked FROM sdc.protect_table('pt_s', 'pt_s1', '{"threshold": 5}', '{month,branch}',
        params => '{"linked": [{"keys": ["quarter", "branch"], "target": "pt_s2"}]}') WHERE measure IS NOT NULL;
    SELECT jsonb_object_agg(measure, value) INTO one FROM sdc.protect_table('pt_s', NULL, '{"threshold": 5}', '{month,branch}',
        params => '{"hierarchies": {"month": "pt_quarters"}}') WHERE measure IS NOT NULL;
    same := linked = one;
    CREATE TEMP TABLE pt_left AS SELECT m.branch, quarter, q.value - sum(m.value) AS rest, count(*) FILTER (WHERE m.value IS NULL) AS n
    FROM pt_s1 AS m JOIN pt_s2 AS q ON q.branch = m.branch AND q.quarter = 'q' || (CAST(m.month AS int) + 2) / 3
    WHERE m.month <> 'Total' AND q.value IS NOT NULL GROUP BY 1, 2, q.value;
    -- one hidden month of a quarter, or all of them together, are left below the threshold
    SELECT count(*) FILTER (WHERE n > 0 AND rest BETWEEN 1 AND 4), count(*) FILTER (WHERE n = 1) INTO alone, months FROM pt_left;
    DROP TABLE pt_s1, pt_s2, pt_left;
    DROP VIEW pt_s;
END $$;
SELECT sum(months) AS months, sum(alone) AS alone, count(*) FILTER (WHERE same) AS same, count(*) FROM generate_series(1, 12) AS seed, linked_sales(seed);
DROP FUNCTION linked_sales;
-- An intruder who groups the records by the cells of each two tables, as he knows the columns.
CREATE FUNCTION linked_attack(seed int, first name[], second name[], OUT hidden bigint, OUT below bigint, OUT known bigint)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TEMP VIEW pt_s AS SELECT * FROM pt_sales WHERE seed = %s', seed);
    PERFORM sdc.protect_table('pt_s', 'pt_s1', '{"threshold": 3}', first, params => jsonb_build_object('effort', 5, 'linked',
        jsonb_build_array(jsonb_build_object('keys', to_jsonb(second), 'target', 'pt_s2'))));
    EXECUTE format($q$CREATE TEMP TABLE pt_all AS
        SELECT 'a' || concat_ws('/', %1$I, %2$I) AS cell, value FROM pt_s1 UNION ALL
        SELECT 'b' || concat_ws('/', %3$I, %4$I), value FROM pt_s2 UNION ALL
        SELECT DISTINCT 'g' || concat_ws('/', %1$I, %2$I, %3$I, %4$I), NULL::numeric FROM pt_s$q$, first[1], first[2], second[1], second[2]);
    EXECUTE format($q$CREATE TEMP TABLE pt_parts AS
        SELECT 'a' || concat_ws('/', %1$I, %2$I) AS equation, 'a' || concat_ws('/', %1$I, %2$I) AS total,
            'g' || concat_ws('/', %1$I, %2$I, %3$I, %4$I) AS part FROM pt_s GROUP BY %1$I, %2$I, %3$I, %4$I UNION ALL
        SELECT 'b' || concat_ws('/', %3$I, %4$I), 'b' || concat_ws('/', %3$I, %4$I),
            'g' || concat_ws('/', %1$I, %2$I, %3$I, %4$I) FROM pt_s GROUP BY %1$I, %2$I, %3$I, %4$I UNION ALL
        SELECT '1' || concat_ws('/', %1$I_parent, %2$I), 'a' || concat_ws('/', %1$I_parent, %2$I), 'a' || concat_ws('/', %1$I, %2$I)
        FROM pt_s1 WHERE %1$I_parent IS NOT NULL UNION ALL
        SELECT '2' || concat_ws('/', %1$I, %2$I_parent), 'a' || concat_ws('/', %1$I, %2$I_parent), 'a' || concat_ws('/', %1$I, %2$I)
        FROM pt_s1 WHERE %2$I_parent IS NOT NULL UNION ALL
        SELECT '3' || concat_ws('/', %3$I_parent, %4$I), 'b' || concat_ws('/', %3$I_parent, %4$I), 'b' || concat_ws('/', %3$I, %4$I)
        FROM pt_s2 WHERE %3$I_parent IS NOT NULL UNION ALL
        SELECT '4' || concat_ws('/', %3$I, %4$I_parent), 'b' || concat_ws('/', %3$I, %4$I_parent), 'b' || concat_ws('/', %3$I, %4$I)
        FROM pt_s2 WHERE %4$I_parent IS NOT NULL$q$, first[1], first[2], second[1], second[2]);
    SELECT count(*) INTO hidden FROM pt_all WHERE cell NOT LIKE 'g%' AND value IS NULL;
    SELECT count(*) FILTER (WHERE exact AND highest BETWEEN 1 AND 2),
        count(*) FILTER (WHERE exact AND cell->>'cell' NOT LIKE 'g%') INTO below, known
    FROM sdc.attack_table('pt_all', '{cell}', params => '{"parts": "pt_parts", "exact": true}');
    DROP TABLE pt_s1, pt_s2, pt_all, pt_parts;
    DROP VIEW pt_s;
EXCEPTION WHEN data_exception THEN
END $$;
SELECT first, second, count(hidden) AS protected, sum(hidden) > 60 AS many, sum(below) AS below, sum(known) AS known
FROM (VALUES ('{month,branch}'::name[], '{quarter,branch}'::name[]), ('{month,region}', '{quarter,town}'),
      ('{quarter,town}', '{month,branch}'), ('{month,branch}', '{season,branch}')) AS t(first, second),
    generate_series(1, 8) AS seed, linked_attack(seed, first, second) GROUP BY 1, 2 ORDER BY 1, 2;
DROP FUNCTION linked_attack;
-- Two bands of one column beside a table of all its values, and a column that two tables have at other levels.
SELECT sdc.create_hierarchy('pt_bands', 'table', '{"rows": [["1", "A1"], ["2", "A1"], ["3", "A2"], ["4", "A2"], ["5", "A3"], ["6", "A3"]]}');
SELECT sdc.create_hierarchy('pt_bounds', 'table', '{"rows": [["1", "B1"], ["2", "B1"], ["3", "B1"], ["4", "B2"], ["5", "B2"], ["6", "B2"]]}');
CREATE TABLE pt_ages AS
SELECT age, 'r' || region AS region, 's' || sex AS sex
FROM generate_series(1, 6) AS age, generate_series(1, 3) AS region, generate_series(1, 2) AS sex,
    generate_series(1, CASE WHEN age = 3 AND region = 1 THEN 4 - 2 * sex ELSE 9 + (age * 7 + region * 5 + sex * 3) % 5 END);
SELECT measure, value FROM sdc.protect_table('pt_ages', 'pt_age1', '{"threshold": 3}', '{age,sex}', params => '{"linked": [
    {"keys": ["age", "region"], "hierarchies": {"age": "pt_bands"}, "levels": {"age": 1}, "target": "pt_age2"},
    {"keys": ["age", "region"], "hierarchies": {"age": "pt_bounds"}, "levels": {"age": 1}, "target": "pt_age3"}]}')
WHERE measure IN ('unsafe', 'secondary');
SELECT region, b.value - a.value AS age_3 FROM pt_age2 AS a JOIN pt_age3 AS b USING (region) WHERE a.age = 'A1' AND b.age = 'B1' ORDER BY 1;
SELECT measure, value FROM sdc.protect_table('pt_ages', 'pt_age4', '{"threshold": 10}', '{age,region}', params => '{"linked": [
    {"keys": ["age", "region"], "hierarchies": {"age": "pt_bands"}, "levels": {"age": 1}, "target": "pt_age5"}]}')
WHERE measure IN ('unsafe', 'secondary');
SELECT count(*) FROM (SELECT 'A' || (CAST(age AS int) + 1) / 2 AS age, region FROM pt_age4 WHERE age <> 'Total'
    GROUP BY 1, 2 HAVING count(*) FILTER (WHERE value IS NULL) = 1) AS m JOIN pt_age5 AS q USING (age, region) WHERE q.value IS NOT NULL;
DROP TABLE pt_ages, pt_age1, pt_age2, pt_age3, pt_age4, pt_age5, pt_sales;
SELECT sdc.drop_hierarchy(h) FROM unnest(ARRAY['pt_quarters', 'pt_bands', 'pt_bounds']) AS h;

-- Two tables whose noise is drawn in two ways: that of one does not take away that of the other.
CREATE TABLE pt_twice AS SELECT i AS id, concat('c', i % 200) AS cell, concat('f', i % 200) AS firm, CASE WHEN i <= 200 THEN 10000 + i * 7919 % 90000 END AS pay FROM generate_series(1, 4000) AS i;
SELECT count(*) FROM generate_series(1, 4) AS n, LATERAL sdc.protect_table('pt_twice', 'pt_twice' || n, keys => '{cell}', value => CASE WHEN n < 3 THEN 'pay' END,
    params => jsonb_build_object('method', 'cell_key', 'respondent', 'id', 'domain', 'pt twice')
        || CASE n WHEN 1 THEN '{"share": 6}' WHEN 2 THEN '{"share": 12}' WHEN 3 THEN '{"variance": 2}' ELSE '{"variance": 8}' END::jsonb) WHERE measure = 'cells';
SELECT count(*) FILTER (WHERE abs(2 * x.value - y.value - t.pay) <= 3) < 10 AS kept FROM pt_twice1 AS x JOIN pt_twice2 AS y USING (cell) JOIN pt_twice AS t USING (cell) WHERE t.id <= 200;
SELECT count(*) FILTER (WHERE sign(x.value - 20) * sign(y.value - 20) < 0) > 10 AS kept FROM pt_twice3 AS x JOIN pt_twice4 AS y USING (cell) WHERE cell <> 'Total';
SELECT value FROM sdc.protect_table('pt_twice', 'pt_twice5', keys => '{firm}', value => 'pay',
    params => '{"method": "cell_key", "respondent": "id", "domain": "pt twice", "share": 6}') WHERE measure = 'cells';
SELECT bool_and(x.value = y.value) AS same FROM pt_twice1 AS x JOIN pt_twice5 AS y ON substr(x.cell, 2) = substr(y.firm, 2);
DROP TABLE pt_twice, pt_twice1, pt_twice2, pt_twice3, pt_twice4, pt_twice5;
SELECT sdc.forget_pseudonyms('pt twice');

-- Labels are the same in every session, or tables of two could not be compared.
CREATE TABLE dated AS SELECT date '2020-01-01' + i % 2 AS day, timestamptz '2020-01-01 20:00+00' AS at, make_interval(days => 1, hours => i % 2) AS lasts
FROM generate_series(1, 12) AS i;
SET DateStyle = 'German';
SET TimeZone = 'Asia/Tokyo';
SET IntervalStyle = 'iso_8601';
SELECT value FROM sdc.protect_table('dated', 'dated_cells', keys => '{day,at,lasts}') WHERE measure = 'cells';
RESET DateStyle;
RESET TimeZone;
RESET IntervalStyle;
SELECT DISTINCT day, at, lasts FROM dated_cells WHERE 'Total' NOT IN (day, at, lasts) ORDER BY 1;
DROP TABLE dated, dated_cells;
