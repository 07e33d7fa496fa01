-- risk: how far the records of a relation stand out.

CREATE FUNCTION sdc.risk_report(
    rel regclass,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    weight name DEFAULT NULL,
    methods text[] DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_risk_report';

COMMENT ON FUNCTION sdc.risk_report(regclass, name[], name[], name, text[], jsonb) IS
'measures the disclosure risk of a relation whose quasi-identifiers are keys: class sizes, k-anonymity, uniques';
