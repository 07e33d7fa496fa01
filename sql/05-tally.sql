-- tally: the state of aggregates that count combinations of values.

CREATE TYPE sdc.tally;

CREATE FUNCTION sdc.tally_in(cstring)
RETURNS sdc.tally
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_in';

CREATE FUNCTION sdc.tally_out(sdc.tally)
RETURNS cstring
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_out';

CREATE FUNCTION sdc.tally_recv(internal)
RETURNS sdc.tally
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_recv';

CREATE FUNCTION sdc.tally_send(sdc.tally)
RETURNS bytea
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_send';

COMMENT ON FUNCTION sdc.tally_in(cstring) IS
'reads a state from its text form';
COMMENT ON FUNCTION sdc.tally_out(sdc.tally) IS
'writes a state in its text form';
COMMENT ON FUNCTION sdc.tally_recv(internal) IS
'reads a state from its binary form';
COMMENT ON FUNCTION sdc.tally_send(sdc.tally) IS
'writes a state in its binary form';

CREATE TYPE sdc.tally (
    INPUT = sdc.tally_in,
    OUTPUT = sdc.tally_out,
    RECEIVE = sdc.tally_recv,
    SEND = sdc.tally_send,
    INTERNALLENGTH = VARIABLE,
    ALIGNMENT = double,
    STORAGE = extended);

COMMENT ON TYPE sdc.tally IS
'how often each combination of values occurs: the state of counting aggregates, which travels between workers and servers';

CREATE FUNCTION sdc.tally_keys(state sdc.tally, keys "any")
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_keys';

COMMENT ON FUNCTION sdc.tally_keys(sdc.tally, "any") IS
'transition function that counts the rows of each class';

CREATE FUNCTION sdc.tally_sensitive(state sdc.tally, sensitive "any")
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc.tally_sensitive(sdc.tally, "any") IS
'transition function that counts the rows of each sensitive value';

CREATE FUNCTION sdc.tally_classes(
    state sdc.tally,
    keys "any",
    sensitive "any")
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_classes';

COMMENT ON FUNCTION sdc.tally_classes(sdc.tally, "any", "any") IS
'transition function that counts the rows of each sensitive value in each class';

CREATE FUNCTION sdc.tally_combine(state sdc.tally, other sdc.tally)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_combine';

COMMENT ON FUNCTION sdc.tally_combine(sdc.tally, sdc.tally) IS
'combine function of all aggregates with this state';
