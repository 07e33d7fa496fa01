-- attribute_models: what models of a release know about people.

CREATE FUNCTION sdc.adr(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    p float8 DEFAULT 10,
    variant text DEFAULT 'nb',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_adr';

COMMENT ON FUNCTION sdc.adr(regclass, regclass, name, name[], name[], float8, text, jsonb, bigint) IS
'attribute disclosure by models: share of people whose sensitive value a model of the other people''s masked records predicts';

CREATE FUNCTION sdc.ddmbar(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    p float8 DEFAULT 10,
    variant text DEFAULT 'nb',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_ddmbar';

COMMENT ON FUNCTION sdc.ddmbar(regclass, regclass, name, name[], name[], float8, text, jsonb, bigint) IS
'share of records for which models of the original and of the masked relation predict the same';
