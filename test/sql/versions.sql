-- Releases over time: what was published of a person stays as long as his
-- values do; what all versions together show is attacked.
-- Figures depend on the secret of the policy, so none is printed.
CREATE SCHEMA versions;
CREATE SCHEMA versions_out;
CREATE ROLE regress_sdc_versions;
GRANT ALL ON SCHEMA versions, versions_out TO regress_sdc_versions;
GRANT EXECUTE ON PROCEDURE sdc.release(text, text, bigint)
TO regress_sdc_versions;
GRANT EXECUTE ON FUNCTION
    sdc.create_policy(text, regclass, jsonb, jsonb, jsonb),
    sdc.releases(text), sdc.policy_json(text), sdc.create_policy(jsonb),
    sdc.pseudonym(text, text, text, text), sdc.drop_policy(text),
    sdc.in_sample(text, text, text, float8)
TO regress_sdc_versions;
-- its numbers are in messages
ALTER SEQUENCE sdc.release_number RESTART 5000;
SET ROLE regress_sdc_versions;
SET search_path = versions;
SET sdc.progress_interval = 0;

CREATE TABLE people (
    id bigint PRIMARY KEY, region text, swap float8, noise float8, micro integer,
    born date, seen timestamptz, word text, shuffled numeric(8, 2),
    near integer, zip text, age integer, sort text);
CREATE FUNCTION add(first integer, last integer) RETURNS void
LANGUAGE sql AS $$
INSERT INTO people
SELECT i, 'r' || i % 2, 1000 + i * 7919 % 10007, i * 104729 % 10009,
       i * 31 % 997, date '1950-01-01' + i * 17 % 9001,
       timestamptz '2024-01-01 00:00+00' + i % 91 * interval '1 hour',
       NULLIF('w' || i % 5, 'w4'), i * 13 % 701 + 0.25, i * 37 % 1009,
       'z' || i % 3, 20 + i % 4, 's' || i % 6
FROM generate_series(first, last) AS i $$;
SELECT add(1, 240);
SELECT sdc.declare('people', id => 'id', keys => '{swap,noise,micro}',
                   sensitive => '{region}',
                   insensitive => '{born,seen,word,shuffled,near,zip,age,sort}');
SELECT sdc.create_policy('nightly', 'people',
    '{"id": {"method": "pseudonym", "domain": "versions", "format": "digits"},
      "region": {"method": "keep"},
      "swap": {"method": "rank_swap", "p": 10, "strata": "region"},
      "noise": {"method": "add_noise", "alpha": 1},
      "micro": {"method": "microaggregate", "k": 4},
      "born": {"method": "shuffle"}, "seen": {"method": "add_noise", "alpha": 0.2},
      "word": {"method": "pram", "p": 60}, "shuffled": {"method": "shuffle"},
      "near": {"method": "round_to", "base": 100, "random": true},
      "zip,age": {"method": "suppress", "k": 3},
      "sort": {"method": "anatomize", "l": 3},
      "*": {"method": "sample_rows", "p": 90}}',
    '[{"attack": "distance", "<=": 0.9}, {"attack": "sequence", "<=": 1}]',
    '{"schema": "versions_out", "attacks": ["distance"], "batch": 10}');
CREATE VIEW told AS
SELECT row_number() OVER (ORDER BY release) AS run, status,
       measures -> 0 -> 'versions' AS versions
FROM sdc.releases('nightly');

CALL sdc.release('nightly');
CREATE TABLE night_1 AS SELECT * FROM versions_out.people;
SELECT run, status, versions FROM told;

-- Nothing has changed: nothing changes.
CALL sdc.release('nightly');
SELECT count(*) FROM (TABLE night_1 EXCEPT ALL TABLE versions_out.people) AS d;
SELECT run, versions FROM told WHERE run = 2;

-- Seven that changed are no batch of ten: they wait with what was published.
UPDATE people SET micro = micro + 50000 WHERE id BETWEEN 21 AND 27;
CALL sdc.release('nightly');
SELECT count(*) FROM (TABLE night_1 EXCEPT ALL TABLE versions_out.people) AS d;
SELECT (versions ->> 'waiting')::int BETWEEN 1 AND 7 AS waiting
FROM told WHERE run = 3;

-- A small move, a large one, another region (which is a stratum), new people,
-- people who leave.  Only what must change does.
UPDATE people SET noise = noise + 1 WHERE id % 2 = 0;
UPDATE people SET noise = noise + 90000 WHERE id <= 20;
DELETE FROM people WHERE id BETWEEN 100 AND 110;
SELECT add(1001, 1040);
CALL sdc.release('nightly');
CREATE TABLE night_3 AS SELECT * FROM versions_out.people;
CREATE VIEW compared AS
SELECT (a.swap <> b.swap)::int AS swap, (a.noise <> b.noise)::int AS noise,
       (a.micro <> b.micro)::int AS micro, (a.born <> b.born)::int AS born,
       (a.seen <> b.seen)::int AS seen,
       (a.word IS DISTINCT FROM b.word)::int AS word,
       (a.shuffled <> b.shuffled)::int AS shuffled,
       (a.near <> b.near)::int AS near,
       ((a.zip, a.age) IS DISTINCT FROM (b.zip, b.age))::int AS zip_age,
       (a.sort IS DISTINCT FROM b.sort)::int AS sort
FROM night_1 AS a JOIN night_3 AS b USING (id);
-- noise of those who moved far; a few may cross a border of their grid
SELECT sum(swap) AS swap, sum(noise) BETWEEN 10 AND 25 AS noise,
       sum(micro) BETWEEN 1 AND 7 AS micro, sum(born) AS born, sum(seen) AS seen,
       sum(word) AS word, sum(shuffled) AS shuffled, sum(near) AS near,
       sum(zip_age) AS zip_age, sum(sort) AS sort FROM compared;
-- with the new ones those who waited are a batch
SELECT status, (versions ->> 'left')::int BETWEEN 5 AND 11 AS left,
       versions -> 'waiting' AS waiting,
       (versions ->> 'drawn')::int BETWEEN 40 AND 70 AS drawn
FROM told WHERE run = 4;
SELECT count(*) BETWEEN 230 AND 260 AS published,
       count(*) - (SELECT count(*) FROM night_1 JOIN night_3 USING (id))
           BETWEEN 30 AND 40 AS joined FROM night_3;

-- Who comes back as he was has the values he had.
SELECT add(100, 110);
CALL sdc.release('nightly');
SELECT count(*) BETWEEN 0 AND 30 AS only_changed
FROM (TABLE night_1 EXCEPT TABLE versions_out.people) AS d;

-- What is remembered is what is published, for each column.
SELECT count(*) FROM sdc.release_values('nightly', 'people') AS v
WHERE v.last IS NULL AND v.value = '{in}'
HAVING count(*) <> (SELECT count(*) FROM versions_out.people);
SELECT count(*) FROM (
    SELECT v.value[1] FROM sdc.release_values('nightly', 'people') AS v
    JOIN (SELECT part FROM sdc.release_values('nightly', 'people')
          GROUP BY part HAVING bool_and(value[1] ~ '^\d{4}-\d\d-\d\d$')) AS p
    USING (part) WHERE v.last IS NULL
    EXCEPT ALL SELECT to_char(born, 'YYYY-MM-DD')
    FROM versions_out.people) AS d;

-- A release that is refused is not remembered.
CREATE TABLE remembered AS
SELECT * FROM sdc.release_values('nightly', 'people');
SELECT sdc.create_policy(jsonb_set(sdc.policy_json('nightly'),
    '{relations,0,constraints}', '[{"attack": "distance", "<=": 0}]'));
UPDATE people SET micro = micro + 50000 WHERE id BETWEEN 21 AND 60;
\set VERBOSITY sqlstate
CALL sdc.release('nightly');
\set VERBOSITY default
SELECT count(*) FROM (SELECT * FROM sdc.release_values('nightly', 'people')
                      EXCEPT ALL TABLE remembered) AS d;
SELECT count(*) FROM (TABLE remembered EXCEPT ALL
                      SELECT * FROM sdc.release_values('nightly', 'people')) AS d;

-- Fresh noise every night: each release passes by itself, all together are
-- refused.  The bound is five deviations of .025 from .58 of three fresh ones,
-- and from .31 of two whose ids say nothing.
CREATE TABLE figures AS
SELECT i AS id, sqrt(-2 * ln((i * 7919 % 401 + 0.5) / 401)) * cos(i) AS a,
       (i * 31 % 397) / 100.0::float8 AS b,
       sin(i) * (i * 17 % 211) AS c, (i * 53 % 307)::float8 AS d
FROM generate_series(1, 300) AS i;
SELECT sdc.declare('figures', id => 'id', keys => '{a,b,c,d}');
CREATE FUNCTION noise_policy(name text, params jsonb) RETURNS void
LANGUAGE sql AS $$
SELECT sdc.create_policy(name, 'figures',
    '{"a": {"method": "add_noise", "alpha": 0.2},
      "b": {"method": "add_noise", "alpha": 0.2},
      "c": {"method": "add_noise", "alpha": 0.2},
      "d": {"method": "add_noise", "alpha": 0.2}}',
    '[{"attack": "distance", "<=": 0.45}]',
    jsonb_build_object('schema', 'versions_out', 'table', name,
                       'attacks', '{likelihood}'::text[]) || params) $$;
SELECT noise_policy('fresh', '{"fresh": true}');
CALL sdc.release('fresh');
\set VERBOSITY sqlstate
SELECT 'CALL sdc.release(''fresh'')' FROM generate_series(1, 2) \gexec
\set VERBOSITY default
SELECT (array_agg(status ORDER BY release))[1] AS first,
       count(*) FILTER (WHERE status = 'refused' AND reason ~ 'attack sequence')
           AS refused_by_sequence
FROM sdc.releases('fresh');

