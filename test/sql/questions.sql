-- gdpr_report and its attacks: singling out, linkability, inference, copies.
\set SHOW_CONTEXT never
\set VERBOSITY terse
SET sdc.progress_interval = 0;
CREATE TABLE person AS
SELECT i AS id, i * 7919 % 60 + 20 AS age, 'town ' || i * i % 23 AS town, date '1990-01-01' + i * 37 % 4001 AS since,
       CASE WHEN i % 13 = 0 THEN NULL ELSE (i * 104729::bigint % 90001)::numeric / 10 END AS income, (i * i % 7)::float8 AS "odd ""one"
FROM generate_series(1, 3000) AS i;
CREATE TABLE used AS SELECT * FROM person WHERE id % 4 > 0;
CREATE TABLE control AS SELECT * FROM person WHERE id % 4 = 0;
CREATE TABLE others AS SELECT id, age, town, since, income, "odd ""one" FROM (SELECT i AS id, i * 7919 % 60 + 20 AS age, 'town ' || i * i % 23 AS town, date '1990-01-01' + i * 37 % 4001 AS since,
       CASE WHEN i % 13 = 0 THEN NULL ELSE (i * 104729::bigint % 90001)::numeric / 10 END AS income, (i * i % 7)::float8 AS "odd ""one"
  FROM generate_series(20001, 23000) AS i) AS s;
SELECT sdc.declare('used', id => 'id', keys => '{age,town,since}', sensitive => '{income}');

-- The original published as it is: everything is found.  An independent draw: nothing.
SELECT measure, subject, value > 0.9 AS found FROM sdc.gdpr_report('used', 'used', control => 'control', params => '{"n": 500, "columns": 4}', seed => 1) WHERE measure !~ '_(rate|upper|median|quantile|nearer)$' ORDER BY measure COLLATE "C", subject COLLATE "C";
SELECT measure, subject, value < 0.13 AS nothing FROM sdc.gdpr_report('used', 'others', control => 'control', params => '{"n": 500, "columns": 4}', seed => 1) WHERE measure !~ '_(rate|upper|median|quantile|nearer)$' ORDER BY measure COLLATE "C", subject COLLATE "C";
-- Synthetic records are in between, copies are not.
SELECT count(*) FROM sdc.synthesize('used', 'synthetic', seed => 1);
SELECT measure, subject, round(value::numeric, 3) AS value, detail FROM sdc.gdpr_report('used', 'synthetic', '{age,town,since}', '{income}', 'control', params => '{"n": 400}', seed => 1);

-- The order of the rows does not matter, the seed does; all are attacked when they are few.
CREATE TABLE shuffled AS SELECT * FROM synthetic ORDER BY md5(id::text);
SELECT count(*) AS differ FROM (
  (SELECT * FROM sdc.gdpr_report('used', 'synthetic', params => '{"n": 100}', seed => 2) EXCEPT ALL SELECT * FROM sdc.gdpr_report('used', 'shuffled', params => '{"n": 100}', seed => 2))) AS d;
SELECT count(*) > 0 AS differ FROM (
  (SELECT * FROM sdc.gdpr_report('used', 'synthetic', params => '{"n": 100}', seed => 2) EXCEPT ALL SELECT * FROM sdc.gdpr_report('used', 'synthetic', params => '{"n": 100}', seed => 3))) AS d;
-- Without a control what everybody can infer is in it; other params; one measure.
SELECT measure, subject, value > 0 AS value FROM sdc.gdpr_report('used', 'synthetic', measures => '{nearest_inference}', params => '{"secret": ["odd \"one", "town"], "tolerance": 0.5}') WHERE measure = 'nearest_inference' ORDER BY subject;
SELECT measure, subject, value > 0 AS value, detail ~ 'without a control' AS told FROM sdc.gdpr_report('used', 'synthetic', measures => '{linkability}', params => '{"sides": ["age,since", "income, town"], "k": 20}', seed => 1) WHERE measure = 'linkability';

-- As attacks: disclosure_report, the gate, and copies that are refused for the right reason.
SELECT measure, subject, round(value::numeric, 2) AS value, detail FROM sdc.disclosure_report('used', 'used', measures => '{singling_out,linkability,nearest_inference,closest_record}', seed => 1) WHERE measure = 'found';
SELECT sdc.create_policy('questions', 'used', '{"age": {"method": "round_to", "base": 5}}',
  '[{"attack": "closest_record", "<=": 0.05, "params": {"control": "public.control"}}, {"attack": "linkability", "<=": 0.5, "params": {"control": "public.control", "n": 500}},
    {"attack": "singling_out", "<=": 0.5, "params": {"control": "public.control", "n": 200}}, {"attack": "nearest_inference", "<=": 0.5, "params": {"control": "public.control", "n": 200}}]');
SELECT requirement, passed, value > 0.9 AS high FROM sdc.check_release('questions', 'used', '{"seed": 1}');
SELECT requirement, passed, value > 0.9 AS high FROM sdc.check_release('questions', 'synthetic', '{"seed": 1}');
SELECT sdc.drop_policy('questions');

-- Other types, nothing to find, no records, one column.
CREATE TABLE coarse AS SELECT id, age / 10 * 10 || '-' AS age, town, since::timestamp, NULL::numeric AS income FROM used;
SELECT measure, subject, value IS NOT NULL AS has FROM sdc.gdpr_report('used', 'coarse', '{age,town,since,income}', seed => 1) WHERE measure !~ '_(rate|upper)$' ORDER BY 1, 2;
CREATE TABLE none AS SELECT * FROM used LIMIT 0;
SELECT count(*) FROM sdc.gdpr_report('used', 'none');
SELECT count(*) FROM sdc.gdpr_report('none', 'used');
SELECT count(*) > 0 AS lines FROM sdc.gdpr_report('used', 'used', control => 'none', params => '{"n": 50}');
SELECT detail FROM sdc.disclosure_report('used', 'none', measures => '{closest_record}') WHERE measure = 'found';

-- What is refused.
SELECT * FROM sdc.gdpr_report(NULL, 'used');
SELECT * FROM sdc.gdpr_report('used', NULL);
SELECT * FROM sdc.gdpr_report('used', 'used', '{nix}');
SELECT * FROM sdc.gdpr_report('used', 'coarse', '{"odd \"one"}');
SELECT * FROM sdc.gdpr_report('used', 'used', '{age}', measures => '{linkability}');
SELECT * FROM sdc.gdpr_report('used', 'used', measures => '{nix}');
SELECT * FROM sdc.gdpr_report('used', 'used', params => '{"n": 0}');
SELECT * FROM sdc.gdpr_report('used', 'used', params => '{"nix": 0}');
SELECT * FROM sdc.gdpr_report('used', 'used', params => '{"sides": ["age"]}');
SELECT * FROM sdc.gdpr_report('used', 'used', params => '{"sides": ["age", "age,town"]}');
SELECT * FROM sdc.gdpr_report('used', 'used', params => '{"sides": ["age", "nix"]}');
SELECT * FROM sdc.gdpr_report('used', 'used', params => '{"secret": "nix"}');
SELECT * FROM sdc.gdpr_report('used', 'used', control => 'coarse');
CREATE ROLE regress_asking;
GRANT USAGE ON SCHEMA sdc TO regress_asking;
SET ROLE regress_asking;
SELECT * FROM sdc.gdpr_report('used', 'used', '{age,town}');
RESET ROLE;
REVOKE USAGE ON SCHEMA sdc FROM regress_asking;
DROP ROLE regress_asking;
DROP TABLE person, used, control, others, synthetic, shuffled, coarse, none;
