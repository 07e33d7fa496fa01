/*
 * item_sets.c
 *		Sets of items, one for each customer, and who has an item.
 *
 * Both ways of the table are made by counting: the pairs are dealt out by
 * item, then these lists, in the order of the items, by set.
 */
#include <string.h>

#include "kernel/transaction/item_sets.h"

/* Starts of lists from their lengths in start[1 ..]. */
static void
add_up(int64_t *start, int32_t lists)
{
	int32_t i;

	for (i = 0; i < lists; i++)
		start[i + 1] += start[i];
}

static int64_t *
new_starts(SdcHost *host, int32_t lists)
{
	int64_t *start = sdc_new(host, int64_t, (size_t) lists + 1);

	memset(start, 0, sizeof(int64_t) * ((size_t) lists + 1));
	return start;
}

/* Where the next member of each list goes. */
static int64_t *
new_cursors(SdcHost *host, const int64_t *start, int32_t lists)
{
	int64_t *next = sdc_new(host, int64_t, (size_t) lists + 1);

	memcpy(next, start, sizeof(int64_t) * ((size_t) lists + 1));
	return next;
}

static void
poll_at(SdcHost *host, int64_t done, int64_t total)
{
	if (done % SDC_POLL_STEPS == 0)
		host->poll(host, done, total);
}

/* Deals n members out to lists. */
static SdcItemSets
deal(SdcHost *host, int64_t n, const int32_t *list, const int32_t *member,
	 int32_t lists, int32_t members)
{
	SdcItemSets dealt;
	int64_t *next;
	int64_t r;

	dealt.sets = lists;
	dealt.items = members;
	dealt.start = new_starts(host, lists);
	dealt.item = sdc_new(host, int32_t, n + 1);
	for (r = 0; r < n; r++)
		dealt.start[list[r] + 1]++;
	add_up(dealt.start, lists);
	next = new_cursors(host, dealt.start, lists);
	for (r = 0; r < n; r++)
	{
		poll_at(host, r, n);
		dealt.item[next[list[r]]++] = member[r];
	}
	host->release(host, next);
	return dealt;
}

/* Leaves each item of a set once; equal ones are neighbours. */
static void
drop_repeated(SdcItemSets *sets)
{
	int64_t kept = 0;
	int64_t from = 0;
	int32_t s;

	for (s = 0; s < sets->sets; s++)
	{
		int64_t first = kept;

		for (; from < sets->start[s + 1]; from++)
			if (kept == first || sets->item[kept - 1] != sets->item[from])
				sets->item[kept++] = sets->item[from];
		sets->start[s + 1] = kept;
	}
}

SdcItemSets
sdc_item_sets_build(SdcHost *host, int64_t n, const int32_t *set,
					const int32_t *item, int32_t sets, int32_t items)
{
	SdcItemSets by_item = deal(host, n, item, set, items, sets);
	SdcItemSets built = sdc_item_sets_invert(host, &by_item);

	sdc_item_sets_release(host, &by_item);
	drop_repeated(&built);
	return built;
}

SdcItemSets
sdc_item_sets_invert(SdcHost *host, const SdcItemSets *sets)
{
	int64_t n = sets->start[sets->sets];
	SdcItemSets inverted;
	int64_t *next;
	int64_t r;
	int32_t s;

	inverted.sets = sets->items;
	inverted.items = sets->sets;
	inverted.start = new_starts(host, sets->items);
	inverted.item = sdc_new(host, int32_t, n + 1);
	for (r = 0; r < n; r++)
		inverted.start[sets->item[r] + 1]++;
	add_up(inverted.start, sets->items);
	next = new_cursors(host, inverted.start, sets->items);
	for (s = 0; s < sets->sets; s++)
		for (r = sets->start[s]; r < sets->start[s + 1]; r++)
		{
			poll_at(host, r, n);
			inverted.item[next[sets->item[r]]++] = s;
		}
	host->release(host, next);
	return inverted;
}

void
sdc_item_sets_release(SdcHost *host, SdcItemSets *sets)
{
	host->release(host, sets->start);
	host->release(host, sets->item);
	sets->start = NULL;
	sets->item = NULL;
}
