-- posterior: beliefs of an intruder before and after a release.

CREATE TYPE sdc.belief AS (
    subject text,
    value text,
    prior float8,
    posterior float8,
    sensitive text,
    records bigint,
    disclosure text);

COMMENT ON TYPE sdc.belief IS
'belief that a person, or the persons of a class, have a value: before and after the release, with the records of the class that have it and the disclosures that the change is';

CREATE FUNCTION sdc.posterior(
    masked regclass,
    external regclass DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.belief
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_posterior';

COMMENT ON FUNCTION sdc.posterior(regclass, regclass, sdc.columns, sdc.columns, jsonb) IS
'beliefs of a Bayes-optimal intruder before and after a release, from the knowledge in external; params: known, map, weight, exclude, delta, epsilon, rho1, rho2, zeros, only_disclosed, nulls';
