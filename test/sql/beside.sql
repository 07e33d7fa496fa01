-- Tables of cells and rows of one owner over the same relation: what who has
-- the rows knows of the cells is known to the gate of either.
ALTER SEQUENCE sdc.release_number RESTART 6000;
CREATE SCHEMA beside_open;
CREATE TABLE beside_firms AS
SELECT row_number() OVER () AS firm, region, branch, branch = 'trade' AS shop,
       20 + row_number() OVER () * 7919 % 901 AS turnover
FROM (VALUES ('r1', 'mining', 2), ('r1', 'trade', 18), ('r1', 'ships', 9),
             ('r2', 'mining', 11), ('r2', 'trade', 6), ('r2', 'ships', 25),
             ('r3', 'mining', 30), ('r3', 'trade', 4), ('r3', 'ships', 7),
             (NULL, 'mining', 9), (NULL, 'trade', 14), (NULL, 'ships', 1),
             ('r5', 'mining', 16), ('r5', 'trade', 5), ('r5', 'ships', 12))
     AS t(region, branch, n), generate_series(1, n);
SELECT sdc.declare('beside_firms', id => 'firm', keys => '{region,branch,shop}',
                   sensitive => '{turnover}');
SELECT sdc.create_hierarchy('beside_parts', 'table', '{"rows": [["r1", "north"],
    ["r2", "north"], ["r3", "south"], ["r5", "south"]]}');

-- a table of cells, and rows, under a name, by rules
CREATE FUNCTION beside_cells(policy text, protect jsonb, bound text DEFAULT
    '{"table": "exact", "<=": 0}', params jsonb DEFAULT '{}') RETURNS void
LANGUAGE sql AS $$
SELECT sdc.create_policy(policy, 'beside_firms', '{}',
    jsonb_build_array(bound::jsonb), jsonb_build_object('schema',
    'beside_open', 'table', policy, 'protect', protect) || params)
$$;
CREATE FUNCTION beside_rows(policy text, rules jsonb, params jsonb
    DEFAULT '{}') RETURNS void
LANGUAGE sql AS $$
SELECT sdc.create_policy(policy, 'beside_firms', rules,
    '[{"measure": "k_anonymity", ">=": 1}]', jsonb_build_object('schema',
    'beside_open', 'table', policy, 'attacks', '[]'::jsonb) || params)
$$;
-- what the last run of a policy says of tables of cells
CREATE FUNCTION beside_said(policy text) RETURNS TABLE (requirement text,
    value float8, passed boolean, detail text)
LANGUAGE sql AS $$
SELECT g.* FROM (SELECT r.measures FROM sdc.releases(policy) AS r
                 ORDER BY r.release DESC LIMIT 1) AS r,
    jsonb_to_recordset(r.measures -> 0 -> 'gate')
    AS g(requirement text, value float8, passed boolean, detail text)
WHERE g.requirement LIKE 'table%'
$$;

-- rows beside cells that are out: all cells are known
SELECT beside_cells('cells', '{"keys": ["region", "branch"],
    "rules": {"threshold": 3}}');
CALL sdc.release('cells');
SELECT beside_rows('plain', '{"turnover": {"method": "round_to", "base": 100}}');
CALL sdc.release('plain');
-- cells beside rows that are out
SELECT beside_rows('plain', '{"turnover": {"method": "round_to", "base": 100}}',
                   '{"apart": ["cells"]}');
CALL sdc.release('plain');
CALL sdc.release('cells');
SELECT beside_cells('cells', '{"keys": ["region", "branch"],
    "rules": {"threshold": 3}}', params => '{"apart": ["plain"]}');
CALL sdc.release('cells');
-- a policy that is gone has left its rows
SELECT sdc.drop_policy('plain');
SELECT beside_cells('cells', '{"keys": ["region", "branch"],
    "rules": {"threshold": 3}}');
CALL sdc.release('cells');
DROP TABLE beside_open.plain;
CALL sdc.release('cells');

-- no region: the cells by branch are published, and nothing more is known
SELECT beside_rows('branches', '{"turnover": {"method": "round_to",
    "base": 100}}', '{"drop": ["region"]}');
CALL sdc.release('branches');
SELECT * FROM beside_said('branches');
DROP TABLE beside_open.branches;

-- parts of the country, which the table has, too
SELECT beside_rows('parts', '{"region": {"method": "generalize", "hierarchy":
    "beside_parts", "level": 1}, "turnover": {"method": "round_to",
    "base": 100}}');
CALL sdc.release('parts');
SELECT * FROM beside_said('parts');
DROP TABLE beside_open.cells;
SELECT beside_cells('grouped', '{"keys": ["region", "branch"],
    "rules": {"threshold": 14}, "params": {"hierarchies":
    {"region": "beside_parts"}}}', '{"table": "exact", "<=": 0}');
CALL sdc.release('grouped');
SELECT region, branch FROM beside_open.grouped
WHERE value IS NULL AND region IN ('north', 'south') ORDER BY 1, 2;
-- with the table by part, too; rows without those of no region tell the parts
CALL sdc.release('parts');
SELECT requirement, value, passed FROM beside_said('parts');
DROP TABLE beside_open.grouped;

-- a sample: cells are what is in it at least; how narrow that makes them hangs
-- on the draw, which is new each time
SELECT beside_cells('loose', '{"keys": ["region", "branch"],
    "rules": {"threshold": 3}}', '{"table": "narrowest", ">=": 0}');
CALL sdc.release('loose');
SELECT beside_rows('sample', '{"*": {"method": "sample_rows", "p": 90},
    "turnover": {"method": "round_to", "base": 100}}');
CALL sdc.release('sample', seed => 5000000000000000001);
SELECT requirement, value < 72 AS narrower, passed,
       substring(detail, 'Who has.*') AS known
FROM beside_said('sample');
DROP TABLE beside_open.sample, beside_open.loose;
SELECT sdc.drop_policy('loose');

SELECT beside_cells('cells', '{"keys": ["region", "branch"],
    "rules": {"threshold": 3}}', '{"table": "narrowest", ">=": 1}');
CALL sdc.release('cells');
-- a swap keeps margins; pram keeps nothing that is known
SELECT beside_rows('swapped', '{"turnover": {"method": "rank_swap", "p": 50}}',
    '{"drop": ["region", "branch", "shop"]}');
CALL sdc.release('swapped', seed => 5000000000000000001);
SELECT * FROM beside_said('swapped');
DROP TABLE beside_open.swapped;
SELECT beside_rows('pram', '{"region": {"method": "pram", "p": 0.5},
    "turnover": {"method": "round_to", "base": 100}}',
    '{"drop": ["branch", "shop"]}');
CALL sdc.release('pram', seed => 5000000000000000001);
SELECT * FROM beside_said('pram');
DROP TABLE beside_open.pram;

-- sums of plain values, of a key that prints otherwise than it is cast
SELECT beside_cells('sums', '{"keys": ["region", "shop"], "value": "turnover",
    "rules": {"p_percent": 60}}');
CALL sdc.release('sums');
SELECT beside_rows('values', '{}', '{"drop": ["branch"]}');
CALL sdc.release('values');
-- means
SELECT beside_cells('sums', '{"keys": ["region", "shop"], "value": "turnover",
    "rules": {"p_percent": 60}, "params": {"cell": "mean", "names":
    {"value": "mean turnover", "count": "firms"}}}');