-- The same with values that stay: night after night the same.
SELECT noise_policy('sticky', '{"apart": ["fresh"]}');
CALL sdc.release('sticky');
CREATE TABLE sticky AS TABLE versions_out.sticky;
SELECT 'CALL sdc.release(''sticky'')' FROM generate_series(1, 4) \gexec
SELECT string_agg(DISTINCT status, ' ') AS status, count(*) FROM sdc.releases('sticky');
SELECT count(*) FROM (TABLE sticky EXCEPT ALL TABLE versions_out.sticky) AS d;

-- Ids that are all new: nobody is who he was, so nobody can tell what the
-- versions show together; also when one row keeps its id.
UPDATE figures SET id = id + 1000;
CALL sdc.release('sticky');
UPDATE figures SET id = id - 1000 WHERE id = 1001;
\set VERBOSITY sqlstate
CALL sdc.release('sticky');
\set VERBOSITY default
UPDATE figures SET id = id + 1000 WHERE id = 1;
-- Whose rows are others' each time says so.
SELECT noise_policy('sticky', '{"apart": ["fresh"], "anew": true}');
CALL sdc.release('sticky');
SELECT count(*) FROM (TABLE sticky INTERSECT ALL TABLE versions_out.sticky) AS d;
-- An id that two rows have tells nobody who is who.
INSERT INTO figures SELECT * FROM figures WHERE id = 1001;
CALL sdc.release('sticky');
DELETE FROM figures WHERE ctid = (SELECT max(ctid) FROM figures WHERE id = 1001);

-- An epoch draws everything anew, and is a version more.
SELECT noise_policy('epoch', '{"epoch": 2, "attacks": []}');
SELECT sdc.create_policy(jsonb_set(sdc.policy_json('epoch'), '{relations,0,constraints}',
    '[{"measure": "k_anonymity", ">=": 1}]'));
CALL sdc.release('epoch');
CREATE TABLE epoch AS TABLE versions_out.epoch;
CALL sdc.release('epoch');
SELECT count(*) FROM (TABLE epoch INTERSECT ALL TABLE versions_out.epoch) AS d;
CALL sdc.release('epoch');
SELECT count(*) FROM (TABLE epoch INTERSECT ALL TABLE versions_out.epoch) AS d;

-- What attacks found is carried over while little changes: from the second
-- release on the dear ones are not run, and the gate counts the change three
-- times.
CREATE TABLE many AS
SELECT i AS id, sqrt(-2 * ln((i * 7919 % 2003 + 0.5) / 2003)) * cos(i) AS a,
       (i * 31 % 1999) / 100.0::float8 AS b, i AS note, 0 AS told
FROM generate_series(1, 2000) AS i;
SELECT sdc.declare('many', id => 'id', keys => '{a,b}', insensitive => '{note,told}');
CREATE FUNCTION carry_policy(name text, bound float8, alpha float8)
RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(name, 'many', jsonb_build_object(
    'a', jsonb_build_object('method', 'add_noise', 'alpha', alpha),
    'b', jsonb_build_object('method', 'add_noise', 'alpha', alpha)),
    jsonb_build_array(jsonb_build_object('attack', 'worst', '<=', bound)),
    jsonb_build_object('schema', 'versions_out', 'table', name,
                       'drop', '{note}'::text[],
                       'attacks', '{distance,likelihood}'::text[],
                       'apart', '{carry}'::text[])) $$;
-- which figures of the latest release are carried over, and do they say so?
CREATE FUNCTION carried(name text) RETURNS TABLE (attack text, carried bool)
LANGUAGE sql AS $$
SELECT a ->> 'attack', COALESCE((a ->> 'carried')::bool, false)
       AND a ->> 'sample' ~ '^That was in release \d+; at most [\d.]+ % of'
FROM (SELECT measures -> 0 -> 'attacks' AS attacks FROM sdc.releases(name)
      ORDER BY release DESC LIMIT 1) AS r, jsonb_array_elements(r.attacks) AS a
ORDER BY 1 $$;
SELECT carry_policy('carry', 1, 0.3);
CALL sdc.release('carry');
SELECT * FROM carried('carry');
UPDATE many SET a = -a, b = -b WHERE id BETWEEN 100 AND 119;
CALL sdc.release('carry');
SELECT * FROM carried('carry');
-- a column that is not published is no change, and what is the same again is none
UPDATE many SET note = -note;
UPDATE many SET a = -a, b = -b WHERE id BETWEEN 100 AND 119;
CALL sdc.release('carry');
SELECT * FROM carried('carry');
SELECT count(*) FROM sdc.releases('carry'),
    jsonb_array_elements(measures -> 0 -> 'attacks') AS a
WHERE a ->> 'sample' ~ 'at most 0 %';
-- one that is published may tell of a key
UPDATE many SET told = 1 WHERE id % 2 = 1;
CALL sdc.release('carry');
SELECT * FROM carried('carry');
-- a small move of everybody changes no masked value, and yet is a change
UPDATE many SET a = a + 0.0001;
CALL sdc.release('carry');
SELECT * FROM carried('carry');
-- as are a tenth of the rows that leave
DELETE FROM many WHERE id > 1700;
CALL sdc.release('carry');
SELECT * FROM carried('carry');
-- other rules are another question
SELECT carry_policy('carry', 1, 0.2);
CALL sdc.release('carry');
SELECT * FROM carried('carry');
-- Near to a bound everybody is attacked, and that decides: the bound is what
-- the likelihood finds, and a little.  Of 1,700 some .019 are found, with a
-- deviation of .0033: the bound is six from that, and three times thirty, who
-- change, are seven beyond it.
SELECT carry_policy('near', (SELECT max((a ->> 'found')::float8) + 0.03
    FROM sdc.releases('carry'), jsonb_array_elements(measures -> 0 -> 'attacks') AS a
    WHERE a ->> 'attack' = 'likelihood'), 0.2);
CALL sdc.release('near', seed => 5000000000000000001);
CALL sdc.release('near', seed => 5000000000000000002);
-- nothing has changed, so nothing is added
SELECT * FROM carried('near');
UPDATE many SET a = 2 - a, b = 19 - b WHERE id BETWEEN 200 AND 229;
CALL sdc.release('near', seed => 5000000000000000003);
SELECT * FROM carried('near');
-- Ten who are far off make all others look alike to who measures by deviations.
-- They leave, and what was found with them counts no more: the bound holds.
CREATE TABLE far AS
SELECT i AS id, i > 1000 AS off, CASE WHEN i > 1000 THEN 1e6 ELSE 1 END * (i * 7919 % 1009) AS a,
       CASE WHEN i > 1000 THEN 1e6 ELSE 1 END * (i * 31 % 1013) AS b, (i * 463 % 997)::int AS c
FROM generate_series(1, 1010) AS i;
SELECT sdc.declare('far', id => 'id', keys => '{a,b,c}', insensitive => '{off}');
SELECT sdc.create_policy('far', 'far', '{"a": {"method": "rank_swap", "p": 0.5, "strata": ["off"]},
    "b": {"method": "rank_swap", "p": 0.5, "strata": ["off"]}, "off": {"method": "keep"},
    "c": {"method": "shuffle", "strata": ["off"]}}', '[{"attack": "mahalanobis", "<=": 0.3}]',
    '{"schema": "versions_out", "attacks": ["mahalanobis"]}');
CALL sdc.release('far', seed => 5000000000000000001);
DELETE FROM far WHERE id = 500;
CALL sdc.release('far', seed => 5000000000000000001);
SELECT * FROM carried('far');
DELETE FROM far WHERE off;
\set VERBOSITY sqlstate
CALL sdc.release('far', seed => 5000000000000000001);
\set VERBOSITY default
SELECT r.status, a ->> 'attack' AS attack, a ->> 'carried' AS carried, CASE WHEN (a ->> 'found')::float8 > 0.5 THEN 'many' ELSE 'few' END AS found
FROM sdc.releases('far') AS r, jsonb_array_elements(measures -> 0 -> 'attacks') AS a
WHERE a ->> 'attack' = 'mahalanobis' ORDER BY release;
-- A batch of a few rows is moved much farther than a file.  That hides those who
-- stayed, and is no reason to attack everybody.
CREATE TABLE grouped AS SELECT i AS id, i * 7919 % 2003 AS a, i * 31 % 2003 AS b
FROM generate_series(1, 2000) AS i;
SELECT sdc.declare('grouped', id => 'id', keys => '{a,b}');
SELECT sdc.create_policy('grouped', 'grouped', '{"a": {"method": "microaggregate", "k": 4},
    "b": {"method": "microaggregate", "k": 4}}', '[{"attack": "worst", "<=": 1}]',
    '{"schema": "versions_out", "attacks": ["likelihood"]}');
CALL sdc.release('grouped');
UPDATE grouped SET a = 2003 - a, b = 2003 - b WHERE id BETWEEN 100 AND 123;
CALL sdc.release('grouped');
SELECT * FROM carried('grouped');
-- A column that is published from now on, or has other values, tells of a key:
-- what was found without it counts no more, whatever differencing finds.
CREATE TABLE besides AS SELECT i AS id, i * 7919 % 10007 AS a, i * 104729 % 10009 AS b,
       3 * (i * 7919 % 10007) + 7 AS rate, 0 AS rate_again FROM generate_series(1, 300) AS i;
SELECT sdc.declare('besides', id => 'id', keys => '{a,b}', insensitive => '{rate,rate_again}');
CREATE FUNCTION besides_policy(bound float8, dropped text[]) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy('besides', 'besides', '{"a,b": {"method": "microaggregate", "k": 15}}',
    jsonb_build_array(jsonb_build_object('attack', 'likelihood', '<=', bound),
                      jsonb_build_object('attack', 'differencing', '<=', 1)),
    jsonb_build_object('schema', 'versions_out', 'attacks', '{likelihood}'::text[],
                       'drop', dropped)) $$;
