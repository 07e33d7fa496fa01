-- risk: how far the records of a relation stand out.

CREATE FUNCTION sdc.risk_report(
    relation regclass,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    weight name DEFAULT NULL,
    measures sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_risk_report';

COMMENT ON FUNCTION sdc.risk_report(regclass, sdc.columns, sdc.columns, name, sdc.columns, jsonb) IS
'measures the disclosure risk of a relation: class sizes and k-anonymity, re-identification in the file and in the population, and what classes give away of sensitive columns; special uniques only when measures names their lines';

CREATE TYPE sdc.record_risk AS (
    id text,
    class_size bigint,
    population float8,
    risk float8,
    household_risk float8,
    l_distinct integer,
    confidence float8);

COMMENT ON TYPE sdc.record_risk IS
'one record: how many look like it in the file and in the population, the probability to find it and anyone of its household, and how surely its class gives away a sensitive value';

CREATE FUNCTION sdc.risk_records(
    relation regclass,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    household name DEFAULT NULL,
    weight name DEFAULT NULL,
    variant text DEFAULT 'exact',
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.record_risk
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_risk_records';

COMMENT ON FUNCTION sdc.risk_records(regclass, name, sdc.columns, sdc.columns, name, name, text, jsonb) IS
'the risk of every record: variant exact or approx (Benedetti-Franconi, from weights or params.sampling_fraction), prosecutor, journalist (params.population)';

CREATE FUNCTION sdc.risk_records_into(
    relation regclass,
    target text,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    weight name DEFAULT NULL,
    variant text DEFAULT 'exact',
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_risk_records_into';

COMMENT ON FUNCTION sdc.risk_records_into(regclass, text, name, sdc.columns, sdc.columns, name, text, jsonb) IS
'the risk of every record as a new table (id, class_size, population, risk, l_distinct, confidence), in shards beside those of a distributed table; nothing of a row is kept in memory';
