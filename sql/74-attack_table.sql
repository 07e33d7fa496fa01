-- attack_table: what published tables tell about the cells they hide.

CREATE FUNCTION sdc.attack_table(
    relation regclass,
    keys sdc.columns,
    value name DEFAULT 'value',
    params jsonb DEFAULT NULL,
    OUT cell jsonb,
    OUT lowest float8,
    OUT highest float8,
    OUT exact boolean)
RETURNS SETOF record
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_table';

COMMENT ON FUNCTION sdc.attack_table(regclass, sdc.columns, name, jsonb) IS
'the interval that anybody can compute of each hidden (NULL) cell of a published table of values of at least 0, alone or with other tables that share cells, such as another release';

CREATE FUNCTION sdc.table_report(
    relation regclass,
    keys sdc.columns,
    value name DEFAULT 'value',
    measures sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_table_report';

COMMENT ON FUNCTION sdc.table_report(regclass, sdc.columns, name, sdc.columns, jsonb) IS
'how many cells a published table hides, how many of them can be computed exactly, how narrow their intervals are, and what it gives away together with an earlier one';

CREATE FUNCTION sdc.show_table(
    relation regclass,
    keys sdc.columns,
    value name DEFAULT 'value',
    format text DEFAULT 'text',
    params jsonb DEFAULT NULL)
RETURNS text
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_show_table';

COMMENT ON FUNCTION sdc.show_table(regclass, sdc.columns, name, text, jsonb) IS
'a published table as people read it: the labels of the last key across, those of the others down, hidden cells marked, with their intervals if params ask for them; text, csv or html';
