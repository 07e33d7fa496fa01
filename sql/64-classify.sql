-- classify: learn from one relation, predict for another.

CREATE FUNCTION sdc.classify(
    relation regclass,
    external regclass,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    variant text DEFAULT 'nb',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.label
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_classify';

COMMENT ON FUNCTION sdc.classify(regclass, regclass, name, sdc.columns, sdc.columns, text, jsonb, bigint) IS
'the sensitive value of each external record as a model of relation predicts it from the keys; variant zeror, nb, knn, tree, logistic or svm';
