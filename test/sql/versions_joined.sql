-- versions_joined: what keys tell that a policy does not publish, and what
-- is published of them elsewhere.

\set VERBOSITY terse
\set SHOW_CONTEXT never
SET sdc.progress_interval = 0;
SET client_min_messages = warning;
CREATE SCHEMA versions_joined;
CREATE SCHEMA versions_joined_out;
SET search_path = versions_joined;

-- Noise hides a and b; c and d are different in each row, e goes with c, and g
-- is generated from c.
CREATE TABLE people (id text PRIMARY KEY, a float8, b float8, c float8 NOT NULL,
    d text NOT NULL, e float8, g float8 GENERATED ALWAYS AS (c + 1) STORED);
INSERT INTO people
SELECT 'p' || i, (i * 7919 % 401)::float8, (i * 104729 % 409)::float8,
       i * 31 % 307, 'd' || i, 2 * (i * 31 % 307) + i % 7
FROM generate_series(1, 300) AS i;
SELECT sdc.declare('people', id => 'id', keys => '{a,b,c,d}', sensitive => '{e,g}');
CREATE FUNCTION policy(name text, of_params jsonb, rules jsonb DEFAULT '{}',
                       bound float8 DEFAULT 1) RETURNS void LANGUAGE sql AS $$
SELECT sdc.create_policy(name, 'people',
    '{"id": {"method": "pseudonym", "domain": "joined"},
      "a": {"method": "add_noise", "alpha": 2},
      "b": {"method": "add_noise", "alpha": 2}}' || rules,
    jsonb_build_array(jsonb_build_object('attack', 'worst', '<=', bound)),
    jsonb_build_object('schema', 'versions_joined_out', 'table', name,
        'attacks', '{distance,likelihood}'::text[]) || of_params) $$;
CREATE FUNCTION found(name text, wanted text) RETURNS float8 LANGUAGE sql AS $$
SELECT (a ->> 'found')::float8 FROM sdc.releases(name) AS r,
       jsonb_array_elements(r.measures -> 0 -> 'attacks') AS a
WHERE a ->> 'attack' = wanted ORDER BY r.release DESC LIMIT 1 $$;
CREATE FUNCTION columns(name text) RETURNS text LANGUAGE sql AS $$
SELECT string_agg(attname, ' ' ORDER BY attname) FROM pg_attribute
WHERE attrelid = ('versions_joined_out.' || name)::regclass AND attnum > 0 $$;

-- Keys that are dropped are compared with nothing, and the release passes.
SELECT policy('dropped', '{"drop": ["c", "d", "e", "g"]}', bound => 0.15);
CALL sdc.release('dropped');
SELECT status, columns(policy) FROM sdc.releases('dropped');
-- With a rule of its own as well, and when one of them is published it counts.
SELECT policy('noisy', '{"drop": ["c", "d", "e", "g"], "apart": ["dropped"]}',
              '{"c": {"method": "add_noise", "alpha": 0.001}}', 0.15);
CALL sdc.release('noisy');
SELECT policy('shown', '{"drop": ["d", "e", "g"], "apart": ["dropped", "noisy"]}');
CALL sdc.release('shown');
SELECT found('noisy', 'likelihood') < 0.15 AS noisy_hides,
       found('shown', 'likelihood') > 0.9 AS shown_tells;
-- What goes with a dropped key is told by it: e of c.  Who does not know c
-- finds nobody by e.
SELECT policy('beside', '{"drop": ["c", "d", "g"], "apart": ["dropped", "noisy", "shown"]}');
CALL sdc.release('beside');
SELECT policy('unknown', '{"drop": ["c", "d", "g"], "keys": ["a", "b"],
                           "apart": ["dropped", "noisy", "shown", "beside"]}');
CALL sdc.release('unknown');
SELECT found('beside', 'likelihood') > 0.3 AS told,
       found('unknown', 'likelihood') < 0.15 AS not_told;
-- What is generated from a dropped key is what it was, and tells everything.
SELECT policy('generated', '{"drop": ["c", "d", "e"], "apart": ["dropped", "noisy", "shown",
                             "beside", "unknown"]}');
CALL sdc.release('generated');
SELECT count(*) AS rows, count(g) AS known FROM versions_joined_out.generated;
SELECT found('generated', 'likelihood') > 0.9 AS generated_tells;
-- A key that was published once, as it is or with a little noise, is out there.
SELECT policy('shown', '{"drop": ["c", "d", "e", "g"], "apart": ["dropped", "noisy", "beside",
                         "unknown", "generated"]}');
CALL sdc.release('shown');
SELECT found('shown', 'likelihood') < 0.15 AS hides_now,
       found('shown', 'sequence') > 0.9 AS told_then;
SELECT columns('shown');

-- The end.
SELECT count(sdc.drop_policy(p)) FROM unnest('{dropped,noisy,shown,beside,unknown,generated}'::text[]) AS p;
DELETE FROM sdc.release_value WHERE part IN (SELECT part FROM sdc.release_part
    WHERE relation::oid IN ('people'::regclass));
DELETE FROM sdc.release_part WHERE relation::oid IN ('people'::regclass);
DROP SCHEMA versions_joined, versions_joined_out CASCADE;
SELECT sdc.forget_pseudonyms('joined') AS forgotten;
