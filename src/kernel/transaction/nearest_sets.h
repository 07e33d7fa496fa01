/*
 * nearest_sets.h
 *		The sets of items that are most like a given one, with all ties.
 */
#ifndef SDC_KERNEL_NEAREST_SETS_H
#define SDC_KERNEL_NEAREST_SETS_H

#include "kernel/transaction/item_sets.h"

/*
 * A search among sets.  Likeness is a quotient of whole numbers, so equally
 * like sets have the same bits, whatever the order of their items.
 */
typedef struct SdcNearestSets
{
	SdcHost *host;
	const SdcItemSets *to;
	SdcItemSets index;
	const int64_t *weight; /* of each item; NULL: 1 */
	bool containment;
	int64_t *total;    /* weight of each set */
	int32_t *seen;     /* of each set: the last search that looked at it */
	int32_t *marked;   /* of each item: the last search that has it */
	int32_t search;    /* number of the present search */
	int32_t *rarest;   /* items of the present set, the rarest first */
	uint64_t work;     /* items looked at, to poll by */
	uint64_t searches; /* for the progress line */
	/* what was found: rows ascending, all equally like */
	int32_t *row;
	int32_t rows;
	double likeness;
} SdcNearestSets;

/*
 * Weights ln(n / df) of the items in units of 2^-20, n the number of sets and
 * df that of the sets with the item; an item that none has counts as df 1.
 * Ito, Harada, Kikuchi 2020.
 */
extern int64_t *sdc_nearest_sets_weights(SdcHost *host,
										 const SdcItemSets *sets);

/*
 * Prepares a search.  Likeness of A to B is the weight of what both have,
 * divided by that of what either has (Jaccard) or, with containment, by that
 * of A.  searches is only for the progress line.  O(size of the sets).
 */
extern SdcNearestSets sdc_nearest_sets_create(SdcHost *host,
											  const SdcItemSets *to,
											  const int64_t *weight,
											  bool containment,
											  uint64_t searches);

/*
 * Finds the rows of the sets that are most like the n items, ascending and
 * each once; the items must be below to->items.  A set without weight is like
 * those without weight (likeness 1); by containment, or where there are none,
 * it is like nobody.  Who is like nobody gets all rows, with likeness 0.
 *
 * Items are taken from the rarest on; as soon as what is left of A is too
 * little for a set that was not met yet to be as like, none of the common
 * items need be looked at.
 */
extern void sdc_nearest_sets_find(SdcNearestSets *search, const int32_t *item,
								  int32_t n);

#endif
