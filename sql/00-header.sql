-- sdc: statistical disclosure control inside PostgreSQL.
-- The script is joined from the numbered parts in sql/, one per topic.
\echo Use "CREATE EXTENSION sdc" to load this file. \quit

-- Who can read a table may mask and measure it; nobody gets a right by this.
GRANT USAGE ON SCHEMA sdc TO PUBLIC;

-- What aggregates are made of.  Nobody calls it, so nobody needs USAGE: the
-- executor asks for rights on the aggregate, not on its functions.
CREATE SCHEMA sdc_internal;
COMMENT ON SCHEMA sdc_internal IS
'support functions of the aggregates of sdc; not to be called';
