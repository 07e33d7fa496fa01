-- release: masked copies that are published, and their history.

\set SHOW_CONTEXT never

CREATE ROLE regress_sdc_publisher;
CREATE ROLE regress_sdc_public;
CREATE ROLE regress_sdc_boss;
CREATE SCHEMA release AUTHORIZATION regress_sdc_publisher;
CREATE SCHEMA release_out AUTHORIZATION regress_sdc_publisher;
GRANT USAGE ON SCHEMA release_out TO regress_sdc_public;
GRANT EXECUTE ON FUNCTION
    sdc.create_policy(text, regclass, jsonb, jsonb, jsonb),
    sdc.create_policy(jsonb), sdc.drop_policy(text), sdc.policy_json(text),
    sdc.check_release(text, regclass, jsonb), sdc.releases(text)
TO regress_sdc_publisher;
SET ROLE regress_sdc_publisher;
SET search_path = release;

CREATE TABLE people (id integer PRIMARY KEY, name text NOT NULL, age integer,
                     zip text, income float8);
INSERT INTO people
SELECT i, 'canary ' || i, 20 + i % 25, 'z' || i % 3, 1000 + i * i % 997
FROM generate_series(1, 150) AS i;
SELECT sdc.declare('people', id => 'id', identifiers => '{name}',
                   keys => '{age,zip}', sensitive => '{income}');
SELECT sdc.create_policy('nightly', 'people',
    '{"income": {"method": "rank_swap", "p": 10},
      "age": {"method": "microaggregate", "k": 25},
      "zip": {"method": "constant", "value": "z"}}',
    '[{"measure": "k_anonymity", ">=": 25},
      {"attack": "distance", "<=": 0.1}]',
    '{"schema": "release_out", "attacks": ["distance"]}');
-- The numbers of releases are not those of other tests.
CREATE VIEW history AS
SELECT row_number() OVER (ORDER BY release) AS run, *
FROM sdc.releases('nightly');

-- Nobody may call it unless it is granted.
CALL sdc.release('nightly');
SELECT count(*) FROM sdc.releases('nobody''s');
RESET ROLE;
GRANT EXECUTE ON PROCEDURE sdc.release(text, text, bigint)
TO regress_sdc_publisher, regress_sdc_public;
GRANT EXECUTE ON FUNCTION sdc.verify_release(bigint) TO regress_sdc_publisher;
-- The masks of a release depend on a key of the policy: one for this test.
INSERT INTO sdc.policy_key
SELECT policy, decode(repeat('5d', 32), 'hex')
FROM unnest('{nightly,swap,bought,homes,stays_mean,stays_middle,stays_refused,stays_untied,stays_account,
    stays_fresh,calls_branch,calls_kept,calls_town,calls_withheld}'::text[]) AS policy
ON CONFLICT (policy) DO UPDATE SET key = excluded.key;
SET ROLE regress_sdc_publisher;

-- A seed that can be found by trying is refused.
CALL sdc.release('nightly', seed => 20240611);

-- A release: the id and what names people are not in it, the rest is masked.
CALL sdc.release('nightly', seed => 5000000000000000001);
SELECT count(*) AS rows, count(DISTINCT age) AS ages, count(DISTINCT zip) AS zips,
       (SELECT count(*) FROM (SELECT income FROM people EXCEPT ALL
                              SELECT income FROM release_out.people) AS d) AS lost
FROM release_out.people;
SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', '
                  ORDER BY attnum) AS columns
FROM pg_attribute WHERE attrelid = 'release_out.people'::regclass AND attnum > 0;
SELECT run, policy, status, released_by = session_user AS by_me,
       started <= finished AS took, snapshot IS NOT NULL AS snapshot, reason
FROM history;
SELECT r ->> 'relation' AS rel, r ->> 'target' AS target, r -> 'rules' -> 'zip' AS zip,
       r -> 'published' AS published, r -> 'rows' AS rows,
       jsonb_array_length(r -> 'columns') AS columns
FROM history, jsonb_array_elements(relations) AS r;
SELECT g.* FROM history, jsonb_array_elements(measures) AS m,
     jsonb_to_recordset(m -> 'gate') AS g(place integer, requirement text,
         value float8, bound float8, passed boolean);
SELECT m -> 'classes' AS classes, jsonb_array_length(m -> 'before') > 10 AS before,
       jsonb_array_length(m -> 'after') > 10 AS after,
       jsonb_array_length(m -> 'disclosure') > 3 AS disclosure,
       m -> 'attacks' -> 0 ->> 'attack' AS attack
FROM history, jsonb_array_elements(measures) AS m;
-- Nothing of the seed is kept but that there was one.
SELECT seeded, signature IS NOT NULL AS signed FROM history;
SELECT v.* FROM history, sdc.verify_release(release) AS v;
-- Nothing else is left.
SELECT relname FROM pg_class WHERE relnamespace = 'release_out'::regnamespace;

-- The same seed gives the same rows, in another order.  Rows are replaced: who
-- could read the table still can, and views on it go on.
GRANT SELECT ON release_out.people TO regress_sdc_public;
CREATE VIEW on_release AS SELECT count(*) AS rows FROM release_out.people;
CREATE TABLE before AS
SELECT row_number() OVER (ORDER BY ctid) AS place, * FROM release_out.people;
CALL sdc.release('nightly', seed => 5000000000000000001);
SELECT count(*) AS differ FROM
    (SELECT age, zip, income FROM before EXCEPT ALL
     SELECT age, zip, income FROM release_out.people) AS d;
SELECT count(*) > 50 AS moved
FROM (SELECT row_number() OVER (ORDER BY ctid) AS place, *
      FROM release_out.people) AS p JOIN before AS b USING (place)
WHERE p.income <> b.income;
SELECT * FROM on_release;
SET ROLE regress_sdc_public;
SELECT count(*) FROM release_out.people;
SET ROLE regress_sdc_publisher;

-- A refused release publishes nothing, and says why.
SELECT sdc.create_policy('nightly', 'people',
    '{"income": {"method": "rank_swap", "p": 1}}',
    '[{"measure": "k_anonymity", ">=": 5},
      {"attack": "distance", "<=": 0.1}]',
    '{"schema": "release_out", "attacks": ["distance"]}');
\set VERBOSITY sqlstate
CALL sdc.release('nightly');
\set VERBOSITY default
SELECT run, status, seeded, reason FROM history WHERE run = 3;
SELECT g.requirement, g.value, g.passed FROM history,
     jsonb_array_elements(measures) AS m,
     jsonb_to_recordset(m -> 'gate') AS g(requirement text, value float8,
                                          passed boolean) WHERE run = 3;
SELECT count(*) AS differ FROM
    (SELECT age, zip, income FROM before EXCEPT ALL
     SELECT age, zip, income FROM release_out.people) AS d;
SELECT relname FROM pg_class WHERE relnamespace = 'release_out'::regnamespace;

