-- Models of privacy by name: in lattice, anonymize, strategies, recode_locally,
-- suppress.
\set VERBOSITY terse
CREATE TABLE people AS
SELECT i AS id, 17 + (i * 7 + i / 9 * 13 + i * i % 11) % 60 AS age,
       CASE WHEN (i * 5 / 3) % 3 = 0 THEN 'f' ELSE 'm' END AS sex,
       (ARRAY['private', 'private', 'self', 'state'])[1 + (i * i / 7) % 4]
           AS work,
       (ARRAY['sales', 'office', 'repair', 'farm', 'school', 'cleaning'])
           [1 + (i * 11 / 6 + i % 4 + i / 40) % 6] AS job,
       (i * i) % 7 AS pay
FROM generate_series(1, 1500) AS i;
CREATE TABLE sample AS SELECT * FROM people WHERE id % 4 = 1;
SELECT sdc.create_hierarchy('models_age', 'numeric',
    '{"widths": [5, 10, 20], "bottom": 20, "domain": [17, 77]}');
SELECT sdc.create_hierarchy('models_job', 'table', '{"rows": [
    ["sales", "desk", "*"], ["office", "desk", "*"], ["school", "desk", "*"],
    ["repair", "hand", "*"], ["farm", "hand", "*"],
    ["cleaning", "hand", "*"]]}');

-- Each model against risk_report of every node, written out in SQL.
CREATE TABLE node AS SELECT a, s, w
FROM generate_series(0, 4) AS a, generate_series(0, 1) AS s,
     generate_series(0, 1) AS w;
CREATE TABLE tried (model jsonb, params jsonb);
INSERT INTO tried VALUES
  ('{"measure": "k_anonymity", ">=": 4}', '{}'),
  ('{"measure": "prosecutor_highest", "<=": 0.2}', '{}'),
  ('{"measure": "average_class", ">=": 11.5}', '{}'),
  ('{"measure": "prosecutor_average", "<=": 0.08}', '{}'),
  ('{"measure": "at_risk", "<=": 0.03}', '{}'),
  ('{"measure": "at_risk", "<=": 0.05, "threshold": 0.05}',
   '{"threshold": 0.05}'),
  ('{"measure": "unique_share", "<=": 0.004}', '{}'),
  ('{"measure": "population_unique_share", "<=": 0.001,
     "sampling_fraction": 0.25}', '{"sampling_fraction": 0.25}'),
  ('{"measure": "k_map", ">=": 9}', '{"population": "wide"}'),
  ('{"measure": "delta_presence_highest", "<=": 0.33}',
   '{"population": "wide"}'),
  ('{"measure": "delta_presence_lowest", ">=": 0.2}',
   '{"population": "wide"}'),
  ('{"measure": "journalist_highest", "<=": 0.06}', '{"population": "wide"}'),
  ('{"measure": "journalist_average", "<=": 0.02}', '{"population": "wide"}'),
  ('{"measure": "marketer", "<=": 0.03}', '{"population": "wide"}'),
  ('{"measure": "l_distinct", ">=": 3, "column": "job"}', '{}'),
  ('{"measure": "l_entropy", ">=": 3.1, "column": "job"}', '{}'),
  ('{"measure": "l_frequency", ">=": 2.1, "column": "job"}', '{}'),
  ('{"measure": "l_recursive", ">=": 3, "column": "job", "c": 3}',
   '{"c": 3}'),
  ('{"measure": "l_pd_recursive", ">=": 3, "column": "job", "c": 2,
     "allowed": ["sales", "farm"]}',
   '{"c": 2, "allowed": {"job": ["sales", "farm"]}}'),
  ('{"measure": "protected_share", ">=": 0.05, "column": "job",
     "protected": ["repair", "office"]}',
   '{"protected": {"job": ["repair", "office"]}}'),
  ('{"measure": "t_equal", "<=": 0.25, "column": "job"}', '{}'),
  ('{"measure": "t_ordered", "<=": 0.12, "column": "pay"}', '{}'),
  ('{"measure": "t_hierarchical", "<=": 0.2, "column": "job",
     "hierarchy": "models_job"}', '{"hierarchy": "models_job"}'),
  ('{"measure": "beta_likeness", "<=": 1.2, "column": "job"}', '{}'),
  ('{"measure": "enhanced_beta", "<=": 1.2, "column": "job"}', '{}'),
  ('{"measure": "delta_disclosure", "<=": 1.3, "column": "job"}', '{}');
