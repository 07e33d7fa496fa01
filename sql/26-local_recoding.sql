-- local recoding: each class of records generalized in its own way.

CREATE FUNCTION sdc.recode_locally(
    relation regclass,
    target text,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    k integer DEFAULT 2,
    l float8 DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_recode_locally';

COMMENT ON FUNCTION sdc.recode_locally(regclass, text, name, sdc.columns, sdc.columns, integer, float8, jsonb) IS
'local recoding: a new table in which keys are generalized, each record only as far as its own class needs it, until every class has k records, and l different sensitive values; nothing is suppressed';
