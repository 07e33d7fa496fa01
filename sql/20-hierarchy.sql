-- hierarchy: what values become when they are generalized, level by level.

CREATE TABLE sdc.hierarchy (
    hierarchy text PRIMARY KEY,
    kind text NOT NULL,
    params jsonb,
    levels integer NOT NULL,
    owner name NOT NULL);

COMMENT ON TABLE sdc.hierarchy IS
'the hierarchies of this database; written by create_hierarchy and drop_hierarchy only';
COMMENT ON COLUMN sdc.hierarchy.hierarchy IS
'name of the hierarchy';
COMMENT ON COLUMN sdc.hierarchy.kind IS
'table, prefix, interval, numeric, order, date or network';
COMMENT ON COLUMN sdc.hierarchy.params IS
'what the levels are made by, as it was given';
COMMENT ON COLUMN sdc.hierarchy.levels IS
'number of levels, level 0 (the values themselves) counted';
COMMENT ON COLUMN sdc.hierarchy.owner IS
'role that created it; members of this role and superusers may drop it';

CREATE TABLE sdc.hierarchy_value (
    hierarchy text NOT NULL,
    place integer NOT NULL,
    levels text[] NOT NULL,
    PRIMARY KEY (hierarchy, place));

COMMENT ON TABLE sdc.hierarchy_value IS
'the values of the hierarchies of the kinds table and order';
COMMENT ON COLUMN sdc.hierarchy_value.hierarchy IS
'name of the hierarchy';
COMMENT ON COLUMN sdc.hierarchy_value.place IS
'position of the value, from 1';
COMMENT ON COLUMN sdc.hierarchy_value.levels IS
'the value and what it becomes on level 1, 2, ...';

-- A hierarchy holds the values of a domain, not records: everyone may read it.
GRANT SELECT ON sdc.hierarchy, sdc.hierarchy_value TO PUBLIC;

SELECT pg_catalog.pg_extension_config_dump('sdc.hierarchy', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.hierarchy_value', '');

CREATE FUNCTION sdc.create_hierarchy(
    hierarchy text,
    kind text,
    params jsonb)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_create_hierarchy';

COMMENT ON FUNCTION sdc.create_hierarchy(text, text, jsonb) IS
'creates a hierarchy of generalizations: kind is table, prefix, interval, numeric, order, date or network';

CREATE FUNCTION sdc.drop_hierarchy(hierarchy text)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_drop_hierarchy';

COMMENT ON FUNCTION sdc.drop_hierarchy(text) IS
'drops a hierarchy; only its owner and superusers may';

CREATE FUNCTION sdc.generalize(
    value anyelement,
    hierarchy text,
    level integer)
RETURNS text
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_generalize';

COMMENT ON FUNCTION sdc.generalize(anyelement, text, integer) IS
'what a value becomes on a level of a hierarchy; level 0 is the value itself as text';

-- A string without a type means text.
CREATE FUNCTION sdc.generalize(
    value text,
    hierarchy text,
    level integer)
RETURNS text
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_generalize';

COMMENT ON FUNCTION sdc.generalize(text, text, integer) IS
'what a value becomes on a level of a hierarchy; level 0 is the value itself as text';

CREATE FUNCTION sdc.hierarchy_height(hierarchy text)
RETURNS integer
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_hierarchy_height';

COMMENT ON FUNCTION sdc.hierarchy_height(text) IS
'the last level of a hierarchy: its number of levels less one';

CREATE FUNCTION sdc.hierarchy_levels(
    value anyelement,
    hierarchy text,
    OUT level integer,
    OUT label text)
RETURNS SETOF record
LANGUAGE c STABLE STRICT PARALLEL SAFE ROWS 5
AS 'MODULE_PATHNAME', 'sdcf_hierarchy_levels';

COMMENT ON FUNCTION sdc.hierarchy_levels(anyelement, text) IS
'what a value becomes on each level of a hierarchy';

CREATE FUNCTION sdc.hierarchy_levels(
    value text,
    hierarchy text,
    OUT level integer,
    OUT label text)
RETURNS SETOF record
LANGUAGE c STABLE STRICT PARALLEL SAFE ROWS 5
AS 'MODULE_PATHNAME', 'sdcf_hierarchy_levels';

COMMENT ON FUNCTION sdc.hierarchy_levels(text, text) IS
'what a value becomes on each level of a hierarchy';

CREATE FUNCTION sdc.check_hierarchy(
    relation regclass,
    column_name name,
    hierarchy text)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_check_hierarchy';

COMMENT ON FUNCTION sdc.check_hierarchy(regclass, name, text) IS
'how many groups the values of a column form on each level of a hierarchy, and what share of the domain they stand for; a value without a rule is an error that names its position';
