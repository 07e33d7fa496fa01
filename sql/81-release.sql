-- release: masked copies that are published, and the history of them.

CREATE SEQUENCE sdc.release_number;

COMMENT ON SEQUENCE sdc.release_number IS
'numbers of releases';

CREATE TABLE sdc.release_history (
    release bigint PRIMARY KEY,
    policy text NOT NULL,
    owner name NOT NULL,
    released_by name NOT NULL,
    status text NOT NULL,
    started timestamptz NOT NULL,
    finished timestamptz,
    snapshot text,
    relations jsonb NOT NULL,
    measures jsonb,
    reason text,
    seeded boolean,
    signature text,
    tables regclass[],
    CHECK (status OPERATOR(pg_catalog.=) ANY (ARRAY['running', 'published',
        'refused', 'failed', 'interrupted'])));

COMMENT ON TABLE sdc.release_history IS
'every run of release, whatever became of it; written by release only';
COMMENT ON COLUMN sdc.release_history.release IS
'number of the run';
COMMENT ON COLUMN sdc.release_history.policy IS
'name of the policy, which may have been dropped since';
COMMENT ON COLUMN sdc.release_history.owner IS
'owner of the policy at that time';
COMMENT ON COLUMN sdc.release_history.released_by IS
'role that had logged in when release was called';
COMMENT ON COLUMN sdc.release_history.status IS
'running, published, refused by the gate or by drift, failed with an error, or interrupted: ended by a crash';
COMMENT ON COLUMN sdc.release_history.snapshot IS
'the snapshot of the database that was masked, as pg_current_snapshot shows it';
COMMENT ON COLUMN sdc.release_history.seeded IS
'was a seed given? Then who knows it, and the key of the policy, can repeat the release';
COMMENT ON COLUMN sdc.release_history.relations IS
'for each table an object: relation, target, rules, constraints, params, columns (what it had), published (columns), rows; of what was published owner, definition and digest: digests of its columns and of its rows';
COMMENT ON COLUMN sdc.release_history.measures IS
'for each table an object: relation, gate (the results of its constraints), before and after (measures of risk), classes, attacks, disclosure, utility';
COMMENT ON COLUMN sdc.release_history.reason IS
'why nothing was published, in a sentence';
COMMENT ON COLUMN sdc.release_history.signature IS
'HMAC-SHA-256 of relations and measures with the key of the policy, in hexadecimal';
COMMENT ON COLUMN sdc.release_history.tables IS
'the tables that were published, in the order of relations';

REVOKE ALL ON sdc.release_history FROM PUBLIC;
REVOKE ALL ON SEQUENCE sdc.release_number FROM PUBLIC;

SELECT pg_catalog.pg_extension_config_dump('sdc.release_history', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.release_number', '');

CREATE TYPE sdc.release_record AS (
    release bigint,
    policy text,
    status text,
    released_by name,
    started timestamptz,
    finished timestamptz,
    snapshot text,
    relations jsonb,
    measures jsonb,
    reason text,
    seeded boolean,
    signature text);

COMMENT ON TYPE sdc.release_record IS
'one run of release: who, when, which snapshot, tables with their rules, whether a seed was given, measures, what became of it, and its signature';

CREATE PROCEDURE sdc.release(
    policy text,
    target text DEFAULT NULL,
    seed bigint DEFAULT NULL)
LANGUAGE c
AS 'MODULE_PATHNAME', 'sdcf_release';

COMMENT ON PROCEDURE sdc.release(text, text, bigint) IS
'masks the tables of a policy, attacks and measures the result, and publishes it if every constraint holds; otherwise nothing is published and the history says why';

CREATE FUNCTION sdc.releases(policy text)
RETURNS SETOF sdc.release_record
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_releases';

COMMENT ON FUNCTION sdc.releases(text) IS
'the history of a policy, first release first: for its owner, and for roles that may read sdc.release_history';

CREATE TYPE sdc.release_verdict AS (
    target text,
    rows bigint,
    intact boolean,
    detail text);

COMMENT ON TYPE sdc.release_verdict IS
'a table that a release published: its name, how many rows were published, whether it is still what was published, and why not';

CREATE FUNCTION sdc.verify_release(release bigint)
RETURNS SETOF sdc.release_verdict
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_verify_release';

COMMENT ON FUNCTION sdc.verify_release(bigint) IS
'is each table that a release published still that very table, with its owner, columns and rows, and is the signature of the history right? Reads the tables once; for whom releases shows the release, with the right to read the tables';

REVOKE ALL ON FUNCTION sdc.verify_release(bigint) FROM PUBLIC;
REVOKE ALL ON PROCEDURE sdc.release(text, text, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION sdc.releases(text) FROM PUBLIC;
