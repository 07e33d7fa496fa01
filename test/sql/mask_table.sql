-- mask_table: methods of a whole table as rules, in mask, a policy, the gate and frontier.
\set SHOW_CONTEXT never

CREATE TABLE patient (id int PRIMARY KEY, age int, sex text, zip text, illness text, income int);
INSERT INTO patient SELECT i, 20 + i * 7 % 60, CASE WHEN i % 3 = 0 THEN 'm' ELSE 'f' END, (10000 + i * 37 % 500)::text, 'illness ' || i % 4, i * i % 997
FROM generate_series(1, 120) AS i;
SELECT sdc.create_hierarchy('mask_table_age', 'numeric', '{"widths": [10, 20, 40], "bottom": 20, "top": 80}');
SELECT sdc.create_hierarchy('mask_table_zip', 'prefix', '{"length": 5}');
SELECT sdc.declare('patient', 'id', keys => '{age,sex,zip}', sensitive => '{illness,income}');
CREATE FUNCTION k_of(relation regclass) RETURNS float8 LANGUAGE sql AS $$
SELECT value FROM sdc.risk_report(relation, '{age,sex,zip}', measures => '{k_anonymity}') $$;
\set hierarchies '"hierarchies": {"age": "mask_table_age", "zip": "mask_table_zip"}'
SELECT format('{"age,sex,zip": {"method": "anonymize", "k": 5, %s}, "income": {"method": "rank_swap", "p": 10}}', :'hierarchies') AS anonymize,
       format('{"age,sex,zip": {"method": "recode_locally", "k": 5, %s}, "income": {"method": "rank_swap", "p": 10}}', :'hierarchies') AS recode \gset

-- What the function does, on what the other rules leave.
SELECT step, subject, method FROM sdc.mask('patient', :'anonymize', 'anonymized', seed => 1) WHERE step = 'mask';
SELECT k_of('anonymized') >= 5 AS holds, count(*) FROM anonymized;
SELECT count(*) FROM sdc.anonymize('patient', 'by_function', '{age,sex,zip}', k => 5, params => format('{%s}', :'hierarchies')::jsonb) \g /dev/null
SELECT count(*) AS differences FROM (SELECT id, age, sex, zip FROM anonymized EXCEPT SELECT id, age, sex, zip FROM by_function) AS d;
SELECT step, subject, method FROM sdc.mask('patient', :'recode', 'recoded', seed => 1) WHERE step = 'mask';
SELECT k_of('recoded') >= 5 AS holds, count(*) FROM recoded;
SELECT count(*) FROM sdc.recode_locally('patient', 'by_function_2', 'id', '{age,sex,zip}', k => 5, params => format('{%s}', :'hierarchies')::jsonb) \g /dev/null
SELECT count(*) AS differences FROM (SELECT id, age, sex, zip FROM recoded EXCEPT SELECT id, age, sex, zip FROM by_function_2) AS d;
-- l is about the declared sensitive columns, or those that the rule names.
SELECT count(*) > 0 AS steps FROM sdc.mask('patient', format('{"age,sex,zip": {"method": "anonymize", "k": 3, "l": 2, "variant": "entropy", "sensitive": "illness", %s}}', :'hierarchies')::jsonb, 'diverse');
SELECT value >= 2 AS holds FROM sdc.risk_report('diverse', '{age,sex,zip}', '{illness}', measures => '{l_entropy}');

-- anatomize: values permuted within diverse groups, and nothing else is touched.
SELECT step, subject, method FROM sdc.mask('patient', '{"illness": {"method": "anatomize", "l": 3}}', 'anatomized', seed => 1) WHERE step = 'mask';
WITH g AS (SELECT id, sdc.diverse_group(illness, 3) OVER (ORDER BY id) AS g FROM patient)
SELECT bool_and(was = now) AS same_values, bool_and(largest * 3 <= n) AS diverse
FROM (SELECT g.g, array_agg(o.illness ORDER BY o.illness) AS was, array_agg(m.illness ORDER BY m.illness) AS now, count(*) AS n,
             max(c.n) AS largest
      FROM g JOIN patient AS o USING (id) JOIN anatomized AS m USING (id)
      JOIN (SELECT g.g, o.illness, count(*) AS n FROM g JOIN patient AS o USING (id) GROUP BY 1, 2) AS c ON c.g = g.g AND c.illness = o.illness
      WHERE g.g IS NOT NULL GROUP BY g.g) AS s;
SELECT count(*) AS others FROM (SELECT id, age, sex, zip, income FROM patient EXCEPT SELECT id, age, sex, zip, income FROM anatomized) AS d;

SELECT subject, method, bool_and(exact) AS exact, bool_and(contains_own) AS contains_own
FROM sdc.candidate_sets('patient', 'anatomized', '{"illness": {"method": "anatomize", "l": 3}}', 'id', '{illness,zip}') GROUP BY 1, 2 ORDER BY 1;
-- A policy, the gate, the intruder who knows the rules, frontier.
SELECT sdc.create_policy('mask_table', 'patient', :'anonymize', '[{"measure": "k_anonymity", ">=": 5}, {"attack": "transparency", "<=": 1}]',
  '{"schema": "public", "table": "patient_published"}');
