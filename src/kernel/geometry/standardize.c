/*
 * standardize.c
 *		Columns brought to a common scale without overflow.
 *
 * A column is first multiplied by a power of 2 that brings its largest
 * magnitude into [1/2, 1): that changes no digit, and afterwards neither the
 * sum nor the sum of squares can overflow.  The mean is corrected by the mean
 * of the deviations from it, which takes away the rounding of the first sum.
 */
#include "kernel/geometry/standardize.h"

#include <math.h>

int
sdc_standardize_exponent(SdcHost *host, const double *value, size_t n)
{
	double largest = 0;
	int exponent;
	size_t i;

	for (i = 0; i < n; i++)
	{
		double magnitude = fabs(value[i]);

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		largest = magnitude > largest ? magnitude : largest;
	}
	frexp(largest, &exponent);
	return exponent;
}

void
sdc_standardize_shift(SdcHost *host, double *value, size_t n, int exponent)
{
	/* In two steps, because 2^exponent itself may not be a double. */
	double first = ldexp(1.0, exponent / 2);
	double second = ldexp(1.0, exponent - exponent / 2);
	size_t i;

	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		value[i] = value[i] * first * second;
	}
}

/* Mean of the deviations from an origin. */
static double
mean_deviation(SdcHost *host, const double *value, size_t n, double origin)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		sum += value[i] - origin;
	}
	return sum / (double) n;
}

/* Square root of the sum of squared deviations over n - 1. */
static double
standard_deviation(SdcHost *host, const double *value, size_t n, double mean)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
	{
		double deviation = value[i] - mean;

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		sum += deviation * deviation;
	}
	return sqrt(sum / (double) (n - 1));
}

static bool
all_equal(SdcHost *host, const double *value, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (value[i] != value[0])
			return false;
	}
	return true;
}

bool
sdc_standardize_column(SdcHost *host, double *value, size_t n)
{
	double mean;
	double deviation;
	size_t i;

	if (all_equal(host, value, n))
		return false;
	sdc_standardize_shift(host, value, n,
						  -sdc_standardize_exponent(host, value, n));
	mean = mean_deviation(host, value, n, 0);
	mean += mean_deviation(host, value, n, mean);
	deviation = standard_deviation(host, value, n, mean);
	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		value[i] = (value[i] - mean) / deviation;
	}
	return true;
}
