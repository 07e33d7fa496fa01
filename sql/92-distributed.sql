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

CREATE FUNCTION sdc.mask_figures(piece integer)
RETURNS bytea
LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_mask_figures';

COMMENT ON FUNCTION sdc.mask_figures(integer) IS
'a piece of what a mask of a distributed table has gathered of all rows, while it is sent to the servers; otherwise NULL';

CREATE FUNCTION sdc.shard_place(value anyelement, bounds integer[])
RETURNS integer
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_shard_place';

COMMENT ON FUNCTION sdc.shard_place(anyelement, integer[]) IS
'the number of the shard of a value of the distribution column, by the least hashes of the shards; masks call it on the servers of a distributed table';

CREATE FUNCTION sdc.content_hash(VARIADIC "values" "any")
RETURNS bigint
LANGUAGE c IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_content_hash';

COMMENT ON FUNCTION sdc.content_hash("any") IS
'a number that the stored bytes of values make; masks of a distributed table sort by it, so that rows do not lie as they did';

CREATE FUNCTION sdc.value_key(value anyelement)
RETURNS bigint
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_value_key';

COMMENT ON FUNCTION sdc.value_key(anyelement) IS
'the number that puts a value of a number, date or time in order, as value_counts counts it';

CREATE FUNCTION sdc_internal.value_counts_add(state bytea, key bigint)
RETURNS bytea
LANGUAGE c IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_value_counts_add';

COMMENT ON FUNCTION sdc_internal.value_counts_add(bytea, bigint) IS
'transition function of the aggregate value_counts';

CREATE FUNCTION sdc_internal.value_counts_join(state bytea, other bytea)
RETURNS bytea
LANGUAGE c IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_value_counts_join';

COMMENT ON FUNCTION sdc_internal.value_counts_join(bytea, bytea) IS
'combine function of the aggregate value_counts';

CREATE AGGREGATE sdc.value_counts(key bigint) (
    SFUNC = sdc_internal.value_counts_add,
    STYPE = bytea,
    COMBINEFUNC = sdc_internal.value_counts_join,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.value_counts(bigint) IS
'how often each number occurs, as one value; masks call it on the servers of a distributed table';

-- Not volatile, or Citus would bring all rows to the coordinator.
CREATE FUNCTION sdc.value_taken(
    value anyelement,
    place integer,
    figures bytea)
RETURNS anyelement
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_value_taken';

COMMENT ON FUNCTION sdc.value_taken(anyelement, integer, bytea) IS
'what a value becomes in the next row of a shard by figures that sdc.mask has gathered; masks call it on the servers of a distributed table';

CREATE FUNCTION sdc.keyed_noise(
    number integer,
    figures bytea,
    "row" bigint)
RETURNS float8
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_keyed_noise';

COMMENT ON FUNCTION sdc.keyed_noise(integer, bytea, bigint) IS
'the noise of a column in a row by figures that sdc.mask has gathered; masks call it on the servers of a distributed table';

CREATE FUNCTION sdc.part_of(record float8[], figures bytea)
RETURNS integer
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_part_of';

COMMENT ON FUNCTION sdc.part_of(float8[], bytea) IS
'the part of a record by cuts that sdc.mask has made; masks call it on the servers of a distributed table';

REVOKE ALL ON FUNCTION sdc_internal.take_rows(text, text, jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION sdc_internal.take_grants(jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION sdc.synchronize_workers() FROM PUBLIC;
