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
    relation regclass,
    rules jsonb,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    constraints jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.frontier_point
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_frontier';

COMMENT ON FUNCTION sdc.frontier(regclass, jsonb, name, sdc.columns, sdc.columns, jsonb, jsonb, bigint) IS
'masks a relation by each of several candidates of rules into a temporary table, attacks and measures it, and shows risk against loss: first those that satisfy the constraints, those with the least loss first; params: risk, loss, attacks, repeats, p';

CREATE FUNCTION sdc.frontier_itemsets(
    relation regclass,
    rules jsonb,
    constraints jsonb DEFAULT NULL,
    mapping jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.frontier_point
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_frontier_itemsets';

COMMENT ON FUNCTION sdc.frontier_itemsets(regclass, jsonb, jsonb, jsonb, jsonb, bigint) IS
'protects purchases by anonymize_itemsets in each of several ways (its t and params, values that vary as arrays) and shows what attack_events finds through the strongest channel against what is lost; constraints bound found and the measures of loss; params: loss, repeats, master, columns, k, span, classes';

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