CREATE TABLE narrow (age text, sex text, work text, job text, pay int);
CREATE TABLE wide (LIKE narrow);
CREATE FUNCTION figure(model jsonb, params jsonb, a int, s int, w int)
RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    made text;
    found float8;
BEGIN
    FOREACH made IN ARRAY CASE WHEN params ? 'population'
        THEN '{wide,narrow}' ELSE '{narrow}' END::text[] LOOP
        EXECUTE format('TRUNCATE %I', made);
        EXECUTE format(
            'INSERT INTO %I SELECT sdc.generalize(age, ''models_age'', %s),
             CASE %s WHEN 1 THEN ''*'' ELSE sex END,
             CASE %s WHEN 1 THEN ''*'' ELSE work END, job, pay FROM %I',
            made, a, s, w,
            CASE made WHEN 'wide' THEN 'people' ELSE 'sample' END);
    END LOOP;
    SELECT r.value INTO STRICT found
    FROM sdc.risk_report('narrow', '{age,sex,work}',
        CASE WHEN model ? 'column' THEN ARRAY[model ->> 'column'] END::name[],
        measures => ARRAY[model ->> 'measure'], params => params) AS r
    WHERE r.measure = model ->> 'measure';
    RETURN found;
END $$;
SET client_min_messages = warning;
CREATE TABLE figures AS
SELECT model, node.*, figure(model, params, a, s, w)
FROM tried CROSS JOIN node;
RESET client_min_messages;
CREATE VIEW oracle AS
SELECT model, ARRAY[a, s, w] AS node,
       CASE WHEN model ->> 'measure' = 'delta_disclosure'
            THEN figure < (model ->> '<=')::float8
            WHEN model ? '<=' THEN figure <= (model ->> '<=')::float8
            ELSE figure >= (model ->> '>=')::float8 END AS holds
FROM figures;
SELECT o.model ->> 'measure' AS measure, count(*) AS nodes,
       count(*) FILTER (WHERE o.holds) AS hold,
       count(*) FILTER (WHERE n.anonymous IS DISTINCT FROM o.holds) AS wrong
FROM tried AS t
CROSS JOIN LATERAL sdc.lattice('sample', '{age,sex,work}', k => 1,
    params => jsonb_build_object('all', true, 'hierarchies',
        '{"age": "models_age"}'::jsonb, 'models', jsonb_build_array(t.model))
        || CASE WHEN t.params ? 'population'
                THEN '{"population": "people"}' ELSE '{}' END::jsonb) AS n
JOIN oracle AS o ON o.model = t.model AND o.node = n.node
GROUP BY t.model, o.model ->> 'measure' ORDER BY 1, 3;

-- The optimum is the best of those that hold; several columns at once.
SELECT n.node, n.optimal, n.score = least.score AS best
FROM sdc.lattice('sample', '{age,sex,work}', k => 4, params => '{
    "hierarchies": {"age": "models_age"}, "models": [
    {"measure": "l_entropy", ">=": 3.1, "column": "job"},
    {"measure": "t_ordered", "<=": 0.12, "column": "pay"}]}') AS n,
  LATERAL (SELECT min(a.score) AS score
    FROM sdc.lattice('sample', '{age,sex,work}', k => 1, params => '{
        "hierarchies": {"age": "models_age"}, "all": true}') AS a
    WHERE (SELECT bool_and(o.holds) FROM oracle AS o WHERE o.node = a.node
           AND o.model ->> 'measure'
               IN ('k_anonymity', 'l_entropy', 't_ordered'))) AS least;

-- With each model alone, and records that may be suppressed, the search finds
-- what a list of all nodes has as the best.
CREATE FUNCTION searched(model jsonb, suppression int, metric text,
    every boolean) RETURNS SETOF sdc.lattice_node LANGUAGE sql AS $$
