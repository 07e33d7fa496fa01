/*
 * basket_files.h
 *		Purchases as the arrays that new baskets are made from, and the new
 *		baskets as tables.
 */
#ifndef SDC_PG_BASKET_FILES_H
#define SDC_PG_BASKET_FILES_H

#include "postgres.h"

#include "kernel/transaction/basket_rows.h"
#include "kernel/transaction/item_sets.h"
#include "pg/data/frame.h"
#include "pg/data/target.h"
#include "pg/transaction/purchases.h"

/*
 * The purchases of a table by customer, in the order of the bytes of their
 * ids.  The days of customer i are those from first[i] on.
 */
typedef struct SdcBasketFile
{
	SdcPgHost *host;
	int32 customers;
	SdcDictionary *customer;
	SdcDictionary *item;
	int digits;       /* of money: amounts are in units of 10^-digits */
	SdcItemSets sets; /* of items */
	double *price;    /* of each item: mean, in units */
	int32 *first;     /* customers + 1 */
	int64 *day;       /* from 2000-01-01 on */
	int64 *day_pieces;
	int64 *day_amount;
	int64 *pieces; /* of each customer */
	int64 *amount;
	int32 *cell; /* of each customer, as numbers 0 .. cells - 1 */
	int32 cells;
} SdcBasketFile;

/*
 * Reads the purchases of the WITH o; when there are cells, customers are in
 * those of the WITH ko, who has none there in one of their own.  Stops at
 * NULLs, quantities that are not whole and positive, prices below zero or
 * with more than six digits, and turnover too large to count exactly.
 */
extern SdcBasketFile sdcpg_basket_file_load(SdcPgHost *host, const char *with,
											bool cells);

/* The days of a customer. */
extern SdcBasketDays sdcpg_basket_file_days(const SdcBasketFile *file,
											int32 customer);

/*
 * Writes rows, which are in the order of the customers, as a table with the
 * columns of the purchases: customers get pseudonyms by their place in
 * order[], a permutation, and invoices, if the purchases have them, a number
 * for each customer and day.  Rows are written in the order of the pseudonyms.
 */
extern void sdcpg_basket_file_write(const SdcBasketFile *file,
									const SdcPurchases *purchases,
									const SdcBasketRows *rows,
									const int32 *order,
									const SdcTarget *target);

/* Writes the truth: the columns masked and original, in the same order. */
extern void sdcpg_basket_file_write_link(const SdcBasketFile *file,
										 const int32 *order,
										 const SdcTarget *target);

#endif
