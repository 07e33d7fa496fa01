-- membership: does a model tell who it was trained on?

CREATE FUNCTION sdc.membership_risk(
    original regclass,
    external regclass,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    variant text DEFAULT 'nb',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_membership_risk';

COMMENT ON FUNCTION sdc.membership_risk(regclass, regclass, name, sdc.columns, sdc.columns, text, jsonb, bigint) IS
'membership inference against a model of the original: original holds the members, external the others';
