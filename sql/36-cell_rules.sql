-- cell_rules: may a cell of a table be published?

CREATE FUNCTION sdc.tally_sensitive(
    state sdc.tally,
    sensitive "any",
    coalition integer)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc.tally_sensitive(sdc.tally, "any", integer) IS
'transition function that counts sensitive values';

CREATE FUNCTION sdc.is_cell_disclosed_final(state sdc.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_cell_disclosed_final';

COMMENT ON FUNCTION sdc.is_cell_disclosed_final(sdc.tally) IS
'final function of the aggregate is_cell_disclosed';

CREATE AGGREGATE sdc.is_cell_disclosed(sensitive "any", coalition integer) (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.is_cell_disclosed_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_cell_disclosed("any", integer) IS
'does a cell disclose the sensitive value of its respondents to a coalition of so many of them; 0 is an intruder from outside';

CREATE FUNCTION sdc.tally_contribution(
    state sdc.tally,
    value numeric,
    k integer,
    p float8)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_contribution';

COMMENT ON FUNCTION sdc.tally_contribution(sdc.tally, numeric, integer, float8) IS
'transition function that counts contributions to a cell';

CREATE FUNCTION sdc.is_dominant_final(state sdc.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_dominant_final';

COMMENT ON FUNCTION sdc.is_dominant_final(sdc.tally) IS
'final function of the aggregate is_dominant';

CREATE AGGREGATE sdc.is_dominant(value numeric, k integer, p float8) (
    SFUNC = sdc.tally_contribution,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.is_dominant_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_dominant(numeric, integer, float8) IS
'dominance rule: do the k largest contributions exceed p percent of the cell';

CREATE FUNCTION sdc.tally_contribution(
    state sdc.tally,
    value numeric,
    p float8)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_contribution';

COMMENT ON FUNCTION sdc.tally_contribution(sdc.tally, numeric, float8) IS
'transition function that counts contributions to a cell';

CREATE FUNCTION sdc.is_p_percent_final(state sdc.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_p_percent_final';

COMMENT ON FUNCTION sdc.is_p_percent_final(sdc.tally) IS
'final function of the aggregate is_p_percent';

CREATE AGGREGATE sdc.is_p_percent(value numeric, p float8) (
    SFUNC = sdc.tally_contribution,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.is_p_percent_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_p_percent(numeric, float8) IS
'p-percent rule: can the second largest contributor estimate the largest one to within p percent';