-- Another rule, that makes other columns: a new table with the rights of the
-- old one; a view on the old one would lose it, so the release fails.
SELECT sdc.create_policy('nightly', 'people',
    '{"income": {"method": "null"}, "zip": {"method": "keep"},
      "age": {"method": "microaggregate", "k": 50}, "id": {"method": "keep"},
      "name": {"method": "constant", "value": "x"}}',
    '[{"attack": "distance", "<=": 0.1}, {"attack": "sequence", "<=": 1}]',
    '{"schema": "release_out", "attacks": ["distance"], "drop": ["income"]}');
\set VERBOSITY sqlstate
CALL sdc.release('nightly');
\set VERBOSITY default
DROP VIEW on_release;
CALL sdc.release('nightly');
SELECT run, status, left(reason, 42) AS reason FROM history WHERE run > 3;
SELECT count(*), count(DISTINCT id) AS ids, count(DISTINCT name) AS names
FROM release_out.people;
SET ROLE regress_sdc_public;
SELECT count(*) FROM release_out.people;
SET ROLE regress_sdc_publisher;

-- Drift: what nobody decided about stops a release.
ALTER TABLE people ADD COLUMN email text;
SELECT column_name, role FROM sdc.drift('people');
\set VERBOSITY sqlstate
CALL sdc.release('nightly');
\set VERBOSITY default
SELECT sdc.declare('people', id => 'id', identifiers => '{name,email}',
                   keys => '{age,zip}', sensitive => '{income}');
SELECT column_name, role, regexp_replace(reason, 'is \d+', 'is N') AS reason
FROM sdc.drift('people');
\set VERBOSITY sqlstate
CALL sdc.release('nightly');
\set VERBOSITY default
SELECT sdc.create_policy(sdc.policy_json('nightly'));
SELECT count(*) FROM sdc.drift('people');
CALL sdc.release('nightly');
ALTER TABLE people ALTER age TYPE bigint;
\set VERBOSITY sqlstate
CALL sdc.release('nightly');
\set VERBOSITY default
ALTER TABLE people ALTER age TYPE integer;
ALTER TABLE people DROP email;
\set VERBOSITY sqlstate
CALL sdc.release('nightly');
\set VERBOSITY default
SELECT run, status, regexp_replace(reason, '^release\.people: ', '') AS reason
FROM history WHERE run > 5;
SELECT sdc.create_policy(sdc.policy_json('nightly'));
SELECT sdc.declare('people', id => 'id', identifiers => '{name}',
                   keys => '{age,zip}', sensitive => '{income}');
-- Two columns of one type whose names were swapped: the rule for one would hold
-- for the other.  What is added and dropped meanwhile changes no order.
CREATE TABLE pay AS SELECT i AS id, i * 7.0 AS salary, i % 3 * 1.0 AS grade FROM generate_series(1, 50) AS i;
ALTER TABLE pay ADD PRIMARY KEY (id);
SELECT sdc.declare('pay', id => 'id', keys => '{salary}', insensitive => '{grade}');
SELECT sdc.create_policy('paid', 'pay', '{"salary": {"method": "null"}}', '[{"attack": "worst", "<=": 1}]', '{"schema": "release_out"}');
CALL sdc.release('paid');
ALTER TABLE pay ADD extra int;
ALTER TABLE pay DROP extra;
CALL sdc.release('paid');
ALTER TABLE pay RENAME salary TO other;
ALTER TABLE pay RENAME grade TO salary;
ALTER TABLE pay RENAME other TO grade;
SELECT column_name, regexp_replace(reason, 'is \d+', 'is N') AS reason FROM sdc.drift('pay');
\set VERBOSITY sqlstate
CALL sdc.release('paid');
\set VERBOSITY default
SELECT count(*) FILTER (WHERE grade > 2) AS salaries FROM release_out.pay;
SELECT sdc.drop_policy('paid');
DROP TABLE pay, release_out.pay;
-- A column that has neither a role nor a rule.
SELECT sdc.create_policy('undecided', 'people', '{}',
    '[{"measure": "k_anonymity", ">=": 0}]', '{"schema": "release_out"}');
SELECT sdc.declare('people', id => 'id', keys => '{age,zip}');
\set VERBOSITY sqlstate
CALL sdc.release('undecided');
\set VERBOSITY default
SELECT status, reason FROM sdc.releases('undecided');
SELECT sdc.drop_policy('undecided');
SELECT sdc.declare('people', id => 'id', identifiers => '{name}',
                   keys => '{age,zip}', sensitive => '{income}');

-- Several tables, one snapshot, all or none; pseudonyms of ids join; names that
-- are hostile to SQL.
CREATE TABLE visits (visit integer PRIMARY KEY, person integer REFERENCES people,
                     cost integer, "x""); DROP TABLE people; --" text);
INSERT INTO visits SELECT i, 1 + i % 150, i % 7, 'a' FROM generate_series(1, 300) AS i;
SELECT sdc.declare('visits', id => 'visit', keys => '{cost}', person => 'person',
    insensitive => ARRAY['x"); DROP TABLE people; --']::name[]);
SELECT sdc.create_policy('both', 'people',
    '{"age": {"method": "microaggregate", "k": 50},
      "zip": {"method": "constant", "value": "z"},
      "id": {"method": "pseudonym", "domain": "release", "format": "digits"}}',
    '[{"measure": "k_anonymity", ">=": 50}, {"attack": "distance", "<=": 0.5}]',
    '{"schema": "release_out", "table": "p", "attacks": ["distance"]}');
SELECT sdc.create_policy('both', 'visits',
    '{"person": {"method": "pseudonym", "domain": "release", "format": "digits"},
      "cost": {"method": "top_code", "upper": 3}}',
    '[{"measure": "k_anonymity", ">=": 100}]',
    '{"schema": "release_out", "table": "v", "attacks": ["distance"]}');
\set VERBOSITY sqlstate
-- what the owner of the policy may not do, a release by it may not do either
CALL sdc.release('both');
RESET ROLE;
GRANT EXECUTE ON FUNCTION sdc.pseudonym(text, text, text, text)
TO regress_sdc_publisher;
SET ROLE regress_sdc_publisher;
CALL sdc.release('both');
CALL sdc.release('both', 'release_out.other');
\set VERBOSITY default
SELECT status, reason FROM sdc.releases('both');
SELECT to_regclass('release_out.p') IS NULL AND to_regclass('release_out.v') IS NULL
       AS none;
SELECT sdc.create_policy('both', 'visits',
    '{"person": {"method": "pseudonym", "domain": "release", "format": "digits"},
      "cost": {"method": "top_code", "upper": 3}}',
    '[{"measure": "k_anonymity", ">=": 40}]',
    '{"schema": "release_out", "table": "v", "attacks": ["distance"]}');
