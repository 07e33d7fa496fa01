/*
 * itemset_files.h
 *		The sets of items of the customers of two tables, with the link.
 */
#ifndef SDC_PG_ITEMSET_FILES_H
#define SDC_PG_ITEMSET_FILES_H

#include "postgres.h"

#include "kernel/transaction/item_sets.h"
#include "pg/data/frame.h"

/* The customers of one file, in the order of the bytes of their ids. */
typedef struct SdcItemsetFile
{
	SdcFrame *ids; /* one text column */
	SdcItemSets sets;
} SdcItemsetFile;

typedef struct SdcItemsetFiles
{
	SdcItemsetFile original;
	SdcItemsetFile masked;
	int32 *partner; /* of each masked customer: the original one, or -1 */
} SdcItemsetFiles;

/*
 * Reads them; with is the text of the WITHs o, m and l (see
 * transaction_measures.h), whose link must have been checked.  Customers
 * that only the link names have no items.  Items of both files share numbers.
 */
extern SdcItemsetFiles sdcpg_itemset_files_load(SdcPgHost *host,
												const char *with);

#endif
