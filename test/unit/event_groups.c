/*
 * event_groups.c
 *		Persons of whom the same is known: who is in a group, and a search
 *		among groups beside one among all.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/transaction/event_groups.h"

#define PERSONS 300
#define RECORDS 120
#define MARKS   4

static int32_t part[2][PERSONS];
static double number[2][PERSONS];
static uint32_t marks[2][PERSONS];

/* Few values, so that many are alike. */
static void
draw(SdcRandom *random, int side, int32_t n, SdcItemSets *sets)
{
	static int32_t set[PERSONS * MARKS];
	static int32_t item[PERSONS * MARKS];
	int64_t pairs = 0;
	int32_t i;
	int32_t t;

	for (i = 0; i < n; i++)
	{
		part[side][i] = (int32_t) sdc_random_below(random, 2);
		number[side][i] = (double) sdc_random_below(random, 3);
		if (number[side][i] == 2)
			number[side][i] = NAN;
		marks[side][i] = (uint32_t) sdc_random_below(random, 1 << MARKS);
		for (t = 0; t < MARKS; t++)
			if (marks[side][i] >> t & 1)
			{
				set[pairs] = i;
				item[pairs++] = t;
			}
	}
	*sets = sdc_item_sets_build(unit_host(), pairs, set, item, n, MARKS);
}

static bool
is_alike(int side, int32_t i, int32_t j)
{
	return part[side][i] == part[side][j] &&
		   marks[side][i] == marks[side][j] &&
		   (number[side][i] == number[side][j] ||
			(isnan(number[side][i]) && isnan(number[side][j])));
}

/* Two are in one group if they are alike, and only then. */
static void
check_groups(const SdcEventGroups *groups, int side, int round)
{
	int32_t wrong = 0;
	int32_t i;
	int32_t j;
	int32_t g;

	for (i = 0; i < groups->members; i++)
		for (j = 0; j < i; j++)
			wrong +=
				(groups->group[i] == groups->group[j]) != is_alike(side, i, j);
	for (g = 0; g < groups->groups; g++)
		for (i = groups->start[g]; i < groups->start[g + 1]; i++)
			wrong += groups->group[groups->member[i]] != g ||
					 (i > groups->start[g] &&
					  groups->member[i] <= groups->member[i - 1]);
	unit_check(wrong == 0 && groups->start[groups->groups] == groups->members,
			   "round %d: groups of side %d are those alike", round, side);
}

/* The best of all are the members of the best groups. */
static void
check_search(const SdcEventFiles *files, const SdcEventGroups *groups,
			 int round)
{
	SdcEventFiles some = sdc_event_groups_files(unit_host(), files, groups);
	SdcEventIntruder all = sdc_event_intruder_create(unit_host(), files);
	SdcEventIntruder few = sdc_event_intruder_create(unit_host(), &some);
	int32_t wrong = 0;
	int32_t j;
	int32_t r;

	sdc_event_intruder_fit(&few, 3, 50);
	sdc_event_intruder_believe(&all, few.law);
	for (j = 0; j < files->records; j++)
	{
		int32_t members = 0;

		sdc_event_intruder_best(&all, j);
		sdc_event_intruder_best(&few, j);
		for (r = 0; r < few.rows; r++)
			members += sdc_event_groups_size(groups, few.row[r]);
		wrong += members != all.rows || few.best != all.best;
		for (r = 0; r < all.rows; r++)
		{
			int32_t g = groups->group[all.row[r]];
			int32_t k = 0;

			while (k < few.rows && few.row[k] != g)
				k++;
			wrong += k == few.rows;
		}
	}
	unit_check(wrong == 0, "round %d: the best groups are the best persons",
			   round);
	sdc_event_intruder_release(&all);
	sdc_event_intruder_release(&few);
	sdc_event_groups_files_release(unit_host(), &some);
}

int
main(void)
{
	int round;

	for (round = 0; round < 6; round++)
	{
		SdcEventChannel channel[2] = {{0}};
		SdcEventFiles files = {PERSONS, RECORDS, 2,      part[0],
							   part[1], 2,       channel};
		SdcEventGroups persons;
		SdcEventGroups records;
		SdcRandom random;

		sdc_random_seed(&random, 11, (uint64_t) round);
		draw(&random, 0, PERSONS, &channel[0].known);
		draw(&random, 1, RECORDS, &channel[0].shown);
		channel[1].is_number = true;
		channel[1].known_number = number[0];
		channel[1].shown_number = number[1];
		if (round % 2 == 0)
			memset(part, 0, sizeof(part));
		persons = sdc_event_groups_create(unit_host(), &files, true);
		records = sdc_event_groups_create(unit_host(), &files, false);
		check_groups(&persons, 0, round);
		check_groups(&records, 1, round);
		check_search(&files, &persons, round);
		sdc_event_groups_release(unit_host(), &persons);
		sdc_event_groups_release(unit_host(), &records);
		sdc_item_sets_release(unit_host(), &channel[0].known);
		sdc_item_sets_release(unit_host(), &channel[0].shown);
	}
	return unit_finish();
}
