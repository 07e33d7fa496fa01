-- minimality: beliefs of an intruder who knows how the release was made.

CREATE FUNCTION sdc.attack_minimality(
    masked regclass,
    groups name DEFAULT NULL,
    id name DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    l float8 DEFAULT 2,
    variant text DEFAULT 'greedy',
    original regclass DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    k integer DEFAULT 2,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.belief
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_minimality';

COMMENT ON FUNCTION sdc.attack_minimality(regclass, name, name, sdc.columns, float8, text, regclass, sdc.columns, integer, jsonb) IS
'beliefs about each record of an intruder who knows how the release was made: by diverse_group in the order of id (variant greedy), or by a method that loses as little as it can (lattice, local, mondrian, suppress): prior by the values of the class, posterior by the assignments under which the method would have made just this';
