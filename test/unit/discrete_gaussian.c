/*
 * discrete_gaussian.c
 *		Discrete Gaussian noise: its exact law, its rho, a broken twin.
 */
#include "unit.h"

#include "dp_stream.h"
#include "kernel/base/random.h"
#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/strong_bits.h"

static SdcInt128
draw_gaussian(SdcStrongBits *bits, const void *what)
{
	return sdc_discrete_gaussian_draw(bits, what);
}

/* The twin: a normal deviate, rounded; not the discrete Gaussian. */
static SdcInt128
draw_rounded(SdcStrongBits *bits, const void *what)
{
	const SdcDiscreteGaussian *law = what;
	double deviation = sqrt(ldexp((double) law->numerator, -law->shift));

	(void) bits;
	return (SdcInt128) rint(deviation * sdc_random_normal(&dp_random));
}

static double
law(long y, const void *what)
{
	const SdcDiscreteGaussian *law = what;
	double variance = ldexp((double) law->numerator, -law->shift);
	double total = 1;
	int i;

	for (i = 1; i < 40 * sqrt(variance) + 20; i++)
		total += 2 * exp(-(double) i * i / (2 * variance));
	return exp(-(double) y * y / (2 * variance)) / total;
}

static void
check_law(SdcStrongBits *bits)
{
	const double variances[] = {0.25, 1, 6.25, 1600};
	int i;

	for (i = 0; i < 4; i++)
	{
		SdcDiscreteGaussian gaussian;

		sdc_discrete_gaussian_variance(1, 1 / (2 * variances[i]), &gaussian);
		unit_check(ldexp((double) gaussian.numerator, -gaussian.shift) ==
					   variances[i],
				   "variance %g is met exactly", variances[i]);
		unit_check(dp_follows(bits, draw_gaussian, &gaussian, law, &gaussian,
							  (long) (6 * sqrt(variances[i])) + 4, 300000),
				   "variance %g: the law", variances[i]);
		/* a rounded normal is as good as right when the variance is large */
		if (variances[i] <= 1)
			unit_check(!dp_follows(bits, draw_rounded, &gaussian, law,
								   &gaussian, 10, 300000),
					   "twin: variance %g, a rounded normal is caught",
					   variances[i]);
	}
}

static void
check_fine(SdcStrongBits *bits)
{
	SdcDiscreteGaussian gaussian;
	double count[40] = {0};
	int i;

	sdc_discrete_gaussian_variance(UINT64_C(1) << 20, 0.5, &gaussian);
	for (i = 0; i < 300000; i++)
	{
		double x =
			(double) sdc_discrete_gaussian_draw(bits, &gaussian) * 0x1p-20;

		count[(int) fmin(erfc(-x / sqrt(2)) * 20, 39)]++;
	}
	unit_check(looks_uniform(count, 40), "fine grid: distribution function");
}

/* n / 2^q >= D^2 / (2 rho) > (n - 1) / 2^q, in integers. */
static bool
is_exact(uint64_t sensitivity, double rho)
{
	SdcDiscreteGaussian gaussian;
	int exponent;
	uint64_t digits = (uint64_t) ldexp(frexp(rho, &exponent), 53);
	int up = 53 - exponent - 1;
	double about = (double) sensitivity * (double) sensitivity / (2 * rho);
	SdcUint128 wanted = (SdcUint128) sensitivity * sensitivity;

	if (!sdc_discrete_gaussian_variance(sensitivity, rho, &gaussian))
		return about >= 0x1p56 * (1 - 1e-15);
	for (up += (int) gaussian.shift; up > 0; up--)
	{
		if (wanted >> 126)
			return false;
		wanted <<= 1;
	}
	return gaussian.numerator >> 40 != 0 &&
		   wanted <= (SdcUint128) gaussian.numerator * digits &&
		   wanted > (SdcUint128) (gaussian.numerator - 1) * digits &&
		   (double) gaussian.step >
			   sqrt(ldexp((double) gaussian.numerator, -gaussian.shift)) -
				   1e-6;
}

int
main(void)
{
	SdcStrongBits bits;
	SdcRandom random;
	bool exact = true;
	int i;

	unit_start("discrete_gaussian");
	dp_stream(&bits, 5);
	check_law(&bits);
	check_fine(&bits);
	sdc_random_seed(&random, 78, 0);
	for (i = 0; i < 200000 && exact; i++)
		exact = is_exact((sdc_random_bits(&random) >>
						  (30 + sdc_random_below(&random, 34))) |
							 1,
						 ldexp(0.5 + sdc_random_unit(&random) / 2,
							   (int) sdc_random_below(&random, 40) - 29));
	unit_check(exact, "never more than rho, never 2^-40 of it less");
	return unit_finish();
}
