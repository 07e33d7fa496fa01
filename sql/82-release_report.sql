-- release_report: what a release published, at which risk, and why.

CREATE FUNCTION sdc.report(release bigint, format text DEFAULT 'text')
RETURNS text
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_report';

COMMENT ON FUNCTION sdc.report(bigint, text) IS
'what a release published, risk before and after, each attack and requirement, information loss, and the verdict in words; text, markdown, html (one page with charts) or json';

REVOKE ALL ON FUNCTION sdc.report(bigint, text) FROM PUBLIC;