SELECT besides_policy(0.3, '{rate}');
CALL sdc.release('besides');
SELECT besides_policy(0.3, '{rate_again}');
\set VERBOSITY sqlstate
CALL sdc.release('besides');
SELECT besides_policy(0.3, '{rate}');
UPDATE besides SET rate_again = rate;
CALL sdc.release('besides');
\set VERBOSITY default
SELECT r.status, a ->> 'carried' AS carried, CASE WHEN (a ->> 'found')::float8 > 0.9 THEN 'all' ELSE 'few' END AS found
FROM sdc.releases('besides') AS r, jsonb_array_elements(measures -> 0 -> 'attacks') AS a
WHERE a ->> 'attack' = 'likelihood' ORDER BY release;
-- Two columns that are no keys, each of which tells little, tell everything when
-- one night publishes the one and another night the other: unless the values of
-- then are not those of now.
CREATE TABLE halves AS SELECT i AS id, x AS a, x % 50 AS low, x / 50 AS high
FROM (SELECT i, i * 7919 % 2003 AS x FROM generate_series(1, 500) AS i) AS s;
SELECT sdc.declare('halves', id => 'id', keys => '{a}', insensitive => '{low,high}');
CREATE FUNCTION halves_policy(dropped text[]) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy('halves', 'halves', '{"a": {"method": "null"}}',
    '[{"attack": "worst", "<=": 0.3}]', jsonb_build_object('schema', 'versions_out',
    'attacks', '{likelihood}'::text[], 'drop', dropped)) $$;
SELECT halves_policy('{high}');
CALL sdc.release('halves');
CALL sdc.release('halves');
SELECT halves_policy('{low}');
\set VERBOSITY sqlstate
CALL sdc.release('halves');
\set VERBOSITY default
UPDATE halves SET low = (a * 31 + 7 * id) % 50;
CALL sdc.release('halves');
-- So they do in two policies that publish the same id.
CREATE TABLE halves_apart AS SELECT id, a, a % 50 AS low, a / 50 AS high FROM halves;
SELECT sdc.declare('halves_apart', id => 'id', keys => '{a}', insensitive => '{low,high}');
SELECT sdc.create_policy('halves_' || dropped, 'halves_apart', '{"a": {"method": "null"}, "id": {"method": "keep"}}',
    '[{"attack": "worst", "<=": 0.3}]', jsonb_build_object('schema', 'versions_out',
    'table', 'halves_' || dropped, 'attacks', '{likelihood}'::text[], 'drop', ARRAY[dropped]))
FROM unnest('{low,high}'::text[]) AS dropped;
CALL sdc.release('halves_low');
\set VERBOSITY sqlstate
CALL sdc.release('halves_high');
\set VERBOSITY default
SELECT status, reason ~ 'sequence finds 500 of 500.* keys: low, high \(release \d+\)\. .* by policy "halves_low"' AS found
FROM sdc.releases('halves_high');
-- Or other pseudonyms by which rows can be told apart, of the same domain.
ALTER TABLE halves_apart RENAME TO halves_named;
ALTER TABLE halves_named ADD account text;
UPDATE halves_named SET account = 'a' || id;
SELECT sdc.declare('halves_named', id => 'id', identifiers => '{account}', keys => '{a}', insensitive => '{low,high}');
SELECT sdc.create_policy(name, 'halves_named', jsonb_build_object('a', '{"method": "null"}'::jsonb,
    'account', jsonb_build_object('method', 'pseudonym', 'domain', domain)), '[{"attack": "worst", "<=": 0.3}]',
    jsonb_build_object('schema', 'versions_out', 'table', name, 'attacks', '{likelihood}'::text[], 'drop', ARRAY[dropped],
                       'apart', '{halves_low,halves_high}'::text[]))
FROM (VALUES ('named_low', 'halves', 'low'), ('named_high', 'halves', 'high'), ('named_apart', 'others', 'high'))
     AS p (name, domain, dropped);
CALL sdc.release('named_low');
CALL sdc.release('named_apart');
\set VERBOSITY sqlstate
CALL sdc.release('named_high');
\set VERBOSITY default
SELECT policy, status, reason ~ 'sequence finds 500 of 500.* by policy "named_low"' AS found
FROM unnest('{named_low,named_high,named_apart}'::text[]) AS p, sdc.releases(p) ORDER BY release;
SELECT r.status, a ->> 'attack' AS attack, CASE WHEN (a ->> 'found')::float8 > 0.9 THEN 'all' ELSE 'few' END AS found,
       reason ~ 'sequence finds 500 of 500.* keys: low \(release \d+\), high\.' AS named
FROM sdc.releases('halves') AS r, jsonb_array_elements(measures -> 0 -> 'attacks') AS a
WHERE a ->> 'attack' IN ('likelihood', 'sequence') ORDER BY release, 2;
-- Nobody but the owner of the extension sees it.
SELECT count(*) FROM sdc.release_finding;

-- Who changed when: each night 64 of 128 change, and no two people do in the same
-- nights.  The values of before are gone, and with them what they hid.
CREATE TABLE often AS SELECT i AS id, 'w' || i * 7919 % 10 AS a FROM generate_series(0, 127) AS i;
SELECT sdc.declare('often', id => 'id', keys => '{a}');
SELECT sdc.create_policy('often', 'often', '{"a": {"method": "pram", "p": 30}}',
    '[{"attack": "sequence", "<=": 1}, {"attack": "differencing", "<=": 1}]',
    '{"schema": "versions_out", "attacks": ["likelihood"]}');
CALL sdc.release('often');
SELECT unnest(ARRAY[format('UPDATE often SET a = ''w'' || (substr(a, 2)::int + 1) %% 10'
    ' WHERE id >> %s & 1 = 1', bit), 'CALL sdc.release(''often'')'])
FROM generate_series(0, 6) AS bit \gexec
SELECT (found -> 'likelihood')::float8 < 0.2 AS few_by_this_night,
       (found -> 'sequence')::float8 > 0.95 AS all_by_all_nights
FROM sdc.releases('often'), LATERAL (SELECT jsonb_object_agg(a ->> 'attack', a -> 'found') AS found
     FROM jsonb_array_elements(measures -> 0 -> 'attacks') AS a) AS f
ORDER BY release DESC LIMIT 1;

-- More columns of draws than the likelihood has terms for: those with the most
-- rows count.  (It crashed the server on night nineteen of five columns.)
SELECT format('CREATE TABLE wide AS SELECT i AS id, %s FROM generate_series(1, 60) AS i',
    string_agg(format('(i * %s %% 997)::float8 AS c%s', 7919 + 31 * c, c), ', '))
FROM generate_series(1, 22) AS c \gexec
SELECT sdc.create_policy('wide', 'wide',
    jsonb_object_agg('c' || c, '{"method": "add_noise", "alpha": 0.5}'::jsonb),
    '[{"attack": "sequence", "<=": 1}]', jsonb_build_object('schema', 'versions_out',
    'id', 'id', 'keys', jsonb_agg('c' || c), 'fresh', true, 'attacks', '{likelihood}'::text[]))
FROM generate_series(1, 22) AS c;
SELECT 'CALL sdc.release(''wide'')' FROM generate_series(1, 4) \gexec
SELECT status, measures -> 0 -> 'versions' -> 'draws' AS draws,
       (a ->> 'found')::float8 > 0.9 AS all_found
FROM sdc.releases('wide'), jsonb_array_elements(measures -> 0 -> 'attacks') AS a
WHERE a ->> 'attack' = 'sequence' ORDER BY release;

-- Who keeps all nights takes the mean of them, whatever the policy has forgotten
-- since, and however many columns that would be: the gate finds about as many as
-- plain SQL, which takes who is nearest to the mean.
CREATE FUNCTION means_policy(name text, params jsonb, rounds bool DEFAULT false) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(name, 'figures', jsonb_object_agg(c, CASE WHEN rounds
        THEN jsonb_build_object('method', 'round_to', 'base', base, 'random', true)
        ELSE '{"method": "add_noise", "alpha": 2}' END) || '{"id": {"method": "keep"}}',
    '[{"attack": "sequence", "<=": 1}]', jsonb_build_object('schema', 'versions_out', 'table', name,
    'attacks', '{}'::text[]) || params)
FROM unnest('{a,b,c,d}'::text[], '{4,4.5,400,350}'::numeric[]) AS r (c, base) $$;
SELECT means_policy('means_epoch', '{"epoch": 1, "apart": ["fresh", "sticky", "epoch"]}'),
       means_policy('means_fresh', '{"fresh": true, "keep_versions": 2, "apart": ["fresh", "sticky", "epoch", "means_epoch"]}'),
       means_policy('means_round', '{"fresh": true, "keep_versions": 2, "apart": ["fresh", "sticky", "epoch", "means_epoch", "means_fresh"]}', true);
CREATE TABLE means (policy text, id int, a float8, b float8, c float8, d float8);
SELECT unnest(ARRAY[format('CALL sdc.release(''means_%s'')', p),
    format('INSERT INTO means SELECT %1$L, id, a, b, c, d FROM versions_out.means_%1$s', p)])
FROM unnest('{epoch,fresh,round}'::text[]) AS p, generate_series(1, 12) \gexec
WITH mean AS (SELECT policy, id, avg(a) AS a, avg(b) AS b, avg(c) AS c, avg(d) AS d FROM means GROUP BY 1, 2),
    wide AS (SELECT var_pop(a) AS a, var_pop(b) AS b, var_pop(c) AS c, var_pop(d) AS d FROM figures),
    nearest AS (SELECT DISTINCT ON (policy, f.id) policy, (f.id = m.id)::int AS hit FROM figures AS f, wide AS w, mean AS m
        ORDER BY policy, f.id, (f.a - m.a) ^ 2 / w.a + (f.b - m.b) ^ 2 / w.b + (f.c - m.c) ^ 2 / w.c + (f.d - m.d) ^ 2 / w.d),
    sql AS (SELECT policy, avg(hit) AS found FROM nearest GROUP BY policy)
SELECT DISTINCT ON (sql.policy) sql.policy, sql.found BETWEEN 0.1 AND 0.6 AS by_sql, (a ->> 'found')::float8 > sql.found * 0.5 AS by_gate,
       measures -> 0 -> 'versions' -> 'draws' AS draws
