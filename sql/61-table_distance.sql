-- table_distance: how far two contingency tables are apart.

CREATE FUNCTION sdc.table_distance(
    original regclass,
    masked regclass,
    columns sdc.columns,
    variant text DEFAULT 'hellinger',
    params jsonb DEFAULT NULL)
RETURNS float8
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_table_distance';

COMMENT ON FUNCTION sdc.table_distance(regclass, regclass, sdc.columns, text, jsonb) IS
'distance of the contingency tables of the same columns of two relations, over all combinations of the values that occur, empty ones, too; variants: l1, max, mean, hellinger, kullback_leibler, total_variation, absroot, relative';
