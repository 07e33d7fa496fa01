-- hostile_path: a search_path that shadows operators, functions, types and
-- casts changes nothing, when the extension is created and when it is used.
-- Every trap raises an error when it is called.

\set SHOW_CONTEXT never
SELECT current_database() AS home \gset
CREATE DATABASE sdc_hostile;
\c sdc_hostile

CREATE SCHEMA hostile;
CREATE SCHEMA rel;
CREATE TABLE rel.people AS
SELECT i AS id, i % 3 AS region, 20 + i % 50 AS age,
       (1000 + i * 37 % 501)::float8 AS income, 'name ' || i * 7 % 300 AS name,
       (i * 3 % 401)::numeric AS tax, (i % 4)::text AS category
FROM generate_series(1, 300) AS i;

CREATE TABLE rel.sold AS
SELECT i AS id, 'c' || i % 20 AS customer, date '2020-01-01' + i % 50 AS at,
       'item' || i * 7 % 11 * (i % 3) AS item, (i % 13)::numeric AS price,
       1 + i % 4 AS quantity, 'i' || i / 5 AS invoice
FROM generate_series(1, 200) AS i;
CREATE TABLE rel.buyers AS
SELECT DISTINCT customer, length(customer) AS size FROM rel.sold;
CREATE TABLE rel.truth AS
SELECT customer AS masked, customer AS original FROM rel.buyers;

