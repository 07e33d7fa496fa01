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
	SdcRandom random;
	int32_t groups = 0;
	int32_t most = -1;
	bool right = true;
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
	for (i = 0; i < ROWS; i++)
		most = group[i] > most ? group[i] : most;
	unit_check(groups == most + 1, "seed %d: how many", (int) seed);
	unit_check(right, "seed %d: who agrees with whom", (int) seed);
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
	unit_release_all();
	return unit_finish();
}
