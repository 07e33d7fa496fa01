-- Tables of cells of partitions, and of what they are partitions of: who has
-- both has the cells of either.
ALTER SEQUENCE sdc.release_number RESTART 6600;
CREATE SCHEMA parts_open;
CREATE TABLE parts (id int, region text, branch text, month text, turnover int) PARTITION BY LIST (region);
CREATE TABLE parts_r1 PARTITION OF parts FOR VALUES IN ('r1');
CREATE TABLE parts_r2 PARTITION OF parts FOR VALUES IN ('r2') PARTITION BY LIST (branch);
CREATE TABLE parts_r2_mining PARTITION OF parts_r2 FOR VALUES IN ('mining');
CREATE TABLE parts_r2_other PARTITION OF parts_r2 DEFAULT;
CREATE TABLE parts_r3 PARTITION OF parts FOR VALUES IN ('r3');
INSERT INTO parts
SELECT row_number() OVER (), region, branch, 'm' || row_number() OVER () % 2, 5 + row_number() OVER () * 7919 % 90
FROM (VALUES ('r1', 'mining', 2), ('r1', 'trade', 18), ('r1', 'ships', 9), ('r2', 'mining', 11), ('r2', 'trade', 6),
             ('r2', 'ships', 25), ('r3', 'mining', 30), ('r3', 'trade', 4), ('r3', 'ships', 7)) AS t(region, branch, n), generate_series(1, n);
CREATE FUNCTION parts_cells(policy text, relation regclass, protect jsonb) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(policy, relation, '{}', '[{"table": "exact", "<=": 0}]',
    jsonb_build_object('schema', 'parts_open', 'table', policy, 'protect', protect)) $$;
CREATE FUNCTION parts_rows(policy text, relation regclass, dropped jsonb) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(policy, relation, '{}', '[{"disclosure": "unchanged_share", "subject": "turnover", "<=": 1}]',
    jsonb_build_object('schema', 'parts_open', 'table', policy, 'attacks', '[]'::jsonb, 'drop', dropped)) $$;