-- What the masks give in peace.
CREATE EXTENSION sdc;
-- What runs in both is kept as text, so that it is parsed under each path.
CREATE FUNCTION rel.run() RETURNS text LANGUAGE plpgsql AS $run$
BEGIN
    EXECUTE $$
    SELECT sdc.create_hierarchy('hostile', 'table', '{"rows":
        [["0","a","*"],["1","a","*"],["2","b","*"],["3","b","*"]]}')$$;
    EXECUTE $$
    CREATE TABLE rel.masked AS
    SELECT id,
           sdc.rank_swap(income, 5, seed => 1) OVER w AS swapped,
           sdc.rank_swap(name, 5, 'buckets', 1) OVER w AS name,
           sdc.rank_swap(tax, 5, 'distribution', 1) OVER w AS tax,
           sdc.shuffle(age, 1) OVER w AS age,
           sdc.microaggregate(income, 3) OVER w AS mean,
           sdc.microaggregate_group(ROW(income, age, name), 3) OVER w AS cell,
           sdc.microaggregate_group(ROW(income, tax), 3, 'best', seed => 1)
             OVER w AS best,
           sdc.microaggregate_group(ROW(income, name), 4, 'mondrian') OVER w AS box,
           sdc.add_noise(income, 0.1, seed => 1) OVER w AS noisy,
           sdc.add_noise(ROW(income, tax::pg_catalog.float8), 0.1, seed => 1)
             OVER w AS both_noisy,
           sdc.pram(category, 50, seed => 1) OVER w AS category,
           sdc.top_code(income, 1100::pg_catalog.float8) AS topped,
           sdc.bottom_code(age, 30) AS bottomed,
           sdc.round_to(tax, 10, 1) AS rounded,
           sdc.mask_text(name, 2) AS hidden
    FROM rel.people WINDOW w AS (PARTITION BY region ORDER BY id)$$;
    EXECUTE $$
    SELECT sdc.create_policy('checked', 'rel.people',
      '{"income": {"method": "rank_swap", "p": 5}}',
      '[{"measure": "k_anonymity", ">=": 2}, {"attack": "distance", "<=": 1},
        {"attack": "transparency", "<=": 1}, {"disclosure": "rank_disclosure", "<=": 1}]',
      '{"id": "id", "keys": ["income", "age"], "sensitive": ["category"]}')$$;
    EXECUTE $$
    CREATE TABLE rel.tried AS
    SELECT f::pg_catalog.text AS line
    FROM sdc.frontier('rel.people', '[{"income": {"method": ["rank_swap"], "p": [5, 10]},
         "tax": {"method": "add_noise", "alpha": 0.2}},
        {"name": {"method": "null"}}]', 'id', '{income,age,tax}',
      '{category}',
      '[{"measure": "k_anonymity", ">=": 2}, {"attack": "worst", "<=": 0.5}]',
      '{"repeats": 2}', 1) AS f
    UNION ALL SELECT f::pg_catalog.text
    FROM sdc.search_rules('checked', '1 hour', 1) AS f$$;
    EXECUTE $$
    CREATE TABLE rel.masked_by_rules AS
    SELECT m::pg_catalog.text AS line
    FROM sdc.mask('rel.people', '{
        "income": {"method": "rank_swap", "p": 5, "strata": ["region"]},
        "tax,age": {"method": "microaggregate", "k": 3},
        "name": {"method": "mask_text", "keep": 2},
        "age,category": {"method": "suppress", "k": 3},
        "*": {"method": "sample_rows", "p": 50, "strata": ["region"]}}',
        'rel.mask_copy', 'id', seed => 3) AS m WHERE step OPERATOR(pg_catalog.=) 'mask'$$;
    EXECUTE $$
    CREATE TABLE rel.in_place AS SELECT * FROM rel.people$$;
    EXECUTE $$
    INSERT INTO rel.masked_by_rules SELECT m::pg_catalog.text
    FROM sdc.mask('rel.in_place', '{
        "income": {"method": "rank_swap", "p": 5, "strata": ["region"]},
        "tax,age": {"method": "microaggregate", "k": 3},
        "category": {"method": "pram", "p": 50},
        "age,name": {"method": "suppress", "k": 3}}',
        id => 'id', seed => 3) AS m WHERE step OPERATOR(pg_catalog.=) 'mask'$$;
    EXECUTE $$
    INSERT INTO rel.masked_by_rules SELECT t::pg_catalog.text FROM rel.mask_copy AS t
    UNION ALL SELECT t::pg_catalog.text FROM rel.in_place AS t$$;
    EXECUTE $$
    CREATE TABLE rel.measured AS
    SELECT r::pg_catalog.text AS line
    FROM sdc.risk_report('rel.people', '{region,age}', '{category,name}', 'tax',
           params => '{"nulls":"wildcard","population":"rel.people",
             "hierarchy":{"category":"hostile"}}') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.risk_records('rel.people', 'id', '{region,age}', '{category}',
                          'name', 'tax') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.uniqueness('rel.people', 'rel.people', '{region,age}',
                        variant => 'population') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.uniqueness('rel.people', NULL, '{region,age}', 'tax',
                        'poisson') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.suda2('rel.people', 'id', '{region,age,category}') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.risk_report('rel.people', '{region,age,category}', measures =>
                         '{special_uniques,key_contribution,value_contribution}') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.separation('rel.people', '{region,age,category}') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.l_multi('rel.people', '{region}', '{category,age}') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.posterior('rel.people', 'rel.people', '{region}',
                       '{category}') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.risk_cells('rel.people', '{region,age}', '{category}', 1) AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.disclosure_report('rel.people', 'rel.people', 'id',
                               '{income,age}', '{category}') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.utility_report('rel.people', 'rel.people', 'id',
                            params => '{"keys":["region"],
                              "hierarchies":{"category":"hostile"},
                              "queries":[{"category":"1","age":[1,40]}]}') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.propensity('rel.people', 'rel.people', '{age,region}') AS r
    UNION ALL SELECT sdc.table_distance('rel.people', 'rel.people',
                                        '{region}', 'l1')::pg_catalog.text
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.candidate_sets('rel.people', 'rel.people', '{"age":{"method":"top_code","upper":69},
             "income":{"method":"rank_swap","p":5,"strata":["region"]},
             "name":{"method":"mask_text","keep":8},
             "tax":{"method":"round_to","base":1,"random":true},
             "category":{"method":"generalize","hierarchy":"hostile","level":0}}',
           'id',
           '{region,age,income,name,tax,category}') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.attack_transparency('rel.people', 'rel.people', '{"age":{"method":"pram","p":90},
             "income,tax":{"method":"microaggregate","k":2}}',
           'id',
           '{age,income,tax}') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.kmeans('rel.people', 'id', '{income,age}', 3, seed => 1) AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.classify('rel.people', 'rel.people', 'id', '{income,category}',
                      '{region}', 'tree') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.utility_clusters('rel.people', 'rel.people', 'id', '{income,age}',
                              3, '{"repeats":1}', 1) AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.utility_classifier('rel.people', 'rel.people', '{income,category}',
           '{region}', 'nb', '{"repeats":1,"id":"id","fold":"category"}', 1) AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.inference_risk('rel.people', 'rel.people', 'id', '{income,category}',
                 '{age}', params => '{"repeats":1}', seed => 1) AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.model_agreement('rel.people', 'rel.people', 'id', '{income,category}',
                    '{age}') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.membership_risk('rel.people', 'rel.people', 'id', '{income,category}',
                 '{region}', params => '{"repeats":1}', seed => 1) AS r
    UNION ALL SELECT ROW(sdc.rand_index(region, category),
                         sdc.jaccard_index(region, category),
                         sdc.f_measure(region, category),
                         sdc.adjusted_rand(region, category))::pg_catalog.text
    FROM rel.people
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.lattice('rel.people', '{region,category}', '{name}', 3, l => 2,
           t => 0.9, params => '{"hierarchies":{"category":"hostile"}}') AS r
    UNION ALL SELECT r::pg_catalog.text
    FROM sdc.check_release('checked', 'rel.people') AS r
    UNION ALL SELECT sdc.policy_json('checked')::pg_catalog.text
    UNION ALL SELECT r::pg_catalog.text FROM sdc.suggest('rel.people') AS r
    UNION ALL SELECT r::pg_catalog.text FROM sdc.drift('rel.people') AS r
    UNION ALL SELECT r::pg_catalog.text
      FROM sdc.attack_exact('rel.people', 'rel.people', 'id', '{age,name}') AS r
    UNION ALL SELECT r::pg_catalog.text
      FROM sdc.attack_composition('{rel.people,rel.people}', 'id', '{age}', '{name}') AS r
    UNION ALL SELECT r::pg_catalog.text
      FROM sdc.linkage_patterns('rel.people', 'rel.people', '{age,name,region}',
        '{"block":["category"]}') AS r
    UNION ALL SELECT r::pg_catalog.text
      FROM sdc.estimate_linkage('rel.people', 'rel.people', '{age,name,region}') AS r
    UNION ALL SELECT r::pg_catalog.text
      FROM sdc.attack_probabilistic('rel.people', 'rel.people', 'id',
        '{age,name,region}') AS r
    UNION ALL SELECT r::pg_catalog.text
      FROM sdc.attack_itemset('rel.sold', 'rel.sold', 'rel.truth', 'tfidf') AS r
    UNION ALL SELECT r::pg_catalog.text
      FROM sdc.attack_events('rel.sold', 'rel.sold', link => 'rel.truth',
        params => '{"period": "month", "known": 2, "days": 1}', seed => 1) AS r
    UNION ALL SELECT r::pg_catalog.text
      FROM sdc.attack_events('rel.sold', 'rel.sold', 'id', seed => 1) AS r
    UNION ALL SELECT r::pg_catalog.text
      FROM sdc.transaction_report('rel.sold', 'rel.sold', 'id') AS r
    UNION ALL SELECT ROW(
        sdc.mean_price_error('rel.sold', 'rel.sold', 'rel.buyers', 'rel.buyers', '{size}'),
        sdc.mean_price_error('rel.sold', 'rel.sold', 'rel.buyers', 'rel.buyers', '{size}',
                 params => '{"variant":"2017"}'),
        sdc.turnover_error('rel.sold', 'rel.sold', 'rel.truth'),
        sdc.customer_class_difference('rel.sold', 'rel.sold'),
        sdc.item_set_distance('rel.sold', 'rel.sold', 'rel.truth'),
        sdc.jaccard_distance('{a,b}'::pg_catalog.text[], '{b}'),
        (SELECT value FROM sdc.anonymize_itemsets('rel.sold', 'rel.sets', 0.5,
            NULL, '{"mean_price_error":1,"master":"rel.buyers","columns":["size"],"turnover_error":9,
              "customer_class_difference":0.5,"link_target":"rel.sets_link"}',
            1) WHERE measure OPERATOR(pg_catalog.=) 'clusters'))::pg_catalog.text
    UNION ALL SELECT sdc.generalize(category, 'hostile', 1) FROM rel.people
    UNION ALL SELECT ROW(sdc.rank_disclosure(income, income, 10), sdc.interval_disclosure(income, age, 10),
                         sdc.unchanged_share(name, name))::pg_catalog.text FROM rel.people$$;
    EXECUTE $$
    SELECT sdc.declare('rel.people', 'id', keys => '{region,age}',
                       weight => 'tax')$$;
    EXECUTE $$
    CREATE TABLE rel.linked AS
    SELECT * FROM sdc.attack_distance('rel.people', 'rel.people', 'id',
                                      '{income,age}')$$;
    EXECUTE $$
    CREATE TABLE rel.learned AS
    SELECT l.*, m.bound
    FROM sdc.attack_learned('rel.people', 'rel.people', 'id',
                            '{income,age}') AS l,
         sdc.learn_distance('rel.people', 'rel.people', 'id', '{income,age}',
                            'choquet') AS m$$;
    EXECUTE $$
    CREATE TABLE rel.lost AS
    SELECT (sdc.reid(a)).*, sdc.information_loss(a.distance, 0)
    FROM sdc.attack_distance('rel.people', 'rel.people', 'id',
                             '{income,age}') AS a$$;
    EXECUTE $$
    CREATE TABLE rel.said AS
    SELECT ROW(r.step, r.subject, r.rows, r.measure, r.value, r.detail)
             ::pg_catalog.text AS line
    FROM sdc.anonymize('rel.people', 'rel.general', '{age,category}', '{name}',
           3, strategy => 'hostile', params => '{"hierarchies":{"category":"hostile"},
             "levels":{"age":0,"category":1}}') AS r
    UNION ALL SELECT ROW(r.step, r.subject, r.rows, r.measure, r.value, r.detail)
             ::pg_catalog.text
    FROM sdc.anonymize('rel.people', 'rel.hidden', '{age,category}', k => 4,
           params => '{"hierarchies":{"category":"hostile"},
             "suppression":100,"levels":{"age":0,"category":1}}') AS r$$;
    EXECUTE $$
    INSERT INTO rel.said SELECT r::pg_catalog.text
    FROM sdc.check_strategy('rel.people', 'hostile') AS r$$;
    RETURN 'done';
