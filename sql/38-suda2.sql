-- suda2: special uniques, records that few values single out.

CREATE TYPE sdc.suda AS (
    id text,
    score float8,
    dis float8,
    msus bigint,
    smallest_msu integer,
    contribution float8[]);

COMMENT ON TYPE sdc.suda IS
'a record''s minimal sample uniques: SUDA score, DIS-SUDA score, how many, keys in the smallest, and the share of the score that each key is part of';

CREATE FUNCTION sdc.suda2(
    relation regclass,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.suda
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_suda2';

COMMENT ON FUNCTION sdc.suda2(regclass, name, sdc.columns, jsonb) IS
'SUDA and DIS-SUDA scores of every record: how few values of the keys single it out, by all its minimal sample uniques';
