/*
 * scale.c
 *		Mean and standard deviation of a column, to compare files by.
 *
 * Sums are taken over the sorted values, so that the order of the rows does
 * not show.  Multiplying by a power of 2 first changes no digit and keeps the
 * sums from overflowing.
 */
#include "kernel/geometry/scale.h"

#include <math.h>
#include <string.h>

#include "kernel/base/sort.h"

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
