/*
 * exact_sum.c
 *		Exact sums against whole numbers of 128 bits, in any order and parts.
 *
 * Numbers are whole multiples of a power of two, so that the oracle adds
 * integers.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/linear/moments.h"

#define ROWS 500

typedef __int128 Wide;

/* The double nearest to a whole number, halves to the even one. */
static double
round_wide(Wide x)
{
	unsigned __int128 rest =
		x < 0 ? -(unsigned __int128) x : (unsigned __int128) x;
	int exponent = 0;
	double result;

	while (rest >> 55 != 0)
	{
		/* the last bit says whether anything was dropped */
		rest = rest >> 1 | (rest & 1);
		exponent++;
	}
	result = ldexp((double) (uint64_t) rest, exponent);
	return x < 0 ? -result : result;
}

static void
shuffle(SdcRandom *random, double *x, int n)
{
	int i;

	for (i = n - 1; i > 0; i--)
	{
		int other = (int) sdc_random_below(random, (uint64_t) i + 1);
		double value = x[i];

		x[i] = x[other];
		x[other] = value;
	}
}

static double
add_parts(const double *x, int n, int cut)
{
	SdcExactSum sum = {0};
	SdcExactSum other = {0};
	int i;

	for (i = 0; i < n; i++)
		sdc_exact_add(i < cut ? &sum : &other, x[i]);
	sdc_exact_merge(&sum, &other);
	return sdc_exact_total(&sum);
}

/* Numbers of very different size, in some orders, cut somewhere. */
static void
test_sums(uint64_t seed)
{
	double x[ROWS];
	Wide wide = 0;
	SdcRandom random;
	double expected;
	int i;

	sdc_random_seed(&random, seed, 1);
	for (i = 0; i < ROWS; i++)
	{
		int64_t whole = (int64_t) sdc_random_below(&random, 1 << 20) - 524288;
		int shift = (int) sdc_random_below(&random, 90);

		wide += (Wide) whole * ((Wide) 1 << shift);
		x[i] = ldexp((double) whole, shift);
	}
	expected = round_wide(wide);
	for (i = 0; i < 20; i++)
	{
		shuffle(&random, x, ROWS);
		unit_check(add_parts(x, ROWS, (int) sdc_random_below(&random, ROWS)) ==
					   expected,
				   "seed %d, order %d", (int) seed, i);
	}
}

/* Squares of whole numbers, far from zero and near. */
static void
test_squares(uint64_t seed, int64_t base, int64_t width)
{
	SdcExactSum first = {0};
	SdcExactSum second = {0};
	Wide sum = 0;
	Wide squares = 0;
	SdcRandom random;
	double expected;
	double found;
	int i;

	sdc_random_seed(&random, seed, 2);
	for (i = 0; i < ROWS; i++)
	{
		int64_t x = base + (int64_t) sdc_random_below(&random, width);

		/* the spread does not depend on the base */
		sum += x - base;
		squares += (Wide) (x - base) * (x - base);
		sdc_exact_add(&first, (double) x);
		sdc_exact_add_product(&second, (double) x, (double) x);
	}
	expected = round_wide(ROWS * squares - sum * sum) / ROWS;
	found = sdc_exact_squares(ROWS, &first, &second);
	unit_check(found == expected, "squares: %.17g, %.17g", found, expected);
}

static void
test_edges(void)
{
	SdcExactSum sum = {0};
	SdcExactSum square = {0};
	int i;

	unit_check(sdc_exact_total(&sum) == 0, "nothing is 0");
	for (i = 0; i < 10; i++)
		sdc_exact_add(&sum, 0.1);
	unit_check(sdc_exact_total(&sum) == 1, "ten tenths are 1");
	for (i = 0; i < 10; i++)
		sdc_exact_add(&sum, -0.1);
	unit_check(sdc_exact_total(&sum) == 0 && sum.parts == 0, "and 0 again");
	for (i = -1074; i < 1024; i += 3)
		sdc_exact_add(&sum, ldexp(1, i));
	for (i = 1021; i >= -1074; i -= 3)
		if ((i + 1074) % 3 == 0)
			sdc_exact_add(&sum, -ldexp(1, i));
	unit_check(sum.parts <= SDC_EXACT_PARTS, "all digits have room");
	memset(&sum, 0, sizeof(sum));
	for (i = 0; i < 3; i++)
	{
		sdc_exact_add(&sum, 1234.56789);
		sdc_exact_add_product(&square, 1234.56789, 1234.56789);
	}
	unit_check(sdc_exact_squares(3, &sum, &square) == 0, "constant: 0");
	sdc_exact_add(&sum, 1.7e308);
	sdc_exact_add(&sum, 1.7e308);
	unit_check(isinf(sdc_exact_total(&sum)), "overflow");
	sdc_exact_add_product(&square, 1e300, 1e300);
	unit_check(isinf(sdc_exact_total(&square)), "overflow of a product");
}

int
main(void)
{
	uint64_t seed;

	unit_start("exact_sum");
	for (seed = 1; seed <= 20; seed++)
	{
		test_sums(seed);
		test_squares(seed, 0, 1000);
		test_squares(seed, (int64_t) 1 << 40, 1 << 20);
		test_squares(seed, ((int64_t) 1 << 52) - 100000, 3);
	}
	test_edges();
	return unit_finish();
}
