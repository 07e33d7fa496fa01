-- propensity: can a model tell masked records from original ones?

CREATE FUNCTION sdc.propensity(
    original regclass,
    masked regclass,
    columns sdc.columns,
    variant text DEFAULT 'logistic',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_propensity';

COMMENT ON FUNCTION sdc.propensity(regclass, regclass, sdc.columns, text, jsonb, bigint) IS
'propensity score mean squared error of a model (logistic or a tree) that tells masked records from original ones, its expectation for records drawn anew, ratio and standardized value';