CALL sdc.release('both');
SELECT count(*) FROM release_out.p JOIN release_out.v ON person = id;
SELECT count(DISTINCT id) AS ids FROM release_out.p;
SELECT sdc.create_policy('both', 'visits', '{"person": {"method": "keep"}}', '[]',
    '{"schema": "release_out", "table": "p", "attacks": []}');
CALL sdc.release('both');

-- Where it goes: an argument for a policy of one table; nothing that is not a
-- release of this policy is replaced, least of all the original.
CALL sdc.release('nightly', 'release_out."Other, name"');
SELECT count(*) FROM release_out."Other, name";
CREATE TABLE release_out.mine AS SELECT 1 AS x;
CALL sdc.release('nightly', 'release_out.mine');
CALL sdc.release('nightly', 'release.people');
CALL sdc.release('nightly', 'release_out.p');
CALL sdc.release('nightly', 'pg_temp.people');
CREATE RULE no AS ON INSERT TO release_out.people DO INSTEAD NOTHING;
CALL sdc.release('nightly');
DROP RULE no ON release_out.people;
CREATE FUNCTION spy() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'a trigger ran as %', current_user; END $$;
CREATE TRIGGER spy BEFORE INSERT ON release_out.people FOR EACH ROW EXECUTE FUNCTION spy();
CALL sdc.release('nightly');
DROP TRIGGER spy ON release_out.people;
SELECT sdc.create_policy('nowhere', 'people', '{}',
    '[{"measure": "k_anonymity", ">=": 0}]');
CALL sdc.release('nowhere');
SELECT sdc.create_policy('nowhere', 'people', '{}', '[]', '{"schema": "release_out"}');
CALL sdc.release('nowhere');
SELECT sdc.drop_policy('nowhere');
CALL sdc.release('nowhere');
CALL sdc.release(NULL);

-- Not inside a transaction block, nor a function: the history must be written.
BEGIN;
CALL sdc.release('nightly');
ROLLBACK;
DO $$ BEGIN CALL sdc.release('nightly', seed => 5000000000000000003); END $$;
SELECT status, seeded FROM history
ORDER BY release DESC LIMIT 1;
CREATE FUNCTION call_release() RETURNS void LANGUAGE plpgsql AS
$$ BEGIN CALL sdc.release('nightly'); END $$;
SELECT call_release();

-- Rights.  A superuser does not do what another role wrote.
RESET ROLE;
CALL sdc.release('nightly');
GRANT regress_sdc_publisher TO regress_sdc_boss;
GRANT EXECUTE ON PROCEDURE sdc.release(text, text, bigint) TO regress_sdc_boss;
GRANT EXECUTE ON FUNCTION sdc.releases(text) TO regress_sdc_boss, regress_sdc_public;
SET ROLE regress_sdc_boss;
CALL sdc.release('nightly');
SELECT count(*) > 5 AS seen FROM sdc.releases('nightly');
SET ROLE regress_sdc_public;
CALL sdc.release('nightly');
SELECT count(*) AS seen FROM sdc.releases('nightly');
SELECT count(*) FROM sdc.release_history;
INSERT INTO sdc.release_history (release) VALUES (1);
SELECT nextval('sdc.release_number');
-- An auditor reads the history, and only that.
RESET ROLE;
GRANT SELECT ON sdc.release_history TO regress_sdc_public;
SET ROLE regress_sdc_public;
SELECT count(*) > 5 AS seen FROM sdc.releases('nightly');
CALL sdc.release('nightly');
RESET ROLE;
REVOKE SELECT ON sdc.release_history FROM regress_sdc_public;
-- The owner lost the right to read, or to create: the run fails, and says so.
ALTER TABLE release.people OWNER TO CURRENT_USER;
REVOKE ALL ON release.people FROM regress_sdc_publisher;
SET ROLE regress_sdc_publisher;
\set VERBOSITY sqlstate
CALL sdc.release('nightly');
\set VERBOSITY default
SELECT status FROM history ORDER BY release DESC LIMIT 1;
-- Row-level security would make it a release of some rows.
RESET ROLE;
GRANT SELECT ON release.people TO regress_sdc_publisher;
ALTER TABLE release.people ENABLE ROW LEVEL SECURITY;
CREATE POLICY young ON release.people USING (age < 30);
SET ROLE regress_sdc_publisher;
CALL sdc.release('nightly');
SELECT status FROM history ORDER BY release DESC LIMIT 1;
-- No run has kept its lock, whatever became of it.
RESET ROLE;
SELECT count(*) AS locks FROM pg_locks WHERE locktype = 'advisory';
-- The history outlives the policy.
SET ROLE regress_sdc_publisher;
SELECT count(*) > 5 AS runs FROM history \gset
SELECT sdc.drop_policy('nightly');
SELECT :'runs' AS before, count(*) > 5 AS after FROM history;

-- The gate knows what the intruder knows.  Swapped by 2 percent, the table looks
-- safe enough to who links nearest records; who knows p finds more, and the
-- release is refused.  A larger p passes, and so does another method.
SET ROLE regress_sdc_publisher;
CREATE TABLE incomes AS
SELECT i AS id, i * 7919 % 10007 AS weight,
       i * 104729 % 10009 * (1 + i % 3) AS income
FROM generate_series(1, 500) AS i;
SELECT sdc.declare('incomes', id => 'id', keys => '{weight,income}');
CREATE FUNCTION try(rule jsonb) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy('swap', 'release.incomes',
    jsonb_build_object('weight', rule, 'income', rule),
    '[{"attack": "distance", "<=": 0.68},
      {"attack": "transparency", "<=": 0.68},
      {"attack": "worst", "<=": 0.68}]',
    '{"schema": "release_out", "attacks": ["distance", "transparency"]}') $$;
\set VERBOSITY sqlstate
SELECT try('{"method": "rank_swap", "p": 2}');
CALL sdc.release('swap', seed => 5000000000000000001);
SELECT to_regclass('release_out.incomes') IS NULL AS nothing;
SELECT try('{"method": "rank_swap", "p": 5}');
CALL sdc.release('swap', seed => 5000000000000000001);
SELECT try('{"method": "rank_swap", "p": 2, "variant": "distribution"}');
CALL sdc.release('swap', seed => 5000000000000000001);
\set VERBOSITY default
SELECT r.status, r.relations -> 0 -> 'rules' ->> 'income' AS rule,
       g.requirement, g.value::numeric(10,4), g.passed
FROM sdc.releases('swap') AS r,
     jsonb_to_recordset(r.measures -> 0 -> 'gate')
     AS g(requirement text, value float8, passed boolean)
ORDER BY r.release, g.requirement COLLATE "C";
-- What a role owns that the owner of the policy is a member of is not replaced.
RESET ROLE;
GRANT regress_sdc_public TO regress_sdc_publisher;
ALTER TABLE release_out.incomes OWNER TO regress_sdc_public;
SET ROLE regress_sdc_publisher;
CALL sdc.release('swap', seed => 5000000000000000001);
RESET ROLE;
ALTER TABLE release_out.incomes OWNER TO regress_sdc_publisher;
REVOKE regress_sdc_public FROM regress_sdc_publisher;
SET ROLE regress_sdc_publisher;
SELECT sdc.declare('incomes');
SELECT sdc.drop_policy('swap');

