-- mask: rules applied to a table, into a copy or in place.

CREATE FUNCTION sdc.mask(
    relation regclass,
    rules jsonb,
    target text DEFAULT NULL,
    id name DEFAULT NULL,
    dry_run boolean DEFAULT false,
    params jsonb DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS SETOF sdc.mask_step
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_mask';

COMMENT ON FUNCTION sdc.mask(regclass, jsonb, text, name, boolean, jsonb, bigint) IS
'masks a table by rules, into the new table target, or in place when target is NULL; dry_run only shows what would be done';

CREATE FUNCTION sdc.mask_seed(subject text, seed bigint)
RETURNS bigint
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_mask_seed';

COMMENT ON FUNCTION sdc.mask_seed(text, bigint) IS
'the seed with which mask calls the function of a rule, from its own seed and the columns of the rule: a or a,b';
