/*
 * superpopulation_models.c
 *		Pitman: is it the maximum?  SNB: do the parameters solve the equations?
 */
#include "unit.h"

#include <math.h>

#include "superpopulation_sample.h"

/* The logarithm of the Ewens-Pitman likelihood, term by term. */
static long double
pitman_likelihood(const SdcSuperpopulation *sample, long double alpha,
				  long double theta)
{
	long double sum = 0;
	int64_t i;
	int32_t k;

	for (i = 1; i < sample->classes; i++)
		sum += logl(theta + i * alpha);
	for (i = 1; i < sample->records; i++)
		sum -= logl(theta + i);
	for (k = 0; k < sample->n; k++)
		for (i = 1; i < sample->sizes[k].size; i++)
			sum += sample->sizes[k].classes * logl(i - alpha);
	return sum;
}

/* Is there a higher likelihood anywhere? */
static bool
is_maximum(const SdcSuperpopulation *sample, double alpha, double theta)
{
	long double best = pitman_likelihood(sample, alpha, theta);
	double step;
	int i;
	int j;

	for (i = 0; i < 40; i++)
		for (j = -20; j <= 40; j++)
		{
			double a = i / 40.0;
			double t = exp(j / 2.0) - a;

			if (pitman_likelihood(sample, a, t) > best)
				return false;
		}
	/* close by, where rounding would show */
	for (step = 1e-2; step > 1e-5; step /= 10)
		for (i = -1; i <= 1; i++)
			for (j = -1; j <= 1; j++)
			{
				double a = alpha + i * step;
				double t = (theta + alpha) * (1 + j * step) - a;

				if ((i != 0 || j != 0) && a >= 0 && a < 1 && t > -a &&
					pitman_likelihood(sample, a, t) >= best)
					return false;
			}
	return true;
}

static void
check_pitman(void)
{
	/* a long tail; even sizes; nearly all unique; nearly one class */
	const int even[] = {5, 9, 20, 31, 40, 28, 17, 11, 3};
	const int sparse[] = {700, 6, 1};
	static const int heavy[400] = {[0] = 30, [1] = 1, [399] = 3};
	const struct
	{
		const int *classes;
		int sizes;
		bool inside; /* is alpha above 0? */
	} cases[] = {
		{typical, TYPICAL, true},
		{even, 9, false},
		{sparse, 3, true},
		{heavy, 400, true},
	};
	size_t c;

	for (c = 0; c < 4; c++)
	{
		SdcSuperpopulation sample =
			sample_of(cases[c].classes, cases[c].sizes, 20000);
		SdcSuperpopulationEstimate estimate =
			sdc_superpopulation_pitman(unit_host(), &sample);
		double alpha = estimate.alpha;
		double theta = estimate.theta;
		long double uniques =
			20000 * expl(lgammal((long double) theta + 1) -
						 lgammal((long double) theta + alpha) +
						 lgammal((long double) theta + alpha + 19999) -
						 lgammal((long double) theta + 20000));

		unit_check((alpha > 0) == cases[c].inside &&
					   is_maximum(&sample, alpha, theta),
				   "Pitman, case %zu: (%g, %g) is the maximum", c, alpha,
				   theta);
		unit_check(fabs(estimate.uniques / (double) uniques - 1) < 1e-10 &&
					   estimate.uniques <= 20000,
				   "Pitman, case %zu: %g expected uniques", c,
				   estimate.uniques);
	}
}

/* Expected sample uniques and pairs of SNB, class size by class size. */
static void
snb_sum(double alpha, double beta, double pi, double *uniques, double *pairs)
{
	double chance = pow(beta, alpha); /* of x others */
	double missed = 1;                /* (1 - pi)^x */
	int x;

	*uniques = 0;
	*pairs = 0;
	for (x = 0; x < 200000; x++)
	{
		*uniques += chance * (x + 1) * pi * missed;
		if (x > 0)
			*pairs += chance * (x + 1) * x / 2.0 * pi * pi * missed / (1 - pi);
		chance *= (alpha + x) / (x + 1) * (1 - beta);
		missed *= 1 - pi;
	}
}

/* Haas and Stokes' estimate with powers as they are written. */
static double
shlosser(const SdcSuperpopulation *sample)
{
	double q = sample->fraction;
	double a = 0;
	double b = 0;
	double c = 0;
	double d = 0;
	int32_t k;

	for (k = 0; k < sample->n; k++)
	{
		double i = sample->sizes[k].size;
		double f = sample->sizes[k].classes;

		a += i * q * q * pow(1 - q * q, i - 1) * f;
		b += pow(1 - q, i) * (pow(1 + q, i) - 1) * f;
		c += pow(1 - q, i) * f;
		d += i * q * pow(1 - q, i - 1) * f;
	}
	return sample->classes + sample->uniques * (a / b) * (c / d) * (c / d);
}

static void
check_snb(void)
{
	const double fractions[] = {0.02, 0.1, 0.3, 0.9};
	size_t p;

	for (p = 0; p < 4; p++)
	{
		SdcSuperpopulation sample =
			sample_of(typical, TYPICAL, 933 / fractions[p]);
		SdcSuperpopulationEstimate estimate =
			sdc_superpopulation_snb(unit_host(), &sample);
		double uniques;
		double pairs;

		snb_sum(estimate.alpha, estimate.beta, sample.fraction, &uniques,
				&pairs);
		unit_check(fabs(estimate.classes / shlosser(&sample) - 1) < 1e-12,
				   "SNB, pi = %g: %g classes", fractions[p], estimate.classes);
		unit_check(
			fabs(estimate.classes * uniques / 300 - 1) < 1e-9 &&
				fabs(estimate.classes * pairs / 90 - 1) < 1e-9 &&
				fabs(estimate.uniques / (estimate.classes *
										 pow(estimate.beta, estimate.alpha)) -
					 1) < 1e-9,
			"SNB, pi = %g: solves both equations at (%g, %g)", fractions[p],
			estimate.alpha, estimate.beta);
	}
}

int
main(void)
{
	unit_start("superpopulation_models");
	check_pitman();
	check_snb();
	return unit_finish();
}
