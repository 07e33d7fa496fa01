-- utility: what a masked relation is still good for.

CREATE FUNCTION sdc.utility_report(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    columns sdc.columns DEFAULT NULL,
    measures sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_utility_report';

COMMENT ON FUNCTION sdc.utility_report(regclass, regclass, name, sdc.columns, sdc.columns, jsonb, bigint) IS
'what a masked relation has lost of the original, by measure and column, worst columns first; measures: information_loss (il1s), value_change, relative_squared_error, mean, variance, covariance, correlation, eigenvalues, inverse_correlations, hellinger, kullback_leibler, total_variation, tables, pmse, certainty_penalty, loss, precision, height, entropy, ambiguity, discernibility, average_class, normalized_average_class, queries, relative_change; marginals_1, marginals_2, marginals_3 and accuracy_loss are shown when they are named';