-- A new table, as of other columns, shows its readers no more: rows that were hidden
-- stop it, and what default privileges give to others is taken back.
CREATE TABLE towns AS SELECT i AS id, i % 7 AS town, i % 4 AS size FROM generate_series(1, 200) AS i;
SELECT sdc.declare('towns', identifiers => '{id}', keys => '{town}', insensitive => '{size}');
CREATE FUNCTION towns_release(rest text) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy('towns', 'release.towns', jsonb_build_object('id', '{"method": "null"}'::jsonb, 'town', '{"method": "keep"}'::jsonb) || rest::jsonb,
    '[{"measure": "k_anonymity", ">=": 2}]', '{"schema": "release_out"}') $$;
ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO regress_sdc_public;
SELECT towns_release('{"size": {"method": "keep"}}');
CALL sdc.release('towns');
SELECT relacl::text ~ 'sdc_public=r' AS reads FROM pg_class WHERE oid = 'release_out.towns'::regclass;
REVOKE SELECT ON release_out.towns FROM regress_sdc_public;
ALTER TABLE release_out.towns ENABLE ROW LEVEL SECURITY;
CALL sdc.release('towns');
ALTER TABLE towns ADD height integer;
SELECT sdc.declare('towns', identifiers => '{id}', keys => '{town}', insensitive => '{size,height}');
SELECT towns_release('{"size": {"method": "keep"}, "height": {"method": "keep"}}');
CALL sdc.release('towns');
ALTER TABLE release_out.towns DISABLE ROW LEVEL SECURITY;
CALL sdc.release('towns');
SELECT count(*) AS columns, bool_or(c.relacl::text ~ 'sdc_public=r') AS reads FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND attnum > 0 WHERE c.oid = 'release_out.towns'::regclass;
ALTER DEFAULT PRIVILEGES REVOKE SELECT ON TABLES FROM regress_sdc_public;
SELECT sdc.drop_policy('towns');

-- What no attack is given: a column that nobody has said a word about is refused,
-- and an identifier as it is; one that others are said not to know is published,
-- and the history has what it tells who knows it after all.
\set VERBOSITY sqlstate
CREATE TABLE staff AS
SELECT i AS id, 'name ' || i AS name, 20 + i % 2 AS age, 1000 + i * 7 AS income,
       timestamp '2026-01-01' + i * interval '7 minutes' AS seen
FROM generate_series(1, 200) AS i;
CREATE FUNCTION staff_release(name_rule text, risk text) RETURNS void
LANGUAGE sql AS $$
SELECT sdc.create_policy('staff', 'release.staff',
    jsonb_build_object('name', name_rule::jsonb, 'seen', '{"method": "keep"}'::jsonb),
    risk::jsonb, '{"schema": "release_out", "attacks": ["exact"]}') $$;
\set null '{"method": "null"}'
\set worst '[{"attack": "worst", "<=": 0.05}]'
SELECT sdc.declare('staff', id => 'id', identifiers => '{name}', keys => '{age}',
                   sensitive => '{income}');
SELECT staff_release(:'null', :'worst');
CALL sdc.release('staff');
SELECT sdc.declare('staff', id => 'id', identifiers => '{name}', keys => '{age}',
                   sensitive => '{income}', insensitive => '{seen}');
SELECT staff_release('{"method": "keep"}', :'worst');
CALL sdc.release('staff');
SELECT staff_release(:'null', :'worst');
CALL sdc.release('staff');
SELECT status, reason, measures #> '{0,knowing,beside}' AS beside
FROM sdc.releases('staff');
RESET ROLE;
SELECT unnest(regexp_matches(sdc.report(max(release), 'markdown'),
              'Somebody who has learned column [^.]*[.][^.]*[.]'))
FROM sdc.release_history WHERE policy = 'staff';
SET ROLE regress_sdc_publisher;
-- By values: rules that change nothing, or too little, hide nothing.
ALTER TABLE staff ADD salary integer, ADD note text, ADD zip integer;
UPDATE staff SET salary = 3 * id, note = 'note ' || id, zip = 5 * id;
SELECT sdc.declare('staff', id => 'id', keys => '{age}', sensitive => '{income}',
                   insensitive => '{name,seen,salary,note,zip}');
SELECT sdc.create_policy('staff', 'release.staff',
    '{"income": {"method": "round_to", "base": 1}, "name": {"method": "null"},
      "salary": {"method": "top_code", "upper": 1000000},
      "note": {"method": "mask_text", "keep": 9},
      "zip": {"method": "round_to", "base": 10}, "seen": {"method": "null"}}',
    :'worst', '{"schema": "release_out", "attacks": ["exact"]}');
SET client_min_messages = error;
CALL sdc.release('staff');
RESET client_min_messages;
SELECT b.*
FROM (SELECT measures FROM sdc.releases('staff')
      ORDER BY release DESC LIMIT 1) AS r,
     jsonb_to_recordset(r.measures #> '{0,knowing,beside}')
     AS b("column" text, role text, found float8);
SELECT measures #> '{0,knowing,all}' AS "all" FROM sdc.releases('staff')
ORDER BY release DESC LIMIT 1;
-- Where the policy says that there is nothing to attack nothing is.
SELECT sdc.create_policy('staff', 'release.staff', '{"income": {"method": "null"}, "name": {"method": "null"},
      "salary": {"method": "null"}, "note": {"method": "null"}, "zip": {"method": "keep"}, "seen": {"method": "null"}}',
    '[{"measure": "k_anonymity", ">=": 1}]', '{"schema": "release_out", "attacks": []}');
SET client_min_messages = error;
CALL sdc.release('staff');
RESET client_min_messages;
RESET ROLE;
SELECT status, measures #> '{0,knowing}' AS knowing, sdc.report(release, 'markdown') ~ 'No attack on people was run' AS told
FROM sdc.release_history WHERE policy = 'staff' ORDER BY release DESC LIMIT 1;
SET ROLE regress_sdc_publisher;
-- Two coarse columns that tell little each, and everything together.
UPDATE staff SET salary = id % 15, zip = id / 15;
SELECT sdc.create_policy('staff', 'release.staff',
    '{"income": {"method": "null"}, "name": {"method": "null"},
      "salary": {"method": "keep"}, "zip": {"method": "keep"},
      "note": {"method": "null"}, "seen": {"method": "null"}}',
    :'worst', '{"schema": "release_out", "attacks": ["exact"]}');
CALL sdc.release('staff');
RESET ROLE;
SELECT unnest(regexp_matches(sdc.report(max(release), 'markdown'),
              'Somebody who has learned all [^.]*[.][^.]*[.]'))
