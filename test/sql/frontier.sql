-- frontier: rules that are candidates, compared by risk and loss.

\set SHOW_CONTEXT never
SET sdc.progress_interval = 0;

CREATE SCHEMA frontier;
SET search_path = frontier;
CREATE TABLE people AS
SELECT i AS id, 20 + i * 7 % 61 AS age, (1000 + i * i % 997)::float8 AS income,
       (i * 37 % 211)::float8 AS tax, 'z' || i % 4 AS zip
FROM generate_series(1, 120) AS i;

-- One candidate, once: the figures of mask, attack and report by hand.
CREATE FUNCTION by_hand(rules jsonb, seed bigint, OUT risk float8, OUT loss float8)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM sdc.mask('people', rules, 'pg_temp.by_hand', 'id', seed => seed);
    SELECT greatest(
        (SELECT greatest((sdc.reid(l)).reid_k, (sdc.reid(l)).reid_d) FROM sdc.attack_distance('people', 'by_hand',
            'id', '{age,income,tax}', seed => by_hand.seed) AS l),
        (SELECT greatest((sdc.reid(l)).reid_k, (sdc.reid(l)).reid_d) FROM sdc.attack_transparency('people', 'by_hand',
            rules, 'id', '{age,income,tax}', seed => by_hand.seed) AS l),
        (SELECT greatest((sdc.reid(l)).reid_k, (sdc.reid(l)).reid_d) FROM sdc.attack_likelihood('people', 'by_hand',
            rules, 'id', '{age,income,tax}', seed => by_hand.seed) AS l)) INTO risk;
    SELECT value INTO loss FROM sdc.utility_report('people', 'by_hand', 'id',
        '{income,tax}', '{information_loss}', seed => by_hand.seed)
    WHERE subject = 'all columns';
    DROP TABLE pg_temp.by_hand;
END $$;
\set rules '''{"income": {"method": "rank_swap", "p": 10}, "tax": {"method": "add_noise", "alpha": 0.2}}'''
SELECT f.candidate, f.rules = :rules AS same_rules, f.risk = h.risk AS risk,
       f.loss = h.loss AS loss, f.risk > 0 AND f.loss > 0 AS some,
       f.risk_low, f.risk_high, f.loss_low, f.loss_high, f.dominated, f.passed
FROM sdc.frontier('people', :rules, 'id', '{age,income,tax}', NULL,
                  params => '{"repeats": 1}', seed => 7) AS f,
     by_hand(:rules, 7) AS h;

-- Mean and interval, against the repeats one by one: from means of 1, 2 and 3.
CREATE TEMP TABLE means AS
SELECT n, f.* FROM generate_series(1, 3) AS n, sdc.frontier('people', :rules,
    'id', '{age,income,tax}', NULL, params => jsonb_build_object('repeats', n),
    seed => 7) AS f;
WITH repeats AS (
    SELECT n, n * risk - (n - 1) * coalesce(lag(risk) OVER (ORDER BY n), 0) AS risk,
           n * loss - (n - 1) * coalesce(lag(loss) OVER (ORDER BY n), 0) AS loss
    FROM means),
student AS (
    SELECT avg(risk) AS risk, 4.302653 * stddev_samp(risk) / sqrt(3) AS risk_width,
           avg(loss) AS loss, 4.302653 * stddev_samp(loss) / sqrt(3) AS loss_width
    FROM repeats)
SELECT (SELECT count(DISTINCT round(loss::numeric, 9)) FROM repeats) AS different,
       abs(m.risk_low - (s.risk - risk_width)) < 1e-9 AS risk_low,
       abs(m.risk_high - (s.risk + risk_width)) < 1e-9 AS risk_high,
       abs(m.loss_low - (s.loss - loss_width)) < 1e-9 AS loss_low,
       abs(m.loss_high - (s.loss + loss_width)) < 1e-9 AS loss_high,
       loss_width > 0.001 AS width
FROM means AS m, student AS s WHERE n = 3;
-- Rules without chance, attacked without chance: no width.
SELECT risk, risk_low = risk AND risk_high = risk AS risk_alike,
       loss_low = loss AND loss_high = loss AS loss_alike, passed, dominated