SELECT n.* FROM sdc.lattice('sample', '{age,sex,work}', k => 3,
    params => jsonb_build_object('hierarchies',
        '{"age": "models_age"}'::jsonb, 'models', jsonb_build_array(model),
        'suppression', suppression, 'metric', metric)
        || CASE WHEN every THEN '{"all": true}' ELSE '{}' END::jsonb
        || CASE WHEN model ->> 'measure' ~ '^(k_map|delta_p|journ|market)'
                THEN '{"population": "people"}' ELSE '{}' END::jsonb) AS n
$$;
SELECT metric, suppression, count(*) AS models,
       count(*) FILTER (WHERE best IS NOT NULL) AS found,
       count(*) FILTER (WHERE found IS DISTINCT FROM best) AS wrong
FROM (SELECT metric, suppression,
             (SELECT round(min(score)::numeric, 9)
              FROM searched(t.model, suppression, metric, true)
              WHERE anonymous) AS best,
             (SELECT round(min(score)::numeric, 9)
              FROM searched(t.model, suppression, metric, false)
              WHERE optimal) AS found
      FROM tried AS t, unnest(ARRAY[0, 5, 30, 100]) AS suppression,
           unnest(ARRAY['loss', 'discernibility']) AS metric) AS both_ways
GROUP BY metric, suppression ORDER BY 1, 2;

-- What is written holds by the report of what was written.
SELECT measure, subject, value > 0 AS told
FROM sdc.anonymize('sample', 'written', '{age,sex,work}', k => 2, params => '{
    "hierarchies": {"age": "models_age"}, "population": "people",
    "suppression": 20, "outliers": "remove", "models": [
    {"measure": "k_map", ">=": 9},
    {"measure": "average_class", ">=": 12},
    {"measure": "l_pd_recursive", ">=": 2, "column": "job", "c": 3,
     "allowed": "sales"},
    {"measure": "beta_likeness", "<=": 2, "column": "pay"}]}')
WHERE step = 'measure' AND measure NOT IN ('score', 'bound', 'removed');
SELECT measure, subject, CASE measure WHEN 'average_class' THEN value >= 12
           WHEN 'l_pd_recursive' THEN value >= 2 ELSE value <= 2 END AS holds
FROM sdc.risk_report('written', '{age,sex,work}', '{job,pay}',
    measures => '{average_class,l_pd_recursive}',
    params => '{"c": 3, "allowed": {"job": "sales"}}')
WHERE subject <> 'pay';

-- A bound on the whole file suppresses the smallest classes, no more.
SELECT n.suppressed, n.classes, n.smallest_class,
       (n.suppressed + 0.0) = (SELECT sum(count) FROM
           (SELECT count(*) FROM sample GROUP BY sex, work, job
            HAVING count(*) < n.smallest_class) AS small) AS the_smallest,
       (375 - n.suppressed) / n.classes::float8 >= 20 AS holds
FROM sdc.lattice('sample', '{sex,work,job}', k => 1, params => '{
    "levels": {"sex": 0, "work": 0, "job": 0}, "suppression": 100,
    "models": [{"measure": "average_class", ">=": 20}]}') AS n;

-- Local recoding, by the same names.
SELECT measure, subject, CASE WHEN measure = 't_equal' THEN value <= 0.4
                              ELSE value >= 2 END AS holds
FROM sdc.recode_locally('sample', 'recoded', 'id', '{age,sex,work}', k => 3,
    params => '{"hierarchies": {"age": "models_age"}, "models": [
    {"measure": "k_anonymity", ">=": 4},
    {"measure": "l_entropy", ">=": 2.5, "column": "job"},
    {"measure": "t_equal", "<=": 0.4, "column": "pay"}]}')
WHERE measure IN ('k_anonymity', 'l_entropy', 't_equal');
SELECT measure, subject,
       CASE measure WHEN 'l_entropy' THEN value >= 2.5 * (1 - 1e-9)
                    WHEN 't_equal' THEN value <= 0.4 ELSE value >= 4 END
           AS holds