FROM sql, sdc.releases('means_' || sql.policy), jsonb_array_elements(measures -> 0 -> 'attacks') AS a
WHERE a ->> 'attack' = 'sequence' ORDER BY sql.policy, release DESC;

-- Of other masks what is forgotten is drawn again, for the attack only.
CREATE TABLE words AS SELECT i AS id, 'a' || i * 7919 % 1009 % 6 AS a, 'b' || i * 31 % 997 % 6 AS b, 'c' || i * 17 % 211 % 6 AS c,
    'd' || i * 53 % 307 % 6 AS d FROM generate_series(1, 300) AS i;
SELECT sdc.declare('words', id => 'id', keys => '{a,b,c,d}');
SELECT sdc.create_policy('words', 'words', jsonb_object_agg(c, '{"method": "pram", "p": 35}'::jsonb) || '{"id": {"method": "keep"}}',
    '[{"attack": "sequence", "<=": 1}]', '{"schema": "versions_out", "table": "words", "attacks": [], "fresh": true, "keep_versions": 2}')
FROM unnest('{a,b,c,d}'::text[]) AS c;
CREATE TABLE words_seen (id int, a text, b text, c text, d text);
SELECT unnest('{"CALL sdc.release(''words'')", "INSERT INTO words_seen SELECT id, a, b, c, d FROM versions_out.words"}'::text[])
FROM generate_series(1, 8) \gexec
WITH alike AS (SELECT w.id, s.id AS seen, sum((w.a = s.a)::int + (w.b = s.b)::int + (w.c = s.c)::int + (w.d = s.d)::int) AS n
        FROM words AS w, words_seen AS s GROUP BY 1, 2),
    best AS (SELECT DISTINCT ON (id) (id = seen)::int AS hit FROM alike ORDER BY id, n DESC, hashint4(seen)),
    sql AS (SELECT avg(hit) AS found FROM best)
SELECT sql.found BETWEEN 0.15 AND 0.6 AS by_sql, (a ->> 'found')::float8 > sql.found * 0.75 AS by_gate,
       measures -> 0 -> 'versions' -> 'draws' AS draws
FROM sql, sdc.releases('words'), jsonb_array_elements(measures -> 0 -> 'attacks') AS a
WHERE a ->> 'attack' = 'sequence' ORDER BY release DESC LIMIT 1;

-- Small batches.  No batch is smaller than the groups of its mask; a row by
-- itself is exchanged with nobody; nor is the only one with a value, who waits
-- while those without go out.
CREATE TABLE few AS SELECT i AS id, i * 104729 % 5003 AS grouped,
    i * 7919 % 5003 AS swapped, i * 31 % 997 AS shuffled FROM generate_series(1, 300) AS i;
INSERT INTO few SELECT i FROM generate_series(301, 600) AS i;
CREATE FUNCTION few_policy(name text, rules jsonb, params jsonb DEFAULT '{}')
RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(name, 'few', rules || '{"id": {"method": "keep"}}',
    '[{"measure": "k_anonymity", ">=": 0}]',
    jsonb_build_object('schema', 'versions_out', 'table', name, 'id', 'id', 'attacks', '[]'::jsonb,
        'keys', (SELECT jsonb_agg(c) FROM jsonb_object_keys(rules) AS c), 'drop', (SELECT jsonb_agg(c) FROM unnest('{grouped,swapped,shuffled}'::text[]) AS c
                 WHERE NOT rules ? c)) || params) $$;
SELECT few_policy('groups_60', '{"grouped": {"method": "microaggregate", "k": 60}}');
SELECT few_policy('groups_4', '{"grouped": {"method": "microaggregate", "k": 4}}', '{"batch": 1}');
SELECT few_policy('batch_1', '{"swapped": {"method": "rank_swap", "p": 5},
                               "shuffled": {"method": "shuffle"}}', '{"batch": 1}');
SELECT few_policy('exchanged', '{"swapped": {"method": "rank_swap", "p": 5},
                                 "shuffled": {"method": "shuffle"}}');
SELECT format('CALL sdc.release(%L)', p) FROM unnest('{groups_60,groups_4,batch_1,exchanged}'::text[]) AS p \gexec
CREATE VIEW few_new AS
SELECT (SELECT count(*) FROM versions_out.groups_60 WHERE id > 600) AS groups_60,
       (SELECT count(*) FROM versions_out.batch_1 WHERE id > 600) AS batch_1,
       (SELECT count(*) FROM versions_out.exchanged WHERE id > 600) AS exchanged,
       (SELECT count(*) FROM versions_out.groups_4 WHERE id > 600) AS groups_4,
       (SELECT count(*) FROM few JOIN versions_out.exchanged AS o USING (id)
        WHERE few.id > 600 AND (few.swapped = o.swapped OR few.shuffled = o.shuffled)) AS as_it_was;
CREATE VIEW nobody_alone AS
SELECT count(*) FROM (SELECT FROM versions_out.groups_60 WHERE grouped IS NOT NULL
    GROUP BY grouped HAVING count(*) < 60) AS g;
\set VERBOSITY terse
INSERT INTO few VALUES (601, 60001, 60001, 60001);
INSERT INTO few SELECT i FROM generate_series(602, 660) AS i;
SELECT format('CALL sdc.release(%L)', p) FROM unnest('{groups_60,groups_4,batch_1,exchanged}'::text[]) AS p \gexec
TABLE few_new;
INSERT INTO few SELECT i, 7 * i, 8 * i, 9 * i FROM generate_series(661, 718) AS i;
SELECT format('CALL sdc.release(%L)', p) FROM unnest('{groups_60,groups_4,batch_1,exchanged}'::text[]) AS p \gexec
SELECT groups_60, batch_1, exchanged, groups_4 FROM few_new;
INSERT INTO few SELECT i, 7 * i, 8 * i, 9 * i FROM generate_series(719, 719) AS i;
CALL sdc.release('groups_60');
SELECT groups_60 FROM few_new;
TABLE nobody_alone;
\set VERBOSITY default

-- Differencing: who has two versions takes one from the other.  One who came
-- and one who left are found, though no version by itself tells them apart.
CREATE TABLE residents AS
SELECT i AS id, 20 + i * 7919 % 60 AS age, 'z' || i * 31 % 20 AS zip, 'd' || i * 13 % 7 AS disease
FROM generate_series(1, 500) AS i;
SELECT sdc.declare('residents', id => 'id', keys => '{age,zip}', sensitive => '{disease}');
SELECT sdc.create_hierarchy('versions_ages', 'numeric', '{"widths": [10, 30], "bottom": 0, "domain": [0, 120]}');
CREATE FUNCTION residents_policy(name text, constraints jsonb) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(name, 'residents',
    '{"age": {"method": "generalize", "hierarchy": "versions_ages", "level": 2},
      "zip": {"method": "mask_text", "keep": 1}}', constraints,
    jsonb_build_object('schema', 'versions_out', 'table', name, 'attacks', '{exact}'::text[])) $$;
