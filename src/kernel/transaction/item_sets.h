/*
 * item_sets.h
 *		Sets of items, one for each customer, and who has an item.
 */
#ifndef SDC_KERNEL_ITEM_SETS_H
#define SDC_KERNEL_ITEM_SETS_H

#include "kernel/base/host.h"

/* Set i is item[start[i]] to item[start[i + 1] - 1], ascending, each once. */
typedef struct SdcItemSets
{
	int32_t sets;
	int32_t items;  /* numbers of items are 0 .. items - 1 */
	int64_t *start; /* sets + 1 */
	int32_t *item;
} SdcItemSets;

/*
 * Makes the sets from n pairs: set[r] has item[r].  Pairs may be in any order
 * and occur more than once; a set without a pair is empty.  O(n + sets +
 * items).
 */
extern SdcItemSets sdc_item_sets_build(SdcHost *host, int64_t n,
									   const int32_t *set, const int32_t *item,
									   int32_t sets, int32_t items);

/* The inverted index: set j of the result is the sets that have item j. */
extern SdcItemSets sdc_item_sets_invert(SdcHost *host,
										const SdcItemSets *sets);

/* Gives the arrays back. */
extern void sdc_item_sets_release(SdcHost *host, SdcItemSets *sets);

/* The number of items of a set. */
static inline int32_t
sdc_item_sets_size(const SdcItemSets *sets, int32_t set)
{
	return (int32_t) (sets->start[set + 1] - sets->start[set]);
}

#endif
