-- exact_linkage: the intruder who looks for equal rows.

CREATE FUNCTION sdc.attack_exact(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_exact';

COMMENT ON FUNCTION sdc.attack_exact(regclass, regclass, name, sdc.columns, jsonb) IS
'links each id to those that have a row which is equal in all keys, each by its share of the equal pairs of rows; an id may have many rows';
