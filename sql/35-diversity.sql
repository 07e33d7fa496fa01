-- diversity: what the sensitive values of classes give away.

CREATE FUNCTION sdc.l_distinct_final(state sdc.tally)
RETURNS bigint
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_distinct_final';

COMMENT ON FUNCTION sdc.l_distinct_final(sdc.tally) IS
'final function of the aggregate l_distinct';

CREATE AGGREGATE sdc.l_distinct(sensitive "any") (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.l_distinct_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_distinct("any") IS
'distinct l-diversity of a block: the number of its sensitive values';

CREATE FUNCTION sdc.l_entropy_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_entropy_final';

COMMENT ON FUNCTION sdc.l_entropy_final(sdc.tally) IS
'final function of the aggregate l_entropy';

CREATE AGGREGATE sdc.l_entropy(sensitive "any") (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.l_entropy_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_entropy("any") IS
'entropy l-diversity of a block: exp of the entropy of its sensitive values';

CREATE FUNCTION sdc.l_frequency_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_frequency_final';

COMMENT ON FUNCTION sdc.l_frequency_final(sdc.tally) IS
'final function of the aggregate l_frequency';

CREATE AGGREGATE sdc.l_frequency(sensitive "any") (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.l_frequency_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_frequency("any") IS
'frequency l-diversity of a block: records over the count of the most frequent sensitive value';

CREATE FUNCTION sdc.tally_sensitive(
    state sdc.tally,
    sensitive "any",
    c float8)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc.tally_sensitive(sdc.tally, "any", float8) IS
'transition function that counts sensitive values';

CREATE FUNCTION sdc.l_recursive_final(state sdc.tally)
RETURNS integer
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_recursive_final';

COMMENT ON FUNCTION sdc.l_recursive_final(sdc.tally) IS
'final function of the aggregate l_recursive';

CREATE AGGREGATE sdc.l_recursive(sensitive "any", c float8) (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.l_recursive_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_recursive("any", float8) IS
'the largest l for which a block is recursive (c,l)-diverse, 0 if there is none';

CREATE FUNCTION sdc.tally_sensitive(
    state sdc.tally,
    sensitive "any",
    c float8,
    l float8)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc.tally_sensitive(sdc.tally, "any", float8, float8) IS
'transition function that counts sensitive values';

CREATE FUNCTION sdc.is_recursive_final(state sdc.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_recursive_final';

COMMENT ON FUNCTION sdc.is_recursive_final(sdc.tally) IS
'final function of the aggregate is_recursive';

CREATE AGGREGATE sdc.is_recursive(sensitive "any", c float8, l float8) (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.is_recursive_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_recursive("any", float8, float8) IS
'is a block recursive (c,l)-diverse: r1 < c (rl + .. + rm)';

CREATE FUNCTION sdc.tally_sensitive(
    state sdc.tally,
    sensitive "any",
    allowed text[],
    c float8,
    l float8)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc.tally_sensitive(sdc.tally, "any", text[], float8, float8) IS
'transition function that counts sensitive values';

CREATE FUNCTION sdc.is_pd_recursive_final(state sdc.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_pd_recursive_final';

COMMENT ON FUNCTION sdc.is_pd_recursive_final(sdc.tally) IS
'final function of the aggregate is_pd_recursive';

CREATE AGGREGATE sdc.is_pd_recursive(sensitive "any", allowed text[], c float8, l float8) (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.is_pd_recursive_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_pd_recursive("any", text[], float8, float8) IS
'is a block positive disclosure-recursive (c,l)-diverse, allowed values being free to be disclosed';

CREATE FUNCTION sdc.tally_sensitive(
    state sdc.tally,
    sensitive "any",
    allowed text[],
    protected text[],
    c float8,
    l float8,
    c2 float8)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc.tally_sensitive(sdc.tally, "any", text[], text[], float8, float8, float8) IS
'transition function that counts sensitive values';

CREATE FUNCTION sdc.is_npd_recursive_final(state sdc.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_npd_recursive_final';

COMMENT ON FUNCTION sdc.is_npd_recursive_final(sdc.tally) IS
'final function of the aggregate is_npd_recursive';

CREATE AGGREGATE sdc.is_npd_recursive(sensitive "any", allowed text[], protected text[], c float8, l float8, c2 float8) (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.is_npd_recursive_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_npd_recursive("any", text[], text[], float8, float8, float8) IS
'is a block negative/positive disclosure-recursive: pd-recursive, and each protected value has c2 percent of the records or more';

CREATE FUNCTION sdc.tally_classes(
    state sdc.tally,
    keys "any",
    sensitive "any",
    method text)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_classes';

COMMENT ON FUNCTION sdc.tally_classes(sdc.tally, "any", "any", text) IS
'transition function that counts the rows of each sensitive value in each class';

CREATE FUNCTION sdc.l_diversity_final(state sdc.tally)
RETURNS bigint
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_diversity_final';

COMMENT ON FUNCTION sdc.l_diversity_final(sdc.tally) IS
'final function of the aggregate l_diversity';

CREATE AGGREGATE sdc.l_diversity(keys "any", sensitive "any") (
    SFUNC = sdc.tally_classes,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.l_diversity_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_diversity("any", "any") IS
'distinct l-diversity of a file: the fewest sensitive values of a class';

CREATE FUNCTION sdc.l_diversity_method_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_diversity_method_final';

COMMENT ON FUNCTION sdc.l_diversity_method_final(sdc.tally) IS
'final function of the aggregate l_diversity with a method';

CREATE AGGREGATE sdc.l_diversity(keys "any", sensitive "any", method text) (
    SFUNC = sdc.tally_classes,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.l_diversity_method_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_diversity("any", "any", text) IS
'l-diversity of the worst class; method distinct, entropy or frequency';

CREATE FUNCTION sdc.t_closeness_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_t_closeness_final';

COMMENT ON FUNCTION sdc.t_closeness_final(sdc.tally) IS
'final function of the aggregate t_closeness';

CREATE AGGREGATE sdc.t_closeness(keys "any", sensitive "any") (
    SFUNC = sdc.tally_classes,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.t_closeness_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.t_closeness("any", "any") IS
't-closeness: the largest earth mover distance between a class and the file, any two values being 1 apart';

CREATE AGGREGATE sdc.t_closeness(keys "any", sensitive "any", method text) (
    SFUNC = sdc.tally_classes,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.t_closeness_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.t_closeness("any", "any", text) IS
't-closeness; method equal, ordered (values apart by rank) or hierarchical:NAME (by their lowest common group)';