FROM sdc.frontier('people', '{"age": {"method": "keep"}, "income": {"method": "round_to", "base": 100}}', 'id', '{age}',
    NULL,
    '[{"attack": "distance", "<=": 1}]', '{"attacks": ["distance"]}', 1);

-- A grid, and a list; dominance as plain SQL has it.
CREATE TEMP TABLE points AS
SELECT * FROM sdc.frontier('people', '[{"income": {"method": "rank_swap", "p": [2, 5, 10, 20, 40]}},
      {"income": [{"method": "microaggregate", "k": [3, 10]},
                  {"method": "add_noise", "alpha": [0.1, 0.5, 1]}],
       "tax": {"method": "round_to", "base": [10, 50]}},
      {"age": {"method": "null"}}]', 'id', '{age,income,tax}',
    NULL, '[{"attack": "distance", "<=": 0.5}]',
    seed => 11);
SELECT count(*) AS candidates, min(candidate), max(candidate),
       count(DISTINCT rules) AS rules, bool_or(dominated) AS dominated,
       bool_or(NOT dominated) AS frontier,
       bool_or(passed) AS passed, bool_or(NOT passed) AS failed
FROM points;
SELECT candidate, rules FROM points ORDER BY candidate;
SELECT count(*) AS wrong FROM points AS p
WHERE dominated IS DISTINCT FROM CASE WHEN risk IS NOT NULL AND loss IS NOT NULL
    THEN EXISTS (SELECT FROM points AS q WHERE q.risk <= p.risk AND q.loss <= p.loss
                 AND (q.risk < p.risk OR q.loss < p.loss)) END;
-- Who dominates is said, and does.
SELECT count(*) > 0 AS named, bool_and(q.risk <= p.risk AND q.loss <= p.loss
        AND NOT q.dominated) AS right
FROM (SELECT *, substring(detail FROM 'Dominated by candidate (\d+)')::int AS by
      FROM points WHERE dominated) AS p
LEFT JOIN points AS q ON q.candidate = p.by;
-- Those that pass first, the least lossy first; what is unknown last.
SELECT bool_and((NOT passed, coalesce(loss, 'infinity')) >= before) AS ordered
FROM (SELECT *, lag((NOT passed, coalesce(loss, 'infinity'))) OVER (ORDER BY n) AS before
      FROM (SELECT *, row_number() OVER () AS n FROM points) AS p) AS p;
-- Values that are gone are a loss, by the measure that is taken then; IL1s
-- says nothing of a column that is gone.
SELECT risk IS NOT NULL AS risk, loss > 0.1 AS loss, dominated
FROM points WHERE rules ? 'age';
SELECT candidate, loss, dominated, detail ~ 'cannot be compared' AS said
FROM sdc.frontier('people', '[{"age": {"method": "null"}}, {"age": {"method": "keep"}, "zip": {"method": "null"}}]', 'id', '{age}',
    NULL,
    params => '{"loss": {"utility": "information_loss", "subject": "age"}}', seed => 1);
-- A seed gives the same, without one it differs.
SELECT count(*) AS same FROM points AS p JOIN sdc.frontier('people', '{"income": {"method": "rank_swap", "p": [2, 5]}}',
    'id', '{age,income,tax}', NULL,
    '[{"attack": "distance", "<=": 0.5}]', '{"loss": {"utility": "information_loss"}}',
    seed => 11) AS f
USING (rules, risk, risk_low, risk_high, passed);
SELECT count(DISTINCT loss) > 1 AS differ FROM generate_series(1, 5) AS i,
    sdc.frontier('people', '{"income": {"method": "rank_swap", "p": 20}}', 'id', '{income}',
    NULL, NULL, '{"repeats": 1}', i);

-- Measures of one's own.
SELECT candidate, risk, round(loss::numeric, 4) AS loss, dominated, passed
FROM sdc.frontier('people', '{"age": {"method": "microaggregate", "k": [2, 10, 30]},
      "zip": {"method": "constant", "value": "z"}}', 'id', '{age,zip}',
    '{income}',
    '[{"measure": "k_anonymity", ">=": 5}, {"utility": "information_loss", "<=": 10}]',
    '{"risk": {"measure": "prosecutor_highest"},
      "loss": {"utility": "relative_squared_error", "subject": "age"}, "repeats": 2}', 1)
