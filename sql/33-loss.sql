-- loss: how much a mask has changed.

CREATE FUNCTION sdc_internal.il1s_accum(
    state float8[],
    value_original float8,
    value_masked float8)
RETURNS float8[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_il1s_accum';

COMMENT ON FUNCTION sdc_internal.il1s_accum(float8[], float8, float8) IS
'transition function of the aggregate information_loss';

CREATE FUNCTION sdc_internal.il1s_combine(
    state float8[],
    other float8[])
RETURNS float8[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_il1s_combine';

COMMENT ON FUNCTION sdc_internal.il1s_combine(float8[], float8[]) IS
'combine function of the aggregate information_loss';

CREATE FUNCTION sdc_internal.il1s_final(state float8[])
RETURNS float8
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_il1s_final';

COMMENT ON FUNCTION sdc_internal.il1s_final(float8[]) IS
'final function of the aggregate information_loss';

CREATE AGGREGATE sdc.information_loss(
    value_original float8,
    value_masked float8) (
    SFUNC = sdc_internal.il1s_accum,
    STYPE = float8[],
    INITCOND = '{}',
    COMBINEFUNC = sdc_internal.il1s_combine,
    FINALFUNC = sdc_internal.il1s_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.information_loss(float8, float8) IS
'information loss IL1s of a column: mean of |original - masked| / (sqrt(2) sd(original)); pairs with a NULL are skipped';
