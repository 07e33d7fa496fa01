-- dp_choose: one of several candidates under differential privacy.

CREATE FUNCTION sdc.dp_choose(
    candidates anyarray,
    scores float8[],
    sensitivity float8,
    epsilon float8,
    monotonic boolean DEFAULT false,
    variant text DEFAULT 'permute_and_flip')
RETURNS anyelement
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 100
AS 'MODULE_PATHNAME', 'sdcf_dp_choose';

COMMENT ON FUNCTION sdc.dp_choose(anyarray, float8[], float8, float8, boolean, text) IS
'the candidate with about the highest score: epsilon-differentially private when one record changes a score by at most sensitivity; variant permute_and_flip, or exponential: each with probability proportional to exp(epsilon score / (2 sensitivity)); monotonic when one record can only raise all scores, or only lower them';

REVOKE EXECUTE ON FUNCTION sdc.dp_choose(anyarray, float8[], float8, float8, boolean, text) FROM PUBLIC;