CREATE VIEW differences AS
SELECT release, status, measures #> '{0,difference,came}' AS came, measures #> '{0,difference,gone}' AS gone,
       round((measures #> '{0,difference,found}')::numeric, 6) AS found,
       substring(reason FROM '"attack [^"]*"') AS reason
FROM (SELECT * FROM sdc.releases('coarse') UNION ALL SELECT * FROM sdc.releases('changes')
      UNION ALL SELECT * FROM sdc.releases('tight')) AS r;
SELECT residents_policy('coarse', '[{"attack": "worst", "<=": 0.1}]');
SELECT residents_policy('changes', '[{"attack": "differencing", "params": {"of": "changes"}, "<=": 0.3}]');
-- a bound on what an attack finds holds for what all differences find
SELECT residents_policy('tight', '[{"attack": "exact", "<=": 0.006}]');
CALL sdc.release('coarse');
CALL sdc.release('changes');
CALL sdc.release('tight');
INSERT INTO residents VALUES (1001, 33, 'z3', 'x');
DELETE FROM residents WHERE id = 77;
\set VERBOSITY sqlstate
CALL sdc.release('coarse');
CALL sdc.release('changes');
CALL sdc.release('tight');
SELECT status, came, gone, found, reason FROM differences ORDER BY release;
-- two more of each: what was found of versions before counts on
UPDATE residents SET disease = 'y' || id WHERE id IN (10, 11);
CALL sdc.release('tight');
SELECT status, came, gone, found > 3 AS more, reason FROM differences ORDER BY release DESC LIMIT 1;
-- who is one of many that came is not found, and nothing new is nothing found
INSERT INTO residents SELECT i, 30 + i % 40, 'z' || i % 7, 'd' || i % 3 FROM generate_series(2001, 2060) AS i;
UPDATE residents SET disease = 'd1' WHERE id IN (10, 11, 1001);
INSERT INTO residents SELECT 77, 20 + 77 * 7919 % 60, 'z' || 77 * 31 % 20, 'd' || 77 * 13 % 7;
CALL sdc.release('changes');
CALL sdc.release('changes');
SELECT status, came, gone, found < 20 AS few, reason FROM differences ORDER BY release DESC LIMIT 2;
\set VERBOSITY default
-- everybody grows older, and each night fifteen others come into another band, alone among
-- those of their zip: so they are found, and stay so, also where the policy remembers
CREATE TABLE older AS SELECT i AS id, i * 37 % 300 / 60.0::float8 + 20 AS age, 'z' || i * 37 % 300 % 3 AS zip, i * 53 % 307 AS wage
FROM generate_series(1, 300) AS i;
SELECT sdc.declare('older', id => 'id', keys => '{age,zip}', insensitive => '{wage}');
SELECT sdc.create_policy('older', 'older', '{"age": {"method": "round_to", "base": 1}, "zip": {"method": "keep"},
    "wage": {"method": "add_noise", "alpha": 0.5}}', '[{"attack": "differencing", "<=": 1}]',
    '{"schema": "versions_out", "table": "older", "attacks": []}');
CALL sdc.release('older');
CREATE TABLE moved_on (night int, id int, zip text, band float8);
SELECT unnest(ARRAY[format('INSERT INTO moved_on SELECT %s, id, zip, round(age + 0.05) FROM older WHERE round(age) <> round(age + 0.05)', i),
    'UPDATE older SET age = age + 0.05', 'CALL sdc.release(''older'')']) FROM generate_series(1, 5) AS i \gexec
SELECT max((a ->> 'found')::float8) >= 0.9 * (SELECT count(DISTINCT id) FROM (SELECT id, count(*) OVER (PARTITION BY night, zip, band) AS crowd
    FROM moved_on) AS m WHERE crowd = 1) / 300 AS all_nights, (SELECT count(*) > 30 FROM moved_on) AS many_moved
FROM sdc.releases('older'), jsonb_array_elements(measures -> 0 -> 'attacks') AS a WHERE a ->> 'attack' = 'differencing';
SELECT residents_policy('wrong', '[{"attack": "differencing", "params": {"of": "everybody"}, "<=": 0.3}]');
SELECT residents_policy('wrong', '[{"attack": "differencing", "params": {"keys": "age"}, "<=": 0.3}]');

-- Ways around the memory.  A table that takes the place of another one, by
-- DROP or by renaming, and columns that are renamed, go on with their values.
CREATE FUNCTION moved_table(name text, last int DEFAULT 200, shift int DEFAULT 0) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I AS SELECT i + %s AS id, (i * 31 %% 397) / 100.0::float8 AS a,
        sin(i) * (i * 17 %% 211) AS b, (i * 53 %% 307)::float8 AS c
        FROM generate_series(1, %s) AS i', name, shift, last);
END $$;
CREATE FUNCTION moved_policy(name text, relation regclass, columns text[], params jsonb DEFAULT '{}',
    bound float8 DEFAULT 0.4, alpha float8 DEFAULT 0.2)
RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(name, relation, jsonb_object_agg(c, jsonb_build_object('method', 'add_noise', 'alpha', alpha)),
    format('[{"attack": "distance", "<=": %s}]', bound)::jsonb, jsonb_build_object('schema', 'versions_out', 'table', name,
    'id', 'id', 'keys', columns, 'attacks', '{likelihood}'::text[]) || params)
FROM unnest(columns) AS c $$;
CREATE FUNCTION as_before(first regclass, second regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE same bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM (TABLE %s INTERSECT ALL TABLE %s) AS d', first, second) INTO same;
    RETURN same;
END $$;
SELECT moved_table('moved');
SELECT moved_policy('moved', 'moved', '{a,b,c}');
CALL sdc.release('moved');
CREATE TABLE moved_first AS TABLE versions_out.moved;
DROP TABLE moved;
SELECT moved_table('moved');
SELECT moved_policy('moved', 'moved', '{a,b,c}');
CALL sdc.release('moved');
SELECT as_before('moved_first', 'versions_out.moved');
ALTER TABLE moved RENAME TO moved_away;
SELECT moved_table('moved');
SELECT sdc.drop_policy('moved');
SELECT moved_policy('moved', 'moved', '{a,b,c}');
CALL sdc.release('moved');
SELECT as_before('moved_first', 'versions_out.moved');
ALTER TABLE moved RENAME a TO "A, new";
ALTER TABLE moved RENAME b TO p;
SELECT moved_policy('moved', 'moved', '{"A, new",p,c}');
CALL sdc.release('moved');
SELECT as_before('moved_first', 'versions_out.moved');
-- the same of a part of several columns with strata
ALTER TABLE moved ADD stratum text;
UPDATE moved SET stratum = 's' || id % 2;
SELECT sdc.create_policy('parts', 'moved', '{"p,c": {"method": "microaggregate", "k": 4, "strata": ["stratum"]},
    "stratum": {"method": "keep"}}', '[{"measure": "k_anonymity", ">=": 0}]',
    '{"schema": "versions_out", "table": "parts", "id": "id", "keys": ["p"], "sensitive": ["c", "stratum"], "attacks": [], "drop": ["A, new"]}');
CALL sdc.release('parts');
CREATE TABLE parts_first AS TABLE versions_out.parts;
ALTER TABLE moved RENAME p TO "Net q";
ALTER TABLE moved RENAME stratum TO layer;
SELECT sdc.create_policy('parts', 'moved', '{"Net q,c": {"method": "microaggregate", "k": 4, "strata": ["layer"]},
    "layer": {"method": "keep"}}', '[{"measure": "k_anonymity", ">=": 0}]',
    '{"schema": "versions_out", "table": "parts", "id": "id", "keys": ["Net q"], "sensitive": ["c", "layer"], "attacks": [], "drop": ["A, new"]}');
CALL sdc.release('parts');
SELECT as_before('parts_first', 'versions_out.parts');

-- Two policies have two keys, and are attacked together.
SELECT moved_policy('moved_too', 'moved', '{c}', '{"drop": ["A, new", "Net q", "layer"]}');
CALL sdc.release('moved_too');
CALL sdc.release('moved_too');

-- Two policies over the same columns: who has both tables averages them, so the
-- gate of each attacks both.  What names the other as apart does not, and the
-- other still does.
CREATE TABLE pair AS SELECT 100000 + id AS id, 'm' || id AS mail, a, b, c, d FROM figures;
SELECT sdc.declare('pair', id => 'id', keys => '{a,b,c,d}', insensitive => '{mail}');
CREATE FUNCTION pair_policy(name text, params jsonb DEFAULT '{}', columns text[] DEFAULT '{a,b,c,d}')
RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(name, 'pair', jsonb_object_agg(c, '{"method": "add_noise", "alpha": 0.2}'::jsonb),
    '[{"attack": "distance", "<=": 0.4}]', jsonb_build_object('schema', 'versions_out', 'table', name,
    'drop', '{mail}'::text[], 'attacks', '{likelihood}'::text[]) || params)
FROM unnest(columns) AS c $$;
CREATE VIEW pairs AS
SELECT p.policy, r.status, measures -> 0 -> 'versions' -> 'with' AS with,
       reason ~ 'attack sequence.*It has seen what is published .* by policy .*"one"' AS for_the_pair
FROM unnest('{one,two,apart,by_mail,third}'::text[]) AS p(policy), sdc.releases(p.policy) AS r
ORDER BY release;
SELECT pair_policy('one'), pair_policy('two'), pair_policy('apart', '{"apart": ["one", "two"]}');
CALL sdc.release('one');
CALL sdc.release('one');
\set VERBOSITY sqlstate
CALL sdc.release('two');
CALL sdc.release('apart');
CALL sdc.release('one');
-- another id leads to the same persons, and a renamed column to the same values
SELECT pair_policy('by_mail', '{"id": "mail", "drop": ["id"]}');
CALL sdc.release('by_mail');
ALTER TABLE pair RENAME d TO e;
SELECT sdc.declare('pair', id => 'id', keys => '{a,b,c,e}', insensitive => '{mail}');
SELECT pair_policy('third', columns => '{a,b,c,e}');
CALL sdc.release('third');
-- other columns are not compared, nor values that have changed since
SELECT sdc.create_policy('third', 'pair', '{"mail": {"method": "pseudonym", "domain": "versions"}}',
    '[{"measure": "k_anonymity", ">=": 1}]', '{"schema": "versions_out", "table": "third", "keys": ["mail"],
      "drop": ["a", "b", "c", "e"]}');
CALL sdc.release('third');
UPDATE pair SET a = a + 50, b = b + 50, c = c + 900, e = 999 - e;
SELECT pair_policy('third', columns => '{a,b,c,e}');
CALL sdc.release('third');
\set VERBOSITY default
TABLE pairs;
-- another owner is told, and reads nothing of it
RESET ROLE;
CREATE ROLE regress_sdc_second;
GRANT regress_sdc_second TO CURRENT_USER;
GRANT USAGE ON SCHEMA versions TO regress_sdc_second;
GRANT CREATE, USAGE ON SCHEMA versions_out TO regress_sdc_second;
GRANT SELECT ON versions.pair TO regress_sdc_second;
GRANT EXECUTE ON PROCEDURE sdc.release(text, text, bigint) TO regress_sdc_second;
GRANT EXECUTE ON FUNCTION sdc.create_policy(text, regclass, jsonb, jsonb, jsonb), sdc.releases(text),
    sdc.drop_policy(text)
TO regress_sdc_second;
SET ROLE regress_sdc_second;
SELECT sdc.create_policy('second', 'versions.pair', '{"a": {"method": "add_noise", "alpha": 0.2}}',
    '[{"attack": "distance", "<=": 0.4}]', '{"schema": "versions_out", "table": "second", "id": "id",
      "keys": ["a"], "drop": ["b", "c", "e", "mail"], "attacks": ["likelihood"]}');
CALL sdc.release('second');
SELECT status, measures -> 0 -> 'versions' -> 'with' AS with FROM sdc.releases('second');
SELECT sdc.drop_policy('second');
RESET ROLE;
SET ROLE regress_sdc_versions;

-- Rows that refer to one that waits, wait with it, and so do those that refer to
-- them: whether their masks remember anything or not.
CREATE TABLE owner AS SELECT i AS id, i * 7919 % 1009 AS wealth FROM generate_series(1, 400) AS i;
ALTER TABLE owner ADD PRIMARY KEY (id);
CREATE TABLE pet AS SELECT i AS id, i % 400 + 1 AS owner, i % 13 AS age FROM generate_series(1, 800) AS i;
ALTER TABLE pet ADD PRIMARY KEY (id), ADD FOREIGN KEY (owner) REFERENCES owner;
CREATE TABLE toy AS SELECT i AS id, i % 800 + 1 AS pet, i * 31 % 97 AS price FROM generate_series(1, 900) AS i;
ALTER TABLE toy ADD FOREIGN KEY (pet) REFERENCES pet;
SELECT sdc.declare('owner', id => 'id', keys => '{wealth}'), sdc.declare('pet', id => 'id', keys => '{age}', insensitive => '{owner}'),
       sdc.declare('toy', id => 'id', keys => '{price}', insensitive => '{pet}');
