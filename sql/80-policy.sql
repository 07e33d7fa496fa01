-- policy: how tables are masked, and what a release of them must satisfy.

CREATE TABLE sdc.policy (
    policy text PRIMARY KEY,
    owner name NOT NULL,
    created timestamptz NOT NULL,
    copy jsonb);

COMMENT ON TABLE sdc.policy IS
'the policies of this database; written by create_policy and drop_policy only';
COMMENT ON COLUMN sdc.policy.policy IS
'name of the policy';
COMMENT ON COLUMN sdc.policy.owner IS
'role that created it, and the only one that releases by it';
COMMENT ON COLUMN sdc.policy.created IS
'when it was created first';
COMMENT ON COLUMN sdc.policy.copy IS
'how a schema is copied, as create_copy wrote it: schema, target, rules, params, what was decided of each column, and the copy that was made last; NULL: it is not';

CREATE TABLE sdc.policy_relation (
    policy text NOT NULL,
    relation regclass NOT NULL,
    place integer NOT NULL,
    rules jsonb NOT NULL,
    constraints jsonb NOT NULL,
    params jsonb,
    columns jsonb NOT NULL,
    changed timestamptz NOT NULL,
    PRIMARY KEY (policy, relation));

COMMENT ON TABLE sdc.policy_relation IS
'the tables of each policy; written by create_policy and drop_policy only';
COMMENT ON COLUMN sdc.policy_relation.place IS
'order of the tables within the policy, from 1';
COMMENT ON COLUMN sdc.policy_relation.rules IS
'how its columns are masked, as it was given';
COMMENT ON COLUMN sdc.policy_relation.constraints IS
'what its masked form must satisfy, as it was given';
COMMENT ON COLUMN sdc.policy_relation.params IS
'what else was given: id, keys, sensitive, schema, table, drop, attacks, p';
COMMENT ON COLUMN sdc.policy_relation.columns IS
'its columns and their types when the policy was written: an array of objects with name and type';
COMMENT ON COLUMN sdc.policy_relation.changed IS
'when this was written';

CREATE TABLE sdc.policy_key (
    policy text PRIMARY KEY,
    key bytea NOT NULL);

COMMENT ON TABLE sdc.policy_key IS
'the key that signs the releases of a policy, made by its first release; not dumped';
COMMENT ON COLUMN sdc.policy_key.key IS
'32 bytes; no role but the owner of the extension may read them';

-- Nobody but the owner of the extension reads or writes the tables; functions
-- show each role the policies that are its own.
REVOKE ALL ON sdc.policy, sdc.policy_relation, sdc.policy_key FROM PUBLIC;

-- As with the keys of pseudonyms, pg_read_all_data is not enough.
ALTER TABLE sdc.policy_key ENABLE ROW LEVEL SECURITY;

-- A row whose table was dropped is not dumped: its number could be that of
-- another table where the dump is restored.
SELECT pg_catalog.pg_extension_config_dump('sdc.policy', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.policy_relation',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid OPERATOR(pg_catalog.=) relation)');

CREATE FUNCTION sdc.create_policy(
    policy text,
    relation regclass,
    rules jsonb,
    constraints jsonb,
    params jsonb DEFAULT NULL)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_create_policy';

COMMENT ON FUNCTION sdc.create_policy(text, regclass, jsonb, jsonb, jsonb) IS
'writes how a table is masked for release and what the masked table must satisfy, in place of what the policy said of it; another call adds another table';

CREATE FUNCTION sdc.create_policy(policy jsonb)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_create_policy_json';

COMMENT ON FUNCTION sdc.create_policy(jsonb) IS
'writes a whole policy as policy_json gives it, in place of the one of that name';

CREATE FUNCTION sdc.drop_policy(policy text)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_drop_policy';

COMMENT ON FUNCTION sdc.drop_policy(text) IS
'drops a policy; only its owner and superusers may; its releases stay in the history';

CREATE FUNCTION sdc.policy_json(policy text)
RETURNS jsonb
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_policy_json';

COMMENT ON FUNCTION sdc.policy_json(text) IS
'a policy as one document, for version control; create_policy takes it back';

CREATE TYPE sdc.gate_result AS (
    relation regclass,
    place integer,
    requirement text,
    value float8,
    bound float8,
    passed boolean,
    detail text);

COMMENT ON TYPE sdc.gate_result IS
'one constraint of a policy: the table it is for, its position, what it asks for, the value found, the bound, whether it holds, and the same in a sentence; a value that could not be found does not pass';

CREATE FUNCTION sdc.check_release(
    policy text,
    masked regclass,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.gate_result
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_check_release';

COMMENT ON FUNCTION sdc.check_release(text, regclass, jsonb) IS
'measures a masked table against the constraints of a policy without publishing it; params: relation (which table of the policy), seed';

REVOKE ALL ON FUNCTION
    sdc.create_policy(text, regclass, jsonb, jsonb, jsonb),
    sdc.create_policy(jsonb),
    sdc.drop_policy(text),
    sdc.policy_json(text),
    sdc.check_release(text, regclass, jsonb) FROM PUBLIC;
