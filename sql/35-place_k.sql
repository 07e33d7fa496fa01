-- place_k: how many people each moved place can be of.

CREATE TYPE sdc.place_people AS (
    id text,
    k float8);

COMMENT ON TYPE sdc.place_people IS
'a record, and how many people its moved place can be of; NULL: it has no place';

CREATE FUNCTION sdc.place_k(
    relation regclass,
    population regclass,
    place sdc.columns,
    "inner" float8,
    "outer" float8,
    variant text DEFAULT 'plane',
    id name DEFAULT NULL,
    people name DEFAULT 'people')
RETURNS SETOF sdc.place_people
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_place_k';

COMMENT ON FUNCTION sdc.place_k(regclass, regclass, sdc.columns, float8, float8, text, name, name) IS
'spatial k-anonymity of moved places: how many people of a population, points with numbers of people, live where a donut mask with these radii can have moved each place from';
