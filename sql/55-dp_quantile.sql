-- dp_quantile: medians and quantiles under differential privacy.

CREATE FUNCTION sdc.dp_median_final(
    state internal)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_final';

COMMENT ON FUNCTION sdc.dp_median_final(internal) IS
'final function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value float8,
    lower float8,
    upper float8,
    epsilon float8) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(float8, float8, float8, float8) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over 65536 cells';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8, text) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(float8, float8, float8, float8, text) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over 65536 cells; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(float8, float8, float8, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    cells integer)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8, integer) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8, integer) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    cells integer) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(float8, float8, float8, float8, integer) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over so many cells, 2 to 1048576';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(float8, float8, float8, float8, integer) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    cells integer,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8, integer, text) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8, integer, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    cells integer,
    neighbours text) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(float8, float8, float8, float8, integer, text) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over so many cells, 2 to 1048576; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(float8, float8, float8, float8, integer, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(numeric, numeric, numeric, float8) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over 65536 cells';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8, text) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(numeric, numeric, numeric, float8, text) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over 65536 cells; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(numeric, numeric, numeric, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    cells integer)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8, integer) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8, integer) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    cells integer) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(numeric, numeric, numeric, float8, integer) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over so many cells, 2 to 1048576';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(numeric, numeric, numeric, float8, integer) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    cells integer,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8, integer, text) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8, integer, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    cells integer,
    neighbours text) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(numeric, numeric, numeric, float8, integer, text) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over so many cells, 2 to 1048576; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(numeric, numeric, numeric, float8, integer, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_quantile_accum(
    state internal,
    value float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_quantile_accum';

COMMENT ON FUNCTION sdc.dp_quantile_accum(internal, float8) IS
'transition function of the aggregate dp_quantile';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile_accum(internal, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_quantile_final(
    state internal,
    fraction float8,
    lower float8,
    upper float8,
    epsilon float8)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_quantile_final';

COMMENT ON FUNCTION sdc.dp_quantile_final(internal, float8, float8, float8, float8) IS
'final function of the aggregate dp_quantile';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile_final(internal, float8, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_quantile(
    fraction float8,
    lower float8,
    upper float8,
    epsilon float8
    ORDER BY value float8) (
    SFUNC = sdc.dp_quantile_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_quantile_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_quantile(float8, float8, float8, float8 ORDER BY float8) IS
'quantile of the values at a fraction of 0 to 1, each clipped to [lower, upper], by the exponential mechanism over 65536 cells';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile(float8, float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_quantile_final(
    state internal,
    fraction float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_quantile_final';

COMMENT ON FUNCTION sdc.dp_quantile_final(internal, float8, float8, float8, float8, text) IS
'final function of the aggregate dp_quantile';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile_final(internal, float8, float8, float8, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_quantile(
    fraction float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text
    ORDER BY value float8) (
    SFUNC = sdc.dp_quantile_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_quantile_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_quantile(float8, float8, float8, float8, text ORDER BY float8) IS
'quantile of the values at a fraction of 0 to 1, each clipped to [lower, upper], by the exponential mechanism over 65536 cells; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile(float8, float8, float8, float8, text, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_quantile_accum(
    state internal,
    value numeric)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_quantile_accum';

COMMENT ON FUNCTION sdc.dp_quantile_accum(internal, numeric) IS
'transition function of the aggregate dp_quantile';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile_accum(internal, numeric) FROM PUBLIC;

CREATE FUNCTION sdc.dp_quantile_final(
    state internal,
    fraction float8,
    lower numeric,
    upper numeric,
    epsilon float8)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_quantile_final';

COMMENT ON FUNCTION sdc.dp_quantile_final(internal, float8, numeric, numeric, float8) IS
'final function of the aggregate dp_quantile';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile_final(internal, float8, numeric, numeric, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_quantile(
    fraction float8,
    lower numeric,
    upper numeric,
    epsilon float8
    ORDER BY value numeric) (
    SFUNC = sdc.dp_quantile_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_quantile_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_quantile(float8, numeric, numeric, float8 ORDER BY numeric) IS
'quantile of the values at a fraction of 0 to 1, each clipped to [lower, upper], by the exponential mechanism over 65536 cells';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile(float8, numeric, numeric, float8, numeric) FROM PUBLIC;

CREATE FUNCTION sdc.dp_quantile_final(
    state internal,
    fraction float8,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_quantile_final';

COMMENT ON FUNCTION sdc.dp_quantile_final(internal, float8, numeric, numeric, float8, text) IS
'final function of the aggregate dp_quantile';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile_final(internal, float8, numeric, numeric, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_quantile(
    fraction float8,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text
    ORDER BY value numeric) (
    SFUNC = sdc.dp_quantile_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_quantile_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_quantile(float8, numeric, numeric, float8, text ORDER BY numeric) IS
'quantile of the values at a fraction of 0 to 1, each clipped to [lower, upper], by the exponential mechanism over 65536 cells; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile(float8, numeric, numeric, float8, text, numeric) FROM PUBLIC;
