-- Changes since an older table of another policy that has other groups, another total, or is several tables in one.
ALTER SEQUENCE sdc.release_number RESTART 6700;
CREATE TABLE since_firms AS
SELECT region, branch
FROM (VALUES ('r1', 12, 18), ('r2', 11, 16), ('r3', 30, 14), ('r4', 19, 14), ('r5', 16, 25), ('r6', 5, 4)) AS t(region, mining, trade),
    LATERAL (SELECT 'mining' AS branch FROM generate_series(1, mining) UNION ALL SELECT 'trade' FROM generate_series(1, trade)) AS b;
SELECT sdc.create_hierarchy('since_parts', 'table', '{"rows": [["r1", "north"], ["r2", "north"], ["r3", "south"],
    ["r4", "south"], ["r5", "south"], ["r6", "south"], ["r7", "isle"]]}');
SELECT sdc.create_hierarchy('since_coast', 'table', '{"rows": [["r1", "sea"], ["r3", "sea"], ["r2", "land"],
    ["r4", "land"], ["r5", "land"], ["r7", "sea"]]}');
CREATE SCHEMA since_open;
CREATE FUNCTION since(policy text, params text DEFAULT '{}', keys text DEFAULT '["region"]', more text DEFAULT '{}')
RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(policy, 'since_firms', rules => '{}', constraints => '[{"table": "small_changes", "<=": 0}]',
    params => jsonb_build_object('schema', 'since_open', 'table', policy, 'protect', jsonb_build_object('keys', keys::jsonb,
        'rules', '{"threshold": 3}'::jsonb, 'params', params::jsonb)) || more::jsonb) $$;
CREATE TABLE since_more AS
SELECT region, 'trade' AS branch FROM (VALUES ('r2', 1), ('r3', 4), ('r4', 5), ('r5', 6)) AS t(region, n), generate_series(1, n);
-- one more in r2, which is in north, and more than two in each other region
SELECT since('flat'), since('parts', '{"hierarchies": {"region": "since_parts"}}'),
    since('level', '{"hierarchies": {"region": "since_parts"}, "levels": {"region": 1}}'),
    since('total', '{"total": "all"}'),
    since('linked', '{"linked": [{"keys": ["region"]}]}', '["branch"]'),
    since('only', '{"linked": [{"keys": ["branch"], "only": {"region": "north"}, "hierarchies": {"region": "since_parts"}}]}', '["branch"]'),
    since('both', '{"hierarchies": {"region": "since_parts"}}', '["region", "branch"]'),
    since('branch', '{}', '["branch"]');
