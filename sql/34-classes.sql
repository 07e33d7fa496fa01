-- classes: aggregates over the classes of a file.

CREATE FUNCTION sdc.k_anonymity_final(state sdc.tally)
RETURNS bigint
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_k_anonymity_final';

COMMENT ON FUNCTION sdc.k_anonymity_final(sdc.tally) IS
'final function of the aggregate k_anonymity';

CREATE AGGREGATE sdc.k_anonymity(keys "any") (
    SFUNC = sdc.tally_keys,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.k_anonymity_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.k_anonymity("any") IS
'records of the smallest class of equal keys, a column or ROW(...) of several';

CREATE FUNCTION sdc.class_histogram_final(state sdc.tally)
RETURNS jsonb
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_class_histogram_final';

COMMENT ON FUNCTION sdc.class_histogram_final(sdc.tally) IS
'final function of the aggregate class_histogram';

CREATE AGGREGATE sdc.class_histogram(keys "any") (
    SFUNC = sdc.tally_keys,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.class_histogram_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.class_histogram("any") IS
'how many classes there are of each size';

CREATE FUNCTION sdc.unique_count_final(state sdc.tally)
RETURNS bigint
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_unique_count_final';

COMMENT ON FUNCTION sdc.unique_count_final(sdc.tally) IS
'final function of the aggregate unique_count';

CREATE AGGREGATE sdc.unique_count(keys "any") (
    SFUNC = sdc.tally_keys,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.unique_count_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.unique_count("any") IS
'number of classes of one record';

CREATE FUNCTION sdc.average_class_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_average_class_final';

COMMENT ON FUNCTION sdc.average_class_final(sdc.tally) IS
'final function of the aggregate average_class';

CREATE AGGREGATE sdc.average_class(keys "any") (
    SFUNC = sdc.tally_keys,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.average_class_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.average_class("any") IS
'records for each class on average';

CREATE FUNCTION sdc.discernibility_final(state sdc.tally)
RETURNS numeric
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_discernibility_final';

COMMENT ON FUNCTION sdc.discernibility_final(sdc.tally) IS
'final function of the aggregate discernibility';

CREATE AGGREGATE sdc.discernibility(keys "any") (
    SFUNC = sdc.tally_keys,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.discernibility_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.discernibility("any") IS
'discernibility metric: the sum of the squared sizes of the classes';

CREATE FUNCTION sdc.tally_weighted(
    state sdc.tally,
    keys "any",
    weight float8)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_weighted';

COMMENT ON FUNCTION sdc.tally_weighted(sdc.tally, "any", float8) IS
'transition function that counts the weights of each class';

CREATE FUNCTION sdc.expected_reids_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_expected_reids_final';

COMMENT ON FUNCTION sdc.expected_reids_final(sdc.tally) IS
'final function of the aggregate expected_reids';

CREATE AGGREGATE sdc.expected_reids(keys "any", weight float8) (
    SFUNC = sdc.tally_weighted,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.expected_reids_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.expected_reids("any", float8) IS
'expected number of right re-identifications: the sum of the individual risks after Benedetti and Franconi';
