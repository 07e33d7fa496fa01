-- Rules of whole synthetic tables: mask, policies, the gate, frontier.
\set SHOW_CONTEXT never
\set VERBOSITY terse
SET sdc.progress_interval = 0;
CREATE SCHEMA synthetic_policy;
SET search_path = synthetic_policy;
CREATE TABLE staff (id int PRIMARY KEY, age int, town text, spent numeric(10,2), CHECK (spent >= 40), CHECK (age < 60 OR spent >= 100));
INSERT INTO staff SELECT i, 18 + i * 7919 % 60, 'town ' || i * i % 23, 100 + (i * 104729::bigint % 90001)::numeric / 10 FROM generate_series(1, 1500) AS i;
CREATE TABLE staff_control AS SELECT id + 1500 AS id, age, town, spent FROM staff LIMIT 0;
INSERT INTO staff_control SELECT i, 18 + i * 7919 % 60, 'town ' || i * i % 23, 100 + (i * 104729::bigint % 90001)::numeric / 10 FROM generate_series(1501, 2000) AS i;
SELECT sdc.declare('staff', id => 'id', keys => '{age,town}', sensitive => '{spent}');

-- A rule of mask: the rows of synthesize with its seed, and the CHECKs of the table.
SELECT step, subject, method, rows, changed, detail FROM sdc.mask('staff', '{"age,town,spent": {"method": "synthesize", "minbucket": 5}}', 'made', seed => 1) WHERE step IN ('mask', 'withhold', 'kept');
SELECT count(*) FROM sdc.synthesize('staff', 'same', '{age,town,spent}', seed => sdc.mask_seed('age,town,spent', 1));
SELECT count(*) AS differ FROM (TABLE made EXCEPT ALL TABLE same) AS d;
-- An id in the rule is numbered anew; rows are sampled first.
SELECT count(*) FROM sdc.mask('staff', '{"id,age,town": {"method": "synthesize"}, "*": {"method": "sample_rows", "p": 20}}', 'sampled', seed => 1);
SELECT count(*), min(id), max(id) FROM sampled;
-- A CHECK of the table that is masked: no synthetic record breaks it.
ALTER TABLE staff ADD CHECK (town <> 'town 1' OR age > 40) NOT VALID;
DELETE FROM staff WHERE town = 'town 1' AND age <= 40;
ALTER TABLE staff VALIDATE CONSTRAINT staff_check1;
SELECT count(*) > 0 AS steps FROM sdc.mask('staff', '{"town,age": {"method": "synthesize", "minbucket": 200, "visit": "town"}}', 'checked', seed => 1);
SELECT count(*) FROM checked WHERE town = 'town 1' AND age <= 40;
SELECT sdc.mask('staff', '{"age": {"method": "round_to", "base": 5}, "age,town": {"method": "synthesize"}}', 'no');
SELECT sdc.mask('staff', '{"age,town": {"method": "synthesize", "minbucket": 0}}', 'no');
SELECT sdc.mask('staff', '{"age,town": {"method": "synthesize"}}');

-- A policy whose synthetic records pass.
SELECT sdc.create_policy('synthetic', 'staff', '{"age,town,spent": {"method": "synthesize"}}',
  '[{"attack": "closest_record", "<=": 0.05, "params": {"control": "synthetic_policy.staff_control"}}, {"attack": "linkability", "<=": 0.2, "params": {"control": "synthetic_policy.staff_control"}},
    {"utility": "tables", "<=": 0.5}, {"utility": "pmse_ratio", "<=": 10}, {"utility": "accuracy_loss", "<=": 0.2, "params": {"control": "synthetic_policy.staff_control", "predict": "age"}}, {"measure": "records", ">=": 1000}]');
-- The policy's secret is in each draw, so what is measured differs every time;
-- what follows from it does not.
CREATE FUNCTION no_figures(line text) RETURNS text LANGUAGE sql AS $$
  SELECT regexp_replace(regexp_replace(line,
    ' +-?[0-9.,]+ +([0-9.,]+) +(holds|does not hold)', ' # \1 \2'), 'of [0-9.]+ %', 'of # %') $$;
