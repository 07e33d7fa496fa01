-- dp_sum: clipped sums under differential privacy.

CREATE FUNCTION sdc.dp_sum_integer_final(
    state internal)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_integer_final';

COMMENT ON FUNCTION sdc.dp_sum_integer_final(internal) IS
'final function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_integer_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_bigint_final(
    state internal)
RETURNS numeric
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_bigint_final';

COMMENT ON FUNCTION sdc.dp_sum_bigint_final(internal) IS
'final function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_bigint_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_float8_final(
    state internal)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_float8_final';

COMMENT ON FUNCTION sdc.dp_sum_float8_final(internal) IS
'final function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_float8_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value integer,
    lower integer,
    upper integer,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, integer, integer, integer, float8) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, integer, integer, integer, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value integer,
    lower integer,
    upper integer,
    epsilon float8) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_integer_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(integer, integer, integer, float8) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(integer, integer, integer, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value integer,
    lower integer,
    upper integer,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, integer, integer, integer, float8, text) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, integer, integer, integer, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value integer,
    lower integer,
    upper integer,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_integer_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(integer, integer, integer, float8, text) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(integer, integer, integer, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value bigint,
    lower bigint,
    upper bigint,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, bigint, bigint, bigint, float8) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, bigint, bigint, bigint, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value bigint,
    lower bigint,
    upper bigint,
    epsilon float8) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_bigint_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(bigint, bigint, bigint, float8) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(bigint, bigint, bigint, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value bigint,
    lower bigint,
    upper bigint,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, bigint, bigint, bigint, float8, text) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, bigint, bigint, bigint, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value bigint,
    lower bigint,
    upper bigint,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_bigint_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(bigint, bigint, bigint, float8, text) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(bigint, bigint, bigint, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, float8, float8, float8, float8) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, float8, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value float8,
    lower float8,
    upper float8,
    epsilon float8) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_float8_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(float8, float8, float8, float8) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, float8, float8, float8, float8, text) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, float8, float8, float8, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_float8_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(float8, float8, float8, float8, text) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(float8, float8, float8, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, numeric, numeric, numeric, float8) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_float8_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(numeric, numeric, numeric, float8) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, numeric, numeric, numeric, float8, text) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, numeric, numeric, numeric, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_float8_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(numeric, numeric, numeric, float8, text) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(numeric, numeric, numeric, float8, text) FROM PUBLIC;
