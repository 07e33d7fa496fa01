/*
 * dp_noise_halfwidth.c
 *		How large the noise of a mechanism is.
 *
 * libm: these figures help to choose a budget.  No noise is made from them.
 */
#include "kernel/privacy/dp_noise.h"

#include <math.h>

#include "kernel/privacy/dp_noise_grid.h"
#include "kernel/privacy/discrete_gaussian.h"
#include "kernel/privacy/discrete_laplace.h"

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
