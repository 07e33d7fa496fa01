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
'whether a seed was given; whoever knows the seed and the key of the policy can repeat the release';
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
'whether each table that a release published is still the same table, with the same owner, columns and rows, and whether the signature of the history is valid; reads the tables once; for roles that see the release in releases and may read the tables';

REVOKE ALL ON FUNCTION sdc.verify_release(bigint) FROM PUBLIC;
REVOKE ALL ON PROCEDURE sdc.release(text, text, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION sdc.releases(text) FROM PUBLIC;

-- versions: what a policy remembers of what it published.

CREATE SEQUENCE sdc.release_part_number;

COMMENT ON SEQUENCE sdc.release_part_number IS
'numbers of parts, see release_part';

CREATE TABLE sdc.release_part (
    part bigint PRIMARY KEY,
    policy text NOT NULL,
    relation regclass NOT NULL,
    owner name NOT NULL,
    mark text NOT NULL,
    rules jsonb NOT NULL,
    nulls text NOT NULL,
    columns text[] NOT NULL,
    types text[] NOT NULL,
    widths float8[] NOT NULL,
    name text NOT NULL,
    strata text[] NOT NULL,
    numbers int2[] NOT NULL);

COMMENT ON TABLE sdc.release_part IS
'columns that a policy masks together by chance; written by release only, not dumped';
COMMENT ON COLUMN sdc.release_part.mark IS
'number that tells the keys of the policy apart';
COMMENT ON COLUMN sdc.release_part.rules IS
'the rules of these columns: others are another part';
COMMENT ON COLUMN sdc.release_part.nulls IS
'what the declaration said that NULL means; empty when it said nothing';
COMMENT ON COLUMN sdc.release_part.types IS
'the types of the masked columns';
COMMENT ON COLUMN sdc.release_part.widths IS
'how far a number must move for its masked value to be drawn anew; 0: any change is enough';

COMMENT ON COLUMN sdc.release_part.strata IS
'the columns that part the rows before they are masked';
COMMENT ON COLUMN sdc.release_part.numbers IS
'the numbers of columns and strata, by which those that were renamed are found';
COMMENT ON COLUMN sdc.release_part.name IS
'the name of the relation: another one that takes its name in the policy goes on with its values';

CREATE TABLE sdc.release_value (
    part bigint NOT NULL,
    person bytea NOT NULL,
    cell bytea NOT NULL,
    first bigint NOT NULL,
    last bigint,
    drawn bigint NOT NULL,
    value text[] NOT NULL,
    whose bytea[]);

CREATE INDEX release_value_of_person ON sdc.release_value (part, person);

-- A publication FOR ALL TABLES would not let rows be closed without one.
ALTER TABLE sdc.release_value REPLICA IDENTITY FULL;

COMMENT ON TABLE sdc.release_value IS
'the masked values of the versions that are kept; written by release only, not dumped';
COMMENT ON COLUMN sdc.release_value.person IS
'keyed digest of the id';
COMMENT ON COLUMN sdc.release_value.cell IS
'a keyed digest of the original values, numbers up to the width of the part';
COMMENT ON COLUMN sdc.release_value.first IS
'the first release that published it';
COMMENT ON COLUMN sdc.release_value.last IS
'the first release after it that did not; NULL: the latest did';
COMMENT ON COLUMN sdc.release_value.drawn IS
'the release that drew it';
COMMENT ON COLUMN sdc.release_value.value IS
'the masked columns as text';
COMMENT ON COLUMN sdc.release_value.whose IS
'keyed digests of what ties the row to others: the person, the household or an account; NULL: nothing that is published does';

CREATE TABLE sdc.release_finding (
    policy text,
    relation regclass,
    owner name,
    release bigint,
    question jsonb NOT NULL,
    rows bigint NOT NULL,
    marks bytea NOT NULL,
    found jsonb NOT NULL,
    PRIMARY KEY (policy, relation, owner, release));

COMMENT ON TABLE sdc.release_finding IS
'what attacks found of releases, carried over to later ones that change little; written by release only, not dumped';
COMMENT ON COLUMN sdc.release_finding.question IS
'the rules, keys and meaning of NULL that the attacks were run with';
COMMENT ON COLUMN sdc.release_finding.marks IS
'sums of keyed digests of the rows, by which changed ones are counted';
COMMENT ON COLUMN sdc.release_finding.found IS
'the figures of each attack, and what an intruder with less knowledge finds';

CREATE TABLE sdc.release_basis (
    policy text NOT NULL,
    owner name NOT NULL,
    target text,
    release bigint,
    hierarchies jsonb NOT NULL,
    sample jsonb NOT NULL,
    PRIMARY KEY (release, target));

COMMENT ON TABLE sdc.release_basis IS
'what a release was made from, to tell what its rules made when they are others; written by release only, not dumped';
COMMENT ON COLUMN sdc.release_basis.target IS
'the published table';
COMMENT ON COLUMN sdc.release_basis.hierarchies IS
'the contents of the hierarchies that its rules name, unless they are those of the release before';
COMMENT ON COLUMN sdc.release_basis.sample IS
'keyed digests of some persons, and of the values that they had';

REVOKE ALL ON sdc.release_part, sdc.release_value, sdc.release_finding,
    sdc.release_basis
FROM PUBLIC;
REVOKE ALL ON SEQUENCE sdc.release_part_number FROM PUBLIC;

-- What is carried over into a restored database has numbers below.
SELECT pg_catalog.pg_extension_config_dump('sdc.release_part_number', '');

CREATE FUNCTION sdc.release_digest(
    policy text,
    subject text,
    person text,
    exact text,
    number float8[],
    width float8[])
RETURNS bytea
LANGUAGE c STABLE PARALLEL UNSAFE COST 200
AS 'MODULE_PATHNAME', 'sdcf_release_digest';

COMMENT ON FUNCTION sdc.release_digest(text, text, text, text, float8[], float8[]) IS
'digest of a person and the person''s values, keyed by the policy, numbers rounded to a width; for the owner of the policy';

CREATE FUNCTION sdc.release_cells(
    policy text,
    layout bigint[],
    width float8[],
    number float8[],
    source record)
RETURNS bytea
LANGUAGE c STABLE PARALLEL UNSAFE COST 1000
AS 'MODULE_PATHNAME', 'sdcf_release_cells';

COMMENT ON FUNCTION sdc.release_cells(text, bigint[], float8[], float8[], record) IS
'digests of all parts of a row one behind the other, as release_digest makes them one by one; for the owner of the policy';

CREATE FUNCTION sdc.release_values(
    policy text,
    relation regclass,
    persons bytea[] DEFAULT NULL)
RETURNS TABLE (
    part bigint,
    person bytea,
    cell bytea,
    first bigint,
    last bigint,
    drawn bigint,
    value text[],
    whose bytea[])
LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 100000
AS 'MODULE_PATHNAME', 'sdcf_release_values';

COMMENT ON FUNCTION sdc.release_values(text, regclass, bytea[]) IS
'what a policy remembers of what it published of a table, of all or of some persons; for the owner of the policy';

CREATE FUNCTION sdc.release_rows(
    policy text,
    relation regclass,
    parts bigint[])
RETURNS TABLE (
    person bytea,
    found integer,
    cells bytea,
    drawn bigint[],
    value text[])
LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 100000
AS 'MODULE_PATHNAME', 'sdcf_release_rows';

COMMENT ON FUNCTION sdc.release_rows(text, regclass, bigint[]) IS
'what a policy remembers as published of some of its parts, person by person where it lies side by side; for the owner of the policy';
