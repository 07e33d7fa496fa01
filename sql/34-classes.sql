-- classes: aggregates over the classes of a file.

CREATE FUNCTION sdc_internal.k_anonymity_final(state sdc_internal.tally)
RETURNS bigint
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_k_anonymity_final';

COMMENT ON FUNCTION sdc_internal.k_anonymity_final(sdc_internal.tally) IS
'final function of the aggregate k_anonymity';

CREATE AGGREGATE sdc.k_anonymity(keys "any") (
    SFUNC = sdc_internal.tally_keys,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.k_anonymity_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.k_anonymity("any") IS
'records of the smallest class of equal keys, a column or ROW(...) of several';

CREATE AGGREGATE sdc.k_anonymity(keys text) (
    SFUNC = sdc_internal.tally_keys,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.k_anonymity_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.k_anonymity(text) IS
'records of the smallest class of equal keys, a column or ROW(...) of several; the form for texts, which Citus can run on its workers: see sdc.cell';

CREATE FUNCTION sdc_internal.class_histogram_final(state sdc_internal.tally)
RETURNS jsonb
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_class_histogram_final';

COMMENT ON FUNCTION sdc_internal.class_histogram_final(sdc_internal.tally) IS
'final function of the aggregate class_histogram';

CREATE AGGREGATE sdc.class_histogram(keys "any") (
    SFUNC = sdc_internal.tally_keys,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.class_histogram_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.class_histogram("any") IS
'how many classes there are of each size';

CREATE AGGREGATE sdc.class_histogram(keys text) (
    SFUNC = sdc_internal.tally_keys,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.class_histogram_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.class_histogram(text) IS
'how many classes there are of each size; the form for texts, which Citus can run on its workers: see sdc.cell';

CREATE FUNCTION sdc_internal.unique_count_final(state sdc_internal.tally)
RETURNS bigint
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_unique_count_final';

COMMENT ON FUNCTION sdc_internal.unique_count_final(sdc_internal.tally) IS
'final function of the aggregate unique_count';

CREATE AGGREGATE sdc.unique_count(keys "any") (
    SFUNC = sdc_internal.tally_keys,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.unique_count_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.unique_count("any") IS
'number of classes of one record';

CREATE AGGREGATE sdc.unique_count(keys text) (
    SFUNC = sdc_internal.tally_keys,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.unique_count_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.unique_count(text) IS
'number of classes of one record; the form for texts, which Citus can run on its workers: see sdc.cell';

CREATE FUNCTION sdc_internal.average_class_final(state sdc_internal.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_average_class_final';

COMMENT ON FUNCTION sdc_internal.average_class_final(sdc_internal.tally) IS
'final function of the aggregate average_class';

CREATE AGGREGATE sdc.average_class(keys "any") (
    SFUNC = sdc_internal.tally_keys,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.average_class_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.average_class("any") IS
'average number of records in a class';

CREATE AGGREGATE sdc.average_class(keys text) (
    SFUNC = sdc_internal.tally_keys,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.average_class_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.average_class(text) IS
'average number of records in a class; the form for texts, which Citus can run on its workers: see sdc.cell';

CREATE FUNCTION sdc_internal.discernibility_final(state sdc_internal.tally)
RETURNS numeric
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_discernibility_final';

COMMENT ON FUNCTION sdc_internal.discernibility_final(sdc_internal.tally) IS
'final function of the aggregate discernibility';

CREATE AGGREGATE sdc.discernibility(keys "any") (
    SFUNC = sdc_internal.tally_keys,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.discernibility_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.discernibility("any") IS
'discernibility metric: the sum of the squared sizes of the classes';

CREATE AGGREGATE sdc.discernibility(keys text) (
    SFUNC = sdc_internal.tally_keys,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.discernibility_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.discernibility(text) IS
'discernibility metric: the sum of the squared sizes of the classes; the form for texts, which Citus can run on its workers: see sdc.cell';

CREATE FUNCTION sdc_internal.tally_weighted(
    state sdc_internal.tally,
    keys "any",
    weight float8)
RETURNS sdc_internal.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_weighted';

COMMENT ON FUNCTION sdc_internal.tally_weighted(sdc_internal.tally, "any", float8) IS
'transition function that counts the weights of each class';

CREATE FUNCTION sdc_internal.expected_reids_final(state sdc_internal.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_expected_reids_final';

COMMENT ON FUNCTION sdc_internal.expected_reids_final(sdc_internal.tally) IS
'final function of the aggregate expected_reids';

CREATE AGGREGATE sdc.expected_reids(keys "any", weight float8) (
    SFUNC = sdc_internal.tally_weighted,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.expected_reids_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.expected_reids("any", float8) IS
'expected number of right re-identifications: the sum of the individual risks after Benedetti and Franconi';