END $run$;
SELECT rel.run();
ALTER TABLE rel.masked RENAME TO peace;
ALTER TABLE rel.measured RENAME TO peace_measured;
ALTER TABLE rel.linked RENAME TO peace_linked;
ALTER TABLE rel.learned RENAME TO peace_learned;
ALTER TABLE rel.lost RENAME TO peace_lost;
ALTER TABLE rel.general RENAME TO peace_general;
ALTER TABLE rel.hidden RENAME TO peace_hidden;
ALTER TABLE rel.said RENAME TO peace_said;
ALTER TABLE rel.masked_by_rules RENAME TO peace_by_rules;
ALTER TABLE rel.tried RENAME TO peace_tried;
DROP TABLE rel.mask_copy, rel.in_place;
ALTER TABLE rel.sets RENAME TO peace_sets;
DROP TABLE rel.sets_link;
DROP EXTENSION sdc;

-- The traps: operators and functions of the exact types that masks and
-- measures use, so that they would win over those of pg_catalog.
CREATE FUNCTION hostile.trap() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a trap was called';
END $$;
DO $traps$
DECLARE
    of_type text;
    operator text;
    aggregate text;
BEGIN
    FOREACH of_type IN ARRAY '{int4,int8,float8,numeric,text,name,bool,oid,regclass,anyelement}'::text[]
    LOOP
        EXECUTE format('CREATE FUNCTION hostile.trap(a pg_catalog.%1$s, b pg_catalog.%1$s)
            RETURNS boolean LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION ''a trap was called''; END $$', of_type);
        IF of_type <> 'anyelement' THEN
            FOREACH operator IN ARRAY '{=,<>,<,>,<=,>=,+,-,*,/,||}'::text[]
            LOOP
                EXECUTE format('CREATE OPERATOR hostile.%1$s (LEFTARG = pg_catalog.%2$s,
                    RIGHTARG = pg_catalog.%2$s, FUNCTION = hostile.trap)', operator, of_type);
            END LOOP;
            FOREACH aggregate IN ARRAY '{sum,avg,min,max,stddev_pop,stddev_samp,var_pop,var_samp,floor,abs,length,lower,md5,row_number,rank}'::text[]
            LOOP
                EXECUTE format('CREATE FUNCTION hostile.%1$s(a pg_catalog.%2$s) RETURNS boolean
                    LANGUAGE sql AS $$ SELECT hostile.trap() $$', aggregate, of_type);
            END LOOP;
        END IF;
    END LOOP;
END $traps$;
CREATE FUNCTION hostile.trap(boolean) RETURNS boolean
LANGUAGE sql AS 'SELECT hostile.trap()';
CREATE AGGREGATE hostile.count(*) (SFUNC = hostile.trap, STYPE = boolean);
CREATE FUNCTION hostile.count(anyelement) RETURNS boolean
LANGUAGE sql AS 'SELECT hostile.trap()';
CREATE FUNCTION hostile.unnest(anyarray) RETURNS SETOF boolean
LANGUAGE sql AS 'SELECT hostile.trap()';
CREATE FUNCTION hostile.progress() RETURNS SETOF boolean
LANGUAGE sql AS 'SELECT hostile.trap()';
CREATE FUNCTION hostile.il1s_accum(float8[], float8, float8) RETURNS float8[]
LANGUAGE sql AS 'SELECT hostile.trap(); SELECT $1';
-- Types and relations of the same names, and a cast.
CREATE TYPE hostile.float8 AS (trap text);
CREATE TYPE hostile.int4 AS (trap text);
CREATE TYPE hostile.text AS (trap text);
CREATE TYPE hostile.name AS (trap text);
CREATE TYPE hostile.bigint AS (trap text);
CREATE TYPE hostile.record AS (trap text);
CREATE TYPE hostile.regclass AS (trap text);
CREATE TYPE hostile.measure AS (trap text);
CREATE TYPE hostile.link AS (trap text);
CREATE TABLE hostile.pg_class (trap text);
CREATE TABLE hostile.people (trap text);
CREATE FUNCTION hostile.cast_text(text) RETURNS hostile.text
LANGUAGE sql AS $$ SELECT hostile.trap(); SELECT ROW('trap')::hostile.text $$;
CREATE CAST (pg_catalog.text AS hostile.text)
WITH FUNCTION hostile.cast_text(pg_catalog.text) AS IMPLICIT;

-- The traps work.
SET search_path = hostile, pg_catalog;
SELECT 1::pg_catalog.int4 = 1::pg_catalog.int4;
SELECT count(*) FROM rel.people;

-- The extension is created among them, and binds to none.
CREATE EXTENSION sdc;
SELECT pg_catalog.count(*) OPERATOR(pg_catalog.=) 0 AS none
FROM pg_catalog.pg_depend AS own
JOIN pg_catalog.pg_extension AS e ON e.oid OPERATOR(pg_catalog.=) own.refobjid
JOIN pg_catalog.pg_depend AS used
  ON used.classid OPERATOR(pg_catalog.=) own.classid
 AND used.objid OPERATOR(pg_catalog.=) own.objid
CROSS JOIN LATERAL pg_catalog.pg_identify_object(
    used.refclassid, used.refobjid, used.refobjsubid) AS i
WHERE e.extname OPERATOR(pg_catalog.=) 'sdc'::pg_catalog.name
  AND (i.schema OPERATOR(pg_catalog.=) 'hostile'::pg_catalog.text
       OR i.name OPERATOR(pg_catalog.=) 'hostile'::pg_catalog.text);

-- Everything again, under the hostile path.
SELECT rel.run();
SELECT sdc.create_policy('checked', 'rel.people',
    '{"income": {"method": "rank_swap", "p": 5}}',
    '[{"measure": "k_anonymity", ">=": 1}, {"attack": "worst", "<=": 1}]',
    '{"id": "id", "keys": ["income", "age"], "sensitive": ["category"],
      "drop": ["name", "region", "tax"], "attacks": ["distance", "transparency"]}');
CALL sdc.release('checked', 'rel.released', 4611686018427387905);
CALL sdc.release('checked', 'rel.released', 4611686018427387906);
SELECT status, reason FROM sdc.releases('checked');
SELECT pid FROM sdc.progress;
-- pg_catalog behind everything else, named so
SET search_path = hostile, sdc, rel, pg_catalog;
UPDATE rel.people AS t SET income = q.income
FROM (SELECT id, sdc.rank_swap(income, 5, seed => 1)
                   OVER (PARTITION BY region) AS income
      FROM rel.people) AS q
WHERE t.id OPERATOR(pg_catalog.=) q.id;

-- Nothing differs from what came out in peace.
SET search_path = rel;
SELECT count(*) AS rows,
       count(*) FILTER (WHERE m IS DISTINCT FROM p) AS differ
FROM masked AS m FULL JOIN peace AS p USING (id);
SELECT count(*) > 0 AS measured, count(*) FILTER (WHERE m IS NULL OR p IS NULL)
         AS differ
FROM (SELECT m FROM measured AS m) AS m
FULL JOIN (SELECT p FROM peace_measured AS p) AS p ON m::text = p::text;
SELECT count(*) > 0 AS linked, count(*) FILTER (WHERE m IS NULL OR p IS NULL)
         AS differ
FROM (SELECT m FROM linked AS m) AS m
FULL JOIN (SELECT p FROM peace_linked AS p) AS p ON m::text = p::text;
SELECT count(*) > 0 AS learned, count(*) FILTER (WHERE m IS NULL OR p IS NULL)
       AS differ
FROM (SELECT m FROM learned AS m) AS m
FULL JOIN (SELECT p FROM peace_learned AS p) AS p ON m::text = p::text;
SELECT m::text = p::text AS same FROM lost AS m, peace_lost AS p;
SELECT count(*) AS rows, count(*) FILTER (WHERE m IS DISTINCT FROM p) AS differ,
       count(DISTINCT m.category) AS groups
FROM general AS m FULL JOIN peace_general AS p USING (id);
SELECT count(*) AS rows, count(*) FILTER (WHERE m IS DISTINCT FROM p) AS differ,
       count(*) FILTER (WHERE m.category = '*') AS suppressed
FROM hidden AS m FULL JOIN peace_hidden AS p USING (id);
SELECT count(*) > 0 AS said, count(*) FILTER (WHERE m IS NULL OR p IS NULL)
         AS differ
FROM (SELECT m FROM said AS m) AS m
FULL JOIN (SELECT p FROM peace_said AS p) AS p ON m::text = p::text;
SELECT count(*) > 3 AS tried, count(*) FILTER (WHERE m IS NULL OR p IS NULL)
         AS differ
FROM (SELECT line AS m FROM tried) AS m
FULL JOIN (SELECT line AS p FROM peace_tried) AS p ON m = p;
SELECT count(*) > 450 AS masked_by_rules,
       count(*) FILTER (WHERE m IS NULL OR p IS NULL) AS differ
FROM (SELECT line AS m FROM masked_by_rules) AS m
FULL JOIN (SELECT line AS p FROM peace_by_rules) AS p ON m = p;
SELECT count(*) AS differ
FROM ((TABLE sets EXCEPT ALL TABLE peace_sets)
      UNION ALL (TABLE peace_sets EXCEPT ALL TABLE sets)) AS x;
SELECT count(*) AS rows,
       count(*) FILTER (WHERE t.income IS DISTINCT FROM p.swapped) AS differ
FROM people AS t JOIN peace AS p USING (id);

\c :home
DROP DATABASE sdc_hostile;
