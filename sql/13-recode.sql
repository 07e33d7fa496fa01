-- recode: masks of single values.

CREATE FUNCTION sdc.top_code(value anycompatible, upper anycompatible)
RETURNS anycompatible
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_top_code';

COMMENT ON FUNCTION sdc.top_code(anycompatible, anycompatible) IS
'replaces values above the upper bound by the bound';

CREATE FUNCTION sdc.bottom_code(value anycompatible, lower anycompatible)
RETURNS anycompatible
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_bottom_code';

COMMENT ON FUNCTION sdc.bottom_code(anycompatible, anycompatible) IS
'replaces values below the lower bound by the bound';

CREATE FUNCTION sdc.round_to(
    value numeric,
    base numeric,
    seed bigint DEFAULT NULL)
RETURNS numeric
LANGUAGE c IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_round_to';

COMMENT ON FUNCTION sdc.round_to(numeric, numeric, bigint) IS
'rounds to the nearest multiple of base, or with a seed to one of the two neighbours at random without bias';

CREATE FUNCTION sdc.round_by_key(value numeric, base numeric, key bytea)
RETURNS numeric
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_round_by_key';

COMMENT ON FUNCTION sdc.round_by_key(numeric, numeric, bytea) IS
'rounds to one of the two neighbouring multiples of base at random without bias, equal values alike; nobody without the 16 bytes of the key can tell which';

CREATE FUNCTION sdc.round_float(value double precision, base numeric)
RETURNS double precision
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_round_float';

COMMENT ON FUNCTION sdc.round_float(double precision, numeric) IS
'round_to of the value as numeric, without making one: what masks call';

CREATE FUNCTION sdc.mask_text(
    value text,
    keep integer,
    fill text DEFAULT '*')
RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_mask_text';

COMMENT ON FUNCTION sdc.mask_text(text, integer, text) IS
'keeps the leading (keep < 0: the trailing) characters and replaces every other character by fill';

CREATE FUNCTION sdc.mask_inet(value inet, keep integer)
RETURNS inet
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_mask_inet';

COMMENT ON FUNCTION sdc.mask_inet(inet, integer) IS
'keeps the leading bits of an address and sets the others to zero';

