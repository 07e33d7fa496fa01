/*
 * dp_sum.c
 *		Clipped sums: exact, free of order, no more sensitive than they say.
 */
#include "unit.h"

#include <float.h>

#include "dp_stream.h"
#include "kernel/base/random.h"
#include "kernel/privacy/dp_moments.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/strong_bits.h"

/* The sum before noise of values in a given order. */
static SdcInt128
total_of(const double *value, int count, double lower, double upper,
		 double epsilon)
{
	SdcDpSum sum;
	int i;

	if (!sdc_dp_sum_start(&sum, lower, upper, SDC_NEIGHBOURS_ADD_REMOVE,
						  epsilon))
		return -1;
	for (i = 0; i < count; i++)
		sdc_dp_sum_add(&sum, value[i]);
	return sum.total;
}

static void
swap(double *a, double *b)
{
	double kept = *a;

	*a = *b;
	*b = kept;
}

static void
check_order(void)
{
	double cancelling[3] = {1e16, 1, -1e16};
	double value[1000];
	SdcInt128 total;
	SdcInt128 parts[4] = {0};
	SdcRandom random;
	bool same = true;
	int i;
	int round;

	total = total_of(cancelling, 3, -1e16, 1e16, 1);
	for (i = 0; i < 6; i++)
	{
		swap(&cancelling[i % 2], &cancelling[i % 2 + 1]);
		same = same && total_of(cancelling, 3, -1e16, 1e16, 1) == total;
	}
	/* the grid is near 1e16 * 2^-40, so the 1 is rounded off */
	unit_check(same && total == 0, "{1e16, 1, -1e16} in all orders");
	sdc_random_seed(&random, 1, 0);
	for (i = 0; i < 1000; i++)
		value[i] = ldexp(sdc_random_unit(&random) - 0.5, i % 60 - 30);
	total = total_of(value, 1000, -1e8, 1e8, 0.1);
	for (round = 0; round < 20; round++)
	{
		for (i = 999; i > 0; i--)
			swap(&value[i], &value[sdc_random_below(&random, i + 1)]);
		same = same && total_of(value, 1000, -1e8, 1e8, 0.1) == total;
	}
	unit_check(same, "1000 values in 20 orders");
	for (i = 0; i < 4; i++)
		parts[i] = total_of(value + 250 * i, 250, -1e8, 1e8, 0.1);
	unit_check(parts[3] + parts[1] + parts[0] + parts[2] == total,
			   "four workers sum to the same");
}

/* On a grid that holds the values, the sum is the sum. */
static void
check_value(void)
{
	const double value[] = {1.5, -2.25, 1e300, -INFINITY, NAN, 0.125, -0.0};
	SdcDpSum sum;
	int i;

	unit_check(sdc_dp_sum_start(&sum, -4, 10, SDC_NEIGHBOURS_ADD_REMOVE, 1),
			   "bounds");
	for (i = 0; i < 7; i++)
		sdc_dp_sum_add(&sum, value[i]);
	unit_check(ldexp((double) sum.total, sum.exponent) == 5.375,
			   "clipped, NaN left out");
	unit_check(sum.noise.numerator ==
				   (UINT64_C(10) << -sum.exponent >> sum.noise.shift),
			   "scale 10 / 1");
}

/* Noise scale over step of the grid: at least 2^40, unless steps run out. */
static void
check_bounds(void)
{
	const double bound[] = {4.9e-324,  1e-300, 1e-5,  1,
							12345.678, 1e16,   1e300, 1.7e308};
	const double epsilon[] = {0x1p-30, 1e-3, 1, 1024};
	bool good = true;
	int b;
	int e;

	for (b = 0; b < 8; b++)
		for (e = 0; e < 4; e++)
		{
			SdcDpSum sum;
			double scale;

			good = good &&
				   sdc_dp_sum_start(&sum, -bound[b] / 3, bound[b],
									SDC_NEIGHBOURS_ADD_REMOVE, epsilon[e]);
			scale = (double) sum.noise.numerator;
			good =
				good &&
				(sum.exponent == -1074 ||
				 (sum.noise.shift == 0 && scale >= 0x1p40 && scale <= 0x1p42));
			sdc_dp_sum_add(&sum, INFINITY);
			sdc_dp_sum_add(&sum, bound[b] / 2);
			good = good && sum.total >= sum.most &&
				   sum.total <= 2 * (SdcInt128) sum.most;
		}
	unit_check(good, "bounds from 4.9e-324 to 1.7e308, all epsilons");
}

