-- dp_mode: the most frequent value under differential privacy.

CREATE FUNCTION sdc.dp_mode_accum(
    state internal,
    value anyelement,
    candidates anyarray,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_mode_accum';

COMMENT ON FUNCTION sdc.dp_mode_accum(internal, anyelement, anyarray, float8) IS
'transition function of the aggregate dp_mode';

REVOKE EXECUTE ON FUNCTION sdc.dp_mode_accum(internal, anyelement, anyarray, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_mode_final(
    state internal,
    value anyelement,
    candidates anyarray,
    epsilon float8)
RETURNS anyelement
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_mode_final';

COMMENT ON FUNCTION sdc.dp_mode_final(internal, anyelement, anyarray, float8) IS
'final function of the aggregate dp_mode';

REVOKE EXECUTE ON FUNCTION sdc.dp_mode_final(internal, anyelement, anyarray, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_mode(
    value anyelement,
    candidates anyarray,
    epsilon float8) (
    SFUNC = sdc.dp_mode_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_mode_final,
    FINALFUNC_EXTRA,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_mode(anyelement, anyarray, float8) IS
'about the most frequent of the candidates, by permute and flip over their counts';

REVOKE EXECUTE ON FUNCTION sdc.dp_mode(anyelement, anyarray, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_mode_accum(
    state internal,
    value anyelement,
    candidates anyarray,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_mode_accum';

COMMENT ON FUNCTION sdc.dp_mode_accum(internal, anyelement, anyarray, float8, text) IS
'transition function of the aggregate dp_mode';

REVOKE EXECUTE ON FUNCTION sdc.dp_mode_accum(internal, anyelement, anyarray, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_mode_final(
    state internal,
    value anyelement,
    candidates anyarray,
    epsilon float8,
    neighbours text)
RETURNS anyelement
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_mode_final';

COMMENT ON FUNCTION sdc.dp_mode_final(internal, anyelement, anyarray, float8, text) IS
'final function of the aggregate dp_mode';

REVOKE EXECUTE ON FUNCTION sdc.dp_mode_final(internal, anyelement, anyarray, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_mode(
    value anyelement,
    candidates anyarray,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_mode_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_mode_final,
    FINALFUNC_EXTRA,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_mode(anyelement, anyarray, float8, text) IS
'about the most frequent of the candidates, by permute and flip over their counts; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_mode(anyelement, anyarray, float8, text) FROM PUBLIC;
