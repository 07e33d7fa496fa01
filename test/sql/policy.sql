-- policy: rules and constraints as they are written down, and the gate.

\set SHOW_CONTEXT never

CREATE SCHEMA policy;
SET search_path = policy, public;
CREATE SCHEMA policy_out;
SELECT count(*) AS before FROM sdc.policy \gset

CREATE TABLE people (id integer PRIMARY KEY, name text, age integer,
                     zip text, income float8);
INSERT INTO people
SELECT i, 'n' || i, 20 + i % 10, 'z' || i % 3, 1000 + i * i % 997
FROM generate_series(1, 120) AS i;
SELECT sdc.declare('people', id => 'id', identifiers => '{name}',
                   keys => '{age,zip}', sensitive => '{income}');

-- What is written comes back, tables in the order they were added.
SELECT sdc.create_policy('q', 'people',
    '{"income": {"method": "rank_swap", "p": 10}}',
    '[{"measure": "k_anonymity", ">=": 3},
      {"attack": "distance", "stat": "reid_d", "<=": 0.1}]',
    '{"schema": "policy_out", "table": "open people"}');
CREATE TABLE "Odd ""name""" AS SELECT id, zip AS "zip, code" FROM people;
SELECT sdc.create_policy('q', '"Odd ""name"""',
    '{"zip, code": {"method": "constant", "value": "z"}}', '[]',
    '{"id": "id", "drop": ["id"]}');
SELECT jsonb_pretty(sdc.policy_json('q'));

-- The same table again: in place of what was said of it.
SELECT sdc.create_policy('q', 'people', '{}',
    '[{"measure": "k_anonymity", ">": 2.5e0}]');
SELECT r -> 'relation' AS rel, r -> 'rules' AS rules, r -> 'constraints' AS constraints
FROM jsonb_array_elements(sdc.policy_json('q') -> 'relations') AS r;

-- Out and in again, for version control: nothing changes; and a document
-- replaces the whole policy.
SELECT sdc.policy_json('q') AS document \gset
SELECT sdc.create_policy(:'document'::jsonb);
SELECT sdc.policy_json('q') = :'document'::jsonb AS same;
SELECT sdc.create_policy('{"policy": "q", "relations": [{"relation": "policy.people",
    "rules": {}, "constraints": []}]}');
SELECT sdc.policy_json('q');
SELECT sdc.drop_policy('q');
SELECT sdc.policy_json('q');
SELECT sdc.drop_policy('q');

