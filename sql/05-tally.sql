-- tally: the state of aggregates that count combinations of values.

CREATE TYPE sdc_internal.tally;

CREATE FUNCTION sdc_internal.tally_in(cstring)
RETURNS sdc_internal.tally
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_in';

CREATE FUNCTION sdc_internal.tally_out(sdc_internal.tally)
RETURNS cstring
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_out';

CREATE FUNCTION sdc_internal.tally_recv(internal)
RETURNS sdc_internal.tally
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_recv';

CREATE FUNCTION sdc_internal.tally_send(sdc_internal.tally)
RETURNS bytea
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_send';

COMMENT ON FUNCTION sdc_internal.tally_in(cstring) IS
'reads a state from its text form';
COMMENT ON FUNCTION sdc_internal.tally_out(sdc_internal.tally) IS
'writes a state in its text form';
COMMENT ON FUNCTION sdc_internal.tally_recv(internal) IS
'reads a state from its binary form';
COMMENT ON FUNCTION sdc_internal.tally_send(sdc_internal.tally) IS
'writes a state in its binary form';

CREATE TYPE sdc_internal.tally (
    INPUT = sdc_internal.tally_in,
    OUTPUT = sdc_internal.tally_out,
    RECEIVE = sdc_internal.tally_recv,
    SEND = sdc_internal.tally_send,
    INTERNALLENGTH = VARIABLE,
    ALIGNMENT = double,
    STORAGE = extended);

COMMENT ON TYPE sdc_internal.tally IS
'how often each combination of values occurs: the state of counting aggregates, which travels between workers and servers';

CREATE FUNCTION sdc_internal.tally_keys(state sdc_internal.tally, keys "any")
RETURNS sdc_internal.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_keys';

COMMENT ON FUNCTION sdc_internal.tally_keys(sdc_internal.tally, "any") IS
'transition function that counts the rows of each class';

CREATE FUNCTION sdc_internal.tally_sensitive(state sdc_internal.tally, sensitive "any")
RETURNS sdc_internal.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc_internal.tally_sensitive(sdc_internal.tally, "any") IS
'transition function that counts the rows of each sensitive value';

CREATE FUNCTION sdc_internal.tally_classes(
    state sdc_internal.tally,
    keys "any",
    sensitive "any")
RETURNS sdc_internal.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_classes';

COMMENT ON FUNCTION sdc_internal.tally_classes(sdc_internal.tally, "any", "any") IS
'transition function that counts the rows of each sensitive value in each class';

CREATE FUNCTION sdc_internal.tally_combine(state sdc_internal.tally, other sdc_internal.tally)
RETURNS sdc_internal.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_combine';

COMMENT ON FUNCTION sdc_internal.tally_combine(sdc_internal.tally, sdc_internal.tally) IS
'combine function of all aggregates with this state';

CREATE FUNCTION sdc_internal.tally_keys(state sdc_internal.tally, keys text)
RETURNS sdc_internal.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_keys';

COMMENT ON FUNCTION sdc_internal.tally_keys(sdc_internal.tally, text) IS
'tally_keys of texts, for Citus, whose workers take no argument of type "any"';

CREATE FUNCTION sdc_internal.tally_classes(
    state sdc_internal.tally,
    keys text,
    sensitive text)
RETURNS sdc_internal.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_classes';

COMMENT ON FUNCTION sdc_internal.tally_classes(sdc_internal.tally, text, text) IS
'tally_classes of texts, for Citus, whose workers take no argument of type "any"';

CREATE FUNCTION sdc.cell(VARIADIC "values" "any")
RETURNS text
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_cell';

COMMENT ON FUNCTION sdc.cell("any") IS
'a combination of values as one text, equal if and only if they are: what an aggregate of ROW(...) needs where rows are on the workers of Citus';
