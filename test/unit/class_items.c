/*
 * class_items.c
 *		Items of classes against counts over all rows.
 */
#include "unit.h"

#include <string.h>

#include "kernel/base/random.h"
#include "kernel/linkage/class_items.h"

#define ROWS    120
#define CLASSES 5
#define ITEMS   12

/* Two files of rows, and how often each class of each holds each item. */
typedef struct Files
{
	int32_t class_of[2][ROWS];
	int32_t item[2][ROWS];
	int64_t held[2][CLASSES][ITEMS];
} Files;

static void
draw(uint64_t seed, Files *files)
{
	SdcRandom random;
	int f;
	int i;

	memset(files, 0, sizeof(*files));
	sdc_random_seed(&random, seed, 5);
	for (f = 0; f < 2; f++)
		for (i = 0; i < ROWS; i++)
		{
			files->class_of[f][i] =
				(int32_t) sdc_random_below(&random, CLASSES + 1) - 1;
			files->item[f][i] =
				(int32_t) sdc_random_below(&random, ITEMS + 1) - 1;
			if (files->class_of[f][i] >= 0 && files->item[f][i] >= 0)
				files->held[f][files->class_of[f][i]][files->item[f][i]]++;
		}
}

/* Does a set hold exactly what the counts say, and in the order of items? */
static bool
is_set(const SdcItemSet *set, const int64_t *held)
{
	int32_t next = 0;
	int32_t i;

	for (i = 0; i < ITEMS; i++)
		if (held[i] > 0)
		{
			if (next == set->items || set->item[next] != i ||
				set->weight[next] != held[i])
				return false;
			next++;
		}
	return next == set->items;
}

static void
check_intersections(const Files *files, const SdcClassItems *items)
{
	SdcItemSet set = sdc_class_items_set(unit_host(), ITEMS);
	int64_t held[ITEMS];
	bool taken = true;
	bool shared = true;
	int a;
	int b;
	int i;

	for (a = 0; a < CLASSES; a++)
		for (b = 0; b < CLASSES; b++)
		{
			sdc_class_items_take(&items[0], a, &set);
			taken = taken && is_set(&set, files->held[0][a]);
			sdc_class_items_intersect(&items[1], b, &set);
			for (i = 0; i < ITEMS; i++)
				held[i] = files->held[0][a][i] < files->held[1][b][i]
							  ? files->held[0][a][i]
							  : files->held[1][b][i];
			shared = shared && is_set(&set, held);
		}
	unit_check(taken, "what a class holds");
	unit_check(shared, "what two classes share");
}

/* Adds two classes up and sorts what they hold. */
static void
check_sum(const Files *files, const SdcClassItems *items)
{
	SdcItemSet set = sdc_class_items_set(unit_host(), ITEMS);
	int32_t votes[ITEMS] = {0};
	bool right = true;
	int32_t i;

	sdc_class_items_add(&items[0], 3, votes, &set);
	sdc_class_items_add(&items[0], 1, votes, &set);
	sdc_class_items_rank(unit_host(), &set);
	for (i = 0; i < set.items; i++)
	{
		right = right && set.weight[i] == files->held[0][3][set.item[i]] +
											  files->held[0][1][set.item[i]];
		right = right && (i == 0 || set.weight[i] < set.weight[i - 1] ||
						  (set.weight[i] == set.weight[i - 1] &&
						   set.item[i] > set.item[i - 1]));
	}
	unit_check(right && set.items > 0, "two classes together, ranked");
}

int
main(void)
{
	uint64_t seed;

	unit_start("class_items");
	for (seed = 1; seed <= 4; seed++)
	{
		Files files;
		SdcClassItems items[2];
		int f;

		draw(seed, &files);
		for (f = 0; f < 2; f++)
			items[f] = sdc_class_items_count(
				unit_host(), ROWS, files.class_of[f], CLASSES, files.item[f]);
		check_intersections(&files, items);
		check_sum(&files, items);
		unit_release_all();
	}
	return unit_finish();
}
