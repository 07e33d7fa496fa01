-- attacks: each row of the registry, as the gate and disclosure_report run it,
-- against the function of its name.

\set SHOW_CONTEXT never
SET sdc.progress_interval = 0;

CREATE SCHEMA attacks;
SET search_path = attacks;
CREATE TABLE people AS
SELECT i AS id, 20 + i * 7 % 61 AS age, (1000 + i * i % 997)::float8 AS income,
       (i * 37 % 211)::float8 AS tax, 'z' || i % 4 AS zip,
       'd' || i * i % 7 AS disease
FROM generate_series(1, 240) AS i;
CREATE TABLE masked AS
SELECT id, sdc.rank_swap(age, 10, seed => 1) OVER (ORDER BY id) AS age,
       sdc.rank_swap(income, 10, seed => 2) OVER (ORDER BY id) AS income, tax,
       zip, disease FROM people;
CREATE TABLE earlier AS
SELECT id, age / 20 * 20 AS age, income > 1500 AS income, zip, disease
FROM people WHERE id % 3 > 0;
CREATE TABLE coarse AS
SELECT id, age / 30 * 30 AS age, income > 1200 AS income, zip, disease
FROM people;
CREATE TABLE outside AS
SELECT 1000 + i AS id, 20 + i * 11 % 61 AS age, (1000 + i * 31 % 997)::float8 AS income,
       (i * 17 % 211)::float8 AS tax, 'z' || i % 4 AS zip, 'd' || i % 7 AS disease
FROM generate_series(1, 240) AS i;
CREATE TABLE grouped AS
SELECT id, disease, sdc.diverse_group(disease, 3) OVER (ORDER BY id) AS g
FROM people;
\set rules '{"age": {"method": "rank_swap", "p": 10}, "income": {"method": "rank_swap", "p": 10}}'
\set params '{"id": "id", "keys": ["age", "income", "tax"], "sensitive": ["disease"]}'

-- What the gate says of one attack against a masked table.
CREATE FUNCTION gate(what jsonb, masked regclass DEFAULT 'masked',
                     params jsonb DEFAULT NULL)
RETURNS TABLE (value float8, passed boolean, detail text)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM sdc.create_policy('g', 'people', '{"age": {"method": "rank_swap", "p": 10},
        "income": {"method": "rank_swap", "p": 10}}',
        jsonb_build_array(what || '{"<=": 0}'),
        '{"id": "id", "keys": ["age", "income", "tax"], "sensitive": ["disease"]}'
        || coalesce(params, '{}'));
    RETURN QUERY SELECT r.value, r.passed, r.detail
        FROM sdc.check_release('g', masked, '{"seed": 5}') AS r;
END $$;

-- Every figure of every linkage attack is that of its links.
CREATE TABLE links AS
SELECT 'distance' AS attack, sdc.reid(l) AS r
    FROM sdc.attack_distance('people', 'masked', 'id', '{age,income,tax}') AS l
UNION ALL SELECT 'mahalanobis', sdc.reid(l)
    FROM sdc.attack_distance('people', 'masked', 'id', '{age,income,tax}', 'mahalanobis') AS l
UNION ALL SELECT 'exact', sdc.reid(l)
    FROM sdc.attack_exact('people', 'masked', 'id', '{age,income,tax}') AS l
UNION ALL SELECT 'probabilistic', sdc.reid(l)
    FROM sdc.attack_probabilistic('people', 'masked', 'id', '{age,income,tax}') AS l
UNION ALL SELECT 'learned', sdc.reid(l)
    FROM sdc.attack_learned('people', 'masked', 'id', '{age,income,tax}', seed => 5) AS l
UNION ALL SELECT 'transparency', sdc.reid(l)
    FROM sdc.attack_transparency('people', 'masked', :'rules', 'id', '{age,income,tax}') AS l;
SELECT attack, stat, g.value IS NOT DISTINCT FROM CASE stat
           WHEN 'found' THEN greatest((r).reid_k, (r).reid_d)
           WHEN 'reid_k' THEN (r).reid_k WHEN 'reid_d' THEN (r).reid_d
           WHEN 'k_reid' THEN (r).k_reid WHEN 'certain' THEN (r).k_reid
           WHEN 'claimed' THEN (r).claimed
           WHEN 'claim_precision' THEN (r).claim_precision END AS same
