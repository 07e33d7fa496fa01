-- probabilistic_linkage: the intruder who learns which agreements count.

CREATE TYPE sdc.linkage_field AS (
    field text,
    level integer,
    agreement text,
    share float8,
    m float8,
    u float8,
    weight float8,
    m_low float8,
    m_high float8);

COMMENT ON TYPE sdc.linkage_field IS
'a level of agreement of a field: share of all pairs that have it, of matches (m, with its interval of 95 percent) and of other pairs (u), and log2(m/u); field "*" has the share of pairs that match and the weights of links and non-links';

CREATE TYPE sdc.linkage_pattern AS (
    pattern text,
    pairs bigint,
    m float8,
    u float8,
    weight float8,
    posterior float8,
    class text);

COMMENT ON TYPE sdc.linkage_pattern IS
'a pattern of agreement (the level of each key, - where a value is missing), how many pairs have it, its probability in matches (m) and other pairs (u), log2(m/u), the probability that such a pair is a match, and link, clerical or non-link';

CREATE FUNCTION sdc.estimate_linkage(
    original regclass,
    masked regclass,
    keys sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.linkage_field
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_estimate_linkage';

COMMENT ON FUNCTION sdc.estimate_linkage(regclass, regclass, sdc.columns, jsonb, bigint) IS
'what each level of agreement of each key says about a match, estimated by EM without knowing any match (Fellegi and Sunter)';

CREATE FUNCTION sdc.linkage_patterns(
    original regclass,
    masked regclass,
    keys sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.linkage_pattern
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_linkage_patterns';

COMMENT ON FUNCTION sdc.linkage_patterns(regclass, regclass, sdc.columns, jsonb, bigint) IS
'the patterns of agreement that occur, the likeliest matches first, each classified by the two error rates';

CREATE FUNCTION sdc.attack_probabilistic(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_probabilistic';

COMMENT ON FUNCTION sdc.attack_probabilistic(regclass, regclass, name, sdc.columns, jsonb, bigint) IS
'probabilistic record linkage: each record is linked to those that are likeliest to be the same person, by agreements that EM has weighed, or (params.assignment) one to one';
