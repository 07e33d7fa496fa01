-- separation: how well sets of keys tell records apart.

CREATE FUNCTION sdc.separation(
    relation regclass,
    keys sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_separation';

COMMENT ON FUNCTION sdc.separation(regclass, sdc.columns, jsonb) IS
'separation and distinction of every subset of the keys of up to params.max_size columns (3 unless given), the best first';
