/*
 * exact_sum.c
 *		Sums of doubles without any rounding but that of the result.
 *
 * A sum is a list of doubles whose digits do not overlap.  A number is added to
 * the smallest first; what rounding takes from each step is exact and stays in
 * its place (Shewchuk 1997).  Products are split before (Dekker 1971).
 */
#include <math.h>

#include "kernel/base/exact_sum.h"

/* Splits a double into halves of 26 digits. */
#define HALF 134217729.0

void
sdc_exact_add(SdcExactSum *sum, double x)
{
	int parts = (int) sum->parts;
	int kept = 0;
	int i;

	if (parts < 0)
		return;
	for (i = 0; i < parts; i++)
	{
		double y = sum->part[i];
		double high = x + y;
		double low = fabs(x) < fabs(y) ? x - (high - y) : y - (high - x);

		if (low != 0)
			sum->part[kept++] = low;
		x = high;
	}
	/* there is always room but in a sum that somebody else made up */
	if (x != 0 && kept < SDC_EXACT_PARTS)
		sum->part[kept++] = x;
	sum->parts = isfinite(x) ? kept : -1;
}

bool
sdc_exact_valid(const SdcExactSum *sum)
{
	return sum->parts >= -1 && sum->parts <= SDC_EXACT_PARTS;
}

void
sdc_exact_merge(SdcExactSum *sum, const SdcExactSum *other)
{
	int i;

	if (other->parts < 0)
		sum->parts = -1;
	for (i = 0; i < (int) other->parts; i++)
		sdc_exact_add(sum, other->part[i]);
}

void
sdc_exact_add_product(SdcExactSum *sum, double x, double y)
{
	double product = x * y;
	double x_high = x * HALF - (x * HALF - x);
	double y_high = y * HALF - (y * HALF - y);
	double x_low = x - x_high;
	double y_low = y - y_high;
	double rest = x_high * y_high - product;

	rest = x_low * y_low + (x_low * y_high + (x_high * y_low + rest));
	sdc_exact_add(sum, product);
	if (isfinite(rest))
		sdc_exact_add(sum, rest);
	else
		sum->parts = -1;
}

/* The parts are added from the largest on until one no longer counts; a half
 * is rounded by the next one. */
double
sdc_exact_total(const SdcExactSum *sum)
{
	int left = (int) sum->parts;
	double total = 0;
	double rest = 0;

	if (left < 0)
		return INFINITY;
	while (left > 0 && rest == 0)
	{
		double before = total;

		left--;
		total = before + sum->part[left];
		rest = sum->part[left] - (total - before);
	}
	if (left > 0 && (rest < 0) == (sum->part[left - 1] < 0))
	{
		double twice = 2 * rest;
		double next = total + twice;

		if (next - total == twice)
			total = next;
	}
	return total;
}

double
sdc_exact_squares(double count, const SdcExactSum *first,
				  const SdcExactSum *second)
{
	SdcExactSum squares = {0};
	int i;
	int j;

	if (first->parts < 0 || second->parts < 0)
		return INFINITY;
	for (i = 0; i < (int) second->parts; i++)
		sdc_exact_add_product(&squares, count, second->part[i]);
	for (i = 0; i < (int) first->parts; i++)
		for (j = 0; j < (int) first->parts; j++)
			sdc_exact_add_product(&squares, -first->part[i], first->part[j]);
	return sdc_exact_total(&squares) / count;
}
