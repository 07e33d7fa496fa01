-- transparency: the intruder who knows how the file was masked.

CREATE TYPE sdc.candidate_set AS (
    id text,
    subject text,
    method text,
    candidates bigint,
    contains_own boolean,
    exact boolean);

COMMENT ON TYPE sdc.candidate_set IS
'how many masked records a record can have become by what is known of the masking of a column, or of all (subject *); whether its own is among them, and whether it must be';

CREATE FUNCTION sdc.candidate_sets(
    original regclass,
    masked regclass,
    rules jsonb,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.candidate_set
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_candidate_sets';

COMMENT ON FUNCTION sdc.candidate_sets(regclass, regclass, jsonb, name, sdc.columns, jsonb) IS
'the sets of masked records that each record can have become, judged by each key whose masking rules are known, and their intersection; params: p_bound, delta, map';

CREATE FUNCTION sdc.attack_transparency(
    original regclass,
    masked regclass,
    rules jsonb,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_transparency';

COMMENT ON FUNCTION sdc.attack_transparency(regclass, regclass, jsonb, name, sdc.columns, jsonb, bigint) IS
'links each record to the masked records that it can have become by rules that are known, then to the nearest of these; params: p_bound, delta, map, max_candidates';

CREATE FUNCTION sdc.attack_likelihood(
    original regclass,
    masked regclass,
    rules jsonb DEFAULT NULL,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_likelihood';

COMMENT ON FUNCTION sdc.attack_likelihood(regclass, regclass, jsonb, name, sdc.columns, jsonb, bigint) IS
'links each record to the masked records that it most likely became by rules that are known, one to one, with the chance of each; params: assignment one_to_one or none, max_candidates, map, error, nulls value or unknown, ranks likelier, masked or original, whole, estimate, released, room, work';
