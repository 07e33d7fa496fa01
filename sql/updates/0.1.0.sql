-- sdc: statistical disclosure control inside PostgreSQL.
-- The script is joined from the numbered parts in sql/, one per topic.
\echo Use "CREATE EXTENSION sdc" to load this file. \quit

-- Who can read a table may mask and measure it; nobody gets a right by this.
GRANT USAGE ON SCHEMA sdc TO PUBLIC;
-- Row types that several topics share.

CREATE TYPE sdc.measure AS (
    measure text,
    subject text,
    value float8,
    detail text);

COMMENT ON TYPE sdc.measure IS
'one figure of a report: its name, what it is about, its value, and the same in a sentence';
-- roles: what each column of a relation is.

CREATE TABLE sdc.role (
    rel regclass NOT NULL,
    column_name name NOT NULL,
    role text NOT NULL,
    type text NOT NULL,
    place integer NOT NULL,
    PRIMARY KEY (rel, column_name),
    CHECK (role OPERATOR(pg_catalog.=) ANY (ARRAY['id', 'identifier', 'key',
        'sensitive', 'weight', 'strata', 'household', 'insensitive'])));

COMMENT ON TABLE sdc.role IS
'what sdc.declare was told of columns; written by sdc.declare only';
COMMENT ON COLUMN sdc.role.type IS
'type of the column when it was declared; sdc.drift compares it with the present one';
COMMENT ON COLUMN sdc.role.place IS
'order of the columns within the declaration';

GRANT SELECT ON sdc.role TO PUBLIC;

-- A row whose table was dropped is not dumped: its number could be that of
-- another table where the dump is restored.
SELECT pg_catalog.pg_extension_config_dump('sdc.role',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid OPERATOR(pg_catalog.=) rel)');

CREATE TYPE sdc.column_role AS (
    column_name name,
    role text,
    type text,
    inherited_from regclass);

COMMENT ON TYPE sdc.column_role IS
'role of a column: id, identifier, key, sensitive, weight, strata, household or insensitive; the type it had then; the partitioned table it was declared for, when not the relation itself';

CREATE FUNCTION sdc.declare(
    rel regclass,
    id name DEFAULT NULL,
    identifiers name[] DEFAULT NULL,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    weight name DEFAULT NULL,
    strata name[] DEFAULT NULL,
    household name DEFAULT NULL,
    insensitive name[] DEFAULT NULL)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_declare';

COMMENT ON FUNCTION sdc.declare(regclass, name, name[], name[], name[], name, name[], name, name[]) IS
'declares what each column of a relation is, in place of what was declared before; without any column the declaration is removed';

CREATE FUNCTION sdc.declared(rel regclass)
RETURNS SETOF sdc.column_role
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_declared';

COMMENT ON FUNCTION sdc.declared(regclass) IS
'roles of the columns of a relation; a partition has those of its parent unless it has its own';
-- separation: how well sets of keys tell records apart.

