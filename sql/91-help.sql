-- help: which function does what, and the rights that a job needs.

CREATE FUNCTION sdc.help(
    job text DEFAULT NULL,
    OUT topic text,
    OUT says text)
RETURNS SETOF record
LANGUAGE c STABLE PARALLEL UNSAFE ROWS 20
AS 'MODULE_PATHNAME', 'sdcf_help';

COMMENT ON FUNCTION sdc.help(text) IS
'the jobs that sdc is for, or the functions of one job with an example that runs, or the forms of one function';

CREATE FUNCTION sdc.grant_to(
    role regrole,
    job text,
    OUT privilege text,
    OUT object text)
RETURNS SETOF record
LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 20
AS 'MODULE_PATHNAME', 'sdcf_grant_to';

COMMENT ON FUNCTION sdc.grant_to(regrole, text) IS
'gives a role the rights on sdc that a job needs: steward, publisher, analyst or auditor; rights on your own tables are not among them';

REVOKE ALL ON FUNCTION sdc.grant_to(regrole, text) FROM PUBLIC;
