/*
 * item_sets.h
 *		Sets of items, one for each customer, and who has an item; who is who
 *		by such sets.
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

/*
 * Quantities of items by customer: entry r says that customer[r] bought
 * quantity[r] of item[r].  Entries are ascending by customer, then by item,
 * and each pair occurs once.
 */
typedef struct SdcItemQuantities
{
	int32_t entries;
	int32_t customers;
	int32_t items;
	const int32_t *customer;
	const int32_t *item;
	const double *quantity;
} SdcItemQuantities;

/*
 * sum |W - W'| / sum W, at most 1, over the pairs of different items; W is
 * the cosine of the quantities of two items over the customers.  Only entries
 * of at most so many pieces count, and, unless NULL, items with chosen[]; the
 * files have the same items, but customers of their own.  0 when W and W' are
 * both without any pair, 1 when only W is.
 *
 * O(sum of the squared sizes of the customers' sets); PWSCUP 2017, ItemCF.
 */
extern double sdc_item_similarity_error(SdcHost *host,
										const SdcItemQuantities *original,
										const SdcItemQuantities *masked,
										const bool *chosen, double most);

/*
 * Chooses the k items with the most customers, of equally many the first;
 * items without a customer are none.  chosen[] has a place for each item.
 * Returns how many were chosen.  O(entries + items log items).
 */
extern int32_t sdc_item_similarity_top(SdcHost *host,
									   const SdcItemQuantities *quantities,
									   int32_t k, bool *chosen);

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
