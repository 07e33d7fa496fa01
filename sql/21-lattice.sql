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
'whether the records of classes that fail the models are no more than may be suppressed';
COMMENT ON COLUMN sdc.lattice_node.optimal IS
'whether it is proven that no anonymous node has a lower score';
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
    relation regclass,
    keys sdc.columns DEFAULT NULL,
    sensitive sdc.columns DEFAULT NULL,
    k integer DEFAULT 2,
    c float8 DEFAULT NULL,
    l float8 DEFAULT NULL,
    t float8 DEFAULT NULL,
    variant text DEFAULT 'distinct',
    params jsonb DEFAULT NULL)
RETURNS SETOF sdc.lattice_node
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_lattice';

COMMENT ON FUNCTION sdc.lattice(regclass, sdc.columns, sdc.columns, integer, float8, float8, float8, text, jsonb) IS
'the generalizations of the keys that make a relation k-anonymous, l-diverse and t-close with the least loss, proven to be optimal; variant is distinct, entropy or recursive';
