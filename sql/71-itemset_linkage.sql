-- itemset_linkage: who is who by the set of items that a customer bought.

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