ORDER BY candidate;
SELECT max(round(1.0 / n, 10)) FROM (
    SELECT count(*) AS n FROM (SELECT sdc.microaggregate(age, 10) OVER () AS age
                               FROM people) AS s GROUP BY age) AS s;

-- A constraint that nothing satisfies: all is shown, and why.
SELECT passed, detail ~ 'In 3 of 3 repeats "measure k_anonymity >= 1000" does not hold' AS why
FROM sdc.frontier('people', '{"age": {"method": "microaggregate", "k": [2, 3]}}', 'id', '{age}',
    NULL,
    '[{"measure": "k_anonymity", ">=": 1000}]', seed => 1);

-- Declared roles, and no id: no attack can be run.
SELECT sdc.declare('people', id => 'id', keys => '{age,income}');
SELECT risk IS NOT NULL AS risk, loss IS NOT NULL AS loss
FROM sdc.frontier('people', '{"income": {"method": "shuffle"}}', NULL, NULL,
                  NULL, seed => 1);
SELECT sdc.declare('people', keys => '{age,income}');
SELECT risk, loss, dominated, passed, detail LIKE '%No attack can be run.%' AS said
FROM sdc.frontier('people', '{"zip": {"method": "constant", "value": "z"}}', NULL, NULL,
                  NULL, seed => 1);
-- A rule for the id is left out while candidates are compared.
SELECT candidate, rules ? 'id' AS shown, risk FROM sdc.frontier('people', '{"id": {"method": "constant", "value": 0}, "zip": {"method": "null"}}', 'id', '{age}',
    NULL, seed => 1);

-- Hostile names.
CREATE SCHEMA "fro""n'tier";
CREATE TABLE "fro""n'tier"."pe,op""le" AS
SELECT id AS "i""d", age AS "a'g,e", income AS "in""come" FROM people;
SELECT count(*), bool_and(risk IS NOT NULL AND loss IS NOT NULL) AS measured
FROM sdc.frontier('"fro""n''tier"."pe,op""le"', '{"a''g,e": {"method": "microaggregate", "k": [3, 5]},
      "in\"come": {"method": "rank_swap", "p": [5, 10]}}', 'i"d', '{"a''g,e","in\"come"}',
    NULL, seed => 1);
DROP SCHEMA "fro""n'tier" CASCADE;

-- A temporary table of the user that has the name.
CREATE TEMP TABLE sdc_frontier_1 AS SELECT 'mine' AS whose;
SELECT count(*) FROM sdc.frontier('people', '{"age": {"method": "shuffle"}}', 'id', '{age}',
    NULL, seed => 1);
SELECT * FROM sdc_frontier_1;

-- Errors, by position.
SELECT sdc.frontier(NULL, '{}', 'id', '{age}', NULL);
SELECT sdc.frontier('people', NULL, 'id', '{age}', NULL);
SELECT sdc.frontier('people', '3', 'id', '{age}', NULL);
SELECT sdc.frontier('people', '[]', 'id', '{age}', NULL);
SELECT sdc.frontier('people', '[{"age": {"method": "null"}}, 3]', 'id', '{age}', NULL);
SELECT sdc.frontier('people', '{"age": {"method": "microaggregate", "k": []}}', 'id', '{age}',
                    NULL);
SELECT sdc.frontier('people', '{"age": []}', 'id', '{age}', NULL);
SELECT sdc.frontier('people', '{"age": 3}', 'id', '{age}', NULL);
SELECT sdc.frontier('people', jsonb_build_object('age', jsonb_build_object('method', 'microaggregate', 'k',
        (SELECT jsonb_agg(i) FROM generate_series(2, 1002) AS i))), 'id', '{age}',
    NULL);
SELECT sdc.frontier('people', '{}', 'id', '{age}', NULL, '[{"attack": "none", "<=": 1}]');
SELECT sdc.frontier('people', '{}', 'id', '{age}', NULL, params => '{"width": 1}');
SELECT sdc.frontier('people', '{}', 'id', '{age}', NULL, params => '{"repeats": 0}');
SELECT sdc.frontier('people', '{}', 'id', '{age}', NULL, params => '{"attacks": ["none"]}');
SELECT sdc.frontier('people', '{}', 'id', '{age}', NULL, params => '{"risk": 1}');
SELECT sdc.frontier('people', '{}', 'id', '{age}', NULL,
                    params => '{"risk": {"attack": "worst", "<=": 1}}');
