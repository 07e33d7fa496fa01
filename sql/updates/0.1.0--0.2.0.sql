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