FROM sdc.risk_report('recoded', '{age,sex,work}', '{job,pay}',
    measures => '{k_anonymity,l_entropy,t_equal}')
WHERE (measure, subject) NOT IN (('l_entropy', 'pay'), ('t_equal', 'job'));

-- Local suppression: each model that is about one class holds in the new
-- table, as risk_report measures it, and the others are refused.
CREATE FUNCTION suppress_by(model jsonb, params jsonb, OUT lost text, OUT held boolean)
LANGUAGE plpgsql AS $$
DECLARE
    name text := model ->> 'measure';
    bound float8 := coalesce(model -> '>=', model -> '<=');
    found float8;
BEGIN
    lost := (SELECT value FROM sdc.suppress('sample', 'made', 'id',
        '{age,sex,work}', k => 2, params => jsonb_build_object(
            'nulls', 'category', 'models', jsonb_build_array(model)), seed => 1)
        WHERE measure = 'suppressed');
    found := (SELECT value FROM sdc.risk_report('made', '{age,sex,work}',
        CASE WHEN model ? 'column'
            THEN ARRAY[model ->> 'column']::name[] END,
        measures => ARRAY[name]::name[],
        params => params || '{"nulls": "category"}'));
    held := CASE WHEN model ? '>=' THEN found >= bound * (1 - 1e-9)
        ELSE found <= bound * (1 + 1e-9) END;
    DROP TABLE made;
EXCEPTION WHEN invalid_parameter_value OR feature_not_supported THEN
    lost := SQLERRM;
END $$;
SELECT model ->> 'measure' AS model, s.lost, s.held
FROM tried, suppress_by(model, params) AS s ORDER BY 1, 2;
-- two at once, one on each column, with l
SELECT measure, value > 0 AS some FROM sdc.suppress('sample', 'made', 'id', '{age,sex,work}', '{job,pay}',
    k => 3, l => 3, params => '{"nulls": "category", "models": [
    {"measure": "k_anonymity", ">=": 4},
    {"measure": "l_entropy", ">=": 2.5, "column": "job"},
    {"measure": "t_equal", "<=": 0.4, "column": "pay"}]}', seed => 1)
WHERE measure IS NOT NULL;
SELECT measure, subject,
       CASE measure WHEN 'l_entropy' THEN value >= 2.5 * (1 - 1e-9)
                    WHEN 't_equal' THEN value <= 0.4
                    WHEN 'l_distinct' THEN value >= 3 ELSE value >= 4 END
           AS holds
FROM sdc.risk_report('made', '{age,sex,work}', '{job,pay}',
    measures => '{k_anonymity,l_entropy,t_equal,l_distinct}')
WHERE (measure, subject) NOT IN (('l_entropy', 'pay'), ('t_equal', 'job'));
-- the same rows whatever their order
CREATE TABLE other_way AS SELECT * FROM sample ORDER BY -id;
SELECT count(*) FROM sdc.suppress('other_way', 'made_again', 'id', '{age,sex,work}', '{job,pay}',
    k => 3, l => 3, params => '{"nulls": "category", "models": [
    {"measure": "k_anonymity", ">=": 4},
    {"measure": "l_entropy", ">=": 2.5, "column": "job"},
    {"measure": "t_equal", "<=": 0.4, "column": "pay"}]}', seed => 1);
SELECT count(*) FROM (TABLE made EXCEPT TABLE made_again) AS d;
-- nothing at all, and what cannot be
CREATE TABLE empty AS SELECT * FROM sample LIMIT 0;
SELECT value FROM sdc.suppress('empty', 'made_of_none', 'id', '{sex}', k => 1, params => '{"nulls": "category",
    "models": [{"measure": "t_equal", "<=": 0.1, "column": "job"}]}') WHERE measure = 'suppressed';
SELECT sdc.suppress('sample', 'no', 'id', '{sex}', params =>
    '{"models": [{"measure": "t_equal", "<=": 0.1, "column": "job"}]}');
SELECT sdc.suppress('sample', 'no', 'id', '{sex}', params => '{"nulls": "category",
    "models": [{"measure": "l_distinct", ">=": 7, "column": "job"}]}');
