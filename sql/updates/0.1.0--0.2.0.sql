-- From 0.1.0 to 0.2.0: what becomes of tables, and of what is stored in them.
-- See "A table or a type changes" in CONTRIBUTING.md.

-- Nothing derived from a seed is kept; releases are signed.
ALTER TABLE sdc.release_history
    ADD COLUMN seeded boolean,
    ADD COLUMN signature text,
    ADD COLUMN tables regclass[];
UPDATE sdc.release_history SET seeded = seed_hash IS NOT NULL;
ALTER TABLE sdc.release_history DROP COLUMN seed_hash;

-- pram keeps p percent, as other methods do; it was a probability.
UPDATE sdc.policy_relation AS r
SET rules = (
    SELECT pg_catalog.jsonb_object_agg(e.key,
        CASE WHEN (e.value OPERATOR(pg_catalog.->>) 'method')
                OPERATOR(pg_catalog.=) 'pram'
            AND pg_catalog.jsonb_typeof(e.value OPERATOR(pg_catalog.->) 'p')
                OPERATOR(pg_catalog.=) 'number'
        THEN e.value OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('p',
            (e.value OPERATOR(pg_catalog.->>) 'p')::pg_catalog.numeric
                OPERATOR(pg_catalog.*) 100)
        ELSE e.value END)
    FROM pg_catalog.jsonb_each(r.rules) AS e)
WHERE EXISTS (
    SELECT FROM pg_catalog.jsonb_each(r.rules) AS e
    WHERE (e.value OPERATOR(pg_catalog.->>) 'method')
        OPERATOR(pg_catalog.=) 'pram');

-- The word for row-level security that stops is the same everywhere.
UPDATE sdc.strategy
SET params = params OPERATOR(pg_catalog.||) '{"rls": "refuse"}'::pg_catalog.jsonb
WHERE (params OPERATOR(pg_catalog.->>) 'rls') OPERATOR(pg_catalog.=) 'stop';

-- The same words as in the arguments of functions: relation, and variant.
ALTER TABLE sdc.role RENAME COLUMN rel TO relation;
ALTER TABLE sdc.role DROP CONSTRAINT role_role_check,
    ADD CHECK (role OPERATOR(pg_catalog.=) ANY (ARRAY['id', 'identifier', 'key',
        'sensitive', 'weight', 'strata', 'household', 'insensitive',
        'person', 'time', 'item', 'amount'])),
    ADD COLUMN column_place pg_catalog.text;
ALTER TABLE sdc.policy_relation RENAME COLUMN rel TO relation;
ALTER TABLE sdc.dp_dataset RENAME COLUMN rel TO relation;
ALTER TABLE sdc.dp_dataset RENAME COLUMN rel_name TO relation_name;
ALTER TABLE sdc.dp_dataset
    ADD COLUMN min_epsilon pg_catalog.numeric NOT NULL DEFAULT 0.001,
    ADD COLUMN min_duration pg_catalog.interval NOT NULL DEFAULT '0',
    ADD COLUMN unit_place pg_catalog.text;
ALTER TABLE sdc.strategy RENAME COLUMN method TO variant;

-- Measures have plain names; the table goes when they are rewritten.
CREATE TABLE sdc.renamed_measure (kind, before, after) AS
VALUES ('disclosure', 'rid', 'rank_disclosure'),
       ('disclosure', 'sdid', 'interval_disclosure'),
       ('disclosure', 'sadr', 'unchanged_share'),
       ('measure', 'dis', 'correct_match'),
       ('utility', 'il1s', 'information_loss'),
       ('utility', 'il1', 'relative_change'),
       ('utility', 'il_variables', 'value_change'),
       ('utility', 'il_correl', 'inverse_correlations'),
       ('utility', 'sse_sst', 'relative_squared_error'),
       ('utility', 'eigen', 'eigenvalues'),
       ('utility', 'kl', 'kullback_leibler'),
       ('utility', 'tv', 'total_variation'),
       ('utility', 'ncp', 'certainty_penalty'),
       ('utility', 'c_avg', 'normalized_average_class');

