-- anatomize: keys as they are, sensitive values hidden in groups.

CREATE FUNCTION sdc.anatomize(
    relation regclass,
    target text DEFAULT NULL,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    l float8 DEFAULT 2,
    variant text DEFAULT 'greedy',
    release text DEFAULT 'tables',
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_anatomize';

COMMENT ON FUNCTION sdc.anatomize(regclass, text, name, sdc.columns, sdc.columns, float8, text, text, bigint) IS
'puts records into l-diverse groups and writes the release: a table of keys and one of sensitive values by group (release tables), or sensitive values permuted within groups (permuted); variants greedy, order';
