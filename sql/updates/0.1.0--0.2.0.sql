-- From 0.1.0 to 0.2.0: what becomes of tables, and of what is stored in them.
-- See "A table or a type changes" in CONTRIBUTING.md.

-- Nothing derived from a seed is kept; releases are signed.
ALTER TABLE sdc.release_history
    ADD COLUMN seeded boolean,
    ADD COLUMN signature text,
    ADD COLUMN tables regclass[];
UPDATE sdc.release_history SET seeded = seed_hash IS NOT NULL;
ALTER TABLE sdc.release_history DROP COLUMN seed_hash;
