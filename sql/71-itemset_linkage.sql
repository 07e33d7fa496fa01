-- itemset_linkage: who is who by the set of items that a customer bought, and
-- by whatever is known of a person's events.

CREATE FUNCTION sdc.attack_itemset(
    original regclass,
    masked regclass,
    link regclass,
    variant text DEFAULT 'jaccard',
    mapping jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_itemset';

COMMENT ON FUNCTION sdc.attack_itemset(regclass, regclass, regclass, text, jsonb, jsonb) IS
'links each masked customer to the customers with the most similar set of items, with all ties (re-itemset); variant jaccard, containment or tfidf; params: direction to_original or to_masked, max_candidates';

CREATE FUNCTION sdc.attack_events(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    link regclass DEFAULT NULL,
    variant text DEFAULT 'all',
    mapping jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_events';

COMMENT ON FUNCTION sdc.attack_events(regclass, regclass, name, regclass, text, jsonb, jsonb, bigint) IS
'links each masked person to the original person whose events are most likely the same, through one channel (items, dates, items_dates, items_months, times, intervals, amounts, turnover, prices, counts; near_dates, near_amounts: moved by as much as is learned), through all of them but the near ones, through the near ones and some (near), or by a setting of PWSCUP 2017 (s1 to s6); which links are right is told by link, by the id of the rows, or by the names of the persons; params: period, known, days, assignment, max_candidates';

CREATE FUNCTION sdc.attack_joined(
    original regclass[],
    masked regclass[],
    person regclass DEFAULT NULL,
    link regclass DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_joined';

COMMENT ON FUNCTION sdc.attack_joined(regclass[], regclass[], regclass, regclass, jsonb, bigint) IS
'links each masked person to the one whose rows in several tables most likely became his; the tables lead by foreign keys of the originals to the one that has a row for each person; masked lists the masked form of each, in the same order; who is who is told by link, by the declared ids of the rows, or by the persons themselves; params: near (numbers and days may have been moved a little), assignment, max_candidates';
