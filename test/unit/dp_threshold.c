/*
 * dp_threshold.c
 *		The threshold against the exact tail, by sums and by drawn noise; and
 *		the fair choice of some items.
 */
#include "unit.h"

#include "dp_stream.h"
#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/strong_bits.h"

/* P(Y >= t), term by term. */
static double
tail(double epsilon, int64_t t)
{
	double r = exp(-epsilon);
	double sum = 0;
	int64_t y;

	for (y = t + 10000; y >= t; y--)
		sum += (1 - r) / (1 + r) * pow(r, fabs((double) y));
	return sum;
}

static void
check_tail(void)
{
	static const double epsilon[] = {0.01, 0.1, 0.5, 1, 2, 8};
	static const double delta[] = {0.3, 0.05, 1e-3, 1e-6, 1e-9};
	int kept = 0;
	int least = 0;
	size_t i;
	size_t j;

	for (i = 0; i < 6; i++)
		for (j = 0; j < 5; j++)
		{
			int64_t t = sdc_dp_threshold_count(1, epsilon[i], delta[j]);

			kept += tail(epsilon[i], t - 1) <= delta[j] * (1 + 1e-9);
			least += t == 2 || tail(epsilon[i], t - 2) > delta[j] * (1 - 1e-9);
		}
	unit_check(kept == 30, "a group of one unit is named with at most delta");
	unit_check(least == 30, "no lower threshold would do");
	unit_check(sdc_dp_threshold_count(1, 1, 1e-6) == 15,
			   "epsilon 1, delta 1e-6: 15");
	unit_check(sdc_dp_threshold_count(7, 1, 1e-6) == 21,
			   "seven rows of a unit: 21");
	unit_check(fabs(sdc_dp_threshold_share(0.19, 2) - 0.1) < 1e-9,
			   "two groups share delta 0.19 as 0.1 each");
	unit_check(sdc_dp_threshold_share(1e-12, 5) <= 1e-12 / 5 * (1 + 1e-9),
			   "a small delta is shared without loss of digits");
}

static void
check_draws(void)
{
	SdcStrongBits bits;
	SdcDiscreteLaplace scale;
	int64_t t = sdc_dp_threshold_count(1, 0.5, 0.05);
	double expected = tail(0.5, t - 1) * 200000;
	long named = 0;
	long i;

	dp_stream(&bits, 11);
	sdc_discrete_laplace_scale(1, 1, 0.5, &scale);
	for (i = 0; i < 200000; i++)
		named += 1 + sdc_discrete_laplace_draw(&bits, &scale) >= t;
	unit_check(named <= 0.05 * 200000,
			   "of 200000 groups of one unit at most 5 %% are named: %ld",
			   named);
	unit_check(fabs(named - expected) < SIGMAS * sqrt(expected),
			   "as many as the tail says");
}

/* Counts which of 7 items come to the front in so many steps. */
static void
shuffle_counts(SdcStrongBits *bits, uint64_t steps, double *item, double *pair)
{
	int round;
	uint64_t i;

	for (round = 0; round < 70000; round++)
	{
		int at[7] = {0, 1, 2, 3, 4, 5, 6};

		for (i = 0; i < steps; i++)
		{
			uint64_t j = sdc_shuffle_place(bits, i, 7);
			int chosen = at[j];

			at[j] = at[i];
			at[i] = chosen;
			item[chosen]++;
		}
		if (pair != NULL)
			pair[at[0] * 7 + at[1]]++;
	}
}

static void
check_shuffle(void)
{
	SdcStrongBits bits;
	double chosen[7] = {0};
	double first[7] = {0};
	double pair[49] = {0};
	double apart[42];
	int i;
	int n = 0;

	dp_stream(&bits, 12);
	shuffle_counts(&bits, 3, chosen, pair);
	unit_check(looks_uniform(chosen, 7), "three of seven: each as often");
	for (i = 0; i < 49; i++)
		if (i / 7 != i % 7)
			apart[n++] = pair[i];
		else
			unit_check(pair[i] == 0, "no item twice");
	unit_check(looks_uniform(apart, 42), "each pair of them as often");
	shuffle_counts(&bits, 1, first, NULL);
	unit_check(looks_uniform(first, 7), "one of seven: each as often");
	unit_check(sdc_shuffle_place(&bits, 6, 7) == 6, "the last one stays");
}

int
main(void)
{
	unit_start("dp_threshold");
	check_tail();
	check_draws();
	check_shuffle();
	return unit_finish();
}
