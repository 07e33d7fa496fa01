/*
 * likeness.c
 *		beta-likeness and delta-disclosure against their definitions.
 */
#include "unit.h"

#include <math.h>

#include "class_data.h"
#include "kernel/base/random.h"
#include "kernel/risk/class_measures.c"

#define ROUNDS 20000

static bool
close_to(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

/* The three figures, value by value in long double. */
static void
brute(const ClassData *data, double *beta, double *enhanced, double *delta)
{
	long double gain = 0;
	long double largest = 0;
	bool possible = true;
	int slot;

	for (slot = 0; slot <= data->totals.values; slot++)
	{
		long double p =
			(long double) data->held[slot] / data->histogram.records;
		long double q = (long double) data->total[slot] / data->totals.records;

		if (data->held[slot] == 0)
			continue;
		gain = fmaxl(gain, (p - q) / q);
		largest = fmaxl(largest, fabsl(log2l(p / q)));
		possible = possible && (p - q) / q <= -logl(q) + 1e-12L;
	}
	*beta = (double) gain;
	*enhanced = possible ? (double) gain : INFINITY;
	*delta = (double) largest;
}

static void
check_random(int64_t top)
{
	bool same[3] = {true, true, true};
	int infinite = 0;
	SdcRandom random;
	int round;

	sdc_random_seed(&random, 34, (uint64_t) top);
	for (round = 0; round < ROUNDS; round++)
	{
		ClassData data;
		double beta;
		double enhanced;
		double delta;
		double got;

		class_data_draw(&data, &random, CLASS_VALUES, top);
		brute(&data, &beta, &enhanced, &delta);
		got = sdc_likeness_enhanced(&data.histogram, &data.totals);
		infinite += isinf(got);
		same[0] =
			same[0] && fabs(sdc_likeness_beta(&data.histogram, &data.totals) -
							beta) <= 1e-12 * (1 + beta);
		same[1] = same[1] &&
				  (isinf(enhanced) ? isinf(got)
								   : fabs(got - beta) <= 1e-12 * (1 + beta));
		same[2] =
			same[2] && fabs(sdc_likeness_delta(&data.histogram, &data.totals) -
							delta) <= 1e-12 * (1 + delta);
	}
	unit_check(same[0], "counts up to %lld: basic beta", (long long) top);
	unit_check(same[1] && infinite > 0 && infinite < ROUNDS,
			   "counts up to %lld: enhanced beta, %d times infinite",
			   (long long) top, infinite);
	unit_check(same[2], "counts up to %lld: delta", (long long) top);
}

int
main(void)
{
	/* 1 of 10 in the table, 1 of 5 and 4 of 5 in the class */
	ClassData data = {.held = {1, 4}, .total = {1, 9}};
	ClassData none = {.total = {1, 9}};

	unit_start("likeness");
	class_data_index(&data, 2);
	unit_check(sdc_likeness_beta(&data.histogram, &data.totals) == 1,
			   "a share that doubles: beta 1");
	unit_check(sdc_likeness_enhanced(&data.histogram, &data.totals) == 1,
			   "1 is below ln 10: enhanced too");
	unit_check(sdc_likeness_delta(&data.histogram, &data.totals) == 1,
			   "a share that doubles: delta 1");
	data.held[1] = 0;
	class_data_index(&data, 2);
	unit_check(sdc_likeness_beta(&data.histogram, &data.totals) == 9 &&
				   isinf(sdc_likeness_enhanced(&data.histogram, &data.totals)),
			   "a rare value alone: beta 9, enhanced none");
	unit_check(
		close_to(sdc_likeness_delta(&data.histogram, &data.totals), log2(10)),
		"delta log2(10); the value that is gone does not count");
	class_data_index(&none, 2);
	unit_check(sdc_likeness_beta(&none.histogram, &none.totals) == 0 &&
				   sdc_likeness_enhanced(&none.histogram, &none.totals) == 0 &&
				   sdc_likeness_delta(&none.histogram, &none.totals) == 0,
			   "no records");
	check_random(4);
	check_random(1000);
	check_random(INT64_C(1000000000));
	return unit_finish();
}
