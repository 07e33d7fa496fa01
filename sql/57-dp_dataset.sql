-- dp_dataset: tables that roles without the right to read them may ask.

CREATE SEQUENCE sdc.dp_budget_id AS bigint;

COMMENT ON SEQUENCE sdc.dp_budget_id IS
'numbers of budgets; each has sequences dp_spent_NUMBER and dp_delta_NUMBER for what was spent';

CREATE TABLE sdc.dp_dataset (
    id bigint NOT NULL PRIMARY KEY,
    name text NOT NULL UNIQUE,
    relation regclass NOT NULL,
    relation_name text NOT NULL,
    unit_column name,
    neighbours text NOT NULL,
    max_groups integer NOT NULL,
    max_rows integer NOT NULL,
    accounting text NOT NULL,
    epsilon numeric NOT NULL,
    delta numeric NOT NULL,
    dropped boolean NOT NULL DEFAULT false,
    min_epsilon numeric NOT NULL DEFAULT 0.001,
    min_duration interval NOT NULL DEFAULT '0',
    unit_place text);

COMMENT ON TABLE sdc.dp_dataset IS
'data sets made by sdc.create_dataset; a dropped one keeps its row, as what was spent stays spent';
COMMENT ON COLUMN sdc.dp_dataset.id IS
'number of the budget of the whole data set';
COMMENT ON COLUMN sdc.dp_dataset.relation_name IS
'name of the relation when it was declared; another name stops all requests';
COMMENT ON COLUMN sdc.dp_dataset.min_epsilon IS
'the least that a request costs';
COMMENT ON COLUMN sdc.dp_dataset.min_duration IS
'the time that an answer takes is rounded up to a multiple of this; 0: it is not';

CREATE TABLE sdc.dp_dataset_column (
    dataset bigint NOT NULL,
    column_name name NOT NULL,
    lower numeric,
    upper numeric,
    categories text[],
    PRIMARY KEY (dataset, column_name));

COMMENT ON TABLE sdc.dp_dataset_column IS
'public bounds and categories of columns, written by sdc.describe_column';

CREATE TABLE sdc.dp_dataset_part (
    dataset bigint NOT NULL,
    part regclass NOT NULL);

COMMENT ON TABLE sdc.dp_dataset_part IS
'partitions and tables that inherit, as data sets have read them: the budget is that of their records, also when they are no part any more';

CREATE TABLE sdc.dp_budget (
    id bigint NOT NULL PRIMARY KEY,
    dataset bigint NOT NULL,
    role regrole NOT NULL,
    epsilon numeric NOT NULL,
    delta numeric NOT NULL,
    UNIQUE (dataset, role));

COMMENT ON TABLE sdc.dp_budget IS
'what each role may spend of a data set, written by sdc.grant_budget';

REVOKE ALL ON sdc.dp_dataset, sdc.dp_dataset_column, sdc.dp_dataset_part, sdc.dp_budget FROM PUBLIC;
REVOKE ALL ON SEQUENCE sdc.dp_budget_id FROM PUBLIC;

-- The sequences of what was spent are made later and are no members of the
-- extension, so a dump holds them by itself.
SELECT pg_catalog.pg_extension_config_dump('sdc.dp_budget_id', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.dp_dataset', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.dp_dataset_column', '');
-- The number of a table or a role that is gone may be that of another one elsewhere.
SELECT pg_catalog.pg_extension_config_dump('sdc.dp_dataset_part',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid OPERATOR(pg_catalog.=) part::pg_catalog.oid)');
SELECT pg_catalog.pg_extension_config_dump('sdc.dp_budget',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid OPERATOR(pg_catalog.=) role::pg_catalog.oid)');

CREATE FUNCTION sdc.create_dataset(
    dataset text,
    relation regclass,
    unit_column name DEFAULT NULL,
    neighbours text DEFAULT 'add_remove',
    max_groups integer DEFAULT 1,
    max_rows integer DEFAULT 1,
    accounting text DEFAULT 'pure',
    epsilon numeric DEFAULT NULL,
    delta numeric DEFAULT 0,
    min_epsilon numeric DEFAULT 0.001,
    min_duration interval DEFAULT '0',
    anew boolean DEFAULT false)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_create_dataset';

COMMENT ON FUNCTION sdc.create_dataset(text, regclass, name, text, integer, integer, text, numeric, numeric, numeric, interval, boolean) IS
'lets roles query a table that they cannot read, within a total budget of epsilon and delta; a unit is all rows with one value of unit_column; a request costs at least min_epsilon and is answered after a multiple of min_duration';

REVOKE EXECUTE ON FUNCTION sdc.create_dataset(text, regclass, name, text, integer, integer, text, numeric, numeric, numeric, interval, boolean) FROM PUBLIC;

CREATE FUNCTION sdc.drop_dataset(dataset text)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_drop_dataset';

COMMENT ON FUNCTION sdc.drop_dataset(text) IS
'drops a data set, so that nobody can query it any more; what was spent of its budget stays spent, also when it is created again';

REVOKE EXECUTE ON FUNCTION sdc.drop_dataset(text) FROM PUBLIC;

CREATE FUNCTION sdc.describe_column(
    dataset text,
    column_name name,
    lower numeric DEFAULT NULL,
    upper numeric DEFAULT NULL,
    categories text[] DEFAULT NULL)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_describe_column';

COMMENT ON FUNCTION sdc.describe_column(text, name, numeric, numeric, text[]) IS
'declares what is public about a column: bounds that its values are clipped to, or its categories';

REVOKE EXECUTE ON FUNCTION sdc.describe_column(text, name, numeric, numeric, text[]) FROM PUBLIC;

CREATE FUNCTION sdc.grant_budget(
    dataset text,
    role regrole,
    epsilon numeric,
    delta numeric DEFAULT 0)
RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_grant_budget';

COMMENT ON FUNCTION sdc.grant_budget(text, regrole, numeric, numeric) IS
'lets a role query a data set and spend up to epsilon and delta of its budget in total; epsilon 0 takes the grant back';

REVOKE EXECUTE ON FUNCTION sdc.grant_budget(text, regrole, numeric, numeric) FROM PUBLIC;

CREATE FUNCTION sdc.check_dataset(
    dataset text,
    role regrole)
RETURNS SETOF sdc.measure
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_check_dataset';

COMMENT ON FUNCTION sdc.check_dataset(text, regrole) IS
'what a role can learn about a data set beyond the guarantee: rights, statistics, sizes, time; value 1 where it can';

REVOKE EXECUTE ON FUNCTION sdc.check_dataset(text, regrole) FROM PUBLIC;
