-- sample_rows: a random part of the rows, in proportion to strata; in_sample:
-- whole persons.

CREATE FUNCTION sdc.sample_rows(
    relation regclass,
    target text DEFAULT NULL,
    strata sdc.columns DEFAULT NULL,
    p float8 DEFAULT 10,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_sample_rows';

COMMENT ON FUNCTION sdc.sample_rows(regclass, text, sdc.columns, float8, bigint) IS
'a new table with p percent of the rows, drawn at random in proportion to the strata';

CREATE FUNCTION sdc.in_sample(
    person text,
    domain text,
    period text DEFAULT NULL,
    p float8 DEFAULT 10)
RETURNS boolean
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_in_sample';

COMMENT ON FUNCTION sdc.in_sample(text, text, text, float8) IS
'whether a person is in a sample of p percent of all persons, drawn by the key of the domain: the same persons in every table, and those of each smaller sample';

-- Who may ask whether somebody is in the sample knows it of everybody.
REVOKE ALL ON FUNCTION sdc.in_sample(text, text, text, float8) FROM PUBLIC;
