/*
 * grouping.c
 *		Groups of rows against a comparison of all pairs.
 */
#include "unit.h"

#include "kernel/base/random.h"
#include "kernel/table/frequency.h"

#define ROWS    80
#define COLUMNS 3

static void
check_groups(uint64_t seed, bool null_leaves)
{
	int32_t code[COLUMNS][ROWS];
	int32_t group[ROWS] = {0};
	SdcGrouping grouping;
	SdcRandom random;
	int32_t groups = 0;
	int32_t listed = 0;
	bool right = true;
	bool ordered = true;
	int i;
	int k;
	int j;

	sdc_random_seed(&random, seed, 1);
	for (j = 0; j < COLUMNS; j++)
		for (i = 0; i < ROWS; i++)
			code[j][i] = (int32_t) sdc_random_below(&random, 4) - 1;
	for (j = 0; j < COLUMNS; j++)
		groups = sdc_grouping_refine(unit_host(), ROWS, code[j], null_leaves,
									 group);
	for (i = 0; i < ROWS; i++)
		for (k = 0; k < ROWS; k++)
		{
			bool same = true;

			for (j = 0; j < COLUMNS; j++)
				same = same && code[j][i] == code[j][k] &&
					   !(null_leaves && code[j][i] < 0);
			right = right && same == (group[i] >= 0 && group[i] == group[k]);
		}
	unit_check(right, "seed %d: who agrees with whom", (int) seed);
	grouping = sdc_grouping_list(unit_host(), ROWS, group, groups);
	for (k = 0; k < groups; k++)
		for (i = grouping.first[k]; i < grouping.first[k + 1]; i++, listed++)
			ordered = ordered && group[grouping.member[i]] == k &&
					  (i == grouping.first[k] ||
					   grouping.member[i] > grouping.member[i - 1]);
	for (i = 0; i < ROWS; i++)
		listed -= group[i] >= 0;
	unit_check(ordered && listed == 0, "seed %d: lists", (int) seed);
	unit_release_all();
}

int
main(void)
{
	int32_t none = 0;
	uint64_t seed;

	unit_start("grouping");
	for (seed = 1; seed <= 4; seed++)
		check_groups(seed, seed % 2 == 0);
	unit_check(sdc_grouping_refine(unit_host(), 0, &none, true, &none) == 0,
			   "no row, no group");
	unit_check(sdc_grouping_list(unit_host(), 0, &none, 0).groups == 0,
			   "no group, no list");
	unit_release_all();
	return unit_finish();
}
