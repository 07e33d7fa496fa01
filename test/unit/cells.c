/*
 * cells.c
 *		Attacks on cells, against trying out every coalition.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/risk/risk.h"
#include "kernel/table/frequency.h"

#define RECORDS 9

/* Records with one key and one sensitive code. */
static SdcFrequency *
count_records(const int32_t (*codes)[2], int n, int32_t values)
{
	SdcFrequencyCount *counting = sdc_frequency_start(unit_host(), 2, false);
	const int32_t *const rank[2] = {NULL, NULL};
	int32_t room[2] = {values, values};
	int i;

	for (i = 0; i < n; i++)
		sdc_frequency_add(counting, codes[i], 1, 0);
	return sdc_frequency_finish(counting, rank, room, NULL);
}

/*
 * Can some coalition of at most c records leave others that all share one
 * value?  Tries every subset of the records of a key.
 */
static bool
is_disclosed(const int32_t (*codes)[2], int n, int32_t key, bool ignore_null,
			 int c)
{
	int32_t member[RECORDS];
	int members = 0;
	unsigned set;
	int i;

	for (i = 0; i < n; i++)
		if (codes[i][0] == key &&
			!(ignore_null && codes[i][1] == SDC_CODE_NULL))
			member[members++] = codes[i][1];
	for (set = 0; set < 1u << members; set++)
	{
		int rest = 0;
		int first = -1;
		bool same = true;

		if (__builtin_popcount(set) > c)
			continue;
		for (i = 0; i < members; i++)
		{
			if (set >> i & 1)
				continue;
			rest++;
			if (first < 0)
				first = i;
			same = same && member[i] == member[first];
		}
		if (rest > 0 && same)
			return true;
	}
	return false;
}

static void
check_random(int n, int32_t values, bool ignore_null, SdcRandom *random)
{
	int32_t codes[RECORDS][2];
	SdcFrequency *table;
	SdcClasses *classes;
	SdcCell cell[RECORDS];
	bool right = true;
	int i;
	int c;

	for (i = 0; i < n; i++)
	{
		codes[i][0] = (int32_t) sdc_random_below(random, 2) - 1;
		codes[i][1] = (int32_t) sdc_random_below(random, values + 1) - 1;
	}
	table = count_records((const int32_t(*)[2]) codes, n, values);
	classes = sdc_frequency_classes(unit_host(), table, 1);
	sdc_cells_measure(unit_host(), table, classes, ignore_null, 7, cell);
	for (i = 0; i < classes->classes; i++)
		for (c = 0; c <= n; c++)
		{
			bool disclosed =
				cell[i].records > 0 && sdc_cells_coalition(&cell[i]) <= c;

			right =
				right && cell[i].number == i && cell[i].column == 7 &&
				disclosed == is_disclosed((const int32_t(*)[2]) codes, n,
										  table->code[0][classes->first[i]],
										  ignore_null, c);
		}
	unit_check(right, "%d records, %d values, ignore %d: every coalition", n,
			   values, ignore_null);
	unit_release_all();
}

/* What a coalition learns of the cells that have records. */
typedef struct Summary
{
	int64_t cells;
	int64_t records;
	int64_t disclosed;
} Summary;

static Summary
summarize(const SdcCell *cell, int32_t n, int64_t coalition)
{
	Summary summary = {0, 0, 0};
	int32_t i;

	for (i = 0; i < n; i++)
	{
		summary.cells += cell[i].records > 0;
		summary.records += cell[i].records;
		if (cell[i].records > 0 && sdc_cells_coalition(&cell[i]) <= coalition)
			summary.disclosed += cell[i].records;
	}
	return summary;
}

/* The 4-anonymous inpatients: external 4, a coalition of 1: 4, of 2: 12. */
static void
check_inpatients(void)
{
	const int32_t codes[12][2] = {{0, 1}, {0, 1}, {0, 2}, {0, 2},
								  {2, 0}, {2, 1}, {2, 2}, {2, 2},
								  {1, 0}, {1, 0}, {1, 0}, {1, 0}};
	SdcFrequency *table = count_records(codes, 12, 3);
	SdcClasses *classes = sdc_frequency_classes(unit_host(), table, 1);
	const int64_t expected[3] = {4, 4, 12};
	SdcCell cell[3];
	int c;

	sdc_cells_measure(unit_host(), table, classes, false, 0, cell);
	for (c = 0; c < 3; c++)
	{
		Summary summary = summarize(cell, 3, c);

		unit_check(summary.cells == 3 && summary.records == 12 &&
					   summary.disclosed == expected[c],
				   "EX-LD-5, coalition of %d", c);
	}
	unit_check(sdc_cells_sort(unit_host(), cell, 3) == 3, "all have records");
	unit_check(cell[0].number == 1 && cell[0].value == 0 &&
				   cell[0].largest == 4 && cell[0].values == 1,
			   "the homogeneous cell comes first");
	unit_check(cell[1].number == 0 && cell[1].value == 1 &&
				   cell[1].largest == 2 && cell[1].values == 2,
			   "of equally frequent values the first; equal cells stay");
	unit_check(cell[2].number == 2 && cell[2].value == 2, "the last cell");
	unit_release_all();
}

static void
check_empty(void)
{
	const int32_t nothing[1][2] = {{0, SDC_CODE_NULL}};
	SdcFrequency *table = count_records(nothing, 1, 1);
	SdcClasses *classes = sdc_frequency_classes(unit_host(), table, 1);
	Summary summary;
	SdcCell cell[1];

	sdc_cells_measure(unit_host(), table, classes, false, 0, cell);
	unit_check(cell[0].values == 1 && cell[0].value == SDC_CODE_NULL &&
				   cell[0].records == 1,
			   "NULL is a value");
	sdc_cells_measure(unit_host(), table, classes, true, 0, cell);
	summary = summarize(cell, 1, 5);
	unit_check(cell[0].records == 0 && cell[0].values == 0 &&
				   summary.cells == 0 && summary.disclosed == 0,
			   "a cell without counted records discloses nothing");
	unit_check(sdc_cells_sort(unit_host(), cell, 1) == 0, "and is last");
	table = count_records(nothing, 0, 1);
	classes = sdc_frequency_classes(unit_host(), table, 1);
	sdc_cells_measure(unit_host(), table, classes, false, 0, cell);
	summary = summarize(cell, 0, 0);
	unit_check(classes->classes == 0 && summary.cells == 0, "no records");
	unit_check(sdc_cells_sort(unit_host(), cell, 0) == 0, "nothing to sort");
	unit_release_all();
}

int
main(void)
{
	SdcRandom random;
	int n;

	unit_start("cells");
	sdc_random_seed(&random, 3, 0);
	check_inpatients();
	check_empty();
	for (n = 1; n <= RECORDS; n++)
	{
		check_random(n, 2, false, &random);
		check_random(n, 2, true, &random);
		check_random(n, 4, n % 2 == 0, &random);
	}
	return unit_finish();
}
