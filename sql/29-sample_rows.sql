-- sample_rows: a random part of the rows, in proportion to strata.

CREATE FUNCTION sdc.sample_rows(
    relation regclass,
    target text DEFAULT NULL,
    strata sdc.columns DEFAULT NULL,
    p float8 DEFAULT 10,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_sample_rows';

COMMENT ON FUNCTION sdc.sample_rows(regclass, text, sdc.columns, float8, bigint) IS
'a new table with p percent of the rows, drawn at random in proportion to the strata';
