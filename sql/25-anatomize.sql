-- anatomize: keys as they are, sensitive values hidden in groups.

CREATE FUNCTION sdc.anatomize(
    rel regclass,
    id name,
    keys name[],
    sensitive name[],
    l float8,
    variant text DEFAULT 'greedy',
    seed bigint DEFAULT NULL,
    target text DEFAULT NULL,
    release text DEFAULT 'tables')
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_anatomize';

COMMENT ON FUNCTION sdc.anatomize(regclass, name, name[], name[], float8, text, bigint, text, text) IS
'puts records into l-diverse groups and writes the release: a table of keys and one of sensitive values by group (release tables), or sensitive values permuted within groups (permuted); returns the number of groups; variants greedy, order';
