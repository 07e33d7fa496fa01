/*
 * comparison.h
 *		Two relations as columns of numbers and codes, for measures of utility.
 */
#ifndef SDC_PG_COMPARISON_H
#define SDC_PG_COMPARISON_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "pg/data/alignment.h"
#include "pg/data/dictionary.h"
#include "pg/server/host.h"

/* What a generalized number stands for, by code of its text. */
typedef struct SdcComparisonRange
{
	double low;
	double high;
	bool all; /* "*": suppressed */
} SdcComparisonRange;

typedef struct SdcComparisonColumn
{
	SdcAlignedColumn aligned;
	const char *subject; /* its name in reports */
	bool number;         /* compared as numbers */
	/*
	 * Numbers that were generalized to texts or ranges: numbers are the
	 * middles, and the codes tell the ranges.  Otherwise NULL.
	 */
	SdcComparisonRange *range;
	double step; /* between neighbouring numbers: 1 of integers, or 0 */
	SdcDictionary *dictionary; /* sorted; NULL without codes */
	int32 values;
} SdcComparisonColumn;

/* One relation; of each column number or code is set, of ranges both. */
typedef struct SdcComparisonSide
{
	const SdcRelation *relation;
	int32 rows;
	double **number; /* NaN for a NULL, and for "*" */
	int32 **code;    /* ranks in the dictionary; SDC_CODE_NULL */
} SdcComparisonSide;

typedef struct SdcComparison
{
	SdcPgHost *host;
	SdcAlignment alignment;
	bool paired; /* is there an id? */
	int columns;
	SdcComparisonColumn *column;
	SdcComparisonSide original;
	SdcComparisonSide masked;
	int32 *partner; /* masked row of an original one, -1; NULL unless paired */
	int32 pairs;
} SdcComparison;

/*
 * Says how columns of two relations are compared; id may be NULL.  Columns
 * whose names are in the list categories are no numbers.
 */
extern void sdcpg_comparison_describe(SdcComparison *comparison,
									  const SdcRelation *original,
									  const SdcRelation *masked,
									  const SdcRelationColumn *id,
									  const SdcRelationColumns *columns,
									  List *categories);

/*
 * Reads both relations, once each and as the caller.  Rows are in an order
 * that only their values decide (kernel/utility/record_order.h), so that sums
 * do not depend on the order in which they came.  NaN and infinity stop with
 * an error, as does an id that is NULL or occurs twice.
 */
extern void sdcpg_comparison_load(SdcComparison *comparison, SdcPgHost *host);

/*
 * Turns a column of texts, or ranges of PostgreSQL, beside original numbers
 * into numbers, when all of them are numbers, "*", "[a,b)", "(a,b]", "a-b",
 * "<b", "<=b", ">a" or ">=a"; open ends are those of the original.  Called
 * while loading.
 */
extern void sdcpg_comparison_find_ranges(SdcComparison *comparison, int j);

#endif