SELECT sdc.suppress('sample', 'no', 'id', '{sex}', '{pay}', params => '{"nulls": "category",
    "models": [{"measure": "l_distinct", ">=": 3, "column": "job"}]}');
SELECT sdc.suppress('sample', 'no', 'id', '{sex}', '{pay}');
-- as a rule
SELECT sdc.declare('sample', id => 'id', keys => '{age,sex}', sensitive => '{job}', insensitive => '{work,pay}', nulls => 'category');
SELECT count(*) FROM sdc.mask('sample', '{"age,sex": {"method": "suppress", "k": 3, "l": 2, "sensitive": "job", "models": [
    {"measure": "l_entropy", ">=": 3, "column": "job"}]}, "work": {"method": "keep"}, "pay": {"method": "keep"},
    "job": {"method": "keep"}}', 'by_rule', seed => 1);
SELECT value >= 3 * (1 - 1e-9) AS holds FROM sdc.risk_report('by_rule', '{age,sex}', '{job}', measures => '{l_entropy}');
SELECT sdc.mask('sample', '{"age,sex": {"method": "suppress", "k": 3, "models": [{"measure": "k_map", ">=": 3}]}}', 'no');
SELECT sdc.declare('sample');
DROP TABLE made, made_again, other_way, empty, made_of_none, by_rule;
DROP FUNCTION suppress_by;

-- NULL is a value, or none.
CREATE TABLE gaps AS SELECT id, sex, CASE WHEN id % 8 = 1 THEN NULL ELSE job
    END AS job FROM sample;
SELECT p, n.anonymous FROM unnest('{category,ignore}'::text[]) AS p,
     sdc.lattice('gaps', '{sex}', k => 1, params => jsonb_build_object(
         'nulls', p, 'levels', '{"sex": 1}'::jsonb,
         'models', '[{"measure": "l_distinct", ">=": 7, "column": "job"}]'
         ::jsonb)) AS n;

-- Strategies keep their models.
SELECT sdc.create_strategy('models', '{age,sex}', '{3,1}', params => '{
    "hierarchies": {"age": "models_age"},
    "models": [{"measure": "l_entropy", ">=": 4, "column": "job"}]}');
SELECT measure, value FROM sdc.check_strategy('sample', 'models')
WHERE measure = 'holds';
SELECT count(*) FROM sdc.apply_strategy('sample', 'applied', 'models');
SELECT sdc.drop_strategy('models');

-- Argument l of suppress holds beside models, whatever they are about; with
-- wildcards, where only models of sizes are taken, it goes on as before.
CREATE TABLE pairs AS SELECT i AS id, i % 3 AS a, i % 2 AS s,
    CASE i % 3 WHEN 0 THEN 2 ELSE i % 2 END AS v
FROM generate_series(1, 30) AS i;
CREATE FUNCTION suppressed(nulls text, models text)
RETURNS TABLE (lost float8, l float8) LANGUAGE plpgsql AS $$
BEGIN
    SELECT s.value INTO lost
    FROM sdc.suppress('pairs', 'paired', 'id', '{a}', '{s,v}', k => 2, l => 2,
        params => jsonb_build_object('nulls', nulls, 'models',
            models::jsonb), seed => 1) AS s WHERE s.measure = 'suppressed';
    SELECT min(r.value) INTO l
    FROM sdc.risk_report('paired', '{a}', '{s,v}',
                         measures => '{l_distinct}') AS r
    WHERE r.measure = 'l_distinct';
    DROP TABLE paired;
    RETURN NEXT;
END $$;
SELECT m.*, s.* FROM (VALUES
    ('category', '[{"measure": "t_equal", "<=": 1, "column": "v"}]'),
    ('category', '[{"measure": "t_equal", "<=": 1, "column": "s"}]'),
    ('category', '[{"measure": "l_distinct", ">=": 1}]'),
    ('category', '[{"measure": "k_anonymity", ">=": 3}]'),
    ('wildcard', '[{"measure": "k_anonymity", ">=": 3}]'))
    AS m(nulls, models), suppressed(m.nulls, m.models) AS s;