DROP TABLE beside_open.sums;
CALL sdc.release('sums');
CALL sdc.release('values');
-- rounded counts, of linked tables
SELECT beside_cells('rounded', '{"keys": ["region", "branch"], "params":
    {"method": "round", "linked": [{"keys": ["branch", "shop"]}]}}',
    '{"table": "exact", "<=": 3}', '{"apart": ["cells", "sums"]}');
CALL sdc.release('rounded');
SELECT beside_rows('values', '{}');
CALL sdc.release('values');
DROP TABLE beside_open.sums, beside_open.rounded;

-- more firms now: the cells of now, hidden as they are out
INSERT INTO beside_firms SELECT 1000 + i, 'r2', 'trade', true, 40
FROM generate_series(1, 3) AS i;
INSERT INTO beside_firms VALUES (2000, 'r9', 'fishing', false, 7);
CALL sdc.release('values');
-- what cannot be made again does not pass
ALTER TABLE beside_firms DROP COLUMN branch;
SELECT sdc.declare('beside_firms', id => 'firm', keys => '{region,shop}',
                   sensitive => '{turnover}');
SELECT beside_rows('values', '{}');
CALL sdc.release('values');
DROP TABLE beside_open.cells;

-- nothing is out any more; nothing is left
CALL sdc.release('values');
SELECT * FROM beside_said('values');
SELECT count(*) FROM pg_class WHERE relname LIKE 'sdc\_beside\_%'
    OR relname LIKE 'sdc\_staging\_%';

SELECT sdc.drop_policy(p.policy) FROM (SELECT DISTINCT policy FROM sdc.policy
    WHERE policy IN ('cells', 'grouped', 'branches', 'parts', 'sample',
    'swapped', 'pram', 'sums', 'rounded', 'values')) AS p;
DROP SCHEMA beside_open CASCADE;
DROP TABLE beside_firms;
DROP FUNCTION beside_cells, beside_rows, beside_said;
SELECT sdc.drop_hierarchy('beside_parts');

-- Two tables of cells of two policies: what both show together.
CREATE SCHEMA beside_open;
CREATE TABLE beside_two AS
SELECT region, branch, branch || firm % 2 AS kind, 30 + firm AS age
FROM (VALUES ('r1', 'mining', 2), ('r1', 'trade', 18), ('r1', 'ships', 9),
             ('r2', 'mining', 11), ('r2', 'trade', 6), ('r2', 'ships', 25),
             ('r3', 'mining', 30), ('r3', 'trade', 4), ('r3', 'ships', 7),
             ('r4', 'mining', 9), ('r4', 'trade', 14), ('r4', 'ships', 1),
             ('r5', 'mining', 16), ('r5', 'trade', 5), ('r5', 'ships', 12))
     AS t(region, branch, n), generate_series(1, n) AS firm;
CREATE FUNCTION two(policy text, protect jsonb) RETURNS void
LANGUAGE sql AS $$
SELECT sdc.create_policy(policy, 'beside_two', '{}', '[{"table": "exact", "<=": 0}]',
    jsonb_build_object('schema', 'beside_open', 'table', policy, 'protect', protect))
$$;
CREATE FUNCTION two_said(policy text) RETURNS TABLE (requirement text, value float8, detail text)
LANGUAGE sql AS $$
SELECT g.* FROM (SELECT r.measures FROM sdc.releases(policy) AS r
                 ORDER BY r.release DESC LIMIT 1) AS r,
    jsonb_to_recordset(r.measures -> 0 -> 'gate') AS g(requirement text, value float8, detail text)
$$;
SELECT two('first', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('first');
-- the same cells, others of them hidden; other labels of totals and columns
SELECT two('again', '{"keys": ["region", "branch"], "rules": {"threshold": 3}, "params":
    {"weight": "cells", "total": "All", "names": {"value": "firms"}}}');
CALL sdc.release('again');
SELECT * FROM two_said('again');
-- what the first one hides is hidden again
SELECT two('again', '{"keys": ["region", "branch"], "rules": {"threshold": 3}, "params":
    {"weight": "cells", "earlier": "beside_open.first"}}');
CALL sdc.release('again');
SELECT * FROM two_said('again');
DROP TABLE beside_open.again;
-- a table that shares the margin by region only, and one without shared keys
SELECT two('kinds', '{"keys": ["region", "kind"], "rules": {"threshold": 3}}');
CALL sdc.release('kinds');
SELECT requirement, value > 0 AS known FROM two_said('kinds');
SELECT two('ages', '{"keys": ["age"], "rules": {"threshold": 3}}');
CALL sdc.release('ages');
SELECT requirement, value, detail LIKE '%first%' FROM two_said('ages');
DROP TABLE beside_open.ages;
-- rounded: its intervals
SELECT two('rounded', '{"keys": ["region", "branch"], "params": {"method": "round", "base": 3}}');
CALL sdc.release('rounded');
SELECT * FROM two_said('rounded');
-- others have changed since; those that have not are known
INSERT INTO beside_two SELECT 'r5', 'trade', 'trade1', 40 FROM generate_series(1, 5);
SELECT two('again', '{"keys": ["region", "branch"], "rules": {"threshold": 3}, "params":
    {"weight": "cells"}}');
CALL sdc.release('again');
SELECT * FROM two_said('again');
DROP TABLE beside_open.first;
-- sums are other cells than counts
SELECT two('sums', '{"keys": ["region", "branch"], "value": "age", "rules": {"threshold": 3}}');
CALL sdc.release('sums');
SELECT * FROM two_said('sums');
DROP TABLE beside_open.sums;

-- means have sums and counts
SELECT two('sums', '{"keys": ["region", "branch"], "value": "age", "rules": {"p_percent": 15}}');
CALL sdc.release('sums');
SELECT two('means', '{"keys": ["region", "branch"], "value": "age", "rules": {"p_percent": 15},
    "params": {"weight": "cells", "cell": "mean", "digits": 1, "names": {"value": "mean"}}}');
CALL sdc.release('means');
SELECT requirement, value FROM two_said('means');
DROP TABLE beside_open.sums;
CALL sdc.release('means');
CALL sdc.release('sums');
SELECT requirement, value FROM two_said('sums');
SELECT two('again', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('again');
SELECT requirement, value FROM two_said('again');
DROP TABLE beside_open.means;

-- A table by groups beside rows with the values: everybody knows the groups.
SELECT sdc.create_hierarchy('beside_ages', 'numeric', '{"widths": [10]}');
SELECT two('grouped', '{"keys": ["age", "branch"], "rules": {"threshold": 3}, "params":
    {"hierarchies": {"age": "beside_ages"}, "levels": {"age": 1}}}');
CALL sdc.release('grouped');
SELECT count(*) FILTER (WHERE value IS NULL) > 0 AS hides FROM beside_open.grouped;
SELECT sdc.declare('beside_two', keys => '{region,branch,kind,age}');
SELECT sdc.create_policy('rows', 'beside_two', '{}', '[{"measure": "k_anonymity", ">=": 1}]',
    '{"schema": "beside_open", "table": "rows", "attacks": [], "drop": ["region", "kind"]}');
CALL sdc.release('rows');
SELECT requirement, value > 0 AS known, substring(detail, 'Who.*') FROM two_said('rows')
WHERE requirement LIKE 'table%';

-- Three releases of a table.  The second hides what either of the others hides, and
-- is safe beside both; the third shows what the first hides, and hides what it has
-- shown.  Somebody who is new does not hide what has not changed.
SELECT sdc.create_hierarchy('beside_parts', 'table', '{"rows": [["r1", "north"],
    ["r2", "north"], ["r3", "south"], ["r4", "south"], ["r5", "south"]]}');
CREATE FUNCTION three(params jsonb) RETURNS void
LANGUAGE sql AS $$
SELECT sdc.create_policy('three', 'beside_two', '{}', '[{"table": "exact_together", "<=": 0}]',
    jsonb_build_object('schema', 'beside_open', 'table', 'three', 'protect',
    jsonb_build_object('keys', '["region", "branch"]'::jsonb, 'rules', '{"threshold": 3}'::jsonb,
                       'params', '{"hierarchies": {"region": "beside_parts"}}' || params)))
$$;
DROP TABLE beside_open.kinds, beside_open.grouped;
DELETE FROM beside_two WHERE kind = 'trade1' AND age = 40;
SELECT count(*) FROM sdc.protect_table('beside_two', 'beside_value', keys => '{region,branch}',
    params => '{"hierarchies": {"region": "beside_parts"}}');
SELECT count(*) FROM sdc.protect_table('beside_two', 'beside_number', keys => '{region,branch}',
    params => '{"weight": "cells", "hierarchies": {"region": "beside_parts"}}');
CREATE TABLE beside_both AS
SELECT jsonb_build_object('hide', jsonb_agg(jsonb_build_object('region', region, 'branch', branch))) AS params
FROM beside_value AS v JOIN beside_number AS n USING (region, branch)
WHERE v.value IS NULL OR n.value IS NULL;
SELECT three('{}');
CALL sdc.release('three');
SELECT three(params) FROM beside_both;
CALL sdc.release('three');
SELECT three('{"weight": "cells"}');
CALL sdc.release('three');
INSERT INTO beside_two SELECT 'r5', 'trade', 'trade1', 40 FROM generate_series(1, 5);
CALL sdc.release('three');
-- the second one again is as safe as it was, and does not make one forget
SELECT three(params) FROM beside_both;
CALL sdc.release('three');
SELECT three('{"weight": "cells"}');
CALL sdc.release('three');
DROP FUNCTION three;
-- labels that mean something else there
SELECT sdc.create_hierarchy('beside_other', 'table', '{"rows": [["r1", "north"],
    ["r2", "south"], ["r3", "south"], ["r4", "south"], ["r5", "north"]]}');
