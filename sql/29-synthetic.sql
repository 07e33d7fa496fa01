-- synthesize: a table of records that nobody has.

CREATE FUNCTION sdc.synthesize(
    relation regclass,
    target text,
    columns sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_synthesize';

COMMENT ON FUNCTION sdc.synthesize(regclass, text, sdc.columns, jsonb, bigint) IS
'a new table of synthetic records, drawn column after column from trees of the columns before (CART); keys are numbered anew, CHECK constraints hold, and numbers that hardly repeat are smoothed; not differentially private';
