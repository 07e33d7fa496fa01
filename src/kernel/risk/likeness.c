/*
 * likeness.c
 *		beta-likeness and delta-disclosure: relative gains of an intruder.
 *
 * p / q is n_s N / (n Q_s), and for one class it is largest and smallest where
 * n_s / Q_s is.  Fractions are compared by cross-multiplying.
 */
#include "kernel/risk/likeness.h"

#include <math.h>

/* libm: log and log2, in a measure, not in a mask. */

/* A relative error of -ln q that is accepted. */
#define TOLERANCE 1e-9

/* A value with its records in the class and in the table. */
typedef struct Fraction
{
	int64_t held;
	int64_t total;
} Fraction;

static Fraction
fraction(const SdcHistogram *histogram, const SdcTotals *totals, int32_t i)
{
	int32_t slot = sdc_histogram_slot(totals, histogram->code[i]);
	Fraction result = {histogram->count[i], totals->total[slot]};

	return result;
}

static bool
less(Fraction a, Fraction b)
{
	return (__int128) a.held * b.total < (__int128) b.held * a.total;
}

/* (p - q) / q */
static double
gain(Fraction value, const SdcHistogram *histogram, const SdcTotals *totals)
{
	__int128 before = (__int128) value.total * histogram->records;
	__int128 after = (__int128) value.held * totals->records;

	return (double) (after - before) / (double) before;
}

/* p / q */
static double
ratio(Fraction value, const SdcHistogram *histogram, const SdcTotals *totals)
{
	__int128 before = (__int128) value.total * histogram->records;
	__int128 after = (__int128) value.held * totals->records;

	return (double) after / (double) before;
}

/* The value whose share grows most (sign 1) or least (sign -1). */
static Fraction
extreme(const SdcHistogram *histogram, const SdcTotals *totals, int sign)
{
	Fraction best = fraction(histogram, totals, 0);
	int32_t i;

	for (i = 1; i < histogram->cells; i++)
	{
		Fraction other = fraction(histogram, totals, i);

		if (sign > 0 ? less(best, other) : less(other, best))
			best = other;
	}
	return best;
}

double
sdc_likeness_beta(const SdcHistogram *histogram, const SdcTotals *totals)
{
	if (histogram->cells == 0)
		return 0;
	return gain(extreme(histogram, totals, 1), histogram, totals);
}

double
sdc_likeness_enhanced(const SdcHistogram *histogram, const SdcTotals *totals)
{
	int32_t i;

	for (i = 0; i < histogram->cells; i++)
	{
		Fraction value = fraction(histogram, totals, i);
		double got = gain(value, histogram, totals);

		if (got > 0 &&
			got > log((double) totals->records / (double) value.total) *
					  (1 + TOLERANCE))
			return INFINITY;
	}
	return sdc_likeness_beta(histogram, totals);
}

double
sdc_likeness_delta(const SdcHistogram *histogram, const SdcTotals *totals)
{
	double most;
	double least;

	if (histogram->cells == 0)
		return 0;
	most = log2(ratio(extreme(histogram, totals, 1), histogram, totals));
	least = log2(ratio(extreme(histogram, totals, -1), histogram, totals));
	return fmax(fabs(most), fabs(least));
}