SELECT parts_cells('firms', 'parts', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('firms');
SELECT region, branch FROM parts_open.firms WHERE value IS NULL ORDER BY region, branch;
-- a partition shows what is hidden of it; so do parts of it
SELECT parts_cells('region_2', 'parts_r2', '{"keys": ["branch"], "rules": {"threshold": 3}}');
CALL sdc.release('region_2');
SELECT parts_cells('mining_2', 'parts_r2_mining', '{"keys": ["month"], "rules": {"threshold": 3}}');
CALL sdc.release('mining_2');
-- what they have to do with it by no key that it is by, but for its total
SELECT parts_cells('months_1', 'parts_r1', '{"keys": ["month"], "rules": {"threshold": 3}}');
CALL sdc.release('months_1');
SELECT g ->> 'detail' AS detail FROM sdc.releases('months_1') AS r, jsonb_array_elements(r.measures -> 0 -> 'gate') AS g WHERE r.status = 'published' ORDER BY 1;
-- the other way round: two partitions are out, and what is left of all is the third
DROP TABLE parts_open.firms, parts_open.months_1;
SELECT sdc.drop_policy(p) FROM unnest('{firms,months_1,mining_2}'::text[]) AS p;
CALL sdc.release('region_2');
SELECT parts_cells('region_3', 'parts_r3', '{"keys": ["branch"], "rules": {"threshold": 3}}');
CALL sdc.release('region_3');
SELECT parts_cells('firms', 'parts', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('firms');
SELECT parts_cells('firms', 'parts', '{"keys": ["branch"], "rules": {"threshold": 3}}');
CALL sdc.release('firms');
SELECT count(*) AS published FROM parts_open.firms;

-- rows of a partition, and rows of all beside cells of a partition
DROP TABLE parts_open.region_2, parts_open.region_3, parts_open.firms;
SELECT sdc.drop_policy(p) FROM unnest('{region_2,region_3,firms}'::text[]) AS p;
SELECT sdc.declare('parts', id => 'id', keys => '{region,branch}', sensitive => '{turnover}', insensitive => '{month}');
SELECT parts_cells('firms', 'parts', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('firms');
SELECT parts_rows('rows_2', 'parts_r2', '["id", "region", "turnover"]');
CALL sdc.release('rows_2');
DROP TABLE parts_open.firms;
CALL sdc.release('rows_2');
CALL sdc.release('firms');
DROP TABLE parts_open.rows_2;
SELECT parts_cells('region_1', 'parts_r1', '{"keys": ["branch", "month"], "rules": {"threshold": 3}}');
CALL sdc.release('region_1');
SELECT count(*) FILTER (WHERE value IS NULL) AS hidden FROM parts_open.region_1;
SELECT parts_rows('rows', 'parts', '["id", "turnover"]');
CALL sdc.release('rows');
-- without the column that says which are of the partition
SELECT parts_rows('rows', 'parts', '["id", "turnover", "region"]');
CALL sdc.release('rows');
SELECT count(*) AS published FROM parts_open.rows;

-- a partition that was detached since, and one that is a part of another table now
DROP TABLE IF EXISTS parts_open.rows, parts_open.region_1;
SELECT sdc.drop_policy(p) FROM unnest('{rows,region_1,rows_2}'::text[]) AS p;
CALL sdc.release('firms');
SELECT parts_cells('region_3', 'parts_r3', '{"keys": ["branch"], "rules": {"threshold": 3}}');
ALTER TABLE parts DETACH PARTITION parts_r3;
CALL sdc.release('region_3');
CREATE TABLE parts_archive (LIKE parts) PARTITION BY LIST (region);
ALTER TABLE parts_archive ATTACH PARTITION parts_r3 FOR VALUES IN ('r3');
SELECT parts_cells('archive', 'parts_archive', '{"keys": ["branch"], "rules": {"threshold": 3}}');
CALL sdc.release('archive');
SELECT sdc.declare('parts_r3', id => 'id', keys => '{region,branch}', sensitive => '{turnover}', insensitive => '{month}');
SELECT parts_rows('rows_3', 'parts_r3', '["id", "region", "turnover"]');
CALL sdc.release('rows_3');
SELECT sdc.declare('parts_r3');
-- but not beside what was published since, nor where somebody says that nobody has both
SELECT sdc.create_policy(jsonb_set(sdc.policy_json('archive'), '{relations,0,params,apart}', '["firms"]'));
CALL sdc.release('archive');
DROP TABLE parts_open.archive;
CALL sdc.release('firms');
CALL sdc.release('region_3');
SELECT count(*) AS published FROM parts_open.region_3;
ALTER TABLE parts_archive DETACH PARTITION parts_r3;
ALTER TABLE parts ATTACH PARTITION parts_r3 FOR VALUES IN ('r3');
DROP TABLE parts_archive, parts_open.region_3, parts_open.firms;
SELECT sdc.drop_policy(p) FROM unnest('{archive,region_3,rows_3}'::text[]) AS p;
-- a table that was renamed, and another one that has its name
CALL sdc.release('firms');
CREATE TABLE parts_other (LIKE parts);
ALTER TABLE parts RENAME TO parts_old; ALTER TABLE parts_other RENAME TO parts;
SELECT parts_cells('old_firms', 'parts_old', '{"keys": ["region", "branch"], "rules": {"threshold": 2}}');
CALL sdc.release('old_firms');
SELECT sdc.drop_policy('old_firms');
DROP TABLE parts; ALTER TABLE parts_old RENAME TO parts;
DROP TABLE parts_open.firms;

-- tables that inherit
CREATE TABLE parts_all (id int, region text, branch text);
CREATE TABLE parts_own () INHERITS (parts_all);
INSERT INTO parts_own SELECT id, region, branch FROM parts WHERE region = 'r2';
INSERT INTO parts_all SELECT id, region, branch FROM parts WHERE region <> 'r2';
SELECT parts_cells('all_firms', 'parts_all', '{"keys": ["region", "branch"], "rules": {"threshold": 3}}');
CALL sdc.release('all_firms');
SELECT parts_cells('own_firms', 'parts_own', '{"keys": ["branch"], "rules": {"threshold": 3}}');
CALL sdc.release('own_firms');

SELECT sdc.drop_policy(p) FROM unnest('{firms,all_firms,own_firms}'::text[]) AS p;
SELECT sdc.declare('parts');
DROP FUNCTION parts_cells, parts_rows;
SET client_min_messages = warning;
DROP SCHEMA parts_open CASCADE;
DROP TABLE parts, parts_all, parts_own;
