-- dp_moments: mean, variance, deviation under differential privacy.

CREATE FUNCTION sdc.dp_avg_final(
    state internal)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_avg_final';

COMMENT ON FUNCTION sdc.dp_avg_final(internal) IS
'final function of the aggregate dp_avg';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_var_final(
    state internal)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_var_final';

COMMENT ON FUNCTION sdc.dp_var_final(internal) IS
'final function of the aggregate dp_var';

REVOKE EXECUTE ON FUNCTION sdc.dp_var_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_stddev_final(
    state internal)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_stddev_final';

COMMENT ON FUNCTION sdc.dp_stddev_final(internal) IS
'final function of the aggregate dp_stddev';

REVOKE EXECUTE ON FUNCTION sdc.dp_stddev_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_avg_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_avg_accum';

COMMENT ON FUNCTION sdc.dp_avg_accum(internal, float8, float8, float8, float8) IS
'transition function of the aggregate dp_avg';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg_accum(internal, float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_var_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_var_accum';

COMMENT ON FUNCTION sdc.dp_var_accum(internal, float8, float8, float8, float8) IS
'transition function of the aggregates dp_var and dp_stddev';

REVOKE EXECUTE ON FUNCTION sdc.dp_var_accum(internal, float8, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_avg(
    value float8,
    lower float8,
    upper float8,
    epsilon float8) (
    SFUNC = sdc.dp_avg_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_avg_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_avg(float8, float8, float8, float8) IS
'mean of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg(float8, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_var(
    value float8,
    lower float8,
    upper float8,
    epsilon float8) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_var_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_var(float8, float8, float8, float8) IS
'variance (divisor n) of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_var(float8, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_stddev(
    value float8,
    lower float8,
    upper float8,
    epsilon float8) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_stddev_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_stddev(float8, float8, float8, float8) IS
'standard deviation (divisor n) of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_stddev(float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_avg_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_avg_accum';

COMMENT ON FUNCTION sdc.dp_avg_accum(internal, float8, float8, float8, float8, text) IS
'transition function of the aggregate dp_avg';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg_accum(internal, float8, float8, float8, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_var_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_var_accum';

COMMENT ON FUNCTION sdc.dp_var_accum(internal, float8, float8, float8, float8, text) IS
'transition function of the aggregates dp_var and dp_stddev';

REVOKE EXECUTE ON FUNCTION sdc.dp_var_accum(internal, float8, float8, float8, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_avg(
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_avg_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_avg_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_avg(float8, float8, float8, float8, text) IS
'mean of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg(float8, float8, float8, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_var(
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_var_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_var(float8, float8, float8, float8, text) IS
'variance (divisor n) of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_var(float8, float8, float8, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_stddev(
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_stddev_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_stddev(float8, float8, float8, float8, text) IS
'standard deviation (divisor n) of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_stddev(float8, float8, float8, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_avg_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_avg_accum';

COMMENT ON FUNCTION sdc.dp_avg_accum(internal, numeric, numeric, numeric, float8) IS
'transition function of the aggregate dp_avg';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg_accum(internal, numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_var_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_var_accum';

COMMENT ON FUNCTION sdc.dp_var_accum(internal, numeric, numeric, numeric, float8) IS
'transition function of the aggregates dp_var and dp_stddev';

REVOKE EXECUTE ON FUNCTION sdc.dp_var_accum(internal, numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_avg(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8) (
    SFUNC = sdc.dp_avg_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_avg_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_avg(numeric, numeric, numeric, float8) IS
'mean of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg(numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_var(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_var_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_var(numeric, numeric, numeric, float8) IS
'variance (divisor n) of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_var(numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_stddev(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_stddev_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_stddev(numeric, numeric, numeric, float8) IS
'standard deviation (divisor n) of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_stddev(numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_avg_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_avg_accum';

COMMENT ON FUNCTION sdc.dp_avg_accum(internal, numeric, numeric, numeric, float8, text) IS
'transition function of the aggregate dp_avg';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg_accum(internal, numeric, numeric, numeric, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_var_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_var_accum';

COMMENT ON FUNCTION sdc.dp_var_accum(internal, numeric, numeric, numeric, float8, text) IS
'transition function of the aggregates dp_var and dp_stddev';

REVOKE EXECUTE ON FUNCTION sdc.dp_var_accum(internal, numeric, numeric, numeric, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_avg(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_avg_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_avg_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_avg(numeric, numeric, numeric, float8, text) IS
'mean of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg(numeric, numeric, numeric, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_var(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_var_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_var(numeric, numeric, numeric, float8, text) IS
'variance (divisor n) of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_var(numeric, numeric, numeric, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_stddev(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_stddev_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_stddev(numeric, numeric, numeric, float8, text) IS
'standard deviation (divisor n) of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_stddev(numeric, numeric, numeric, float8, text) FROM PUBLIC;
