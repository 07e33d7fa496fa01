-- attribute_models: what models of a release know about people.

CREATE FUNCTION sdc.inference_risk(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    p float8 DEFAULT 10,
    variant text DEFAULT 'nb',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_inference_risk';

COMMENT ON FUNCTION sdc.inference_risk(regclass, regclass, name, sdc.columns, sdc.columns, float8, text, jsonb, bigint) IS
'attribute disclosure by models (adr): share of people whose sensitive value a model of the other people''s masked records predicts';

CREATE FUNCTION sdc.model_agreement(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    p float8 DEFAULT 10,
    variant text DEFAULT 'nb',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_model_agreement';

COMMENT ON FUNCTION sdc.model_agreement(regclass, regclass, name, sdc.columns, sdc.columns, float8, text, jsonb, bigint) IS
'share of records for which models of the original and of the masked relation predict the same (DDMBAR)';
