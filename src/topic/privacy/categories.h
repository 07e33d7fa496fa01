/*
 * categories.h
 *		Which of the public categories of a column a value is.
 */
#ifndef SDC_PG_CATEGORIES_H
#define SDC_PG_CATEGORIES_H

#include "postgres.h"

#include "fmgr.h"

#include "topic/privacy/dataset.h"

typedef struct SdcCategories
{
	int count;
	Datum *value;
	FmgrInfo *equal;
	FmgrInfo *hash; /* NULL: the type has none */
	Oid collation;
	uint32 mask;
	int32 *place; /* -1: free; else the number of a category */
} SdcCategories;

/* The categories of a column as values of its type, with its collation. */
extern SdcCategories *sdcpg_categories_make(const SdcDatasetColumn *column,
											Oid collation);

/* The number of a value's category from 0, or -1. */
extern int sdcpg_categories_find(const SdcCategories *categories, Datum value,
								 bool isnull);

#endif