FROM sdc.release_history WHERE policy = 'staff';
SET ROLE regress_sdc_publisher;
-- Who has nobody's record, and knows what all that it could be have in common.
UPDATE staff SET income = 1000 * age, zip = 0;
SELECT sdc.create_policy('staff', 'release.staff',
    '{"income": {"method": "keep"}, "name": {"method": "null"},
      "salary": {"method": "null"}, "zip": {"method": "keep"},
      "note": {"method": "null"}, "seen": {"method": "null"}}',
    :'worst', '{"schema": "release_out", "attacks": ["exact"]}');
CALL sdc.release('staff');
RESET ROLE;
SELECT unnest(regexp_matches(sdc.report(max(release), 'markdown'),
              'Without finding [^.]*[.][^.]*[.]'))
FROM sdc.release_history WHERE policy = 'staff';
SET ROLE regress_sdc_publisher;
-- Who knows the rules is heard even where the policy does not ask for him.  (By
-- columns that the policy before has published he would know the salary.)
UPDATE staff SET salary = 1000 + id * id;
SELECT sdc.declare('staff', id => 'id', keys => '{salary}', sensitive => '{income}',
                   insensitive => '{name,seen,age,note,zip}');
SELECT sdc.create_policy('heard', 'release.staff',
    '{"income": {"method": "null"}, "name": {"method": "null"}, "age": {"method": "null"},
      "salary": {"method": "rank_swap", "p": 5}, "zip": {"method": "keep"},
      "note": {"method": "null"}, "seen": {"method": "null"}}',
    :'worst', '{"schema": "release_out", "table": "heard", "attacks": ["exact"]}');
CALL sdc.release('heard');
RESET ROLE;
SELECT unnest(regexp_matches(sdc.report(max(release), 'markdown'),
              'The attack likelihood, which the policy does not ask for'))
FROM sdc.release_history WHERE policy = 'heard';
SET ROLE regress_sdc_publisher;
SELECT sdc.declare('staff', id => 'id', keys => '{age}', sensitive => '{income}',
                   insensitive => '{name,seen,salary,note,zip}');
SELECT sdc.create_policy('staff', 'release.staff',
    '{"income": {"method": "keep"}, "name": {"method": "null"},
      "salary": {"method": "null"}, "zip": {"method": "keep"},
      "note": {"method": "null"}, "seen": {"method": "null"}}',
    '[{"attack": "attribute_linkage", "stat": "certain", "<=": 0.5}]',
    '{"schema": "release_out", "attacks": ["exact"]}');
CALL sdc.release('staff');
\set VERBOSITY default
-- Bounds of utility keep no risk back, nor does a lower bound of an attack.
SELECT staff_release(:'null', '[{"utility": "information_loss", "<=": 0.5},
                                {"measure": "records", ">=": 1},
                                {"measure": "k_anonymity", "<=": 500}]');
CALL sdc.release('staff');
SELECT staff_release(:'null', '[{"attack": "worst", ">=": 0.05}]');
-- Equal pseudonyms join the records of a person: two coarse columns tell nobody
-- by a record and everybody by all of his.
CREATE TABLE bought AS
SELECT i AS id, 1 + i % 40 AS customer, date '2026-01-01' + (i * 7919 % 101) % 4 * 30 AS day,
       'item ' || (i * 104729 % 103) % 5 AS item
FROM generate_series(1, 800) AS i;
SELECT sdc.declare('bought', id => 'id', identifiers => 'customer', keys => 'day,item');
SELECT sdc.create_policy('bought', 'bought',
    '{"customer": {"method": "pseudonym", "domain": "release", "format": "digits"}}',
    '[{"attack": "worst", "<=": 0.05}]',
    '{"schema": "release_out"}');
\set VERBOSITY sqlstate
CALL sdc.release('bought');
SELECT sdc.declare('bought', id => 'id', keys => 'day,item', insensitive => 'customer');
CALL sdc.release('bought');
SELECT sdc.declare('bought', id => 'id', person => 'customer', at => 'day', item => 'item');
CALL sdc.release('bought');
\set VERBOSITY default
SELECT r.status, g.value >= 0.9 AS found, left(r.reason, 120) AS reason
FROM sdc.releases('bought') AS r
LEFT JOIN jsonb_to_recordset(r.measures -> 0 -> 'gate') AS g(value float8) ON true
ORDER BY r.release;
-- Noise that is drawn for each row averages out over the rows of a person where
-- something ties them, and noise that has edges has a middle: plain SQL takes
-- whoever is nearest by one of them, and the gate finds no fewer.
CREATE TABLE stays AS
SELECT i AS id, 1 + i % 100 AS customer, (1 + i % 100) * 7919 % 997 AS income, (1 + i % 100) * 104729 % 1009 AS rent
FROM generate_series(1, 2000) AS i;
SELECT sdc.declare('stays', id => 'id', keys => 'income,rent', person => 'customer');
CREATE FUNCTION nearest(published regclass) RETURNS bigint LANGUAGE plpgsql STRICT AS $$
DECLARE
    found bigint;
BEGIN
    EXECUTE format('WITH o AS (SELECT customer::text, sdc.pseudonym(customer::text, ''release'', format => ''digits'') AS name, %1$s FROM stays GROUP BY 1),
            m AS (SELECT customer::text AS name, %1$s FROM %2$s GROUP BY 1)
        SELECT greatest(count(*) FILTER (WHERE mean = o.name), count(*) FILTER (WHERE middle = o.name)) FROM o CROSS JOIN LATERAL
            (SELECT (array_agg(name ORDER BY (m.i - o.i) ^ 2 + (m.r - o.r) ^ 2))[1] AS mean,
                (array_agg(name ORDER BY (m.mi - o.mi) ^ 2 + (m.mr - o.mr) ^ 2))[1] AS middle FROM m) AS said',
        'avg(income) AS i, avg(rent) AS r, (min(income) + max(income)) / 2.0 AS mi, (min(rent) + max(rent)) / 2.0 AS mr', published) INTO found;
    RETURN found;
END $$;
\set tied '{"customer": {"method": "pseudonym", "domain": "release", "format": "digits"}}'
SELECT sdc.create_policy('stays_' || name, 'stays', rules || jsonb_build_object('income', noise, 'rent', noise),
    jsonb_build_array(jsonb_build_object('attack', 'worst', '<=', bound)),
    jsonb_build_object('schema', 'release_out', 'table', 'stays_' || name))
FROM (VALUES ('mean', 'gaussian', :'tied'::jsonb, 1), ('middle', 'uniform', :'tied', 1),
          ('refused', 'gaussian', :'tied', 0.1), ('untied', 'gaussian', '{}', 0.1)) AS p (name, variant, rules, bound),
    jsonb_build_object('method', 'add_noise', 'alpha', 0.5, 'variant', variant) AS noise;
