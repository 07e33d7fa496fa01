-- l_multi: l-diversity of several sensitive columns together.

CREATE FUNCTION sdc.l_multi(
    relation regclass,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    c float8 DEFAULT NULL,
    l float8 DEFAULT NULL,
    variant text DEFAULT 'distinct')
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_l_multi';

COMMENT ON FUNCTION sdc.l_multi(regclass, sdc.columns, sdc.columns, float8, float8, text) IS
'measures the l-diversity of each sensitive column when the others are known too: distinct, entropy, frequency or recursive';
