/*
 * separation.h
 *		How well sets of columns tell records apart.
 *
 * Distinction is the number of different combinations of values over the
 * number of records; separation is the share of all pairs of records that
 * differ.  Both are 1 for a key of the table.  Distinction sees how many
 * records are alone, separation how much an intruder learns on average.
 *
 * Source: Motwani and Xu, Efficient algorithms for masking and finding
 * quasi-identifiers, 2007.
 */
#ifndef SDC_KERNEL_SEPARATION_H
#define SDC_KERNEL_SEPARATION_H

#include "kernel/base/host.h"
#include "kernel/table/frequency.h"

/* Counts of classes; all zero to start with. */
typedef struct SdcSeparation
{
	int64_t records;
	int64_t classes;
	double equal; /* pairs of records of the same class */
} SdcSeparation;

/* A set of columns, ascending, and what it separates. */
typedef struct SdcSeparationSubset
{
	const int *column;
	int size;
	SdcSeparation counts;
} SdcSeparationSubset;

/*
 * Adds that many classes of a size of at least 1.  Pairs are exact up to 2^53;
 * beyond, add classes in an order that does not depend on that of the rows.
 */
extern void sdc_separation_add(SdcSeparation *separation, int64_t size,
							   int64_t classes);

/* Classes over records, in (0, 1]; NaN without records. */
extern double sdc_separation_distinction(const SdcSeparation *separation);

/* All pairs of records, n (n - 1) / 2. */
extern double sdc_separation_pairs(const SdcSeparation *separation);

/* The share of pairs that differ, in [0, 1]; NaN with less than 2 records. */
extern double sdc_separation_share(const SdcSeparation *separation);

/*
 * How many subsets of 1 to largest columns there are; limit + 1 when there
 * are more than limit.
 */
extern int64_t sdc_separation_subsets(int columns, int largest, int64_t limit);

/*
 * Measures the subsets of 1 to largest of the columns of a table, NULL being
 * one more value; *count becomes their number.  They come with the largest
 * separation first; of equal ones that with more classes, with fewer columns,
 * with earlier columns.  O(cells) per subset and 64 bits of codes.
 */
extern SdcSeparationSubset *
sdc_separation_measure(SdcHost *host, const SdcFrequency *frequency,
					   int largest, int32_t *count);

/* Keys of a subset at the most. */
#define SDC_SUBSET_MAX_SIZE 8

/* A subset of keys, its smallest class, and how many records have such. */
typedef struct SdcSubsetClass
{
	int column[SDC_SUBSET_MAX_SIZE];
	int64_t smallest;
	int64_t records;
} SdcSubsetClass;

/*
 * The subsets of size of the first keys columns whose smallest class is the
 * smallest, at most room of them: of equal ones that with more records in
 * such classes, then that with earlier columns.  So the k of worst[0] is the k
 * of k^m-anonymity, m = size.  With wildcards a NULL agrees with every value,
 * without it is one more.  Returns their number.  O(cells) per subset, with
 * wildcards times the patterns of NULLs.  Memory 48 + 4 size bytes a cell.
 * Source: Terrovitis, Mamoulis and Kalnis, Privacy-preserving anonymization of
 * set-valued data, PVLDB 1, 2008.
 */
extern int32_t sdc_subsets_worst(SdcHost *host, const SdcFrequency *frequency,
								 int keys, int size, bool wildcard,
								 int32_t room, SdcSubsetClass *worst);

/* What a column holds, by its type. */
typedef enum SdcSuggestionType
{
	SDC_SUGGESTION_TEXT,
	SDC_SUGGESTION_INTEGER,
	SDC_SUGGESTION_REAL,
	SDC_SUGGESTION_DATE,
	SDC_SUGGESTION_BOOLEAN,
	SDC_SUGGESTION_PLACE,
	SDC_SUGGESTION_ADDRESS, /* of a machine, or a number unique in the world */
	SDC_SUGGESTION_OTHER
} SdcSuggestionType;

/* A role, in the word of sdc.role, and why: a sentence. */
typedef struct SdcSuggestion
{
	const char *role;
	const char *reason;
} SdcSuggestion;

/*
 * Guesses the role of a column.  Words of the name are parted by anything but
 * letters, and by a capital after a small letter; only ASCII letters count.
 * counts is NULL when the values were not looked at.  O(length of the name).
 */
extern SdcSuggestion sdc_suggestion_make(const char *name,
										 SdcSuggestionType type,
										 const SdcSeparation *counts);

#endif
