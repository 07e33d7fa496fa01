-- dp_count: counts under differential privacy.

CREATE FUNCTION sdc.dp_count_accum(
    state internal,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_count_accum';

COMMENT ON FUNCTION sdc.dp_count_accum(internal, float8) IS
'transition function of the aggregate dp_count';

REVOKE EXECUTE ON FUNCTION sdc.dp_count_accum(internal, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_count_accum(
    state internal,
    value "any",
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_count_any_accum';

COMMENT ON FUNCTION sdc.dp_count_accum(internal, "any", float8) IS
'transition function of the aggregate dp_count';

REVOKE EXECUTE ON FUNCTION sdc.dp_count_accum(internal, "any", float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_count_final(
    state internal)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_count_final';

COMMENT ON FUNCTION sdc.dp_count_final(internal) IS
'final function of the aggregate dp_count';

REVOKE EXECUTE ON FUNCTION sdc.dp_count_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_count_any_final(
    state internal)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_count_any_final';

COMMENT ON FUNCTION sdc.dp_count_any_final(internal) IS
'final function of the aggregate dp_count';

REVOKE EXECUTE ON FUNCTION sdc.dp_count_any_final(internal) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_count(
    epsilon float8) (
    SFUNC = sdc.dp_count_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_count_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_count(float8) IS
'number of rows with discrete Laplace noise of scale 1 / epsilon';

REVOKE EXECUTE ON FUNCTION sdc.dp_count(float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_count(
    value "any",
    epsilon float8) (
    SFUNC = sdc.dp_count_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_count_any_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_count("any", float8) IS
'number of values that are not NULL, or with DISTINCT of different ones, with discrete Laplace noise of scale 1 / epsilon';

REVOKE EXECUTE ON FUNCTION sdc.dp_count("any", float8) FROM PUBLIC;
