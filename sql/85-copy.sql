-- copy: a safe copy of a whole schema, and the proof that it is one.

CREATE TYPE sdc.copy_column AS (
    relation regclass,
    column_name name,
    kind text,
    decided_by text,
    method text,
    rule jsonb);

COMMENT ON TYPE sdc.copy_column IS
'what a copy of a schema does to a column, and what has decided so: a rule for the column, a foreign key, a rule for its kind, role or type, what was found in it, or nobody';

CREATE FUNCTION sdc.plan_copy(
    schema name,
    rules jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.copy_column
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_plan_copy';

COMMENT ON FUNCTION sdc.plan_copy(name, jsonb, jsonb) IS
'what copy_schema would do to each column of a schema, and why; changes nothing';

CREATE FUNCTION sdc.copy_schema(
    schema name,
    target name,
    rules jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_copy_schema';

COMMENT ON FUNCTION sdc.copy_schema(name, name, jsonb, jsonb, bigint) IS
'copies all tables of a schema into a new one, masked, with constraints, indexes and foreign keys; refuses when a column has no decision or an original identifier is left';

CREATE FUNCTION sdc.check_copy(
    schema name,
    target name)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_check_copy';

COMMENT ON FUNCTION sdc.check_copy(name, name) IS
'orphans, constraints that were not validated, and original identifiers in a copy of a schema; all three should be 0';
