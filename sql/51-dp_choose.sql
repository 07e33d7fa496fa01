-- dp_choose: one of several candidates under differential privacy.

CREATE FUNCTION sdc.dp_choose(
    candidates anyarray,
    scores float8[],
    sensitivity float8,
    epsilon float8,
    monotonic boolean DEFAULT false)
RETURNS anyelement
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 100
AS 'MODULE_PATHNAME', 'sdcf_dp_choose';

COMMENT ON FUNCTION sdc.dp_choose(anyarray, float8[], float8, float8, boolean) IS
'the candidate with about the highest score, by permute and flip: epsilon-differentially private when one record changes a score by at most sensitivity';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose(anyarray, float8[], float8, float8, boolean) FROM PUBLIC;

CREATE FUNCTION sdc.dp_choose_em(
    candidates anyarray,
    scores float8[],
    sensitivity float8,
    epsilon float8,
    monotonic boolean DEFAULT false)
RETURNS anyelement
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 100
AS 'MODULE_PATHNAME', 'sdcf_dp_choose_em';

COMMENT ON FUNCTION sdc.dp_choose_em(anyarray, float8[], float8, float8, boolean) IS
'the same by the exponential mechanism: each candidate with probability proportional to exp(epsilon score / (2 sensitivity))';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose_em(anyarray, float8[], float8, float8, boolean) FROM PUBLIC;

CREATE FUNCTION sdc.dp_choose_accum(
    state internal,
    candidate anyelement,
    score float8,
    sensitivity float8,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_choose_accum';

COMMENT ON FUNCTION sdc.dp_choose_accum(internal, anyelement, float8, float8, float8) IS
'transition function of the aggregate dp_choose';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose_accum(internal, anyelement, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_choose_final(
    state internal,
    candidate anyelement,
    score float8,
    sensitivity float8,
    epsilon float8)
RETURNS anyelement
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_choose_final';

COMMENT ON FUNCTION sdc.dp_choose_final(internal, anyelement, float8, float8, float8) IS
'final function of the aggregate dp_choose';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose_final(internal, anyelement, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_choose(
    candidate anyelement,
    score float8,
    sensitivity float8,
    epsilon float8) (
    SFUNC = sdc.dp_choose_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_choose_final,
    FINALFUNC_EXTRA,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_choose(anyelement, float8, float8, float8) IS
'the candidate with about the highest score, by permute and flip over the rows';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose(anyelement, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_choose_accum(
    state internal,
    candidate anyelement,
    score float8,
    sensitivity float8,
    epsilon float8,
    monotonic boolean)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_choose_accum';

COMMENT ON FUNCTION sdc.dp_choose_accum(internal, anyelement, float8, float8, float8, boolean) IS
'transition function of the aggregate dp_choose';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose_accum(internal, anyelement, float8, float8, float8, boolean) FROM PUBLIC;

CREATE FUNCTION sdc.dp_choose_final(
    state internal,
    candidate anyelement,
    score float8,
    sensitivity float8,
    epsilon float8,
    monotonic boolean)
RETURNS anyelement
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_choose_final';

COMMENT ON FUNCTION sdc.dp_choose_final(internal, anyelement, float8, float8, float8, boolean) IS
'final function of the aggregate dp_choose';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose_final(internal, anyelement, float8, float8, float8, boolean) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_choose(
    candidate anyelement,
    score float8,
    sensitivity float8,
    epsilon float8,
    monotonic boolean) (
    SFUNC = sdc.dp_choose_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_choose_final,
    FINALFUNC_EXTRA,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_choose(anyelement, float8, float8, float8, boolean) IS
'the candidate with about the highest score, by permute and flip over the rows; monotonic when one record can only raise all scores, or only lower them';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose(anyelement, float8, float8, float8, boolean) FROM PUBLIC;
