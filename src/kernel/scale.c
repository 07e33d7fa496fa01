/*
 * scale.c
 *		Mean and standard deviation of a column, to compare files by.
 *
 * Sums are taken over the sorted values, so that the order of the rows does
 * not show.  Multiplying by a power of 2 first changes no digit and keeps the
 * sums from overflowing.
 */
#include "kernel/scale.h"

#include <math.h>
#include <string.h>

#include "kernel/sort.h"

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

SdcScale
sdc_scale_find(SdcHost *host, double *value, size_t n)
{
	SdcScale scale = {1, 1, 0, 0};
	double sum = 0;
	int exponent;
	size_t i;

	if (n < 2)
		return scale;
	sort_values(host, value, n);
	if (value[0] == value[n - 1])
		return scale;
	frexp(fmax(fabs(value[0]), fabs(value[n - 1])), &exponent);
	scale.first = ldexp(1.0, -exponent / 2);
	scale.second = ldexp(1.0, -exponent + exponent / 2);
	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		sum += value[i] * scale.first * scale.second;
	}
	scale.mean = sum / (double) n;
	sum = 0;
	for (i = 0; i < n; i++)
	{
		double shift = value[i] * scale.first * scale.second - scale.mean;

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		sum += shift * shift;
	}
	scale.deviation = sqrt(sum / (double) (n - 1));
	return scale;
}
