-- distributed: what the workers of a coordinator need to know of sdc.

CREATE FUNCTION sdc_internal.take_rows(relation text, key text, content jsonb)
RETURNS boolean
LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_take_rows';

COMMENT ON FUNCTION sdc_internal.take_rows(text, text, jsonb) IS
'makes rows of a table of sdc on a worker those that its coordinator has sent';

CREATE FUNCTION sdc_internal.take_grants(content jsonb)
RETURNS boolean
LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_take_grants';

COMMENT ON FUNCTION sdc_internal.take_grants(jsonb) IS
'gives the functions of sdc on a worker the rights that its coordinator has sent';

CREATE FUNCTION sdc.synchronize_workers()
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_synchronize_workers';

COMMENT ON FUNCTION sdc.synchronize_workers() IS
'brings the keys of pseudonyms, the hierarchies and the rights to functions to all workers of Citus, and says how many there are: after a worker was added, and after GRANT';

REVOKE ALL ON FUNCTION sdc_internal.take_rows(text, text, jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION sdc_internal.take_grants(jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION sdc.synchronize_workers() FROM PUBLIC;
