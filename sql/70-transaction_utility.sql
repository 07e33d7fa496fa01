-- transaction_utility: how useful masked purchases still are.

CREATE FUNCTION sdc.jaccard_distance(
    value_original anyarray,
    value_masked anyarray)
RETURNS float8
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_jaccard_distance';

COMMENT ON FUNCTION sdc.jaccard_distance(anyarray, anyarray) IS
'distance of Jaccard of two sets: 1 - |A n B| / |A u B|, 0 when both are empty; an element counts once, NULL elements do not count';

CREATE FUNCTION sdc.mean_price_error(
    original regclass,
    masked regclass,
    master_original regclass,
    master_masked regclass,
    columns sdc.columns,
    mapping jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS float8
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_mean_price_error';

COMMENT ON FUNCTION sdc.mean_price_error(regclass, regclass, regclass, regclass, sdc.columns, jsonb, jsonb) IS
'mean absolute error of the mean price of a piece, over the cells that the columns of the customers form (cmae of PWSCUP); params: variant 2016 or 2017';

CREATE FUNCTION sdc.turnover_error(
    original regclass,
    masked regclass,
    link regclass,
    k integer DEFAULT 10,
    span interval DEFAULT '30 days',
    mapping jsonb DEFAULT NULL)
RETURNS float8
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_turnover_error';

COMMENT ON FUNCTION sdc.turnover_error(regclass, regclass, regclass, integer, interval, jsonb) IS
'largest error of the mean turnover of any k customers in any window of that many days, exactly (PWSCUP subset)';

CREATE FUNCTION sdc.customer_class_difference(
    original regclass,
    masked regclass,
    mapping jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS float8
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_customer_class_difference';

COMMENT ON FUNCTION sdc.customer_class_difference(regclass, regclass, jsonb, jsonb) IS
'rfm: how far the numbers of customers by class of recency, frequency and money differ, 0 to 1; params: classes (5), frequency days or invoices';

CREATE FUNCTION sdc.item_set_distance(
    original regclass,
    masked regclass,
    link regclass,
    mapping jsonb DEFAULT NULL)
RETURNS float8
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_item_set_distance';

COMMENT ON FUNCTION sdc.item_set_distance(regclass, regclass, regclass, jsonb) IS
'mean Jaccard distance of the masked customers'' sets of items to the true ones (ut-jaccard of PWSCUP)';

CREATE FUNCTION sdc.transaction_report(
    original regclass,
    masked regclass,
    id name,
    mapping jsonb DEFAULT NULL,
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.measure
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_transaction_report';

COMMENT ON FUNCTION sdc.transaction_report(regclass, regclass, name, jsonb, jsonb) IS
'the measures E1 to E6 of PWSCUP 2017 for rows that are masked one by one: item_similarity (itemcf_s), item_similarity_few (itemcf_r), top_items (topk), date_moved (date), price_changed (price), rows_lost (nrow); params: k (100), pieces (11)';