CALL sdc.release('synthetic', 'synthetic_policy.published', seed => 4611686018427387905);
SELECT count(*), count(town), min(spent) >= 40 AS holds FROM published;
SELECT string_agg(no_figures(line), E'\n') FROM (SELECT line FROM regexp_split_to_table((SELECT sdc.report(max(release), 'text') FROM sdc.releases('synthetic')), E'\n') AS line WHERE line ~ '^ *(id|age|town|spent) +|holds|attack distance|new ones') AS l;
SELECT sdc.drop_policy('synthetic');
-- Records that are copies are refused, and for that reason.
CREATE TABLE chain AS SELECT i AS x, i * 7 % 1009 AS y, i * 11 % 997 AS z FROM generate_series(1, 900) AS i;
CREATE TABLE chain_control AS SELECT i AS x, i * 7 % 1009 AS y, i * 11 % 997 AS z FROM generate_series(901, 1200) AS i;
SELECT sdc.create_policy('copies', 'chain', '{"x,y,z": {"method": "synthesize", "minbucket": 1, "smooth": false}}',
  '[{"attack": "closest_record", "<=": 0.05, "params": {"control": "synthetic_policy.chain_control"}}, {"measure": "records", ">=": 900}]', '{"keys": ["x", "y", "z"]}');
\set VERBOSITY sqlstate
CALL sdc.release('copies', 'synthetic_policy.copied', seed => 4611686018427387906);
\set VERBOSITY terse
SELECT no_figures(line) AS line FROM regexp_split_to_table((SELECT sdc.report(max(release), 'text') FROM sdc.releases('copies')), E'\n') AS line WHERE line ~ '<=|>=';
SELECT to_regclass('copied');
SELECT sdc.drop_policy('copies');

-- Night after night: who keeps the records of all nights sees more and more of
-- what they are drawn from, so the same originals have the same records, and
-- the records of all versions are attacked together.
CREATE TABLE wards AS SELECT i AS id, i * 7919 % 97 AS age, 'm' || i * 31 % 7 AS ward, i * 17 % 13 * 100 + i % 5 AS pay, i * i % 50 AS days FROM generate_series(1, 3000) AS i;
CREATE TABLE wards_control AS SELECT id, id * 7919 % 97 AS age, ward, pay, days FROM wards LIMIT 0;
INSERT INTO wards_control SELECT i, i * 7919 % 97, 'm' || i * 31 % 7, i * 17 % 13 * 100 + i % 5, i * i % 50 FROM generate_series(3001, 3700) AS i;
SELECT sdc.declare('wards', id => 'id', keys => '{age,ward,pay,days}');
SELECT sdc.create_policy('wards', 'wards', '{"age,ward,pay,days": {"method": "synthesize", "minbucket": 2, "smooth": false, "rare": 0}}',
  '[{"attack": "closest_record", "<=": 0.55, "params": {"control": "synthetic_policy.wards_control"}}]', '{"schema": "synthetic_policy", "table": "wards_published", "keep_versions": 3}');
