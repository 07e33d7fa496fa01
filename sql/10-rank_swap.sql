-- rank_swap: values move between rows.

CREATE FUNCTION sdc.rank_swap(
    value anyelement,
    p float8,
    variant text DEFAULT 'classic',
    seed bigint DEFAULT NULL)
RETURNS anyelement
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_rank_swap';

COMMENT ON FUNCTION sdc.rank_swap(anyelement, float8, text, bigint) IS
'swaps values between rows whose ranks differ by at most p percent of the rows of the window partition';

CREATE FUNCTION sdc.shuffle(
    value anyelement,
    seed bigint DEFAULT NULL)
RETURNS anyelement
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_shuffle';

COMMENT ON FUNCTION sdc.shuffle(anyelement, bigint) IS
'permutes the values at random within the window partition';

