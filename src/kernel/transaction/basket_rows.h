/*
 * basket_rows.h
 *		New baskets: rows with the items of a set and a customer's own days.
 */
#ifndef SDC_KERNEL_BASKET_ROWS_H
#define SDC_KERNEL_BASKET_ROWS_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"

/* One row: price in units of money for a piece. */
typedef struct SdcBasketRow
{
	int32_t customer;
	int32_t item;
	int64_t day;
	int64_t price;
	int64_t pieces;
} SdcBasketRow;

/* The days of one customer, with the pieces and the turnover of each. */
typedef struct SdcBasketDays
{
	int32_t count;
	const int64_t *day; /* ascending, each once */
	const int64_t *pieces;
	const int64_t *amount;
} SdcBasketDays;

/* What the new basket of a customer must be. */
typedef struct SdcBasketOrder
{
	int32_t customer;
	int64_t pieces; /* at least the number of items, and of days */
	int64_t amount;
	int32_t items;
	const int32_t *item;
	const double *price; /* usual price of every item, by its number */
} SdcBasketOrder;

/* Rows that are written, in a list that grows. */
typedef struct SdcBasketRows
{
	SdcHost *host;
	int64_t count;
	int64_t room;
	SdcBasketRow *row;
} SdcBasketRows;

/* The most rows that an order gives, over all of its days. */
extern int64_t sdc_basket_rows_most(const SdcBasketOrder *order,
									const SdcBasketDays *days);

/*
 * Appends the rows of an order: each of its items at least once, each of the
 * customer's days at least once, and exactly its pieces and its amount.
 * Pieces and turnover of a day stay in proportion to what they were; when the
 * amount is what it was and no day has less than a unit for each piece, the
 * turnover of each day is what it was.  Which items fall on which day is drawn
 * at random; prices of a day are the usual ones times a common factor, rounded
 * down, and the rest is on one of its items, whose pieces may come in two rows
 * of prices one unit apart.  rows must have room.  O(items + days).
 */
extern void sdc_basket_rows_append(SdcBasketRows *rows,
								   const SdcBasketOrder *order,
								   const SdcBasketDays *days,
								   SdcRandom *random);

#endif
