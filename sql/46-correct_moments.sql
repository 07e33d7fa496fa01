-- correct_moments: what an honest user makes of published rules.

CREATE FUNCTION sdc.correct_moments(
    masked regclass,
    rules jsonb,
    columns sdc.columns)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_correct_moments';

COMMENT ON FUNCTION sdc.correct_moments(regclass, jsonb, sdc.columns) IS
'means, variances, covariances and correlations of the original, frequencies of categories that were drawn anew, estimated from the masked relation and its published rules; null where the rules do not tell';