-- An attack has a variant, as everything else: in constraints,
UPDATE sdc.policy_relation AS r
SET constraints = (
    SELECT pg_catalog.jsonb_agg(
        CASE WHEN e.value OPERATOR(pg_catalog.?) 'attack'
            AND e.value OPERATOR(pg_catalog.?) 'method'
        THEN (e.value OPERATOR(pg_catalog.-) 'method')
            OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('variant',
                e.value OPERATOR(pg_catalog.->) 'method')
        WHEN n.kind IS NOT NULL
        THEN e.value OPERATOR(pg_catalog.||)
            pg_catalog.jsonb_build_object(n.kind, n.after)
        ELSE e.value END ORDER BY e.place)
    FROM pg_catalog.jsonb_array_elements(r.constraints)
        WITH ORDINALITY AS e (value, place)
    LEFT JOIN sdc.renamed_measure AS n
        ON (e.value OPERATOR(pg_catalog.->>) n.kind)
            OPERATOR(pg_catalog.=) n.before)
WHERE pg_catalog.jsonb_typeof(r.constraints) OPERATOR(pg_catalog.=) 'array'
    AND pg_catalog.jsonb_array_length(r.constraints) OPERATOR(pg_catalog.>) 0;

-- the search for a distance counts its work, about 1e9 steps in a second,
UPDATE sdc.policy_relation AS r
SET constraints = (
    SELECT pg_catalog.jsonb_agg(
        CASE WHEN t.seconds IS NOT NULL
        THEN pg_catalog.jsonb_set(e.value, '{params}',
            ((e.value OPERATOR(pg_catalog.->) 'params')
                OPERATOR(pg_catalog.-) 'time_limit')
            OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('work',
                pg_catalog.ceil(t.seconds OPERATOR(pg_catalog.*) 1000000000)))
        ELSE e.value END ORDER BY e.place)
    FROM pg_catalog.jsonb_array_elements(r.constraints)
        WITH ORDINALITY AS e (value, place)
    CROSS JOIN LATERAL (SELECT CASE
        WHEN (e.value OPERATOR(pg_catalog.->>) 'attack')
                OPERATOR(pg_catalog.=) 'learned'
            AND pg_catalog.jsonb_typeof(e.value
                OPERATOR(pg_catalog.#>) '{params,time_limit}')
                OPERATOR(pg_catalog.=) 'number'
        THEN (e.value OPERATOR(pg_catalog.#>>) '{params,time_limit}')
            ::pg_catalog.numeric END) AS t (seconds))
WHERE pg_catalog.jsonb_typeof(r.constraints) OPERATOR(pg_catalog.=) 'array'
    AND pg_catalog.jsonb_path_exists(r.constraints, '$[*].params.time_limit');

-- and in what the report of an old release reads.  In the text of
-- JSON such a piece can stand nowhere else: quotes within a string are escaped.
-- The words are replaced one after the other.
UPDATE sdc.release_history AS h
SET relations = pg_catalog.replace(relations::pg_catalog.text,
        '"rel": ', '"relation": ')::pg_catalog.jsonb,
    measures = (
        WITH RECURSIVE word AS (
            SELECT pg_catalog.row_number() OVER () AS place,
                pg_catalog.format('"measure": "%s"', before) AS before,
                pg_catalog.format('"measure": "%s"', after) AS after
            FROM sdc.renamed_measure),
        rewritten (place, document) AS (
            SELECT 0::pg_catalog.int8, pg_catalog.replace(
                h.measures::pg_catalog.text, '"rel": ', '"relation": ')
            UNION ALL
            SELECT w.place, pg_catalog.replace(r.document, w.before, w.after)
            FROM rewritten AS r
            JOIN word AS w ON w.place OPERATOR(pg_catalog.=)
                (r.place OPERATOR(pg_catalog.+) 1))
        SELECT r.document::pg_catalog.jsonb FROM rewritten AS r
        ORDER BY r.place DESC LIMIT 1);
DROP TABLE sdc.renamed_measure;