SELECT sdc.create_policy('{"policy": "pets", "relations": [
    {"relation": "toy", "rules": {"price": {"method": "rank_swap", "p": 5}, "id": {"method": "keep"}},
     "constraints": [{"measure": "k_anonymity", ">=": 1}], "params": {"schema": "versions_out", "attacks": []}},
    {"relation": "owner", "rules": {"wealth": {"method": "rank_swap", "p": 5}, "id": {"method": "keep"}},
     "constraints": [{"measure": "k_anonymity", ">=": 1}], "params": {"schema": "versions_out", "attacks": []}},
    {"relation": "pet", "rules": {"age": {"method": "round_to", "base": 5}, "id": {"method": "keep"}},
     "constraints": [{"measure": "k_anonymity", ">=": 1}], "params": {"schema": "versions_out", "attacks": []}}]}');
CALL sdc.release('pets');
SELECT 'SELECT (SELECT count(*) FROM versions_out.owner) AS owners, (SELECT count(*) FROM versions_out.pet) AS pets,
       (SELECT count(*) FROM versions_out.toy) AS toys,
       (SELECT count(*) FROM versions_out.pet WHERE owner NOT IN (SELECT id FROM versions_out.owner))
         + (SELECT count(*) FROM versions_out.toy WHERE pet NOT IN (SELECT id FROM versions_out.pet)) AS orphans' AS pets_out \gset
:pets_out;
INSERT INTO owner VALUES (1001, 5);
INSERT INTO pet VALUES (1001, 1001, 1), (1002, 1001, 2);
INSERT INTO toy SELECT i, CASE WHEN i <= 1040 THEN 1001 ELSE 7 END, i % 97 FROM generate_series(1001, 1080) AS i;
UPDATE toy SET pet = 1002 WHERE id = 5;
CALL sdc.release('pets');
:pets_out;
-- the next night, too
CALL sdc.release('pets');
:pets_out;
-- in a batch he comes, and they with him
INSERT INTO owner SELECT i, i FROM generate_series(1002, 1100) AS i;
CALL sdc.release('pets');
:pets_out;
-- he leaves with all that is his
DELETE FROM toy WHERE pet > 1000;
DELETE FROM pet WHERE id > 1000;
DELETE FROM owner WHERE id = 1001;
CALL sdc.release('pets');
:pets_out;
-- one of the owners in a sample, and nobody else: pets and toys of others are held
SELECT sdc.create_policy(jsonb_set(sdc.policy_json('pets'),
    '{relations,1,rules,*}', '{"method": "sample_rows", "p": 50, "by": "id", "domain": "versions"}'));
CALL sdc.release('pets');
SELECT pets BETWEEN 1 AND 799 AS some_pets, toys BETWEEN 1 AND 939 AS some_toys, orphans FROM (:pets_out) AS o;
SELECT (SELECT count(*) FROM pet WHERE owner IN (SELECT id FROM versions_out.owner))
     - (SELECT count(*) FROM versions_out.pet) AS pets_missing;
-- a sample of persons leaves no such rows
SELECT sdc.create_policy(jsonb_set(jsonb_set(sdc.policy_json('pets'),
    '{relations,1,rules,*}', '{"method": "sample_rows", "p": 50, "by": "id", "domain": "versions"}'),
    '{relations,2,rules,*}', '{"method": "sample_rows", "p": 50, "by": "owner", "domain": "versions"}'));
CALL sdc.release('pets');
SELECT count(*) AS orphans FROM versions_out.pet WHERE owner NOT IN (SELECT id FROM versions_out.owner);
-- pets get other owners, and follow them in or out
UPDATE pet SET owner = owner % 400 + 1 WHERE id % 3 = 0;
INSERT INTO pet SELECT i, i - 1000, 3 FROM generate_series(2002, 2100) AS i;
CALL sdc.release('pets');
SELECT count(*) AS orphans FROM versions_out.pet WHERE owner NOT IN (SELECT id FROM versions_out.owner);
SELECT count(*) - (SELECT count(*) FROM versions_out.pet) AS missing FROM pet WHERE owner IN (SELECT id FROM versions_out.owner);

-- A table and its partition: who has what is published of both puts them together,
-- so they are attacked together; two partitions have nobody in common.
CREATE TABLE whole (id int, a float8, b float8, c float8) PARTITION BY RANGE (id);
CREATE TABLE half PARTITION OF whole FOR VALUES FROM (1) TO (201);
CREATE TABLE rest PARTITION OF whole FOR VALUES FROM (201) TO (401);
INSERT INTO whole SELECT i, (i * 7919 % 401) / 100.0, (i * 37 % 397) / 100.0, (i * 53 % 409) / 100.0
FROM generate_series(1, 400) AS i;
SELECT sdc.declare(r, id => 'id', keys => '{a,b,c}') FROM unnest('{whole,half,rest}'::regclass[]) AS r;
SELECT sdc.create_policy('of_' || r, r, (SELECT jsonb_object_agg(c, '{"method": "add_noise", "alpha": 0.2}'::jsonb)
        FROM unnest('{a,b,c}'::text[]) AS c),
    '[{"attack": "sequence", "<=": 1}]', jsonb_build_object('schema', 'versions_out', 'table', 'of_' || r, 'attacks', '{}'::text[]))
FROM unnest('{whole,half,rest}'::regclass[]) AS r;
CALL sdc.release('of_half');
CALL sdc.release('of_rest');
CALL sdc.release('of_whole');
CALL sdc.release('of_half');
SELECT r, measures -> 0 -> 'versions' -> 'with' AS seen_with
FROM unnest('{half,rest,whole}'::text[]) WITH ORDINALITY AS r(r, n), sdc.releases('of_' || r)
ORDER BY n, release;
SELECT r.r, count(*) AS attacked_together
FROM unnest('{half,rest,whole}'::text[]) AS r(r), sdc.releases('of_' || r), jsonb_array_elements(measures -> 0 -> 'attacks') AS a
WHERE a ->> 'attack' = 'sequence' GROUP BY 1 ORDER BY 1;

-- Where noise is new after each small move, all of it is attacked together: of one
-- version .255 are found (deviation .015), of two .471 (.011).
SELECT moved_table('drift', 1000, 1000);
SELECT moved_policy('drift', 'drift', '{a,b,c}', '{"grid": 0}', 0.36, 0.05);
CALL sdc.release('drift');
\set VERBOSITY sqlstate
SELECT unnest('{"UPDATE drift SET a = a + 0.001, b = b + 0.01, c = c + 0.1",
    "CALL sdc.release(''drift'')"}'::text[]) FROM generate_series(1, 3) \gexec
\set VERBOSITY default
SELECT count(*) FILTER (WHERE status = 'refused' AND reason ~ 'attack sequence') > 0
           AS refused_by_sequence
FROM sdc.releases('drift');

-- Other people do not see what is remembered, nor make digests.
RESET ROLE;
CREATE ROLE regress_sdc_other;
SET ROLE regress_sdc_other;
SELECT count(*) FROM sdc.release_values('nightly', 'pg_class');
SELECT sdc.release_digest('nightly', 'person', '(1)', NULL, NULL, NULL);
SELECT count(*) FROM sdc.release_value;
RESET ROLE;

-- What somebody tries who keeps all nights: each way draws the same people
-- anew, or publishes something else of them, and every night by itself passes.
SET ROLE regress_sdc_versions;
CREATE FUNCTION keeper(name text, source regclass, rules jsonb, params jsonb DEFAULT '{}',
    attack text DEFAULT 'distance', bound float8 DEFAULT 0.4) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(name, source, rules, format('[{"attack": "%s", "<=": %s}]', attack, bound)::jsonb,
    jsonb_build_object('schema', 'versions_out', 'table', name,
                       'attacks', '{likelihood}'::text[]) || params) $$;
CREATE FUNCTION with_noise(alpha float8) RETURNS jsonb LANGUAGE sql AS $$
SELECT jsonb_object_agg(name, jsonb_build_object('method', 'add_noise', 'alpha', alpha))
FROM unnest('{a,b,c,d}'::text[]) AS name $$;
CREATE FUNCTION rounded(a float8, b float8, c float8, d float8) RETURNS jsonb LANGUAGE sql AS $$
SELECT jsonb_object_agg(name, jsonb_build_object('method', 'round_to', 'base', base))
FROM unnest('{a,b,c,d}'::text[], ARRAY[a, b, c, d]) AS r (name, base) $$;
CREATE FUNCTION keepers(name text) RETURNS TABLE (nights bigint, told text) LANGUAGE sql AS $$
SELECT count(*), string_agg(status || CASE WHEN reason ~ 'attack sequence' THEN ' by sequence'
    ELSE '' END, ', ' ORDER BY release) FROM sdc.releases(name) $$;