CREATE FUNCTION sdc.separation(
    rel regclass,
    keys name[] DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_separation';

COMMENT ON FUNCTION sdc.separation(regclass, name[], jsonb) IS
'separation and distinction of every subset of the keys of up to params.max_size columns (3 unless given), the best first';
-- suggestion: roles for columns that have none.

CREATE TYPE sdc.role_suggestion AS (
    column_name name,
    role text,
    reason text,
    distinction float8,
    separation float8);

COMMENT ON TYPE sdc.role_suggestion IS
'a role that a column may have, and why; different values per record, and the share of pairs of records that differ, in this column alone';

CREATE FUNCTION sdc.suggest(
    rel regclass,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.role_suggestion
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_suggest';

COMMENT ON FUNCTION sdc.suggest(regclass, jsonb) IS
'suggests a role for each column of a relation by its name, type and number of values; a start, not a decision';

CREATE FUNCTION sdc.drift(rel regclass)
RETURNS SETOF sdc.role_suggestion
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_drift';

COMMENT ON FUNCTION sdc.drift(regclass) IS
'columns that differ from the declaration, or from what a policy was written for: added and without a role, of another type, dropped or renamed; none when nobody has anything to decide';
-- tally: the state of aggregates that count combinations of values.

CREATE TYPE sdc.tally;

CREATE FUNCTION sdc.tally_in(cstring)
RETURNS sdc.tally
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_in';

CREATE FUNCTION sdc.tally_out(sdc.tally)
RETURNS cstring
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_out';

CREATE FUNCTION sdc.tally_recv(internal)
RETURNS sdc.tally
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_recv';

CREATE FUNCTION sdc.tally_send(sdc.tally)
RETURNS bytea
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_send';

COMMENT ON FUNCTION sdc.tally_in(cstring) IS
'reads a state from its text form';
COMMENT ON FUNCTION sdc.tally_out(sdc.tally) IS
'writes a state in its text form';
COMMENT ON FUNCTION sdc.tally_recv(internal) IS
'reads a state from its binary form';
COMMENT ON FUNCTION sdc.tally_send(sdc.tally) IS
'writes a state in its binary form';

CREATE TYPE sdc.tally (
    INPUT = sdc.tally_in,
    OUTPUT = sdc.tally_out,
    RECEIVE = sdc.tally_recv,
    SEND = sdc.tally_send,
    INTERNALLENGTH = VARIABLE,
    ALIGNMENT = double,
    STORAGE = extended);

COMMENT ON TYPE sdc.tally IS
'how often each combination of values occurs: the state of counting aggregates, which travels between workers and servers';

CREATE FUNCTION sdc.tally_keys(state sdc.tally, keys "any")
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_keys';

COMMENT ON FUNCTION sdc.tally_keys(sdc.tally, "any") IS
'transition function that counts the rows of each class';

CREATE FUNCTION sdc.tally_sensitive(state sdc.tally, sensitive "any")
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc.tally_sensitive(sdc.tally, "any") IS
'transition function that counts the rows of each sensitive value';

CREATE FUNCTION sdc.tally_classes(
    state sdc.tally,
    keys "any",
    sensitive "any")
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_classes';

COMMENT ON FUNCTION sdc.tally_classes(sdc.tally, "any", "any") IS
'transition function that counts the rows of each sensitive value in each class';

CREATE FUNCTION sdc.tally_combine(state sdc.tally, other sdc.tally)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_combine';

COMMENT ON FUNCTION sdc.tally_combine(sdc.tally, sdc.tally) IS
'combine function of all aggregates with this state';
-- rank_swap: values move between rows.

CREATE FUNCTION sdc.rank_swap(
    value anyelement,
    p float8,
    method text DEFAULT 'classic',
    seed bigint DEFAULT NULL)
RETURNS anyelement
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_rank_swap';

COMMENT ON FUNCTION sdc.rank_swap(anyelement, float8, text, bigint) IS
'swaps values between rows whose ranks differ by at most p percent of the rows of the window partition';

CREATE FUNCTION sdc.shuffle(
    value anyelement,
    seed bigint DEFAULT NULL)
RETURNS anyelement
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_shuffle';

COMMENT ON FUNCTION sdc.shuffle(anyelement, bigint) IS
'permutes the values at random inside the window partition';

-- microaggregate: groups of at least k similar rows.

CREATE FUNCTION sdc.microaggregate(
    value float8,
    k integer,
    method text DEFAULT 'optimal',
    seed bigint DEFAULT NULL)
RETURNS float8
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_microaggregate';

COMMENT ON FUNCTION sdc.microaggregate(float8, integer, text, bigint) IS
'replaces values by the means of groups of at least k neighbours in the window partition';

CREATE FUNCTION sdc.microaggregate_group(
    columns record,
    k integer,
    method text DEFAULT 'mdav',
    seed bigint DEFAULT NULL)
RETURNS bigint
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_microaggregate_group';

COMMENT ON FUNCTION sdc.microaggregate_group(record, integer, text, bigint) IS
'numbers the groups of at least k similar rows of the window partition';

CREATE FUNCTION sdc.microaggregate_group(
    columns record,
    k integer,
    method text,
    standardize boolean,
    seed bigint)
RETURNS bigint
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_microaggregate_group';

COMMENT ON FUNCTION sdc.microaggregate_group(record, integer, text, boolean, bigint) IS
'numbers the groups of at least k similar rows of the window partition, on standardised columns or on the columns as they are';

CREATE FUNCTION sdc.microaggregate_bound(
    columns record,
    k integer,
    standardize boolean DEFAULT true)
RETURNS float8
LANGUAGE c WINDOW IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_microaggregate_bound';

COMMENT ON FUNCTION sdc.microaggregate_bound(record, integer, boolean) IS
'a lower bound of SSE/SST that no grouping into groups of at least k can pass';

CREATE FUNCTION sdc.k_group(
    columns record,
    k integer,
    method text DEFAULT 'mondrian')
RETURNS bigint
LANGUAGE c WINDOW IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_k_group';

COMMENT ON FUNCTION sdc.k_group(record, integer, text) IS
'numbers the boxes of at least k rows that median cuts make of the window partition';

-- noise: random numbers are added.

CREATE FUNCTION sdc.add_noise(
    value float8,
    alpha float8,
    method text DEFAULT 'gaussian',
    seed bigint DEFAULT NULL)
RETURNS float8
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_add_noise';

COMMENT ON FUNCTION sdc.add_noise(float8, float8, text, bigint) IS
'adds independent noise with mean 0 and variance alpha times the variance of the window partition';

CREATE FUNCTION sdc.add_noise(
    columns record,
    alpha float8,
    method text DEFAULT 'gaussian',
    seed bigint DEFAULT NULL)
RETURNS float8[]
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_add_noise_correlated';

COMMENT ON FUNCTION sdc.add_noise(record, float8, text, bigint) IS
'adds noise with mean 0 and covariance alpha times that of the columns, which keeps their correlations; returns the masked columns in their order';

-- recode: masks of single values.

CREATE FUNCTION sdc.top_code(value anycompatible, upper anycompatible)
RETURNS anycompatible
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_top_code';

COMMENT ON FUNCTION sdc.top_code(anycompatible, anycompatible) IS
'replaces values above the upper bound by the bound';

CREATE FUNCTION sdc.bottom_code(value anycompatible, lower anycompatible)
RETURNS anycompatible
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_bottom_code';

COMMENT ON FUNCTION sdc.bottom_code(anycompatible, anycompatible) IS
'replaces values below the lower bound by the bound';

CREATE FUNCTION sdc.round_to(
    value numeric,
    base numeric,
    seed bigint DEFAULT NULL)
RETURNS numeric
LANGUAGE c IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_round_to';

COMMENT ON FUNCTION sdc.round_to(numeric, numeric, bigint) IS
'rounds to the nearest multiple of base, or with a seed to one of the two neighbours at random without bias';

CREATE FUNCTION sdc.mask_text(
    value text,
    keep integer,
    fill text DEFAULT '*')
RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_mask_text';

COMMENT ON FUNCTION sdc.mask_text(text, integer, text) IS
'keeps the leading (keep < 0: the trailing) characters and replaces each other one by fill';

CREATE FUNCTION sdc.mask_inet(value inet, keep integer)
RETURNS inet
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_mask_inet';

COMMENT ON FUNCTION sdc.mask_inet(inet, integer) IS
'keeps the leading bits of an address and sets the others to zero';

-- pram: categories change at random in a known way.

CREATE FUNCTION sdc.pram(
    value text,
    p float8,
    method text DEFAULT 'invariant',
    seed bigint DEFAULT NULL)
RETURNS text
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_pram';

COMMENT ON FUNCTION sdc.pram(text, float8, text, bigint) IS
'post-randomisation: keeps a value with probability p, else redraws it from the distribution of the window partition';

-- diverse_group: groups of records with diverse sensitive values.

CREATE FUNCTION sdc.diverse_group(
    sensitive anyelement,
    l float8)
RETURNS bigint
LANGUAGE c WINDOW IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_diverse_group';

COMMENT ON FUNCTION sdc.diverse_group(anyelement, float8) IS
'number of the group of each row: rows are scanned in the order of the window, and a group is closed as soon as no value has more than 1/l of its rows';
-- hierarchy: what values become when they are generalized, level by level.

CREATE TABLE sdc.hierarchy (
    hierarchy text PRIMARY KEY,
    kind text NOT NULL,
    params jsonb,
    levels integer NOT NULL,
    owner name NOT NULL);

COMMENT ON TABLE sdc.hierarchy IS
'the hierarchies of this database; written by create_hierarchy and drop_hierarchy only';
COMMENT ON COLUMN sdc.hierarchy.hierarchy IS
'name of the hierarchy';
COMMENT ON COLUMN sdc.hierarchy.kind IS
'table, prefix, interval, numeric, order, date or network';
COMMENT ON COLUMN sdc.hierarchy.params IS
'what the levels are made by, as it was given';
COMMENT ON COLUMN sdc.hierarchy.levels IS
'number of levels, level 0 (the values themselves) counted';
COMMENT ON COLUMN sdc.hierarchy.owner IS
'role that created it; members of this role and superusers may drop it';

CREATE TABLE sdc.hierarchy_value (
    hierarchy text NOT NULL,
    place integer NOT NULL,
    levels text[] NOT NULL,
    PRIMARY KEY (hierarchy, place));

COMMENT ON TABLE sdc.hierarchy_value IS
'the values of the hierarchies of the kinds table and order';
COMMENT ON COLUMN sdc.hierarchy_value.hierarchy IS
'name of the hierarchy';
COMMENT ON COLUMN sdc.hierarchy_value.place IS
'position of the value, from 1';
COMMENT ON COLUMN sdc.hierarchy_value.levels IS
'the value and what it becomes on level 1, 2, ...';

-- A hierarchy holds the values of a domain, not records: everyone may read it.
GRANT SELECT ON sdc.hierarchy, sdc.hierarchy_value TO PUBLIC;

SELECT pg_catalog.pg_extension_config_dump('sdc.hierarchy', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.hierarchy_value', '');

CREATE FUNCTION sdc.create_hierarchy(
    hierarchy text,
    kind text,
    params jsonb)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_create_hierarchy';

COMMENT ON FUNCTION sdc.create_hierarchy(text, text, jsonb) IS
'create a hierarchy of generalizations: kind is table, prefix, interval, numeric, order, date or network';

CREATE FUNCTION sdc.drop_hierarchy(hierarchy text)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_drop_hierarchy';

COMMENT ON FUNCTION sdc.drop_hierarchy(text) IS
'drop a hierarchy: for its owner and superusers';

CREATE FUNCTION sdc.generalize(
    value anyelement,
    hierarchy text,
    level integer)
RETURNS text
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_generalize';

COMMENT ON FUNCTION sdc.generalize(anyelement, text, integer) IS
'what a value becomes on a level of a hierarchy; level 0 is the value itself as text';

-- A string without a type means text.
CREATE FUNCTION sdc.generalize(
    value text,
    hierarchy text,
    level integer)
RETURNS text
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_generalize';

COMMENT ON FUNCTION sdc.generalize(text, text, integer) IS
'what a value becomes on a level of a hierarchy; level 0 is the value itself as text';

CREATE FUNCTION sdc.hierarchy_height(hierarchy text)
RETURNS integer
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_hierarchy_height';

COMMENT ON FUNCTION sdc.hierarchy_height(text) IS
'the last level of a hierarchy: its number of levels less one';

CREATE FUNCTION sdc.hierarchy_levels(
    value anyelement,
    hierarchy text,
    OUT level integer,
    OUT label text)
RETURNS SETOF record
LANGUAGE c STABLE STRICT PARALLEL SAFE ROWS 5
AS 'MODULE_PATHNAME', 'sdcf_hierarchy_levels';

COMMENT ON FUNCTION sdc.hierarchy_levels(anyelement, text) IS
'what a value becomes on each level of a hierarchy';

CREATE FUNCTION sdc.hierarchy_levels(
    value text,
    hierarchy text,
    OUT level integer,
    OUT label text)
RETURNS SETOF record
LANGUAGE c STABLE STRICT PARALLEL SAFE ROWS 5
AS 'MODULE_PATHNAME', 'sdcf_hierarchy_levels';

COMMENT ON FUNCTION sdc.hierarchy_levels(text, text) IS
'what a value becomes on each level of a hierarchy';

CREATE FUNCTION sdc.check_hierarchy(
    rel regclass,
    column_name name,
    hierarchy text)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_check_hierarchy';

COMMENT ON FUNCTION sdc.check_hierarchy(regclass, name, text) IS
'how many groups the values of a column form on each level of a hierarchy, and what share of the domain they stand for; a value without a rule is an error that names its position';
-- lattice: the generalizations of a relation, and the best of them.

CREATE TYPE sdc.lattice_node AS (
    node integer[],
    levels jsonb,
    anonymous boolean,
    optimal boolean,
    score float8,
    bound float8,
    suppressed bigint,
    classes bigint,
    smallest_class bigint,
    checked bigint,
    nodes bigint);

COMMENT ON TYPE sdc.lattice_node IS
'a node of the lattice of generalizations: a level for each key';
COMMENT ON COLUMN sdc.lattice_node.node IS
'the level of each key, in the order of the keys';
COMMENT ON COLUMN sdc.lattice_node.levels IS
'the same by name of the key';
COMMENT ON COLUMN sdc.lattice_node.anonymous IS
'are the records of classes that fail the models no more than may be suppressed';
COMMENT ON COLUMN sdc.lattice_node.optimal IS
'is it proven that no anonymous node has a lower score';
COMMENT ON COLUMN sdc.lattice_node.score IS
'what the node loses by the metric, with the records it suppresses';
COMMENT ON COLUMN sdc.lattice_node.bound IS
'no anonymous node has a lower score than this; infinity when there is none';
COMMENT ON COLUMN sdc.lattice_node.suppressed IS
'records of classes that fail the models';
COMMENT ON COLUMN sdc.lattice_node.classes IS
'classes that do not fail';
COMMENT ON COLUMN sdc.lattice_node.smallest_class IS
'records of the smallest of them';
COMMENT ON COLUMN sdc.lattice_node.checked IS
'nodes that the search has checked';
COMMENT ON COLUMN sdc.lattice_node.nodes IS
'nodes of the lattice';

CREATE FUNCTION sdc.lattice(
    rel regclass,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    k integer DEFAULT 2,
    c float8 DEFAULT NULL,
    l float8 DEFAULT NULL,
    t float8 DEFAULT NULL,
    method text DEFAULT 'distinct',
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.lattice_node
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_lattice';

COMMENT ON FUNCTION sdc.lattice(regclass, name[], name[], integer, float8, float8, float8, text, jsonb) IS
'the generalizations of the keys that make a relation k-anonymous, l-diverse and t-close with the least loss, proven to be optimal; method is distinct, entropy or recursive';
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
    method text NOT NULL,
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
COMMENT ON COLUMN sdc.strategy.method IS
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
    rel regclass,
    target text,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    k integer DEFAULT 2,
    c float8 DEFAULT NULL,
    l float8 DEFAULT NULL,
    t float8 DEFAULT NULL,
    method text DEFAULT 'distinct',
    params jsonb DEFAULT NULL,
    strategy text DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_anonymize';

COMMENT ON FUNCTION sdc.anonymize(regclass, text, name[], name[], integer, float8, float8, float8, text, jsonb, text) IS
'write a relation into a new table, its keys generalized so that it is k-anonymous, l-diverse and t-close with the least loss; what was written is verified; strategy stores the choice under a name';

CREATE FUNCTION sdc.create_strategy(
    strategy text,
    levels integer[],
    keys name[],
    sensitive name[] DEFAULT NULL,
    k integer DEFAULT 2,
    c float8 DEFAULT NULL,
    l float8 DEFAULT NULL,
    t float8 DEFAULT NULL,
    method text DEFAULT 'distinct',
    params jsonb DEFAULT NULL)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_create_strategy';

COMMENT ON FUNCTION sdc.create_strategy(text, integer[], name[], name[], integer, float8, float8, float8, text, jsonb) IS
'store a level for each key, say those of a node that sdc.lattice lists, with the models that must hold';

CREATE FUNCTION sdc.drop_strategy(strategy text)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_drop_strategy';

COMMENT ON FUNCTION sdc.drop_strategy(text) IS
'drop a strategy: for its owner and superusers';

CREATE FUNCTION sdc.apply_strategy(
    strategy text,
    rel regclass,
    target text)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_apply_strategy';

COMMENT ON FUNCTION sdc.apply_strategy(text, regclass, text) IS
'write a relation into a new table with the levels of a stored strategy; stops unless its models hold for these rows';

CREATE FUNCTION sdc.verify_strategy(
    strategy text,
    rel regclass)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_verify_strategy';

COMMENT ON FUNCTION sdc.verify_strategy(text, regclass) IS
'whether the models of a stored strategy hold for a relation, and how many records would be suppressed; writes nothing';
-- suppress: single values taken out of records that too few others are like.

CREATE FUNCTION sdc.suppress(
    rel regclass,
    id name,
    keys name[],
    sensitive name[] DEFAULT NULL,
    k integer DEFAULT 3,
    l float8 DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL,
    target text DEFAULT NULL)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_suppress';

COMMENT ON FUNCTION sdc.suppress(regclass, name, name[], name[], integer, float8, jsonb, bigint, text) IS
'local suppression: a new table in which keys are NULL where a record had too few others like it, so that every record has k, and l different sensitive values among these; returns the number of suppressed values';
-- anatomize: keys as they are, sensitive values hidden in groups.

CREATE FUNCTION sdc.anatomize(
    rel regclass,
    id name,
    keys name[],
    sensitive name[],
    l float8,
    method text DEFAULT 'greedy',
    seed bigint DEFAULT NULL,
    target text DEFAULT NULL,
    release text DEFAULT 'tables')
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_anatomize';

COMMENT ON FUNCTION sdc.anatomize(regclass, name, name[], name[], float8, text, bigint, text, text) IS
'puts records into l-diverse groups and writes the release: a table of keys and one of sensitive values by group (release tables), or sensitive values permuted within groups (permuted); returns the number of groups; methods greedy, order';
-- local recoding: each class of records generalized in its own way.

CREATE FUNCTION sdc.recode_locally(
    rel regclass,
    target text,
    id name DEFAULT NULL,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    k integer DEFAULT 2,
    l float8 DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_recode_locally';

COMMENT ON FUNCTION sdc.recode_locally(regclass, text, name, name[], name[], integer, float8, jsonb) IS
'local recoding: a new table in which keys are generalized, each record only as far as its own class needs it, until every class has k records, and l different sensitive values; nothing is suppressed';
-- mask: rules applied to a table, into a copy or in place.

CREATE TYPE sdc.mask_step AS (
    step text,
    subject text,
    method text,
    rows bigint,
    changed bigint,
    seconds float8,
    detail text,
    sql text);

COMMENT ON TYPE sdc.mask_step IS
'a line of what mask does or would do: a column that is masked, the statement, an object that matters, or what is not covered';

CREATE FUNCTION sdc.mask(
    rel regclass,
    rules jsonb,
    id name DEFAULT NULL,
    target text DEFAULT NULL,
    seed bigint DEFAULT NULL,
    dry_run boolean DEFAULT false,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_mask';

COMMENT ON FUNCTION sdc.mask(regclass, jsonb, name, text, bigint, boolean, jsonb) IS
'masks a table by rules, into the new table target, or in place when target is NULL; dry_run only shows what would be done';

CREATE FUNCTION sdc.mask_seed(subject text, seed bigint)
RETURNS bigint
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_mask_seed';

COMMENT ON FUNCTION sdc.mask_seed(text, bigint) IS
'the seed with which mask calls the function of a rule, from its own seed and the columns of the rule: a or a,b';
-- pseudonym: the same name for the same person, made with a key.

CREATE TABLE sdc.secret (
    domain text PRIMARY KEY,
    key bytea NOT NULL,
    created timestamptz NOT NULL DEFAULT pg_catalog.now());

COMMENT ON TABLE sdc.secret IS
'keys of the domains of pseudonyms; never dumped, and no role but the owner of the extension can read them';
COMMENT ON COLUMN sdc.secret.domain IS
'name of the domain: what is equal in it has equal pseudonyms';
COMMENT ON COLUMN sdc.secret.key IS
'32 random bytes';
COMMENT ON COLUMN sdc.secret.created IS
'when the domain was used for the first time';

REVOKE ALL ON sdc.secret FROM PUBLIC;

CREATE FUNCTION sdc.pseudonym(
    value text,
    domain text,
    period text DEFAULT NULL,
    format text DEFAULT 'hex')
RETURNS text
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_pseudonym';

COMMENT ON FUNCTION sdc.pseudonym(text, text, text, text) IS
'pseudonym made with the key of the domain: equal for equal values in every table, another one in each period; format is hex, digits, uuid or email';

CREATE FUNCTION sdc.forget_pseudonyms(domain text)
RETURNS boolean
LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_forget_pseudonyms';

COMMENT ON FUNCTION sdc.forget_pseudonyms(text) IS
'deletes the key of a domain, so that nobody can make or check its pseudonyms any more; false when there was none';

-- Who may make pseudonyms can find out whose they are by trying all names.
REVOKE ALL ON FUNCTION sdc.pseudonym(text, text, text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION sdc.forget_pseudonyms(text) FROM PUBLIC;
-- sample_rows: a random part of the rows, in proportion to strata.

CREATE FUNCTION sdc.sample_rows(
    rel regclass,
    strata name[] DEFAULT NULL,
    p float8 DEFAULT 10,
    seed bigint DEFAULT NULL,
    target text DEFAULT NULL)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_sample_rows';

COMMENT ON FUNCTION sdc.sample_rows(regclass, name[], float8, bigint, text) IS
'a new table with p percent of the rows, drawn at random in proportion to the strata; returns how many these are';
-- risk: how far the records of a relation stand out.

CREATE FUNCTION sdc.risk_report(
    rel regclass,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    weight name DEFAULT NULL,
    methods text[] DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_risk_report';

COMMENT ON FUNCTION sdc.risk_report(regclass, name[], name[], name, text[], jsonb) IS
'measures the disclosure risk of a relation: class sizes and k-anonymity, re-identification in the file and in the population, and what classes give away of sensitive columns';

CREATE TYPE sdc.record_risk AS (
    id text,
    class_size bigint,
    population float8,
    risk float8,
    household_risk float8,
    l_distinct integer,
    confidence float8);

COMMENT ON TYPE sdc.record_risk IS
'one record: how many look like it in the file and in the population, the probability to find it and anyone of its household, and how surely its class gives away a sensitive value';

CREATE FUNCTION sdc.risk_records(
    rel regclass,
    id name DEFAULT NULL,
    household name DEFAULT NULL,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    weight name DEFAULT NULL,
    method text DEFAULT 'exact',
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.record_risk
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_risk_records';

COMMENT ON FUNCTION sdc.risk_records(regclass, name, name, name[], name[], name, text, jsonb) IS
'the risk of every record: method exact or approx (Benedetti-Franconi, from weights or params.sampling_fraction), prosecutor, journalist (params.population)';
-- link: attacks that link the records of two files, and their success.

CREATE TYPE sdc.link AS (
    id text,
    linked_id text,
    candidates bigint,
    probability float8,
    distance float8,
    certain boolean,
    correct boolean);

COMMENT ON TYPE sdc.link IS
'one candidate that an attack links a record to; the probabilities of a record add up to 1, and linked_id is null for what is linked to nobody named';

CREATE FUNCTION sdc.attack_distance(
    original regclass,
    masked regclass,
    id name,
    keys name[],
    method text DEFAULT 'euclidean',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_distance';

COMMENT ON FUNCTION sdc.attack_distance(regclass, regclass, name, name[], text, jsonb, bigint) IS
'links each record to the nearest records of the other file, with all ties; method euclidean, mahalanobis, wm, owa, choquet, choquet2, bilinear or gower; params: direction to_masked or to_original, max_candidates, map, assignment none or one_to_one, and the parameters of the method';

CREATE TYPE sdc.reid_summary AS (
    records bigint,
    reid_d float8,
    reid_k float8,
    k_reid float8,
    claimed float8,
    claim_precision float8);

COMMENT ON TYPE sdc.reid_summary IS
'success of an attack, as shares of the records: right unique links, mean probability of the right record, links right and known to be right, links claimed to be certain, and how many of these are right';

CREATE FUNCTION sdc.reid_accum(
    state float8[],
    links sdc.link)
RETURNS float8[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_reid_accum';

COMMENT ON FUNCTION sdc.reid_accum(float8[], sdc.link) IS
'transition function of the aggregate reid';

CREATE FUNCTION sdc.reid_combine(
    state float8[],
    other float8[])
RETURNS float8[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_reid_combine';

COMMENT ON FUNCTION sdc.reid_combine(float8[], float8[]) IS
'combine function of the aggregate reid';

CREATE FUNCTION sdc.reid_final(state float8[])
RETURNS sdc.reid_summary
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_reid_final';

COMMENT ON FUNCTION sdc.reid_final(float8[]) IS
'final function of the aggregate reid';

CREATE AGGREGATE sdc.reid(links sdc.link) (
    SFUNC = sdc.reid_accum,
    STYPE = float8[],
    INITCOND = '{0,0,0,0,0,0,0}',
    COMBINEFUNC = sdc.reid_combine,
    FINALFUNC = sdc.reid_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.reid(sdc.link) IS
'success of an attack, from all of its links: Reid_d, Reid_k, K.Reid and the precision of what it claims';
-- loss: how much a mask has changed.

CREATE FUNCTION sdc.il1s_accum(
    state float8[],
    value_original float8,
    value_masked float8)
RETURNS float8[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_il1s_accum';

COMMENT ON FUNCTION sdc.il1s_accum(float8[], float8, float8) IS
'transition function of the aggregate il1s';

CREATE FUNCTION sdc.il1s_combine(
    state float8[],
    other float8[])
RETURNS float8[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_il1s_combine';

COMMENT ON FUNCTION sdc.il1s_combine(float8[], float8[]) IS
'combine function of the aggregate il1s';

CREATE FUNCTION sdc.il1s_final(state float8[])
RETURNS float8
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_il1s_final';

COMMENT ON FUNCTION sdc.il1s_final(float8[]) IS
'final function of the aggregate il1s';

CREATE AGGREGATE sdc.il1s(
    value_original float8,
    value_masked float8) (
    SFUNC = sdc.il1s_accum,
    STYPE = float8[],
    INITCOND = '{0,0,0,0}',
    COMBINEFUNC = sdc.il1s_combine,
    FINALFUNC = sdc.il1s_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.il1s(float8, float8) IS
'information loss of a column: mean of |original - masked| / (sqrt(2) sd(original)); pairs with a NULL are skipped';
-- classes: aggregates over the classes of a file.

CREATE FUNCTION sdc.k_anonymity_final(state sdc.tally)
RETURNS bigint
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_k_anonymity_final';

COMMENT ON FUNCTION sdc.k_anonymity_final(sdc.tally) IS
'final function of the aggregate k_anonymity';

CREATE AGGREGATE sdc.k_anonymity(keys "any") (
    SFUNC = sdc.tally_keys,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.k_anonymity_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.k_anonymity("any") IS
'records of the smallest class of equal keys, a column or ROW(...) of several';

CREATE FUNCTION sdc.class_histogram_final(state sdc.tally)
RETURNS jsonb
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_class_histogram_final';

COMMENT ON FUNCTION sdc.class_histogram_final(sdc.tally) IS
'final function of the aggregate class_histogram';

CREATE AGGREGATE sdc.class_histogram(keys "any") (
    SFUNC = sdc.tally_keys,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.class_histogram_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.class_histogram("any") IS
'how many classes there are of each size';

CREATE FUNCTION sdc.unique_count_final(state sdc.tally)
RETURNS bigint
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_unique_count_final';

COMMENT ON FUNCTION sdc.unique_count_final(sdc.tally) IS
'final function of the aggregate unique_count';

CREATE AGGREGATE sdc.unique_count(keys "any") (
    SFUNC = sdc.tally_keys,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.unique_count_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.unique_count("any") IS
'number of classes of one record';

CREATE FUNCTION sdc.average_class_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_average_class_final';

COMMENT ON FUNCTION sdc.average_class_final(sdc.tally) IS
'final function of the aggregate average_class';

CREATE AGGREGATE sdc.average_class(keys "any") (
    SFUNC = sdc.tally_keys,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.average_class_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.average_class("any") IS
'records for each class on average';

CREATE FUNCTION sdc.discernibility_final(state sdc.tally)
RETURNS numeric
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_discernibility_final';

COMMENT ON FUNCTION sdc.discernibility_final(sdc.tally) IS
'final function of the aggregate discernibility';

CREATE AGGREGATE sdc.discernibility(keys "any") (
    SFUNC = sdc.tally_keys,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.discernibility_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.discernibility("any") IS
'discernibility metric: the sum of the squared sizes of the classes';

CREATE FUNCTION sdc.tally_weighted(
    state sdc.tally,
    keys "any",
    weight float8)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_weighted';

COMMENT ON FUNCTION sdc.tally_weighted(sdc.tally, "any", float8) IS
'transition function that counts the weights of each class';

CREATE FUNCTION sdc.expected_reids_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_expected_reids_final';

COMMENT ON FUNCTION sdc.expected_reids_final(sdc.tally) IS
'final function of the aggregate expected_reids';

CREATE AGGREGATE sdc.expected_reids(keys "any", weight float8) (
    SFUNC = sdc.tally_weighted,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.expected_reids_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.expected_reids("any", float8) IS
'expected number of right re-identifications: the sum of the individual risks after Benedetti and Franconi';
-- diversity: what the sensitive values of classes give away.

CREATE FUNCTION sdc.l_distinct_final(state sdc.tally)
RETURNS bigint
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_distinct_final';

COMMENT ON FUNCTION sdc.l_distinct_final(sdc.tally) IS
'final function of the aggregate l_distinct';

CREATE AGGREGATE sdc.l_distinct(sensitive "any") (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.l_distinct_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_distinct("any") IS
'distinct l-diversity of a block: the number of its sensitive values';

CREATE FUNCTION sdc.l_entropy_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_entropy_final';

COMMENT ON FUNCTION sdc.l_entropy_final(sdc.tally) IS
'final function of the aggregate l_entropy';

CREATE AGGREGATE sdc.l_entropy(sensitive "any") (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.l_entropy_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_entropy("any") IS
'entropy l-diversity of a block: exp of the entropy of its sensitive values';

CREATE FUNCTION sdc.l_frequency_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_frequency_final';

COMMENT ON FUNCTION sdc.l_frequency_final(sdc.tally) IS
'final function of the aggregate l_frequency';

CREATE AGGREGATE sdc.l_frequency(sensitive "any") (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.l_frequency_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_frequency("any") IS
'frequency l-diversity of a block: records over the count of the most frequent sensitive value';

CREATE FUNCTION sdc.tally_sensitive(
    state sdc.tally,
    sensitive "any",
    c float8)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc.tally_sensitive(sdc.tally, "any", float8) IS
'transition function that counts sensitive values';

CREATE FUNCTION sdc.l_recursive_final(state sdc.tally)
RETURNS integer
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_recursive_final';

COMMENT ON FUNCTION sdc.l_recursive_final(sdc.tally) IS
'final function of the aggregate l_recursive';

CREATE AGGREGATE sdc.l_recursive(sensitive "any", c float8) (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.l_recursive_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_recursive("any", float8) IS
'the largest l for which a block is recursive (c,l)-diverse, 0 if there is none';

CREATE FUNCTION sdc.tally_sensitive(
    state sdc.tally,
    sensitive "any",
    c float8,
    l float8)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc.tally_sensitive(sdc.tally, "any", float8, float8) IS
'transition function that counts sensitive values';

CREATE FUNCTION sdc.is_recursive_final(state sdc.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_recursive_final';

COMMENT ON FUNCTION sdc.is_recursive_final(sdc.tally) IS
'final function of the aggregate is_recursive';

CREATE AGGREGATE sdc.is_recursive(sensitive "any", c float8, l float8) (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.is_recursive_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_recursive("any", float8, float8) IS
'is a block recursive (c,l)-diverse: r1 < c (rl + .. + rm)';

CREATE FUNCTION sdc.tally_sensitive(
    state sdc.tally,
    sensitive "any",
    allowed text[],
    c float8,
    l float8)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc.tally_sensitive(sdc.tally, "any", text[], float8, float8) IS
'transition function that counts sensitive values';

CREATE FUNCTION sdc.is_pd_recursive_final(state sdc.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_pd_recursive_final';

COMMENT ON FUNCTION sdc.is_pd_recursive_final(sdc.tally) IS
'final function of the aggregate is_pd_recursive';

CREATE AGGREGATE sdc.is_pd_recursive(sensitive "any", allowed text[], c float8, l float8) (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.is_pd_recursive_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_pd_recursive("any", text[], float8, float8) IS
'is a block positive disclosure-recursive (c,l)-diverse, allowed values being free to be disclosed';

CREATE FUNCTION sdc.tally_sensitive(
    state sdc.tally,
    sensitive "any",
    allowed text[],
    protected text[],
    c float8,
    l float8,
    c2 float8)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc.tally_sensitive(sdc.tally, "any", text[], text[], float8, float8, float8) IS
'transition function that counts sensitive values';

CREATE FUNCTION sdc.is_npd_recursive_final(state sdc.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_npd_recursive_final';

COMMENT ON FUNCTION sdc.is_npd_recursive_final(sdc.tally) IS
'final function of the aggregate is_npd_recursive';

CREATE AGGREGATE sdc.is_npd_recursive(sensitive "any", allowed text[], protected text[], c float8, l float8, c2 float8) (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.is_npd_recursive_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_npd_recursive("any", text[], text[], float8, float8, float8) IS
'is a block negative/positive disclosure-recursive: pd-recursive, and each protected value has c2 percent of the records or more';

CREATE FUNCTION sdc.tally_classes(
    state sdc.tally,
    keys "any",
    sensitive "any",
    method text)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_classes';

COMMENT ON FUNCTION sdc.tally_classes(sdc.tally, "any", "any", text) IS
'transition function that counts the rows of each sensitive value in each class';

CREATE FUNCTION sdc.l_diversity_final(state sdc.tally)
RETURNS bigint
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_diversity_final';

COMMENT ON FUNCTION sdc.l_diversity_final(sdc.tally) IS
'final function of the aggregate l_diversity';

CREATE AGGREGATE sdc.l_diversity(keys "any", sensitive "any") (
    SFUNC = sdc.tally_classes,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.l_diversity_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_diversity("any", "any") IS
'distinct l-diversity of a file: the fewest sensitive values of a class';

CREATE FUNCTION sdc.l_diversity_method_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_l_diversity_method_final';

COMMENT ON FUNCTION sdc.l_diversity_method_final(sdc.tally) IS
'final function of the aggregate l_diversity with a method';

CREATE AGGREGATE sdc.l_diversity(keys "any", sensitive "any", method text) (
    SFUNC = sdc.tally_classes,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.l_diversity_method_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.l_diversity("any", "any", text) IS
'l-diversity of the worst class; method distinct, entropy or frequency';

CREATE FUNCTION sdc.t_closeness_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_t_closeness_final';

COMMENT ON FUNCTION sdc.t_closeness_final(sdc.tally) IS
'final function of the aggregate t_closeness';

CREATE AGGREGATE sdc.t_closeness(keys "any", sensitive "any") (
    SFUNC = sdc.tally_classes,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.t_closeness_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.t_closeness("any", "any") IS
't-closeness: the largest earth mover distance between a class and the file, any two values being 1 apart';

CREATE AGGREGATE sdc.t_closeness(keys "any", sensitive "any", method text) (
    SFUNC = sdc.tally_classes,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.t_closeness_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.t_closeness("any", "any", text) IS
't-closeness; method equal, ordered (values apart by rank) or hierarchical:NAME (by their lowest common group)';
-- cell_rules: may a cell of a table be published?

CREATE FUNCTION sdc.tally_sensitive(
    state sdc.tally,
    sensitive "any",
    coalition integer)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_sensitive';

COMMENT ON FUNCTION sdc.tally_sensitive(sdc.tally, "any", integer) IS
'transition function that counts sensitive values';

CREATE FUNCTION sdc.is_cell_disclosed_final(state sdc.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_cell_disclosed_final';

COMMENT ON FUNCTION sdc.is_cell_disclosed_final(sdc.tally) IS
'final function of the aggregate is_cell_disclosed';

CREATE AGGREGATE sdc.is_cell_disclosed(sensitive "any", coalition integer) (
    SFUNC = sdc.tally_sensitive,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.is_cell_disclosed_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_cell_disclosed("any", integer) IS
'does a cell disclose the sensitive value of its respondents to a coalition of so many of them; 0 is an intruder from outside';

CREATE FUNCTION sdc.tally_contribution(
    state sdc.tally,
    value numeric,
    k integer,
    p float8)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_contribution';

COMMENT ON FUNCTION sdc.tally_contribution(sdc.tally, numeric, integer, float8) IS
'transition function that counts contributions to a cell';

CREATE FUNCTION sdc.is_dominant_final(state sdc.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_dominant_final';

COMMENT ON FUNCTION sdc.is_dominant_final(sdc.tally) IS
'final function of the aggregate is_dominant';

CREATE AGGREGATE sdc.is_dominant(value numeric, k integer, p float8) (
    SFUNC = sdc.tally_contribution,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.is_dominant_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_dominant(numeric, integer, float8) IS
'dominance rule: do the k largest contributions exceed p percent of the cell';

CREATE FUNCTION sdc.tally_contribution(
    state sdc.tally,
    value numeric,
    p float8)
RETURNS sdc.tally
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_tally_contribution';

COMMENT ON FUNCTION sdc.tally_contribution(sdc.tally, numeric, float8) IS
'transition function that counts contributions to a cell';

CREATE FUNCTION sdc.is_p_percent_final(state sdc.tally)
RETURNS boolean
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_is_p_percent_final';

COMMENT ON FUNCTION sdc.is_p_percent_final(sdc.tally) IS
'final function of the aggregate is_p_percent';

CREATE AGGREGATE sdc.is_p_percent(value numeric, p float8) (
    SFUNC = sdc.tally_contribution,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.is_p_percent_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.is_p_percent(numeric, float8) IS
'p-percent rule: can the second largest contributor estimate the largest one to within p percent';
-- individual_risk: the risk of a record of a sample.

CREATE FUNCTION sdc.individual_risk(
    sample_count bigint,
    population_count float8,
    method text DEFAULT 'exact')
RETURNS float8
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_individual_risk';

COMMENT ON FUNCTION sdc.individual_risk(bigint, float8, text) IS
'risk E(1/F|f) after Benedetti and Franconi of one of sample_count records that share their keys, when the population is estimated to have population_count of them (the sum of their weights)';
-- uniqueness: are sample uniques unique in the population?

CREATE FUNCTION sdc.uniqueness(
    rel regclass,
    external regclass DEFAULT NULL,
    keys name[] DEFAULT NULL,
    weight name DEFAULT NULL,
    method text DEFAULT 'dis',
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_uniqueness';

COMMENT ON FUNCTION sdc.uniqueness(regclass, regclass, name[], name, text, jsonb) IS
'how many records that are unique in a sample are unique in its population: counted (method population) or estimated (dis, poisson, pitman, zayatz, snb, benedetti, dankar)';
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
    rel regclass,
    id name DEFAULT NULL,
    keys name[] DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.suda
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_suda2';

COMMENT ON FUNCTION sdc.suda2(regclass, name, name[], jsonb) IS
'SUDA and DIS-SUDA scores of every record: how few values of the keys single it out, by all its minimal sample uniques';

CREATE FUNCTION sdc.suda2_report(
    rel regclass,
    keys name[] DEFAULT NULL,
    methods text[] DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_suda2_report';

COMMENT ON FUNCTION sdc.suda2_report(regclass, name[], text[], jsonb) IS
'special uniques of a relation: how many records have minimal sample uniques of which size, and what each key contributes to the scores';
-- l_multi: l-diversity of several sensitive columns together.

CREATE FUNCTION sdc.l_multi(
    rel regclass,
    keys name[],
    sensitive name[],
    c float8 DEFAULT NULL,
    l float8 DEFAULT NULL,
    method text DEFAULT 'distinct')
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_l_multi';

COMMENT ON FUNCTION sdc.l_multi(regclass, name[], name[], float8, float8, text) IS
'measures the l-diversity of each sensitive column when the others are known too: distinct, entropy, frequency or recursive';
-- posterior: beliefs of an intruder before and after a release.

CREATE TYPE sdc.belief AS (
    subject text,
    value text,
    prior float8,
    posterior float8,
    sensitive text,
    records bigint,
    disclosure text);

COMMENT ON TYPE sdc.belief IS
'belief that a person, or the persons of a class, have a value: before and after the release, with the records of the class that have it and the disclosures that the change is';

CREATE FUNCTION sdc.posterior(
    masked regclass,
    external regclass DEFAULT NULL,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.belief
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_posterior';

COMMENT ON FUNCTION sdc.posterior(regclass, regclass, name[], name[], jsonb) IS
'beliefs of a Bayes-optimal intruder before and after a release, from the knowledge in external; params: known, map, weight, exclude, delta, epsilon, rho1, rho2, zeros, only_disclosed, nulls';
-- cells: what an intruder learns who knows that a person is in a cell.

CREATE TYPE sdc.cell_risk AS (
    cell jsonb,
    sensitive text,
    records bigint,
    l_distinct bigint,
    value text,
    largest bigint,
    homogeneity float8,
    smallest_coalition bigint,
    disclosed_external boolean,
    disclosed_internal boolean);

COMMENT ON TYPE sdc.cell_risk IS
'one cell and sensitive column: its records, their different values, the most frequent value and its records and share, and how many members must pool their values to learn the rest';

CREATE FUNCTION sdc.risk_cells(
    rel regclass,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    coalition integer DEFAULT 0,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.cell_risk
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_risk_cells';

COMMENT ON FUNCTION sdc.risk_cells(regclass, name[], name[], integer, jsonb) IS
'what an outsider, or a coalition of members, learns of the sensitive columns in each cell of equal keys, worst first; params: only_disclosed, limit, nulls';
-- disclosure: how many values, and which people, a masked file gives away.

CREATE FUNCTION sdc.disclosure_accum(
    state bytea,
    value_original float8,
    value_masked float8,
    p float8)
RETURNS bytea
LANGUAGE c IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_disclosure_accum';

COMMENT ON FUNCTION sdc.disclosure_accum(bytea, float8, float8, float8) IS
'transition function of the aggregates rid and sdid';

CREATE FUNCTION sdc.disclosure_combine(
    state bytea,
    other bytea)
RETURNS bytea
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_disclosure_combine';

COMMENT ON FUNCTION sdc.disclosure_combine(bytea, bytea) IS
'combine function of the aggregates rid and sdid';

CREATE FUNCTION sdc.rid_final(state bytea)
RETURNS float8
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_rid_final';

COMMENT ON FUNCTION sdc.rid_final(bytea) IS
'final function of the aggregate rid';

CREATE FUNCTION sdc.sdid_final(state bytea)
RETURNS float8
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_sdid_final';

COMMENT ON FUNCTION sdc.sdid_final(bytea) IS
'final function of the aggregate sdid';

CREATE AGGREGATE sdc.rid(
    value_original float8,
    value_masked float8,
    p float8) (
    SFUNC = sdc.disclosure_accum,
    STYPE = bytea,
    COMBINEFUNC = sdc.disclosure_combine,
    FINALFUNC = sdc.rid_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.rid(float8, float8, float8) IS
'rank interval disclosure: share of original values whose rank is within p / 2 percent of the ranks of the masked value; a suppressed value discloses nothing, a missing original is left out';

CREATE AGGREGATE sdc.sdid(
    value_original float8,
    value_masked float8,
    p float8) (
    SFUNC = sdc.disclosure_accum,
    STYPE = bytea,
    COMBINEFUNC = sdc.disclosure_combine,
    FINALFUNC = sdc.sdid_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.sdid(float8, float8, float8) IS
'standard deviation interval disclosure: share of original values within p percent of their standard deviation of the masked value; a suppressed value discloses nothing, a missing original is left out';

CREATE FUNCTION sdc.sadr_accum(
    state float8[],
    value_original "any",
    value_masked "any")
RETURNS float8[]
LANGUAGE c IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_sadr_accum';

COMMENT ON FUNCTION sdc.sadr_accum(float8[], "any", "any") IS
'transition function of the aggregate sadr';

CREATE FUNCTION sdc.sadr_combine(
    state float8[],
    other float8[])
RETURNS float8[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_sadr_combine';

COMMENT ON FUNCTION sdc.sadr_combine(float8[], float8[]) IS
'combine function of the aggregate sadr';

CREATE FUNCTION sdc.sadr_final(state float8[])
RETURNS float8
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_sadr_final';

COMMENT ON FUNCTION sdc.sadr_final(float8[]) IS
'final function of the aggregate sadr';

CREATE AGGREGATE sdc.sadr(
    value_original "any",
    value_masked "any") (
    SFUNC = sdc.sadr_accum,
    STYPE = float8[],
    INITCOND = '{0,0}',
    COMBINEFUNC = sdc.sadr_combine,
    FINALFUNC = sdc.sadr_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.sadr("any", "any") IS
'simple attribute disclosure risk: share of original values that the masked file shows unchanged; a suppressed value discloses nothing, a missing original is left out';

CREATE FUNCTION sdc.disclosure_report(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    rules jsonb DEFAULT NULL,
    p float8 DEFAULT 10,
    methods text[] DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_disclosure_report';

COMMENT ON FUNCTION sdc.disclosure_report(regclass, regclass, name, name[], name[], jsonb, float8, text[], bigint) IS
'what a masked relation gives away of the original, worst first: rid, sdid and sadr of each column and of all, and the success of every linkage attack; methods: rid, sdid, sadr, distance';
-- learned_distance: the distance that re-identifies the most, with a proof.

CREATE TYPE sdc.distance_model AS (
    method text,
    parameters jsonb,
    attack_method text,
    records bigint,
    uniform bigint,
    reidentified bigint,
    bound bigint,
    exact boolean,
    explanation text);

COMMENT ON TYPE sdc.distance_model IS
'what a distance was taught: its parameters, as sdc.attack_distance takes them with attack_method; how many of the records it re-identifies (uniform: how many the plain mean does), and how many any parameters can at most';

CREATE FUNCTION sdc.learn_distance(
    original regclass,
    masked regclass,
    id name,
    keys name[],
    method text DEFAULT 'wm',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS sdc.distance_model
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_learn_distance';

COMMENT ON FUNCTION sdc.learn_distance(regclass, regclass, name, name[], text, jsonb, bigint) IS
'finds the parameters of a distance that re-identify the most records of aligned files, and proves how many that can be; methods wm, wm_m, owa, choquet, choquet_m, choquet2, bilinear, bilinear_nc, bilinear_pd; params: direction to_masked or to_original, time_limit in seconds, map';

CREATE FUNCTION sdc.attack_learned(
    original regclass,
    masked regclass,
    id name,
    keys name[],
    method text DEFAULT 'wm',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_learned';

COMMENT ON FUNCTION sdc.attack_learned(regclass, regclass, name, name[], text, jsonb, bigint) IS
'links each record to the nearest records of the other file, with all ties, by the distance that sdc.learn_distance finds; params as there, and max_candidates';
-- probabilistic_linkage: the intruder who learns which agreements count.

CREATE TYPE sdc.linkage_field AS (
    field text,
    level integer,
    agreement text,
    share float8,
    m float8,
    u float8,
    weight float8);

COMMENT ON TYPE sdc.linkage_field IS
'a level of agreement of a field: share of all pairs that have it, of matches (m) and of other pairs (u), and log2(m/u); field "*" has the share of pairs that match and the weights of links and non-links';

CREATE TYPE sdc.linkage_pattern AS (
    pattern text,
    pairs bigint,
    m float8,
    u float8,
    weight float8,
    posterior float8,
    class text);

COMMENT ON TYPE sdc.linkage_pattern IS
'a pattern of agreement (the level of each key, - where a value is missing), how many pairs have it, its probability in matches (m) and other pairs (u), log2(m/u), the probability that such a pair is a match, and link, clerical or non-link';

CREATE FUNCTION sdc.estimate_linkage(
    original regclass,
    masked regclass,
    keys name[],
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.linkage_field
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_estimate_linkage';

COMMENT ON FUNCTION sdc.estimate_linkage(regclass, regclass, name[], jsonb, bigint) IS
'what each level of agreement of each key says about a match, estimated by EM without knowing any match (Fellegi and Sunter)';

CREATE FUNCTION sdc.linkage_patterns(
    original regclass,
    masked regclass,
    keys name[],
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.linkage_pattern
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_linkage_patterns';

COMMENT ON FUNCTION sdc.linkage_patterns(regclass, regclass, name[], jsonb, bigint) IS
'the patterns of agreement that occur, the likeliest matches first, each classified by the two error rates';

CREATE FUNCTION sdc.attack_probabilistic(
    original regclass,
    masked regclass,
    id name,
    keys name[],
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_probabilistic';

COMMENT ON FUNCTION sdc.attack_probabilistic(regclass, regclass, name, name[], jsonb, bigint) IS
'probabilistic record linkage: each record is linked to those that are likeliest to be the same person, by the agreements that EM finds to count';
-- transparency: the intruder who knows how the file was masked.

CREATE TYPE sdc.candidate_set AS (
    id text,
    subject text,
    method text,
    candidates bigint,
    contains_own boolean,
    exact boolean);

COMMENT ON TYPE sdc.candidate_set IS
'how many masked records a record can have become by what is known of the masking of a column, or of all (subject *); whether its own is among them, and whether it must be';

CREATE FUNCTION sdc.transparency_sets(
    original regclass,
    masked regclass,
    id name,
    keys name[],
    rules jsonb,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.candidate_set
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_transparency_sets';

COMMENT ON FUNCTION sdc.transparency_sets(regclass, regclass, name, name[], jsonb, jsonb) IS
'the sets of masked records that each record can have become, judged by each key whose masking rules are known, and their intersection; params: p_bound, delta, map';

CREATE FUNCTION sdc.attack_transparency(
    original regclass,
    masked regclass,
    id name,
    keys name[],
    rules jsonb,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_transparency';

COMMENT ON FUNCTION sdc.attack_transparency(regclass, regclass, name, name[], jsonb, jsonb, bigint) IS
'links each record to the masked records that it can have become by rules that are known, then to the nearest of these; params: p_bound, delta, map, max_candidates';
-- minimality: beliefs of an intruder who knows the grouping algorithm.

CREATE FUNCTION sdc.attack_minimality(
    masked regclass,
    sensitive name[],
    groups name,
    l float8,
    method text DEFAULT 'greedy',
    id name DEFAULT NULL)
RETURNS SETOF sdc.belief
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_minimality';

COMMENT ON FUNCTION sdc.attack_minimality(regclass, name[], name, float8, text, name) IS
'beliefs about each record of an intruder who knows that diverse_group scanned the records in the order of id: prior by the values of the group, posterior by the assignments under which the scan gives these groups';
-- transparency_correct: what an honest user makes of published rules.

CREATE FUNCTION sdc.transparency_correct(
    masked regclass,
    columns name[],
    rules jsonb)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_transparency_correct';

COMMENT ON FUNCTION sdc.transparency_correct(regclass, name[], jsonb) IS
'means, variances, covariances and correlations of the original, estimated from the masked relation and its published rules; null where the rules do not tell';
-- exact_linkage: the intruder who looks for equal rows.

CREATE FUNCTION sdc.attack_exact(
    original regclass,
    masked regclass,
    id name,
    keys name[],
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_exact';

COMMENT ON FUNCTION sdc.attack_exact(regclass, regclass, name, name[], jsonb) IS
'links each id to those that have a row which is equal in all keys, each by its share of the equal pairs of rows; an id may have many rows';
-- composition: the intruder who holds several releases.

CREATE FUNCTION sdc.attack_composition(
    releases regclass[],
    id name,
    keys name[],
    sensitive name[],
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_composition';

COMMENT ON FUNCTION sdc.attack_composition(regclass[], name, name[], name[], jsonb) IS
'what is left of a person''s sensitive values, or of the records that may be his, when the classes he is in are intersected over several releases';
-- dp_noise: noise for one number under differential privacy.
-- Only roles that may see the true value have a use for these, so nobody
-- may call them until EXECUTE is granted.

CREATE FUNCTION sdc.laplace(
    value float8,
    sensitivity float8,
    epsilon float8)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 10
AS 'MODULE_PATHNAME', 'sdcf_laplace_float8';

COMMENT ON FUNCTION sdc.laplace(float8, float8, float8) IS
'value with Laplace noise of scale sensitivity / epsilon: epsilon-differentially private; exact sampling, no seed';

REVOKE EXECUTE ON FUNCTION sdc.laplace(float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.laplace(
    value integer,
    sensitivity integer,
    epsilon float8)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 10
AS 'MODULE_PATHNAME', 'sdcf_laplace_integer';

COMMENT ON FUNCTION sdc.laplace(integer, integer, float8) IS
'value with Laplace noise of scale sensitivity / epsilon: epsilon-differentially private; exact sampling, no seed';

REVOKE EXECUTE ON FUNCTION sdc.laplace(integer, integer, float8) FROM PUBLIC;

CREATE FUNCTION sdc.laplace(
    value bigint,
    sensitivity bigint,
    epsilon float8)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 10
AS 'MODULE_PATHNAME', 'sdcf_laplace_bigint';

COMMENT ON FUNCTION sdc.laplace(bigint, bigint, float8) IS
'value with Laplace noise of scale sensitivity / epsilon: epsilon-differentially private; exact sampling, no seed';

REVOKE EXECUTE ON FUNCTION sdc.laplace(bigint, bigint, float8) FROM PUBLIC;

CREATE FUNCTION sdc.gaussian(
    value float8,
    sensitivity float8,
    rho float8)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 10
AS 'MODULE_PATHNAME', 'sdcf_gaussian_float8';

COMMENT ON FUNCTION sdc.gaussian(float8, float8, float8) IS
'value with Gaussian noise of variance sensitivity^2 / (2 rho): rho-zero-concentrated differentially private; exact sampling, no seed';

REVOKE EXECUTE ON FUNCTION sdc.gaussian(float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.gaussian(
    value integer,
    sensitivity integer,
    rho float8)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 10
AS 'MODULE_PATHNAME', 'sdcf_gaussian_integer';

COMMENT ON FUNCTION sdc.gaussian(integer, integer, float8) IS
'value with Gaussian noise of variance sensitivity^2 / (2 rho): rho-zero-concentrated differentially private; exact sampling, no seed';

REVOKE EXECUTE ON FUNCTION sdc.gaussian(integer, integer, float8) FROM PUBLIC;

CREATE FUNCTION sdc.gaussian(
    value bigint,
    sensitivity bigint,
    rho float8)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 10
AS 'MODULE_PATHNAME', 'sdcf_gaussian_bigint';

COMMENT ON FUNCTION sdc.gaussian(bigint, bigint, float8) IS
'value with Gaussian noise of variance sensitivity^2 / (2 rho): rho-zero-concentrated differentially private; exact sampling, no seed';

REVOKE EXECUTE ON FUNCTION sdc.gaussian(bigint, bigint, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_halfwidth(
    mechanism text,
    sensitivity float8,
    epsilon float8,
    confidence float8)
RETURNS float8
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
AS 'MODULE_PATHNAME', 'sdcf_dp_halfwidth';

COMMENT ON FUNCTION sdc.dp_halfwidth(text, float8, float8, float8) IS
'how far noise stays from the true value with this confidence, for laplace, discrete_laplace (counts and sums of whole numbers), gaussian or discrete_gaussian (epsilon is rho)';
-- dp_choose: one of several candidates under differential privacy.

CREATE FUNCTION sdc.dp_choose(
    candidates anyarray,
    scores float8[],
    sensitivity float8,
    epsilon float8,
    monotonic boolean DEFAULT false)
RETURNS anyelement
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 100
AS 'MODULE_PATHNAME', 'sdcf_dp_choose';

COMMENT ON FUNCTION sdc.dp_choose(anyarray, float8[], float8, float8, boolean) IS
'the candidate with about the highest score, by permute and flip: epsilon-differentially private when one record changes a score by at most sensitivity';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose(anyarray, float8[], float8, float8, boolean) FROM PUBLIC;

CREATE FUNCTION sdc.dp_choose_em(
    candidates anyarray,
    scores float8[],
    sensitivity float8,
    epsilon float8,
    monotonic boolean DEFAULT false)
RETURNS anyelement
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 100
AS 'MODULE_PATHNAME', 'sdcf_dp_choose_em';

COMMENT ON FUNCTION sdc.dp_choose_em(anyarray, float8[], float8, float8, boolean) IS
'the same by the exponential mechanism: each candidate with probability proportional to exp(epsilon score / (2 sensitivity))';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose_em(anyarray, float8[], float8, float8, boolean) FROM PUBLIC;

CREATE FUNCTION sdc.dp_choose_accum(
    state internal,
    candidate anyelement,
    score float8,
    sensitivity float8,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_choose_accum';

COMMENT ON FUNCTION sdc.dp_choose_accum(internal, anyelement, float8, float8, float8) IS
'transition function of the aggregate dp_choose';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose_accum(internal, anyelement, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_choose_final(
    state internal,
    candidate anyelement,
    score float8,
    sensitivity float8,
    epsilon float8)
RETURNS anyelement
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_choose_final';

COMMENT ON FUNCTION sdc.dp_choose_final(internal, anyelement, float8, float8, float8) IS
'final function of the aggregate dp_choose';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose_final(internal, anyelement, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_choose(
    candidate anyelement,
    score float8,
    sensitivity float8,
    epsilon float8) (
    SFUNC = sdc.dp_choose_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_choose_final,
    FINALFUNC_EXTRA,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_choose(anyelement, float8, float8, float8) IS
'the candidate with about the highest score, by permute and flip over the rows';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose(anyelement, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_choose_accum(
    state internal,
    candidate anyelement,
    score float8,
    sensitivity float8,
    epsilon float8,
    monotonic boolean)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_choose_accum';

COMMENT ON FUNCTION sdc.dp_choose_accum(internal, anyelement, float8, float8, float8, boolean) IS
'transition function of the aggregate dp_choose';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose_accum(internal, anyelement, float8, float8, float8, boolean) FROM PUBLIC;

CREATE FUNCTION sdc.dp_choose_final(
    state internal,
    candidate anyelement,
    score float8,
    sensitivity float8,
    epsilon float8,
    monotonic boolean)
RETURNS anyelement
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_choose_final';

COMMENT ON FUNCTION sdc.dp_choose_final(internal, anyelement, float8, float8, float8, boolean) IS
'final function of the aggregate dp_choose';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose_final(internal, anyelement, float8, float8, float8, boolean) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_choose(
    candidate anyelement,
    score float8,
    sensitivity float8,
    epsilon float8,
    monotonic boolean) (
    SFUNC = sdc.dp_choose_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_choose_final,
    FINALFUNC_EXTRA,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_choose(anyelement, float8, float8, float8, boolean) IS
'the candidate with about the highest score, by permute and flip over the rows; monotonic when one record can only raise all scores, or only lower them';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose(anyelement, float8, float8, float8, boolean) FROM PUBLIC;
-- dp_count: counts under differential privacy.

CREATE FUNCTION sdc.dp_count_accum(
    state internal,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_count_accum';

COMMENT ON FUNCTION sdc.dp_count_accum(internal, float8) IS
'transition function of the aggregate dp_count';

REVOKE EXECUTE ON FUNCTION sdc.dp_count_accum(internal, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_count_accum(
    state internal,
    value "any",
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_count_any_accum';

COMMENT ON FUNCTION sdc.dp_count_accum(internal, "any", float8) IS
'transition function of the aggregate dp_count';

REVOKE EXECUTE ON FUNCTION sdc.dp_count_accum(internal, "any", float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_count_final(
    state internal)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_count_final';

COMMENT ON FUNCTION sdc.dp_count_final(internal) IS
'final function of the aggregate dp_count';

REVOKE EXECUTE ON FUNCTION sdc.dp_count_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_count_any_final(
    state internal)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_count_any_final';

COMMENT ON FUNCTION sdc.dp_count_any_final(internal) IS
'final function of the aggregate dp_count';

REVOKE EXECUTE ON FUNCTION sdc.dp_count_any_final(internal) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_count(
    epsilon float8) (
    SFUNC = sdc.dp_count_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_count_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_count(float8) IS
'number of rows with discrete Laplace noise of scale 1 / epsilon';

REVOKE EXECUTE ON FUNCTION sdc.dp_count(float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_count(
    value "any",
    epsilon float8) (
    SFUNC = sdc.dp_count_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_count_any_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_count("any", float8) IS
'number of values that are not NULL, or with DISTINCT of different ones, with discrete Laplace noise of scale 1 / epsilon';

REVOKE EXECUTE ON FUNCTION sdc.dp_count("any", float8) FROM PUBLIC;
-- dp_sum: clipped sums under differential privacy.

CREATE FUNCTION sdc.dp_sum_integer_final(
    state internal)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_integer_final';

COMMENT ON FUNCTION sdc.dp_sum_integer_final(internal) IS
'final function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_integer_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_bigint_final(
    state internal)
RETURNS numeric
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_bigint_final';

COMMENT ON FUNCTION sdc.dp_sum_bigint_final(internal) IS
'final function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_bigint_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_float8_final(
    state internal)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_float8_final';

COMMENT ON FUNCTION sdc.dp_sum_float8_final(internal) IS
'final function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_float8_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value integer,
    lower integer,
    upper integer,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, integer, integer, integer, float8) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, integer, integer, integer, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value integer,
    lower integer,
    upper integer,
    epsilon float8) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_integer_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(integer, integer, integer, float8) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(integer, integer, integer, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value integer,
    lower integer,
    upper integer,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, integer, integer, integer, float8, text) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, integer, integer, integer, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value integer,
    lower integer,
    upper integer,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_integer_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(integer, integer, integer, float8, text) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(integer, integer, integer, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value bigint,
    lower bigint,
    upper bigint,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, bigint, bigint, bigint, float8) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, bigint, bigint, bigint, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value bigint,
    lower bigint,
    upper bigint,
    epsilon float8) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_bigint_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(bigint, bigint, bigint, float8) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(bigint, bigint, bigint, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value bigint,
    lower bigint,
    upper bigint,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, bigint, bigint, bigint, float8, text) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, bigint, bigint, bigint, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value bigint,
    lower bigint,
    upper bigint,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_bigint_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(bigint, bigint, bigint, float8, text) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(bigint, bigint, bigint, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, float8, float8, float8, float8) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, float8, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value float8,
    lower float8,
    upper float8,
    epsilon float8) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_float8_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(float8, float8, float8, float8) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, float8, float8, float8, float8, text) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, float8, float8, float8, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_float8_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(float8, float8, float8, float8, text) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(float8, float8, float8, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, numeric, numeric, numeric, float8) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_float8_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(numeric, numeric, numeric, float8) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_sum_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_accum';

COMMENT ON FUNCTION sdc.dp_sum_accum(internal, numeric, numeric, numeric, float8, text) IS
'transition function of the aggregate dp_sum';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum_accum(internal, numeric, numeric, numeric, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_sum(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_sum_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_sum_float8_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_sum(numeric, numeric, numeric, float8, text) IS
'sum of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_sum(numeric, numeric, numeric, float8, text) FROM PUBLIC;
-- dp_moments: mean, variance, deviation under differential privacy.

CREATE FUNCTION sdc.dp_avg_final(
    state internal)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_avg_final';

COMMENT ON FUNCTION sdc.dp_avg_final(internal) IS
'final function of the aggregate dp_avg';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_var_final(
    state internal)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_var_final';

COMMENT ON FUNCTION sdc.dp_var_final(internal) IS
'final function of the aggregate dp_var';

REVOKE EXECUTE ON FUNCTION sdc.dp_var_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_stddev_final(
    state internal)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_stddev_final';

COMMENT ON FUNCTION sdc.dp_stddev_final(internal) IS
'final function of the aggregate dp_stddev';

REVOKE EXECUTE ON FUNCTION sdc.dp_stddev_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_avg_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_avg_accum';

COMMENT ON FUNCTION sdc.dp_avg_accum(internal, float8, float8, float8, float8) IS
'transition function of the aggregate dp_avg';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg_accum(internal, float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_var_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_var_accum';

COMMENT ON FUNCTION sdc.dp_var_accum(internal, float8, float8, float8, float8) IS
'transition function of the aggregates dp_var and dp_stddev';

REVOKE EXECUTE ON FUNCTION sdc.dp_var_accum(internal, float8, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_avg(
    value float8,
    lower float8,
    upper float8,
    epsilon float8) (
    SFUNC = sdc.dp_avg_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_avg_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_avg(float8, float8, float8, float8) IS
'mean of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg(float8, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_var(
    value float8,
    lower float8,
    upper float8,
    epsilon float8) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_var_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_var(float8, float8, float8, float8) IS
'variance (divisor n) of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_var(float8, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_stddev(
    value float8,
    lower float8,
    upper float8,
    epsilon float8) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_stddev_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_stddev(float8, float8, float8, float8) IS
'standard deviation (divisor n) of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_stddev(float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_avg_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_avg_accum';

COMMENT ON FUNCTION sdc.dp_avg_accum(internal, float8, float8, float8, float8, text) IS
'transition function of the aggregate dp_avg';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg_accum(internal, float8, float8, float8, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_var_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_var_accum';

COMMENT ON FUNCTION sdc.dp_var_accum(internal, float8, float8, float8, float8, text) IS
'transition function of the aggregates dp_var and dp_stddev';

REVOKE EXECUTE ON FUNCTION sdc.dp_var_accum(internal, float8, float8, float8, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_avg(
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_avg_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_avg_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_avg(float8, float8, float8, float8, text) IS
'mean of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg(float8, float8, float8, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_var(
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_var_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_var(float8, float8, float8, float8, text) IS
'variance (divisor n) of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_var(float8, float8, float8, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_stddev(
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_stddev_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_stddev(float8, float8, float8, float8, text) IS
'standard deviation (divisor n) of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_stddev(float8, float8, float8, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_avg_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_avg_accum';

COMMENT ON FUNCTION sdc.dp_avg_accum(internal, numeric, numeric, numeric, float8) IS
'transition function of the aggregate dp_avg';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg_accum(internal, numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_var_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_var_accum';

COMMENT ON FUNCTION sdc.dp_var_accum(internal, numeric, numeric, numeric, float8) IS
'transition function of the aggregates dp_var and dp_stddev';

REVOKE EXECUTE ON FUNCTION sdc.dp_var_accum(internal, numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_avg(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8) (
    SFUNC = sdc.dp_avg_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_avg_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_avg(numeric, numeric, numeric, float8) IS
'mean of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg(numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_var(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_var_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_var(numeric, numeric, numeric, float8) IS
'variance (divisor n) of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_var(numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_stddev(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_stddev_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_stddev(numeric, numeric, numeric, float8) IS
'standard deviation (divisor n) of the values, each clipped to [lower, upper], with Laplace noise';

REVOKE EXECUTE ON FUNCTION sdc.dp_stddev(numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_avg_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_avg_accum';

COMMENT ON FUNCTION sdc.dp_avg_accum(internal, numeric, numeric, numeric, float8, text) IS
'transition function of the aggregate dp_avg';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg_accum(internal, numeric, numeric, numeric, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_var_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_var_accum';

COMMENT ON FUNCTION sdc.dp_var_accum(internal, numeric, numeric, numeric, float8, text) IS
'transition function of the aggregates dp_var and dp_stddev';

REVOKE EXECUTE ON FUNCTION sdc.dp_var_accum(internal, numeric, numeric, numeric, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_avg(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_avg_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_avg_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_avg(numeric, numeric, numeric, float8, text) IS
'mean of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_avg(numeric, numeric, numeric, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_var(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_var_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_var(numeric, numeric, numeric, float8, text) IS
'variance (divisor n) of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_var(numeric, numeric, numeric, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_stddev(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_var_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_stddev_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_stddev(numeric, numeric, numeric, float8, text) IS
'standard deviation (divisor n) of the values, each clipped to [lower, upper], with Laplace noise; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_stddev(numeric, numeric, numeric, float8, text) FROM PUBLIC;
-- dp_quantile: medians and quantiles under differential privacy.

CREATE FUNCTION sdc.dp_median_final(
    state internal)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_final';

COMMENT ON FUNCTION sdc.dp_median_final(internal) IS
'final function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_final(internal) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value float8,
    lower float8,
    upper float8,
    epsilon float8) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(float8, float8, float8, float8) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over 65536 cells';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8, text) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(float8, float8, float8, float8, text) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over 65536 cells; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(float8, float8, float8, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    cells integer)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8, integer) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8, integer) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    cells integer) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(float8, float8, float8, float8, integer) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over so many cells, 2 to 1048576';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(float8, float8, float8, float8, integer) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    cells integer,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8, integer, text) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, float8, float8, float8, float8, integer, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value float8,
    lower float8,
    upper float8,
    epsilon float8,
    cells integer,
    neighbours text) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(float8, float8, float8, float8, integer, text) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over so many cells, 2 to 1048576; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(float8, float8, float8, float8, integer, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(numeric, numeric, numeric, float8) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over 65536 cells';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(numeric, numeric, numeric, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8, text) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(numeric, numeric, numeric, float8, text) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over 65536 cells; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(numeric, numeric, numeric, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    cells integer)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8, integer) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8, integer) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    cells integer) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(numeric, numeric, numeric, float8, integer) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over so many cells, 2 to 1048576';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(numeric, numeric, numeric, float8, integer) FROM PUBLIC;

CREATE FUNCTION sdc.dp_median_accum(
    state internal,
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    cells integer,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_median_accum';

COMMENT ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8, integer, text) IS
'transition function of the aggregate dp_median';

REVOKE EXECUTE ON FUNCTION sdc.dp_median_accum(internal, numeric, numeric, numeric, float8, integer, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_median(
    value numeric,
    lower numeric,
    upper numeric,
    epsilon float8,
    cells integer,
    neighbours text) (
    SFUNC = sdc.dp_median_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_median_final,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_median(numeric, numeric, numeric, float8, integer, text) IS
'median of the values, each clipped to [lower, upper], by the exponential mechanism over so many cells, 2 to 1048576; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_median(numeric, numeric, numeric, float8, integer, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_quantile_accum(
    state internal,
    value float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_quantile_accum';

COMMENT ON FUNCTION sdc.dp_quantile_accum(internal, float8) IS
'transition function of the aggregate dp_quantile';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile_accum(internal, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_quantile_final(
    state internal,
    fraction float8,
    lower float8,
    upper float8,
    epsilon float8)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_quantile_final';

COMMENT ON FUNCTION sdc.dp_quantile_final(internal, float8, float8, float8, float8) IS
'final function of the aggregate dp_quantile';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile_final(internal, float8, float8, float8, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_quantile(
    fraction float8,
    lower float8,
    upper float8,
    epsilon float8
    ORDER BY value float8) (
    SFUNC = sdc.dp_quantile_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_quantile_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_quantile(float8, float8, float8, float8 ORDER BY float8) IS
'quantile of the values at a fraction of 0 to 1, each clipped to [lower, upper], by the exponential mechanism over 65536 cells';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile(float8, float8, float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_quantile_final(
    state internal,
    fraction float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_quantile_final';

COMMENT ON FUNCTION sdc.dp_quantile_final(internal, float8, float8, float8, float8, text) IS
'final function of the aggregate dp_quantile';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile_final(internal, float8, float8, float8, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_quantile(
    fraction float8,
    lower float8,
    upper float8,
    epsilon float8,
    neighbours text
    ORDER BY value float8) (
    SFUNC = sdc.dp_quantile_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_quantile_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_quantile(float8, float8, float8, float8, text ORDER BY float8) IS
'quantile of the values at a fraction of 0 to 1, each clipped to [lower, upper], by the exponential mechanism over 65536 cells; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile(float8, float8, float8, float8, text, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_quantile_accum(
    state internal,
    value numeric)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_quantile_accum';

COMMENT ON FUNCTION sdc.dp_quantile_accum(internal, numeric) IS
'transition function of the aggregate dp_quantile';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile_accum(internal, numeric) FROM PUBLIC;

CREATE FUNCTION sdc.dp_quantile_final(
    state internal,
    fraction float8,
    lower numeric,
    upper numeric,
    epsilon float8)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_quantile_final';

COMMENT ON FUNCTION sdc.dp_quantile_final(internal, float8, numeric, numeric, float8) IS
'final function of the aggregate dp_quantile';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile_final(internal, float8, numeric, numeric, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_quantile(
    fraction float8,
    lower numeric,
    upper numeric,
    epsilon float8
    ORDER BY value numeric) (
    SFUNC = sdc.dp_quantile_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_quantile_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_quantile(float8, numeric, numeric, float8 ORDER BY numeric) IS
'quantile of the values at a fraction of 0 to 1, each clipped to [lower, upper], by the exponential mechanism over 65536 cells';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile(float8, numeric, numeric, float8, numeric) FROM PUBLIC;

CREATE FUNCTION sdc.dp_quantile_final(
    state internal,
    fraction float8,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_quantile_final';

COMMENT ON FUNCTION sdc.dp_quantile_final(internal, float8, numeric, numeric, float8, text) IS
'final function of the aggregate dp_quantile';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile_final(internal, float8, numeric, numeric, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_quantile(
    fraction float8,
    lower numeric,
    upper numeric,
    epsilon float8,
    neighbours text
    ORDER BY value numeric) (
    SFUNC = sdc.dp_quantile_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_quantile_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_quantile(float8, numeric, numeric, float8, text ORDER BY numeric) IS
'quantile of the values at a fraction of 0 to 1, each clipped to [lower, upper], by the exponential mechanism over 65536 cells; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_quantile(float8, numeric, numeric, float8, text, numeric) FROM PUBLIC;
-- dp_mode: the most frequent value under differential privacy.

CREATE FUNCTION sdc.dp_mode_accum(
    state internal,
    value anyelement,
    candidates anyarray,
    epsilon float8)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_mode_accum';

COMMENT ON FUNCTION sdc.dp_mode_accum(internal, anyelement, anyarray, float8) IS
'transition function of the aggregate dp_mode';

REVOKE EXECUTE ON FUNCTION sdc.dp_mode_accum(internal, anyelement, anyarray, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_mode_final(
    state internal,
    value anyelement,
    candidates anyarray,
    epsilon float8)
RETURNS anyelement
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_mode_final';

COMMENT ON FUNCTION sdc.dp_mode_final(internal, anyelement, anyarray, float8) IS
'final function of the aggregate dp_mode';

REVOKE EXECUTE ON FUNCTION sdc.dp_mode_final(internal, anyelement, anyarray, float8) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_mode(
    value anyelement,
    candidates anyarray,
    epsilon float8) (
    SFUNC = sdc.dp_mode_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_mode_final,
    FINALFUNC_EXTRA,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_mode(anyelement, anyarray, float8) IS
'about the most frequent of the candidates, by permute and flip over their counts';

REVOKE EXECUTE ON FUNCTION sdc.dp_mode(anyelement, anyarray, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_mode_accum(
    state internal,
    value anyelement,
    candidates anyarray,
    epsilon float8,
    neighbours text)
RETURNS internal
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_mode_accum';

COMMENT ON FUNCTION sdc.dp_mode_accum(internal, anyelement, anyarray, float8, text) IS
'transition function of the aggregate dp_mode';

REVOKE EXECUTE ON FUNCTION sdc.dp_mode_accum(internal, anyelement, anyarray, float8, text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_mode_final(
    state internal,
    value anyelement,
    candidates anyarray,
    epsilon float8,
    neighbours text)
RETURNS anyelement
LANGUAGE c VOLATILE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdcf_dp_mode_final';

COMMENT ON FUNCTION sdc.dp_mode_final(internal, anyelement, anyarray, float8, text) IS
'final function of the aggregate dp_mode';

REVOKE EXECUTE ON FUNCTION sdc.dp_mode_final(internal, anyelement, anyarray, float8, text) FROM PUBLIC;

CREATE AGGREGATE sdc.dp_mode(
    value anyelement,
    candidates anyarray,
    epsilon float8,
    neighbours text) (
    SFUNC = sdc.dp_mode_accum,
    STYPE = internal,
    FINALFUNC = sdc.dp_mode_final,
    FINALFUNC_EXTRA,
    PARALLEL = RESTRICTED);

COMMENT ON AGGREGATE sdc.dp_mode(anyelement, anyarray, float8, text) IS
'about the most frequent of the candidates, by permute and flip over their counts; neighbours: replace or add_remove';

REVOKE EXECUTE ON FUNCTION sdc.dp_mode(anyelement, anyarray, float8, text) FROM PUBLIC;
-- dp_dataset: tables that roles without the right to read them may ask.

CREATE SEQUENCE sdc.dp_budget_id AS bigint;

COMMENT ON SEQUENCE sdc.dp_budget_id IS
'numbers of budgets; each has sequences dp_spent_NUMBER and dp_delta_NUMBER for what was spent';

CREATE TABLE sdc.dp_dataset (
    id bigint NOT NULL PRIMARY KEY,
    name text NOT NULL UNIQUE,
    rel regclass NOT NULL,
    rel_name text NOT NULL,
    unit_column name,
    neighbours text NOT NULL,
    max_groups integer NOT NULL,
    max_rows integer NOT NULL,
    accounting text NOT NULL,
    epsilon numeric NOT NULL,
    delta numeric NOT NULL,
    dropped boolean NOT NULL DEFAULT false);

COMMENT ON TABLE sdc.dp_dataset IS
'data sets made by sdc.dp_dataset_create; a dropped one keeps its row, as what was spent stays spent';
COMMENT ON COLUMN sdc.dp_dataset.id IS
'number of the budget of the whole data set';
COMMENT ON COLUMN sdc.dp_dataset.rel_name IS
'name of the relation when it was declared; another name stops all requests';

CREATE TABLE sdc.dp_dataset_column (
    dataset bigint NOT NULL,
    column_name name NOT NULL,
    lower numeric,
    upper numeric,
    categories text[],
    PRIMARY KEY (dataset, column_name));

COMMENT ON TABLE sdc.dp_dataset_column IS
'public bounds and categories of columns, written by sdc.dp_column';

CREATE TABLE sdc.dp_budget (
    id bigint NOT NULL PRIMARY KEY,
    dataset bigint NOT NULL,
    role regrole NOT NULL,
    epsilon numeric NOT NULL,
    delta numeric NOT NULL,
    UNIQUE (dataset, role));

COMMENT ON TABLE sdc.dp_budget IS
'what each role may spend of a data set, written by sdc.dp_grant';

REVOKE ALL ON sdc.dp_dataset, sdc.dp_dataset_column, sdc.dp_budget FROM PUBLIC;
REVOKE ALL ON SEQUENCE sdc.dp_budget_id FROM PUBLIC;

-- The sequences of what was spent are made later and are no members of the
-- extension, so a dump holds them by itself.
SELECT pg_catalog.pg_extension_config_dump('sdc.dp_budget_id', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.dp_dataset', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.dp_dataset_column', '');
-- The number of a role that is gone may be that of another one elsewhere.
SELECT pg_catalog.pg_extension_config_dump('sdc.dp_budget',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid OPERATOR(pg_catalog.=) role::pg_catalog.oid)');

CREATE FUNCTION sdc.dp_dataset_create(
    name text,
    rel regclass,
    unit_column name DEFAULT NULL,
    neighbours text DEFAULT 'add_remove',
    max_groups integer DEFAULT 1,
    max_rows integer DEFAULT 1,
    accounting text DEFAULT 'pure',
    epsilon_total numeric DEFAULT NULL,
    delta_total numeric DEFAULT 0,
    anew boolean DEFAULT false)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_dataset_create';

COMMENT ON FUNCTION sdc.dp_dataset_create(text, regclass, name, text, integer, integer, text, numeric, numeric, boolean) IS
'lets roles ask a table that they cannot read, within a budget; a unit is all rows with one value of unit_column';

REVOKE EXECUTE ON FUNCTION sdc.dp_dataset_create(text, regclass, name, text, integer, integer, text, numeric, numeric, boolean) FROM PUBLIC;

CREATE FUNCTION sdc.dp_dataset_drop(dataset text)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_dataset_drop';

COMMENT ON FUNCTION sdc.dp_dataset_drop(text) IS
'lets nobody ask a data set any more; what was spent stays spent should it be made again';

REVOKE EXECUTE ON FUNCTION sdc.dp_dataset_drop(text) FROM PUBLIC;

CREATE FUNCTION sdc.dp_column(
    dataset text,
    column_name name,
    lower numeric DEFAULT NULL,
    upper numeric DEFAULT NULL,
    categories text[] DEFAULT NULL)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_column';

COMMENT ON FUNCTION sdc.dp_column(text, name, numeric, numeric, text[]) IS
'declares what is public about a column: bounds that its values are clipped to, or its categories';

REVOKE EXECUTE ON FUNCTION sdc.dp_column(text, name, numeric, numeric, text[]) FROM PUBLIC;

CREATE FUNCTION sdc.dp_grant(
    dataset text,
    role regrole,
    epsilon numeric,
    delta numeric DEFAULT 0)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_grant';

COMMENT ON FUNCTION sdc.dp_grant(text, regrole, numeric, numeric) IS
'lets a role ask a data set and spend so much of its budget in all; epsilon 0 takes it back';

REVOKE EXECUTE ON FUNCTION sdc.dp_grant(text, regrole, numeric, numeric) FROM PUBLIC;

CREATE FUNCTION sdc.dp_check(
    dataset text,
    role regrole)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_check';

COMMENT ON FUNCTION sdc.dp_check(text, regrole) IS
'what a role can learn about a data set past the guarantee: rights, statistics, sizes; value 1 where it can';

REVOKE EXECUTE ON FUNCTION sdc.dp_check(text, regrole) FROM PUBLIC;
-- dp_query: requests to data sets, charged to a budget, answered with noise.
-- Everyone may call these functions; they answer who was granted a budget.

CREATE TYPE sdc.dp_answer AS (
    cell jsonb,
    aggregate text,
    value numeric,
    category text,
    halfwidth float8);

COMMENT ON TYPE sdc.dp_answer IS
'one noisy figure of one cell: its categories, the aggregate, its value or, for a mode, category; within halfwidth of the figure of the counted rows in 95 of 100 cases, NULL where that is not known';

CREATE TYPE sdc.dp_cell AS (
    categories text[],
    count bigint);

COMMENT ON TYPE sdc.dp_cell IS
'noisy count of one cell; its categories in the order of the columns';

CREATE FUNCTION sdc.dp_query(
    dataset text,
    aggregates text[],
    epsilon numeric,
    group_by text[] DEFAULT NULL,
    predicate text DEFAULT NULL,
    delta numeric DEFAULT 0)
RETURNS SETOF sdc.dp_answer
LANGUAGE c VOLATILE PARALLEL UNSAFE COST 10000
AS 'MODULE_PATHNAME', 'sdcf_dp_query';

COMMENT ON FUNCTION sdc.dp_query(text, text[], numeric, text[], text, numeric) IS
'noisy aggregates of a data set, in all or by groups, of all rows or those of a predicate; epsilon is that of the whole request';

CREATE FUNCTION sdc.dp_histogram(
    dataset text,
    columns text[],
    epsilon numeric,
    delta numeric DEFAULT 0,
    predicate text DEFAULT NULL)
RETURNS SETOF sdc.dp_cell
LANGUAGE c VOLATILE PARALLEL UNSAFE COST 10000
AS 'MODULE_PATHNAME', 'sdcf_dp_histogram';

COMMENT ON FUNCTION sdc.dp_histogram(text, text[], numeric, numeric, text) IS
'noisy counts of every combination of categories, also of those that no row has; private categories where the noisy count reaches a threshold';

CREATE FUNCTION sdc.dp_count_q(
    dataset text,
    epsilon numeric,
    predicate text DEFAULT NULL)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL UNSAFE COST 10000
AS 'MODULE_PATHNAME', 'sdcf_dp_count_q';

COMMENT ON FUNCTION sdc.dp_count_q(text, numeric, text) IS
'noisy number of the rows of a data set, all or those of a predicate';

CREATE FUNCTION sdc.dp_sum_q(
    dataset text,
    column_name name,
    epsilon numeric,
    predicate text DEFAULT NULL)
RETURNS numeric
LANGUAGE c VOLATILE PARALLEL UNSAFE COST 10000
AS 'MODULE_PATHNAME', 'sdcf_dp_sum_q';

COMMENT ON FUNCTION sdc.dp_sum_q(text, name, numeric, text) IS
'noisy sum of a column of a data set, clipped to its declared bounds';

CREATE FUNCTION sdc.dp_median_q(
    dataset text,
    column_name name,
    epsilon numeric,
    predicate text DEFAULT NULL)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL UNSAFE COST 10000
AS 'MODULE_PATHNAME', 'sdcf_dp_median_q';

COMMENT ON FUNCTION sdc.dp_median_q(text, name, numeric, text) IS
'noisy median of a column of a data set, within its declared bounds';
-- dp_ledger: what was spent of the budgets of data sets.

CREATE SEQUENCE sdc.dp_log_id AS bigint;

COMMENT ON SEQUENCE sdc.dp_log_id IS
'numbers of the rows of sdc.dp_log';

CREATE TABLE sdc.dp_log (
    id bigint NOT NULL PRIMARY KEY
        DEFAULT pg_catalog.nextval('sdc.dp_log_id'::pg_catalog.regclass),
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    dataset bigint NOT NULL,
    budget bigint NOT NULL,
    role_name text NOT NULL,
    request text NOT NULL,
    cost bigint NOT NULL,
    delta_cost bigint NOT NULL);

COMMENT ON TABLE sdc.dp_log IS
'requests that were charged and not rolled back; the budgets themselves are sequences, which no ROLLBACK changes';
COMMENT ON COLUMN sdc.dp_log.cost IS
'in 1e-9 of epsilon, or of rho with zcdp accounting';
COMMENT ON COLUMN sdc.dp_log.delta_cost IS
'in 1e-18';

REVOKE ALL ON sdc.dp_log FROM PUBLIC;
REVOKE ALL ON SEQUENCE sdc.dp_log_id FROM PUBLIC;

SELECT pg_catalog.pg_extension_config_dump('sdc.dp_log_id', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.dp_log', '');

CREATE VIEW sdc.dp_ledger WITH (security_barrier) AS
SELECT l.id, l.at, d.name AS dataset, l.role_name AS role, l.request,
       CASE WHEN d.accounting OPERATOR(pg_catalog.=) 'zcdp' THEN 'rho'
            ELSE 'epsilon' END AS unit,
       pg_catalog.trim_scale(l.cost OPERATOR(pg_catalog./) 1000000000::pg_catalog.numeric) AS cost,
       pg_catalog.trim_scale(l.delta_cost OPERATOR(pg_catalog./)
           1000000000000000000::pg_catalog.numeric) AS delta_cost
FROM sdc.dp_log AS l
JOIN sdc.dp_dataset AS d ON d.id OPERATOR(pg_catalog.=) l.dataset
WHERE l.budget OPERATOR(pg_catalog.=) ANY (
          SELECT b.id FROM sdc.dp_budget AS b
          JOIN pg_catalog.pg_roles AS r
              ON r.oid OPERATOR(pg_catalog.=) b.role::pg_catalog.oid
          WHERE r.rolname OPERATOR(pg_catalog.=) current_user)
   OR EXISTS (
          SELECT FROM pg_catalog.pg_class AS c
          WHERE c.oid OPERATOR(pg_catalog.=) d.rel::pg_catalog.oid
            AND pg_catalog.pg_has_role(c.relowner, 'USAGE'));

COMMENT ON VIEW sdc.dp_ledger IS
'requests charged to the caller, or to data sets of tables that the caller owns';

GRANT SELECT ON sdc.dp_ledger TO PUBLIC;

CREATE TYPE sdc.dp_budget_state AS (
    dataset text,
    role text,
    unit text,
    total numeric,
    spent numeric,
    remaining numeric,
    delta_total numeric,
    delta_spent numeric,
    delta_remaining numeric,
    rolled_back numeric);

COMMENT ON TYPE sdc.dp_budget_state IS
'one budget, of a role or, where role is NULL, of a whole data set; unit is epsilon or rho, and rolled_back what was spent by requests whose rows in the log were rolled back';

CREATE FUNCTION sdc.dp_remaining(dataset text DEFAULT NULL)
RETURNS SETOF sdc.dp_budget_state
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_dp_remaining';

COMMENT ON FUNCTION sdc.dp_remaining(text) IS
'what is left of the budgets of the caller and of their data sets; owners of the table see those of all roles';
-- utility: what a masked relation is still good for.

CREATE FUNCTION sdc.utility_report(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    columns name[] DEFAULT NULL,
    methods text[] DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_utility_report';

COMMENT ON FUNCTION sdc.utility_report(regclass, regclass, name, name[], text[], jsonb, bigint) IS
'what a masked relation has lost of the original, by measure and column, worst columns first; methods: il1s, il_variables, sse_sst, mean, variance, covariance, correlation, eigen, il_correl, hellinger, kl, tv, tables, pmse, ncp, loss, precision, height, entropy, ambiguity, discernibility, average_class, c_avg, queries, il1';
-- table_distance: how far two contingency tables are apart.

CREATE FUNCTION sdc.table_distance(
    original regclass,
    masked regclass,
    columns name[],
    method text DEFAULT 'hellinger',
    params jsonb DEFAULT NULL)
RETURNS float8
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_table_distance';

COMMENT ON FUNCTION sdc.table_distance(regclass, regclass, name[], text, jsonb) IS
'distance of the contingency tables of the same columns of two relations, over all combinations of the values that occur, empty ones, too; methods: l1, max, mean, hellinger, kl, tv, absroot, relative';
-- propensity: can a model tell masked records from original ones?

CREATE FUNCTION sdc.propensity(
    original regclass,
    masked regclass,
    columns name[],
    method text DEFAULT 'logistic',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_propensity';

COMMENT ON FUNCTION sdc.propensity(regclass, regclass, name[], text, jsonb, bigint) IS
'propensity score mean squared error of a logistic model that tells masked records from original ones, its expectation for records drawn anew, ratio and standardized value';
-- kmeans: clusters of rows, and the row type of all labels.

CREATE TYPE sdc.label AS (
    id text,
    label text,
    probability float8);

COMMENT ON TYPE sdc.label IS
'what a model says of one record, and how probable the model thinks it is';

CREATE FUNCTION sdc.kmeans(
    rel regclass,
    id name,
    columns name[],
    k integer,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.label
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_kmeans';

COMMENT ON FUNCTION sdc.kmeans(regclass, name, name[], integer, jsonb, bigint) IS
'clusters of standardised columns by k-means, numbered in the order of their centres';
-- classify: learn from one relation, predict for another.

CREATE FUNCTION sdc.classify(
    rel regclass,
    external regclass,
    id name DEFAULT NULL,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    method text DEFAULT 'nb',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.label
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_classify';

COMMENT ON FUNCTION sdc.classify(regclass, regclass, name, name[], name[], text, jsonb, bigint) IS
'the sensitive value of each external record as a model of rel predicts it from the keys; method zeror, nb, knn, tree, logistic or svm';
-- partition_agreement: how far two sets of labels agree.

CREATE FUNCTION sdc.rand_index_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_rand_index_final';

COMMENT ON FUNCTION sdc.rand_index_final(sdc.tally) IS
'final function of the aggregate rand_index';

CREATE AGGREGATE sdc.rand_index(labels_original "any", labels_masked "any") (
    SFUNC = sdc.tally_classes,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.rand_index_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.rand_index("any", "any") IS
'share of the pairs of records that two sets of labels both join or both part';

CREATE FUNCTION sdc.jaccard_index_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_jaccard_index_final';

COMMENT ON FUNCTION sdc.jaccard_index_final(sdc.tally) IS
'final function of the aggregate jaccard_index';

CREATE AGGREGATE sdc.jaccard_index(labels_original "any", labels_masked "any") (
    SFUNC = sdc.tally_classes,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.jaccard_index_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.jaccard_index("any", "any") IS
'pairs of records that both sets of labels join, of those that at least one joins';

CREATE FUNCTION sdc.f_measure_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_f_measure_final';

COMMENT ON FUNCTION sdc.f_measure_final(sdc.tally) IS
'final function of the aggregate f_measure';

CREATE AGGREGATE sdc.f_measure(labels_original "any", labels_masked "any") (
    SFUNC = sdc.tally_classes,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.f_measure_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.f_measure("any", "any") IS
'how well each original label is matched by its best masked one: weighted F';

CREATE FUNCTION sdc.adjusted_rand_final(state sdc.tally)
RETURNS float8
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_adjusted_rand_final';

COMMENT ON FUNCTION sdc.adjusted_rand_final(sdc.tally) IS
'final function of the aggregate adjusted_rand';

CREATE AGGREGATE sdc.adjusted_rand(labels_original "any", labels_masked "any") (
    SFUNC = sdc.tally_classes,
    STYPE = sdc.tally,
    COMBINEFUNC = sdc.tally_combine,
    FINALFUNC = sdc.adjusted_rand_final,
    PARALLEL = SAFE);

COMMENT ON AGGREGATE sdc.adjusted_rand("any", "any") IS
'agreement of two sets of labels corrected for chance: 0 by chance, 1 when they agree';
-- model_utility: do models of the masked relation find what is in the original?

CREATE FUNCTION sdc.utility_clusters(
    original regclass,
    masked regclass,
    id name,
    columns name[],
    k integer,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_utility_clusters';

COMMENT ON FUNCTION sdc.utility_clusters(regclass, regclass, name, name[], integer, jsonb, bigint) IS
'agreement of the k-means clusters of both relations: adjusted Rand, Rand, Jaccard, F';

CREATE FUNCTION sdc.utility_classifier(
    original regclass,
    masked regclass,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    method text DEFAULT 'nb',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_utility_classifier';

COMMENT ON FUNCTION sdc.utility_classifier(regclass, regclass, name[], name[], text, jsonb, bigint) IS
'accuracy, on held-out original records, of models of both relations and of the most frequent value';
-- attribute_models: what models of a release know about people.

CREATE FUNCTION sdc.adr(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    p float8 DEFAULT 10,
    method text DEFAULT 'nb',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_adr';

COMMENT ON FUNCTION sdc.adr(regclass, regclass, name, name[], name[], float8, text, jsonb, bigint) IS
'attribute disclosure by models: share of people whose sensitive value a model of the other people''s masked records predicts';

CREATE FUNCTION sdc.ddmbar(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    p float8 DEFAULT 10,
    method text DEFAULT 'nb',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_ddmbar';

COMMENT ON FUNCTION sdc.ddmbar(regclass, regclass, name, name[], name[], float8, text, jsonb, bigint) IS
'share of records for which models of the original and of the masked relation predict the same';
-- membership: does a model tell who it was trained on?

CREATE FUNCTION sdc.mia(
    original regclass,
    external regclass,
    id name DEFAULT NULL,
    keys name[] DEFAULT NULL,
    sensitive name[] DEFAULT NULL,
    method text DEFAULT 'nb',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_mia';

COMMENT ON FUNCTION sdc.mia(regclass, regclass, name, name[], name[], text, jsonb, bigint) IS
'membership inference against a model of the original: original holds the members, external the others';
-- transaction_utility: how useful masked purchases still are.

CREATE FUNCTION sdc.jaccard_distance(
    value_original anyarray,
    value_masked anyarray)
RETURNS float8
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_jaccard_distance';

COMMENT ON FUNCTION sdc.jaccard_distance(anyarray, anyarray) IS
'distance of Jaccard of two sets: 1 - |A n B| / |A u B|, 0 when both are empty; an element counts once, NULL elements do not count';

CREATE FUNCTION sdc.cmae(
    original regclass,
    masked regclass,
    master_original regclass,
    master_masked regclass,
    columns name[],
    mapping jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS float8
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_cmae';

COMMENT ON FUNCTION sdc.cmae(regclass, regclass, regclass, regclass, name[], jsonb, jsonb) IS
'mean absolute error of the mean price of a piece, over the cells that the columns of the customers form (PWSCUP); params: variant 2016 or 2017';

CREATE FUNCTION sdc.subset_error(
    original regclass,
    masked regclass,
    link regclass,
    k integer DEFAULT 10,
    span interval DEFAULT '30 days',
    mapping jsonb DEFAULT NULL)
RETURNS float8
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_subset_error';

COMMENT ON FUNCTION sdc.subset_error(regclass, regclass, regclass, integer, interval, jsonb) IS
'largest error of the mean turnover of any k customers in any window of that many days, exactly (PWSCUP subset)';

CREATE FUNCTION sdc.rfm(
    original regclass,
    masked regclass,
    mapping jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS float8
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_rfm';

COMMENT ON FUNCTION sdc.rfm(regclass, regclass, jsonb, jsonb) IS
'how far the numbers of customers by class of recency, frequency and money differ, 0 to 1; params: classes (5), frequency days or invoices';

CREATE FUNCTION sdc.ut_jaccard(
    original regclass,
    masked regclass,
    link regclass,
    mapping jsonb DEFAULT NULL)
RETURNS float8
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_ut_jaccard';

COMMENT ON FUNCTION sdc.ut_jaccard(regclass, regclass, regclass, jsonb) IS
'mean Jaccard distance of the masked customers'' sets of items to the true ones (PWSCUP)';

CREATE FUNCTION sdc.ut_transactions(
    original regclass,
    masked regclass,
    id name,
    mapping jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_ut_transactions';

COMMENT ON FUNCTION sdc.ut_transactions(regclass, regclass, name, jsonb, jsonb) IS
'the measures E1 to E6 of PWSCUP 2017 for rows that are masked one by one: itemcf_s, itemcf_r, topk, date, price, nrow; params: k (100), pieces (11)';
-- itemset_linkage: who is who by the set of items that a customer bought.

CREATE FUNCTION sdc.attack_itemset(
    original regclass,
    masked regclass,
    link regclass,
    method text DEFAULT 'jaccard',
    mapping jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_itemset';

COMMENT ON FUNCTION sdc.attack_itemset(regclass, regclass, regclass, text, jsonb, jsonb) IS
'links each masked customer to the customers with the most similar set of items, with all ties (re-itemset); method jaccard, containment or tfidf; params: direction to_original or to_masked, max_candidates';
-- anonymize_itemsets: customers with one set of items in each cluster.

CREATE FUNCTION sdc.anonymize_itemsets(
    original regclass,
    t float8 DEFAULT 0.7,
    mapping jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL,
    target text DEFAULT NULL)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_anonymize_itemsets';

COMMENT ON FUNCTION sdc.anonymize_itemsets(regclass, float8, jsonb, jsonb, bigint, text) IS
'purchases in which all customers of a cluster have the set of items of its centre, with few clusters under bounds on ut-jaccard (t), cmae, subset and rfm (params), written to a new table with new customer ids; returns the number of clusters';
-- policy: how tables are masked, and what a release of them must satisfy.

CREATE TABLE sdc.policy (
    policy text PRIMARY KEY,
    owner name NOT NULL,
    created timestamptz NOT NULL);

COMMENT ON TABLE sdc.policy IS
'the policies of this database; written by create_policy and drop_policy only';
COMMENT ON COLUMN sdc.policy.policy IS
'name of the policy';
COMMENT ON COLUMN sdc.policy.owner IS
'role that created it, and the only one that releases by it';
COMMENT ON COLUMN sdc.policy.created IS
'when it was created first';

CREATE TABLE sdc.policy_relation (
    policy text NOT NULL,
    rel regclass NOT NULL,
    place integer NOT NULL,
    rules jsonb NOT NULL,
    constraints jsonb NOT NULL,
    params jsonb,
    columns jsonb NOT NULL,
    changed timestamptz NOT NULL,
    PRIMARY KEY (policy, rel));

COMMENT ON TABLE sdc.policy_relation IS
'the tables of each policy; written by create_policy and drop_policy only';
COMMENT ON COLUMN sdc.policy_relation.place IS
'order of the tables within the policy, from 1';
COMMENT ON COLUMN sdc.policy_relation.rules IS
'how its columns are masked, as it was given';
COMMENT ON COLUMN sdc.policy_relation.constraints IS
'what its masked form must satisfy, as it was given';
COMMENT ON COLUMN sdc.policy_relation.params IS
'what else was given: id, keys, sensitive, schema, table, drop, attacks, p';
COMMENT ON COLUMN sdc.policy_relation.columns IS
'its columns and their types when the policy was written: an array of objects with name and type';
COMMENT ON COLUMN sdc.policy_relation.changed IS
'when this was written';

-- Nobody but the owner of the extension reads or writes the tables; functions
-- show each role the policies that are its own.
REVOKE ALL ON sdc.policy, sdc.policy_relation FROM PUBLIC;

-- A row whose table was dropped is not dumped: its number could be that of
-- another table where the dump is restored.
SELECT pg_catalog.pg_extension_config_dump('sdc.policy', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.policy_relation',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid OPERATOR(pg_catalog.=) rel)');

CREATE FUNCTION sdc.create_policy(
    policy text,
    rel regclass,
    rules jsonb,
    constraints jsonb,
    params jsonb DEFAULT NULL)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_create_policy';

COMMENT ON FUNCTION sdc.create_policy(text, regclass, jsonb, jsonb, jsonb) IS
'writes how a table is masked for release and what the masked table must satisfy, in place of what the policy said of it; another call adds another table';

CREATE FUNCTION sdc.create_policy(policy jsonb)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_create_policy_json';

COMMENT ON FUNCTION sdc.create_policy(jsonb) IS
'writes a whole policy as policy_json gives it, in place of the one of that name';

CREATE FUNCTION sdc.drop_policy(policy text)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_drop_policy';

COMMENT ON FUNCTION sdc.drop_policy(text) IS
'drops a policy: for its owner and superusers; its releases stay in the history';

CREATE FUNCTION sdc.policy_json(policy text)
RETURNS jsonb
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_policy_json';

COMMENT ON FUNCTION sdc.policy_json(text) IS
'a policy as one document, for version control; create_policy takes it back';

CREATE TYPE sdc.gate_result AS (
    rel regclass,
    place integer,
    requirement text,
    value float8,
    bound float8,
    passed boolean,
    detail text);

COMMENT ON TYPE sdc.gate_result IS
'one constraint of a policy: the table it is for, its position, what it asks for, the value found, the bound, whether it holds, and the same in a sentence; a value that could not be found does not pass';

CREATE FUNCTION sdc.check_release(
    policy text,
    masked regclass,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.gate_result
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_check_release';

COMMENT ON FUNCTION sdc.check_release(text, regclass, jsonb) IS
'measures a masked table against the constraints of a policy without publishing it; params: rel (which table of the policy), seed';

REVOKE ALL ON FUNCTION
    sdc.create_policy(text, regclass, jsonb, jsonb, jsonb),
    sdc.create_policy(jsonb),
    sdc.drop_policy(text),
    sdc.policy_json(text),
    sdc.check_release(text, regclass, jsonb) FROM PUBLIC;
-- release: masked copies that are published, and the history of them.

CREATE SEQUENCE sdc.release_number;

COMMENT ON SEQUENCE sdc.release_number IS
'numbers of releases';

CREATE TABLE sdc.release_history (
    release bigint PRIMARY KEY,
    policy text NOT NULL,
    owner name NOT NULL,
    released_by name NOT NULL,
    status text NOT NULL,
    started timestamptz NOT NULL,
    finished timestamptz,
    snapshot text,
    seed_hash text,
    relations jsonb NOT NULL,
    measures jsonb,
    reason text,
    CHECK (status OPERATOR(pg_catalog.=) ANY (ARRAY['running', 'published',
        'refused', 'failed', 'interrupted'])));

COMMENT ON TABLE sdc.release_history IS
'every run of release, whatever became of it; written by release only';
COMMENT ON COLUMN sdc.release_history.release IS
'number of the run';
COMMENT ON COLUMN sdc.release_history.policy IS
'name of the policy, which may have been dropped since';
COMMENT ON COLUMN sdc.release_history.owner IS
'owner of the policy at that time';
COMMENT ON COLUMN sdc.release_history.released_by IS
'role that had logged in when release was called';
COMMENT ON COLUMN sdc.release_history.status IS
'running, published, refused by the gate or by drift, failed with an error, or interrupted: ended by a crash';
COMMENT ON COLUMN sdc.release_history.snapshot IS
'the snapshot of the database that was masked, as pg_current_snapshot shows it';
COMMENT ON COLUMN sdc.release_history.seed_hash IS
'SHA-256 of "policy:release:seed" in hexadecimal; null when the masks drew at random';
COMMENT ON COLUMN sdc.release_history.relations IS
'for each table an object: rel, target, rules, constraints, params, columns (what it had), published (columns), rows';
COMMENT ON COLUMN sdc.release_history.measures IS
'for each table an object: rel, gate (the results of its constraints), before and after (measures of risk), classes, attacks, disclosure, utility';
COMMENT ON COLUMN sdc.release_history.reason IS
'why nothing was published, in a sentence';

REVOKE ALL ON sdc.release_history FROM PUBLIC;
REVOKE ALL ON SEQUENCE sdc.release_number FROM PUBLIC;

SELECT pg_catalog.pg_extension_config_dump('sdc.release_history', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.release_number', '');

CREATE TYPE sdc.release_record AS (
    release bigint,
    policy text,
    status text,
    released_by name,
    started timestamptz,
    finished timestamptz,
    snapshot text,
    seed_hash text,
    relations jsonb,
    measures jsonb,
    reason text);

COMMENT ON TYPE sdc.release_record IS
'one run of release: who, when, which snapshot, tables with their rules, seed as a hash, measures, and what became of it';

CREATE PROCEDURE sdc.release(
    policy text,
    target text DEFAULT NULL,
    seed bigint DEFAULT NULL)
LANGUAGE c
AS 'MODULE_PATHNAME', 'sdcf_release';

COMMENT ON PROCEDURE sdc.release(text, text, bigint) IS
'masks the tables of a policy, attacks and measures the result, and publishes it if every constraint holds; otherwise nothing is published and the history says why';

CREATE FUNCTION sdc.releases(policy text)
RETURNS SETOF sdc.release_record
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_releases';

COMMENT ON FUNCTION sdc.releases(text) IS
'the history of a policy, first release first: for its owner, and for roles that may read sdc.release_history';

REVOKE ALL ON PROCEDURE sdc.release(text, text, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION sdc.releases(text) FROM PUBLIC;
-- release_report: what a release published, at which risk, and why.

CREATE FUNCTION sdc.report(release bigint, format text DEFAULT 'text')
RETURNS text
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_report';

COMMENT ON FUNCTION sdc.report(bigint, text) IS
'what a release published, risk before and after, each attack and requirement, information loss, and the verdict in words; text, markdown, html (one page with charts) or json';

REVOKE ALL ON FUNCTION sdc.report(bigint, text) FROM PUBLIC;
-- schedule: releases on a schedule, by pg_cron.

CREATE FUNCTION sdc.schedule(
    policy text,
    schedule text,
    target text DEFAULT NULL)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_schedule';

COMMENT ON FUNCTION sdc.schedule(text, text, text) IS
'has pg_cron call release for a policy, as the caller, on a schedule as cron writes it, and returns the number of the job; again replaces the job, a null schedule removes it';

REVOKE ALL ON FUNCTION sdc.schedule(text, text, text) FROM PUBLIC;
-- frontier: rules that are candidates, compared by risk and loss.

CREATE TYPE sdc.frontier_point AS (
    candidate integer,
    rules jsonb,
    risk float8,
    risk_low float8,
    risk_high float8,
    loss float8,
    loss_low float8,
    loss_high float8,
    dominated boolean,
    passed boolean,
    detail text);

COMMENT ON TYPE sdc.frontier_point IS
'rules that were tried: means and 95 % intervals of risk and loss over repeats, whether another candidate is at least as good in both and better in one, whether the constraints held in every repeat, and the same in sentences; what could not be found is null';

CREATE FUNCTION sdc.frontier(
    rel regclass,
    id name,
    keys name[],
    sensitive name[],
    rules jsonb,
    constraints jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.frontier_point
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_frontier';

COMMENT ON FUNCTION sdc.frontier(regclass, name, name[], name[], jsonb, jsonb, jsonb, bigint) IS
'masks a relation by each of several candidates of rules into a temporary table, attacks and measures it, and shows risk against loss: those that satisfy the constraints first, least lossy first; params: risk, loss, attacks, repeats, p';

CREATE FUNCTION sdc.search_rules(
    policy text,
    budget interval DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.frontier_point
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_search_rules';

COMMENT ON FUNCTION sdc.search_rules(text, interval, bigint) IS
'varies the rules of a policy, masking and attacking, until its constraints hold with the least loss or the budget (one minute) is spent; publishes nothing';

REVOKE ALL ON FUNCTION sdc.search_rules(text, interval, bigint) FROM PUBLIC;
-- progress: how far the calls of sdc have come, in every session.

CREATE FUNCTION sdc.progress(
    OUT pid integer,
    OUT database name,
    OUT role name,
    OUT function text,
    OUT stage text,
    OUT percent float8,
    OUT elapsed interval,
    OUT remaining interval)
RETURNS SETOF record
LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED ROWS 4
AS 'MODULE_PATHNAME', 'sdcf_progress';

COMMENT ON FUNCTION sdc.progress() IS
'the rows of the view sdc.progress';

CREATE VIEW sdc.progress AS
SELECT p.pid, p.database, p.role, p.function, p.stage, p.percent, p.elapsed,
       p.remaining
FROM sdc.progress() AS p;

GRANT SELECT ON sdc.progress TO PUBLIC;

COMMENT ON VIEW sdc.progress IS
'one row per session in which a call of sdc has been running for a while';
COMMENT ON COLUMN sdc.progress.pid IS
'process of the session, as in pg_stat_activity';
COMMENT ON COLUMN sdc.progress.database IS
'database of the session; this and all that follows is NULL for the sessions of others, unless the reader is a member of pg_read_all_stats';
COMMENT ON COLUMN sdc.progress.role IS
'role that logged in';
COMMENT ON COLUMN sdc.progress.function IS
'function that was called';
COMMENT ON COLUMN sdc.progress.stage IS
'what the function is doing now';
COMMENT ON COLUMN sdc.progress.percent IS
'share of the stage that is done, NULL while it is not known';
COMMENT ON COLUMN sdc.progress.elapsed IS
'time since the call started';
COMMENT ON COLUMN sdc.progress.remaining IS
'time until the end of the stage at its present pace, NULL while it is not known';
