-- kmeans: clusters of rows, and the row type of all labels.

CREATE TYPE sdc.label AS (
    id text,
    label text,
    probability float8);

COMMENT ON TYPE sdc.label IS
'what a model says of one record, and how probable the model thinks it is';

CREATE FUNCTION sdc.kmeans(
    relation regclass,
    id name,
    columns sdc.columns,
    k integer,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.label
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_kmeans';

COMMENT ON FUNCTION sdc.kmeans(regclass, name, sdc.columns, integer, jsonb, bigint) IS
'clusters of standardised columns by k-means, numbered in the order of their centres';