-- Every word is looked up when a policy is written.  A function makes the
-- calls shorter.
CREATE FUNCTION write(constraints jsonb) RETURNS void LANGUAGE sql AS
$$ SELECT sdc.create_policy('q', 'policy.people', '{}', constraints) $$;
SELECT write('{"measure": "k_anonymity", ">=": 3}');
SELECT write('5');
SELECT write('[7]');
SELECT write('[{"measure": "k_anonymity", ">=": 3}, []]');
SELECT write('[{"measure": "k_anonymity", ">=": 3}, {">=": 3}]');
SELECT write('[{"measure": "k_anonymity", "attack": "distance", ">=": 3}]');
SELECT write('[{"measure": "k_anonimity", ">=": 3}]');
SELECT write('[{"measure": 3, ">=": 3}]');
SELECT write('[{"attack": "brute_force", "<=": 0.1}]');
SELECT write('[{"attack": "distance", "stat": "reid", "<=": 0.1}]');
SELECT write('[{"attack": "distance", "subject": "age", "<=": 0.1}]');
SELECT write('[{"disclosure": "reid_k", "<=": 0.1}]');
SELECT write('[{"measure": "k_anonymity"}]');
SELECT write('[{"measure": "k_anonymity", ">=": 3, "<": 9}]');
SELECT write('[{"measure": "k_anonymity", ">=": "3"}]');
SELECT write('[{"measure": "k_anonymity", ">=": null}]');
SELECT write('[{"measure": "k_anonymity", ">=": 1e999}]');
SELECT write('[{"attack": "worst", "<=": 5}]');
SELECT write('[{"attack": "distance", "<": -0.1}]');
SELECT write('[{"measure": "unique_share", "<=": 1.01}]');
SELECT write('[{"measure": "k_anonymity", "=": 3}]');
SELECT write('[{"measure": "k_anonymity", ">=": 3, "params": 1}]');
SELECT write('[{"measure": "k_anonymity", ">=": 3, "params": {"null": "any"}}]');
SELECT write('[{"utility": "mean", "<=": 3, "params": {"bin": 3}}]');
-- So is every key of params of every attack, by itself and under "worst".
CREATE FUNCTION says(constraints jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE message text; hint text;
BEGIN
    PERFORM policy.write(constraints);
    RETURN 'accepted';
EXCEPTION WHEN invalid_parameter_value THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    RETURN message || COALESCE(NULLIF('. ' || hint, '. '), '');
END $$;
SELECT h.attack, replace(a.a, 'unrecognized key "no_such" in argument "params". ', '') AS says,
       w.w = a.a AS worst
FROM (SELECT topic::jsonb ->> 'attack' AS attack FROM sdc.help('attacks')) AS h,
     says(jsonb_build_array(jsonb_build_object('attack', h.attack, '<=', 1,
         'params', '{"no_such": 1}'::jsonb))) AS a,
     says(jsonb_build_array(jsonb_build_object('attack', 'worst', '<=', 1,
         'params', jsonb_build_object(h.attack, '{"no_such": 1}'::jsonb)))) AS w
ORDER BY h.attack COLLATE "C";
-- And so is every value: none of these can stand under any key of any attack.
WITH asked AS (
    SELECT topic::jsonb ->> 'attack' AS attack, NULL AS variant
    FROM sdc.help('attacks')
    UNION ALL SELECT 'distance', unnest('{mahalanobis,wm,owa,choquet,choquet2,bilinear,gower}'::text[])),
known AS (
    SELECT attack, variant, matched[1] AS key
    FROM asked, regexp_matches(split_part(says(jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
             'attack', attack, 'variant', variant, '<=', 1,
             'params', '{"no_such": 1}'::jsonb)))), 'Valid keys are', 2), '"(\w+)"', 'g') AS matched)
SELECT count(*) > 100 AS many, count(DISTINCT attack) =
           (SELECT count(*) FROM sdc.help('attacks')) AS every_one,
       string_agg(DISTINCT format('%s %s: %s', attack, key, s.s), E'\n')
           FILTER (WHERE s.s !~ ('^key "' || key || '" in argument "params" must be ')) AS others
FROM known, unnest(ARRAY['null', '[null]', '-1e300', '[[1, 2]]', '{"no such": null}']::jsonb[]) AS value,
     says(jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
         'attack', attack, 'variant', variant, '<=', 1)) ||
         jsonb_build_object('params', jsonb_build_object(key, value)))) AS s
