-- composition: the intruder who holds several releases.

CREATE FUNCTION sdc.attack_composition(
    releases regclass[],
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_composition';

COMMENT ON FUNCTION sdc.attack_composition(regclass[], name, sdc.columns, sdc.columns, jsonb) IS
'the sensitive values, or the records, that are still possible for a person after the person''s classes in several releases are intersected';
