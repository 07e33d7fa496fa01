/*
 * disclosure.c
 *		Interval and attribute disclosure: against counting by hand over all
 *		pairs, the worked examples, and dRisk of sdcMicro.
 */
#include "unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/risk/disclosure.h"
#include "kernel/table/frequency.h"
#include "published_table.h"

#define RECORDS 60

static double
draw(SdcRandom *random, int values, double missing)
{
	if (sdc_random_unit(random) < missing)
		return NAN;
	return floor(sdc_random_unit(random) * values) - values / 4;
}

/* Is original in the rank interval of masked?  Straight from the words. */
static bool
oracle_rank(const double *original, int n, double p, double x, double masked)
{
	double *sorted = malloc(sizeof(double) * (size_t) n);
	int values = 0;
	int first = -1;
	int last = -1;
	double nearest = NAN;
	bool inside;
	int window;
	int i;
	int j;

	for (i = 0; i < n; i++)
	{
		if (isnan(original[i]))
			continue;
		for (j = values++; j > 0 && sorted[j - 1] > original[i]; j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = original[i];
	}
	window = (int) (p * values / 200);
	for (i = 0; i < values; i++)
		if (isnan(nearest) ||
			fabs(sorted[i] - masked) < fabs(nearest - masked))
			nearest = sorted[i];
	for (i = 0; i < values; i++)
		if (sorted[i] == nearest)
		{
			first = first < 0 ? i : first;
			last = i;
		}
	first = first - window < 0 ? 0 : first - window;
	last = last + window >= values ? values - 1 : last + window;
	inside = sorted[first] <= x && x <= sorted[last];
	free(sorted);
	return inside;
}

static double
oracle_deviation(const double *original, int n)
{
	long double mean = 0;
	long double sum = 0;
	int values = 0;
	int i;

	for (i = 0; i < n; i++)
		if (!isnan(original[i]))
		{
			mean += original[i];
			values++;
		}
	mean /= values;
	for (i = 0; i < n; i++)
		if (!isnan(original[i]))
			sum += (original[i] - mean) * (original[i] - mean);
	return values < 2 ? 0 : (double) sqrtl(sum / (values - 1));
}

static double
oracle_chance(const double *original, const double *masked, int n)
{
	int64_t equal = 0;
	int64_t values = 0;
	int i;
	int j;

	for (i = 0; i < n; i++)
	{
		if (isnan(original[i]))
			continue;
		values++;
		for (j = 0; j < n; j++)
			equal += !isnan(original[j]) && original[i] == masked[j];
	}
	return (double) equal / (double) (values * values);
}

/* Marks and chances of a random table that differ from the oracle's. */
static int
count_wrong(SdcRandom *random, int round)
{
	int n = 1 + (int) (sdc_random_unit(random) * RECORDS);
	int values = 1 + (int) (sdc_random_unit(random) * 80);
	double missing = round % 3 == 0 ? 0.2 : 0;
	double p = round % 5 == 0 ? 0 : floor(sdc_random_unit(random) * 101);
	double original[RECORDS];
	double masked[RECORDS];
	uint8_t mark[RECORDS];
	SdcDisclosureNumbers numbers;
	double deviation;
	double chance;
	int wrong = 0;
	int i;

	for (i = 0; i < n; i++)
	{
		original[i] = draw(random, values, missing);
		/* half way between values, often */
		masked[i] = draw(random, 3 * values, missing) / 2;
	}
	deviation = oracle_deviation(original, n);
	sdc_disclosure_prepare(unit_host(), &numbers, original, masked, n);
	sdc_disclosure_rank(unit_host(), &numbers, p, mark);
	for (i = 0; i < n; i++)
		wrong += mark[i] !=
				 (isnan(original[i]) ? SDC_DISCLOSURE_NOTHING
				  : !isnan(masked[i]) &&
						  oracle_rank(original, n, p, original[i], masked[i])
					  ? SDC_DISCLOSURE_SHOWN
					  : SDC_DISCLOSURE_HIDDEN);
	sdc_disclosure_deviation(unit_host(), &numbers, p, mark);
	for (i = 0; i < n; i++)
		wrong +=
			mark[i] != (isnan(original[i]) ? SDC_DISCLOSURE_NOTHING
						: fabs(original[i] - masked[i]) <= p * deviation / 100
							? SDC_DISCLOSURE_SHOWN
							: SDC_DISCLOSURE_HIDDEN);
	sdc_disclosure_equal(unit_host(), &numbers, mark);
	for (i = 0; i < n; i++)
		wrong +=
			mark[i] != (isnan(original[i])         ? SDC_DISCLOSURE_NOTHING
						: original[i] == masked[i] ? SDC_DISCLOSURE_SHOWN
												   : SDC_DISCLOSURE_HIDDEN);
	chance = sdc_disclosure_chance(unit_host(), &numbers);
	if (numbers.values == 0)
		wrong += !isnan(chance);
	else
		wrong += fabs(chance - oracle_chance(original, masked, n)) > 1e-15;
	unit_release_all();
	return wrong;
}

static double
share_of(const uint8_t *mark, int32_t n)
{
	return sdc_disclosure_share(sdc_disclosure_count(unit_host(), mark, n));
}

/* EX-RID-1, EX-RID-2: columns of ranks by rank swapping, n = 10. */
static void
check_examples(void)
{
	static const double original[4][10] = {{8, 6, 10, 7, 9, 2, 1, 4, 5, 3},
										   {9, 7, 3, 1, 4, 2, 10, 8, 5, 6},
										   {1, 10, 4, 2, 6, 8, 3, 7, 5, 9},
										   {3, 2, 1, 6, 4, 8, 9, 10, 5, 7}};
	static const double masked[4][10] = {{10, 5, 8, 9, 7, 4, 3, 2, 6, 1},
										 {10, 5, 4, 2, 3, 1, 9, 6, 7, 8},
										 {3, 8, 2, 4, 5, 10, 1, 9, 6, 7},
										 {5, 1, 2, 4, 6, 10, 7, 8, 3, 9}};
	static const double expected[4] = {0.2, 0.6, 0.2, 0.2};
	uint8_t mark[10];
	uint8_t joint[10] = {0};
	SdcDisclosureNumbers numbers;
	int j;

	for (j = 0; j < 4; j++)
	{
		sdc_disclosure_prepare(unit_host(), &numbers, original[j], masked[j],
							   10);
		sdc_disclosure_rank(unit_host(), &numbers, 20, mark);
		unit_check(share_of(mark, 10) == expected[j], "rid of column %d", j);
		sdc_disclosure_join(unit_host(), mark, 10, joint);
		sdc_disclosure_rank(unit_host(), &numbers, 40, mark);
		unit_check(share_of(mark, 10) == 1, "rid of column %d, p = 40", j);
		sdc_disclosure_deviation(unit_host(), &numbers, 40, mark);
		unit_check(share_of(mark, 10) == expected[j], "sdid of column %d", j);
	}
	unit_check(share_of(joint, 10) == 0, "rid of all columns");
}

static void
check_edges(void)
{
	const double huge[4] = {-DBL_MAX, -DBL_MAX, DBL_MAX, 0};
	const double none[4] = {NAN, NAN, NAN, NAN};
	const double same[4] = {7, 7, 7, 7};
	const double moved[4] = {7, 7.5, 7, NAN};
	const double middle[4] = {0, -DBL_MAX / 2, DBL_MAX, 4};
	uint8_t mark[4];
	uint8_t joint[4] = {0};
	SdcDisclosureNumbers numbers;

	sdc_disclosure_prepare(unit_host(), &numbers, none, none, 0);
	sdc_disclosure_rank(unit_host(), &numbers, 10, mark);
	unit_check(isnan(share_of(mark, 0)), "no record");
	sdc_disclosure_prepare(unit_host(), &numbers, none, same, 4);
	sdc_disclosure_deviation(unit_host(), &numbers, 10, mark);
	unit_check(isnan(share_of(mark, 4)), "no original");
	sdc_disclosure_join(unit_host(), mark, 4, joint);
	sdc_disclosure_prepare(unit_host(), &numbers, same, none, 4);
	sdc_disclosure_rank(unit_host(), &numbers, 100, mark);
	unit_check(share_of(mark, 4) == 0, "all suppressed: rid");
	sdc_disclosure_deviation(unit_host(), &numbers, 100, mark);
	unit_check(share_of(mark, 4) == 0, "all suppressed: sdid");
	sdc_disclosure_equal(unit_host(), &numbers, mark);
	unit_check(share_of(mark, 4) == 0, "all suppressed: sadr");
	sdc_disclosure_prepare(unit_host(), &numbers, same, moved, 4);
	sdc_disclosure_rank(unit_host(), &numbers, 0, mark);
	unit_check(share_of(mark, 4) == 0.75, "constant column: rid");
	sdc_disclosure_deviation(unit_host(), &numbers, 100, mark);
	unit_check(share_of(mark, 4) == 0.5, "constant column: sdid");
	sdc_disclosure_join(unit_host(), mark, 4, joint);
	unit_check(share_of(joint, 4) == 0.5, "joint with a column of nothing");
	unit_check(sdc_disclosure_chance(unit_host(), &numbers) == 0.5,
			   "constant column: chance");
	sdc_disclosure_prepare(unit_host(), &numbers, huge, middle, 4);
	sdc_disclosure_rank(unit_host(), &numbers, 0, mark);
	unit_check(
		mark[0] == SDC_DISCLOSURE_HIDDEN && mark[1] == SDC_DISCLOSURE_SHOWN &&
			mark[2] == SDC_DISCLOSURE_SHOWN && mark[3] == SDC_DISCLOSURE_SHOWN,
		"largest numbers: rid, the lower of two equally near");
	sdc_disclosure_deviation(unit_host(), &numbers, 100, mark);
	unit_check(share_of(mark, 4) == 0.75, "largest numbers: sdid");
}

static void
check_codes(void)
{
	const int32_t original[6] = {0, 1, 1, 2, SDC_CODE_NULL, 3};
	const int32_t masked[6] = {0, 2, 1, SDC_CODE_NULL, 1, 4};
	uint8_t mark[6];

	sdc_disclosure_equal_codes(unit_host(), original, masked, 6, mark);
	unit_check(share_of(mark, 6) == 0.4, "codes: 2 of 5 are equal");
	/* 0: 1 x 1, 1: 2 x 1, 2: 1 x 1 */
	unit_check(sdc_disclosure_chance_codes(unit_host(), original, masked, 6,
										   5) == 4.0 / 25,
			   "codes: chance");
}

/*
 * dRisk of sdcMicro on a perturbed Census: the share of records with all of
 * their masked values within k standard deviations.
 */
static void
check_census(void)
{
	static const double p[] = {1, 2, 5, 10};
	static const double risk[] = {0.00277777777777778, 0.00833333333333333,
								  0.025, 1};
	SdcMatrix original;
	SdcMatrix masked;
	uint8_t *mark;
	uint8_t *joint;
	int i;
	int j;

	published_table_read("census.csv", &original);
	published_table_read("census_fixed_perturbation.csv", &masked);
	mark = malloc(original.rows);
	joint = malloc(original.rows);
	for (i = 0; i < 4; i++)
	{
		memset(joint, SDC_DISCLOSURE_NOTHING, original.rows);
		for (j = 0; j < original.columns; j++)
		{
			SdcDisclosureNumbers numbers;

			sdc_disclosure_prepare(unit_host(), &numbers, original.column[j],
								   masked.column[j], (int32_t) original.rows);
			sdc_disclosure_deviation(unit_host(), &numbers, p[i], mark);
			sdc_disclosure_join(unit_host(), mark, (int32_t) original.rows,
								joint);
		}
		unit_check(fabs(share_of(joint, (int32_t) original.rows) - risk[i]) <
					   1e-12,
				   "Census, p = %g: dRisk of sdcMicro", p[i]);
	}
	free(mark);
	free(joint);
	published_table_free(&original);
	published_table_free(&masked);
}

int
main(void)
{
	SdcRandom random;
	int wrong = 0;
	int round;

	unit_start("disclosure");
	sdc_random_seed(&random, 4, 0);
	for (round = 0; round < 5000; round++)
		wrong += count_wrong(&random, round);
	unit_check(wrong == 0, "%d random tables against all pairs: %d wrong",
			   round, wrong);
	check_examples();
	check_edges();
	check_codes();
	check_census();
	unit_release_all();
	return unit_finish();
}
