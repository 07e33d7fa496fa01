-- dp_aggregates: counts, sums, moments, quantiles and modes under differential
-- privacy.  EXECUTE is granted to nobody: who may see the values may call them.

CREATE FUNCTION sdc_internal.dp_count_accum(
    state internal,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_count_accum';

COMMENT ON FUNCTION sdc_internal.dp_count_accum(internal, float8) IS
'transition function of the aggregate dp_count';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_count_accum(internal, float8) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_count_accum(
    state internal,
    value "any",
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_count_any_accum';

COMMENT ON FUNCTION sdc_internal.dp_count_accum(internal, "any", float8) IS
'transition function of the aggregate dp_count';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_count_accum(internal, "any", float8) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_count_final(
    state internal)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_count_final';

COMMENT ON FUNCTION sdc_internal.dp_count_final(internal) IS
'final function of the aggregate dp_count';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_count_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_count_any_final(
    state internal)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_count_any_final';

COMMENT ON FUNCTION sdc_internal.dp_count_any_final(internal) IS
'final function of the aggregate dp_count';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_count_any_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_count_combine(
    state internal,
    other internal)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_count_combine';

COMMENT ON FUNCTION sdc_internal.dp_count_combine(internal, internal) IS
'combine function of the aggregate dp_count';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_count_combine(internal, internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_count_serialize(
    state internal)
RETURNS bytea
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_count_serialize';

COMMENT ON FUNCTION sdc_internal.dp_count_serialize(internal) IS
'serialization function of the aggregate dp_count';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_count_serialize(internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_count_deserialize(
    state bytea,
    ignored internal)
RETURNS internal
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_count_deserialize';

COMMENT ON FUNCTION sdc_internal.dp_count_deserialize(bytea, internal) IS
'deserialization function of the aggregate dp_count';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_count_deserialize(bytea, internal) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_count(
    epsilon float8) (
    SFUNC = sdc_internal.dp_count_accum,
    STYPE = internal,
    FINALFUNC = sdc_internal.dp_count_final,
    COMBINEFUNC = sdc_internal.dp_count_combine,
    SERIALFUNC = sdc_internal.dp_count_serialize,
    DESERIALFUNC = sdc_internal.dp_count_deserialize,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.dp_count(float8) IS
'number of rows with discrete Laplace noise of scale 1 / epsilon';

REVOKE EXECUTE ON FUNCTION sdc.dp_count(float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_count(
    value "any",
    epsilon float8) (
    SFUNC = sdc_internal.dp_count_accum,
    STYPE = internal,
    FINALFUNC = sdc_internal.dp_count_any_final,
    COMBINEFUNC = sdc_internal.dp_count_combine,
    SERIALFUNC = sdc_internal.dp_count_serialize,
    DESERIALFUNC = sdc_internal.dp_count_deserialize,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.dp_count("any", float8) IS
'number of values that are not NULL, or with DISTINCT of different ones, with discrete Laplace noise of scale 1 / epsilon';

REVOKE EXECUTE ON FUNCTION sdc.dp_count("any", float8) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_sum_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc_internal.dp_sum_accum(internal, float8, float8, float8, float8) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_sum_accum(internal, float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_sum_final(
    state internal)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_final';

COMMENT ON FUNCTION sdc_internal.dp_sum_final(internal) IS
'final function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_sum_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_sum_combine(
    state internal,
    other internal)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_combine';

COMMENT ON FUNCTION sdc_internal.dp_sum_combine(internal, internal) IS
'combine function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_sum_combine(internal, internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_sum_serialize(
    state internal)
RETURNS bytea
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_serialize';

COMMENT ON FUNCTION sdc_internal.dp_sum_serialize(internal) IS
'serialization function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_sum_serialize(internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_sum_deserialize(
    state bytea,
    ignored internal)
RETURNS internal
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_deserialize';

COMMENT ON FUNCTION sdc_internal.dp_sum_deserialize(bytea, internal) IS
'deserialization function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_sum_deserialize(bytea, internal) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value float8,
    lower float8,
    upper float8,
    epsilon float8) (
    SFUNC = sdc_internal.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc_internal.dp_sum_final,
    COMBINEFUNC = sdc_internal.dp_sum_combine,
    SERIALFUNC = sdc_internal.dp_sum_serialize,
    DESERIALFUNC = sdc_internal.dp_sum_deserialize,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.dp_sum(float8, float8, float8, float8) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise; neighbours as sdc.dp_neighbours says';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_avg_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_avg_accum';

COMMENT ON FUNCTION sdc_internal.dp_avg_accum(internal, float8, float8, float8, float8) IS
'transition function of the aggregate dp_avg';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_avg_accum(internal, float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_avg_final(
    state internal)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_avg_final';

COMMENT ON FUNCTION sdc_internal.dp_avg_final(internal) IS
'final function of the aggregate dp_avg';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_avg_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_var_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_var_accum';

COMMENT ON FUNCTION sdc_internal.dp_var_accum(internal, float8, float8, float8, float8) IS
'transition function of the aggregates dp_var and dp_stddev';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_var_accum(internal, float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_var_final(
    state internal)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_var_final';

COMMENT ON FUNCTION sdc_internal.dp_var_final(internal) IS
'final function of the aggregate dp_var';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_var_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_stddev_final(
    state internal)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_stddev_final';

COMMENT ON FUNCTION sdc_internal.dp_stddev_final(internal) IS
'final function of the aggregate dp_stddev';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_stddev_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_moments_combine(
    state internal,
    other internal)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_moments_combine';

COMMENT ON FUNCTION sdc_internal.dp_moments_combine(internal, internal) IS
'combine function of the aggregates dp_avg, dp_var and dp_stddev';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_moments_combine(internal, internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_moments_serialize(
    state internal)
RETURNS bytea
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_moments_serialize';

COMMENT ON FUNCTION sdc_internal.dp_moments_serialize(internal) IS
'serialization function of the aggregates dp_avg, dp_var and dp_stddev';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_moments_serialize(internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_moments_deserialize(
    state bytea,
    ignored internal)
RETURNS internal
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_moments_deserialize';

COMMENT ON FUNCTION sdc_internal.dp_moments_deserialize(bytea, internal) IS
'deserialization function of the aggregates dp_avg, dp_var and dp_stddev';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_moments_deserialize(bytea, internal) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_avg(
    value float8,
    lower float8,
    upper float8,
    epsilon float8) (
    SFUNC = sdc_internal.dp_avg_accum,
    STYPE = internal,
    FINALFUNC = sdc_internal.dp_avg_final,
    COMBINEFUNC = sdc_internal.dp_moments_combine,
    SERIALFUNC = sdc_internal.dp_moments_serialize,
    DESERIALFUNC = sdc_internal.dp_moments_deserialize,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.dp_avg(float8, float8, float8, float8) IS
'mean of the values, each clipped to [lower, upper], with Laplace noise; neighbours as sdc.dp_neighbours says';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg(float8, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_var(
    value float8,
    lower float8,
    upper float8,
    epsilon float8) (
    SFUNC = sdc_internal.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc_internal.dp_var_final,
    COMBINEFUNC = sdc_internal.dp_moments_combine,
    SERIALFUNC = sdc_internal.dp_moments_serialize,
    DESERIALFUNC = sdc_internal.dp_moments_deserialize,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.dp_var(float8, float8, float8, float8) IS
'variance (divisor n) of the values, each clipped to [lower, upper], with Laplace noise; neighbours as sdc.dp_neighbours says';

REVOKE EXECUTE ON FUNCTION sdc.dp_var(float8, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_stddev(
    value float8,
    lower float8,
    upper float8,
    epsilon float8) (
    SFUNC = sdc_internal.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc_internal.dp_stddev_final,
    COMBINEFUNC = sdc_internal.dp_moments_combine,
    SERIALFUNC = sdc_internal.dp_moments_serialize,
    DESERIALFUNC = sdc_internal.dp_moments_deserialize,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.dp_stddev(float8, float8, float8, float8) IS
'standard deviation (divisor n) of the values, each clipped to [lower, upper], with Laplace noise; neighbours as sdc.dp_neighbours says';

REVOKE EXECUTE ON FUNCTION sdc.dp_stddev(float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_median_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc_internal.dp_median_accum(internal, float8, float8, float8, float8) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_median_accum(internal, float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_median_final(
    state internal)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_median_final';

COMMENT ON FUNCTION sdc_internal.dp_median_final(internal) IS
'final function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_median_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_median_combine(
    state internal,
    other internal)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_median_combine';

COMMENT ON FUNCTION sdc_internal.dp_median_combine(internal, internal) IS
'combine function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_median_combine(internal, internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_median_serialize(
    state internal)
RETURNS bytea
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_median_serialize';

COMMENT ON FUNCTION sdc_internal.dp_median_serialize(internal) IS
'serialization function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_median_serialize(internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_median_deserialize(
    state bytea,
    ignored internal)
RETURNS internal
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_median_deserialize';

COMMENT ON FUNCTION sdc_internal.dp_median_deserialize(bytea, internal) IS
'deserialization function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_median_deserialize(bytea, internal) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value float8,
    lower float8,
    upper float8,
    epsilon float8) (
    SFUNC = sdc_internal.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc_internal.dp_median_final,
    COMBINEFUNC = sdc_internal.dp_median_combine,
    SERIALFUNC = sdc_internal.dp_median_serialize,
    DESERIALFUNC = sdc_internal.dp_median_deserialize,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.dp_median(float8, float8, float8, float8) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over sdc.dp_cells equal cells; neighbours as sdc.dp_neighbours says';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_quantile_accum(
    state internal,
    value float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_quantile_accum';

COMMENT ON FUNCTION sdc_internal.dp_quantile_accum(internal, float8) IS
'transition function of the aggregate dp_quantile';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_quantile_accum(internal, float8) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_quantile_final(
    state internal,
    fraction float8,
    lower float8,
    upper float8,
    epsilon float8)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_quantile_final';

COMMENT ON FUNCTION sdc_internal.dp_quantile_final(internal, float8, float8, float8, float8) IS
'final function of the aggregate dp_quantile';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_quantile_final(internal, float8, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_quantile(
    fraction float8,
    lower float8,
    upper float8,
    epsilon float8
    ORDER BY value float8) (
    SFUNC = sdc_internal.dp_quantile_accum,
    STYPE = internal,
    FINALFUNC = sdc_internal.dp_quantile_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_quantile(float8, float8, float8, float8 ORDER BY float8) IS
'a quantile of the values, each clipped to [lower, upper], by the exponential mechanism over sdc.dp_cells equal cells; neighbours as sdc.dp_neighbours says';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile(float8, float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_mode_accum(
    state internal,
    value anyelement,
    candidates anyarray,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_mode_accum';

COMMENT ON FUNCTION sdc_internal.dp_mode_accum(internal, anyelement, anyarray, float8) IS
'transition function of the aggregate dp_mode';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_mode_accum(internal, anyelement, anyarray, float8) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_mode_final(
    state internal,
    value anyelement,
    candidates anyarray,
    epsilon float8)
RETURNS anyelement
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_mode_final';

COMMENT ON FUNCTION sdc_internal.dp_mode_final(internal, anyelement, anyarray, float8) IS
'final function of the aggregate dp_mode';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_mode_final(internal, anyelement, anyarray, float8) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_mode_combine(
    state internal,
    other internal)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_mode_combine';

COMMENT ON FUNCTION sdc_internal.dp_mode_combine(internal, internal) IS
'combine function of the aggregate dp_mode';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_mode_combine(internal, internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_mode_serialize(
    state internal)
RETURNS bytea
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_mode_serialize';

COMMENT ON FUNCTION sdc_internal.dp_mode_serialize(internal) IS
'serialization function of the aggregate dp_mode';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_mode_serialize(internal) FROM PUBLIC;

CREATE FUNCTION sdc_internal.dp_mode_deserialize(
    state bytea,
    ignored internal)
RETURNS internal
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_mode_deserialize';

COMMENT ON FUNCTION sdc_internal.dp_mode_deserialize(bytea, internal) IS
'deserialization function of the aggregate dp_mode';

REVOKE EXECUTE ON FUNCTION sdc_internal.dp_mode_deserialize(bytea, internal) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_mode(
    value anyelement,
    candidates anyarray,
    epsilon float8) (
    SFUNC = sdc_internal.dp_mode_accum,
    STYPE = internal,
    FINALFUNC = sdc_internal.dp_mode_final,
    FINALFUNC_EXTRA,
    COMBINEFUNC = sdc_internal.dp_mode_combine,
    SERIALFUNC = sdc_internal.dp_mode_serialize,
    DESERIALFUNC = sdc_internal.dp_mode_deserialize,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.dp_mode(anyelement, anyarray, float8) IS
'about the most frequent of the candidates, by permute and flip over their counts; neighbours as sdc.dp_neighbours says';

REVOKE EXECUTE ON FUNCTION sdc.dp_mode(anyelement, anyarray, float8) FROM PUBLIC;