SELECT sdc.frontier('people', '{}', 'id', '{age}', NULL,
                    params => '{"risk": {"measure": "k_anonymity"}}');
\set SHOW_CONTEXT always
SELECT sdc.frontier('people', '[{"age": {"method": "null"}}, {"age": {"method": "nul"}}]', 'id', '{age}',
    NULL);
SELECT sdc.frontier('people', '{}', 'id', '{age}', NULL,
                    params => '{"loss": {"utility": "none"}}');
\set SHOW_CONTEXT never
-- One that only the mask itself refuses.
SELECT sdc.frontier('people', '{"age": {"method": "microaggregate", "k": [3, 1000]}}', 'id', '{age}',
                    NULL);
SELECT sdc.frontier('people', '{"id,age": {"method": "microaggregate", "k": 3}}', 'id', '{age}',
                    NULL);
-- Nothing is left, and nothing has changed.
SELECT relname FROM pg_class
WHERE relpersistence = 't' AND relkind = 'r' AND relname LIKE 'sdc%'
ORDER BY 1;
SELECT md5(string_agg(p::text, ',' ORDER BY id)) = md5(string_agg(
    (i, 20 + i * 7 % 61, (1000 + i * i % 997)::float8, (i * 37 % 211)::float8,
     'z' || i % 4)::text, ',' ORDER BY id)) AS unchanged
FROM people AS p JOIN generate_series(1, 120) AS i ON i = id;

-- search_rules: nobody may call it unless it is granted.
CREATE ROLE regress_sdc_searcher;
GRANT USAGE ON SCHEMA frontier TO regress_sdc_searcher;
GRANT SELECT ON people TO regress_sdc_searcher;
SELECT sdc.create_policy('searched', 'people',
    '{"income": {"method": "rank_swap", "p": 2},
      "age": {"method": "microaggregate", "k": 2},
      "zip": {"method": "keep"}}',
    '[{"attack": "distance", "<=": 0.25}]',
    '{"id": "id", "keys": ["age", "income"], "attacks": ["distance"]}');
SET ROLE regress_sdc_searcher;
SELECT count(*) FROM sdc.search_rules('searched');
RESET ROLE;
GRANT EXECUTE ON FUNCTION sdc.search_rules(text, interval, bigint)
TO regress_sdc_searcher;
SET ROLE regress_sdc_searcher;
SELECT count(*) FROM sdc.search_rules('searched');
RESET ROLE;
-- The policy's own rules come first, and do not hold; stronger ones do.
CREATE TEMP TABLE found AS
SELECT * FROM sdc.search_rules('searched', '1 hour', 3);
SELECT rules, risk > 0.25 AS risky, passed FROM found WHERE candidate = 1;
SELECT bool_or(passed) AS passed, count(*) > 20 AS tried,
       count(DISTINCT rules) = count(*) AS different,
       bool_and(detail ~ format('One of %s candidates that were tried; the search '
           'ended because nothing better was left to try',
           (SELECT count(*) FROM found))) AS said
FROM found;
-- What passes does so when it is masked again by hand.
WITH best AS (SELECT * FROM found LIMIT 1)
SELECT b.passed, count(*) AS passing, bool_and(f.passed) AS again,
       bool_and(f.risk = b.risk) AS same
FROM best AS b, LATERAL sdc.frontier('people', b.rules, 'id', '{age,income}', NULL,
    '[{"attack": "distance", "<=": 0.25}]', '{"attacks": ["distance"]}', 3) AS f
GROUP BY b.passed;
-- Rules that are stronger than needed are weakened.
SELECT sdc.create_policy('strong', 'people',
    '{"income": {"method": "rank_swap", "p": 80},
      "age": {"method": "microaggregate", "k": 40}}',
    '[{"attack": "distance", "<=": 0.25}, {"utility": "value_change", "<=": 100}]',
    '{"id": "id", "keys": ["age", "income"], "attacks": ["distance"]}');
CREATE TEMP TABLE weakened AS SELECT * FROM sdc.search_rules('strong', '1 hour', 3);
SELECT (SELECT passed FROM weakened LIMIT 1) AS passed,
       (SELECT loss FROM weakened LIMIT 1) <
       (SELECT loss / 2 FROM weakened WHERE candidate = 1) AS better;