SET client_min_messages = error;
CALL sdc.release('stays_mean', seed => 5000000000000000001);
CALL sdc.release('stays_middle', seed => 5000000000000000001);
CALL sdc.release('stays_untied', seed => 5000000000000000001);
\set VERBOSITY sqlstate
CALL sdc.release('stays_refused', seed => 5000000000000000001);
\set VERBOSITY default
RESET client_min_messages;
SELECT p.name, r.status, g.passed, g.value > 0.2 AS told, g.value * 100 >= nearest(p.published) - 5 AS as_by_sql, g.detail ~ ('by the ' || p.name || ' of each column') AS named
FROM (VALUES ('mean', 'release_out.stays_mean'::regclass), ('middle', 'release_out.stays_middle'), ('refused', NULL), ('untied', NULL)) AS p (name, published),
    sdc.releases('stays_' || p.name) AS r, jsonb_to_recordset(r.measures -> 0 -> 'gate') AS g(requirement text, value float8, passed boolean, detail text)
WHERE g.requirement ~ 'worst' ORDER BY 1;
SELECT nearest('release_out.stays_mean') > 20 AS by_means, nearest('release_out.stays_middle') > 40 AS by_middles;
SELECT count(sdc.drop_policy('stays_' || name)) FROM unnest('{mean,middle,refused,untied}'::text[]) AS name;
-- So does a column that nobody has declared as the person, if the rows with one
-- of its values are alike in the keys; and where the person is withheld, rows of
-- one person that are alike are no crowd.
CREATE TABLE calls AS
SELECT i AS id, 1 + i % 60 AS account, 1 + i % 3 AS branch, 'z' || i % 60 % 53 AS zip, 20 + i % 60 * 31 % 47 AS age, i * 13 % 7 AS topic
FROM generate_series(1, 300) AS i;
CREATE FUNCTION told(policy text, OUT status text, OUT events float8, OUT how text) LANGUAGE sql AS $$
    SELECT r.status, (a ->> 'found')::float8, substring(g ->> 'detail' FROM 'Here .*')
    FROM sdc.releases(policy) AS r, jsonb_array_elements(r.measures -> 0 -> 'attacks') AS a, jsonb_array_elements(r.measures -> 0 -> 'gate') AS g
    WHERE a ->> 'attack' = 'events' AND g ->> 'requirement' ~ 'worst' ORDER BY r.release DESC LIMIT 1
$$;
\set noise '{"method": "add_noise", "alpha": 0.5}'
SELECT sdc.declare('stays', id => 'id', keys => 'income,rent', insensitive => 'customer');
SELECT sdc.create_policy('stays_account', 'stays', :'tied'::jsonb || jsonb_build_object('income', :'noise'::jsonb, 'rent', :'noise'::jsonb),
    '[{"attack": "worst", "<=": 0.1}]', '{"schema": "release_out", "table": "stays_account"}');
SELECT sdc.declare('calls', id => 'id', keys => 'zip,age', sensitive => 'topic', insensitive => 'branch', person => 'account');
SELECT sdc.create_policy('calls_withheld', 'calls', '{}', '[{"measure": "k_anonymity", ">=": 3}, {"attack": "worst", "<=": 0.5}]',
    '{"schema": "release_out", "table": "calls", "drop": ["account"]}');
SET client_min_messages = error;
\set VERBOSITY sqlstate
CALL sdc.release('stays_account', seed => 5000000000000000001);
CALL sdc.release('calls_withheld', seed => 5000000000000000001);
\set VERBOSITY default
SELECT policy, status, events > 0.4 AS told, how FROM unnest('{stays_account,calls_withheld}'::text[]) AS policy, told(policy);
-- check_release says the same, and leaves nothing behind
SELECT count(*) FROM sdc.mask('stays', :'tied'::jsonb || jsonb_build_object('income', :'noise'::jsonb, 'rent', :'noise'::jsonb), target => 'stays_masked', id => 'id', seed => 5000000000000000001);
CREATE TABLE calls_masked AS SELECT id, branch, zip, age, topic FROM calls;
SELECT c.requirement, c.passed, c.value > 0.4 AS told, substring(c.detail FROM 'Here .*') AS how
FROM (VALUES ('stays_account', 'stays_masked'::regclass), ('calls_withheld', 'calls_masked')) AS p (policy, masked), sdc.check_release(p.policy, p.masked, '{"seed": 1}') AS c;
SELECT count(*) AS left_behind FROM pg_class WHERE relname ~ '^sdc_staging_';
BEGIN READ ONLY;
SELECT detail ~ 'Rows of one person were not put together' AS says_so FROM sdc.check_release('calls_withheld', 'calls_masked', '{"seed": 1}') WHERE requirement ~ 'worst';
COMMIT;
-- a branch has rows of many people, and ties none
SELECT sdc.declare('calls', id => 'id', keys => 'zip,age', sensitive => 'topic', insensitive => 'branch,account');
SELECT sdc.create_policy('calls_branch', 'calls', '{"zip": {"method": "null"}, "age": {"method": "round_to", "base": 50}}', '[{"attack": "worst", "<=": 0.5}]',
    '{"schema": "release_out", "table": "calls_branch", "drop": ["account"], "apart": ["calls_withheld"]}');
CALL sdc.release('calls_branch', seed => 5000000000000000001);
SELECT status, (SELECT count(*) FROM jsonb_array_elements(measures -> 0 -> 'attacks') AS a WHERE a ->> 'attack' = 'events') AS events FROM sdc.releases('calls_branch');
-- an account is as good as a name, but not if one key tells it
SELECT sdc.create_policy('calls_' || name, 'calls', '{"zip": {"method": "null"}, "age": {"method": "add_noise", "alpha": 0.1}}', '[{"attack": "worst", "<=": 1}]',
    jsonb_build_object('schema', 'release_out', 'table', 'calls_' || name, 'keys', keys, 'drop', '{topic}'::text[], 'apart', '{calls_withheld,calls_branch,calls_kept}'::text[]))
FROM (VALUES ('kept', '{zip,age}'::text[]), ('town', '{age}')) AS p (name, keys);
CALL sdc.release('calls_kept', seed => 5000000000000000001);
UPDATE calls SET account = 100 + age;
CALL sdc.release('calls_town', seed => 5000000000000000001);
SELECT name, (SELECT count(*) FROM jsonb_array_elements(measures -> 0 -> 'attacks') AS a WHERE a ->> 'attack' = 'events') AS events
FROM unnest('{kept,town}'::text[]) AS name, sdc.releases('calls_' || name);
-- Members of a household are not alike, but all of them in order are: plain SQL
-- takes the households of which nobody else has the members.
CREATE TABLE homes AS
SELECT row_number() OVER () AS id, home, 'r' || home % 5 AS region, mix % 80 AS age, CASE WHEN mix / 80 % 2 = 0 THEN 'm' ELSE 'f' END AS sex
FROM generate_series(1, 150) AS home, generate_series(1, 4) AS member, LATERAL (SELECT (home * 48271 + member * 16807) % 65537 * 75 % 65537 AS mix) AS m;
SELECT sdc.declare('homes', id => 'id', keys => 'age,sex,region', household => 'home');
SELECT sdc.create_policy('homes', 'homes', '{"home": {"method": "pseudonym", "domain": "release", "format": "digits"}, "age": {"method": "round_to", "base": 20}}',
    '[{"attack": "worst", "<=": 0.3}]', '{"schema": "release_out", "table": "homes"}');
