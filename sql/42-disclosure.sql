-- disclosure: how many values, and which people, a masked file gives away.

CREATE FUNCTION sdc_internal.disclosure_accum(
    state bytea,
    value_original float8,
    value_masked float8,
    p float8)
RETURNS bytea
LANGUAGE c IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_disclosure_accum';

COMMENT ON FUNCTION sdc_internal.disclosure_accum(bytea, float8, float8, float8) IS
'transition function of the aggregates rank_disclosure and interval_disclosure';

CREATE FUNCTION sdc_internal.disclosure_combine(
    state bytea,
    other bytea)
RETURNS bytea
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_disclosure_combine';

COMMENT ON FUNCTION sdc_internal.disclosure_combine(bytea, bytea) IS
'combine function of the aggregates rank_disclosure and interval_disclosure';

CREATE FUNCTION sdc_internal.rid_final(state bytea)
RETURNS float8
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_rid_final';

COMMENT ON FUNCTION sdc_internal.rid_final(bytea) IS
'final function of the aggregate rank_disclosure';

CREATE FUNCTION sdc_internal.sdid_final(state bytea)
RETURNS float8
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_sdid_final';

COMMENT ON FUNCTION sdc_internal.sdid_final(bytea) IS
'final function of the aggregate interval_disclosure';

CREATE AGGREGATE sdc.rank_disclosure(
    value_original float8,
    value_masked float8,
    p float8) (
    SFUNC = sdc_internal.disclosure_accum,
    STYPE = bytea,
    COMBINEFUNC = sdc_internal.disclosure_combine,
    FINALFUNC = sdc_internal.rid_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.rank_disclosure(float8, float8, float8) IS
'rank interval disclosure (rid): share of original values whose rank is within p / 2 percent of the ranks of the masked value; a suppressed value discloses nothing, a missing original is left out';

CREATE AGGREGATE sdc.interval_disclosure(
    value_original float8,
    value_masked float8,
    p float8) (
    SFUNC = sdc_internal.disclosure_accum,
    STYPE = bytea,
    COMBINEFUNC = sdc_internal.disclosure_combine,
    FINALFUNC = sdc_internal.sdid_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.interval_disclosure(float8, float8, float8) IS
'standard deviation interval disclosure (sdid): share of original values within p percent of their standard deviation of the masked value; a suppressed value discloses nothing, a missing original is left out';

CREATE FUNCTION sdc_internal.sadr_accum(
    state float8[],
    value_original "any",
    value_masked "any")
RETURNS float8[]
LANGUAGE c IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_sadr_accum';

COMMENT ON FUNCTION sdc_internal.sadr_accum(float8[], "any", "any") IS
'transition function of the aggregate unchanged_share';

CREATE FUNCTION sdc_internal.sadr_combine(
    state float8[],
    other float8[])
RETURNS float8[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_sadr_combine';

COMMENT ON FUNCTION sdc_internal.sadr_combine(float8[], float8[]) IS
'combine function of the aggregate unchanged_share';

CREATE FUNCTION sdc_internal.sadr_final(state float8[])
RETURNS float8
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_sadr_final';

COMMENT ON FUNCTION sdc_internal.sadr_final(float8[]) IS
'final function of the aggregate unchanged_share';

CREATE AGGREGATE sdc.unchanged_share(
    value_original "any",
    value_masked "any") (
    SFUNC = sdc_internal.sadr_accum,
    STYPE = float8[],
    INITCOND = '{0,0}',
    COMBINEFUNC = sdc_internal.sadr_combine,
    FINALFUNC = sdc_internal.sadr_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.unchanged_share("any", "any") IS
'simple attribute disclosure risk (sadr): share of original values that the masked file shows unchanged; a suppressed value discloses nothing, a missing original is left out';

CREATE FUNCTION sdc.disclosure_report(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    rules jsonb DEFAULT NULL,
    p float8 DEFAULT 10,
    measures sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_disclosure_report';

COMMENT ON FUNCTION sdc.disclosure_report(regclass, regclass, name, sdc.columns, sdc.columns, jsonb, float8, sdc.columns, jsonb, bigint) IS
'what a masked relation gives away of the original, worst first: rank_disclosure, interval_disclosure and unchanged_share of each column and of all, and the success of every linkage attack; measures: rank_disclosure (rid), interval_disclosure (sdid), unchanged_share (sadr) and the names of attacks; params: for an attack an object of its variant and params';
