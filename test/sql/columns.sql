-- columns: what may be typed where columns are named.

CREATE TABLE asked AS
SELECT i AS id, i % 3 AS age, i % 2 AS city, i % 5 AS "the, ""end""", i % 7 AS "Age"
FROM generate_series(1, 60) AS i;

-- One answer for all forms.
SELECT k.form, r.value FROM (VALUES
  ('list', 'age,city'::sdc.columns), ('spaces', ' age , city '),
  ('array', '{age,city}'), ('array with spaces', ' { age, city }'),
  ('texts', ARRAY['age', 'city']::sdc.columns), ('names', '{age,city}'::name[]::sdc.columns),
  ('varchar', '{age,city}'::varchar[]::sdc.columns)) AS k(form, keys),
  LATERAL sdc.risk_report('asked', k.keys, measures => '{k_anonymity}') AS r;
SELECT value FROM sdc.risk_report('asked', 'age,city', measures => '{k_anonymity}');
SELECT value FROM sdc.risk_report('asked', keys => 'age', measures => '{k_anonymity}');
SELECT value FROM sdc.risk_report('asked', ARRAY['age', 'city'], measures => '{k_anonymity}');
SELECT r.value
FROM (SELECT array_agg(column_name) AS keys FROM information_schema.columns
      WHERE table_name = 'asked' AND column_name IN ('age', 'city')) AS s,
  LATERAL sdc.risk_report('asked', s.keys, measures => '{k_anonymity}') AS r;
SELECT r.value
FROM (SELECT array_agg(attname) AS keys FROM pg_attribute
      WHERE attrelid = 'asked'::regclass AND attname IN ('age', 'city')) AS s,
  LATERAL sdc.risk_report('asked', s.keys, measures => '{k_anonymity}') AS r;
PREPARE typed AS SELECT value FROM sdc.risk_report('asked', $1, measures => '{k_anonymity}');
EXECUTE typed('age');
DEALLOCATE typed;
-- Names of measures are typed like names of columns.
SELECT m.form, count(*), min(r.measure COLLATE "C")
FROM (VALUES ('one', 'k_anonymity'::sdc.columns), ('list', 'k_anonymity, classes'),
             ('array', '{k_anonymity,classes}'),
             ('texts', ARRAY['k_anonymity', 'classes']::sdc.columns)) AS m(form, measures),
     LATERAL sdc.risk_report('asked', 'age', measures => m.measures) AS r
GROUP BY m.form ORDER BY m.form COLLATE "C";
SELECT count(*) FROM sdc.utility_report('asked', 'asked', 'id', 'age', measures => 'mean');
SELECT count(*) FROM sdc.disclosure_report('asked', 'asked', 'id', 'age',
    measures => 'unchanged_share', seed => 1) WHERE measure = 'unchanged_share';
SELECT DISTINCT measure COLLATE "C" AS measure FROM sdc.gdpr_report('asked', 'asked', 'age,city',
    measures => 'closest_record', seed => 1) ORDER BY 1;
SELECT * FROM sdc.risk_report('asked', 'age', measures => 'k_anonymous');
SELECT * FROM sdc.risk_report('asked', 'age', measures => '');

-- Case counts; quotes where a name needs them.
SELECT value FROM sdc.risk_report('asked', 'Age', measures => '{classes}');
SELECT value FROM sdc.risk_report('asked', '"the, ""end""",age', measures => '{classes}');
SELECT 'age, "the, ""end"""'::sdc.columns, '{}'::sdc.columns, ''::sdc.columns,
       'x'::sdc.columns::name[];
SELECT sdc.declare('asked', id => 'id', keys => 'age,city', sensitive => 'Age');
SELECT column_name, role FROM sdc.declared('asked');

-- What is not a list of columns.
SELECT 'age,,city'::sdc.columns;
SELECT 'age,"city'::sdc.columns;
SELECT ARRAY['age', NULL]::text[]::sdc.columns;
SELECT * FROM sdc.risk_report('asked', 'age;city');
SELECT * FROM sdc.risk_report('asked', '["age","city"]');
SELECT * FROM sdc.risk_report('asked', '(age,city)');
SELECT * FROM sdc.risk_report('asked', '{age,city');
SELECT * FROM sdc.risk_report('asked', '''age'',''city''');
SELECT * FROM sdc.risk_report('asked', '');
SELECT * FROM sdc.risk_report('asked', 'age,age');
SELECT * FROM sdc.risk_report('asked', '{age,NULL}');
DROP TABLE asked;
