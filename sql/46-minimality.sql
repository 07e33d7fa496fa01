-- minimality: beliefs of an intruder who knows the grouping algorithm.

CREATE FUNCTION sdc.attack_minimality(
    masked regclass,
    sensitive name[],
    groups name,
    l float8,
    method text DEFAULT 'greedy',
    id name DEFAULT NULL)
RETURNS SETOF sdc.belief
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_minimality';

COMMENT ON FUNCTION sdc.attack_minimality(regclass, name[], name, float8, text, name) IS
'beliefs about each record of an intruder who knows that diverse_group scanned the records in the order of id: prior by the values of the group, posterior by the assignments under which the scan gives these groups';