/* All neighbours of small tables, on the grid: no more than the noise. */
static void
check_sensitivity(void)
{
	const double value[] = {-INFINITY, -3, -0.7, 0, 1e-9, 2.3, 7.1, 1e9};
	const double bounds[][2] = {{-3, 7}, {2, 7}, {-9, -1}, {5, 5}, {0, 0}};
	bool kept = true;
	int b;
	int i;
	int j;

	for (b = 0; b < 5; b++)
	{
		SdcDpSum added;
		SdcDpSum replaced;
		SdcInt128 most = 0;
		SdcInt128 swapped = 0;

		sdc_dp_sum_start(&added, bounds[b][0], bounds[b][1],
						 SDC_NEIGHBOURS_ADD_REMOVE, 1);
		sdc_dp_sum_start(&replaced, bounds[b][0], bounds[b][1],
						 SDC_NEIGHBOURS_REPLACE, 1);
		for (i = 0; i < 8; i++)
			for (j = 0; j < 9; j++)
			{
				SdcInt128 one =
					total_of(&value[i], 1, bounds[b][0], bounds[b][1], 1);
				SdcInt128 two = j == 8 ? 0
									   : total_of(&value[j], 1, bounds[b][0],
												  bounds[b][1], 1);
				SdcInt128 apart = one > two ? one - two : two - one;

				swapped = apart > swapped ? apart : swapped;
				if (j == 8)
					most = apart > most ? apart : most;
			}
		/* epsilon 1: the scale of the noise is the sensitivity */
		kept = kept && most == added.noise.numerator >> added.noise.shift;
		sdc_dp_sum_add(&replaced, 1);
		if (replaced.exponent == added.exponent)
			kept = kept &&
				   swapped == replaced.noise.numerator >> replaced.noise.shift;
		else
			kept = kept && ldexp((double) swapped, added.exponent) <=
							   ldexp((double) replaced.noise.numerator,
									 replaced.exponent);
	}
	unit_check(kept, "no neighbour differs by more than the sensitivity");
}

static void
check_integers(SdcStrongBits *bits)
{
	const int64_t big = INT64_C(1) << 62;
	SdcDpSum sum;
	int i;

	unit_check(sdc_dp_sum_start_integer(&sum, 0, big,
										SDC_NEIGHBOURS_ADD_REMOVE, 1024),
			   "integers up to 2^62");
	for (i = 0; i < 10; i++)
		sdc_dp_sum_add_integer(&sum, big);
	unit_check(sum.total == (SdcInt128) 10 << 62, "10 of 2^62 do not wrap");
	unit_check(
		!sdc_dp_sum_start_integer(&sum, 0, big, SDC_NEIGHBOURS_ADD_REMOVE, 1),
		"noise of 2^62 is refused");
	unit_check(sdc_dp_sum_start_integer(&sum, INT64_MIN, INT64_MAX,
										SDC_NEIGHBOURS_REPLACE, 1024),
			   "all integers");
	sdc_dp_sum_start_integer(&sum, -1, 1, SDC_NEIGHBOURS_ADD_REMOVE, 1024);
	for (i = 0; i < 100; i++)
		sdc_dp_sum_add_integer(&sum, i - 3);
	unit_check(sdc_dp_sum_release_integer(&sum, bits) == 93,
			   "epsilon 1024: the noise is zero");
}