DROP TABLE beside_open.three;
SELECT two('first', '{"keys": ["region", "branch"], "rules": {"threshold": 3},
    "params": {"hierarchies": {"region": "beside_parts"}}}');
CALL sdc.release('first');
SELECT two('again', '{"keys": ["region", "branch"], "rules": {"threshold": 3},
    "params": {"hierarchies": {"region": "beside_other"}}}');
CALL sdc.release('again');
DROP TABLE beside_value, beside_number, beside_both;

SELECT count(*) FROM pg_class WHERE relname LIKE 'sdc\_beside\_%'
    OR relname LIKE 'sdc\_staging\_%';
SELECT sdc.drop_policy(p.policy) FROM (SELECT DISTINCT policy FROM sdc.policy WHERE policy IN
    ('three', 'means', 'first', 'again', 'kinds', 'ages', 'rounded', 'sums', 'grouped', 'rows')) AS p;
DROP SCHEMA beside_open CASCADE;
DROP TABLE beside_two;
DROP FUNCTION two, two_said;
SELECT sdc.drop_hierarchy('beside_ages');
SELECT sdc.drop_hierarchy('beside_parts');
SELECT sdc.drop_hierarchy('beside_other');

-- Tables that no label links, and that give cells away together: compared by the records
-- that cells are of.  Each second table is made first and held against the one that is out
-- by plain SQL, which finds the hidden cells it counts; then its policy is refused.
CREATE SCHEMA beside_open;
CREATE TABLE beside_sales AS
SELECT month, 'q' || (month + 2) / 3 AS quarter, branch
FROM generate_series(1, 12) AS month, unnest(ARRAY['A', 'B', 'C']) AS branch,
    generate_series(1, CASE WHEN month = 1 AND branch = 'A' THEN 1 WHEN month = 7 THEN 4 + ascii(branch) % 3
                            WHEN month = 1 THEN 5 ELSE 9 + month * 5 % 7 END);
CREATE TABLE beside_three AS
SELECT region, branch, CASE WHEN branch = 'trade' THEN 'trade' ELSE 'heavy' END AS coarse,
       (firm % 4 = 0)::int AS female, CASE WHEN firm % 4 = 0 THEN 'f' ELSE 'm' END AS sex,
       CASE region WHEN 'r1' THEN 2.5 WHEN 'r2' THEN 4 ELSE 3 END AS weight, 2 AS two,
       CASE region WHEN 'r1' THEN 2.5 WHEN 'r2' THEN 4 ELSE 3 END + length(branch) AS fee,
       CAST(0.19 * (10 + firm * 7919 % 901) AS float8) AS tax, CASE branch WHEN 'trade' THEN 3 ELSE 7 END * (10 + firm * 7919 % 901) AS duty,
       10 + firm * 7919 % 901 AS home, 5 + firm * 104729 % 701 AS abroad,
       15 + firm * 7919 % 901 + firm * 104729 % 701 AS turnover, firm % 2 AS odd
FROM (VALUES ('r1', 'mining', 2), ('r1', 'trade', 18), ('r1', 'ships', 9),
             ('r2', 'mining', 11), ('r2', 'trade', 6), ('r2', 'ships', 25),
             ('r3', 'mining', 30), ('r3', 'trade', 4), ('r3', 'ships', 7),
             ('r4', 'mining', 9), ('r4', 'trade', 14), ('r4', 'ships', 1),
             ('r5', 'mining', 16), ('r5', 'trade', 5), ('r5', 'ships', 12))
     AS t(region, branch, n), generate_series(1, n) AS firm;
SELECT sdc.create_hierarchy('beside_quarters', 'table', (SELECT jsonb_build_object('rows',
    jsonb_agg(jsonb_build_array(m::text, 'q' || (m + 2) / 3))) FROM generate_series(1, 12) AS m));
CREATE FUNCTION three(policy text, relation regclass, protect jsonb, bound text DEFAULT
    '{"table": "exact", "<=": 0}', params jsonb DEFAULT '{}') RETURNS void
LANGUAGE sql AS $$
SELECT sdc.create_policy(policy, relation, '{}', jsonb_build_array(bound::jsonb),
    jsonb_build_object('schema', 'beside_open', 'table', policy, 'protect', protect) || params)
$$;
-- the table that a policy would publish
CREATE FUNCTION three_made(relation regclass, protect jsonb) RETURNS bigint
LANGUAGE sql AS $$
SELECT count(*) FROM sdc.protect_table(relation, 'beside_open.made', protect -> 'rules',
    ARRAY(SELECT jsonb_array_elements_text(protect -> 'keys'))::name[], (protect ->> 'value')::name, protect -> 'params')
$$;

