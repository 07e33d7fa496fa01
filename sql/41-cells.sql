-- cells: what an intruder learns who knows that a person is in a cell.

CREATE TYPE sdc.cell_risk AS (
    cell jsonb,
    sensitive text,
    records bigint,
    l_distinct bigint,
    value text,
    largest bigint,
    homogeneity float8,
    smallest_coalition bigint,
    disclosed_external boolean,
    disclosed_internal boolean);

COMMENT ON TYPE sdc.cell_risk IS
'one cell and sensitive column: its records, their different values, the most frequent value and its records and share, and how many members must pool their values to learn the rest';

CREATE FUNCTION sdc.risk_cells(
    relation regclass,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    coalition integer DEFAULT 0,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.cell_risk
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_risk_cells';

COMMENT ON FUNCTION sdc.risk_cells(regclass, sdc.columns, sdc.columns, integer, jsonb) IS
'what an outsider, or a coalition of members, learns of the sensitive columns in each cell of equal keys, worst first; params: only_disclosed, limit, nulls';
