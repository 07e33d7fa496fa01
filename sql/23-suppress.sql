-- suppress: single values taken out of records that too few others are like.

CREATE FUNCTION sdc.suppress(
    relation regclass,
    target text DEFAULT NULL,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    k integer DEFAULT 3,
    l float8 DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_suppress';

COMMENT ON FUNCTION sdc.suppress(regclass, text, name, sdc.columns, sdc.columns, integer, float8, jsonb, bigint) IS
'local suppression: a new table in which keys are NULL where a record had too few others like it, so that every record has k, and l different sensitive values among these';