\set VERBOSITY sqlstate
CALL sdc.release('homes', seed => 5000000000000000001);
\set VERBOSITY default
SELECT count(*) FILTER (WHERE homes = 1) > 120 AS by_sql
FROM (SELECT count(*) AS homes FROM (SELECT home, region, array_agg(round(age / 20.0) || sex ORDER BY round(age / 20.0), sex) AS members FROM homes GROUP BY 1, 2) AS h GROUP BY region, members) AS k;
SELECT status, events > 0.7 AS told, how FROM told('homes');
-- Rows of a person over all nights that drew them anew.
CREATE TABLE nights (customer text, income float8, rent float8);
SELECT sdc.declare('stays', id => 'id', keys => 'income,rent', person => 'customer');
CREATE TABLE few AS SELECT * FROM stays WHERE id <= 800;
SELECT sdc.declare('few', id => 'id', keys => 'income,rent', person => 'customer');
SELECT sdc.create_policy('stays_fresh', 'few', :'tied'::jsonb || jsonb_build_object('income', :'noise'::jsonb, 'rent', :'noise'::jsonb),
    '[{"attack": "worst", "<=": 1}]', '{"schema": "release_out", "table": "few", "fresh": true, "apart": ["stays_account"]}');
CALL sdc.release('stays_fresh', seed => 5000000000000000001);
INSERT INTO nights SELECT customer::text, income, rent FROM release_out.few;
CALL sdc.release('stays_fresh', seed => 5000000000000000002);
INSERT INTO nights SELECT customer::text, income, rent FROM release_out.few;
CALL sdc.release('stays_fresh', seed => 5000000000000000003);
INSERT INTO nights SELECT customer::text, income, rent FROM release_out.few;
RESET client_min_messages;
SELECT by_sql > 40 AS by_sql, (a ->> 'found')::float8 * 100 >= by_sql - 10 AS as_by_sql
FROM (SELECT measures FROM sdc.releases('stays_fresh') ORDER BY release DESC LIMIT 1) AS r, jsonb_array_elements(measures -> 0 -> 'attacks') AS a,
    (SELECT count(*) FILTER (WHERE said = name) AS by_sql
     FROM (SELECT DISTINCT sdc.pseudonym(customer::text, 'release', format => 'digits') AS name, income, rent FROM few) AS o,
         LATERAL (SELECT m.customer AS said FROM (SELECT customer, avg(income) AS i, avg(rent) AS r FROM nights GROUP BY 1) AS m ORDER BY (m.i - o.income) ^ 2 + (m.r - o.rent) ^ 2 LIMIT 1) AS s) AS s
WHERE a ->> 'attack' = 'sequence';
SELECT count(sdc.drop_policy(policy)) FROM unnest('{stays_account,calls_withheld,calls_branch,calls_kept,calls_town,homes,stays_fresh}'::text[]) AS policy;
SELECT sdc.declare(name::regclass) FROM unnest('{calls,homes,few}'::text[]) AS name;
DROP FUNCTION told;
DROP TABLE stays_masked, calls_masked, nights;
SELECT sdc.declare('stays');
DROP FUNCTION nearest;
-- A minority of whom all is learned is told, also where that is less than is right
-- by saying the same of everybody.
CREATE TABLE ward AS
SELECT i AS id, 20 + i / 50 AS age,
       CASE WHEN i / 50 = 1 THEN 'HIV' WHEN i % 2 = 0 OR i % 5 = 0 THEN 'flu' ELSE 'cold' END AS disease
FROM generate_series(0, 499) AS i;
SELECT sdc.declare('ward', id => 'id', keys => 'age', sensitive => 'disease');
SELECT sdc.create_policy('ward', 'ward', '{"disease": {"method": "keep"}}', :'worst', '{"schema": "release_out"}');
CALL sdc.release('ward');
SELECT l.* FROM sdc.releases('ward') AS r,
    jsonb_to_recordset(r.measures -> 0 -> 'knowing' -> 'learned') AS l("column" text, found float8, certain float8, unusual float8, usual float8);
RESET ROLE;
SELECT unnest(regexp_matches(sdc.report(max(release), 'markdown'), 'Without finding.*?usual one'))
FROM sdc.release_history WHERE policy = 'ward';
SET ROLE regress_sdc_publisher;
SELECT sdc.drop_policy('ward');
SELECT sdc.declare('ward');
SELECT sdc.drop_policy('bought'), sdc.drop_policy('staff'), sdc.drop_policy('heard');
SELECT sdc.declare('bought'), sdc.declare('staff');

-- What was masked becomes the published table by another name where all of it is
-- published: a table as any other, of which the history knows the classes.
CREATE TABLE kinds AS
SELECT i AS id, nullif(i % 4, 0) AS k, nullif(i % 3, 0) = 1 AS b, i::smallint AS s, i::bigint AS l,
       (i / 3.0)::real AS r, CASE i WHEN 1 THEN 'NaN' WHEN 2 THEN 0 ELSE i / 7.0 END::float8 AS f, i / 4.0 AS n,
       'text ' || i AS t, ('v' || i % 5)::varchar(5) AS v, ('c' || i)::char(4) AS c,
       decode(repeat('0' || i % 8, i), 'hex') AS y, date '2026-01-01' + i AS d,
       timestamp '2026-01-01' + make_interval(mins => i) AS ts, timestamptz '2026-01-01 UTC' + make_interval(hours => i) AS tz,
       make_interval(days => i) AS iv, jsonb_build_object('a', i) AS j, ARRAY['x', 'y' || i] AS a,
       md5(i::text)::uuid AS u, CASE WHEN i < 10 THEN '' END AS e
FROM generate_series(1, 20) AS i;
SELECT sdc.declare('kinds', keys => 'k,b', nulls => 'wildcard', insensitive => 'id,s,l,r,f,n,t,v,c,y,d,ts,tz,iv,j,a,u,e');
SELECT sdc.create_policy('kinds', 'kinds', '{"n": {"method": "round_to", "base": 1}}', '[{"measure": "k_anonymity", ">=": 1}]',
    '{"schema": "release_out", "attacks": []}');
