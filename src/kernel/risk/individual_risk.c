/*
 * individual_risk.c
 *		Individual risk of a record of a sample, after Benedetti and Franconi.
 *
 * With q = 1 - p and x = q / p the expectation of 1/F is
 *
 *		r(f) = integral over 0..1 of v^(f-1) / (1 + x v) dv
 *			 = (p / f) * sum over k >= 0 of k! / ((f+1) ... (f+k)) * q^k,
 *
 * the integral of Benedetti and Franconi after v = p e^-t / (1 - q e^-t), and
 * 2F1(1, 1; f+1; q) after Pfaff's transformation.  All terms of the sum are
 * positive, so it loses no digits; it is fast unless f is small and q near 1.
 * There the integral gives r(1) = log(1+x) / x and r(f+1) = (1/f - r(f)) / x,
 * which shrinks errors for x > 1.
 */

/* libm: log1p and expm1; measures are no masks. */
#include "kernel/risk/individual_risk.h"

#include <math.h>

#include "kernel/base/sort.h"

/* Up to this f the recurrence, with x > 1, else the sum. */
#define RECURRENCE_UP_TO 16

/* r(f) by recurrence; x = (1 - p) / p > 1. */
static double
by_recurrence(int64_t f, double x)
{
	double risk = log1p(x) / x;
	int64_t i;

	for (i = 1; i < f; i++)
		risk = (1.0 / i - risk) / x;
	return risk;
}

/* The sum of k! / ((f+1) ... (f+k)) q^k. */
static double
hypergeometric_sum(double f, double q)
{
	double term = 1;
	double sum = 1;
	double k;

	for (k = 1; term > sum * 1e-18; k++)
	{
		term *= k / (f + k) * q;
		sum += term;
	}
	return sum;
}

double
sdc_individual_risk_expect(int64_t sample, double population,
						   SdcIndividualRiskMethod method)
{
	double f = sample;
	double p = f / population;
	/* not 1 - p, which loses the digits of a small difference */
	double q = (population - f) / population;
	double x = (population - f) / f;

	if (isnan(population))
		return population;
	if (population <= f)
		return 1 / f;
	if (isinf(population))
		return 0;
	if (method == SDC_INDIVIDUAL_RISK_APPROX && sample > 2)
		return p / (f - q);
	if (sample <= RECURRENCE_UP_TO && x > 1)
		return by_recurrence(sample, x);
	return p / f * hypergeometric_sum(f, q);
}

double
sdc_individual_risk_household(const double *risk, size_t n)
{
	double none = 0;
	size_t i;

	for (i = 0; i < n; i++)
		none += log1p(-risk[i]);
	/* no minus zero for no risk at all */
	return none == 0 ? 0 : -expm1(none);
}

double
sdc_individual_risk_threshold(SdcHost *host, const double *risk,
							  const int64_t *records, int32_t n, double target)
{
	uint64_t *keys = sdc_new(host, uint64_t, n);
	int32_t *order = sdc_new(host, int32_t, n);
	double above = 0; /* records whose risk is at least this one's */
	double below = 0; /* sum of the risks of the others */
	double threshold = n > 0 ? 0 : 1;
	double allowed;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		keys[i] = sdc_sort_key(risk[i]);
		order[i] = i;
		above += records[i];
	}
	allowed = target * above;
	sdc_sort_keys(host, keys, order, n);
	/* raise the threshold from risk to risk until the mean meets the target */
	for (i = 0; i < n; i++)
	{
		double next = risk[order[i]];

		if (below + above * next > allowed)
		{
			threshold = (allowed - below) / above;
			break;
		}
		threshold = next;
		below += records[order[i]] * next;
		above -= records[order[i]];
	}
	host->release(host, order);
	host->release(host, keys);
	return threshold;
}
