-- model_utility: do models of the masked relation find what is in the original?

CREATE FUNCTION sdc.utility_clusters(
    original regclass,
    masked regclass,
    id name,
    columns sdc.columns,
    k integer,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_utility_clusters';

COMMENT ON FUNCTION sdc.utility_clusters(regclass, regclass, name, sdc.columns, integer, jsonb, bigint) IS
'agreement of the k-means clusters of both relations: adjusted Rand, Rand, Jaccard, F';

CREATE FUNCTION sdc.utility_classifier(
    original regclass,
    masked regclass,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    variant text DEFAULT 'nb',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_utility_classifier';

COMMENT ON FUNCTION sdc.utility_classifier(regclass, regclass, sdc.columns, sdc.columns, text, jsonb, bigint) IS
'accuracy, on held-out original records, of models of both relations and of the most frequent value';