WHERE NOT (key = 'rules' AND jsonb_typeof(value) = 'object');
-- A column that is not there is told when the policy is written, too, whatever
-- key names it: here under every key that takes it.
CREATE FUNCTION told(rules jsonb, constraints jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE message text; hint text; context text;
BEGIN
    PERFORM sdc.create_policy('q', 'policy.people', rules, constraints);
    RETURN 'accepted';
EXCEPTION WHEN undefined_column OR undefined_table OR undefined_object OR invalid_parameter_value THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT,
        context = PG_EXCEPTION_CONTEXT;
    RETURN concat_ws('. ', message, NULLIF(rtrim(hint, '.'), ''),
        NULLIF(rtrim(regexp_replace(context, '(^|\n)SQL.*', ''), E'\n'), ''));
END $$;
SELECT c.key, told('{}', jsonb_build_array(jsonb_strip_nulls(jsonb_build_object('attack', c.attack,
           'variant', c.variant, '<=', 1, 'params', jsonb_build_object(c.key, c.value)))))
FROM (VALUES ('distance', 'gower', 'weights', '{"agee": 1}'::jsonb),
             ('distance', 'gower', 'weights', '{"income": 1}'),
             ('distance', 'gower', 'types', '{"agee": "number"}'),
             ('distance', 'wm', 'weights', '{"age": 1, "zipp": 1}'),
             ('distance', 'choquet', 'capacity', '{"age": 1, "age,zipp": 1}'),
             ('distance', 'choquet', 'capacity', '{"age": 1, "age,zip,income": 1}'),
             ('distance', NULL, 'map', '{"agee": "years"}'),
             ('distance', NULL, 'rules', '{"agee": {"method": "keep"}}'),
             ('mahalanobis', NULL, 'map', '{"agee": "years"}'),
             ('exact', NULL, 'prefix', '{"zipp": 2}'),
             ('exact', NULL, 'prefix', '{"name": 2}'),
             ('probabilistic', NULL, 'compare', '{"agee": "rank"}'),
             ('probabilistic', NULL, 'within', '{"agee": [1]}'),
             ('probabilistic', NULL, 'block', '["name", "city"]'),
             ('transparency', NULL, 'p_bound', '{"agee": 2}'),
             ('linkability', NULL, 'sides', '["age", "zip, city"]'),
             ('nearest_inference', NULL, 'secret', '"incme"'),
             ('worst', NULL, 'linkability', '{"sides": ["age", "zipp"]}')
     ) AS c(attack, variant, key, value);
SELECT c.key, told('{}', jsonb_build_array(jsonb_build_object(c.kind, c.measure, '<=', 1)
           || CASE c.key WHEN 'subject' THEN jsonb_build_object('subject', c.value)
              ELSE jsonb_build_object('params', jsonb_build_object(c.key, c.value)) END))
FROM (VALUES ('measure', 'k_anonymity', 'subject', '"agee, zip"'::jsonb),
             ('measure', 'k_anonymity', 'subject', '"age,zip"'),
             ('measure', 'k_anonymity', 'subject', '"age, zip"'),
             ('measure', 't_hierarchical', 'hierarchy', '{"incme": "h"}'),
             ('measure', 'k_anonymity', 'nulls', '"none"'),
             ('measure', 'l_recursive', 'c', '0'),
             ('measure', 'special_uniques', 'score', '"best"'),
             ('disclosure', 'rank_disclosure', 'subject', '"Income"'),
             ('disclosure', 'rank_disclosure', 'subject', '"income"'),
             ('utility', 'mean', 'subject', '"all columns"'),
             ('utility', 'value_change', 'ordinal', '"zipp"'),
             ('utility', 'tables', 'categories', '["zip", "zipp"]'),
             ('utility', 'average_class', 'keys', '["agee"]'),
             ('utility', 'queries', 'queries', '[{"age": 3}, {"agee": [1, 2]}]'),
             ('utility', 'queries', 'queries', '[{"age": [1, 2]}]'),
             ('utility', 'loss', 'hierarchies', '{"zipp": "zip"}'),
             ('utility', 'pmse', 'max_levels', '1')
     ) AS c(kind, measure, key, value);
SELECT c.method, c.key, told(jsonb_build_object(c.subject,
           ('{"method": "' || c.method || '"}')::jsonb || c.others
           || jsonb_build_object(c.key, c.value)), '[]')
FROM (VALUES ('income', 'rank_swap', '{"p": 5}'::jsonb, 'strata', '["zipp"]'::jsonb),
             ('income', 'rank_swap', '{"p": 5}', 'strata', '"zip"'),
             ('*', 'sample_rows', '{"p": 5}', 'strata', '"zipp"'),
             ('income', 'anatomize', '{"l": 2}', 'strata', '"zipp"'),
             ('age,zip', 'suppress', '{"k": 3}', 'importance', '{"zipp": 2}'),
             ('age,zip', 'suppress', '{"k": 3}', 'importance', '{"income": 2}'),
             ('age,zip', 'anonymize', '{"k": 3}', 'sensitive', '"incme"'),
             ('age,zip', 'anonymize', '{"k": 3}', 'hierarchies', '{"zipp": "zip"}'),
             ('age,zip', 'anonymize', '{"k": 3}', 'weights', '{"income": 1}'),
             ('age,zip', 'anonymize', '{"k": 3}', 'levels', '{"zipp": 1}'),
             ('age,zip', 'recode_locally', '{"k": 3}', 'sensitive', '["incme"]'),
             ('age,zip', 'recode_locally', '{"k": 3}', 'hierarchies', '{"zipp": "zip"}'),
             ('age,zip', 'recode_locally', '{"k": 3}', 'weights', '{"zipp": 1}'),
             ('age', 'shift', '{"domain": "d"}', 'by', '"nme"'),
             ('age,income', 'synthesize', '{}', 'visit', '["zip"]'),
             ('age,income', 'synthesize', '{}', 'ascending', '["agee"]')
     ) AS c(subject, method, others, key, value);
-- So is a hierarchy, or another relation, that is not there.
SELECT c.name, told(c.rules, c.constraints)
FROM (VALUES ('generalize', '{"age": {"method": "generalize", "hierarchy": "agee", "level": 1}}'::jsonb, '[]'::jsonb),
             ('anonymize', '{"age,zip": {"method": "anonymize", "k": 3, "hierarchies": {"age": "agee"}}}', '[]'),
             ('recode_locally', '{"age,zip": {"method": "recode_locally", "k": 3, "hierarchies": {"zip": "no.such"}}}', '[]'),
             ('known rules', '{}', '[{"attack": "distance", "<=": 1, "params": {"rules": {"age": {"method": "generalize", "hierarchy": "agee", "level": 1}}}}]'),
             ('t_hierarchical', '{}', '[{"measure": "t_hierarchical", "<=": 1, "params": {"hierarchy": {"income": "incomes"}}}]'),
             ('t_hierarchical of all', '{}', '[{"measure": "t_hierarchical", "<=": 1, "params": {"hierarchy": "incomes"}}]'),
             ('population', '{}', '[{"measure": "k_anonymity", "<=": 1, "params": {"population": "policy.register"}}]'),
             ('loss', '{}', '[{"utility": "loss", "<=": 1, "params": {"hierarchies": {"zip": "zipp"}}}]'),
             ('control', '{}', '[{"utility": "pmse", "<=": 1, "params": {"control": "policy.held_out"}}]'),
             ('membership', '{}', '[{"attack": "membership", "<=": 1, "params": {"external": "policy.others"}}]'),
             ('composition', '{}', '[{"attack": "composition", "<=": 1, "params": {"releases": ["policy.people", "policy.last_year"]}}]'),
             ('itemset', '{}', '[{"attack": "itemset", "<=": 1, "params": {"link": "policy.who"}}]'),
             ('singling_out', '{}', '[{"attack": "singling_out", "<=": 1, "params": {"control": "\"Control\""}}]'),
             ('worst', '{}', '[{"attack": "worst", "<=": 1, "params": {"membership": {"external": "others"}}}]')
     ) AS c(name, rules, constraints);
SELECT sdc.create_policy('q', 'policy.people', '{}', '[]', '{"protect": {"keys": ["zip"], "rules": {"threshold": 3}, "params": {"hierarchies": {"zip": "zipp"}}}}');
SELECT sdc.drop_policy('q');
SELECT write('[{"attack": "itemset", "<=": 1}]');
SELECT write('[{"attack": "minimality", "<=": 1, "params": {"groups": "g", "l": 0}}]');
SELECT write('[{"attack": "probabilistic", "<=": 1, "params": {"within": {"age": [2, 1]}}}]');
SELECT write('[{"attack": "distance", "variant": "wm", "<=": 1}]');
SELECT write('[{"attack": "linkability", "<=": 1, "params": {"sides": "age"}}]');
SELECT write('[{"attack": "exact", "<=": 1, "params": {"map": {"age": 7}}}]');
SELECT v.variant, says(jsonb_build_array(jsonb_build_object('attack', 'distance',
         'variant', v.variant, '<=', 1, 'params', '{"weights": [1]}'::jsonb))) AS says
FROM unnest('{euclidean,mahalanobis,choquet,choquet2,bilinear}'::text[]) AS v(variant);
SELECT write('[{"attack": "worst", "<=": 1, "params": {"distance": 5}}]');
SELECT write('[{"attack": "distance", "<=": 1, "params": {"direction": "sideways"}}]');
SELECT write('[{"attack": "distance", "<=": 1, "params": {"assignment": "all"}}]');
SELECT write('[{"attack": "distance", "<=": 1, "params": {"rules": []}}]');
SELECT write('[{"attack": "membership", "variant": "oracle", "<=": 1}]');
SELECT write('[{"attack": "inference", "<=": 1, "params": {"depth": -1}}]');
SELECT write(NULL);
SELECT sdc.create_policy('q', 'people', '[]', '[]');
SELECT sdc.create_policy('q', 'people',
    '{"incom": {"method": "rank_swap", "p": 1}}', '[]');
SELECT sdc.create_policy('q', 'people', '{"income": {"method": "eval"}}', '[]');
SELECT sdc.create_policy('q', 'people', '{}', '[]', '{"scheme": "x"}');
SELECT sdc.create_policy('q', 'people', '{}', '[]', '{"drop": ["nome"]}');
SELECT sdc.create_policy('q', 'people', '{}', '[]', '{"keys": ["age", "age"]}');
SELECT sdc.create_policy('q', 'people', '{}', '[]', '{"attacks": ["guess"]}');
SELECT sdc.create_policy('q', 'people', '{}', '[]', '{"p": 101}');
SELECT sdc.create_policy('', 'people', '{}', '[]');
SELECT sdc.create_policy(repeat('q', 64), 'people', '{}', '[]');
SELECT sdc.create_policy(NULL, 'people', '{}', '[]');
SELECT sdc.create_policy('q', NULL, '{}', '[]');
SELECT sdc.create_policy('q', 'people', '{"id,age": {"method": "keep"}}', '[]');
CREATE VIEW seen AS SELECT * FROM people;
SELECT sdc.create_policy('q', 'seen', '{}', '[]');
CREATE TEMPORARY TABLE passing (id integer);
SELECT sdc.create_policy('q', 'passing', '{}', '[]');
SELECT sdc.create_policy('[]'::jsonb);
SELECT sdc.create_policy('{"policy": "q"}'::jsonb);
SELECT sdc.create_policy('{"policy": "q", "relations": []}'::jsonb);
SELECT sdc.create_policy('{"policy": "q", "relations": [{"relation": "people"}]}'::jsonb);
SELECT sdc.create_policy('{"policy": "q", "relations": [7]}'::jsonb);
SELECT sdc.create_policy('{"policy": "q", "relations": [{"relation": "people", "rules": {}, "constraints": [], "params": 7}]}'::jsonb);
SELECT sdc.create_policy('{"policy": "q", "relation": []}'::jsonb);
-- None of these has left anything behind.
SELECT count(*) - :before AS count FROM sdc.policy;

-- Each line of sdc.risk_report may be named by a constraint: none is refused.
SELECT count(sdc.create_policy('words', 'people', '{}',
         jsonb_build_array(jsonb_build_object('measure', measure, '>=', 0)))) = count(*)
       AS every_one, count(*)
FROM (SELECT measure FROM sdc.risk_report('people', '{age}', '{income}')
      UNION
      SELECT measure FROM sdc.risk_report('people', '{age}', '{income}',
        params => '{"sampling_fraction": 0.1, "population": "people"}')) AS line;
SELECT sdc.drop_policy('words');

-- The gate: values are those of the functions it names.
CREATE TABLE masked AS
SELECT id, name, age / 5 * 5 AS age, zip,
       sdc.rank_swap(income, 10, seed => 1) OVER () AS income FROM people;
SELECT sdc.create_policy('q', 'people',
    '{"income": {"method": "rank_swap", "p": 10}}',
    '[{"measure": "k_anonymity", ">=": 15},
      {"measure": "k_anonymity", ">": 20},
      {"measure": "l_distinct", ">=": 2},
      {"measure": "below_5", "<": 1},
      {"attack": "distance", "<=": 0.02},
      {"attack": "distance", "stat": "reid_d", "<": 0.02},
      {"disclosure": "rank_disclosure", "subject": "income", "<=": 0.9},
      {"disclosure": "unchanged_share", "<=": 0.5},
      {"disclosure": "unchanged_share", "subject": "name", "<=": 0.5},
      {"measure": "k_anonymity", ">=": 3, "params": {"nulls": "wildcard"}}]');
SELECT relation, place, requirement, value::numeric(10,6), bound, passed
FROM sdc.check_release('q', 'masked');
-- No sentence quotes the data: it would reach the log, and the history.
SELECT detail FROM sdc.check_release('q', 'masked') WHERE requirement ~ 'l_distinct';
-- the same by hand
SELECT (SELECT value FROM sdc.risk_report('masked', '{age,zip}', '{income}',
                                          measures => '{k_anonymity}')) AS k,
       (SELECT min(n) FROM (SELECT count(*) AS n FROM masked
                            GROUP BY age, zip) AS c) AS k_counted,
       (SELECT (sdc.reid(l)).reid_k::numeric(10,6)
        FROM sdc.attack_distance('people', 'masked', 'id', '{age}') AS l) AS reid_k,
       (SELECT max(value)::numeric(10,6)
        FROM sdc.disclosure_report('people', 'masked', 'id', '{age,zip}', '{income}',
                                   measures => '{unchanged_share}')
        WHERE measure = 'unchanged_share') AS unchanged_share,
       (SELECT value::numeric(10,6)
        FROM sdc.disclosure_report('people', 'masked', 'id', '{age,zip}', '{income}',
                                   measures => '{rank_disclosure}')
        WHERE measure = 'rank_disclosure' AND subject = 'income') AS rank_disclosure;

-- Utility is that of the published columns: not of the id, nor of the name.
SELECT count(sdc.create_policy('q', 'people', '{}',
         jsonb_build_array(jsonb_build_object('utility', measure, '>=', 0)))) > 15
       AS many
FROM sdc.utility_report('people', 'masked', 'id') WHERE measure <> 'records';
SELECT sdc.create_policy('q', 'people',
    '{"income": {"method": "rank_swap", "p": 10}}',
    '[{"utility": "information_loss", "subject": "income", "<=": 0.5},
      {"utility": "value_change", "<=": 0.5},
      {"utility": "pmse_ratio", "<=": 1000},
      {"utility": "information_loss", "subject": "name", "<=": 1}]');
SELECT requirement, value::numeric(10,6), passed FROM sdc.check_release('q', 'masked');
SELECT sdc.information_loss(p.income, m.income)::numeric(10,6) AS information_loss,
       (SELECT max(value)::numeric(10,6)
        FROM sdc.utility_report('people', 'masked', 'id', '{age,zip,income}',
                                '{value_change}')
        WHERE measure = 'value_change') AS value_change
FROM people AS p JOIN masked AS m USING (id);

-- What cannot be measured does not pass: no key that is a number, no id, an
-- empty table, a table with nobody of the original in it.
SELECT sdc.create_policy('q', 'people', '{}',
    '[{"attack": "distance", "<=": 1}]', '{"keys": ["zip"]}');
SELECT value, passed, detail FROM sdc.check_release('q', 'masked');
CREATE TABLE nameless AS SELECT age, zip FROM people;
SELECT sdc.create_policy('q2', 'nameless', '{}',
    '[{"attack": "distance", "<=": 1}]', '{"keys": ["age"]}');
SELECT value, passed, detail FROM sdc.check_release('q2', 'nameless');
SELECT sdc.drop_policy('q2');
SELECT sdc.create_policy('q', 'people', '{}',
    '[{"measure": "k_anonymity", ">=": 0}, {"attack": "distance", "<=": 1}]');
CREATE TABLE nobody AS SELECT * FROM masked WHERE false;
SELECT value, passed FROM sdc.check_release('q', 'nobody');

-- Which table is meant, when the policy has several.
SELECT sdc.create_policy('q', '"Odd ""name"""', '{}',
    '[{"measure": "k_anonymity", ">=": 1}]', '{"keys": ["zip, code"]}');
SELECT count(*) FROM sdc.check_release('q', 'masked');
SELECT relation, value FROM sdc.check_release('q', '"Odd ""name"""',
    '{"relation": "policy.\"Odd \"\"name\"\"\""}');
SELECT count(*) FROM sdc.check_release('q', 'masked', '{"relation": "policy.masked"}');
SELECT count(*) FROM sdc.check_release('q', 'masked', '{"table": "people"}');
SELECT count(*) FROM sdc.check_release('q', NULL);
SELECT count(*) FROM sdc.check_release(NULL, 'masked');
SELECT sdc.drop_policy('q');

-- Rights.  Functions and tables are nobody's until they are granted.
CREATE ROLE regress_sdc_owner;
CREATE ROLE regress_sdc_other;
CREATE ROLE regress_sdc_auditor;
GRANT USAGE ON SCHEMA policy TO regress_sdc_owner, regress_sdc_other;
GRANT SELECT ON people, masked TO regress_sdc_owner;
SET ROLE regress_sdc_owner;
SELECT sdc.create_policy('q', 'people', '{}', '[]');
SELECT sdc.policy_json('q');
SELECT count(*) FROM sdc.policy;
SELECT count(*) FROM sdc.policy_relation;
RESET ROLE;
GRANT EXECUTE ON FUNCTION
    sdc.create_policy(text, regclass, jsonb, jsonb, jsonb),
    sdc.drop_policy(text), sdc.policy_json(text),
    sdc.check_release(text, regclass, jsonb)
TO regress_sdc_owner, regress_sdc_other, regress_sdc_auditor;
SET ROLE regress_sdc_owner;
SELECT sdc.create_policy('q', 'people', '{}',
    '[{"measure": "k_anonymity", ">=": 3}]');
SELECT passed FROM sdc.check_release('q', 'masked');
-- Not even the owner writes the tables by hand.
DELETE FROM sdc.policy;
-- To others the policy is not there, and its name is taken.
SET ROLE regress_sdc_other;
SELECT sdc.policy_json('q');
SELECT sdc.drop_policy('q');
SELECT * FROM sdc.check_release('q', 'masked');
SELECT sdc.create_policy('q', 'masked', '{}', '[]');
GRANT SELECT ON policy.people TO regress_sdc_other;
RESET ROLE;
CREATE TABLE others AS SELECT 1 AS id;
GRANT SELECT ON others TO regress_sdc_other;
SET ROLE regress_sdc_other;
SELECT sdc.create_policy('q', 'others', '{}', '[]');
-- A policy for a table that its author cannot read is not written.
SELECT sdc.create_policy('mine', 'people', '{}', '[]');
RESET ROLE;
-- A superuser sees it, but what it says is done by its owner alone: else it
-- would be done with rights that its author has not.
SELECT sdc.policy_json('q') -> 'policy' AS seen;
SELECT * FROM sdc.check_release('q', 'masked');
-- A superuser may write it, but it stays its owner's.
SELECT sdc.create_policy(sdc.policy_json('q'));
SELECT owner FROM sdc.policy WHERE policy = 'q';
-- Who may read the table sees all policies.
GRANT SELECT ON sdc.policy TO regress_sdc_auditor;
SET ROLE regress_sdc_auditor;
SELECT sdc.policy_json('q') -> 'policy' AS seen;
SELECT sdc.drop_policy('q');
RESET ROLE;
REVOKE SELECT ON sdc.policy FROM regress_sdc_auditor;
SELECT sdc.drop_policy('q');

-- A table that is gone is not in the policy any more when it is written again.
CREATE TABLE short_lived AS SELECT 1 AS id;
SELECT sdc.create_policy('q', 'short_lived', '{}', '[]');
SELECT sdc.create_policy('q', 'people', '{}', '[]');
DROP TABLE short_lived;
-- Until then it says what to do, also where another table has its name.
CREATE TABLE short_lived AS SELECT 1 AS id;
CALL sdc.release('q');
SELECT passed FROM sdc.check_release('q', 'people');
DROP TABLE short_lived;
SELECT jsonb_array_length(sdc.policy_json('q') -> 'relations');
SELECT sdc.create_policy('q', 'people', '{}', '[]');
SELECT count(*) FROM sdc.policy_relation WHERE policy = 'q';
SELECT sdc.drop_policy('q');
SELECT count(*) FROM sdc.policy_relation WHERE policy = 'q';

REVOKE ALL ON FUNCTION
    sdc.create_policy(text, regclass, jsonb, jsonb, jsonb),
    sdc.drop_policy(text), sdc.policy_json(text),
    sdc.check_release(text, regclass, jsonb)
FROM regress_sdc_owner, regress_sdc_other, regress_sdc_auditor;
SELECT sdc.declare('people');
SET client_min_messages = warning;
DROP SCHEMA policy CASCADE;
DROP SCHEMA policy_out CASCADE;
DROP ROLE regress_sdc_owner;
DROP ROLE regress_sdc_other;
DROP ROLE regress_sdc_auditor;
