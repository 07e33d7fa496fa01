/*
 * order.h
 *		An order of rows by several keys, and whether a column follows one.
 */
#ifndef SDC_KERNEL_ORDER_H
#define SDC_KERNEL_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/base/host.h"

/* Keys of an order at the most. */
#define SDC_ORDER_KEYS 4

/* By the first key, then by the next where that is equal, and so on; what is
 * beyond the keys is 0. */
typedef struct SdcOrder
{
	int keys;
	int key[SDC_ORDER_KEYS];
	bool descending[SDC_ORDER_KEYS];
} SdcOrder;

/*
 * The place of each of n rows in the order, 0 .. n - 1; rows that are alike
 * have the mean of their places.  NaN comes after all numbers.
 * O(n log n keys); scratch 8 bytes a row.
 */
extern void sdc_order_places(SdcHost *host, const double *const *key,
							 const SdcOrder *order, int32_t n, double *place);

/*
 * Finds the order by which a column rises best, one key after the other, as
 * long as each leaves less than 7 tenths of what is not explained.  Returns
 * the rank correlation of the places with the column, 0 .. 1 (Spearman 1904).
 * The keys are those of the n rows alone.  O(n log n keys^2).
 */
extern double sdc_order_find(SdcHost *host, const double *const *key, int keys,
							 const double *column, int32_t n, SdcOrder *order);

#endif
