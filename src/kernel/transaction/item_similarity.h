/*
 * item_similarity.h
 *		Which items are bought by the same customers, in two files.
 */
#ifndef SDC_KERNEL_ITEM_SIMILARITY_H
#define SDC_KERNEL_ITEM_SIMILARITY_H

#include "kernel/base/host.h"

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

#endif
