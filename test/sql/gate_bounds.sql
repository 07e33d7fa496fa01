-- gate_bounds: a value exactly on the bound of a constraint, a rounding error
-- beyond it, a little beyond it, and no value at all.

\set SHOW_CONTEXT never
SET sdc.progress_interval = 0;

CREATE SCHEMA gate_bounds;
SET search_path = gate_bounds;

-- 30 records alone, 5 pairs, and 15 classes of four: k is 1, the share of those
-- that are alone is 0.3, the average class 2.
CREATE TABLE people AS
SELECT i AS id, CASE WHEN i <= 30 THEN i WHEN i <= 40 THEN 100 + (i - 31) / 2
                     ELSE 200 + (i - 41) / 4 END AS age,
       'd' || i % 7 AS disease
FROM generate_series(1, 100) AS i;
-- What is measured, to the last bit.
CREATE TABLE measured AS
SELECT measure, value FROM sdc.risk_report('people', 'age')
WHERE measure IN ('k_anonymity', 'unique_share', 'average_class',
                  'prosecutor_average', 'at_risk', 'largest_class');
SELECT count(*) FROM measured;
SELECT measure, round(value::numeric, 12) AS value FROM measured
WHERE measure IN ('k_anonymity', 'unique_share', 'average_class') ORDER BY 1;