CALL sdc.release('wards');
CREATE TABLE first_night AS TABLE wards_published;
CALL sdc.release('wards');
SELECT count(*) AS differ FROM (TABLE wards_published EXCEPT ALL TABLE first_night) AS d;
SELECT count(*), count(DISTINCT cell) AS nights, count(DISTINCT drawn) AS draws, count(last) AS closed FROM sdc.release_values('wards', 'wards');
-- One person's stay is longer: all records are others, and two nights are too many.
UPDATE wards SET days = days + 1 WHERE id = 1;
\set VERBOSITY sqlstate
CALL sdc.release('wards');
\set VERBOSITY terse
SELECT status, measures -> 0 -> 'versions' AS versions, (a ->> 'found')::float8 < 0.55 AS below, reason ~ 'those of the 2 versions that are kept together' AS together FROM sdc.releases('wards') AS r, jsonb_array_elements(r.measures -> 0 -> 'attacks') AS a WHERE a ->> 'attack' = 'closest_record' ORDER BY release;
-- A refusal is not remembered; with other columns nothing can be put together.
SELECT count(*) AS differ FROM (TABLE wards_published EXCEPT ALL TABLE first_night) AS d;
SELECT count(*), count(DISTINCT drawn) AS draws, count(last) AS closed FROM sdc.release_values('wards', 'wards');
SELECT sdc.create_policy('wards', 'wards', '{"age,ward,pay,days": {"method": "synthesize", "minbucket": 2, "smooth": false, "rare": 0}}',
  '[{"attack": "closest_record", "<=": 1, "params": {"control": "synthetic_policy.wards_control"}}]', '{"schema": "synthetic_policy", "table": "wards_published", "keep_versions": 3}');
CALL sdc.release('wards');
UPDATE wards SET days = days + 1 WHERE id = 2;
CALL sdc.release('wards');
UPDATE wards SET days = days + 1 WHERE id = 3;
CALL sdc.release('wards');
SELECT status, measures -> 0 -> 'versions' AS versions FROM sdc.releases('wards') ORDER BY release;
SELECT count(*), count(DISTINCT drawn) AS draws, count(last) AS closed FROM sdc.release_values('wards', 'wards');
SELECT count(*) AS differ FROM ((SELECT value FROM sdc.release_values('wards', 'wards') WHERE last IS NULL) EXCEPT ALL (SELECT ARRAY[age::text, ward, pay::text, days::text] FROM wards_published)) AS d;
-- params.fresh draws anew whatever the originals are; a seed given decides alone.
SELECT sdc.create_policy('wards', 'wards', '{"age,ward,pay,days": {"method": "synthesize", "minbucket": 2, "smooth": false, "rare": 0}}',
  '[{"attack": "closest_record", "<=": 1, "params": {"control": "synthetic_policy.wards_control"}}]', '{"schema": "synthetic_policy", "table": "wards_published", "keep_versions": 3, "fresh": true}');
CREATE TABLE last_night AS TABLE wards_published;
CALL sdc.release('wards');
SELECT count(*) > 300 AS differ FROM (TABLE wards_published EXCEPT ALL TABLE last_night) AS d;
CALL sdc.release('wards', seed => 4611686018427387905);
CREATE TABLE seeded AS TABLE wards_published;
DELETE FROM wards WHERE id = 3000;
CALL sdc.release('wards', seed => 4611686018427387905);
SELECT count(*) > 0 AS differ FROM (TABLE wards_published EXCEPT ALL TABLE seeded) AS d;
-- Records of other rules, and of another policy, are put together with them.
SELECT sdc.create_policy('wards', 'wards', '{"age,ward,pay,days": {"method": "synthesize", "minbucket": 3}}',
  '[{"attack": "closest_record", "<=": 1, "params": {"control": "synthetic_policy.wards_control"}}]', '{"schema": "synthetic_policy", "table": "wards_published", "keep_versions": 12}');
CALL sdc.release('wards');
SELECT sdc.create_policy('wards_2', 'wards', '{"ward,age,pay,days": {"method": "synthesize", "minbucket": 3}}',
  '[{"attack": "closest_record", "<=": 1, "params": {"control": "synthetic_policy.wards_control"}}]', '{"schema": "synthetic_policy", "table": "wards_2"}');
CALL sdc.release('wards_2');
SELECT sdc.create_policy('wards_2', 'wards', '{"pay": {"method": "add_noise", "alpha": 0.5}}', '[{"attack": "worst", "<=": 1}]', '{"schema": "synthetic_policy", "table": "wards_2"}');
CALL sdc.release('wards_2');
CALL sdc.release('wards');
SELECT p AS policy, row_number() OVER (PARTITION BY p ORDER BY release) AS night, status, measures -> 0 -> 'versions' ->> 'draws' AS draws FROM unnest('{wards,wards_2}'::text[]) AS p, sdc.releases(p) WHERE release > (SELECT max(release) - 4 FROM unnest('{wards,wards_2}'::text[]) AS q, sdc.releases(q)) ORDER BY release;
SELECT sdc.drop_policy('wards_2');
SELECT sdc.drop_policy('wards');

