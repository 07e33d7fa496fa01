/*
 * ordered_partition.c
 *		The best partition of an order of rows into runs.
 *
 * least[i] is the least cost of the first i rows.  For every end the run is
 * lengthened backwards, row by row, and its cost kept up to date with the
 * running mean (Welford 1962), which loses no digits to far offsets.
 */
#include "kernel/microaggregation/ordered_partition.h"

#include "kernel/geometry/principal_axes.h"
#include "kernel/base/sort.h"

#include <math.h>

/* Numbers read between two polls. */
#define POLL_NUMBERS (1 << 20)

/* Rows along the first principal component. */
static int32_t *
order_rows(SdcHost *host, const SdcPoints *points)
{
	int d = points->columns;
	size_t n = (size_t) points->rows;
	double *axes = sdc_new(host, double, (size_t) d *(size_t) d);
	uint64_t *key = sdc_new(host, uint64_t, n);
	int32_t *order = sdc_new(host, int32_t, n);
	int32_t row;
	int j;

	sdc_principal_axes(host, points, points->rows, axes);
	for (row = 0; row < points->rows; row++)
	{
		double along = 0;

		if (row % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		for (j = 0; j < d; j++)
			along += axes[j] * points->column[j][row];
		key[row] = sdc_sort_key(along);
		order[row] = row;
	}
	sdc_sort_keys(host, key, order, n);
	host->release(host, axes);
	host->release(host, key);
	return order;
}

/* Adds a row to a run of count rows: what it adds to the cost. */
static double
extend_run(const double *coordinates, int columns, int count, double *mean)
{
	double added = 0;
	int j;

	for (j = 0; j < columns; j++)
	{
		double difference = coordinates[j] - mean[j];

		mean[j] += difference / (count + 1);
		added += difference * (coordinates[j] - mean[j]);
	}
	return added;
}

/*
 * Finds the best last run of the first end rows; returns its length.  Rows lie
 * one after the other in value[].
 */
static int
best_run(const double *value, int columns, int32_t end, int k, double *least)
{
	double mean[SDC_MAX_COLUMNS] = {0};
	double cost = 0;
	int best = 0;
	int length;

	least[end] = INFINITY;
	for (length = 1; length <= 2 * k - 1 && length <= end; length++)
	{
		int32_t row = end - length;

		cost += extend_run(value + (size_t) row * (size_t) columns, columns,
						   length - 1, mean);
		if (length >= k && least[row] + cost < least[end])
		{
			least[end] = least[row] + cost;
			best = length;
		}
	}
	return best;
}

/* Labels the rows run by run, from the end of the order. */
static int32_t
label_runs(const int32_t *order, int32_t n, const int32_t *run, int32_t *group)
{
	int32_t groups = 0;
	int32_t end;
	int32_t i;

	for (end = n; end > 0; end -= run[end])
	{
		for (i = 1; i <= run[end]; i++)
			group[order[end - i]] = groups;
		groups++;
	}
	return groups;
}

int32_t
sdc_ordered_partition(SdcHost *host, const SdcPoints *points, int k,
					  int32_t *group)
{
	size_t n = (size_t) points->rows;
	size_t d = (size_t) points->columns;
	int32_t *order = order_rows(host, points);
	double *value = sdc_new(host, double, n *d);
	double *least = sdc_new(host, double, n + 1);
	int32_t *run = sdc_new(host, int32_t, n + 1);
	int64_t numbers = 0;
	int32_t groups;
	int32_t i;

	for (i = 0; i < points->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		sdc_points_get(points, order[i], value + (size_t) i * d);
		least[i] = INFINITY;
	}
	least[0] = 0;
	for (i = k; i <= points->rows; i++)
	{
		run[i] = best_run(value, points->columns, i, k, least);
		numbers += (int64_t) 2 * k * points->columns;
		if (numbers > POLL_NUMBERS)
		{
			numbers = 0;
			host->poll(host, (uint64_t) i, n);
		}
	}
	groups = label_runs(order, points->rows, run, group);
	host->release(host, order);
	host->release(host, value);
	host->release(host, least);
	host->release(host, run);
	return groups;
}