CREATE FUNCTION passed(wanted jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM sdc.create_policy('bounds', 'people', '{}', jsonb_build_array(wanted),
                              '{"id": "id", "keys": ["age"]}');
    RETURN (SELECT bool_and(r.passed) FROM sdc.check_release('bounds', 'people') AS r);
END $$;

-- A bound of 0.1 + 0.2 instead of 0.3 must not refuse what has 0.3, so <= and
-- >= allow a rounding error of 1e-9 of the bound.  < and > allow none, and
-- nothing allows more.
CREATE TABLE tried AS
SELECT m.measure, c.word, d.beyond,
       passed(jsonb_build_object('measure', m.measure,
                                 c.word, m.value * (1 + d.beyond))) AS passed,
       CASE c.word WHEN '<=' THEN d.beyond >= -1e-9
                   WHEN '>=' THEN d.beyond <= 1e-9
                   WHEN '<' THEN d.beyond > 0
                   ELSE d.beyond < 0 END AS expected
FROM measured AS m,
     (VALUES ('<='), ('<'), ('>='), ('>')) AS c(word),
     (VALUES (0), (1e-10), (-1e-10), (1e-8), (-1e-8), (1e-6), (-1e-6), (1e-2),
             (-1e-2)) AS d(beyond)
-- Everybody is at risk, and no bound of a share is beyond 1.
WHERE NOT (m.measure = 'at_risk' AND d.beyond > 0);
SELECT count(*) AS tried, count(*) FILTER (WHERE passed) AS passed,
       count(*) FILTER (WHERE passed IS DISTINCT FROM expected) AS wrong
FROM tried;
SELECT * FROM tried WHERE passed IS DISTINCT FROM expected ORDER BY 1, 2, 3;
-- The bound zero allows nothing beside it.
SELECT passed('{"measure": "below_3", "<=": 0}') AS some_below,
       passed('{"measure": "unique_count", ">=": 30}') AS "30",
       passed('{"measure": "unique_count", ">": 30}') AS more,
       passed('{"measure": "unique_count", "<": 30}') AS less;

-- What has no value passes no constraint, whichever way it looks.
CREATE TABLE nobody AS TABLE people WITH NO DATA;
CREATE FUNCTION passed_empty(wanted jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM sdc.create_policy('empty', 'nobody', '{}', jsonb_build_array(wanted),
                              '{"id": "id", "keys": ["age"]}');
    RETURN (SELECT bool_and(r.passed) FROM sdc.check_release('empty', 'nobody') AS r
            WHERE r.value IS NULL);
END $$;
SELECT word, passed_empty(jsonb_build_object('measure', 'k_anonymity', word, 0)) AS k,
       passed_empty(jsonb_build_object('measure', 'unique_share', word, 1)) AS share
FROM unnest('{<=,<,>=,>}'::text[]) AS word ORDER BY word COLLATE "C";

-- Of several columns the worst counts, and one without a value is the worst:
-- the mean of a column that is empty has not moved by any number.
CREATE TABLE two AS SELECT id, age, age + 5 AS wage FROM people;
CREATE TABLE two_empty AS SELECT id, age, age + 5 AS wage, NULL::int AS nothing FROM people;
SELECT subject, value IS NULL AS none
FROM sdc.utility_report('two_empty', 'two_empty', 'id', measures => '{mean}') ORDER BY 1;
CREATE FUNCTION passed_mean(relation regclass) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM sdc.create_policy(relation::text, relation, '{}', '[{"utility": "mean", "<=": 1}]',
                              '{"id": "id", "keys": ["age"]}');
    RETURN (SELECT bool_and(r.passed) FROM sdc.check_release(relation::text, relation) AS r);
END $$;
SELECT passed_mean('two') AS all_known, passed_mean('two_empty') AS one_unknown;

-- A release reads the figures from the reports that it makes as a whole,
-- check_release asks for one measure at a time: they are the same to the last
-- bit, and so are their sentences.
CREATE TABLE wages AS
SELECT i AS id, i % 9 AS age, (i * 37) % 101 AS wage, sqrt(i) AS hours,
       'd' || i % 4 AS disease
FROM generate_series(1, 200) AS i;
SELECT sdc.declare('wages', id => 'id', keys => '{age}', sensitive => '{disease}',
                   insensitive => '{wage,hours}');
CREATE SCHEMA gate_bounds_out;
\set rules '{"wage": {"method": "round_to", "base": 10}, "hours": {"method": "round_to", "base": 2}}'
SELECT count(*) FROM sdc.mask('wages', :'rules', target => 'rounded');
SELECT sdc.create_policy('whole', 'wages', :'rules',
    (SELECT jsonb_agg(jsonb_build_object(kind, measure, '>=', least))
     FROM (SELECT 'measure' AS kind, measure, 0 AS least
           FROM sdc.risk_report('rounded', 'age', 'disease')
           GROUP BY measure HAVING count(*) = count(value)
           UNION ALL SELECT 'utility', measure, -9
           FROM sdc.utility_report('wages', 'rounded', 'id')
           WHERE measure <> 'records'
           GROUP BY measure HAVING count(*) = count(value)) AS m),
    '{"attacks": [], "schema": "gate_bounds_out"}');
CALL sdc.release('whole');
SELECT count(*) > 20 AS many, count(*) FILTER (WHERE g.value > 0) > 15 AS positive,
       count(*) FILTER (WHERE ROW(g.value, g.detail) IS DISTINCT FROM
                        ROW(c.value, replace(c.detail, 'rounded', 'wages'))) AS differ
FROM sdc.releases('whole') AS r,
     jsonb_to_recordset(r.measures -> 0 -> 'gate')
         AS g(requirement text, value float8, detail text)
LEFT JOIN sdc.check_release('whole', 'rounded') AS c USING (requirement);

-- No bound is NULL, NaN, infinite or of another kind.
SELECT passed('{"measure": "unique_share", "<=": null}');
SELECT passed('{"measure": "unique_share", "<=": "NaN"}');
SELECT passed('{"measure": "unique_share", "<=": 1e400}');
SELECT passed('{"measure": "unique_share", "<=": [1]}');
SELECT passed('{"measure": "unique_share"}');
SELECT passed('{"measure": "unique_share", "<=": 1, ">=": 0}');

-- Classes of five may be asked for in other words than k_anonymity: who bounds
-- no attack is held to the same, two in five.  Classes of two, or of those that
-- are not alone, are found by a guess in two, and half of the others as well.
CREATE TABLE taxed AS
SELECT i AS id, i * 7919 % 1009 AS income, i * 7919 % 1009 * 3 + 7 AS tax, 'd' || i % 7 AS disease
FROM generate_series(1, 100) AS i;
SELECT sdc.declare('taxed', id => 'id', keys => '{income}', insensitive => '{tax}', sensitive => '{disease}');
SELECT count(*) FROM sdc.mask('taxed', '{"income": {"method": "microaggregate", "k": 5}}',
                              target => 'taxed_masked', id => 'id', seed => 1);
CREATE FUNCTION taxed(wanted text) RETURNS SETOF sdc.gate_result LANGUAGE plpgsql AS $$
BEGIN
    PERFORM sdc.create_policy('taxed', 'taxed', '{"income": {"method": "microaggregate", "k": 5}}',
                              jsonb_build_array(wanted::jsonb), '{"attacks": ["likelihood"]}');
    RETURN QUERY SELECT * FROM sdc.check_release('taxed', 'taxed_masked');
END $$;
SELECT r.requirement, r.passed FROM unnest('{
    "{\"measure\": \"prosecutor_highest\", \"<=\": 0.2}", "{\"measure\": \"prosecutor_average\", \"<\": 0.25}",
    "{\"measure\": \"average_class\", \">=\": 5}", "{\"measure\": \"below_5\", \"<=\": 0}",
    "{\"measure\": \"below_3\", \"<=\": 0}", "{\"measure\": \"at_risk\", \"<=\": 0}",
    "{\"measure\": \"at_risk\", \"<=\": 0, \"params\": {\"threshold\": 0.25}}",
    "{\"measure\": \"l_distinct\", \">=\": 3}", "{\"measure\": \"k_anonymity\", \">=\": 2}",
    "{\"measure\": \"unique_share\", \"<=\": 0}", "{\"measure\": \"unique_share\", \"<=\": 0.1}",
    "{\"measure\": \"unique_count\", \"<\": 1}", "{\"measure\": \"unique_count\", \"<=\": 10}",
    "{\"measure\": \"below_5\", \"<=\": 3}"}'::text[]) WITH ORDINALITY AS w(wanted, place), LATERAL taxed(wanted) AS r
WHERE r.requirement ~ 'worst' ORDER BY w.place;
SELECT r.requirement, r.passed FROM unnest('{
    "{\"measure\": \"unique_share\", \"<=\": 1}", "{\"measure\": \"prosecutor_highest\", \">=\": 0.2}",
    "{\"measure\": \"below_5\", \"<=\": 100}", "{\"measure\": \"k_anonymity\", \">=\": 1}"}'::text[]) WITH ORDINALITY AS w(wanted, place), LATERAL taxed(wanted) AS r
ORDER BY w.place;

-- Who looks for somebody knows his name, which is no key: what is made of it,
-- beside keys that are hidden, tells whose record it is; what was drawn does not.
CREATE TABLE named AS
SELECT i AS id, initcap(translate(md5(i::text), '0123456789', 'ghijklmnop')) AS name,
       i * 7919 % 1009 AS income, i * 31 % 7 AS ward
FROM generate_series(1, 100) AS i;
CREATE FUNCTION named(shown text, rule text DEFAULT '') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE named ADD shown text; UPDATE named SET shown = %s', shown);
    PERFORM sdc.declare('named', id => 'id', identifiers => '{name}', keys => '{income}',
                        insensitive => '{ward,shown}');
    PERFORM sdc.create_policy('named', 'named', ('{"income": {"method": "null"}' || rule || '}')::jsonb,
        '[{"attack": "worst", "<=": 0.1}]', '{"schema": "gate_bounds_out", "attacks": ["likelihood"]}');
END $$;
\set VERBOSITY sqlstate
SELECT named('md5(name)');
CALL sdc.release('named');
ALTER TABLE named DROP shown;
SELECT named('lower(name) || ''@post.test''');
CALL sdc.release('named');
ALTER TABLE named DROP shown;
SELECT named('md5(lower(name))', ', "name": {"method": "pseudonym", "domain": "gate_bounds"}');
CALL sdc.release('named');
ALTER TABLE named DROP shown;
SELECT named('md5(random()::text)');
CALL sdc.release('named');
SELECT status, g.value > 0.9 AS nearly_all, g.value <= 0.1 AS few
FROM sdc.releases('named') AS r, LATERAL jsonb_to_recordset(r.measures -> 0 -> 'gate')
    AS g(value float8) ORDER BY release;

-- Nobody is told the id or the household, so no column may be one in another
-- form.  Numbers in its order, other numbers and what was drawn may.
CREATE TABLE numbered AS
SELECT i + 700 AS id, i % 9 AS age, 3000 + i / 3 AS home, (i + 700)::numeric AS copied,
       'P-' || lpad((i + 700)::text, 7, '0') AS filled, 'user' || i + 700 || '@post.test' AS address,
       md5((i + 700)::text) AS digest, upper(left(md5((i + 700)::text), 6)) AS cut,
       md5((i + 700)::text)::uuid AS uuid, sha256((i + 700)::text::bytea) AS bytes,
       encode(sha256((i + 700)::text::bytea), 'base64') AS base64,
       CASE WHEN i % 2 = 0 THEN (i + 700)::text END AS half, md5((3000 + i / 3)::text) AS door,
       md5((i + 700)::text) AS known, i AS counted, i % 2 AS item, (i + 700) * 7 + 3 AS line, (i + 20) % 60 + 700 AS shifted,
       md5(i || 'drawn') AS drawn, CASE WHEN i % 3 = 0 THEN i + 700 ELSE i + 900 END AS third, (i + 700) || ' of ' || (i + 701) AS two
FROM generate_series(0, 59) AS i;
SELECT sdc.declare('numbered', id => 'id', household => 'home', keys => '{age,known}', insensitive =>
    '{copied,filled,address,digest,cut,uuid,bytes,base64,half,door,counted,item,line,shifted,drawn,third,two}');
CREATE FUNCTION numbered(rules jsonb, dropped jsonb) RETURNS void LANGUAGE sql AS $$
    SELECT sdc.create_policy('numbered', 'numbered', rules, '[{"attack": "exact", "<=": 1}]',
        jsonb_build_object('schema', 'gate_bounds_out', 'attacks', '["exact"]'::jsonb, 'drop', dropped)) $$;
SELECT numbered('{"item": {"method": "null"}}', '["shifted"]');
CALL sdc.release('numbered');
SELECT numbered('{"digest": {"method": "null"}}', '["filled","address","cut","uuid","bytes","base64","half","two","door"]');
CALL sdc.release('numbered');
SELECT numbered('{"digest": {"method": "null"}}', '["copied","filled","address","cut","uuid","bytes","base64","half","two","door"]');
CALL sdc.release('numbered');
SELECT status, reason FROM sdc.releases('numbered') ORDER BY release;

-- Rows are looked at wherever they are, also in some blocks of a large table: the
-- oldest ones may have been written otherwise.  A tenth of them is enough where
-- it cannot be chance; two columns may be the id together, and a number or a
-- text may be written to another base.
CREATE TABLE later AS
SELECT i + 1000 AS id, i % 9 AS age, CASE WHEN i > 2000 THEN 'P-' || i + 1000 END AS late,
       CASE WHEN i % 7 = 0 THEN md5((i + 1000)::text) END AS seventh, CASE WHEN i % 40 = 0 THEN (i + 1000)::text ELSE 'none' END AS fortieth,
       (i + 1000) / 100 AS branch, (i + 1000) % 100 AS number, lpad((i % 100)::text, 4, '0') AS filled, to_hex(i + 1000) AS hex,
       (i + 1000)::bit(16) AS bits, (i + 1000)::text::bytea AS bytes, encode((i + 1000)::text::bytea, 'base64') AS base64,
       i % 11 + 20 AS other, 1000 + i * 7919 % 3000 AS drawn, i % 100 + 1.5 AS half
FROM generate_series(0, 2999) AS i;
CREATE FUNCTION later(kept text, keys text) RETURNS void LANGUAGE sql AS $$
    SELECT sdc.declare('later', id => 'id', keys => keys::name[], insensitive => ARRAY(SELECT c FROM unnest('{late,seventh,fortieth,
        number,filled,hex,bits,bytes,base64,other,drawn}'::name[]) AS c WHERE NOT c = ANY (keys::name[])));
    SELECT sdc.create_policy('later', 'later', '{"age": {"method": "null"}}', '[{"attack": "exact", "<=": 1}]',
        jsonb_build_object('schema', 'gate_bounds_out', 'attacks', '["exact"]'::jsonb, 'drop', kept::name[])) $$;
SELECT later('{half}', '{age,branch}');
CALL sdc.release('later');
SELECT later('{half,late,seventh,hex,bits,bytes,base64}', '{age,branch,number,filled}');
CALL sdc.release('later');
SELECT later('{half,late,seventh,number,filled,hex,bits,bytes,base64}', '{age,branch}');
CALL sdc.release('later');
SELECT status, reason FROM sdc.releases('later') ORDER BY release;
CREATE TABLE large AS SELECT i AS id, i % 9 AS age, CASE WHEN i > 60000 THEN md5(i::text) END AS late FROM generate_series(1, 120000) AS i;
ANALYZE large;
SELECT sdc.declare('large', id => 'id', keys => '{age}', insensitive => '{late}');
SELECT sdc.create_policy('large', 'large', '{"age": {"method": "null"}}', '[{"attack": "exact", "<=": 1}]', '{"schema": "gate_bounds_out", "attacks": ["exact"]}');
CALL sdc.release('large');
SELECT status, reason FROM sdc.releases('large') ORDER BY release;
-- what is left of it lies in blocks of which none would be drawn of a large one
DELETE FROM large WHERE id <= 119500 OR id IN (SELECT id FROM large TABLESAMPLE SYSTEM (16.6666667) REPEATABLE (0));
CALL sdc.release('large');
SELECT status, reason FROM sdc.releases('large') ORDER BY release;
SELECT count(sdc.drop_policy(p)) FROM unnest('{later,large}'::text[]) AS p;

-- Nor does it help to show it in a table that is joined with that of the people.
ALTER TABLE named DROP shown, ADD PRIMARY KEY (id);
CREATE TABLE bought AS
SELECT n.id * 10 + k AS id, n.id AS buyer, md5(n.name) AS token, n.id * k % 5 AS item
FROM named AS n, generate_series(1, 2) AS k;
ALTER TABLE bought ADD FOREIGN KEY (buyer) REFERENCES named;
SELECT sdc.declare('named', id => 'id', identifiers => '{name}', keys => '{income}', insensitive => '{ward}'),
       sdc.declare('bought', id => 'id', keys => '{item}', insensitive => '{buyer,token}');
SELECT sdc.create_policy('bought', 'named', '{"income": {"method": "null"},
    "id": {"method": "pseudonym", "domain": "gate_bounds", "format": "digits"}}',
    '[{"attack": "joined", "<=": 0.1}]', '{"schema": "gate_bounds_out", "table": "buyers", "attacks": ["exact"]}');
SELECT sdc.create_policy('bought', 'bought', '{"item": {"method": "null"},
    "buyer": {"method": "pseudonym", "domain": "gate_bounds", "format": "digits"}}',
    '[{"attack": "exact", "<=": 0.1}]', '{"schema": "gate_bounds_out", "attacks": ["exact"]}');
CALL sdc.release('bought');
\set VERBOSITY default
SELECT status, g.requirement, g.value > 0.9 AS nearly_all, g.value <= 0.1 AS few
FROM sdc.releases('bought') AS r, LATERAL jsonb_to_recordset(r.measures -> 0 -> 'gate')
    AS g(requirement text, value float8) ORDER BY release;

SELECT sdc.drop_policy(p) FROM unnest('{bounds,empty,two,two_empty,whole,taxed,named,bought,numbered}'::text[]) AS p;
SELECT sdc.forget_pseudonyms('gate_bounds') AS forgotten;
SET client_min_messages = warning;
DROP SCHEMA gate_bounds, gate_bounds_out CASCADE;
