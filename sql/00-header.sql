-- sdc: statistical disclosure control inside PostgreSQL.
-- The script is joined from the numbered parts in sql/, one per topic.
\echo Use "CREATE EXTENSION sdc" to load this file. \quit


-- Masks and measures only compute on what the caller can read anyway.
GRANT USAGE ON SCHEMA sdc TO PUBLIC;
