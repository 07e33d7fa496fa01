-- individual_risk: the risk of a record of a sample.

CREATE FUNCTION sdc.individual_risk(
    sample_count bigint,
    population_count float8,
    variant text DEFAULT 'exact')
RETURNS float8
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_individual_risk';

COMMENT ON FUNCTION sdc.individual_risk(bigint, float8, text) IS
'risk E(1/F|f) after Benedetti and Franconi of one of sample_count records that share their keys, when the population is estimated to have population_count of them (the sum of their weights)';
