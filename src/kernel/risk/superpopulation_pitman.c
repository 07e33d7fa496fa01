/*
 * superpopulation_pitman.c
 *		Uniques of a population by the Ewens-Pitman sampling formula.
 *
 * With u classes of sizes c among n records the logarithm of the likelihood is
 *
 *		sum over i = 1 .. u-1 of ln(theta + i alpha)
 *		- sum over i = 1 .. n-1 of ln(theta + i)
 *		+ sum over classes of sum over j = 1 .. c-1 of ln(j - alpha).
 *
 * Its derivatives are sums of reciprocals, which are taken to all digits.  For
 * each alpha the best theta is where one derivative is zero, by bisection;
 * along these thetas the other derivative tells on which side of alpha the
 * maximum lies.  Bisection needs no second derivative and no starting value.
 */

/* libm: exp, log, log1p and pow; measures are no masks. */
#include "kernel/risk/superpopulation.h"

#include <math.h>

/* Steps of a bisection: more than a double has bits. */
#define STEPS 64

/* From this many steps away from zero on, sums are integrals and a rest. */
#define FAR 32

/* The sum of 1 / (first + i step) over i = 0 .. count - 1; first > 0. */
static double
reciprocals(double first, double step, int64_t count)
{
	double sum = 0;
	double last;
	double a;
	double b;

	for (; count > 0 && first < FAR * step; count--)
	{
		sum += 1 / first;
		first += step;
	}
	if (count == 0)
		return sum;
	if (step == 0)
		return sum + count / first;
	/* Euler and Maclaurin */
	last = first + (count - 1) * step;
	a = step / first;
	b = step / last;
	return sum + (log1p((count - 1) * a) + (a + b) / 2 + (a * a - b * b) / 12 -
				  (a * a * a * a - b * b * b * b) / 120 +
				  (pow(a, 6) - pow(b, 6)) / 252) /
					 step;
}

/* ln Gamma(x + shift) - ln Gamma(x); x > 0, 0 <= shift <= 1. */
static double
log_gamma_shift(double x, double shift)
{
	double sum = 0;
	double y;

	for (; x < FAR; x++)
		sum -= log1p(shift / x);
	y = x + shift;
	/* the difference of two of Stirling's series */
	return sum + (y - 0.5) * log1p(shift / x) + shift * log(x) - shift +
		   (1 / y - 1 / x) / 12 - (pow(y, -3) - pow(x, -3)) / 360 +
		   (pow(y, -5) - pow(x, -5)) / 1260;
}

/* The derivative by theta, where theta = above - alpha. */
static double
slope_theta(const SdcSuperpopulation *sample, double alpha, double above)
{
	return reciprocals(above, alpha, sample->classes - 1) -
		   reciprocals(above + (1 - alpha), 1, sample->records - 1);
}

/*
 * theta + alpha for the best theta at an alpha.  The slope falls from plus
 * infinity at 0 to less than zero far out, as there are fewer classes than
 * records.
 */
static double
best_theta(const SdcSuperpopulation *sample, double alpha)
{
	double low = 1;
	double high = 1;
	int i;

	while (slope_theta(sample, alpha, low) < 0)
		low /= 16;
	while (slope_theta(sample, alpha, high) > 0)
		high *= 16;
	for (i = 0; i < STEPS; i++)
	{
		double middle = sqrt(low) * sqrt(high);

		if (slope_theta(sample, alpha, middle) > 0)
			low = middle;
		else
			high = middle;
	}
	return sqrt(low) * sqrt(high);
}

/* The derivative by alpha. */
static double
slope_alpha(const SdcSuperpopulation *sample, double alpha, double above)
{
	double theta = above - alpha;
	double classes = sample->classes - 1;
	double sum;
	int32_t k;

	/* of i / (theta + i alpha) = (1 - theta / (theta + i alpha)) / alpha */
	if (alpha > 0)
		sum = (classes - theta * reciprocals(above, alpha, classes)) / alpha;
	else
		sum = classes * (classes + 1) / 2 / theta;
	for (k = 0; k < sample->n; k++)
		sum -= sample->sizes[k].classes *
			   reciprocals(1 - alpha, 1, sample->sizes[k].size - 1);
	return sum;
}

double
sdc_superpopulation_pitman_uniques(double alpha, double theta, double records)
{
	double above = theta + alpha;

	return records * exp(log_gamma_shift(above, 1 - alpha) -
						 log_gamma_shift(above + (records - 1), 1 - alpha));
}

SdcSuperpopulationEstimate
sdc_superpopulation_pitman(SdcHost *host, const SdcSuperpopulation *sample)
{
	SdcSuperpopulationEstimate estimate;
	double low = 0;
	double high = 1;
	double above;
	int i;

	host->stage(host, "estimating");
	if (sdc_superpopulation_settle(sample, &estimate))
		return estimate;
	above = best_theta(sample, 0);
	/* at 1 the slope is minus infinity, as some class has two records */
	if (slope_alpha(sample, 0, above) > 0)
		for (i = 0; i < STEPS; i++)
		{
			double middle = (low + high) / 2;

			host->poll(host, i, STEPS);
			above = best_theta(sample, middle);
			if (slope_alpha(sample, middle, above) > 0)
				low = middle;
			else
				high = middle;
		}
	estimate.alpha = low;
	above = best_theta(sample, low);
	estimate.theta = above - low;
	sdc_superpopulation_found(sample,
							  sdc_superpopulation_pitman_uniques(
								  low, above - low, sample->population),
							  &estimate);
	return estimate;
}
