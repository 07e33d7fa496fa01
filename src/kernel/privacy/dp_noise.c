/*
 * dp_noise.c
 *		One number made private by noise; how large it is; what may be named.
 *
 * libm: no noise is made from what libm returns; half-widths help to choose a
 * budget, and a threshold is made for slightly less than there is.
 */
#include <float.h>
#include <math.h>

#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/strong_bits.h"

/* ----------------------------------------------------------------------
 * The grids that noise for a double is drawn on.
 * ----------------------------------------------------------------------
 */

/* The grid 2^exponent, and the sensitivity of a rounded value on it. */
typedef struct SdcDpNoiseGrid
{
	int exponent;
	uint64_t sensitivity;
} SdcDpNoiseGrid;

static inline SdcDpNoiseGrid
sdc_dp_noise_rounded(double sensitivity, double budget, int fine)
{
	SdcDpNoiseGrid grid = {0, 0};

	if (sensitivity > 0)
	{
		grid.exponent = sdc_dp_noise_grid(sensitivity, budget, fine);
		grid.sensitivity =
			(uint64_t) ceil(ldexp(sensitivity, -grid.exponent)) + 1;
	}
	return grid;
}

/* Laplace noise: 2^40 steps within its scale. */
static inline SdcDpNoiseGrid
sdc_dp_noise_laplace_grid(double sensitivity, double epsilon)
{
	return sdc_dp_noise_rounded(sensitivity, epsilon, 40);
}

/* Gaussian noise: 2^20 steps within its standard deviation. */
static inline SdcDpNoiseGrid
sdc_dp_noise_gaussian_grid(double sensitivity, double rho)
{
	return sdc_dp_noise_rounded(sensitivity, sqrt(2 * rho), 20);
}

/* ----------------------------------------------------------------------
 * One number made private by noise.
 *
 * Rounding the value to the grid moves it by half a step at
 * most, so two values that differ by the sensitivity differ by one step more
 * on the grid: that step is part of the sensitivity there.
 * ----------------------------------------------------------------------
 */

/* log2 of the smallest positive double. */
#define LEAST_EXPONENT (-1074)

/* Where values are cut off, in steps of the grid. */
#define MOST_STEPS 0x1p120

int
sdc_dp_noise_grid(double sensitivity, double budget, int fine)
{
	int exponent = sdc_dyadic_log2_ratio(sensitivity, budget) - fine;

	return exponent < LEAST_EXPONENT ? LEAST_EXPONENT : exponent;
}

double
sdc_dp_noise_double(SdcInt128 steps, int exponent)
{
	double value = ldexp((double) steps, exponent);

	if (value > DBL_MAX)
		return DBL_MAX;
	if (value < -DBL_MAX)
		return -DBL_MAX;
	return value == 0 ? 0 : value;
}

static SdcInt128
to_grid(double value, int exponent)
{
	double steps = rint(ldexp(value, -exponent));

	return (SdcInt128) fmin(fmax(steps, -MOST_STEPS), MOST_STEPS);
}

bool
sdc_dp_noise_laplace(SdcStrongBits *bits, double value, double sensitivity,
					 double epsilon, double *noisy)
{
	SdcDpNoiseGrid grid = sdc_dp_noise_laplace_grid(sensitivity, epsilon);
	SdcDiscreteLaplace scale;

	*noisy = value;
	if (sensitivity == 0)
		return true;
	if (!sdc_discrete_laplace_scale(grid.sensitivity, 1, epsilon, &scale))
		return false;
	*noisy = sdc_dp_noise_double(to_grid(value, grid.exponent) +
									 sdc_discrete_laplace_draw(bits, &scale),
								 grid.exponent);
	return true;
}

bool
sdc_dp_noise_gaussian(SdcStrongBits *bits, double value, double sensitivity,
					  double rho, double *noisy)
{
	SdcDpNoiseGrid grid = sdc_dp_noise_gaussian_grid(sensitivity, rho);
	SdcDiscreteGaussian variance;

	*noisy = value;
	if (sensitivity == 0)
		return true;
	if (!sdc_discrete_gaussian_variance(grid.sensitivity, rho, &variance))
		return false;
	*noisy =
		sdc_dp_noise_double(to_grid(value, grid.exponent) +
								sdc_discrete_gaussian_draw(bits, &variance),
							grid.exponent);
	return true;
}

static int64_t
saturate(SdcInt128 value)
{
	if (value > INT64_MAX)
		return INT64_MAX;
	if (value < INT64_MIN)
		return INT64_MIN;
	return (int64_t) value;
}

bool
sdc_dp_noise_laplace_integer(SdcStrongBits *bits, int64_t value,
							 uint64_t sensitivity, double epsilon,
							 int64_t *noisy)
{
	SdcDiscreteLaplace scale;

	if (!sdc_discrete_laplace_scale(sensitivity, 1, epsilon, &scale))
		return false;
	*noisy = saturate(value + sdc_discrete_laplace_draw(bits, &scale));
	return true;
}

bool
sdc_dp_noise_gaussian_integer(SdcStrongBits *bits, int64_t value,
							  uint64_t sensitivity, double rho, int64_t *noisy)
{
	SdcDiscreteGaussian variance;

	if (!sdc_discrete_gaussian_variance(sensitivity, rho, &variance))
		return false;
	*noisy = saturate(value + sdc_discrete_gaussian_draw(bits, &variance));
	return true;
}

/* ----------------------------------------------------------------------
 * How large the noise of a mechanism is.
 *
 * libm: these figures help to choose a budget.  No noise is made from them.
 * ----------------------------------------------------------------------
 */

/* Standard deviations up to this are summed over, not integrated. */
#define SUMMED 1000

