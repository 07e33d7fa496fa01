/*
 * dp_noise.c
 *		Noise for one number, and its half width.
 */
#include "unit.h"

#include <float.h>

#include "dp_stream.h"
#include "kernel/privacy/dp_noise.c"
#include "kernel/privacy/strong_bits.h"

#define DRAWS 200000

static void
check_laws(SdcStrongBits *bits)
{
	double laplace[40] = {0};
	double gaussian[40] = {0};
	int i;

	for (i = 0; i < DRAWS; i++)
	{
		double x;

		sdc_dp_noise_laplace(bits, 1000.25, 3, 0.5, &x);
		x = (x - 1000.25) / 6;
		laplace[(int) fmin(40 * (x < 0 ? exp(x) / 2 : 1 - exp(-x) / 2), 39)]++;
		/* variance 9 / (2 * 0.125) */
		sdc_dp_noise_gaussian(bits, -7, 3, 0.125, &x);
		gaussian[(int) fmin(20 * erfc(-(x + 7) / 6 / sqrt(2)), 39)]++;
	}
	unit_check(looks_uniform(laplace, 40), "Laplace of scale 6");
	unit_check(looks_uniform(gaussian, 40), "normal of deviation 6");
}

/* All results lie on one grid, whatever the value: no low digits tell it. */
static void
check_grid(SdcStrongBits *bits)
{
	const double value[] = {0, 0.1, 1, 1e10 / 3, -1e15};
	SdcDpNoiseGrid grid = sdc_dp_noise_laplace_grid(1, 1);
	bool on_grid = true;
	int v;
	int i;

	for (v = 0; v < 4; v++)
		for (i = 0; i < 1000; i++)
		{
			double noisy;
			double steps;

			sdc_dp_noise_laplace(bits, value[v], 1, 1, &noisy);
			steps = ldexp(noisy, -grid.exponent);
			on_grid = on_grid && steps == floor(steps);
		}
	unit_check(on_grid && grid.exponent == -40 &&
				   grid.sensitivity == (UINT64_C(1) << 40) + 1,
			   "values on the grid 2^-40");
}

static void
check_edges(SdcStrongBits *bits)
{
	double noisy;
	int64_t whole;
	bool finite = true;
	int i;

	unit_check(sdc_dp_noise_laplace(bits, 0.1, 0, 1, &noisy) && noisy == 0.1,
			   "sensitivity 0 needs no noise");
	for (i = 0; i < 100; i++)
	{
		const double odd[] = {INFINITY, -INFINITY, DBL_MAX, -0.0, 4.9e-324};

		finite =
			finite &&
			sdc_dp_noise_laplace(bits, odd[i % 5], 1e300, 0x1p-30, &noisy) &&
			isfinite(noisy) &&
			sdc_dp_noise_laplace(bits, odd[i % 5], 4.9e-324, 1024, &noisy) &&
			isfinite(noisy) &&
			sdc_dp_noise_gaussian(bits, odd[i % 5], DBL_MAX, 0x1p-30,
								  &noisy) &&
			isfinite(noisy);
	}
	unit_check(finite, "always finite");
	unit_check(
		sdc_dp_noise_laplace_integer(bits, INT64_MAX, 1000, 0.01, &whole) &&
			sdc_dp_noise_laplace_integer(bits, 5, 1, 1024, &whole) &&
			whole == 5,
		"integers");
	unit_check(
		!sdc_dp_noise_laplace_integer(bits, 0, UINT64_MAX, 1, &whole) &&
			!sdc_dp_noise_gaussian_integer(bits, 0, UINT64_MAX, 1, &whole),
		"noise that is too large");
}

/* Share of draws within the half width, and within one step less. */
static void
check_halfwidth(SdcStrongBits *bits, SdcDpNoise mechanism, const char *name,
				double sensitivity, double budget, double confidence)
{
	bool discrete = mechanism == SDC_DP_NOISE_DISCRETE_LAPLACE ||
					mechanism == SDC_DP_NOISE_DISCRETE_GAUSSIAN;
	double width =
		sdc_dp_noise_halfwidth(mechanism, sensitivity, budget, confidence);
	double less = discrete ? width - 0.5 : width * 0.98;
	double within = 0;
	double nearer = 0;
	double sigma = sqrt(DRAWS * confidence * (1 - confidence));
	int i;

	for (i = 0; i < DRAWS; i++)
	{
		double noisy = 0;
		int64_t whole = 0;

		if (mechanism == SDC_DP_NOISE_LAPLACE)
			sdc_dp_noise_laplace(bits, 0, sensitivity, budget, &noisy);
		else if (mechanism == SDC_DP_NOISE_GAUSSIAN)
			sdc_dp_noise_gaussian(bits, 0, sensitivity, budget, &noisy);
		else if (mechanism == SDC_DP_NOISE_DISCRETE_LAPLACE)
			sdc_dp_noise_laplace_integer(bits, 0, (uint64_t) sensitivity,
										 budget, &whole);
		else
			sdc_dp_noise_gaussian_integer(bits, 0, (uint64_t) sensitivity,
										  budget, &whole);
		noisy += (double) whole;
		within += fabs(noisy) <= width;
		nearer += fabs(noisy) <= less;
	}
	unit_check(within >= DRAWS * confidence - SIGMAS * sigma,
			   "%s %g, %g: %g contains enough", name, sensitivity, budget,
			   width);
	unit_check(nearer <= DRAWS * confidence + SIGMAS * sigma,
			   "%s %g, %g: less than %g does not", name, sensitivity, budget,
			   width);
}

int
main(void)
{
	SdcStrongBits bits;

	unit_start("dp_noise");
	dp_stream(&bits, 10);
	check_laws(&bits);
	check_grid(&bits);
	check_edges(&bits);
	check_halfwidth(&bits, SDC_DP_NOISE_LAPLACE, "laplace", 3, 0.5, 0.95);
	check_halfwidth(&bits, SDC_DP_NOISE_LAPLACE, "laplace", 1e-3, 2, 0.5);
	check_halfwidth(&bits, SDC_DP_NOISE_DISCRETE_LAPLACE, "discrete laplace",
					1, 1, 0.95);
	check_halfwidth(&bits, SDC_DP_NOISE_DISCRETE_LAPLACE, "discrete laplace",
					7, 0.3, 0.9);
	check_halfwidth(&bits, SDC_DP_NOISE_GAUSSIAN, "gaussian", 3, 0.5, 0.95);
	check_halfwidth(&bits, SDC_DP_NOISE_DISCRETE_GAUSSIAN, "discrete gaussian",
					2, 0.5, 0.95);
	unit_check(isnan(sdc_dp_noise_halfwidth(SDC_DP_NOISE_DISCRETE_LAPLACE,
											0x1p62, 1, 0.5)) &&
				   sdc_dp_noise_halfwidth(SDC_DP_NOISE_GAUSSIAN, 0, 1, 0.5) ==
					   0,
			   "half widths at the ends");
	return unit_finish();
}