-- months, whose quarter is another column, or another level
SELECT three('months', 'beside_sales', '{"keys": ["month", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('months');
CREATE VIEW beside_known AS
SELECT count(*) FROM (SELECT 'q' || (month::int + 2) / 3 AS quarter, branch, count(*) AS hidden FROM beside_open.months
    WHERE month <> 'Total' AND value IS NULL GROUP BY 1, 2) AS m WHERE hidden = 1;
SELECT three_made('beside_sales', '{"keys": ["quarter", "branch"], "rules": {"threshold": 3}}');
SELECT (SELECT count FROM beside_known) AS alone, count(*) FILTER (WHERE value IS NULL) AS hidden FROM beside_open.made;
DROP TABLE beside_open.made;
SELECT three('quarters', 'beside_sales', '{"keys": ["quarter", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('quarters');
SELECT three('quarters', 'beside_sales', '{"keys": ["month", "branch"], "rules": {"threshold": 3}, "params":
    {"hierarchies": {"month": "beside_quarters"}, "levels": {"month": 1}}}');
CALL sdc.release('quarters');
DROP VIEW beside_known;
DROP TABLE beside_open.months;
-- both in one call are protected together, by a hierarchy they are one table
SELECT three('months', 'beside_sales', '{"keys": ["month", "branch"], "rules": {"threshold": 3}, "params":
    {"linked": [{"keys": ["quarter", "branch"]}]}}');
CALL sdc.release('months');
DROP TABLE beside_open.months;
SELECT three('months', 'beside_sales', '{"keys": ["month", "branch"], "rules": {"threshold": 3}, "params":
    {"hierarchies": {"month": "beside_quarters"}}}');
CALL sdc.release('months');
DROP TABLE beside_open.months;

-- some of the months by a group of them
SELECT sdc.create_hierarchy('beside_window', 'table', jsonb_build_object('rows', (SELECT jsonb_agg(jsonb_build_array(m::text,
    CASE WHEN m <= 6 THEN 'first' ELSE 'o' || m END)) FROM generate_series(1, 12) AS m)));
SELECT three('months', 'beside_sales', '{"keys": ["month", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('months');
SELECT three('quarters', 'beside_sales', '{"keys": ["branch"], "rules": {"threshold": 3}, "params":
    {"linked": [{"keys": ["branch"], "only": {"month": "first"}, "hierarchies": {"month": "beside_window"}}]}}');
CALL sdc.release('quarters');
DROP TABLE beside_open.months;
SELECT sdc.drop_hierarchy('beside_window');
-- A and B in one, AB in the other
SELECT three('fine', 'beside_three', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('fine');
SELECT three_made('beside_three', '{"keys": ["region", "coarse"], "rules": {"threshold": 20}, "params": {"weight": "cells"}}');
SELECT count(*) FROM beside_open.made AS m WHERE value IS NULL AND coarse = 'heavy' AND NOT EXISTS (SELECT
    FROM beside_open.fine AS f WHERE f.region = m.region AND f.branch IN ('mining', 'ships') AND f.value IS NULL);
DROP TABLE beside_open.made;
SELECT three('heavy', 'beside_three', '{"keys": ["region", "coarse"], "rules": {"threshold": 20}, "params": {"weight": "cells"}}');
CALL sdc.release('heavy');

-- sums of a weight that is the same for all, or for all of a region
SELECT three_made('beside_three', '{"keys": ["region", "branch"], "value": "weight", "rules": {"threshold": 3}, "params": {"weight": "cells"}}');
SELECT count(*) FROM beside_open.fine AS f JOIN beside_open.made AS m USING (region, branch)
WHERE f.value IS NULL AND m.value IS NOT NULL AND region <> 'Total';
DROP TABLE beside_open.made;
SELECT three('weights', 'beside_three', '{"keys": ["region", "branch"], "value": "weight", "rules": {"threshold": 3}, "params": {"weight": "cells"}}');
CALL sdc.release('weights');
SELECT three('weights', 'beside_three', '{"keys": ["region", "branch"], "value": "two", "rules": {"threshold": 3}, "params": {"weight": "cells"}}');
CALL sdc.release('weights');
-- for all of a region and a branch together
SELECT three_made('beside_three', '{"keys": ["region", "branch"], "value": "fee", "rules": {"threshold": 3}, "params": {"weight": "cells"}}');
SELECT count(*) FROM beside_open.fine AS f JOIN beside_open.made AS m USING (region, branch)
WHERE f.value IS NULL AND m.value IS NOT NULL AND region <> 'Total' AND branch <> 'Total';
DROP TABLE beside_open.made;
SELECT three('weights', 'beside_three', '{"keys": ["region", "branch"], "value": "fee", "rules": {"threshold": 3}, "params": {"weight": "cells"}}');
CALL sdc.release('weights');
-- sums of what differs from firm to firm are other cells; so are those of keys that have nothing to do with these
SELECT three('weights', 'beside_three', '{"keys": ["region", "branch"], "value": "home", "rules": {"threshold": 3}, "params": {"weight": "cells"}}');
CALL sdc.release('weights');
SELECT three('odd', 'beside_three', '{"keys": ["region", "odd"], "rules": {"threshold": 3}}');
CALL sdc.release('odd');
-- but a part of them that is the same in all records, or in all of a branch, is not
SELECT three_made('beside_three', '{"keys": ["region", "branch"], "value": "tax", "rules": {"threshold": 3}}');
SELECT count(*) FROM beside_open.weights AS f JOIN beside_open.made AS m USING (region, branch) WHERE f.value IS NULL AND m.value IS NOT NULL;
DROP TABLE beside_open.made;
SELECT three('taxes', 'beside_three', '{"keys": ["region", "branch"], "value": "tax", "rules": {"threshold": 3}}');
CALL sdc.release('taxes');
SELECT three_made('beside_three', '{"keys": ["region", "branch"], "value": "duty", "rules": {"threshold": 3}}');
SELECT count(*) FROM beside_open.weights AS f JOIN beside_open.made AS m USING (region, branch)
WHERE f.value IS NULL AND m.value IS NOT NULL AND branch <> 'Total';
DROP TABLE beside_open.made;
SELECT three('duties', 'beside_three', '{"keys": ["region", "branch"], "value": "duty", "rules": {"threshold": 3}}');
CALL sdc.release('duties');
DROP TABLE beside_open.fine, beside_open.weights, beside_open.odd;
-- nor where only the table that is out has the key that the part differs by: a total tells its only hidden part
SELECT three('duties', 'beside_three', '{"keys": ["region", "branch"], "value": "home", "rules": {"threshold": 2}, "params":
    {"hide": [{"region": "r4"}, {"region": "r5"}, {"region": "r5", "branch": "ships"}]}}');
CALL sdc.release('duties');
SELECT string_agg(region || ' ' || branch, ', ' ORDER BY region, branch) FROM beside_open.duties WHERE value IS NULL;
SELECT three('taxes', 'beside_three', '{"keys": ["region"], "value": "duty", "rules": {"threshold": 3}}');
CALL sdc.release('taxes');
SELECT region, (d.value - sum(CASE branch WHEN 'trade' THEN 3 ELSE 7 END * h.value)) / 7 = d.ships AS known
FROM (SELECT region, sum(duty) AS value, sum(home) FILTER (WHERE branch = 'ships') AS ships FROM beside_three GROUP BY 1) AS d
    JOIN beside_open.duties AS h USING (region)
WHERE branch <> 'Total' AND region IN ('r4', 'r5') GROUP BY region, d.value, d.ships ORDER BY 1;
DROP TABLE beside_open.duties;
CALL sdc.release('taxes');
CALL sdc.release('duties');
DROP TABLE beside_open.taxes;
-- what only one firm of a region and a branch has is nothing that readers know
CREATE TABLE beside_single AS
SELECT 'r' || g / 4 AS region, 'b' || g % 4 AS branch, 10 + g * 7919 % 901 AS home FROM generate_series(0, 15) AS g;
SELECT three('single', 'beside_single', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('single');
SELECT three('unlike', 'beside_single', '{"keys": ["region", "branch"], "value": "home", "rules": {"zeros": true}}');
CALL sdc.release('unlike');
SELECT count(*) FILTER (WHERE s.value IS NULL AND t.value IS NOT NULL) AS hidden
FROM beside_open.single AS s JOIN beside_open.unlike AS t USING (region, branch);
DROP TABLE beside_open.single, beside_open.unlike, beside_single;

-- that nobody of a region is in some branch is not known from other keys, however few there are
CREATE TABLE beside_sparse AS
SELECT 'r' || g * 7919 % 101 / 17 AS region, 'b' || (g * 31 % 103) * (g * 31 % 103) / 2200 AS branch,
       's' || (g * 29 % 97) * (g * 29 % 97) / 2000 AS size
FROM generate_series(1, 80) AS g;
SELECT three('thin', 'beside_sparse', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('thin');
SELECT three('thinner', 'beside_sparse', '{"keys": ["region", "size"], "rules": {"threshold": 3}}');
CALL sdc.release('thinner');
SELECT count(*) FILTER (WHERE value IS NULL) > 0 AS hides FROM beside_open.thinner;
DROP TABLE beside_open.thin, beside_open.thinner, beside_sparse;

-- sums and means of 0 and 1
SELECT three('sexes', 'beside_three', '{"keys": ["region", "sex"], "rules": {"threshold": 7}}');
CALL sdc.release('sexes');
SELECT three_made('beside_three', '{"keys": ["region"], "value": "female", "rules": {"threshold": 5}, "params": {"weight": "cells"}}');
SELECT count(*) FROM beside_open.sexes AS s JOIN beside_open.made AS m USING (region)
WHERE s.sex = 'f' AND s.value IS NULL AND m.value IS NOT NULL;
DROP TABLE beside_open.made;
SELECT three('women', 'beside_three', '{"keys": ["region"], "value": "female", "rules": {"threshold": 5}, "params": {"weight": "cells"}}');
CALL sdc.release('women');
SELECT three('women', 'beside_three', '{"keys": ["region"], "value": "female", "rules": {"threshold": 5}, "params":
    {"cell": "mean", "weight": "cells", "digits": 4}}');
CALL sdc.release('women');
DROP TABLE beside_open.sexes;

-- a sum and its parts; apart from each other they pass
SELECT three('home', 'beside_three', '{"keys": ["region", "branch"], "value": "home", "rules": {"threshold": 3}}');
CALL sdc.release('home');
SELECT three('abroad', 'beside_three', '{"keys": ["region", "branch"], "value": "abroad", "rules": {"threshold": 3}}');
CALL sdc.release('abroad');
SELECT three_made('beside_three', '{"keys": ["region", "branch"], "value": "turnover", "rules": {"threshold": 2}, "params": {"weight": "cells"}}');
SELECT count(*) FROM beside_open.made AS m JOIN beside_open.home AS h USING (region, branch)
    JOIN beside_open.abroad AS a USING (region, branch) WHERE m.value IS NULL AND h.value + a.value IS NOT NULL;
DROP TABLE beside_open.made;
SELECT three('turnover', 'beside_three', '{"keys": ["region", "branch"], "value": "turnover", "rules": {"threshold": 2},
    "params": {"weight": "cells"}}');
CALL sdc.release('turnover');
SELECT three('turnover', 'beside_three', '{"keys": ["region", "branch"], "value": "turnover", "rules": {"threshold": 2},
    "params": {"weight": "cells"}}', params => '{"apart": ["home"]}');
CALL sdc.release('turnover');
DROP TABLE beside_open.home, beside_open.abroad, beside_open.turnover;

-- changes since an older table of another policy, also by some of its keys
SELECT three('before', 'beside_three', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('before');
INSERT INTO beside_three (region, branch, sex, odd) VALUES ('r2', 'trade', 'm', 0);
SELECT three_made('beside_three', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}');
SELECT count(*) FROM beside_open.made AS m JOIN beside_open.before AS b USING (region, branch) WHERE m.value - b.value = 1;
DROP TABLE beside_open.made;
SELECT three('after', 'beside_three', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}', '{"table": "small_changes", "<=": 0}');
CALL sdc.release('after');
SELECT three('after', 'beside_three', '{"keys": ["region", "odd"], "rules": {"threshold": 3}}', '{"table": "small_changes", "<=": 0}');
CALL sdc.release('after');
INSERT INTO beside_three (region, branch, sex, odd) SELECT 'r2', 'trade', 'm', 0 FROM generate_series(1, 4);
CALL sdc.release('after');
-- a table of the policy itself under another name
SELECT three('after', 'beside_three', '{"keys": ["region", "branch"], "rules": {"threshold": 3}, "params": {"weight": "cells"}}',
    params => '{"table": "again", "apart": ["before"]}');
CALL sdc.release('after');
SELECT three('after', 'beside_three', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}',
    params => '{"table": "third", "apart": ["before"]}');
CALL sdc.release('after');

-- two tables of changed values are attacked together
CREATE TABLE beside_wards AS
SELECT g AS id, 'w' || g % 40 AS ward, g * 7919 % 101 % 2 AS one, g * 104729 % 103 % 2 AS two FROM generate_series(1, 2000) AS g;
SELECT three('ones', 'beside_wards', '{"keys": ["ward", "one"], "params": {"method": "cell_key", "domain": "beside", "respondent": "id"}}', '{"table": "exact", "<=": 1000}');
CALL sdc.release('ones');
SELECT three('twos', 'beside_wards', '{"keys": ["ward", "two"], "params": {"method": "cell_key", "domain": "beside", "respondent": "id"}}', '{"table": "exact", "<=": 1000}');
CALL sdc.release('twos');
SELECT status, measures::text LIKE '%It was attacked together with%' AS together FROM sdc.releases('twos');
DROP TABLE beside_open.ones, beside_open.twos, beside_wards;
SELECT sdc.forget_pseudonyms('beside');

-- Groups in which two tables differ, which none of them shows: bands that cross, of two columns or of one.
CREATE TABLE beside_people AS
SELECT 'r' || g * 7919 % 8 AS region, (g * 31 % 211) * (g * 31 % 211) / 500 AS age, g * 17 % 5 AS flat FROM generate_series(1, 600) AS g;
ALTER TABLE beside_people ADD young text, ADD adult text;
UPDATE beside_people SET young = CASE WHEN age < 15 THEN '00 to 14' WHEN age < 30 THEN '15 to 29' WHEN age < 65 THEN '30 to 64' ELSE '65' END,
    adult = CASE WHEN age < 18 THEN '00 to 17' WHEN age < 35 THEN '18 to 34' WHEN age < 67 THEN '35 to 66' ELSE '67' END;
SELECT count(sdc.create_hierarchy('beside_' || h, 'table', jsonb_build_object('rows', rows))) FROM (
    SELECT h, jsonb_agg(DISTINCT jsonb_build_array(age::text, CASE h WHEN 'young' THEN young ELSE adult END)) AS rows
    FROM beside_people, unnest(ARRAY['young', 'adult']) AS h GROUP BY h) AS h;
SELECT three('young', 'beside_people', '{"keys": ["region", "young"], "rules": {"threshold": 3}}');
CALL sdc.release('young');
SELECT three_made('beside_people', '{"keys": ["region", "adult"], "rules": {"threshold": 3}}');
WITH sums AS (SELECT region, young AS band, sum(value) OVER (PARTITION BY region ORDER BY young) FROM beside_open.young WHERE young <> 'Total'
    UNION ALL SELECT region, adult, sum(value) OVER (PARTITION BY region ORDER BY adult) FROM beside_open.made WHERE adult <> 'Total')
SELECT count(*) FILTER (WHERE b.sum - a.sum IN (1, 2)) AS small, bool_and(b.sum - a.sum = (SELECT count(*) FROM beside_people AS p
    WHERE p.region = a.region AND p.age BETWEEN right(a.band, 2)::int + 1 AND right(b.band, 2)::int)) AS right
FROM sums AS a JOIN sums AS b USING (region) WHERE region <> 'Total'
    AND (a.band, b.band) IN (('00 to 14', '00 to 17'), ('15 to 29', '18 to 34'), ('30 to 64', '35 to 66'));
DROP TABLE beside_open.made;
SELECT three('adult', 'beside_people', '{"keys": ["region", "adult"], "rules": {"threshold": 3}}');
CALL sdc.release('adult');
SELECT three('adult', 'beside_people', '{"keys": ["region", "adult"], "value": "age", "rules": {"threshold": 3}, "params": {"cell": "mean"}}');
CALL sdc.release('adult');
-- where no such group is small, by the rules of the policy
SELECT three('adult', 'beside_people', '{"keys": ["region", "adult"], "rules": {"threshold": 2}}', '{"table": "exact", "<=": 6}');
CALL sdc.release('adult');
SELECT requirement, value FROM sdc.releases('adult') AS r, jsonb_to_recordset(r.measures -> 0 -> 'gate') AS g(requirement text, value float8)
WHERE r.status = 'published' AND requirement LIKE '%groups%';
DROP TABLE beside_open.adult;
SELECT three('adult', 'beside_people', '{"keys": ["adult", "flat"], "rules": {"threshold": 3}}');
CALL sdc.release('adult');
DROP TABLE beside_open.young, beside_open.adult;
SELECT three('young', 'beside_people', '{"keys": ["region", "age"], "value": "flat", "rules": {"p_percent": 10}, "params": {"hierarchies": {"age": "beside_young"}, "levels": {"age": 1}}}');
CALL sdc.release('young');
SELECT three('adult', 'beside_people', '{"keys": ["region", "age"], "value": "flat", "rules": {"p_percent": 10}, "params": {"hierarchies": {"age": "beside_adult"}, "levels": {"age": 1}}}');
CALL sdc.release('adult');
SELECT three('adult', 'beside_people', '{"keys": ["region", "age"], "value": "flat", "rules": {"dominance": [3, 99]}, "params": {"hierarchies": {"age": "beside_adult"}, "levels": {"age": 1}}}');
CALL sdc.release('adult');
SELECT three('adult', 'beside_people', '{"keys": ["region", "age"], "value": "flat", "rules": {"zeros": true}, "params": {"hierarchies": {"age": "beside_adult"}, "levels": {"age": 1}}}');
CALL sdc.release('adult');
DROP TABLE beside_open.young, beside_open.adult;
DROP TABLE beside_people;

-- a table that was made before there was a policy, once somebody else may read it
CREATE TABLE beside_shops AS
SELECT region, branch, 20 + row_number() OVER () * 7919 % 901 AS turnover
FROM (VALUES ('r1', 'mining', 2), ('r1', 'trade', 18), ('r1', 'ships', 9), ('r2', 'mining', 11), ('r2', 'trade', 6), ('r2', 'ships', 25),
    ('r3', 'mining', 30), ('r3', 'trade', 4), ('r3', 'ships', 7), ('r4', 'mining', 9), ('r4', 'trade', 14), ('r4', 'ships', 1),
    ('r5', 'mining', 16), ('r5', 'trade', 5), ('r5', 'ships', 12)) AS t(region, branch, n), generate_series(1, n);
SELECT three_made('beside_shops', '{"keys": ["region", "branch"], "rules": {"threshold": 3}, "params": {"weight": "cells", "total": "all"}}');
SELECT three('shops', 'beside_shops', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('shops');
SELECT count(*) AS hidden, count(h.value) AS shown FROM beside_open.shops AS s JOIN beside_open.made AS h USING (region, branch) WHERE s.value IS NULL;
GRANT SELECT (region, branch, value) ON beside_open.made TO PUBLIC;
CALL sdc.release('shops');
-- sums, whatever they are called; other values, of other years, say nothing
DROP TABLE beside_open.made, beside_open.shops;
SELECT three_made('beside_shops', '{"keys": ["region", "branch"], "value": "turnover", "rules": {"p_percent": 1}, "params": {"weight": "cells", "names": {"value": "eur"}}}');
GRANT SELECT ON beside_open.made TO PUBLIC;
SELECT three('shops', 'beside_shops', '{"keys": ["region", "branch"], "value": "turnover", "rules": {"p_percent": 20}}');
CALL sdc.release('shops');
UPDATE beside_shops SET turnover = turnover + 1;
CALL sdc.release('shops');
DROP TABLE beside_open.made, beside_open.shops, beside_shops;

-- windows of time that overlap, of copies of records: a month is left over in the sum of four, and in the difference of two sums
CREATE TABLE beside_bills AS
SELECT row_number() OVER () AS bill, month, branch
FROM generate_series(1, 8) AS month, unnest(ARRAY['books', 'food', 'toys']) AS branch,
    generate_series(1, CASE WHEN month IN (2, 7) AND branch = 'books' THEN 2 ELSE 9 + month * 5 % 7 END);
ALTER TABLE beside_bills ADD PRIMARY KEY (bill);
CREATE TABLE beside_windows AS SELECT bill, 'w' || w AS win, branch FROM beside_bills, generate_series(1, 5) AS w WHERE month BETWEEN w AND w + 3;
SELECT three('bills', 'beside_bills', '{"keys": ["month", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('bills');
SELECT three_made('beside_windows', '{"keys": ["win", "branch"], "rules": {"threshold": 3}}');
SELECT count(*) AS left_over FROM beside_open.made AS w, LATERAL (SELECT count(*) FROM beside_open.bills AS m WHERE m.branch = w.branch
    AND m.month <> 'Total' AND m.value IS NULL AND CAST(m.month AS int) BETWEEN CAST(substr(w.win, 2) AS int) AND CAST(substr(w.win, 2) AS int) + 3) AS h
WHERE w.win <> 'Total' AND w.branch <> 'Total' AND w.value IS NOT NULL AND h.count = 1;
DROP TABLE beside_open.made;
SELECT three('windows', 'beside_windows', '{"keys": ["win", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('windows');
ALTER TABLE beside_windows ADD FOREIGN KEY (bill) REFERENCES beside_bills;
DROP TABLE beside_open.windows;
CALL sdc.release('windows');
-- nobody knows which records are in a window by chance
UPDATE beside_windows SET win = 'w' || 1 + bill % 5;
CALL sdc.release('windows');
DROP TABLE beside_open.bills, beside_open.windows, beside_windows, beside_bills;

-- relations that a foreign key joins: three orders of each customer, whose turnover they are
CREATE TABLE beside_customers AS
SELECT row_number() OVER () AS customer, region, branch, 0 AS turnover
FROM (VALUES ('r1', 'mining', 2), ('r1', 'trade', 18), ('r1', 'ships', 9), ('r2', 'mining', 11), ('r2', 'trade', 6),
    ('r2', 'ships', 25), ('r3', 'mining', 30), ('r3', 'trade', 4), ('r3', 'ships', 7), ('r4', 'mining', 9), ('r4', 'trade', 14),
    ('r4', 'ships', 1)) AS t(region, branch, n), generate_series(1, n);
ALTER TABLE beside_customers ADD PRIMARY KEY (customer);
CREATE TABLE beside_orders AS
SELECT customer AS buyer, region AS area, branch, month, 10 + (customer * 37 + month * 11) % 23 AS amount
FROM beside_customers, generate_series(1, 3) AS month;
UPDATE beside_customers SET turnover = (SELECT sum(amount) FROM beside_orders WHERE buyer = customer);
SELECT three('customers', 'beside_customers', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('customers');
SELECT three_made('beside_orders', '{"keys": ["area", "branch"], "rules": {"threshold": 3}}');
SELECT count(*) AS hidden, count(*) FILTER (WHERE o.value / 3 = n) AS known
FROM beside_open.customers AS c JOIN beside_open.made AS o ON o.area = c.region AND o.branch = c.branch
    JOIN (SELECT region, branch, count(*) AS n FROM beside_customers GROUP BY 1, 2) AS k ON k.region = c.region AND k.branch = c.branch
WHERE c.value IS NULL;
DROP TABLE beside_open.made;
-- nobody has said that they have to do with each other
SELECT three('orders', 'beside_orders', '{"keys": ["area", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('orders');
DROP TABLE beside_open.orders;
ALTER TABLE beside_orders ADD FOREIGN KEY (buyer) REFERENCES beside_customers;
CALL sdc.release('orders');
-- by a key that customers have not, and one that tells no more than is shown
SELECT three('orders', 'beside_orders', '{"keys": ["area", "month"], "rules": {"threshold": 3}}');
CALL sdc.release('orders');
DROP TABLE beside_open.customers, beside_open.orders;
SELECT three('orders', 'beside_orders', '{"keys": ["area", "branch", "month"], "rules": {"threshold": 3}}');
CALL sdc.release('orders');
CALL sdc.release('customers');
SELECT three('customers', 'beside_customers', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}', params => '{"apart": ["orders"]}');
CALL sdc.release('customers');
DROP TABLE beside_open.customers, beside_open.orders;
-- both by one policy, in one run
SELECT sdc.create_policy('shops', r, '{}', '[{"table": "exact", "<=": 0}]', jsonb_build_object('schema', 'beside_open', 'table', r,
    'protect', jsonb_build_object('keys', jsonb_build_array(k, 'branch'), 'rules', '{"threshold": 3}'::jsonb)))
FROM (VALUES ('beside_customers', 'region'), ('beside_orders', 'area')) AS t(r, k);
CALL sdc.release('shops');
SELECT sdc.drop_policy('shops');
-- sums of customers that are those of their orders
SELECT three('customers', 'beside_customers', '{"keys": ["region", "branch"], "value": "turnover", "rules": {"p_percent": 20}}');
CALL sdc.release('customers');
SELECT three('orders', 'beside_orders', '{"keys": ["area", "branch"], "value": "amount", "rules": {"p_percent": 20}}');
CALL sdc.release('orders');
DROP TABLE beside_open.customers;
-- two relations of a third one, each with as many records of a customer
CREATE TABLE beside_visits AS SELECT customer AS buyer, region AS place, branch FROM beside_customers, generate_series(1, 2);
SELECT three('orders', 'beside_orders', '{"keys": ["area", "branch"], "rules": {"threshold": 3}, "params": {"respondent": "buyer"}}');
CALL sdc.release('orders');
SELECT three('visits', 'beside_visits', '{"keys": ["place", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('visits');
ALTER TABLE beside_visits ADD FOREIGN KEY (buyer) REFERENCES beside_customers;
DROP TABLE beside_open.visits;
CALL sdc.release('visits');
-- or by the respondent that both name
ALTER TABLE beside_visits DROP CONSTRAINT beside_visits_buyer_fkey;
SELECT three('visits', 'beside_visits', '{"keys": ["place", "branch"], "rules": {"threshold": 2}, "params": {"respondent": "buyer"}}');
CALL sdc.release('visits');
-- another number of records of each
INSERT INTO beside_visits SELECT buyer, place, branch FROM beside_visits WHERE buyer % 2 = 0;
CALL sdc.release('visits');
DROP TABLE beside_visits, beside_orders, beside_customers;

-- sums that are made of others: 7 for each of one and 3 for each of another, or 5 for each record
CREATE TABLE beside_points AS
SELECT 'r' || 1 + i % 4 AS region, 'b' || 1 + i / 4 % 4 AS branch, a, b, 7 * a + 3 * b AS points, 5 + 0.4 * a AS fee,
    7 * a + 3 * b + i % 2 AS nearly
FROM generate_series(1, 80) AS i, LATERAL (SELECT (get_byte(decode(md5('a' || i), 'hex'), 0) ^ 3 / 16000)::int AS a,
    (get_byte(decode(md5('b' || i), 'hex'), 0) ^ 2 / 650)::int AS b) AS v;
CREATE FUNCTION points(policy text, value name, p int) RETURNS void LANGUAGE sql AS $$
SELECT three(policy, 'beside_points', jsonb_build_object('keys', '["region", "branch"]'::jsonb, 'value', value, 'rules', jsonb_build_object('p_percent', p)))
$$;
SELECT points('points_a', 'a', 20), points('points_b', 'b', 2);
CALL sdc.release('points_a');
CALL sdc.release('points_b');
SELECT three_made('beside_points', '{"keys": ["region", "branch"], "value": "points", "rules": {"p_percent": 2}}');
SELECT count(*) AS hidden, count(*) FILTER (WHERE (v.value - 3 * b.value) / 7 = t.a) AS known
FROM beside_open.points_a AS h JOIN beside_open.points_b AS b USING (region, branch) JOIN beside_open.made AS v USING (region, branch)
    JOIN (SELECT region, branch, sum(a) AS a FROM beside_points GROUP BY 1, 2) AS t USING (region, branch) WHERE h.value IS NULL;
DROP TABLE beside_open.made;
SELECT points('points_v', 'points', 2);
CALL sdc.release('points_v');
-- what is so in most records only tells nothing
SELECT points('points_v', 'nearly', 2);
CALL sdc.release('points_v');
DROP TABLE beside_open.points_b, beside_open.points_v;
SELECT three('points_v', 'beside_points', '{"keys": ["region", "branch"], "rules": {"threshold": 2}}'), points('points_b', 'fee', 2);
CALL sdc.release('points_v');
CALL sdc.release('points_b');
DROP FUNCTION points;
DROP TABLE beside_open.points_a, beside_open.points_v, beside_points;

SELECT count(*) FROM pg_class WHERE relname LIKE 'sdc\_beside\_%' OR relname LIKE 'sdc\_staging\_%';
-- a relation that was renamed is the same one; its columns may have several collations, and so may those of what was made of it
CREATE TABLE beside_old (quarter text COLLATE "C", month text COLLATE "POSIX", branch text COLLATE "ucs_basic", due float8, never float8 DEFAULT 'infinity');
INSERT INTO beside_old SELECT 'q' || (m + 2) / 3, m, 'b' || b, 5 - m FROM generate_series(1, 12) AS m, generate_series(1, 4) AS b, generate_series(1, 1 + (m * 7 + b * 5) % 9);
SELECT three('old_months', 'beside_old', '{"keys": ["month", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('old_months');
SELECT three('old_quarters', 'beside_old', '{"keys": ["quarter", "branch"], "rules": {"threshold": 3}}');
ALTER TABLE beside_old RENAME TO beside_new;
CALL sdc.release('old_quarters');
DROP TABLE beside_open.old_months;
CREATE TABLE beside_open.made (quarter text COLLATE "C", quarter_parent text COLLATE "C", branch text COLLATE "POSIX", branch_parent text COLLATE "POSIX", value numeric, status text);
INSERT INTO beside_open.made SELECT COALESCE(quarter, 'all'), CASE WHEN grouping(quarter) = 0 THEN 'all' END, COALESCE(branch, 'all'),
    CASE WHEN grouping(branch) = 0 THEN 'all' END, count(*) FROM beside_new GROUP BY CUBE (quarter, branch);
-- twenty later tables that look like it, of a policy, are none of those without one
DO $$BEGIN
    FOR i IN 1 .. 20 LOOP
        EXECUTE format('CREATE TABLE beside_like_%s AS SELECT quarter, quarter AS quarter_parent, branch, branch AS branch_parent,
            1::numeric AS value, ''s'' AS status FROM beside_new', i);
        PERFORM sdc.create_policy('likes', 'beside_like_' || i, '{}', '[{"measure": "k_anonymity", ">=": 1}]', jsonb_build_object('schema',
            'beside_open', 'table', 'like_' || i, 'keys', '["quarter", "quarter_parent", "branch", "branch_parent", "value", "status"]'::jsonb, 'attacks', '[]'::jsonb));
    END LOOP;
END$$;
CALL sdc.release('likes');
GRANT SELECT ON ALL TABLES IN SCHEMA beside_open TO PUBLIC;
CALL sdc.release('old_quarters');
SELECT g ->> 'detail' AS detail FROM (SELECT r.measures FROM sdc.releases('old_quarters') AS r ORDER BY r.release DESC LIMIT 1) AS r, jsonb_array_elements(r.measures -> 0 -> 'gate') AS g;
SELECT sdc.drop_policy('likes');
DO $$BEGIN
    FOR i IN 1 .. 20 LOOP
        EXECUTE format('DROP TABLE beside_like_%s, beside_open.like_%s', i, i);
    END LOOP;
END$$;
-- sums below 0 are in no table that could be attacked
UPDATE beside_open.made AS p SET value = n.due FROM (SELECT COALESCE(quarter, 'all') AS quarter, COALESCE(branch, 'all') AS branch, sum(due) AS due
    FROM beside_new GROUP BY CUBE (quarter, branch)) AS n WHERE p.quarter = n.quarter AND p.branch = n.branch COLLATE "POSIX";
CALL sdc.release('old_quarters');
DROP TABLE beside_open.made, beside_open.old_quarters;
-- what a run makes itself has a policy, even if others may read it at once
ALTER DEFAULT PRIVILEGES IN SCHEMA beside_open GRANT SELECT ON TABLES TO PUBLIC;
CALL sdc.release('old_months');
CALL sdc.release('old_months');
SELECT release - min(release) OVER () AS run, g ->> 'detail' AS detail FROM sdc.releases('old_months'), jsonb_array_elements(measures -> 0 -> 'gate') AS g ORDER BY release;
DROP TABLE beside_open.old_months, beside_new;
-- two keys that refer to the same columns, which they list in another order
CREATE TABLE beside_third (a int, b int, PRIMARY KEY (a, b), UNIQUE (b, a));
INSERT INTO beside_third SELECT i, i % 7 FROM generate_series(1, 112) AS i;
CREATE TABLE beside_ab AS SELECT CAST(row_number() OVER () AS int) AS a, CAST(row_number() OVER () % 7 AS int) AS b, region, branch
FROM (VALUES ('r1', 'mining', 2), ('r1', 'trade', 18), ('r1', 'ships', 9), ('r2', 'mining', 11), ('r2', 'trade', 6), ('r2', 'ships', 25),
    ('r3', 'mining', 30), ('r3', 'trade', 4), ('r3', 'ships', 7)) AS t(region, branch, n), generate_series(1, n);
CREATE TABLE beside_ba AS SELECT a AS x, b AS y, region AS place, branch AS trade FROM beside_ab;
ALTER TABLE beside_ab ADD FOREIGN KEY (a, b) REFERENCES beside_third (a, b);
ALTER TABLE beside_ba ADD FOREIGN KEY (y, x) REFERENCES beside_third (b, a);
SELECT three('ab', 'beside_ab', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('ab');
SELECT three_made('beside_ba', '{"keys": ["place", "trade"], "rules": {"threshold": 2}}');
SELECT count(*) AS hidden, count(m.value) AS shown FROM beside_open.ab AS t JOIN beside_open.made AS m ON t.region = m.place AND t.branch = m.trade WHERE t.value IS NULL;
DROP TABLE beside_open.made;
SELECT three('ba', 'beside_ba', '{"keys": ["place", "trade"], "rules": {"threshold": 2}}');
CALL sdc.release('ba');
DROP TABLE beside_open.ab, beside_ab, beside_ba, beside_third;
-- more cells than are attacked together: what is not known is no reason to publish, whosever constraint it is
CREATE TABLE beside_wide AS SELECT i AS k, i % 9 AS m, i % 5 AS n FROM generate_series(1, 1600) AS i, generate_series(1, 1 + i % 3);
CREATE FUNCTION wide(policy text, asked text, protect text) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(policy, 'beside_wide', '{}', jsonb_build_array(asked::jsonb),
    jsonb_build_object('schema', 'beside_open', 'table', policy, 'protect', protect::jsonb)) $$;
SELECT wide('wide', '{"table": "hidden_share", "<=": 1}', '{"keys": ["k"], "params": {"method": "round", "effort": 0}}');
CALL sdc.release('wide');
SELECT wide('wide_m', '{"table": "narrowest", ">=": 0}', '{"keys": ["m"]}');
CALL sdc.release('wide_m');
SELECT wide('wide_m', '{"table": "narrowest", ">=": 0}', '{"keys": ["m"], "compare_all": false}');
CALL sdc.release('wide_m');
SELECT g ->> 'detail' AS detail FROM sdc.releases('wide_m'), jsonb_array_elements(measures -> 0 -> 'gate') AS g WHERE status = 'published';
SELECT wide('wide_n', '{"table": "hidden_share", "<=": 1}', '{"keys": ["n"]}');
CALL sdc.release('wide_n');
DROP FUNCTION wide;
DROP TABLE beside_open.wide, beside_open.wide_m, beside_wide;
SELECT sdc.drop_policy(p.policy) FROM (SELECT DISTINCT policy FROM sdc.policy WHERE policy IN ('months', 'quarters', 'wide', 'wide_m', 'wide_n',
    'fine', 'heavy', 'weights', 'taxes', 'duties', 'single', 'unlike', 'young', 'adult', 'ones', 'twos', 'odd', 'thin', 'thinner', 'sexes', 'women', 'home', 'abroad', 'turnover', 'before', 'after', 'customers', 'orders', 'visits', 'points_a', 'points_b', 'points_v', 'shops', 'bills', 'windows', 'old_months', 'old_quarters', 'ab', 'ba')) AS p;
DROP SCHEMA beside_open CASCADE;
DROP TABLE beside_sales, beside_three;
DROP FUNCTION three, three_made;
SELECT sdc.drop_hierarchy('beside_' || h) FROM unnest(ARRAY['quarters', 'young', 'adult']) AS h;