/*
 * The least whole w with P(|Y| > w) = 2 r^(w + 1) / (1 + r) at most tail,
 * r = exp(-1 / scale).
 */
static double
laplace_steps(const SdcDiscreteLaplace *scale, double tail)
{
	double rate = ldexp(1, scale->shift) / (double) scale->numerator;
	double steps = log(2 / (tail * (1 + exp(-rate)))) / rate - 1;

	return steps > 0 ? ceil(steps) : 0;
}

/* The least whole w with P(|Y| > w) at most tail, by summing the law. */
static double
gaussian_summed(double variance, double tail)
{
	int end = (int) (40 * sqrt(variance)) + 40;
	double total = 1;
	double beyond = 0;
	int y;

	for (y = end; y >= 1; y--)
		total += 2 * exp(-(double) y * y / (2 * variance));
	/* from the far end, so that small terms are not lost */
	for (y = end; y >= 1; y--)
	{
		beyond += 2 * exp(-(double) y * y / (2 * variance));
		if (beyond > tail * total)
			return y;
	}
	return 0;
}

static double
gaussian_steps(const SdcDiscreteGaussian *law, double tail)
{
	double variance = ldexp((double) law->numerator, -(int) law->shift);
	double deviation = sqrt(variance);
	double low = 0;
	double high = 40;
	int i;

	if (deviation <= SUMMED)
		return gaussian_summed(variance, tail);
	for (i = 0; i < 100; i++)
	{
		double middle = (low + high) / 2;

		if (erfc(middle / sqrt(2.0)) > tail)
			low = middle;
		else
			high = middle;
	}
	return ceil(high * deviation) + 1;
}

double
sdc_dp_noise_halfwidth(SdcDpNoise mechanism, double sensitivity, double budget,
					   double confidence)
{
	bool laplace = mechanism == SDC_DP_NOISE_LAPLACE ||
				   mechanism == SDC_DP_NOISE_DISCRETE_LAPLACE;
	bool discrete = mechanism == SDC_DP_NOISE_DISCRETE_LAPLACE ||
					mechanism == SDC_DP_NOISE_DISCRETE_GAUSSIAN;
	SdcDpNoiseGrid grid =
		laplace ? sdc_dp_noise_laplace_grid(sensitivity, budget)
				: sdc_dp_noise_gaussian_grid(sensitivity, budget);
	double steps;

	if (sensitivity == 0)
		return 0;
	if (discrete)
	{
		if (sensitivity > 0x1p62)
			return NAN;
		grid.exponent = 0;
		grid.sensitivity = (uint64_t) sensitivity;
	}
	if (laplace)
	{
		SdcDiscreteLaplace scale;

		if (!sdc_discrete_laplace_scale(grid.sensitivity, 1, budget, &scale))
			return NAN;
		steps = laplace_steps(&scale, 1 - confidence);
	}
	else
	{
		SdcDiscreteGaussian law;

		if (!sdc_discrete_gaussian_variance(grid.sensitivity, budget, &law))
			return NAN;
		steps = gaussian_steps(&law, 1 - confidence);
	}
	/* rounding the value to the grid moves it by half a step */
	return ldexp(steps + (discrete ? 0 : 0.5), grid.exponent);
}

/* ----------------------------------------------------------------------
 * Which groups may be named at all: a threshold for noisy counts.
 *
 * P(Y >= t) = r^t / (1 + r) for t >= 1, the tail of the discrete law itself,
 * so the threshold is exact where one made for the continuous law is off.
 *
 * libm: why exp and log may differ in the last bit here: the threshold is
 * made for slightly less epsilon and delta than there are, by much more than
 * that bit, so it can only come out too high.
 * ----------------------------------------------------------------------
 */

/* More than the errors of libm and of the scale of the noise together. */
#define MARGIN 0x1p-36

double
sdc_dp_threshold_share(double delta, uint32_t groups)
{
	if (groups <= 1)
		return delta;
	return -expm1(log1p(-delta) / groups) * (1 - MARGIN);
}

int64_t
sdc_dp_threshold_count(uint32_t rows, double epsilon, double delta)
{
	double rate = epsilon * (1 - MARGIN);
	double tail = -log(delta * (1 - MARGIN)) - log1p(exp(-rate));
	double above = ceil(tail / rate);

	return (int64_t) rows + (above < 1 ? 1 : (int64_t) above);
}

/* ----------------------------------------------------------------------
 * How much zero-concentrated differential privacy an epsilon and delta hold.
 *
 * The logarithm of the bound is convex in a, so its least value is found by
 * bisection of the derivative.  What rounding adds is far below 1e-12.
 * ----------------------------------------------------------------------
 */

#define BISECTIONS 200

double
sdc_zcdp_delta(double rho, double epsilon)
{
	double low = 1;
	double high = (epsilon + 1) / (2 * rho) + 2;
	double a = high;
	int i;

	for (i = 0; i < BISECTIONS && high - low > 1e-15 * high; i++)
	{
		a = (low + high) / 2;
		if ((2 * a - 1) * rho - epsilon + log1p(-1 / a) < 0)
			low = a;
		else
			high = a;
	}
	return fmin(1, exp((a - 1) * (a * rho - epsilon) + a * log1p(-1 / a) -
					   log(a - 1)));
}

double
sdc_zcdp_rho(double epsilon, double delta)
{
	double low = 0;
	double high = epsilon + 1;
	int i;

	for (i = 0; i < BISECTIONS; i++)
	{
		double rho = (low + high) / 2;

		if (sdc_zcdp_delta(rho, epsilon) <= delta * (1 - 1e-12))
			low = rho;
		else
			high = rho;
	}
	return low * (1 - 1e-10);
}
