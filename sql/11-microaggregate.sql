-- microaggregate: groups of at least k similar rows.

CREATE FUNCTION sdc.microaggregate(
    value float8,
    k integer,
    variant text DEFAULT 'optimal',
    seed bigint DEFAULT NULL)
RETURNS float8
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_microaggregate';

COMMENT ON FUNCTION sdc.microaggregate(float8, integer, text, bigint) IS
'replaces values by the means of groups of at least k neighbours in the window partition';

CREATE FUNCTION sdc.microaggregate_group(
    columns record,
    k integer,
    variant text DEFAULT 'mdav',
    standardize boolean DEFAULT true,
    seed bigint DEFAULT NULL)
RETURNS bigint
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_microaggregate_group';

COMMENT ON FUNCTION sdc.microaggregate_group(record, integer, text, boolean, bigint) IS
'numbers the groups of at least k similar rows of the window partition, on standardised columns or on the columns as they are; variants mdav, vmdav, fast, best, pca, mondrian (boxes of median cuts)';

CREATE FUNCTION sdc.microaggregate_bound(
    columns record,
    k integer,
    standardize boolean DEFAULT true)
RETURNS float8
LANGUAGE c WINDOW IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_microaggregate_bound';

COMMENT ON FUNCTION sdc.microaggregate_bound(record, integer, boolean) IS
'a lower bound of SSE/SST that no grouping into groups of at least k can pass';
