-- Cells that nobody is in, and what was given away before, beside tables of
-- other policies.
ALTER SEQUENCE sdc.release_number RESTART 6400;
CREATE SCHEMA empty_open;
CREATE TABLE empty_ill AS
SELECT row_number() OVER () AS id, row_number() OVER () % 20 AS doctor, ward, row_number() OVER () % 2 AS room, ward || row_number() OVER () % 2 AS bed,
       CASE ward WHEN 'w3' THEN 'roof' ELSE 'first' END AS floor, disease, 1 + row_number() OVER () % 3 AS days
FROM (VALUES ('w1', 'cold', 7), ('w1', 'flu', 5), ('w2', 'cold', 6), ('w2', 'flu', 4),
             ('w2', 'hiv', 3), ('w3', 'hiv', 8)) AS t(ward, disease, n),
     generate_series(1, n);
CREATE FUNCTION empty_cells(policy text, protect jsonb, params jsonb DEFAULT '{}') RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(policy, 'empty_ill', '{}', '[{"table": "exact", "<=": 0}]',
    jsonb_build_object('schema', 'empty_open', 'table', policy, 'protect', protect) || params) $$;

-- all of ward 3 have one disease: others are hidden, though nobody has them
SELECT empty_cells('ill', '{"keys": ["ward", "disease"], "rules": {"threshold": 3, "group": {"disease": 100}}}');
CALL sdc.release('ill');
SELECT ward, disease FROM empty_open.ill WHERE value IS NULL ORDER BY ward, disease;
-- sums that show that nobody is there: of the same cells, of several of them, and of parts of them
SELECT empty_cells('days', '{"keys": ["ward", "disease"], "value": "days", "rules": {"p_percent": 20}}');
CALL sdc.release('days');
SELECT empty_cells('days', '{"keys": ["floor", "disease"], "value": "days", "rules": {"p_percent": 20}}');
CALL sdc.release('days');
SELECT empty_cells('days', '{"keys": ["bed", "disease"], "value": "days", "rules": {"p_percent": 10}}');
CALL sdc.release('days');
-- what it does not show: whether anybody of a ward has a disease
SELECT empty_cells('days', '{"keys": ["room", "disease"], "value": "days", "rules": {"p_percent": 20}}');
CALL sdc.release('days');
SELECT g ->> 'requirement' AS requirement, g ->> 'value' AS value FROM sdc.releases('days') AS r, jsonb_array_elements(r.measures -> 0 -> 'gate') AS g
WHERE r.status = 'published' ORDER BY 1;
DROP TABLE empty_open.days;
-- means of nobody
SELECT empty_cells('days', '{"keys": ["ward", "disease"], "value": "days", "rules": {"p_percent": 20}, "params": {"cell": "mean", "respondent": "doctor"}}');
CALL sdc.release('days');
-- counts beside means, each respondent having one row; if not, they are other counts
DROP TABLE empty_open.ill;
SELECT empty_cells('ill', '{"keys": ["ward", "disease"], "rules": {"threshold": 4}}');
CALL sdc.release('ill');
SELECT count(*) FILTER (WHERE value IS NULL) AS hidden FROM empty_open.ill;
SELECT empty_cells('days', '{"keys": ["ward", "disease"], "value": "days", "rules": {"p_percent": 20}, "params": {"cell": "mean", "respondent": "id"}}');
CALL sdc.release('days');
SELECT empty_cells('days', '{"keys": ["ward", "disease"], "value": "days", "rules": {"p_percent": 20}, "params": {"cell": "mean", "respondent": "doctor"}}');
CALL sdc.release('days');
DROP TABLE empty_open.days;

-- who has given away some cells already is no reason to give away the rest
CREATE TABLE empty_firms AS
SELECT row_number() OVER () AS firm, region, branch
FROM (VALUES ('r1', 'mining', 2), ('r1', 'trade', 8), ('r2', 'mining', 7), ('r2', 'trade', 6),
             ('r3', 'food', 6), ('r3', 'ships', 9), ('r4', 'food', 7), ('r4', 'ships', 3),
             ('r1', 'post', 40), ('r2', 'post', 41), ('r3', 'post', 42), ('r4', 'post', 43),
             ('r5', 'mining', 50), ('r5', 'trade', 51), ('r5', 'food', 52), ('r5', 'ships', 53))
     AS t(region, branch, n), generate_series(1, n);
CREATE FUNCTION empty_counts(policy text, threshold int, apart jsonb, word text DEFAULT 'exact') RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(policy, 'empty_firms', '{}', jsonb_build_array(jsonb_build_object('table', word, '<=', 0)), jsonb_build_object('schema', 'empty_open', 'table', policy,
    'apart', apart, 'protect', jsonb_build_object('keys', '{region,branch}'::text[], 'rules', jsonb_build_object('threshold', threshold)))) $$;
SELECT empty_counts('firms', 4, '["nobody"]');
CALL sdc.release('firms');
SELECT empty_counts('some', 3, '["firms"]', 'small_changes');
CALL sdc.release('some');
SELECT count(*) FILTER (WHERE f.value IS NULL) AS hidden, count(s.value) FILTER (WHERE f.value IS NULL) AS shown
FROM empty_open.firms AS f JOIN empty_open.some AS s USING (region, branch);
-- no more than is known already
SELECT empty_counts('two', 3, '["nobody"]');
CALL sdc.release('two');
DROP TABLE empty_open.two;
SELECT empty_counts('all', 2, '["nobody"]');
CALL sdc.release('all');


-- a policy by fewer or other keys than what is out: under another name it is compared
SELECT sdc.create_policy('firms', 'empty_firms', '{}', '[{"table": "exact", "<=": 0}]',
    '{"schema": "empty_open", "table": "firms", "protect": {"keys": ["region"], "rules": {"threshold": 4}}}');
CALL sdc.release('firms');
SELECT sdc.create_policy('firms', 'empty_firms', '{}', '[{"table": "exact", "<=": 0}]',
    '{"schema": "empty_open", "table": "regions", "protect": {"keys": ["region"], "rules": {"threshold": 4}}}');
CALL sdc.release('firms');

SELECT sdc.drop_policy(p) FROM unnest(ARRAY['ill', 'days', 'firms', 'some', 'two', 'all']) AS p;
DROP SCHEMA empty_open CASCADE;
DROP TABLE empty_ill, empty_firms;
DROP FUNCTION empty_cells, empty_counts;
