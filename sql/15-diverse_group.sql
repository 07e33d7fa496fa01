-- diverse_group: groups of records with diverse sensitive values.

CREATE FUNCTION sdc.diverse_group(
    sensitive anyelement,
    l float8)
RETURNS bigint
LANGUAGE c WINDOW IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_diverse_group';

COMMENT ON FUNCTION sdc.diverse_group(anyelement, float8) IS
'number of the group of each row: rows are scanned in the order of the window, and a group is closed as soon as no value has more than 1/l of its rows';
