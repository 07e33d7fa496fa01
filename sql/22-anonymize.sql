-- anonymize: a relation generalized into a new table; strategies that last.

CREATE TABLE sdc.strategy (
    strategy text PRIMARY KEY,
    keys name[] NOT NULL,
    levels integer[] NOT NULL,
    sensitive name[],
    k integer NOT NULL,
    c float8,
    l float8,
    t float8,
    variant text NOT NULL,
    params jsonb,
    owner name NOT NULL);

COMMENT ON TABLE sdc.strategy IS
'the strategies of this database; written by anonymize, create_strategy and drop_strategy only';
COMMENT ON COLUMN sdc.strategy.strategy IS
'name of the strategy';
COMMENT ON COLUMN sdc.strategy.keys IS
'the columns that are generalized';
COMMENT ON COLUMN sdc.strategy.levels IS
'the level of each key';
COMMENT ON COLUMN sdc.strategy.sensitive IS
'the columns that l and t are about';
COMMENT ON COLUMN sdc.strategy.k IS
'records that a class must have';
COMMENT ON COLUMN sdc.strategy.c IS
'c of recursive (c, l)-diversity';
COMMENT ON COLUMN sdc.strategy.l IS
'diversity that a class must have in each sensitive column';
COMMENT ON COLUMN sdc.strategy.t IS
'how far a class may be from the whole table';
COMMENT ON COLUMN sdc.strategy.variant IS
'what l means: distinct, entropy or recursive';
COMMENT ON COLUMN sdc.strategy.params IS
'hierarchies, suppression and whatever else was given';
COMMENT ON COLUMN sdc.strategy.owner IS
'role that created it; members of this role and superusers may drop it';

-- A strategy names columns, hierarchies and levels, no values: everyone may
-- read it.
GRANT SELECT ON sdc.strategy TO PUBLIC;

SELECT pg_catalog.pg_extension_config_dump('sdc.strategy', '');

CREATE FUNCTION sdc.anonymize(
    relation regclass,
    target text,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    k integer DEFAULT 2,
    c float8 DEFAULT NULL,
    l float8 DEFAULT NULL,
    t float8 DEFAULT NULL,
    variant text DEFAULT 'distinct',
    strategy text DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_anonymize';

COMMENT ON FUNCTION sdc.anonymize(regclass, text, sdc.columns, sdc.columns, integer, float8, float8, float8, text, text, jsonb) IS
'writes a relation into a new table, its keys generalized so that it is k-anonymous, l-diverse and t-close with the least loss; what was written is verified; strategy stores the choice under a name';

CREATE FUNCTION sdc.create_strategy(
    strategy text,
    keys sdc.columns,
    levels integer[],
    sensitive sdc.columns DEFAULT NULL,
    k integer DEFAULT 2,
    c float8 DEFAULT NULL,
    l float8 DEFAULT NULL,
    t float8 DEFAULT NULL,
    variant text DEFAULT 'distinct',
    params jsonb DEFAULT NULL)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_create_strategy';

COMMENT ON FUNCTION sdc.create_strategy(text, sdc.columns, integer[], sdc.columns, integer, float8, float8, float8, text, jsonb) IS
'stores a level for each key, say those of a node that sdc.lattice lists, with the models that must hold';

CREATE FUNCTION sdc.drop_strategy(strategy text)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_drop_strategy';

COMMENT ON FUNCTION sdc.drop_strategy(text) IS
'drops a strategy; only its owner and superusers may';

CREATE FUNCTION sdc.apply_strategy(
    relation regclass,
    target text,
    strategy text)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_apply_strategy';

COMMENT ON FUNCTION sdc.apply_strategy(regclass, text, text) IS
'writes a relation into a new table with the levels of a stored strategy; stops unless its models hold for these rows';

CREATE FUNCTION sdc.check_strategy(
    relation regclass,
    strategy text)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_check_strategy';

COMMENT ON FUNCTION sdc.check_strategy(regclass, text) IS
'whether the models of a stored strategy hold for a relation, and how many records would be suppressed; writes nothing';
