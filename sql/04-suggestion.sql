-- suggestion: roles for columns that have none.

CREATE TYPE sdc.role_suggestion AS (
    column_name name,
    role text,
    reason text,
    distinction float8,
    separation float8);

COMMENT ON TYPE sdc.role_suggestion IS
'a role that a column may have, and why; different values per record, and the share of pairs of records that differ, in this column alone';

CREATE FUNCTION sdc.suggest(
    relation regclass,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.role_suggestion
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_suggest';

COMMENT ON FUNCTION sdc.suggest(regclass, jsonb) IS
'suggests a role for each column of a relation by its name, type and number of values; a proposal to check, not a decision';

CREATE FUNCTION sdc.drift(relation regclass)
RETURNS SETOF sdc.role_suggestion
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_drift';

COMMENT ON FUNCTION sdc.drift(regclass) IS
'columns that differ from the declaration, or from what a policy was written for: added and without a role, of another type, dropped or renamed; no rows when nothing is to be decided';

CREATE TYPE sdc.personal AS (
    relation regclass,
    column_name name,
    kind text,
    by_name text,
    by_value text,
    share float8,
    role text,
    rule jsonb);

COMMENT ON TYPE sdc.personal IS
'the personal data that a column seems to hold, by its name and by a share of its values; the role that it may have, and a rule for it';

CREATE FUNCTION sdc.find_personal(
    schema name,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.personal
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_find_personal';

COMMENT ON FUNCTION sdc.find_personal(name, jsonb) IS
'columns of all tables of a schema that seem to hold personal data, found by their names and values in several languages; a column without values and without a telling name is undecided; a proposal to check, not a decision';