CALL sdc.release('mask_table', seed => 4611686018427387905);
SELECT status FROM sdc.releases('mask_table');
SELECT k_of('patient_published') >= 5 AS holds;
SELECT count(DISTINCT id) AS looked_for FROM sdc.attack_transparency('patient', 'anonymized', :'anonymize', 'id', '{age,sex,zip}');
-- The intruder who has the hierarchies tries every level: his sets hold the own
-- record, and are those of SQL that compares all pairs on all levels.
CREATE FUNCTION levels_by_hand(masked regclass) RETURNS TABLE (id text, candidates bigint) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format($q$SELECT o.id::text, count(m.id) FROM patient AS o LEFT JOIN %s AS m
    ON m.sex::text IN (o.sex::text, '*')
   AND EXISTS (SELECT FROM generate_series(0, sdc.hierarchy_height('mask_table_age')) AS l WHERE m.age::text = sdc.generalize(o.age, 'mask_table_age', l))
   AND EXISTS (SELECT FROM generate_series(0, sdc.hierarchy_height('mask_table_zip')) AS l WHERE m.zip::text = sdc.generalize(o.zip, 'mask_table_zip', l))
    GROUP BY o.id$q$, masked);
END $$;
SELECT count(*) FILTER (WHERE s.candidates <> h.candidates) AS differences, bool_and(contains_own) AS contains_own, bool_and(exact) AS exact,
       max(s.candidates) < 120 AS excluded
FROM sdc.candidate_sets('patient', 'anonymized', :'anonymize', 'id', '{age,sex,zip}') AS s JOIN levels_by_hand('anonymized') AS h USING (id) WHERE s.subject = '*';
SELECT count(*) FILTER (WHERE s.candidates <> h.candidates) AS differences, bool_and(contains_own) AS contains_own, bool_and(exact) AS exact,
       max(s.candidates) < 120 AS excluded
FROM sdc.candidate_sets('patient', 'recoded', :'recode', 'id', '{age,sex,zip}') AS s JOIN levels_by_hand('recoded') AS h USING (id) WHERE s.subject = '*';
SELECT subject, count(*) AS records, bool_and(contains_own) AS contains_own FROM sdc.candidate_sets('patient', 'recoded', :'recode', 'id', '{age,sex,zip}')
GROUP BY 1 ORDER BY 1;
-- who knows few of the people is not misled by values that he cannot place
CREATE VIEW few_patients AS SELECT * FROM patient WHERE id % 40 = 0;
SELECT bool_and(contains_own) AS contains_own FROM sdc.candidate_sets('few_patients', 'recoded', :'recode', 'id', '{age,sex,zip}');
DROP VIEW few_patients;
DROP FUNCTION levels_by_hand(regclass);
-- a rule that excludes nobody is told once in a statement
SELECT (SELECT count(*) FROM sdc.candidate_sets('patient', 'patient', '{"age,sex": {"method": "synthesize"}}', 'id', '{age,sex}') WHERE subject = '*' AND candidates = 120) AS first,
       (SELECT count(*) FROM sdc.candidate_sets('patient', 'patient', '{"age,sex": {"method": "synthesize"}}', 'id', '{age,sex}') WHERE subject = '*' AND candidates = 120) AS second;
SELECT rules #>> ARRAY['age,sex,zip', 'k'] AS k, passed FROM sdc.frontier('patient',
  format('{"age,sex,zip": {"method": "recode_locally", "k": [2, 5], %s}}', :'hierarchies')::jsonb, 'id', '{age,sex,zip}', '{illness}',
  '[{"measure": "k_anonymity", ">=": 5}]', seed => 1) ORDER BY 1;

-- What cannot be combined, and what cannot be.
CREATE FUNCTION refused(rules jsonb, target text DEFAULT 'nowhere') RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
  PERFORM sdc.mask('patient', rules, target);
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(E'\n', SQLERRM, nullif(detail, ''));
END $$;
SELECT refused('{"age,sex": {"method": "anonymize", "k": 5}, "sex,zip": {"method": "suppress", "k": 5}}');
SELECT refused('{"age,sex": {"method": "anonymize", "k": 5}, "zip": {"method": "suppress", "k": 5}}');
SELECT refused('{"age,sex": {"method": "anonymize", "k": 5}, "age": {"method": "top_code", "upper": 60}}');
SELECT refused('{"age,sex": {"method": "recode_locally", "k": 5}}', NULL);
SELECT refused('{"age,sex": {"method": "anonymize", "k": 5, "metric": "beauty"}}');
SELECT refused('{"age,sex": {"method": "anonymize", "k": 5, "variant": "best"}}');
SELECT refused('{"age,sex": {"method": "anonymize", "k": 500}}');
SELECT refused('{"age,sex": {"method": "anonymize", "k": 5, "l": 2, "sensitive": "nothing"}}');
SELECT refused('{"illness,income": {"method": "anatomize", "l": 2}}');

SELECT sdc.drop_policy('mask_table');
SELECT sdc.drop_hierarchy(h) FROM unnest(ARRAY['mask_table_age', 'mask_table_zip']) AS h;
DROP FUNCTION k_of, refused;
SET client_min_messages = warning;
DROP TABLE patient, anonymized, by_function, recoded, by_function_2, diverse, anatomized, patient_published;