DROP TABLE pairs;
DROP FUNCTION suppressed;

-- Words are checked, also when a policy is written.
CREATE FUNCTION try(models text, more text DEFAULT '{}') RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM sdc.lattice('sample', '{sex,work}', '{job}', params =>
        jsonb_build_object('models', models::jsonb) || more::jsonb);
    RETURN 'ok';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
SELECT try(m) FROM unnest(ARRAY['{}', '[1]', '[]', '[{}]', '[[]]', '"x"',
    '[{"measure": "k_mop", ">=": 3}]', '[{"measure": "records", ">=": 3}]',
    '[{"measure": "l_distinct", "<=": 3}]', '[{"measure": "l_distinct"}]',
    '[{"measure": "l_distinct", ">=": 3, "<=": 4}]',
    '[{"measure": "l_distinct", ">=": "3"}]',
    '[{"measure": "l_distinct", ">=": 3, "column": "pay"}]',
    '[{"measure": "l_distinct", ">=": 3, "column": "none"}]',
    '[{"measure": "l_distinct", ">=": 3, "colum": "job"}]',
    '[{"measure": "l_distinct", ">=": 3, "c": 3}]',
    '[{"measure": "k_anonymity", ">=": 3, "column": "job"}]',
    '[{"measure": "protected_share", ">=": 0.1}]',
    '[{"measure": "t_hierarchical", "<=": 0.1}]',
    '[{"measure": "t_hierarchical", "<=": 0.1, "hierarchy": "none"}]',
    '[{"measure": "population_unique_share", "<=": 0.1}]',
    '[{"measure": "average_class", ">=": 3},
      {"measure": "average_class", ">=": 4}]',
    '[{"measure": "l_recursive", ">=": 3, "c": 3},
      {"measure": "l_pd_recursive", ">=": 3, "c": 4}]',
    '[{"measure": "k_map", ">=": 3}]',
    '[{"measure": "prosecutor_highest", "<=": 0}]',
    '[{"measure": "k_anonymity", ">=": 400}]']) AS m;
SELECT try('[{"measure": "k_map", ">=": 3}]', '{"population": "nobody"}');
SELECT try('[{"measure": "l_distinct", ">=": 3}]', '{"population": "people"}');
SELECT try('[{"measure": "k_map", ">=": 3}]', '{"population": "gaps"}');
SELECT sdc.recode_locally('sample', 'no', 'id', '{sex,work}', k => 3,
    params => '{"models": [{"measure": "k_map", ">=": 3}]}');
SELECT sdc.recode_locally('sample', 'no', 'id', '{sex,work}', k => 3, params =>
    '{"models": [{"measure": "l_distinct", ">=": 9, "column": "job"}]}');
CREATE FUNCTION write_policy(rule text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM sdc.create_policy('models', 'sample', jsonb_build_object(
        'age,sex', rule::jsonb, 'work', '{"method": "keep"}'::jsonb), '[]');
    RETURN 'ok';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
SELECT sdc.declare('sample', id => 'id', keys => '{age,sex}',
                   sensitive => '{job,pay}');
SELECT write_policy('{"method": "anonymize", "k": 3, "models": ' || m || '}')
FROM unnest(ARRAY['[{"measure": "k_mop", ">=": 3}]', '7',
    '[{"measure": "l_entropy", ">=": 3, "column": "none"}]',
    '[{"measure": "k_map", ">=": 3}]',
    '[{"measure": "k_map", ">=": 3}], "population": "nobody"',
    '[{"measure": "l_entropy", ">=": 3, "column": "job"}]']) AS m;
SELECT write_policy('{"method": "recode_locally", "k": 3, "models":
    [{"measure": "delta_disclosure", "<=": 3}]}');
DROP TABLE people, sample, node, tried, figures, narrow, wide, written,
    recoded, gaps, applied CASCADE;
DROP FUNCTION figure, try, write_policy, searched;
SELECT sdc.drop_policy('models'), sdc.drop_hierarchy('models_age'), sdc.drop_hierarchy('models_job');
