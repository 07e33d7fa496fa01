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

CREATE FUNCTION sdc.synthesize_tables(
    relations regclass[],
    targets text[],
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_synthesize_tables';

COMMENT ON FUNCTION sdc.synthesize_tables(regclass[], text[], jsonb, bigint) IS
'new tables of synthetic records that belong together as the originals do: keys are made anew and lead to records, children are drawn by their parents; not differentially private';

CREATE FUNCTION sdc.dp_synthesize(
    dataset text,
    target text,
    epsilon numeric,
    delta numeric DEFAULT 0,
    method text DEFAULT 'mst',
    columns sdc.columns DEFAULT NULL,
    rows bigint DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_synthesize';

COMMENT ON FUNCTION sdc.dp_synthesize(text, text, numeric, numeric, text, sdc.columns, bigint, jsonb) IS
'a new table of synthetic records of a data set under differential privacy, charged to its budget: from marginals that are chosen and measured with exact noise (mst, aim, independent), over declared categories and bounds only';

REVOKE EXECUTE ON FUNCTION sdc.dp_synthesize(text, text, numeric, numeric, text, sdc.columns, bigint, jsonb) FROM PUBLIC;
