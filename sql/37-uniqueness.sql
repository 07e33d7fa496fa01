-- uniqueness: are sample uniques unique in the population?

CREATE FUNCTION sdc.uniqueness(
    relation regclass,
    population regclass DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    weight name DEFAULT NULL,
    variant text DEFAULT 'dis',
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_uniqueness';

COMMENT ON FUNCTION sdc.uniqueness(regclass, regclass, sdc.columns, name, text, jsonb) IS
'how many records that are unique in a sample are unique in its population: counted (variant population) or estimated (dis, poisson, pitman, zayatz, snb, benedetti, dankar)';
