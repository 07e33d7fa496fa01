-- questions: can somebody be singled out, linked, inferred?

CREATE FUNCTION sdc.gdpr_report(
    original regclass,
    masked regclass,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    control regclass DEFAULT NULL,
    measures sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_gdpr_report';

COMMENT ON FUNCTION sdc.gdpr_report(regclass, regclass, sdc.columns, sdc.columns, regclass, sdc.columns, jsonb, bigint) IS
'the three questions of data protection law, asked of a masked or synthetic table: can somebody be singled out, linked, inferred; and how close released records are to those that were used; beyond what is true of a control that was not used, with intervals';
