-- record_swap: households at risk trade places with similar ones elsewhere.

CREATE FUNCTION sdc.record_swap(
    place text[],
    household text,
    risk text[],
    match text[],
    p float8,
    k int DEFAULT 3,
    seed bigint DEFAULT NULL)
RETURNS text[]
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_record_swap';

COMMENT ON FUNCTION sdc.record_swap(text[], text, text[], text[], float8, int, bigint) IS
'targeted record swapping: the new place of each record, whose levels go from the coarsest to the finest; households with fewer than k records alike in risk in their area, then others up to p percent, trade places with one of the same size and match elsewhere';
