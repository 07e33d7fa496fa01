-- pram: categories change at random in a known way.

CREATE FUNCTION sdc.pram(
    value text,
    p float8,
    variant text DEFAULT 'invariant',
    seed bigint DEFAULT NULL)
RETURNS text
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_pram';

COMMENT ON FUNCTION sdc.pram(text, float8, text, bigint) IS
'post-randomisation: keeps a value with a chance of p percent, else redraws it from the distribution of the window partition';


CREATE FUNCTION sdc.pram_matrix(
    value text,
    matrix jsonb,
    variant text DEFAULT 'given',
    seed bigint DEFAULT NULL)
RETURNS text
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_pram_matrix';

COMMENT ON FUNCTION sdc.pram_matrix(text, jsonb, text, bigint) IS
'post-randomisation by a matrix: each category becomes one drawn by the chances of its row, or by a matrix made of it that keeps the distribution';
