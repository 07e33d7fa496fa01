-- sdc: statistical disclosure control inside PostgreSQL.
-- The script is joined from the numbered parts in sql/, one per topic.
\echo Use "CREATE EXTENSION sdc" to load this file. \quit

-- Who can read a table may mask and measure it; nobody gets a right by this.
GRANT USAGE ON SCHEMA sdc TO PUBLIC;

-- What aggregates and views are made of: nobody calls it, and without USAGE
-- nobody can.  PostgreSQL lets everyone use an aggregate whose owner may call
-- its parts.
CREATE SCHEMA sdc_internal;

COMMENT ON SCHEMA sdc_internal IS
'parts of the aggregates and views of sdc, which nobody calls by name';

CREATE FUNCTION sdc_internal.check_creation()
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_check_creation';

COMMENT ON FUNCTION sdc_internal.check_creation() IS
'stops a script of the extension where default privileges, or the owner of a schema that was there, would give others rights to it';

REVOKE ALL ON FUNCTION sdc_internal.check_creation() FROM PUBLIC;

SELECT sdc_internal.check_creation();
