-- anonymize_itemsets: customers with one set of items in each cluster.

CREATE FUNCTION sdc.anonymize_itemsets(
    relation regclass,
    target text DEFAULT NULL,
    t float8 DEFAULT 0.7,
    mapping jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_anonymize_itemsets';

COMMENT ON FUNCTION sdc.anonymize_itemsets(regclass, text, float8, jsonb, jsonb, bigint) IS
'purchases in which all customers of a cluster have the set of items of its centre, with few clusters under bounds on item_set_distance (t), mean_price_error, turnover_error and customer_class_difference (params), written to a new table with new customer ids; with params.found one history for each cluster, of days and amounts too, so that attack_events finds no more than that share of the customers through any channel; or drawn by classes of recency, frequency and money, which the file keeps';