-- one table for each, of other people with the same values; their other number
-- goes with none of these, as a count of them would
SELECT format('CREATE TABLE %1$s AS SELECT id %% 1000 + %2$s AS id, (''x'' || substr(md5(''o'' || id), 1, 7))::bit(28)::int AS other, a, b, c, d FROM figures;
    SELECT sdc.declare(%1$L, id => ''id'', keys => ''{a,b,c,d}'', insensitive => ''{other}'')', name, 10000 * (n - (name = 'k_second')::int))
FROM unnest('{k_rules,k_dropped,k_rounded,k_noise,k_first,k_second,k_other_id,k_epoch,k_back,k_copied,k_tens,k_withheld,k_joined}'::text[]) WITH ORDINALITY AS t (name, n) \gexec
\set VERBOSITY sqlstate
-- the strength of the mask is another one each night
SELECT keeper('k_rules', 'k_rules', with_noise(0.2));
CALL sdc.release('k_rules');
SELECT keeper('k_rules', 'k_rules', with_noise(0.21));
CALL sdc.release('k_rules');
SELECT * FROM keepers('k_rules');
-- the policy is dropped, and one of another name takes its place
SELECT keeper('k_dropped', 'k_dropped', with_noise(0.2));
CALL sdc.release('k_dropped');
SELECT sdc.drop_policy('k_dropped');
SELECT keeper('k_again', 'k_dropped', with_noise(0.2));
CALL sdc.release('k_again');
SELECT * FROM keepers('k_again');
-- of the same name: it goes on
SELECT keeper('k_dropped', 'k_dropped', with_noise(0.2), '{"apart": ["k_again"]}');
CREATE TABLE k_before AS TABLE versions_out.k_dropped;
CALL sdc.release('k_dropped');
SELECT count(*) AS differ FROM (TABLE k_before EXCEPT ALL TABLE versions_out.k_dropped) AS d;
-- a policy for a view of the table would be one more
CREATE VIEW k_seen AS SELECT * FROM k_rules;
SELECT keeper('k_seen', 'k_seen', with_noise(0.2));
-- values are rounded to other steps, which know each other's insides
SELECT keeper('k_rounded', 'k_rounded', rounded(1.6, 1.5, 130, 120));
CALL sdc.release('k_rounded');
SELECT keeper('k_rounded', 'k_rounded', rounded(1.3, 1.2, 100, 170));
CALL sdc.release('k_rounded');
-- to coarser steps that hold the finer ones: that tells nothing more
SELECT keeper('k_rounded', 'k_rounded', rounded(4.8, 4.5, 390, 360));
CALL sdc.release('k_rounded');
SELECT * FROM keepers('k_rounded');
-- noise, and then steps
SELECT keeper('k_noise', 'k_noise', with_noise(0.2));
CALL sdc.release('k_noise');
SELECT keeper('k_noise', 'k_noise', rounded(1.6, 1.5, 130, 120));
CALL sdc.release('k_noise');
SELECT * FROM keepers('k_noise');
-- each night has a table of its own: the policy goes on where it publishes the same one
SELECT keeper('k_tables', 'k_first', with_noise(0.2));
CALL sdc.release('k_tables');
CREATE TABLE k_night AS TABLE versions_out.k_tables;
SELECT sdc.drop_policy('k_tables');
SELECT keeper('k_tables', 'k_second', with_noise(0.2));
CALL sdc.release('k_tables');
SELECT count(*) AS differ FROM (TABLE k_night EXCEPT ALL TABLE versions_out.k_tables) AS d;
-- another column is the id
SELECT keeper('k_other_id', 'k_other_id', with_noise(0.2), '{"drop": ["other"]}');
CALL sdc.release('k_other_id');
SELECT keeper('k_other_id', 'k_other_id', with_noise(0.2), '{"drop": ["id"], "id": "other"}');
CALL sdc.release('k_other_id');
SELECT * FROM keepers('k_other_id');
-- epochs beyond the versions that are kept: what they drew is not forgotten
SELECT keeper('k_epoch', 'k_epoch', with_noise(0.2), '{"epoch": 1, "keep_versions": 2}');
SELECT sdc.create_policy(jsonb_set(sdc.policy_json('k_epoch'), '{relations,0,constraints}',
    '[{"attack": "distance", "<=": 0.4}, {"attack": "sequence", "<=": 1}]'));
SELECT 'CALL sdc.release(''k_epoch'')' FROM generate_series(1, 4) \gexec
\set VERBOSITY default
SELECT max((measures -> 0 -> 'versions' ->> 'draws')::int) AS draws FROM sdc.releases('k_epoch');
-- persons who leave, and values that change, come back after more nights than are kept
\set VERBOSITY sqlstate
SELECT keeper('k_back', 'k_back', with_noise(0.2), '{"keep_versions": 2}', bound => 1);
CALL sdc.release('k_back');
CREATE TABLE k_then AS TABLE versions_out.k_back;
CREATE TABLE k_left AS SELECT * FROM k_back WHERE id % 1000 <= 40;
DELETE FROM k_back WHERE id % 1000 <= 40;
UPDATE k_back SET a = a + 1000 WHERE id % 1000 > 260;
SELECT 'CALL sdc.release(''k_back'')' FROM generate_series(1, 4) \gexec
INSERT INTO k_back TABLE k_left;
UPDATE k_back SET a = a - 1000 WHERE id % 1000 > 260;
CALL sdc.release('k_back');
SELECT count(*) AS differ FROM (TABLE k_then EXCEPT ALL TABLE versions_out.k_back) AS d;
SELECT measures -> 0 -> 'versions' ->> 'drawn' AS drawn FROM sdc.releases('k_back')
ORDER BY release DESC LIMIT 1;
-- a copy of the table under another policy: the same people, in part, and columns in
-- another order; other people with the same ids and names of columns are no copy
SELECT keeper('k_copied', 'k_copied', with_noise(0.2));
CALL sdc.release('k_copied');
CREATE TABLE k_copy AS SELECT d, c, b, a, id FROM k_copied WHERE id % 1000 > 20
UNION ALL SELECT d * 2, c * 3, b * 2, a * 3, id + 9000 FROM k_copied WHERE id % 1000 < 30;
CREATE TABLE k_namesakes AS SELECT id, lead(a) OVER w AS a, lead(b) OVER w AS b, lead(c) OVER w AS c,
    lead(d) OVER w AS d FROM k_copied WINDOW w AS (ORDER BY hashint4(id));
DELETE FROM k_namesakes WHERE a IS NULL;
CREATE TABLE k_texts AS SELECT id, 't' || id % 7 AS a, 'u' || id % 5 AS b FROM k_copied;
SELECT sdc.declare('k_copy', id => 'id', keys => '{a,b,c,d}');
SELECT sdc.declare('k_namesakes', id => 'id', keys => '{a,b,c,d}');
SELECT sdc.declare('k_texts', id => 'id', keys => '{a,b}');
SELECT keeper('k_copy', 'k_copy', with_noise(0.2));
CALL sdc.release('k_copy');
SELECT keeper('k_namesakes', 'k_namesakes', with_noise(0.2));
CALL sdc.release('k_namesakes');
SELECT sdc.create_policy('k_texts', 'k_texts', '{"a": {"method": "pram", "p": 50}, "b": {"method": "pram", "p": 50}}',
    '[{"attack": "worst", "<=": 1}]', '{"schema": "versions_out", "table": "k_texts", "attacks": ["likelihood"]}');
CALL sdc.release('k_texts');
SELECT * FROM keepers('k_copy') UNION ALL SELECT * FROM keepers('k_namesakes')
UNION ALL SELECT * FROM keepers('k_texts');
SELECT p AS policy, measures -> 0 -> 'versions' -> 'with' AS seen_with
FROM unnest('{k_copy,k_namesakes,k_texts}'::text[]) AS p, sdc.releases(p);
-- two policies draw for other columns, and publish the same id: who has both joins them.
-- By one of them 3 to 11 % are found, by both 25 to 40.
CREATE FUNCTION half(name text, columns text[], id_rule text, params jsonb DEFAULT '{}') RETURNS void LANGUAGE sql AS $$
SELECT keeper(name, 'k_joined', jsonb_object_agg(c, '{"method": "add_noise", "alpha": 0.2}'::jsonb)
        || jsonb_build_object('id', id_rule::jsonb), jsonb_build_object('keys', columns,
        'drop', (SELECT jsonb_agg(d) FROM unnest('{a,b,c,d,other}'::text[]) AS d WHERE d <> ALL (columns))) || params, bound => 0.18)
FROM unnest(columns) AS c $$;
SELECT half('j_one', '{a,b}', '{"method": "keep"}'), half('j_two', '{c,d}', '{"method": "keep"}'),
    half('j_named', '{c,d}', '{"method": "pseudonym", "domain": "versions", "format": "digits"}'),
    half('j_apart', '{c,d}', '{"method": "keep"}', '{"apart": ["j_one", "j_two", "j_named"]}');
CALL sdc.release('j_one');
CALL sdc.release('j_two');
CALL sdc.release('j_named');
CALL sdc.release('j_apart');
SELECT p AS policy, k.told, measures -> 0 -> 'versions' -> 'with' AS seen_with
FROM unnest('{j_one,j_two,j_named,j_apart}'::text[]) AS p, keepers(p) AS k, sdc.releases(p);
-- a hierarchy has another content under its old name: what the one of before made is
-- made again, also when the new rule is of another kind and none of them is there any more;
-- one that is created again as it was is no other
CREATE FUNCTION tens(width float8, shift float8, domain float8 DEFAULT 500) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_hierarchy('versions_tens', 'numeric', jsonb_build_object('widths', ARRAY[width],
    'bottom', -domain - shift, 'domain', ARRAY[-domain, domain])) $$;
CREATE FUNCTION with_tens() RETURNS jsonb LANGUAGE sql AS $$
SELECT '{"c": {"method": "null"}, "d": {"method": "null"}}'::jsonb || jsonb_object_agg(name,
    '{"method": "generalize", "hierarchy": "versions_tens", "level": 1}'::jsonb)
FROM unnest('{a,b}'::text[]) AS name $$;
SELECT tens(1.7, 0);
SELECT keeper('k_tens', 'k_tens', with_tens(), attack => 'likelihood', bound => 0.1);
CALL sdc.release('k_tens');
SELECT sdc.drop_hierarchy('versions_tens');
SELECT tens(1.7, 0);
CALL sdc.release('k_tens');
SELECT sdc.drop_hierarchy('versions_tens');
SELECT tens(1.3, 0.4);
CALL sdc.release('k_tens');
SELECT sdc.drop_hierarchy('versions_tens');
SELECT keeper('k_tens', 'k_tens', rounded(1.1, 1.1, 1, 1) - 'c' - 'd'
    || '{"c": {"method": "null"}, "d": {"method": "null"}}', attack => 'likelihood', bound => 0.1);
CALL sdc.release('k_tens');
SELECT * FROM keepers('k_tens');
SELECT count(*) AS left_behind FROM sdc.hierarchy WHERE hierarchy ~ '^versions_tens@';
-- columns that were withheld in between
SELECT keeper('k_withheld', 'k_withheld', rounded(1.6, 1.5, 130, 120));
CALL sdc.release('k_withheld');
SELECT keeper('k_withheld', 'k_withheld', '{"a": {"method": "null"}, "b": {"method": "null"},
    "c": {"method": "null"}, "d": {"method": "null"}}', attack => 'likelihood');
CALL sdc.release('k_withheld');
SELECT keeper('k_withheld', 'k_withheld', rounded(1.3, 1.2, 100, 170));
CALL sdc.release('k_withheld');
-- of other values nothing of before is known
UPDATE k_withheld SET a = a + 130, b = b - 120, c = c + 1000, d = d + 1700;
CALL sdc.release('k_withheld');
SELECT * FROM keepers('k_withheld');
\set VERBOSITY default

-- Params that cannot be.
SELECT noise_policy('wrong', '{"keep_versions": 0}');
SELECT noise_policy('wrong', '{"fresh": 1}');
SELECT noise_policy('wrong', '{"grid": -1}');
SELECT noise_policy('wrong', '{"batch": 0}');
SELECT noise_policy('wrong', '{"epoch": 12}');
-- What is remembered as published of a person lies side by side, and a night
-- reads it as one row.  Where a page ends, few have several: split.  Whose one
-- row is not what is remembered part by part: wrong.
CREATE TABLE aside AS
SELECT i AS id, (i * 7919 % 1009)::float8 AS noise, i * 31 % 997 AS swap,
       'w' || i % 5 AS word FROM generate_series(1, 400) AS i;
SELECT sdc.declare('aside', id => 'id', keys => '{noise,swap}', insensitive => '{word}');
SELECT sdc.create_policy('aside', 'aside',
    '{"noise": {"method": "add_noise", "alpha": 0.5},
      "swap": {"method": "rank_swap", "p": 5},
      "word": {"method": "pram", "p": 60},
      "*": {"method": "sample_rows", "p": 80}}',
    '[{"measure": "k_anonymity", ">=": 1}]',
    '{"schema": "versions_out", "attacks": []}');
