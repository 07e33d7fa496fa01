/*
 * exact_linkage.h
 *		Two relations linked where rows are equal.
 */
#ifndef SDC_PG_EXACT_LINKAGE_H
#define SDC_PG_EXACT_LINKAGE_H

#include "postgres.h"

#include "utils/array.h"
#include "utils/jsonb.h"

#include "kernel/attack/class_items.h"
#include "pg/disclosure/coded_file.h"
#include "pg/disclosure/link_success.h"

/* The keys of params that are read here. */
#define SDC_EXACT_PARAMS "prefix", "nulls", "map"

/* What is linked, and how. */
typedef struct SdcExactCall
{
	Oid original;
	Oid masked;
	const char *id;
	ArrayType *keys;
	bool to_original;
	/*
	 * NULL, or an object:
	 *		prefix	{column: characters of its text that are compared}
	 *		nulls	ignore: NULL agrees with nobody; category: with NULL
	 *		map		{original column: masked column}
	 */
	Jsonb *params;
} SdcExactCall;

/*
 * The files, file[0] searching in file[1]; ids share the dictionary.  Row i of
 * file[0] agrees with the items (ids of file[1]) of class_of[i], -1 for none.
 */
typedef struct SdcExactLinkage
{
	SdcPgHost *host;
	SdcDictionary *ids;
	const int32 *rank; /* of the codes of ids, for their texts */
	SdcCodedFile file[2];
	int32 *class_of;
	SdcClassItems items;
	SdcItemSet set;
	int32 *votes; /* by id; all 0 between two records */
} SdcExactLinkage;

/*
 * Reads both relations as the caller and finds which rows agree.  An id may
 * have many rows, as a customer has purchases.
 */
extern void sdcpg_exact_linkage_run(SdcExactLinkage *linkage, SdcPgHost *host,
									const SdcExactCall *call);

/*
 * The ids of file[1] that rows of one id of file[0] agree with, weighted by
 * the number of pairs of rows; the rows are first .. end - 1.
 */
extern SdcItemSet *sdcpg_exact_linkage_find(SdcExactLinkage *linkage,
											int32 first, int32 end);

/* How well equal rows match the truth: ids that are in both files. */
extern SdcLinkSuccess sdcpg_exact_linkage_success(SdcExactLinkage *linkage);

#endif
