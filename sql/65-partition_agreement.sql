-- partition_agreement: how far two sets of labels agree.

CREATE FUNCTION sdc_internal.rand_index_final(state sdc_internal.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_rand_index_final';

COMMENT ON FUNCTION sdc_internal.rand_index_final(sdc_internal.tally) IS
'final function of the aggregate rand_index';

CREATE AGGREGATE sdc.rand_index(labels_original "any", labels_masked "any") (
    SFUNC = sdc_internal.tally_classes,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.rand_index_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.rand_index("any", "any") IS
'share of the pairs of records that two sets of labels both join or both part';

CREATE FUNCTION sdc_internal.jaccard_index_final(state sdc_internal.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_jaccard_index_final';

COMMENT ON FUNCTION sdc_internal.jaccard_index_final(sdc_internal.tally) IS
'final function of the aggregate jaccard_index';

CREATE AGGREGATE sdc.jaccard_index(labels_original "any", labels_masked "any") (
    SFUNC = sdc_internal.tally_classes,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.jaccard_index_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.jaccard_index("any", "any") IS
'pairs of records that both sets of labels join, of those that at least one joins';

CREATE FUNCTION sdc_internal.f_measure_final(state sdc_internal.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_f_measure_final';

COMMENT ON FUNCTION sdc_internal.f_measure_final(sdc_internal.tally) IS
'final function of the aggregate f_measure';

CREATE AGGREGATE sdc.f_measure(labels_original "any", labels_masked "any") (
    SFUNC = sdc_internal.tally_classes,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.f_measure_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.f_measure("any", "any") IS
'how well each original label is matched by its best masked one: weighted F';

CREATE FUNCTION sdc_internal.adjusted_rand_final(state sdc_internal.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_adjusted_rand_final';

COMMENT ON FUNCTION sdc_internal.adjusted_rand_final(sdc_internal.tally) IS
'final function of the aggregate adjusted_rand';

CREATE AGGREGATE sdc.adjusted_rand(labels_original "any", labels_masked "any") (
    SFUNC = sdc_internal.tally_classes,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.adjusted_rand_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.adjusted_rand("any", "any") IS
'agreement of two sets of labels corrected for chance: 0 by chance, 1 when they agree';