FROM links, unnest('{found,reid_k,reid_d,k_reid,certain,claimed,claim_precision}'::text[]) AS stat,
     gate(jsonb_build_object('attack', attack, 'stat', stat)) AS g
ORDER BY attack COLLATE "C", stat COLLATE "C";
SELECT g.value = (SELECT max(greatest((r).reid_k, (r).reid_d)) FROM links) AS greatest,
       left(g.detail, 40) AS detail FROM gate('{"attack": "worst"}') AS g;

-- What likelihood finds is no less than what its links come to.
SELECT g.value >= (r).reid_d AS enough, (r).reid_d > 0.5 AS much,
       abs(g.value - (r).reid_d) < 0.05 AS near FROM gate('{"attack": "likelihood"}') AS g,
    (SELECT sdc.reid(l) AS r FROM sdc.attack_likelihood('people', 'masked', :'rules', 'id',
         '{age,income,tax}') AS l) AS s;

-- A method, a direction and an assignment of an attack.
SELECT g.value = greatest((r).reid_k, (r).reid_d) AS same FROM
    gate('{"attack": "distance", "variant": "gower", "params": {"direction": "to_original"}}') AS g,
    (SELECT sdc.reid(l) AS r FROM sdc.attack_distance('people', 'masked', 'id',
         '{age,income,tax}', 'gower', '{"direction": "to_original"}') AS l) AS s;
SELECT g.value = (r).reid_d AS same FROM
    gate('{"attack": "distance", "params": {"assignment": "one_to_one"}}') AS g,
    (SELECT sdc.reid(l) AS r FROM sdc.attack_distance('people', 'masked', 'id',
         '{age,income,tax}', params => '{"assignment": "one_to_one"}') AS l) AS s;

-- Attacks that need what only params can name: a policy without it is not
-- written.
SELECT * FROM gate('{"attack": "composition"}');
SELECT stat, abs(g.value - CASE stat WHEN 'found' THEN l.own ELSE l.alone END) < 1e-12 AS same,
       g.value > 0 AS found
FROM unnest('{found,reid_d,certain,claimed}'::text[]) AS stat,
    gate(jsonb_build_object('attack', 'composition', 'stat', stat, 'params',
             '{"releases": ["earlier"]}'::jsonb), 'coarse',
         '{"keys": ["age", "income", "zip"]}') AS g,
    (SELECT sum(l.probability) FILTER (WHERE l.linked_id = p.disease) / 240 AS own,
            count(*) FILTER (WHERE l.correct) / 240.0::float8 AS alone
     FROM sdc.attack_composition('{coarse,earlier}', 'id', '{age,income,zip}', '{disease}') AS l
     JOIN people AS p ON p.id::text = l.id) AS l;
SELECT * FROM gate('{"attack": "minimality"}');
SELECT abs(g.value - b.right_one) < 1e-12 AS same, g.value > 0 AS found FROM
    gate('{"attack": "minimality", "params": {"groups": "g", "l": 3}}', 'grouped') AS g,
    (SELECT sum(b.posterior) / count(DISTINCT b.subject) AS right_one
     FROM sdc.attack_minimality('grouped', 'g', 'id', '{disease}', 3) AS b
     JOIN grouped AS p ON p.id::text = b.subject AND p.disease = b.value) AS b;
SELECT * FROM gate('{"attack": "minimality", "params": {"groups": "g", "l": 6}}', 'grouped');
SELECT * FROM gate('{"attack": "membership"}');
SELECT g.value >= 0 AND g.value <= 1 AS share, left(g.detail, 68) AS detail
FROM gate('{"attack": "membership", "params": {"external": "outside"}}') AS g;
SELECT g.value = m.value AS same, g.detail FROM
    gate('{"attack": "inference", "variant": "tree", "params": {"folds": 4}}') AS g,
    sdc.inference_risk('people', 'masked', 'id', '{age,income,tax}', '{disease}', 10, 'tree',
            '{"folds": 4, "repeats": 1}', 5) AS m
