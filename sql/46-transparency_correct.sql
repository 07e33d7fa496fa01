-- transparency_correct: what an honest user makes of published rules.

CREATE FUNCTION sdc.transparency_correct(
    masked regclass,
    columns name[],
    rules jsonb)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_transparency_correct';

COMMENT ON FUNCTION sdc.transparency_correct(regclass, name[], jsonb) IS
'means, variances, covariances and correlations of the original, estimated from the masked relation and its published rules; null where the rules do not tell';