/* Pairs of neighbours whose sums are furthest apart, over many releases. */
static double
audit(SdcStrongBits *bits, const SdcDpSum *a, const SdcDpSum *b)
{
	const int draws = 1000000;
	double seen[2][64] = {{0}};
	double most = 0;
	int cell;
	int i;

	for (i = 0; i < draws; i++)
	{
		SdcInt128 x = sdc_dp_sum_release_integer(a, bits) + 32;
		SdcInt128 y = sdc_dp_sum_release_integer(b, bits) + 32;

		seen[0][x < 0 ? 0 : x > 63 ? 63 : x]++;
		seen[1][y < 0 ? 0 : y > 63 ? 63 : y]++;
	}
	for (cell = 0; cell < 64; cell++)
	{
		double p = seen[0][cell];
		double q = seen[1][cell];

		/* lower bound on the log ratio, once in a million for one cell */
		if (p > 1000 && q > 1000)
			most = fmax(most, fabs(log(p / q)) - SIGMAS * sqrt(1 / p + 1 / q));
	}
	return most;
}

static void
check_audit(SdcStrongBits *bits)
{
	SdcDpSum a;
	SdcDpSum b;
	double epsilon;

	sdc_dp_sum_start_integer(&a, 0, 3, SDC_NEIGHBOURS_ADD_REMOVE, 1);
	b = a;
	sdc_dp_sum_add_integer(&b, 3);
	epsilon = audit(bits, &a, &b);
	unit_check(epsilon < 1 && epsilon > 0.9,
			   "audit: a sum costs at least %.3f of epsilon 1", epsilon);
	/* the twin takes the bounds for -3 .. 3 but the noise of 0 .. 3 */
	sdc_dp_sum_start_integer(&a, -3, 3, SDC_NEIGHBOURS_ADD_REMOVE, 1);
	b = a;
	sdc_dp_sum_add_integer(&a, -3);
	sdc_dp_sum_add_integer(&b, 3);
	epsilon = audit(bits, &a, &b);
	unit_check(epsilon > 1.5, "twin: a replaced value as an added one: %.3f",
			   epsilon);
	sdc_dp_sum_start_integer(&a, -3, 3, SDC_NEIGHBOURS_REPLACE, 1);
	b = a;
	sdc_dp_sum_add_integer(&a, -3);
	sdc_dp_sum_add_integer(&b, 3);
	epsilon = audit(bits, &a, &b);
	unit_check(epsilon < 1 && epsilon > 0.9, "audit: replaced: %.3f", epsilon);
}

/* Sums of parts, added up, are the sum of all. */
static void
check_merge(void)
{
	SdcDpSum whole;
	SdcDpSum part[3];
	int i;

	sdc_dp_sum_start(&whole, -5, 9, SDC_NEIGHBOURS_ADD_REMOVE, 0.7);
	for (i = 0; i < 3; i++)
		part[i] = whole;
	for (i = 0; i < 1000; i++)
	{
		double value = 0.37 * (i % 41) - 6;

		sdc_dp_sum_add(&whole, value);
		sdc_dp_sum_add(&part[i % 7 % 3], value);
	}
	sdc_dp_sum_merge(&part[2], &part[0]);
	sdc_dp_sum_merge(&part[2], &part[1]);
	unit_check(part[2].total == whole.total, "parts add up to the whole");
}

int
main(void)
{
	SdcStrongBits bits;
	SdcDpSum sum;

	unit_start("dp_sum");
	dp_stream(&bits, 8);
	check_order();
	check_merge();
	check_value();
	check_bounds();
	check_sensitivity();
	check_integers(&bits);
	check_audit(&bits);
	unit_check(
		!sdc_dp_sum_start(&sum, -1e308, 1e308, SDC_NEIGHBOURS_REPLACE, 1),
		"a width beyond all doubles is refused");
	unit_check(sdc_dp_sum_start(&sum, 0, 0, SDC_NEIGHBOURS_REPLACE, 1) &&
				   sdc_dp_sum_release(&sum, &bits) == 0,
			   "bounds 0 and 0: the sum is 0");
	sdc_dp_sum_start(&sum, -DBL_MAX, DBL_MAX, SDC_NEIGHBOURS_ADD_REMOVE, 1);
	sdc_dp_sum_add(&sum, DBL_MAX);
	unit_check(isfinite(sdc_dp_sum_release(&sum, &bits)), "always finite");
	return unit_finish();
}
