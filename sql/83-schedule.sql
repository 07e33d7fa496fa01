-- schedule: releases on a schedule, by pg_cron.

CREATE FUNCTION sdc.schedule(
    policy text,
    schedule text,
    target text DEFAULT NULL)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_schedule';

COMMENT ON FUNCTION sdc.schedule(text, text, text) IS
'has pg_cron call release for a policy, as the caller, on a schedule in the notation of cron, and returns the number of the job; a second call replaces the job, a NULL schedule removes it';

REVOKE ALL ON FUNCTION sdc.schedule(text, text, text) FROM PUBLIC;
