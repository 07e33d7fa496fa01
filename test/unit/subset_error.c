/*
 * subset_error.c
 *		The measure subset against all choices of customers and windows, and
 *		the classes of recency against cells counted by hand.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "kernel/base/random.h"
#include "kernel/transaction/recency_classes.h"
#include "kernel/transaction/subset_error.h"

#define CUSTOMERS 7
#define DAYS      40

static int64_t
brute_force(const SdcSubsetDay *days, int n, int k, int64_t span)
{
	int64_t worst = 0;
	int64_t start;
	uint32_t chosen;
	int i;

	for (start = -span; start <= DAYS + span; start++)
		for (chosen = 0; chosen < 1u << CUSTOMERS; chosen++)
		{
			int64_t sum = 0;

			if (__builtin_popcount(chosen) != k)
				continue;
			for (i = 0; i < n; i++)
				if (days[i].day >= start && days[i].day < start + span &&
					(chosen >> days[i].customer & 1))
					sum += days[i].difference;
			worst = llabs(sum) > worst ? llabs(sum) : worst;
		}
	return worst;
}

static void
check_windows(int round)
{
	SdcSubsetDay days[30];
	int k = 1 + round % CUSTOMERS;
	int64_t span = 1 + round * 2 % 13;
	SdcRandom random;
	int64_t day = 0;
	int i;

	sdc_random_seed(&random, 3, (uint64_t) round);
	for (i = 0; i < 30; i++)
	{
		/* ties, gaps and several a day */
		day += (int64_t) sdc_random_below(&random, 3);
		day += sdc_random_below(&random, 10) == 0 ? 6 : 0;
		days[i].day = day < DAYS ? day : DAYS;
		days[i].customer = (int32_t) sdc_random_below(&random, CUSTOMERS);
		days[i].difference = (int64_t) sdc_random_below(&random, 9) - 5;
	}
	unit_check(sdc_subset_error(unit_host(), days, 30, CUSTOMERS, k, span) ==
				   brute_force(days, 30, k, span),
			   "%d customers in %d days: the maximum", k, (int) span);
}

static double
error_of(int n, const double *r, int m, const double *s, int classes)
{
	const double same[8] = {0};
	SdcRecencyFile original = {n, {r, same, same}};
	SdcRecencyFile masked = {m, {s, same, same}};

	return sdc_recency_classes_error(unit_host(), &original, &masked, classes);
}

static void
check_classes(void)
{
	const double a[8] = {8, 7, 6, 5, 4, 3, 2, 1};
	const double b[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	const double c[8] = {9, 9, 9, 9, 9, 9, 9, 9};

	unit_check(error_of(8, a, 8, a, 4) == 0, "the same customers: 0");
	unit_check(error_of(8, b, 8, c, 5) == 1, "no cell in common: 1");
	/* cells of two: 2 2 2 2 against 8 0 0 0: 36 + 12 over 16 + 64 */
	unit_check(fabs(error_of(8, a, 8, b, 4) - sqrt(48.0 / 80)) < 1e-15,
			   "cells by hand");
	unit_check(error_of(0, a, 4, b, 5) == 1, "no original: 1");
	unit_check(isnan(error_of(0, a, 0, b, 5)), "nobody: not a number");
}

int
main(void)
{
	int round;

	unit_start("subset_error");
	for (round = 0; round < 40; round++)
		check_windows(round);
	unit_check(sdc_subset_error(unit_host(), NULL, 0, 3, 2, 30) == 0,
			   "no days");
	check_classes();
	unit_check(unit_polls() > 0, "polls");
	return unit_finish();
}
