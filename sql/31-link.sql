-- link: attacks that link the records of two files, and their success.

CREATE TYPE sdc.link AS (
    id text,
    linked_id text,
    candidates bigint,
    probability float8,
    distance float8,
    certain boolean,
    correct boolean);

COMMENT ON TYPE sdc.link IS
'one candidate that an attack links a record to; the probabilities of a record add up to 1, and linked_id is null for what is linked to nobody named';

CREATE FUNCTION sdc.attack_distance(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    variant text DEFAULT 'euclidean',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_distance';

COMMENT ON FUNCTION sdc.attack_distance(regclass, regclass, name, sdc.columns, text, jsonb, bigint) IS
'links each record to the nearest records of the other file, with all ties; variant euclidean, mahalanobis, wm, owa, choquet, choquet2, bilinear or gower; params: direction to_masked or to_original, max_candidates, map, assignment none or one_to_one, scale masked, pooled, rank, robust or own, rules, and the parameters of the variant';

CREATE TYPE sdc.reid_summary AS (
    records bigint,
    reid_d float8,
    reid_k float8,
    k_reid float8,
    claimed float8,
    claim_precision float8);

COMMENT ON TYPE sdc.reid_summary IS
'success of an attack, as shares of the records: right unique links, mean probability of the right record, links right and known to be right, links claimed to be certain, and how many of these are right';

CREATE FUNCTION sdc_internal.reid_accum(
    state float8[],
    links sdc.link)
RETURNS float8[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_reid_accum';

COMMENT ON FUNCTION sdc_internal.reid_accum(float8[], sdc.link) IS
'transition function of the aggregate reid';

CREATE FUNCTION sdc_internal.reid_combine(
    state float8[],
    other float8[])
RETURNS float8[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_reid_combine';

COMMENT ON FUNCTION sdc_internal.reid_combine(float8[], float8[]) IS
'combine function of the aggregate reid';

CREATE FUNCTION sdc_internal.reid_final(state float8[])
RETURNS sdc.reid_summary
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_reid_final';

COMMENT ON FUNCTION sdc_internal.reid_final(float8[]) IS
'final function of the aggregate reid';

CREATE AGGREGATE sdc.reid(links sdc.link) (
    SFUNC = sdc_internal.reid_accum,
    STYPE = float8[],
    INITCOND = '{}',
    COMBINEFUNC = sdc_internal.reid_combine,
    FINALFUNC = sdc_internal.reid_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.reid(sdc.link) IS
'success of an attack, from all of its links: Reid_d, Reid_k, K.Reid and the precision of what it claims';
