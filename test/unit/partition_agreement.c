/*
 * partition_agreement.c
 *		Rand, Jaccard, F and adjusted Rand against a count of all pairs.
 */
#include "unit.h"

#include <math.h>

#include "kernel/base/random.h"
#include "kernel/model/kmeans.h"
#include "kernel/table/frequency.h"

#define ROWS 200

static SdcPartitionAgreement
measure(const int32_t *a, const int32_t *b, int32_t rows, int32_t values)
{
	SdcFrequencyCount *counting = sdc_frequency_start(unit_host(), 2, false);
	int32_t limits[2] = {values, values};
	int32_t i;

	for (i = 0; i < rows; i++)
	{
		int32_t codes[2] = {a[i], b[i]};

		(void) sdc_frequency_add(counting, codes, 1, 0);
	}
	return sdc_partition_agreement_measure(
		unit_host(), sdc_frequency_finish(counting, NULL, limits, NULL));
}

static void
check_published(void)
{
	const int32_t a[8] = {0, 0, 0, 1, 1, 1, 2, 2};
	const int32_t b[8] = {0, 0, 1, 1, 1, 1, 2, 0};
	SdcPartitionAgreement found = measure(a, b, 8, 3);

	unit_check(fabs(found.rand - 0.714286) < 5e-7, "EX-CL: Rand %.6f",
			   found.rand);
	unit_check(fabs(found.jaccard - 0.333333) < 5e-7, "EX-CL: Jaccard %.6f",
			   found.jaccard);
	unit_check(fabs(found.f_measure - 0.738095) < 5e-7, "EX-CL: F %.6f",
			   found.f_measure);
	unit_check(fabs(found.adjusted - 0.304348) < 5e-7,
			   "EX-CL: adjusted Rand %.6f", found.adjusted);
}

static void
check_pairs(int32_t values, uint64_t seed)
{
	int32_t a[ROWS];
	int32_t b[ROWS];
	double same[2][2] = {{0}};
	double pairs = ROWS * (ROWS - 1) / 2.0;
	double chance;
	SdcPartitionAgreement found;
	SdcRandom random;
	int32_t i;
	int32_t j;

	sdc_random_seed(&random, seed, 0);
	for (i = 0; i < ROWS; i++)
	{
		/* NULL is a label, too */
		a[i] = (int32_t) sdc_random_below(&random, (uint64_t) values + 1) - 1;
		b[i] = sdc_random_below(&random, 2) == 0
				   ? a[i]
				   : (int32_t) sdc_random_below(&random, (uint64_t) values);
	}
	for (i = 0; i < ROWS; i++)
		for (j = 0; j < i; j++)
			same[a[i] == a[j]][b[i] == b[j]]++;
	found = measure(a, b, ROWS, values);
	chance = (same[1][0] + same[1][1]) * (same[0][1] + same[1][1]) / pairs;
	unit_check(fabs(found.rand - (same[0][0] + same[1][1]) / pairs) < 1e-12,
			   "%d labels: Rand by pairs", values);
	unit_check(fabs(found.jaccard - same[1][1] / (pairs - same[0][0])) < 1e-12,
			   "%d labels: Jaccard by pairs", values);
	unit_check(fabs(found.adjusted -
					(same[1][1] - chance) /
						((2 * same[1][1] + same[0][1] + same[1][0]) / 2 -
						 chance)) < 1e-12,
			   "%d labels: adjusted Rand by pairs", values);
}

static void
check_limits(void)
{
	const int32_t one[3] = {0, 0, 0};
	const int32_t all[3] = {0, 1, 2};
	SdcPartitionAgreement found = measure(one, one, 3, 3);

	unit_check(found.rand == 1 && found.jaccard == 1 && found.adjusted == 1 &&
				   found.f_measure == 1,
			   "one part each");
	found = measure(all, all, 3, 3);
	unit_check(found.rand == 1 && found.jaccard == 1 && found.adjusted == 1 &&
				   found.f_measure == 1,
			   "all apart in both");
	found = measure(one, all, 3, 3);
	unit_check(found.rand == 0 && found.jaccard == 0 && found.adjusted == 0,
			   "all together against all apart");
	found = measure(one, one, 1, 3);
	unit_check(isnan(found.rand) && isnan(found.jaccard) &&
				   isnan(found.adjusted) && found.f_measure == 1,
			   "one row has no pairs");
	found = measure(one, one, 0, 3);
	unit_check(isnan(found.rand) && isnan(found.f_measure), "no rows");
}

int
main(void)
{
	unit_start("partition_agreement");
	check_published();
	check_pairs(3, 1);
	check_pairs(20, 2);
	check_limits();
	return unit_finish();
}
