-- Row types that several topics share.

CREATE TYPE sdc.measure AS (
    measure text,
    subject text,
    value float8,
    detail text,
    example text);

COMMENT ON TYPE sdc.measure IS
'one figure of a report: its name, what it is about, its value, the same in a sentence of fixed words, names and numbers, and values of the data that show it, which no log, history or error takes';
