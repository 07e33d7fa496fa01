-- minimality: beliefs of an intruder who knows the grouping algorithm.

CREATE FUNCTION sdc.attack_minimality(
    masked regclass,
    groups name,
    id name DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    l float8 DEFAULT 2,
    variant text DEFAULT 'greedy')
RETURNS SETOF sdc.belief
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_minimality';

COMMENT ON FUNCTION sdc.attack_minimality(regclass, name, name, sdc.columns, float8, text) IS
'beliefs about each record of an intruder who knows that diverse_group scanned the records in the order of id: prior by the values of the group, posterior by the assignments under which the scan gives these groups';
