-- cell_rules: may a cell of a table be published?

CREATE FUNCTION sdc_internal.tally_sensitive(
    state sdc_internal.tally,
    sensitive "any",
    coalition integer)
RETURNS sdc_internal.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc_internal.tally_sensitive(sdc_internal.tally, "any", integer) IS
'transition function that counts sensitive values';

CREATE FUNCTION sdc_internal.is_cell_disclosed_final(state sdc_internal.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_cell_disclosed_final';

COMMENT ON FUNCTION sdc_internal.is_cell_disclosed_final(sdc_internal.tally) IS
'final function of the aggregate is_cell_disclosed';

CREATE AGGREGATE sdc.is_cell_disclosed(sensitive "any", coalition integer) (
    SFUNC = sdc_internal.tally_sensitive,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.is_cell_disclosed_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_cell_disclosed("any", integer) IS
'whether a cell discloses the sensitive value of its respondents to a coalition of that many of them; 0 is an intruder from outside';

CREATE FUNCTION sdc_internal.tally_contribution(
    state sdc_internal.tally,
    value numeric,
    k integer,
    p float8)
RETURNS sdc_internal.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_contribution';

COMMENT ON FUNCTION sdc_internal.tally_contribution(sdc_internal.tally, numeric, integer, float8) IS
'transition function that counts contributions to a cell';

CREATE FUNCTION sdc_internal.is_dominant_final(state sdc_internal.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_dominant_final';

COMMENT ON FUNCTION sdc_internal.is_dominant_final(sdc_internal.tally) IS
'final function of the aggregate is_dominant';

CREATE AGGREGATE sdc.is_dominant(value numeric, k integer, p float8) (
    SFUNC = sdc_internal.tally_contribution,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.is_dominant_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_dominant(numeric, integer, float8) IS
'dominance rule: do the k largest contributions exceed p percent of the cell';

CREATE FUNCTION sdc_internal.tally_contribution(
    state sdc_internal.tally,
    value numeric,
    p float8)
RETURNS sdc_internal.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_contribution';

COMMENT ON FUNCTION sdc_internal.tally_contribution(sdc_internal.tally, numeric, float8) IS
'transition function that counts contributions to a cell';

CREATE FUNCTION sdc_internal.is_p_percent_final(state sdc_internal.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_p_percent_final';

COMMENT ON FUNCTION sdc_internal.is_p_percent_final(sdc_internal.tally) IS
'final function of the aggregate is_p_percent';

CREATE AGGREGATE sdc.is_p_percent(value numeric, p float8) (
    SFUNC = sdc_internal.tally_contribution,
    STYPE = sdc_internal.tally,
    COMBINEFUNC = sdc_internal.tally_combine,
    FINALFUNC = sdc_internal.is_p_percent_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_p_percent(numeric, float8) IS
'p-percent rule: can the second largest contributor estimate the largest one to within p percent';