-- The budget ends it: the rules of the policy are always measured.
SELECT candidate, detail ~ 'the budget of 1e-06 seconds was spent' AS said
FROM sdc.search_rules('searched', '1 microsecond', 3);
-- Nothing passes; one rule, nothing to turn.
SELECT sdc.create_policy('hopeless', 'people', '{"zip": {"method": "null"}}',
    '[{"measure": "k_anonymity", ">=": 500}]',
    '{"id": "id", "keys": ["age"], "attacks": ["distance"]}');
SELECT candidate, passed, detail ~ 'One of 1 candidates that were tried, none of which passes' AS said
FROM sdc.search_rules('hopeless');
-- How each method is made stronger, as far as it goes; k beyond the rows is
-- refused, and does not end the search.
SELECT sdc.create_policy('hopeless', 'people',
    '{"zip": {"method": "pram", "p": 90}, "tax": {"method": "round_to", "base": 5},
      "age": {"method": "microaggregate", "k": 20}, "*": {"method": "sample_rows", "p": 100},
      "income": {"method": "add_noise", "alpha": 0.3, "variant": "laplace"}}',
    '[{"measure": "k_anonymity", ">=": 500}]',
    '{"id": "id", "keys": ["age"], "attacks": ["distance"]}');
SELECT candidate AS c, rules #>> '{zip,p}' AS zip, rules #>> '{tax,base}' AS tax,
       rules #>> '{age,k}' AS age, rules #>> '{*,p}' AS rows,
       rules #>> '{income,alpha}' AS income, rules #>> '{income,variant}' AS law, passed,
       risk IS NOT NULL AS measured, detail ~ '^It cannot be applied: cannot form a group' AS refused
FROM sdc.search_rules('hopeless', '1 hour', 1) WHERE candidate <= 7 ORDER BY candidate;
SELECT sdc.search_rules('searched', '-1 second');
SELECT sdc.search_rules(NULL);
SELECT sdc.search_rules('none');
CREATE TABLE other AS SELECT * FROM people;
SELECT sdc.create_policy('hopeless', 'other', '{}', '[]');
SELECT sdc.search_rules('hopeless');
-- Both radii of donut are varied by one factor, and metres stay metres.
CREATE TABLE homes AS
SELECT i AS id, point(10 + i * 79 % 100 / 100.0, 50 + i * 47 % 97 / 100.0) AS home
FROM generate_series(1, 60) AS i;
SELECT sdc.declare('homes', id => 'id', keys => '{home}');
SELECT sdc.create_policy('moved', 'homes',
    '{"home": {"method": "donut", "inner": 100, "outer": 500, "variant": "earth"}}',
    '[{"attack": "likelihood", "<=": 0.5}]');
SELECT count(DISTINCT r->'outer') > 2 AS varied,
       bool_and(abs((r->>'outer')::float8 / (r->>'inner')::float8 - 5) < 0.05) AS together,
       bool_and(r->>'variant' = 'earth') AS metres
FROM sdc.search_rules('moved', '1 hour', 1) AS f, LATERAL (SELECT f.rules->'home') AS h(r);
SELECT sdc.drop_policy('moved');
DROP TABLE homes;

-- Nothing is published.
SELECT count(*) FROM sdc.releases('searched');

-- frontier_itemsets: purchases protected in several ways, what the strongest
-- channel finds against what is lost.
CREATE TABLE sold AS
SELECT 'c' || c AS customer, date '2024-01-01' + (c * 13 + e * e * 17 + c * e) % 240 AS at,
       'i' || (c % 7) * 5 + (c * c + e * 5) % 9 AS item,
       round((1 + (c * 31 + e * 7) % 40) / 4.0, 2) AS price, 1 + (c + e) % 5 AS quantity
FROM generate_series(1, 120) AS c, generate_series(1, 2 + c % 9) AS e;
CREATE TABLE buyers AS SELECT DISTINCT customer, 'g' || substr(customer, 2)::int % 2 AS gender FROM sold;
CREATE TABLE ways AS
SELECT * FROM sdc.frontier_itemsets('sold', '[{"t": 0.6}, {"t": [0.3, 0.6], "found": 0.25}]',
    '{"found": 0.25, "item_set_distance": 0.7, "mean_price_error": 3, "customer_class_difference": 0.8}',
    params => '{"master": "buyers", "columns": ["gender"], "repeats": 1}', seed => 1);
