-- membership: does a model tell who it was trained on?

CREATE FUNCTION sdc.membership_risk(
    original regclass,
    external regclass,
    id name DEFAULT NULL,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    variant text DEFAULT 'nb',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_membership_risk';

COMMENT ON FUNCTION sdc.membership_risk(regclass, regclass, name, name[], name[], text, jsonb, bigint) IS
'membership inference against a model of the original: original holds the members, external the others';
