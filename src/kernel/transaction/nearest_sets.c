/*
 * nearest_sets.c
 *		The sets of items that are most like a given one, with all ties.
 *
 * The lists of the inverted index are walked from the rarest item on.  What
 * has been met is compared once and exactly; what has not can share no more
 * than the items still to come, which soon is too little.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/transaction/nearest_sets.h"

/* Units of a weight. */
#define WEIGHT_UNITS 1048576.0

int64_t *
sdc_nearest_sets_weights(SdcHost *host, const SdcItemSets *sets)
{
	int64_t n = sets->start[sets->sets];
	int64_t *weight = sdc_new(host, int64_t, (size_t) sets->items + 1);
	int64_t r;
	int32_t j;

	memset(weight, 0, sizeof(int64_t) * ((size_t) sets->items + 1));
	for (r = 0; r < n; r++)
		weight[sets->item[r]]++;
	for (j = 0; j < sets->items; j++)
	{
		double frequency = weight[j] == 0 ? 1 : (double) weight[j];

		if (j % SDC_POLL_STEPS == 0)
			host->poll(host, j, sets->items);
		weight[j] =
			sets->sets == 0
				? 0
				: (int64_t) floor(sdc_random_log(sets->sets / frequency) *
									  WEIGHT_UNITS +
								  0.5);
	}
	return weight;
}

static int64_t
weight_of(const SdcNearestSets *search, int32_t item)
{
	return search->weight == NULL ? 1 : search->weight[item];
}

SdcNearestSets
sdc_nearest_sets_create(SdcHost *host, const SdcItemSets *to,
						const int64_t *weight, bool containment,
						uint64_t searches)
{
	SdcNearestSets search;
	int64_t r;
	int32_t i;

	memset(&search, 0, sizeof(search));
	search.host = host;
	search.to = to;
	search.index = sdc_item_sets_invert(host, to);
	search.weight = weight;
	search.containment = containment;
	search.total = sdc_new(host, int64_t, (size_t) to->sets + 1);
	search.seen = sdc_new(host, int32_t, (size_t) to->sets + 1);
	search.marked = sdc_new(host, int32_t, (size_t) to->items + 1);
	search.rarest = sdc_new(host, int32_t, (size_t) to->items + 1);
	search.row = sdc_new(host, int32_t, (size_t) to->sets + 1);
	search.searches = searches;
	memset(search.seen, 0, sizeof(int32_t) * ((size_t) to->sets + 1));
	memset(search.marked, 0, sizeof(int32_t) * ((size_t) to->items + 1));
	for (i = 0; i < to->sets; i++)
	{
		search.total[i] = 0;
		for (r = to->start[i]; r < to->start[i + 1]; r++)
			search.total[i] += weight_of(&search, to->item[r]);
	}
	return search;
}

/* Forgets what was found and keeps a row, when it is the most like so far. */
static void
consider(SdcNearestSets *search, int32_t row, double likeness)
{
	if (likeness < search->likeness)
		return;
	if (likeness > search->likeness)
		search->rows = 0;
	search->likeness = likeness;
	search->row[search->rows++] = row;
}

/* Everybody is equally far. */
static void
find_all(SdcNearestSets *search)
{
	int32_t i;

	search->likeness = 0;
	search->rows = search->to->sets;
	for (i = 0; i < search->rows; i++)
		search->row[i] = i;
}

/* The nearest to a set without weight. */
static void
find_empty(SdcNearestSets *search)
{
	int32_t i;

	if (!search->containment)
		for (i = 0; i < search->to->sets; i++)
			if (search->total[i] == 0)
				consider(search, i, 1);
	if (search->rows == 0)
		find_all(search);
}

/* The likeness of two sets by their weights and that of what they share. */
static double
likeness_of(const SdcNearestSets *search, int64_t own, int64_t other,
			int64_t shared)
{
	int64_t whole = search->containment ? own : own + other - shared;

	return (double) shared / (double) whole;
}

/* Compares with a set that was met for the first time. */
static void
compare(SdcNearestSets *search, int32_t row, int64_t own, int64_t left)
{
	const SdcItemSets *to = search->to;
	int64_t other = search->total[row];
	int64_t most = left < other ? left : other;
	int64_t shared = 0;
	int64_t r;

	if (likeness_of(search, own, other, most) < search->likeness)
		return;
	for (r = to->start[row]; r < to->start[row + 1]; r++)
		if (search->marked[to->item[r]] == search->search)
			shared += weight_of(search, to->item[r]);
	search->work += (uint64_t) (to->start[row + 1] - to->start[row]);
	consider(search, row, likeness_of(search, own, other, shared));
}

static int
compare_rarity(int32_t a, int32_t b, void *arg)
{
	const SdcItemSets *index = arg;
	int32_t x = sdc_item_sets_size(index, a);
	int32_t y = sdc_item_sets_size(index, b);

	return x != y ? (x < y ? -1 : 1) : (a < b ? -1 : a > b);
}

static int
compare_rows(int32_t a, int32_t b, void *arg)
{
	(void) arg;
	return a < b ? -1 : a > b;
}

/* Looks at the sets with an item; left is the weight from it on. */
static void
walk(SdcNearestSets *search, int32_t item, int64_t own, int64_t left)
{
	const SdcItemSets *index = &search->index;
	int64_t r;

	for (r = index->start[item]; r < index->start[item + 1]; r++)
	{
		int32_t row = index->item[r];

		if (search->work++ >= SDC_POLL_STEPS)
		{
			search->work = 0;
			search->host->poll(search->host, search->search, search->searches);
		}
		if (search->seen[row] == search->search)
			continue;
		search->seen[row] = search->search;
		compare(search, row, own, left);
	}
}

void
sdc_nearest_sets_find(SdcNearestSets *search, const int32_t *item, int32_t n)
{
	int64_t own = 0;
	int64_t left;
	int32_t a;

	search->search++;
	search->rows = 0;
	search->likeness = 0;
	for (a = 0; a < n; a++)
	{
		search->marked[item[a]] = search->search;
		search->rarest[a] = item[a];
		own += weight_of(search, item[a]);
	}
	if (own == 0)
	{
		find_empty(search);
		return;
	}
	sdc_sort_rows(search->host, search->rarest, n, compare_rarity,
				  &search->index);
	left = own;
	for (a = 0; a < n; a++)
	{
		if (likeness_of(search, own, left, left) < search->likeness)
			break;
		if (weight_of(search, search->rarest[a]) > 0)
			walk(search, search->rarest[a], own, left);
		left -= weight_of(search, search->rarest[a]);
	}
	if (search->likeness == 0)
		find_all(search);
	else
		sdc_sort_rows(search->host, search->row, search->rows, compare_rows,
					  NULL);
}
