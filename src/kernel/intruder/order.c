/*
 * order.c
 *		An order of rows by several keys, and whether a column follows one.
 *
 * Persons who are numbered by name, or by district and then by name, get
 * numbers that say nothing of any one key in a line or a curve, but rise in
 * one order of the rows.  The order is found key by key: the first one is that
 * which goes with the column best, and the next what goes with it best among
 * those that are alike so far.
 */
#include "kernel/intruder/order.h"

#include <math.h>
#include <string.h>

#include "kernel/base/sort.h"

/* A further key must leave less than this of what is not explained. */
#define LEAST_LEFT 0.7

typedef struct Sorting
{
	const double *const *key;
	const SdcOrder *order;
} Sorting;

static int
compare_numbers(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a > b) - (a < b);
}

static int
compare_rows(int32_t a, int32_t b, void *arg)
{
	const Sorting *sorting = arg;
	const SdcOrder *order = sorting->order;
	int sign = 0;
	int k;

	for (k = 0; k < order->keys && sign == 0; k++)
	{
		const double *key = sorting->key[order->key[k]];

		sign = compare_numbers(key[a], key[b]);
		sign = order->descending[k] ? -sign : sign;
	}
	return sign;
}

void
sdc_order_places(SdcHost *host, const double *const *key,
				 const SdcOrder *order, int32_t n, double *place)
{
	Sorting sorting = {key, order};
	int32_t *row = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t first;
	int32_t end;
	int32_t i;

	for (i = 0; i < n; i++)
		row[i] = i;
	sdc_sort_rows(host, row, (size_t) n, compare_rows, &sorting);
	for (first = 0; first < n; first = end)
	{
		for (end = first + 1;
			 end < n && compare_rows(row[first], row[end], &sorting) == 0;
			 end++)
			;
		for (i = first; i < end; i++)
			place[row[i]] = ((double) first + end - 1) / 2;
	}
	host->release(host, row);
}

/* The correlation of two columns of places, both of mean (n - 1) / 2. */
static double
correlation(const double *a, const double *b, int32_t n)
{
	double mean = (n - 1) / 2.0;
	double both = 0;
	double square_a = 0;
	double square_b = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		both += (a[i] - mean) * (b[i] - mean);
		square_a += (a[i] - mean) * (a[i] - mean);
		square_b += (b[i] - mean) * (b[i] - mean);
	}
	return square_a > 0 && square_b > 0 ? both / sqrt(square_a * square_b) : 0;
}

/* Adds the key by which the order goes with the column best; returns how well
 * it does then. */
static double
add_key(SdcHost *host, const double *const *key, int keys,
		const double *wanted, int32_t n, double *place, SdcOrder *order)
{
	int at = order->keys++;
	SdcOrder best = *order;
	double most = -1;
	int sign;
	int k;

	for (k = 0; k < keys; k++)
		for (sign = 0; sign < 2; sign++)
		{
			double r;

			order->key[at] = k;
			order->descending[at] = sign > 0;
			sdc_order_places(host, key, order, n, place);
			r = correlation(place, wanted, n);
			if (r > most)
			{
				most = r;
				best = *order;
			}
		}
	*order = best;
	return most;
}

double
sdc_order_find(SdcHost *host, const double *const *key, int keys,
			   const double *column, int32_t n, SdcOrder *order)
{
	const SdcOrder itself = {1, {0}, {false}};
	double *place = sdc_new(host, double, (size_t) n + 1);
	double *wanted = sdc_new(host, double, (size_t) n + 1);
	double explained = 0;

	sdc_order_places(host, &column, &itself, n, wanted);
	memset(order, 0, sizeof(*order));
	while (order->keys < SDC_ORDER_KEYS && keys > 0 && explained < 1)
	{
		SdcOrder more = *order;
		double now = add_key(host, key, keys, wanted, n, place, &more);

		if (!(1 - now < LEAST_LEFT * (1 - explained)))
			break;
		*order = more;
		explained = now;
	}
	host->release(host, place);
	host->release(host, wanted);
	return explained;
}