-- Fakes of a rule: a name that goes with the sex that is drawn, nobody's.
CREATE TABLE clerks (id int PRIMARY KEY, name text NOT NULL, sex text, age int);
INSERT INTO clerks SELECT i, 'Q' || i, CASE WHEN i % 3 = 0 THEN 'f' ELSE 'm' END, 20 + i * 7919 % 40 FROM generate_series(1, 600) AS i;
CREATE TABLE clerks_control AS SELECT i AS id, 'Q' || i AS name, CASE WHEN i % 3 = 0 THEN 'f' ELSE 'm' END AS sex, 20 + i * 7919 % 40 AS age FROM generate_series(601, 900) AS i;
SELECT sdc.declare('clerks', id => 'id', keys => '{age,sex}');
SELECT step, subject, method, detail FROM sdc.mask('clerks', '{"name,sex,age": {"method": "synthesize", "fakes": {"name": "first_name"}, "locale": "de", "sex": "sex"}}', 'made_clerks', seed => 1) WHERE step IN ('mask', 'withhold');
SELECT count(*), count(name), count(*) FILTER (WHERE name ~ '^Q[0-9]') AS kept FROM made_clerks;
SELECT count(*) AS of_both FROM (SELECT name FROM made_clerks WHERE sex = 'f' INTERSECT SELECT name FROM made_clerks WHERE sex = 'm') AS n;
SELECT count(*) AS same FROM sdc.synthesize('clerks', 'same_clerks', '{name,sex,age}', '{"fakes": {"name": "first_name"}, "locale": "de", "sex": "sex"}', sdc.mask_seed('name,sex,age', 1));
SELECT count(*) AS differ FROM (TABLE made_clerks EXCEPT ALL TABLE same_clerks) AS d;
SELECT sdc.mask('clerks', '{"sex,age": {"method": "synthesize", "fakes": {"name": "first_name"}}}', 'no');
SELECT sdc.mask('clerks', '{"name,age": {"method": "synthesize", "fakes": {"name": "forename"}}}', 'no');
SELECT sdc.mask('clerks', '{"name,age": {"method": "synthesize", "fakes": {"name": "first_name"}, "sex": "sex"}}', 'no');
SELECT sdc.mask('clerks', '{"name,age": {"method": "synthesize", "fakes": "name"}}', 'no');
SELECT sdc.create_policy('clerks', 'clerks', '{"name,sex,age": {"method": "synthesize", "fakes": {"name": "first_name"}, "sex": "sex"}}',
  '[{"attack": "singling_out", "<=": 0.3, "params": {"control": "synthetic_policy.clerks_control"}}, {"measure": "records", ">=": 600}]');
CALL sdc.release('clerks', 'synthetic_policy.clerks_published', seed => 4611686018427387907);
SELECT count(*), count(*) FILTER (WHERE name ~ '^Q[0-9]') AS kept FROM clerks_published;
SELECT sdc.drop_policy('clerks');

-- Candidates beside masks; and one that is weaker or stronger.
SELECT rules, risk < 0.3 AS low, loss > 0 AS loses FROM sdc.frontier('staff', '[{"age,town,spent": {"method": "synthesize", "minbucket": [5, 100]}}, {"age": {"method": "rank_swap", "p": 20}, "town": {"method": "shuffle"}, "spent": {"method": "rank_swap", "p": 20}}]', 'id', '{age,town}', '{spent}',
  params => '{"risk": {"attack": "linkability"}, "repeats": 1}', seed => 1) ORDER BY candidate;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA synthetic_policy CASCADE;
