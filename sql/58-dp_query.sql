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
'noisy aggregates of a data set, in all or by groups, of all rows or of those that satisfy a predicate; epsilon is that of the whole request';

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
