/*
 * microaggregate.c
 *		The univariate partition against an independent dynamic programme.
 *
 * The oracle tries every group size with two-pass means in long double; it
 * shares no formula with the kernel.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/microaggregation/microaggregate.h"

static int
ascending(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x > y) - (x < y);
}

static long double
interval_error(const double *x, int first, int last)
{
	long double mean = 0;
	long double error = 0;
	int i;

	for (i = first; i < last; i++)
		mean += (long double) x[i] / (last - first);
	for (i = first; i < last; i++)
		error += (x[i] - mean) * (x[i] - mean);
	return error;
}

/* The least error of any partition into groups of at least k. */
static long double
least_error(const double *x, int n, int k)
{
	long double *cost = malloc(sizeof(long double) * (n + 1));
	long double result;
	int i;
	int j;

	cost[0] = 0;
	for (j = 1; j <= n; j++)
	{
		cost[j] = INFINITY;
		for (i = j - k; i >= 0 && j - i < 2 * k; i--)
		{
			long double total = cost[i] + interval_error(x, i, j);

			if (total < cost[j])
				cost[j] = total;
		}
	}
	result = cost[n];
	free(cost);
	return result;
}

/* The error of a masked column; -1 when a group is too small. */
static long double
masked_error(const double *x, const double *masked, int n, int k)
{
	long double error = 0;
	int first = 0;
	int i;

	for (i = 1; i <= n; i++)
	{
		if (i < n && masked[i] == masked[first])
			continue;
		if (i - first < k)
			return -1;
		first = i;
	}
	for (i = 0; i < n; i++)
		error += ((long double) x[i] - masked[i]) * (x[i] - masked[i]);
	return error;
}

static double
draw(SdcRandom *random, int shape)
{
	double z = sdc_random_normal(random);

	switch (shape)
	{
		case 0:
			return z;
		case 1:
			return exp(2 * z);
		case 2:
			return floor(3 * z);
		case 3:
			return 1e9 + z;
		case 4:
			return 7;
		default:
			return 1e300 * z;
	}
}

static void
check_case(SdcRandom *random, int shape, int n, int k)
{
	double x[400];
	double masked[400];
	long double least;
	long double error;
	long double scale;
	int i;

	for (i = 0; i < n; i++)
		x[i] = draw(random, shape);
	qsort(x, n, sizeof(double), ascending);
	sdc_microaggregate(unit_host(), SDC_MICROAGGREGATE_OPTIMAL, x, n, k,
					   masked);
	least = least_error(x, n, k);
	error = masked_error(x, masked, n, k);
	scale = interval_error(x, 0, n);
	unit_check(error >= 0 && error <= least + 1e-10L * scale + 1e-18L,
			   "shape %d n %d k %d: error %Lg, least %Lg", shape, n, k, error,
			   least);
}

static void
check_sorted_method(void)
{
	double x[] = {1, 2, 3, 10, 20, 30, 40};
	double want[] = {2, 2, 2, 25, 25, 25, 25};
	double masked[7];

	sdc_microaggregate(unit_host(), SDC_MICROAGGREGATE_SORTED, x, 7, 3,
					   masked);
	unit_check(memcmp(masked, want, sizeof(want)) == 0,
			   "sorted method: groups of 3 and 4");
}

/* 1 2 3 | 10 11 12 13: the gap decides, not the count. */
static void
check_by_hand(void)
{
	double x[] = {1, 2, 10, 11, 12, 30, 31};
	double want[] = {1.5, 1.5, 11, 11, 11, 30.5, 30.5};
	double masked[7];

	sdc_microaggregate(unit_host(), SDC_MICROAGGREGATE_OPTIMAL, x, 7, 2,
					   masked);
	unit_check(memcmp(masked, want, sizeof(want)) == 0,
			   "optimal method by hand");
}

int
main(void)
{
	static const int sizes[] = {2, 3, 8, 10, 64, 127, 128};
	SdcRandom random;
	int shape;
	int size;

	unit_start("microaggregate");
	sdc_random_seed(&random, 1, 0);
	for (shape = 0; shape < 6; shape++)
		for (size = 0; size < 7; size++)
		{
			int k = sizes[size];

			check_case(&random, shape, k, k);
			check_case(&random, shape, 2 * k - 1, k);
			check_case(&random, shape, 2 * k, k);
			check_case(&random, shape, 400, k);
		}
	check_sorted_method();
	check_by_hand();
	return unit_finish();
}
