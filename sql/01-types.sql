-- Row types that several topics share.

CREATE TYPE sdc.measure AS (
    measure text,
    subject text,
    value float8,
    detail text,
    example text);

COMMENT ON TYPE sdc.measure IS
'one figure of a report: its name, what it is about, its value, the same in a sentence of fixed words, names and numbers, and values of the data that show it, which no log, history or error takes';

-- What a function that writes a table has done.
CREATE TYPE sdc.mask_step AS (
    step text,
    subject text,
    method text,
    rows bigint,
    changed bigint,
    seconds float8,
    detail text,
    sql text,
    measure text,
    value float8);

COMMENT ON TYPE sdc.mask_step IS
'a line of what was done, from whatever writes a table: mask (a column whose values changed), kept and dropped (one that did not, and one that was left out), write (a table), measure (a figure of it), and of sdc.mask also examples, objects that matter and what is not covered';

-- Arguments that name columns: an array of names that is easier to type.
CREATE TYPE sdc.columns;

CREATE FUNCTION sdc_internal.columns_in(cstring)
RETURNS sdc.columns
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_columns_in';

CREATE FUNCTION sdc_internal.columns_out(sdc.columns)
RETURNS cstring
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_columns_out';

COMMENT ON FUNCTION sdc_internal.columns_in(cstring) IS
'reads names of columns';
COMMENT ON FUNCTION sdc_internal.columns_out(sdc.columns) IS
'writes names of columns';

CREATE TYPE sdc.columns (
    INPUT = sdc_internal.columns_in,
    OUTPUT = sdc_internal.columns_out,
    LIKE = pg_catalog._name);

COMMENT ON TYPE sdc.columns IS
'names of columns: age,sex or {age,sex} or an array of texts or names; case counts, and a name with a comma or a space is written in double quotes';

CREATE FUNCTION sdc_internal.columns_from(names name[])
RETURNS sdc.columns
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_columns_from';

CREATE FUNCTION sdc_internal.columns_from(names text[])
RETURNS sdc.columns
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_columns_from';

CREATE FUNCTION sdc_internal.columns_from(names varchar[])
RETURNS sdc.columns
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_columns_from';

CREATE FUNCTION sdc_internal.columns_from(names information_schema.sql_identifier[])
RETURNS sdc.columns
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_columns_from';

CREATE FUNCTION sdc_internal.columns_to(columns sdc.columns)
RETURNS name[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_columns_to';

COMMENT ON FUNCTION sdc_internal.columns_to(sdc.columns) IS
'names of columns as an array';
COMMENT ON FUNCTION sdc_internal.columns_from(name[]) IS
'names of columns from an array of names';
COMMENT ON FUNCTION sdc_internal.columns_from(text[]) IS
'names of columns from an array of texts';
COMMENT ON FUNCTION sdc_internal.columns_from(varchar[]) IS
'names of columns from an array of texts';
COMMENT ON FUNCTION sdc_internal.columns_from(information_schema.sql_identifier[]) IS
'names of columns from an array of names of information_schema';

CREATE CAST (name[] AS sdc.columns)
    WITH FUNCTION sdc_internal.columns_from(name[]) AS IMPLICIT;
CREATE CAST (sdc.columns AS name[])
    WITH FUNCTION sdc_internal.columns_to(sdc.columns) AS ASSIGNMENT;
CREATE CAST (text[] AS sdc.columns)
    WITH FUNCTION sdc_internal.columns_from(text[]) AS IMPLICIT;
CREATE CAST (varchar[] AS sdc.columns)
    WITH FUNCTION sdc_internal.columns_from(varchar[]) AS IMPLICIT;
CREATE CAST (information_schema.sql_identifier[] AS sdc.columns)
    WITH FUNCTION sdc_internal.columns_from(information_schema.sql_identifier[])
    AS IMPLICIT;

COMMENT ON CAST (name[] AS sdc.columns) IS 'names of columns from names';
COMMENT ON CAST (sdc.columns AS name[]) IS 'names of columns as an array';
COMMENT ON CAST (text[] AS sdc.columns) IS 'names of columns from texts';
COMMENT ON CAST (varchar[] AS sdc.columns) IS 'names of columns from texts';
COMMENT ON CAST (information_schema.sql_identifier[] AS sdc.columns) IS
'names of columns from names of information_schema';