WHERE m.measure = 'inference_risk';
CREATE TABLE buys AS
SELECT 'c' || i % 12 AS customer, 'i' || (i * i + i % 12) % 23 AS item
FROM generate_series(1, 60) AS i;
CREATE TABLE sold AS
SELECT 'p' || substr(customer, 2) AS customer, item FROM buys WHERE item <> 'i2';
CREATE TABLE pseudonyms AS
SELECT DISTINCT 'p' || substr(customer, 2) AS masked, customer AS original FROM buys;
SELECT sdc.create_policy('items', 'buys', '{}', '[{"attack": "itemset", "<=": 0}]');
SELECT sdc.create_policy('items', 'buys', '{}',
    '[{"attack": "itemset", "<=": 0, "params": {"link": "pseudonyms"}}]');
SELECT r.place, r.value = greatest((s.r).reid_k, (s.r).reid_d) AS same, r.value > 0 AS found,
       r.passed, CASE WHEN r.value IS NULL THEN r.detail END AS detail
FROM sdc.check_release('items', 'sold') AS r,
    (SELECT sdc.reid(l) AS r FROM sdc.attack_itemset('buys', 'sold', 'pseudonyms') AS l) AS s;

-- An attack that cannot be run is a line with its reason: named it fails, worst
-- goes by the others, and without any other it fails.
CREATE TABLE constant AS
SELECT id, NULL::int AS age, NULL::int AS income, NULL::int AS tax, disease FROM people;
CREATE TABLE strangers AS SELECT -id AS id, age, income, tax, disease FROM masked;
CREATE TABLE twice AS SELECT * FROM masked UNION ALL SELECT * FROM masked;
SELECT * FROM gate('{"attack": "probabilistic"}', 'constant');
SELECT value IS NOT NULL AS value, detail FROM gate('{"attack": "worst"}', 'constant',
    '{"attacks": ["distance", "probabilistic"]}');
SELECT * FROM gate('{"attack": "worst"}', 'constant', '{"attacks": ["probabilistic"]}');
SELECT * FROM gate('{"attack": "distance"}', 'strangers');
SELECT * FROM gate('{"attack": "distance"}', 'twice');
SELECT * FROM gate('{"attack": "distance", "variant": "wm", "params": {"weights": {"age": -1}}}');
SELECT value, detail
FROM gate('{"attack": "worst", "params": {"composition": {"releases": ["masked"]}}}');

-- Words are checked when they are written.
SELECT gate('{"attack": "exact", "variant": "wm"}');
SELECT gate('{"attack": "learned", "variant": "euclidean"}');
SELECT gate('{"attack": "exact", "params": {"releases": ["earlier"]}}');
-- What params asks for and cannot be run is not left out: no value, no pass.
SELECT value, detail LIKE 'An attack that params asks for cannot be run. %' AS said,
       detail LIKE '%learned%' AS which
FROM gate('{"attack": "worst", "params": {"learned": {"direction": "sideways"}}}');
SELECT gate('{"attack": "worst", "params": {"brute": {}}}');
SELECT gate('{"attack": "worst", "variant": "wm"}');

-- disclosure_report has the same figures, and a line for what cannot be run.
SELECT attack, count(*) AS lines,
       bool_and(d.value IS NOT DISTINCT FROM CASE d.measure WHEN 'reid_d' THEN (r).reid_d
           WHEN 'reid_k' THEN (r).reid_k WHEN 'k_reid' THEN (r).k_reid
           ELSE (r).claim_precision END) AS same
FROM links, sdc.disclosure_report('people', 'masked', 'id', '{age,income,tax}', '{disease}',
    :'rules', measures => '{distance,mahalanobis,learned,exact,probabilistic,transparency}') AS d
WHERE d.subject IN (attack, attack || ' to_masked')
GROUP BY attack ORDER BY attack COLLATE "C";
SELECT measure, subject, value, detail
FROM sdc.disclosure_report('people', 'constant', 'id', '{age,income,tax}', '{disease}',
    measures => '{transparency,probabilistic,composition,minimality,membership,inference,itemset}')
WHERE subject <> 'people and attacks.constant' AND value IS NULL;

\set VERBOSITY terse
SELECT sdc.drop_policy('g'), sdc.drop_policy('items');
DROP SCHEMA attacks CASCADE;