CREATE VIEW read_as_one AS
WITH v AS (SELECT * FROM sdc.release_values('aside', 'aside') WHERE last IS NULL),
    p AS (SELECT DISTINCT part FROM v),
    one_by_one AS (
        SELECT v.person, count(*)::int AS found,
               CASE count(*) WHEN (SELECT count(*) FROM p)
               THEN substring(sha256(string_agg(v.cell, '' ORDER BY v.part)) FOR 16)
               ELSE (array_agg(v.cell ORDER BY v.part))[1] END AS cells,
               (SELECT array_agg(o.drawn ORDER BY p.part) FROM p
                LEFT JOIN v AS o ON o.part = p.part AND o.person = v.person) AS drawn,
               (SELECT array_agg(u.value ORDER BY o.part, u.place)
                FROM v AS o, unnest(o.value) WITH ORDINALITY AS u (value, place)
                WHERE o.person = v.person) AS value
        FROM v GROUP BY v.person),
    as_one AS (
        SELECT * FROM sdc.release_rows('aside', 'aside',
            ARRAY(SELECT part FROM p ORDER BY part)))
SELECT (SELECT count(*) FROM (SELECT FROM as_one GROUP BY person HAVING count(*) > 1) AS s) AS split,
       (SELECT count(*) FROM (SELECT * FROM as_one AS a WHERE (SELECT count(*) FROM as_one AS b
            WHERE b.person = a.person) = 1 EXCEPT ALL TABLE one_by_one) AS w) AS wrong,
       (SELECT count(DISTINCT person) FROM as_one) = (SELECT count(*) FROM one_by_one) AS all;
CALL sdc.release('aside');
SELECT (SELECT count(*) FROM sdc.release_values('aside', 'aside')
        WHERE value = '{out}') BETWEEN 50 AND 110 AS out_of_sample,
       split < 20 AS side_by_side, wrong, "all" FROM read_as_one;
-- some change in one column, some leave, some come
UPDATE aside SET swap = swap + 5000 WHERE id <= 120;
DELETE FROM aside WHERE id BETWEEN 200 AND 220;
INSERT INTO aside SELECT i, i, i, 'w1' FROM generate_series(401, 480) AS i;
CALL sdc.release('aside');
SELECT split < 20 AS side_by_side, wrong, "all" FROM read_as_one;
-- of some persons only
CREATE TABLE picked AS SELECT sdc.release_digest('aside', 'person', record_out(ROW(i))::text,
    NULL, NULL, NULL) AS person FROM generate_series(1, 100) AS i;
WITH s AS (SELECT * FROM sdc.release_values('aside', 'aside', ARRAY(TABLE picked))),
    o AS (SELECT v.* FROM sdc.release_values('aside', 'aside') AS v JOIN picked USING (person))
SELECT (SELECT count(*) FROM (TABLE s EXCEPT ALL TABLE o) AS d) AS more,
       (SELECT count(*) FROM (TABLE o EXCEPT ALL TABLE s) AS d) AS less,
       (SELECT count(*) FROM s) > 100 AS some_are;
-- The digests of all parts of a row at once are those of each part by itself.
CREATE TABLE odd (gone int, id int, a text, b numeric, c date, d float8, e bpchar(3), f text[], g varchar, h point);
ALTER TABLE odd DROP COLUMN gone;
INSERT INTO odd SELECT i, v, i / 8.0, date '2026-11-28' + i::int, i * 1.7, left(v, 3), ARRAY[v, NULL], v || v, point(i, 1)
FROM unnest(ARRAY['', ' ', 'a b', 'a,b', '"', '\', 'x"y\z', '(a)', 'é', E'a\tb', E'\n', 'NULL', NULL, repeat('long ', 3000)])
    WITH ORDINALITY AS u (v, i);
INSERT INTO odd (id) VALUES (90);
INSERT INTO odd VALUES (91, 'a', 'NaN', 'infinity', 'NaN'), (NULL, 'b', 1, '-infinity', '-infinity');
SELECT count(*), count(*) FILTER (WHERE sdc.release_cells('aside',
        '{0,0,1,2, 7,1,1,3, 8,0,0, 9,2,4,4,5,7,8, 10,0,3,9,10,3}', '{0.5,2,3}', ARRAY[d, b, d], odd.*)
    <> (SELECT string_agg(sdc.release_digest('aside', subject, record_out(ROW(id))::text, exact, number, width), '' ORDER BY place)
        FROM (VALUES (1, '7', record_out(ROW(a))::text, ARRAY[d], '{0.5}'::float8[]),
                     (2, '8', record_out(ROW())::text, '{}', '{}'),
                     (3, '9', record_out(ROW(b, c, e, f))::text, ARRAY[b, d], '{2,3}'),
                     (4, '10', record_out(ROW(g, h, a))::text, '{}', '{}'))
            AS p (place, subject, exact, number, width))) AS wrong
FROM odd;
SELECT sdc.release_cells('aside', '{0,0,1,2, 7,0,1,1}', '{}', '{}', odd.*) FROM odd LIMIT 1;  -- dropped
SELECT sdc.release_cells('aside', '{0,0,1,1, 7,0,2,1}', '{}', '{}', ROW(1));
SELECT sdc.release_cells('aside', '{0,0,1,1, 7,0,1,2}', '{}', '{}', ROW(1));
SELECT sdc.release_cells('aside', '{0,0,1,1, 7,1,0}', '{}', '{}', ROW(1));
SELECT sdc.release_cells('aside', '{0,0,1,1, NULL}', '{}', '{}', ROW(1));
SELECT sdc.release_cells('aside', '{}', '{}', '{}', ROW(1));

-- Where rows lie elsewhere the next night is the same, and puts them back.
RESET ROLE;
UPDATE sdc.release_value SET last = last WHERE part IN (SELECT part FROM sdc.release_part
    WHERE policy = 'aside' AND columns IN ('{swap}', '{}'));
SET ROLE regress_sdc_versions;
SELECT split > 200 AS elsewhere, wrong, "all" FROM read_as_one;
CREATE TABLE last_night AS TABLE versions_out.aside;
CALL sdc.release('aside');
SELECT split < 20 AS side_by_side, wrong, "all" FROM read_as_one;
SELECT (SELECT count(*) FROM (TABLE last_night EXCEPT ALL TABLE versions_out.aside) AS d) AS gone,
       (SELECT count(*) FROM (TABLE versions_out.aside EXCEPT ALL TABLE last_night) AS d) AS new,
       v -> 'drawn' AS drawn, v -> 'left' AS left,
       (v ->> 'kept')::int = (SELECT count(*) FROM last_night) AS all_kept
FROM (SELECT measures -> 0 -> 'versions' AS v FROM sdc.releases('aside')
      ORDER BY release DESC LIMIT 1) AS v;

RESET ROLE;
\set VERBOSITY terse
SET client_min_messages = warning;
DROP SCHEMA versions, versions_out CASCADE;
DROP OWNED BY regress_sdc_second;
DROP ROLE regress_sdc_second;
SELECT sdc.drop_policy(policy) FROM sdc.policy WHERE owner = 'regress_sdc_versions';
DELETE FROM sdc.release_value WHERE part IN (SELECT part FROM sdc.release_part
    WHERE owner ~ '^regress_sdc_');
DELETE FROM sdc.release_part WHERE owner ~ '^regress_sdc_';
DELETE FROM sdc.release_finding WHERE owner ~ '^regress_sdc_';
DELETE FROM sdc.release_history WHERE owner ~ '^regress_sdc_';
DELETE FROM sdc.release_basis WHERE owner ~ '^regress_sdc_';
SELECT sdc.drop_hierarchy('versions_ages');
SELECT sdc.forget_pseudonyms(domain) AS forgotten FROM unnest('{versions,halves,others}'::text[]) AS domain;
DROP OWNED BY regress_sdc_versions;
DROP ROLE regress_sdc_versions, regress_sdc_other;
