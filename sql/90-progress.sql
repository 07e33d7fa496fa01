-- progress: how far the calls of sdc have come, in every session.

CREATE FUNCTION sdc_internal.progress(
    OUT pid integer,
    OUT database name,
    OUT role name,
    OUT function text,
    OUT stage text,
    OUT percent float8,
    OUT elapsed interval,
    OUT remaining interval)
RETURNS SETOF record
LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED ROWS 4
AS 'MODULE_PATHNAME', 'sdcf_progress';

COMMENT ON FUNCTION sdc_internal.progress() IS
'the rows of the view sdc.progress';

CREATE VIEW sdc.progress AS
SELECT p.pid, p.database, p.role, p.function, p.stage, p.percent, p.elapsed,
       p.remaining
FROM sdc_internal.progress() AS p;

GRANT SELECT ON sdc.progress TO PUBLIC;

COMMENT ON VIEW sdc.progress IS
'one row per session in which a call of sdc has been running for a while';
COMMENT ON COLUMN sdc.progress.pid IS
'process of the session, as in pg_stat_activity';
COMMENT ON COLUMN sdc.progress.database IS
'database of the session; this and all that follows is NULL for the sessions of others, unless the reader is a member of pg_read_all_stats';
COMMENT ON COLUMN sdc.progress.role IS
'role that logged in';
COMMENT ON COLUMN sdc.progress.function IS
'function that was called';
COMMENT ON COLUMN sdc.progress.stage IS
'what the function is doing now';
COMMENT ON COLUMN sdc.progress.percent IS
'share of the stage that is done, NULL while it is not known';
COMMENT ON COLUMN sdc.progress.elapsed IS
'time since the call started';
COMMENT ON COLUMN sdc.progress.remaining IS
'time until the end of the stage at its present pace, NULL while it is not known';
