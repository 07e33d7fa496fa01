-- noise: random numbers are added.

CREATE FUNCTION sdc.add_noise(
    value float8,
    alpha float8,
    variant text DEFAULT 'gaussian',
    seed bigint DEFAULT NULL)
RETURNS float8
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_add_noise';

COMMENT ON FUNCTION sdc.add_noise(float8, float8, text, bigint) IS
'adds independent noise with mean 0 and variance alpha times the variance of the window partition';

CREATE FUNCTION sdc.add_noise(
    columns record,
    alpha float8,
    variant text DEFAULT 'gaussian',
    seed bigint DEFAULT NULL)
RETURNS float8[]
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_add_noise_correlated';

COMMENT ON FUNCTION sdc.add_noise(record, float8, text, bigint) IS
'adds noise with mean 0 and covariance alpha times that of the columns, which keeps their correlations; returns the masked columns in their order';


CREATE FUNCTION sdc.romm(
    columns record,
    alpha float8,
    seed bigint DEFAULT NULL)
RETURNS float8[]
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_romm';

COMMENT ON FUNCTION sdc.romm(record, float8, bigint) IS
'random orthogonal matrix masking: several columns turned together so that their means and covariances stay exactly; alpha is the variance of the noise over that of the values';

CREATE FUNCTION sdc.outlier_noise(
    value float8,
    alpha float8,
    threshold float8 DEFAULT 3,
    seed bigint DEFAULT NULL)
RETURNS float8
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_outlier_noise';

COMMENT ON FUNCTION sdc.outlier_noise(float8, float8, float8, bigint) IS
'noise for outliers only: mean 0, variance alpha times the square of the distance beyond threshold robust standard deviations from the median of the window partition';

CREATE FUNCTION sdc.data_shuffle(
    columns record,
    given int DEFAULT 0,
    seed bigint DEFAULT NULL)
RETURNS float8[]
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_data_shuffle';

COMMENT ON FUNCTION sdc.data_shuffle(record, int, bigint) IS
'data shuffling: the values of the columns but for the last, which are given, are put in the order of draws that depend on the given ones, so that values stay exactly and rank correlations about; returns the masked columns in their order';

CREATE FUNCTION sdc.donut(
    place point,
    "inner" float8,
    "outer" float8,
    variant text DEFAULT 'plane',
    seed bigint DEFAULT NULL)
RETURNS point
LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdcf_donut';

COMMENT ON FUNCTION sdc.donut(point, float8, float8, text, bigint) IS
'donut masking: each place is moved by a vector that is uniform over the ring between the inner and the outer radius; variant plane: in the units of the point, earth: metres, the point being a longitude and a latitude in degrees';
