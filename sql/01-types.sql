-- Row types that several topics share.

CREATE TYPE sdc.measure AS (
    measure text,
    subject text,
    value float8,
    detail text);

COMMENT ON TYPE sdc.measure IS
'one figure of a report: its name, what it is about, its value, and the same in a sentence';
