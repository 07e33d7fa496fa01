-- diversity: what the sensitive values of classes give away.

CREATE FUNCTION sdc_internal.l_distinct_final(state sdc_internal.tally)
RETURNS bigint
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_distinct_final';

COMMENT ON FUNCTION sdc_internal.l_distinct_final(sdc_internal.tally) IS
'final function of the aggregate l_distinct';

CREATE AGGREGATE sdc.l_distinct(sensitive "any") (
    SFUNC = sdc_internal.tally_sensitive,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.l_distinct_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_distinct("any") IS
'distinct l-diversity of a block: the number of its sensitive values';

CREATE FUNCTION sdc_internal.l_entropy_final(state sdc_internal.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_entropy_final';

COMMENT ON FUNCTION sdc_internal.l_entropy_final(sdc_internal.tally) IS
'final function of the aggregate l_entropy';

CREATE AGGREGATE sdc.l_entropy(sensitive "any") (
    SFUNC = sdc_internal.tally_sensitive,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.l_entropy_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_entropy("any") IS
'entropy l-diversity of a block: exp of the entropy of its sensitive values';

CREATE FUNCTION sdc_internal.l_frequency_final(state sdc_internal.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_frequency_final';

COMMENT ON FUNCTION sdc_internal.l_frequency_final(sdc_internal.tally) IS
'final function of the aggregate l_frequency';

CREATE AGGREGATE sdc.l_frequency(sensitive "any") (
    SFUNC = sdc_internal.tally_sensitive,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.l_frequency_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_frequency("any") IS
'frequency l-diversity of a block: records over the count of the most frequent sensitive value';

CREATE FUNCTION sdc_internal.tally_sensitive(
    state sdc_internal.tally,
    sensitive "any",
    c float8)
RETURNS sdc_internal.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc_internal.tally_sensitive(sdc_internal.tally, "any", float8) IS
'transition function that counts sensitive values';

CREATE FUNCTION sdc_internal.l_recursive_final(state sdc_internal.tally)
RETURNS integer
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_recursive_final';

COMMENT ON FUNCTION sdc_internal.l_recursive_final(sdc_internal.tally) IS
'final function of the aggregate l_recursive';

CREATE AGGREGATE sdc.l_recursive(sensitive "any", c float8) (
    SFUNC = sdc_internal.tally_sensitive,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.l_recursive_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_recursive("any", float8) IS
'the largest l for which a block is recursive (c,l)-diverse, 0 if there is none';

CREATE FUNCTION sdc_internal.tally_sensitive(
    state sdc_internal.tally,
    sensitive "any",
    c float8,
    l float8)
RETURNS sdc_internal.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc_internal.tally_sensitive(sdc_internal.tally, "any", float8, float8) IS
'transition function that counts sensitive values';

CREATE FUNCTION sdc_internal.is_recursive_final(state sdc_internal.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_recursive_final';

COMMENT ON FUNCTION sdc_internal.is_recursive_final(sdc_internal.tally) IS
'final function of the aggregate is_recursive';

CREATE AGGREGATE sdc.is_recursive(sensitive "any", c float8, l float8) (
    SFUNC = sdc_internal.tally_sensitive,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.is_recursive_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_recursive("any", float8, float8) IS
'is a block recursive (c,l)-diverse: r1 < c (rl + .. + rm)';

CREATE FUNCTION sdc_internal.tally_sensitive(
    state sdc_internal.tally,
    sensitive "any",
    allowed text[],
    c float8,
    l float8)
RETURNS sdc_internal.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc_internal.tally_sensitive(sdc_internal.tally, "any", text[], float8, float8) IS
'transition function that counts sensitive values';

CREATE FUNCTION sdc_internal.is_pd_recursive_final(state sdc_internal.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_pd_recursive_final';

COMMENT ON FUNCTION sdc_internal.is_pd_recursive_final(sdc_internal.tally) IS
'final function of the aggregate is_pd_recursive';

CREATE AGGREGATE sdc.is_pd_recursive(sensitive "any", allowed text[], c float8, l float8) (
    SFUNC = sdc_internal.tally_sensitive,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.is_pd_recursive_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_pd_recursive("any", text[], float8, float8) IS
'is a block positive disclosure-recursive (c,l)-diverse, allowed values being free to be disclosed';

CREATE FUNCTION sdc_internal.tally_sensitive(
    state sdc_internal.tally,
    sensitive "any",
    allowed text[],
    protected text[],
    c float8,
    l float8,
    c2 float8)
RETURNS sdc_internal.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc_internal.tally_sensitive(sdc_internal.tally, "any", text[], text[], float8, float8, float8) IS
'transition function that counts sensitive values';

CREATE FUNCTION sdc_internal.is_npd_recursive_final(state sdc_internal.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_npd_recursive_final';

COMMENT ON FUNCTION sdc_internal.is_npd_recursive_final(sdc_internal.tally) IS
'final function of the aggregate is_npd_recursive';

CREATE AGGREGATE sdc.is_npd_recursive(sensitive "any", allowed text[], protected text[], c float8, l float8, c2 float8) (
    SFUNC = sdc_internal.tally_sensitive,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.is_npd_recursive_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_npd_recursive("any", text[], text[], float8, float8, float8) IS
'is a block negative/positive disclosure-recursive: pd-recursive, and each protected value has c2 percent of the records or more';

CREATE FUNCTION sdc_internal.tally_classes(
    state sdc_internal.tally,
    keys "any",
    sensitive "any",
    variant text)
RETURNS sdc_internal.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_classes';

COMMENT ON FUNCTION sdc_internal.tally_classes(sdc_internal.tally, "any", "any", text) IS
'transition function that counts the rows of each sensitive value in each class';

CREATE FUNCTION sdc_internal.l_diversity_final(state sdc_internal.tally)
RETURNS bigint
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_diversity_final';

COMMENT ON FUNCTION sdc_internal.l_diversity_final(sdc_internal.tally) IS
'final function of the aggregate l_diversity';

CREATE AGGREGATE sdc.l_diversity(keys "any", sensitive "any") (
    SFUNC = sdc_internal.tally_classes,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.l_diversity_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_diversity("any", "any") IS
'distinct l-diversity of a file: the fewest sensitive values of a class';

CREATE AGGREGATE sdc.l_diversity(keys text, sensitive text) (
    SFUNC = sdc_internal.tally_classes,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.l_diversity_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_diversity(text, text) IS
'distinct l-diversity of a file: the fewest sensitive values of a class; the form for texts, which Citus can run on its workers: see sdc.cell';

CREATE FUNCTION sdc_internal.l_diversity_method_final(state sdc_internal.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_diversity_method_final';

COMMENT ON FUNCTION sdc_internal.l_diversity_method_final(sdc_internal.tally) IS
'final function of the aggregate l_diversity with a method';

CREATE AGGREGATE sdc.l_diversity(keys "any", sensitive "any", variant text) (
    SFUNC = sdc_internal.tally_classes,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.l_diversity_method_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_diversity("any", "any", text) IS
'l-diversity of the worst class; variant distinct, entropy or frequency';

CREATE FUNCTION sdc_internal.t_closeness_final(state sdc_internal.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_t_closeness_final';

COMMENT ON FUNCTION sdc_internal.t_closeness_final(sdc_internal.tally) IS
'final function of the aggregate t_closeness';

CREATE AGGREGATE sdc.t_closeness(keys "any", sensitive "any") (
    SFUNC = sdc_internal.tally_classes,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.t_closeness_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.t_closeness("any", "any") IS
't-closeness: the largest earth mover distance between a class and the file, any two values being 1 apart';

CREATE AGGREGATE sdc.t_closeness(keys text, sensitive text) (
    SFUNC = sdc_internal.tally_classes,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.t_closeness_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.t_closeness(text, text) IS
't-closeness: the largest earth mover distance between a class and the file, any two values being 1 apart; the form for texts, which Citus can run on its workers: see sdc.cell';

CREATE AGGREGATE sdc.t_closeness(keys "any", sensitive "any", variant text) (
    SFUNC = sdc_internal.tally_classes,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.t_closeness_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.t_closeness("any", "any", text) IS
't-closeness; variant equal, ordered (values apart by rank) or hierarchical:NAME (by their lowest common group)';
