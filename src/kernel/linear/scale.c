/*
 * scale.c
 *		Mean and standard deviation of a column, to compare files by.
 *
 * Sums are taken over the sorted values, so that the order of the rows does
 * not show.  Multiplying by a power of 2 first changes no digit and keeps the
 * sums from overflowing.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/linear/scale.h"

/* ----------------------------------------------------------------------
 * Mean and standard deviation of a column, to compare files by.
 *
 * Sums are taken over the sorted values, so that the order of the rows does
 * not show.  Multiplying by a power of 2 first changes no digit and keeps the
 * sums from overflowing.
 * ----------------------------------------------------------------------
 */

/* Puts the values in ascending order. */
static void
sort_values(SdcHost *host, double *value, size_t n)
{
	uint64_t *keys = sdc_new(host, uint64_t, n);
	int32_t *rows = sdc_new(host, int32_t, n);
	double *sorted = sdc_new(host, double, n);
	size_t i;

	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		keys[i] = sdc_sort_key(value[i]);
		rows[i] = (int32_t) i;
	}
	sdc_sort_keys(host, keys, rows, n);
	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		sorted[i] = value[rows[i]];
	}
	memcpy(value, sorted, n * sizeof(*value));
	host->release(host, sorted);
	host->release(host, rows);
	host->release(host, keys);
}

/*
 * Sum of the deviations of the multiplied values from the mean so far, or of
 * their squares, over the divisor.
 */
static double
mean_deviation(SdcHost *host, const double *value, size_t n,
			   const SdcScale *scale, bool squared, size_t divisor)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
	{
		double shift = value[i] * scale->first * scale->second - scale->mean;

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		sum += squared ? shift * shift : shift;
	}
	return sum / (double) divisor;
}

SdcScale
sdc_scale_find(SdcHost *host, double *value, size_t n)
{
	SdcScale scale = {1, 1, 0, 0};
	int exponent;

	if (n < 2)
		return scale;
	sort_values(host, value, n);
	if (value[0] == value[n - 1])
		return scale;
	frexp(fmax(fabs(value[0]), fabs(value[n - 1])), &exponent);
	scale.first = ldexp(1.0, -exponent / 2);
	scale.second = ldexp(1.0, -exponent + exponent / 2);
	/* the second time takes away the rounding of the first sum */
	scale.mean += mean_deviation(host, value, n, &scale, false, n);
	scale.mean += mean_deviation(host, value, n, &scale, false, n);
	scale.deviation =
		sqrt(mean_deviation(host, value, n, &scale, true, n - 1));
	return scale;
}

/* ----------------------------------------------------------------------
 * Columns brought to a common scale without overflow.
 *
 * A column is first multiplied by a power of 2 that brings its largest
 * magnitude into [1/2, 1): that changes no digit, and afterwards neither the
 * sum nor the sum of squares can overflow.  The mean is corrected by the mean
 * of the deviations from it, which takes away the rounding of the first sum.
 * ----------------------------------------------------------------------
 */

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
standardize_mean_deviation(SdcHost *host, const double *value, size_t n,
						   double origin)
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
	mean = standardize_mean_deviation(host, value, n, 0);
	mean += standardize_mean_deviation(host, value, n, mean);
	deviation = standard_deviation(host, value, n, mean);
	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		value[i] = (value[i] - mean) / deviation;
	}
	return true;
}