SELECT candidate AS c, rules, risk, passed, dominated, detail ~ 'found is 1, above 0.25' AS found_too_many,
       detail ~ 'the bounds hold for no clusters' AS impossible
FROM ways ORDER BY candidate;
-- the figures are those of the functions, and the loss the largest share of a bound
CREATE TABLE figures AS
SELECT x[1] AS measure, x[2]::float8 AS value
FROM ways, regexp_matches(detail, '(item_set_distance|mean_price_error|turnover_error|customer_class_difference|found) ([\d.]+)[,.]', 'g') AS x
WHERE candidate = 3;
SELECT abs(loss - greatest((SELECT value FROM figures WHERE measure = 'item_set_distance') / 0.7,
           (SELECT value FROM figures WHERE measure = 'mean_price_error') / 3,
           (SELECT value FROM figures WHERE measure = 'customer_class_difference') / 0.8)) < 1e-3 AS largest_share,
       (SELECT value FROM figures WHERE measure = 'mean_price_error') < 2 AS cells_are_there
FROM ways WHERE candidate = 3;
-- one measure alone; the loss of nothing bounded is the distance of the sets
SELECT candidate AS c, passed, risk, loss BETWEEN 0.25 AND 0.6 AS distance
FROM sdc.frontier_itemsets('sold', '{"t": [0.3, 0.6]}', params => '{"repeats": 1}', seed => 1);
SELECT loss > 1 AS money FROM sdc.frontier_itemsets('sold', '{"t": 0.3}',
    params => '{"repeats": 1, "loss": "turnover_error", "k": 1}', seed => 1);
-- turnover on other items: prices that are fitted keep more of it
SELECT max(loss) FILTER (WHERE candidate = 2) BETWEEN 0.001 AND 0.3 AS within,
       max(loss) FILTER (WHERE candidate = 2) < max(loss) FILTER (WHERE candidate = 1) AS less
FROM sdc.frontier_itemsets('sold', '[{"t": 0.6, "found": 0.25, "days": "drawn", "amounts": "drawn"},
    {"t": 0.6, "found": 0.25, "days": "drawn", "amounts": "drawn", "item_turnover_error": 0.3}]',
    '{"item_turnover_error": 0.3}', params => '{"repeats": 1, "loss": "item_turnover_error"}', seed => 1);
-- a candidate is tried as often as is said: an interval needs two repeats
SELECT r AS repeats, count(risk_low) AS intervals
FROM generate_series(1, 2) AS r, sdc.frontier_itemsets('sold', '{"t": 0.3}', params => jsonb_build_object('repeats', r), seed => 1)
GROUP BY r ORDER BY r;
SELECT passed, detail FROM sdc.frontier_itemsets('sold', '[{"t": 2}, {"x": 2}, {"master": "buyers"}]', seed => 1);
SELECT sdc.frontier_itemsets('sold', '{}', '{"x": 2}');
SELECT sdc.frontier_itemsets('sold', '{}', '["found", 2]');
SELECT sdc.frontier_itemsets('sold', '{}', '{"found": 2, "mean_price_error": 1}');
SELECT sdc.frontier_itemsets('sold', '{}', params => '{"loss": "found"}');
SELECT sdc.frontier_itemsets('sold', '{}', params => '{"x": 1}');
SELECT sdc.frontier_itemsets('sold', '[]');
SELECT sdc.frontier_itemsets('sold', NULL);
SELECT sdc.frontier_itemsets('buyers', '{}');
SELECT count(*) AS left_behind FROM pg_class WHERE relname ~ '^sdc_frontier_.*(link|master)';
DROP TABLE sold, buyers, ways, figures;

SELECT sdc.drop_policy(p) FROM unnest('{searched,strong,hopeless}'::text[]) AS p;
DROP SCHEMA frontier CASCADE;
DROP TABLE means, points, found, weakened, sdc_frontier_1;
REVOKE ALL ON FUNCTION sdc.search_rules(text, interval, bigint)
FROM regress_sdc_searcher;
DROP ROLE regress_sdc_searcher;
