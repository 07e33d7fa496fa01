-- dp_noise: noise for one number under differential privacy.
-- Only roles that may see the true value have a use for these, so nobody
-- may call them until EXECUTE is granted.

CREATE FUNCTION sdc.laplace(
    value float8,
    sensitivity float8,
    epsilon float8)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 10
AS 'MODULE_PATHNAME', 'sdcf_laplace_float8';

COMMENT ON FUNCTION sdc.laplace(float8, float8, float8) IS
'value with Laplace noise of scale sensitivity / epsilon: epsilon-differentially private; exact sampling, no seed';

REVOKE EXECUTE ON FUNCTION sdc.laplace(float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.laplace(
    value integer,
    sensitivity integer,
    epsilon float8)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 10
AS 'MODULE_PATHNAME', 'sdcf_laplace_integer';

COMMENT ON FUNCTION sdc.laplace(integer, integer, float8) IS
'value with Laplace noise of scale sensitivity / epsilon: epsilon-differentially private; exact sampling, no seed';

REVOKE EXECUTE ON FUNCTION sdc.laplace(integer, integer, float8) FROM PUBLIC;

CREATE FUNCTION sdc.laplace(
    value bigint,
    sensitivity bigint,
    epsilon float8)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 10
AS 'MODULE_PATHNAME', 'sdcf_laplace_bigint';

COMMENT ON FUNCTION sdc.laplace(bigint, bigint, float8) IS
'value with Laplace noise of scale sensitivity / epsilon: epsilon-differentially private; exact sampling, no seed';

REVOKE EXECUTE ON FUNCTION sdc.laplace(bigint, bigint, float8) FROM PUBLIC;

CREATE FUNCTION sdc.gaussian(
    value float8,
    sensitivity float8,
    rho float8)
RETURNS float8
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 10
AS 'MODULE_PATHNAME', 'sdcf_gaussian_float8';

COMMENT ON FUNCTION sdc.gaussian(float8, float8, float8) IS
'value with Gaussian noise of variance sensitivity^2 / (2 rho): rho-zero-concentrated differentially private; exact sampling, no seed';

REVOKE EXECUTE ON FUNCTION sdc.gaussian(float8, float8, float8) FROM PUBLIC;

CREATE FUNCTION sdc.gaussian(
    value integer,
    sensitivity integer,
    rho float8)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 10
AS 'MODULE_PATHNAME', 'sdcf_gaussian_integer';

COMMENT ON FUNCTION sdc.gaussian(integer, integer, float8) IS
'value with Gaussian noise of variance sensitivity^2 / (2 rho): rho-zero-concentrated differentially private; exact sampling, no seed';

REVOKE EXECUTE ON FUNCTION sdc.gaussian(integer, integer, float8) FROM PUBLIC;

CREATE FUNCTION sdc.gaussian(
    value bigint,
    sensitivity bigint,
    rho float8)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 10
AS 'MODULE_PATHNAME', 'sdcf_gaussian_bigint';

COMMENT ON FUNCTION sdc.gaussian(bigint, bigint, float8) IS
'value with Gaussian noise of variance sensitivity^2 / (2 rho): rho-zero-concentrated differentially private; exact sampling, no seed';

REVOKE EXECUTE ON FUNCTION sdc.gaussian(bigint, bigint, float8) FROM PUBLIC;

CREATE FUNCTION sdc.dp_halfwidth(
    mechanism text,
    sensitivity float8,
    epsilon float8,
    confidence float8)
RETURNS float8
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
AS 'MODULE_PATHNAME', 'sdcf_dp_halfwidth';

COMMENT ON FUNCTION sdc.dp_halfwidth(text, float8, float8, float8) IS
'how far noise stays from the true value with this confidence, for laplace, discrete_laplace (counts and sums of whole numbers), gaussian or discrete_gaussian (epsilon is rho)';
