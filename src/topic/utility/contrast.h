/*
 * contrast.h
 *		Two relations as columns of numbers and codes, for measures of utility.
 */
#ifndef SDC_TOPIC_CONTRAST_H
#define SDC_TOPIC_CONTRAST_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/dictionary.h"
#include "host/server/host.h"

/* What a generalized number stands for, by code of its text. */
typedef struct SdcContrastRange
{
	double low;
	double high;
	bool all; /* "*": suppressed */
} SdcContrastRange;

/* A column of both relations, and how it is compared. */
typedef struct SdcContrastColumn
{
	SdcAlignedColumn aligned;
	const char *subject; /* its name in reports */
	bool number;         /* compared as numbers */
	/*
	 * Numbers that were generalized to texts or ranges: numbers are the
	 * middles, and the codes tell the ranges.  Otherwise NULL.
	 */
	SdcContrastRange *range;
	double step; /* between neighbouring numbers: 1 of integers, or 0 */
	SdcDictionary *dictionary; /* sorted; NULL without codes */
	int32 values;
} SdcContrastColumn;

/* One relation; of each column number or code is set, of ranges both. */
typedef struct SdcContrastSide
{
	const SdcRelation *relation;
	int32 rows;
	double **number; /* NaN for a NULL, and for "*" */
	int32 **code;    /* ranks in the dictionary; SDC_CODE_NULL */
} SdcContrastSide;

/* Both relations. */
typedef struct SdcContrast
{
	SdcPgHost *host;
	SdcAlignment alignment;
	bool paired; /* is there an id? */
	int columns;
	SdcContrastColumn *column;
	SdcContrastSide original;
	SdcContrastSide masked;
	int32 *partner; /* masked row of an original one, -1; NULL unless paired */
	int32 pairs;
} SdcContrast;

/*
 * Says how columns of two relations are compared; id may be NULL.  Columns
 * whose names are in the list categories are no numbers.
 */
extern void
sdcpg_contrast_describe(SdcContrast *comparison, const SdcRelation *original,
						const SdcRelation *masked, const SdcRelationColumn *id,
						const SdcRelationColumns *columns, List *categories);

/*
 * Reads both relations, once each and as the caller.  Rows are in an order
 * that only their values decide, so that sums do not depend on the order in
 * which they came.  NaN and infinity stop with an error, as does an id that
 * is NULL or occurs twice.
 */
extern void sdcpg_contrast_load(SdcContrast *comparison, SdcPgHost *host);

#endif