CALL sdc.release('kinds');
SELECT relname, relkind, relpersistence, relacl, relnatts, t.typname
FROM pg_class AS c JOIN pg_type AS t ON t.oid = c.reltype WHERE c.oid = 'release_out.kinds'::regclass;
SELECT relname FROM pg_class WHERE relnamespace = 'release_out'::regnamespace AND relname ~ 'sdc_';
SELECT measures -> 0 -> 'classes' AS classes, measures -> 0 -> 'classes' -> 'after' =
    (SELECT jsonb_object_agg(size, n) FROM (SELECT size, count(*) AS n FROM
     (SELECT count(*) AS size FROM release_out.kinds GROUP BY k, b) AS g GROUP BY size) AS h) AS as_counted
FROM sdc.releases('kinds');
-- A seal tells each value from every other, in each of the types, and the rows
-- themselves; not their order, nor the bits of a NaN.
CREATE FUNCTION intact_after(change text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    answer boolean;
BEGIN
    BEGIN
        EXECUTE change;
        SELECT v.intact INTO answer FROM sdc.releases('kinds') AS r, sdc.verify_release(r.release) AS v;
        RAISE SQLSTATE 'ZZ001';
    EXCEPTION WHEN SQLSTATE 'ZZ001' THEN
        RETURN answer;
    END;
END $$;
SELECT change, intact_after('UPDATE release_out.kinds SET ' || change) AS intact
FROM unnest(ARRAY['l = l', 'f = -f WHERE f = ''NaN''']) AS change;
SELECT intact_after('WITH gone AS (DELETE FROM release_out.kinds WHERE id < 9 RETURNING *)
    INSERT INTO release_out.kinds SELECT * FROM gone ORDER BY id DESC') AS another_order;
SELECT change AS not_noticed
FROM unnest(ARRAY['id = 99 WHERE id = 3', 'k = NULL WHERE id = 3', 'k = 3 WHERE id = 4', 'b = NOT b WHERE id = 4',
    's = -s WHERE id = 4', 'l = l + 4294967296 WHERE id = 4', 'r = r * 1.000001 WHERE id = 4', 'f = ''-0'' WHERE f = 0',
    'f = 0 WHERE id = 1', 'n = trim_scale(n) WHERE id = 4', 't = t || '' '' WHERE id = 4',
    't = t || left(v, 1), v = substr(v, 2) WHERE id = 4', 'v = NULL WHERE id = 4', 'c = upper(c) WHERE id = 4',
    'y = y || ''\x00'' WHERE id = 4', 'd = d - 1 WHERE id = 4', 'ts = ts + interval ''1 microsecond'' WHERE id = 4',
    'tz = tz - interval ''1 microsecond'' WHERE id = 4', 'iv = make_interval(hours => 24 * 4) WHERE id = 4',
    'j = j || ''{"b": 1}'' WHERE id = 4', 'a = ARRAY[''x,y4''] WHERE id = 4', 'u = md5(u::text)::uuid WHERE id = 4',
    'e = NULL WHERE id = 4', 'e = '''' WHERE id = 12', 'id = 7 - id WHERE id IN (3, 4)']) AS change
WHERE intact_after('UPDATE release_out.kinds SET ' || change);
SELECT intact_after('DELETE FROM release_out.kinds WHERE id = 4') AS one_less,
       intact_after('INSERT INTO release_out.kinds SELECT * FROM release_out.kinds WHERE id = 4') AS one_twice;
-- Published again its rows are replaced; of fewer columns they are written anew.
SELECT 'release_out.kinds'::regclass::oid AS kinds \gset
CALL sdc.release('kinds');
SELECT :kinds = 'release_out.kinds'::regclass::oid AS same_table;
SELECT sdc.create_policy('kinds', 'kinds', '{"n": {"method": "round_to", "base": 1}}', '[{"measure": "k_anonymity", ">=": 1}]',
    '{"schema": "release_out", "attacks": [], "drop": ["e"]}');
CALL sdc.release('kinds');
SELECT :kinds <> 'release_out.kinds'::regclass::oid AS new_table, relpersistence, relnatts,
       (SELECT count(*) FROM pg_attribute AS d WHERE d.attrelid = c.oid AND d.attisdropped) AS dropped
FROM pg_class AS c WHERE c.oid = 'release_out.kinds'::regclass;
SELECT v.intact FROM (SELECT max(release) AS release FROM sdc.releases('kinds')) AS r, sdc.verify_release(r.release) AS v;
SELECT sdc.drop_policy('kinds');
SELECT sdc.declare('kinds');
DROP FUNCTION intact_after;

-- Classes of k that a column beside the keys takes apart are none: who asks for
-- them and bounds no attack is held to two in k; his own bound comes first.
CREATE TABLE classes AS
SELECT i AS id, i * 7919 % 1009 AS income, i * 7919 % 1009 * 3 + 7 AS tax,
       i * 31 % 7 AS ward
FROM generate_series(1, 300) AS i;
SELECT sdc.declare('classes', id => 'id', keys => '{income}', insensitive => '{tax,ward}');
CREATE FUNCTION pg_temp.classes(params jsonb, more jsonb DEFAULT '[]') RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy('classes', 'classes', '{"income": {"method": "microaggregate", "k": 5}}',
    '[{"measure": "k_anonymity", ">=": 5}]' || more,
    '{"schema": "release_out", "attacks": ["exact", "likelihood"]}' || params)
$$;
\set VERBOSITY sqlstate
SELECT pg_temp.classes('{}');
CALL sdc.release('classes');
SELECT pg_temp.classes('{"drop": ["tax"]}');
CALL sdc.release('classes');
SELECT pg_temp.classes('{}', '[{"attack": "worst", "<=": 1}]');
CALL sdc.release('classes', 'release_out.classes_own');
SELECT pg_temp.classes('{"attacks": []}');
CALL sdc.release('classes', 'release_out.classes_none');
\set VERBOSITY default
SELECT status, g.requirement, g.passed, g.value > 0.9 AS nearly_all, g.value <= 0.25 AS few
FROM sdc.releases('classes') AS r, LATERAL jsonb_to_recordset(r.measures -> 0 -> 'gate')
    AS g(requirement text, value float8, passed boolean)
WHERE g.requirement ~ 'worst' ORDER BY release, 2;
SELECT string_agg(status, ' ' ORDER BY release) FROM sdc.releases('classes');
SELECT sdc.drop_policy('classes');
SELECT sdc.declare('classes');

RESET ROLE;
SET client_min_messages = warning;
SELECT sdc.forget_pseudonyms('release') AS forgotten;
SELECT sdc.declare('release.people');
SELECT sdc.declare('release.visits');
SELECT sdc.drop_policy('both');
DROP SCHEMA release CASCADE;
DROP SCHEMA release_out CASCADE;
DELETE FROM sdc.release_history WHERE owner = 'regress_sdc_publisher';
DROP OWNED BY regress_sdc_publisher, regress_sdc_public, regress_sdc_boss;
DROP ROLE regress_sdc_publisher, regress_sdc_public, regress_sdc_boss;
