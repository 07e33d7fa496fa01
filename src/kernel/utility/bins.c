/*
 * bins.c
 *		Intervals of numbers with about equally many values each.
 *
 * A cut is a value that occurs: the one whose rank a new interval begins at.
 * Ranks that fall on one value give one cut.
 */
#include "kernel/utility/bins.h"

#include <math.h>

#include "kernel/base/sort.h"

/* Cuts between all different values; more than most is too many. */
static int32_t
cut_all(const double *x, size_t rows, int32_t most, double *cut)
{
	int32_t cuts = 0;
	size_t i;

	for (i = 1; i < rows; i++)
		if (x[i] > x[i - 1])
		{
			if (cuts == most)
				return most + 1;
			cut[cuts++] = x[i];
		}
	return cuts;
}

int32_t
sdc_bins_cut(const double *x, size_t rows, int32_t bins, double *cut)
{
	int32_t cuts = cut_all(x, rows, bins - 1, cut);
	int32_t b;

	if (cuts < bins)
		return cuts;
	cuts = 0;
	for (b = 1; b < bins; b++)
	{
		double value = x[(size_t) ((double) rows * b / bins)];

		if (value > (cuts > 0 ? cut[cuts - 1] : x[0]))
			cut[cuts++] = value;
	}
	return cuts;
}

size_t
sdc_bins_up_to(const double *sorted, size_t n, double x)
{
	size_t low = 0;

	while (low < n)
	{
		size_t middle = low + (n - low) / 2;

		if (sorted[middle] <= x)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

size_t
sdc_bins_below(const double *sorted, size_t n, double x)
{
	size_t low = 0;

	while (low < n)
	{
		size_t middle = low + (n - low) / 2;

		if (sorted[middle] < x)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

int32_t
sdc_bins_find(const double *cut, int32_t cuts, double x)
{
	return (int32_t) sdc_bins_up_to(cut, (size_t) cuts, x);
}

double *
sdc_bins_sort(SdcHost *host, const double *x, size_t rows, size_t *count)
{
	uint64_t *key = sdc_new(host, uint64_t, rows);
	int32_t *row = sdc_new(host, int32_t, rows);
	double *sorted = sdc_new(host, double, rows);
	size_t n = 0;
	size_t i;

	for (i = 0; i < rows; i++)
		if (!isnan(x[i]))
		{
			key[n] = sdc_sort_key(x[i]);
			row[n++] = (int32_t) i;
		}
	sdc_sort_keys(host, key, row, n);
	for (i = 0; i < n; i++)
		sorted[i] = x[row[i]];
	host->release(host, key);
	host->release(host, row);
	*count = n;
	return sorted;
}
