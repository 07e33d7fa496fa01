/*
 * dp_noise.c
 *		One number made private by noise.
 *
 * See dp_noise.h.  Rounding the value to the grid moves it by half a step at
 * most, so two values that differ by the sensitivity differ by one step more
 * on the grid: that step is part of the sensitivity there.
 */
#include "kernel/privacy/dp_noise.h"

#include <float.h>
#include <math.h>

#include "kernel/privacy/dp_noise_grid.h"
#include "kernel/privacy/dyadic.h"
#include "kernel/privacy/discrete_gaussian.h"
#include "kernel/privacy/discrete_laplace.h"
#include "kernel/privacy/strong_bits.h"

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
