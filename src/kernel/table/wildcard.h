/*
 * wildcard.h
 *		NULL as a wildcard: records that may agree, not only those that do.
 *
 * A NULL in a quasi-identifier may stand for any value, so two records are
 * compatible when they agree in every column where neither is NULL.  This is
 * no equivalence: compatible records do not form classes, but each class of a
 * frequency table has a set of records compatible with its own.
 */
#ifndef SDC_KERNEL_WILDCARD_H
#define SDC_KERNEL_WILDCARD_H

#include "kernel/base/host.h"
#include "kernel/table/frequency.h"

/* What a NULL in a relation means. */
typedef enum SdcNulls
{
	SDC_NULLS_CATEGORY, /* one more value, wherever it is */
	SDC_NULLS_WILDCARD, /* in a key any value: it agrees with everything */
	SDC_NULLS_IGNORE /* no value: it is not counted, or agrees with nobody */
} SdcNulls;

/* Their words in that order; the list ends with NULL. */
extern const char *const sdc_nulls_words[];

/*
 * records[c] becomes the number of records compatible with those of class c,
 * themselves included; weight[c], unless weight is NULL, the sum of their
 * weights.  The classes are those of the first keys columns.  O(classes *
 * patterns of NULLs), without NULLs O(classes).  Scratch 24 bytes a class.
 */
extern void sdc_wildcard_match(SdcHost *host, const SdcFrequency *frequency,
							   const SdcClasses *classes, int keys,
							   int64_t *records, double *weight);

/*
 * A table whose first column is the number of a class and whose others are
 * those of the given table after its keys: class c holds the records that are
 * compatible with those of class c.  So measures of classes measure sets of
 * compatible records.  O(pairs of compatible classes), as is the memory.
 */
extern SdcFrequency *sdc_wildcard_expand(SdcHost *host,
										 const SdcFrequency *frequency,
										 const SdcClasses *classes, int keys);

/* How many records look like those of each class, and what they weigh. */
typedef struct SdcAlike
{
	int64_t *records; /* by class, at least its size */
	double *weight;   /* or NULL */
} SdcAlike;

/*
 * Without wildcards, the sizes and weights of the classes themselves; with
 * them, what sdc_wildcard_match finds.
 */
extern SdcAlike sdc_wildcard_alike(SdcHost *host,
								   const SdcFrequency *frequency,
								   const SdcClasses *classes, int keys,
								   bool wildcard);

#endif
