-- protect_table: tables of counts and sums, with cells hidden.

CREATE FUNCTION sdc.protect_table(
    relation regclass,
    target text DEFAULT NULL,
    rules jsonb DEFAULT '{"threshold": 3}',
    keys sdc.columns DEFAULT NULL,
    value name DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_protect_table';

COMMENT ON FUNCTION sdc.protect_table(regclass, text, jsonb, sdc.columns, name, jsonb) IS
'tables of counts, or of sums or means of value, one or several linked ones, over the keys with their hierarchies and totals, in which unsafe cells and as many others as needed are NULL, so that no unsafe cell can be computed closer than its rule allows; every attack is computed at the end; without target only the figures';
