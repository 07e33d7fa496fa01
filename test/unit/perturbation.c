/*
 * Perturbation tables of cell keys: published ones to a millionth, exact
 * moments in whole numbers, and noise that cells share.
 */
#include "kernel/tabular/changed_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"

#include "unit.h"

#define ALL ((double) (UINT64_C(1) << SDC_PERTURBATION_BITS))

/* The chance of a noise in a row; rows beyond the last are the last. */
static double
chance(const SdcPerturbation *made, int row, int v)
{
	row = row < made->rows ? row : made->rows - 1;
	return (double) made
			   ->chance[row * (2 * made->largest + 1) + v + made->largest] /
		   ALL;
}

/* Sum, mean and variance, counted in whole numbers. */
static void
check_moments(int largest, double variance, int gap)
{
	SdcPerturbation made;
	int width = 2 * largest + 1;
	double most = 0;
	int wrong = 0;
	int row;
	int v;

	unit_check(sdc_perturbation_make(unit_host(), largest, variance, gap,
									 &made) == SDC_PERTURBATION_MADE,
			   "D %d V %g gap %d is made", largest, variance, gap);
	for (row = 0; row < made.rows; row++)
	{
		__int128 sum = 0;
		__int128 mean = 0;
		double square = 0;

		for (v = -largest; v <= largest; v++)
		{
			int64_t part = (int64_t) made.chance[row * width + v + largest];
			int becomes = row + v;

			sum += part;
			mean += (__int128) part * v;
			square += (double) part / ALL * v * v;
			wrong += part < 0 || (part > 0 && becomes < 0) ||
					 (part > 0 && row > 0 && becomes > 0 && becomes <= gap);
		}
		wrong += sum != (__int128) 1 << SDC_PERTURBATION_BITS || mean != 0;
		most = fmax(most, square);
	}
	unit_check(wrong == 0 && most <= variance * (1 + 1e-9),
			   "D %d V %g gap %d: sums and means are exact, variance %.12g",
			   largest, variance, gap, most);
}

/* D,V,js,i,j,v,p of the peer's tables; gap is js. */
static void
check_published(void)
{
	FILE *file = fopen("test/data/perturbation.csv", "r");
	char line[200];
	double worst = 0;
	int count = 0;
	SdcPerturbation made = {0};

	if (file == NULL)
	{
		unit_check(false, "test/data/perturbation.csv is there");
		return;
	}
	while (fgets(line, sizeof(line), file) != NULL)
	{
		int largest;
		int gap;
		int row;
		int j;
		int v;
		double variance;
		double p;

		if (sscanf(line, "%d,%lf,%d,%d,%d,%d,%lf", &largest, &variance, &gap,
				   &row, &j, &v, &p) != 7)
			continue;
		if (largest != made.largest || variance != made.variance ||
			gap != made.gap)
			sdc_perturbation_make(unit_host(), largest, variance, gap, &made);
		worst = fmax(worst, fabs(chance(&made, row, v) - p));
		count++;
	}
	fclose(file);
	unit_check(count == 151 && worst < 1e-6,
			   "%d published chances are met to %.1e", count, worst);
}

static void
check_refused(void)
{
	SdcPerturbation made;

	unit_check(sdc_perturbation_make(unit_host(), 5, 1, 2, &made) ==
				   SDC_PERTURBATION_TOO_STILL,
			   "no count of 1 or 2 with a variance of 1 cannot be");
	unit_check(sdc_perturbation_make(unit_host(), 2, 3, 2, &made) ==
				   SDC_PERTURBATION_TOO_SHORT,
			   "a count of 3 would have no noise");
}

/* The noise drawn by random keys has the chances of the table. */
static void
check_noise(void)
{
	SdcPerturbation made;
	SdcRandom random;
	double worst = 0;
	int row;
	int v;

	sdc_random_seed(&random, 3, 0);
	sdc_perturbation_make(unit_host(), 3, 2, 1, &made);
	for (row = 0; row < 9; row++)
	{
		int drawn[7] = {0};
		int k;

		for (k = 0; k < 100000; k++)
			drawn[3 + sdc_perturbation_noise(&made, row,
											 sdc_random_bits(&random))]++;
		for (v = -3; v <= 3; v++)
		{
			double p = chance(&made, row, v);
			double off = fabs(drawn[v + 3] - 1e5 * p);

			worst = fmax(worst, off / (sqrt(1e5 * p * (1 - p)) + 1e-3));
		}
	}
	/* 63 figures: beyond 4.5 once in 2300 seeds */
	unit_check(worst < 4.5, "drawn noise is as the table says: %.2f", worst);
	unit_check(sdc_perturbation_noise(&made, 7, 0) == -3 &&
				   sdc_perturbation_noise(&made, 7, UINT64_MAX) == 3 &&
				   sdc_perturbation_noise(&made, 0, 12345) == 0,
			   "the ends of the keys; a count of 0 stays");
}

/*
 * Sums: in proportion to the largest contribution, or in steps of what all
 * contributions are multiples of; then never below 0.
 */
static void
check_sums(void)
{
	double flags[] = {0, 1, 0, 1};
	double hundreds[] = {0, 300, 0, 700, 1200};
	double mixed[] = {9007199254740992.0, 6, 10};
	double nothing[] = {0, 0};
	SdcPerturbation made;
	SdcRandom random;
	double mean = 0;
	int wrong = 0;
	int same = 0;
	int k;

	unit_check(sdc_perturbation_grain(flags, 4) == 1 &&
				   sdc_perturbation_grain(hundreds, 5) == 100 &&
				   sdc_perturbation_grain(mixed, 3) == 2 &&
				   sdc_perturbation_grain(nothing, 2) == 1 &&
				   sdc_perturbation_grain(nothing, 0) == 1,
			   "what values are multiples of");
	sdc_random_seed(&random, 5, 0);
	sdc_perturbation_make(unit_host(), 5, 2, 0, &made);
	for (k = 0; k < 100000; k++)
	{
		uint64_t key = sdc_random_bits(&random);
		double small = sdc_perturbation_sum(&made, 200, 100, 0.1, 100, key);
		double large = sdc_perturbation_sum(&made, 9000, 2000, 0.1, 100, key);

		wrong += small < 0 || fmod(small, 100) != 0 || small > 700 ||
				 fabs(large - 9000) > 1100 ||
				 sdc_perturbation_sum(&made, 0, 0, 0.1, 100, key) != 0;
		same += small == 200;
		mean += (small - 200) / 1e5;
	}
	/* a variance of 2 steps; beyond 4.5 once in 150,000 seeds */
	unit_check(wrong == 0 && fabs(mean) < 450 * sqrt(2 / 1e5),
			   "noise of sums is bounded and unbiased: %d, %g", wrong, mean);
	unit_check(same > 25000 && same < 45000,
			   "a small sum stays as often as a count of 2: %d", same);
}

int
main(void)
{
	unit_start("perturbation");
	check_published();
	check_moments(2, 1, 0);
	check_moments(5, 1, 0);
	check_moments(5, 3, 2);
	check_moments(3, 2, 1);
	check_moments(1, 0.5, 0);
	check_moments(10, 0.01, 0);
	check_moments(100, 400, 0);
	check_moments(30, 60, 9);
	check_moments(40, 1e9, 0);
	check_refused();
	check_noise();
	check_sums();
	return unit_finish();
}
