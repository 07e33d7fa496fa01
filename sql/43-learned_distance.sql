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
'a learned distance: its parameters, as sdc.attack_distance takes them with attack_method; how many of the records it re-identifies (uniform: how many the plain mean does), and how many any parameters can at most';

CREATE FUNCTION sdc.learn_distance(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    variant text DEFAULT 'wm',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS sdc.distance_model
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_learn_distance';

COMMENT ON FUNCTION sdc.learn_distance(regclass, regclass, name, sdc.columns, text, jsonb, bigint) IS
'finds the parameters of a distance that re-identify the most records of aligned files, and proves what the most is for that variant on that scale; variants wm, wm_m, owa, choquet, choquet_m, choquet2, bilinear, bilinear_nc, bilinear_pd; params: direction to_masked or to_original, work in steps for each family, map, scale, rules';

CREATE FUNCTION sdc.attack_learned(
    original regclass,
    masked regclass,
    id name DEFAULT NULL,
    keys sdc.columns DEFAULT NULL,
    variant text DEFAULT 'wm',
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.link
LANGUAGE c STABLE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_attack_learned';

COMMENT ON FUNCTION sdc.attack_learned(regclass, regclass, name, sdc.columns, text, jsonb, bigint) IS
'links each record to the nearest records of the other file, with all ties, by the distance that sdc.learn_distance finds; params as there, and max_candidates';