DELETE FROM since_firms WHERE region = 'r6';
SELECT since('coast', '{"hierarchies": {"region": "since_coast"}}');
CALL sdc.release('flat');
INSERT INTO since_firms SELECT * FROM since_more;
CALL sdc.release('flat');
CALL sdc.release('parts');
CALL sdc.release('level');
CALL sdc.release('total');
CALL sdc.release('linked');
CALL sdc.release('only');
CALL sdc.release('both');
CALL sdc.release('coast');
-- all of it changed by 16
CALL sdc.release('branch');
DROP TABLE since_open.branch;
DELETE FROM since_firms WHERE ctid IN (SELECT ctid FROM since_firms WHERE branch = 'trade' AND region = 'r3' LIMIT 1);
-- the older one has the groups, or the other total, or is one of several
DROP TABLE since_open.flat;
SELECT since('level_1', '{"hierarchies": {"region": "since_parts"}, "levels": {"region": 1}}', more => '{"table": "level"}'), since('flat_1');
CALL sdc.release('level_1');
INSERT INTO since_firms VALUES ('r1', 'trade'), ('r3', 'trade'), ('r4', 'trade'), ('r5', 'trade');
CALL sdc.release('flat_1');
INSERT INTO since_firms SELECT 'r1', 'trade' FROM generate_series(1, 3);
CALL sdc.release('flat_1');
DROP TABLE since_open.level, since_open.flat_1;
SELECT since('linked_1', '{"total": "all", "linked": [{"keys": ["region"]}]}', '["branch"]', '{"table": "linked"}'), since('parts_1', '{"hierarchies": {"region": "since_parts"}}');
CALL sdc.release('linked_1');
INSERT INTO since_firms SELECT region, 'mining' FROM (VALUES ('r1', 1), ('r3', 4)) AS t(region, n), generate_series(1, n);
CALL sdc.release('parts_1');
DROP TABLE since_open.linked;
-- of the country alone: one more
SELECT since('branch_1', '{}', '["branch"]'), since('flat_2');
CALL sdc.release('branch_1');
INSERT INTO since_firms VALUES ('r1', 'services'), ('r1', 'services'), ('r1', 'services');
DELETE FROM since_firms WHERE ctid IN (SELECT ctid FROM since_firms WHERE branch = 'trade' AND region = 'r3' LIMIT 2);
CALL sdc.release('flat_2');
DROP TABLE since_open.branch_1;
-- a region that is gone is in its group all the same: 9 less and 10 more
INSERT INTO since_firms SELECT 'r6', 'trade' FROM generate_series(1, 9);
SELECT since('flat_3'), since('level_3', '{"hierarchies": {"region": "since_parts"}, "levels": {"region": 1}}'), since('coast_3', '{"hierarchies": {"region": "since_coast"}}');
CALL sdc.release('flat_3');
DELETE FROM since_firms WHERE region = 'r6';
INSERT INTO since_firms SELECT 'r5', 'trade' FROM generate_series(1, 10);
INSERT INTO since_firms SELECT 'r1', 'trade' FROM generate_series(1, 7);
CALL sdc.release('level_3');
-- a hierarchy that does not know it is no hindrance; the group that it is in now is not known
CALL sdc.release('coast_3');
-- nothing that was made for this is left
SELECT count(*) FROM pg_class WHERE relname LIKE 'sdc\_beside\_%';
DROP TABLE IF EXISTS since_open.flat_3, since_open.coast_3, since_open.level_3;
-- of sea the older one shows a part alone, so nothing of it is known, although it has one less than that part had
INSERT INTO since_firms SELECT 'r7', 'trade' FROM generate_series(1, 21 + (SELECT count(*) FROM since_firms WHERE region IN ('r1', 'r3')));
SELECT since('level_4', '{"hierarchies": {"region": "since_parts"}, "levels": {"region": 1}}'), since('coast_4', '{"hierarchies": {"region": "since_coast"}}');
CALL sdc.release('level_4');
DELETE FROM since_firms WHERE ctid IN (SELECT ctid FROM since_firms WHERE region = 'r7' OFFSET 20);
INSERT INTO since_firms SELECT region, 'trade' FROM unnest(ARRAY['r2', 'r4', 'r5']) AS region, generate_series(1, 4);
CALL sdc.release('coast_4');
DROP TABLE since_open.level_4, since_open.coast_4;
-- the policy itself: its last release has other groups, another total, or not all keys
SELECT since('own');
CALL sdc.release('own');
SELECT since('own', '{"hierarchies": {"region": "since_parts"}}');
CALL sdc.release('own');
SELECT since('own', '{"hierarchies": {"region": "since_parts"}, "levels": {"region": 1}}');
CALL sdc.release('own');
SELECT since('own', '{"total": "all"}');
CALL sdc.release('own');
SELECT since('own', '{"linked": [{"keys": ["branch"]}]}');
CALL sdc.release('own');
SELECT since('own', '{}', '["region", "branch"]');
CALL sdc.release('own');
SELECT since('own');
CALL sdc.release('own');
SELECT since('own_1', '{"hierarchies": {"region": "since_parts"}}');
CALL sdc.release('own_1');
SELECT since('own_1', '{"hierarchies": {"region": "since_parts"}, "levels": {"region": 1}}');
CALL sdc.release('own_1');
SELECT policy, status FROM sdc.release_history WHERE release >= 6700 AND status <> 'published' OR policy IN ('flat_1', 'branch', 'coast_3', 'coast_4') ORDER BY release;
DROP SCHEMA since_open CASCADE;
DROP TABLE since_firms, since_more;
DROP FUNCTION since;
SELECT count(sdc.drop_policy(p)) FROM unnest(ARRAY['both', 'branch', 'branch_1', 'coast', 'coast_3', 'coast_4', 'flat', 'flat_1', 'flat_2',
    'flat_3', 'level', 'level_1', 'level_3', 'level_4', 'linked', 'linked_1', 'only', 'own', 'own_1', 'parts', 'parts_1', 'total']) AS p;
SELECT sdc.drop_hierarchy(h) FROM unnest(ARRAY['since_parts', 'since_coast']) AS h;
