-- roles: what each column of a relation is.

CREATE TABLE sdc.role (
    relation regclass NOT NULL,
    column_name name NOT NULL,
    role text NOT NULL,
    type text NOT NULL,
    place integer NOT NULL,
    column_place text,
    PRIMARY KEY (relation, column_name),
    CHECK (role OPERATOR(pg_catalog.=) ANY (ARRAY['id', 'identifier', 'key',
        'sensitive', 'weight', 'strata', 'household', 'insensitive',
        'person', 'time', 'item', 'amount'])));

COMMENT ON TABLE sdc.role IS
'the declared roles of columns; written by sdc.declare only';
COMMENT ON COLUMN sdc.role.type IS
'type of the column when it was declared; sdc.drift compares it with the present one';
COMMENT ON COLUMN sdc.role.place IS
'order of the columns within the declaration';
COMMENT ON COLUMN sdc.role.column_place IS
'where the column was when it was declared: another one that has taken its name is not it';

REVOKE ALL ON sdc.role FROM PUBLIC;

-- A row whose table was dropped is not dumped: its number could be that of
-- another table where the dump is restored.
SELECT pg_catalog.pg_extension_config_dump('sdc.role',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid OPERATOR(pg_catalog.=) relation)');

CREATE TABLE sdc.null_meaning (
    relation regclass PRIMARY KEY,
    nulls text NOT NULL,
    CHECK (nulls OPERATOR(pg_catalog.=) ANY (ARRAY['category', 'wildcard',
        'ignore'])));

COMMENT ON TABLE sdc.null_meaning IS
'what a NULL in a relation means; written by sdc.declare, and by the functions that write NULL for a suppressed value';
COMMENT ON COLUMN sdc.null_meaning.nulls IS
'category, wildcard or ignore';

REVOKE ALL ON sdc.null_meaning FROM PUBLIC;

SELECT pg_catalog.pg_extension_config_dump('sdc.null_meaning',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid OPERATOR(pg_catalog.=) relation)');

CREATE TYPE sdc.column_role AS (
    column_name name,
    role text,
    type text,
    inherited_from regclass);

COMMENT ON TYPE sdc.column_role IS
'role of a column: id, identifier, key, sensitive, weight, strata, household, insensitive, person, time, item or amount; the type it had then; the partitioned table it was declared for, when not the relation itself';

CREATE FUNCTION sdc.declare(
    relation regclass,
    id name DEFAULT NULL,
    identifiers sdc.columns DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    weight name DEFAULT NULL,
    strata sdc.columns DEFAULT NULL,
    household name DEFAULT NULL,
    insensitive sdc.columns DEFAULT NULL,
    nulls text DEFAULT NULL,
    person name DEFAULT NULL,
    at name DEFAULT NULL,
    item name DEFAULT NULL,
    amount name DEFAULT NULL)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_declare';

COMMENT ON FUNCTION sdc.declare(regclass, name, sdc.columns, sdc.columns, sdc.columns, name, sdc.columns, name, sdc.columns, text, name, name, name, name) IS
'declares what each column of a relation is, in place of what was declared before, and what a NULL in it means: category, wildcard or ignore, without the argument as before; where rows are events, person says whose, and at, item and amount what is known of them; with relation alone the declaration is removed';

CREATE FUNCTION sdc.declared_nulls(relation regclass)
RETURNS text
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_declared_nulls';

COMMENT ON FUNCTION sdc.declared_nulls(regclass) IS
'what a NULL in a relation means to every function that counts it: category (one more value), wildcard (in a key any value) or ignore (not counted); NULL when nothing was declared, which counts as category; a partition has what its parent says unless it has its own';

CREATE FUNCTION sdc.declared(relation regclass)
RETURNS SETOF sdc.column_role
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_declared';

COMMENT ON FUNCTION sdc.declared(regclass) IS
'roles of the columns of a relation; a partition has those of its parent unless it has its own';
