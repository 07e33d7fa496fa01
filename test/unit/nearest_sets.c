/*
 * nearest_sets.c
 *		The nearest sets of items against a comparison of all pairs.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/transaction/item_sets.h"

#define SETS  60
#define ITEMS 25

typedef struct Table
{
	bool has[SETS][ITEMS];
} Table;

/* Sets of very different sizes, some of them empty, some twice. */
static SdcItemSets
draw(Table *table, SdcRandom *random, int32_t sets)
{
	int32_t set[2 * SETS * ITEMS];
	int32_t item[2 * SETS * ITEMS];
	int32_t n = 0;
	int32_t i;
	int32_t j;

	memset(table, 0, sizeof(*table));
	for (i = 0; i < sets; i++)
	{
		double rate = sdc_random_unit(random) * sdc_random_unit(random);
		int32_t copied = i % 7 == 6 ? i - 3 : -1;

		for (j = 0; j < ITEMS; j++)
			table->has[i][j] =
				copied >= 0 ? table->has[copied][j]
							: sdc_random_unit(random) < rate / (1 + j % 4);
	}
	/* from the last to the first, and each pair twice */
	for (i = 2 * sets - 1; i >= 0; i--)
		for (j = ITEMS - 1; j >= 0; j--)
			if (table->has[i % sets][j])
			{
				set[n] = i % sets;
				item[n++] = j;
			}
	return sdc_item_sets_build(unit_host(), n, set, item, sets, ITEMS);
}

static bool
is_built(const Table *table, const SdcItemSets *sets)
{
	int64_t members = 0;
	bool right = true;
	int32_t i;
	int32_t j;
	int64_t r;

	for (i = 0; i < sets->sets; i++)
	{
		for (r = sets->start[i]; r < sets->start[i + 1]; r++)
			right = right && table->has[i][sets->item[r]] &&
					(r == sets->start[i] || sets->item[r - 1] < sets->item[r]);
		for (j = 0; j < ITEMS; j++)
			members += table->has[i][j];
	}
	return right && members == sets->start[sets->sets];
}

static double
likeness(const bool *a, const bool *b, const int64_t *weight, bool containment)
{
	int64_t shared = 0;
	int64_t own = 0;
	int64_t other = 0;
	int j;

	for (j = 0; j < ITEMS; j++)
	{
		int64_t w = weight == NULL ? 1 : weight[j];

		shared += a[j] && b[j] ? w : 0;
		own += a[j] ? w : 0;
		other += b[j] ? w : 0;
	}
	if (containment)
		return own == 0 ? 0 : (double) shared / (double) own;
	return own + other == 0
			   ? 1
			   : (double) shared / (double) (own + other - shared);
}

/* Compares one search with all pairs. */
static bool
agrees(const SdcNearestSets *search, const bool *own, const Table *to,
	   int32_t sets, const int64_t *weight, bool containment)
{
	double best = -1;
	int32_t found = 0;
	bool right = true;
	int32_t i;

	for (i = 0; i < sets; i++)
		best = fmax(best, likeness(own, to->has[i], weight, containment));
	for (i = 0; i < sets; i++)
		if (likeness(own, to->has[i], weight, containment) == best)
		{
			right = right && found < search->rows && search->row[found] == i;
			found++;
		}
	return right && found == search->rows && search->likeness == best;
}

static void
check_all_pairs(int round, bool weighted, bool containment)
{
	SdcRandom random;
	Table from;
	Table to;
	SdcItemSets queries;
	SdcItemSets sets;
	SdcNearestSets search;
	int64_t *weight = NULL;
	bool right = true;
	int32_t i;

	sdc_random_seed(&random, 5, (uint64_t) round);
	queries = draw(&from, &random, SETS);
	sets = draw(&to, &random, SETS - 11);
	unit_check(is_built(&to, &sets), "round %d: sets as given", round);
	if (weighted)
		weight = sdc_nearest_sets_weights(unit_host(), &sets);
	search =
		sdc_nearest_sets_create(unit_host(), &sets, weight, containment, SETS);
	for (i = 0; i < SETS; i++)
	{
		sdc_nearest_sets_find(&search, queries.item + queries.start[i],
							  sdc_item_sets_size(&queries, i));
		right = right && agrees(&search, from.has[i], &to, SETS - 11, weight,
								containment);
	}
	unit_check(right, "round %d, %s%s: nearest and ties as of all pairs",
			   round, weighted ? "weighted " : "",
			   containment ? "containment" : "Jaccard");
}

static void
check_weights(void)
{
	const int32_t set[] = {0, 1, 2, 3, 0, 1, 2};
	const int32_t item[] = {0, 0, 0, 0, 1, 1, 2};
	SdcItemSets sets = sdc_item_sets_build(unit_host(), 7, set, item, 4, 4);
	int64_t *weight = sdc_nearest_sets_weights(unit_host(), &sets);

	unit_check(weight[0] == 0, "an item that all have weighs nothing");
	unit_check(weight[1] == llround(log(2.0) * 1048576), "ln(4 / 2)");
	unit_check(weight[2] == llround(log(4.0) * 1048576), "ln(4 / 1)");
	unit_check(weight[3] == weight[2], "an item that none has counts as one");
}

int
main(void)
{
	int round;

	unit_start("nearest_sets");
	for (round = 0; round < 12; round++)
		check_all_pairs(round, round % 4 >= 2, round % 2 == 1);
	check_weights();
	unit_check(unit_polls() > 0, "polls");
	return unit_finish();
}
