/*
 * frequency.h
 *		Frequency tables: how often each combination of values occurs.
 *
 * Nearly every measure of risk is a function of one.  A value is an int32
 * code; the host numbers the values of a column in the order of their type,
 * from 0, so that a kernel may compare codes but needs no values.  A cell is a
 * combination of codes that occurs, with the number of records that have it.
 *
 * Cells are sorted by the codes of the first column, then the second, and so
 * on, NULL last.  So the classes of the first columns are runs of cells, sums
 * taken in this order do not depend on the order of the rows, and a table of
 * quasi-identifiers followed by one sensitive column holds the histogram of
 * each class as a run.
 */
#ifndef SDC_KERNEL_FREQUENCY_H
#define SDC_KERNEL_FREQUENCY_H

#include "kernel/base/host.h"
#include "kernel/base/table.h"

/* The code of NULL. */
#define SDC_CODE_NULL (-1)

/* A frequency table, in memory of the host. */
typedef struct SdcFrequency
{
	int columns;
	int32_t cells;
	int32_t **code;  /* code[j][cell]: 0 .. values[j] - 1 or SDC_CODE_NULL */
	int32_t *values; /* of each column, how many values other than NULL */
	int64_t *count;  /* records in a cell, at least 1 */
	double *weight;  /* sum of their weights; NULL when there are no weights */
	int64_t records; /* sum of count */
} SdcFrequency;

/*
 * The classes of equal codes in the first columns of a frequency table.  Class
 * c is the cells first[c] .. first[c + 1] - 1; classes are in the order of
 * their codes.
 */
typedef struct SdcClasses
{
	int32_t classes;
	int32_t *first;  /* classes + 1 numbers of cells */
	int64_t *size;   /* records */
	double *weight;  /* sum of weights, or NULL */
	int64_t records; /* sum of size */
} SdcClasses;

/* Counts records one by one. */
typedef struct SdcFrequencyCount SdcFrequencyCount;

/* Starts counting combinations of that many codes (at least 1). */
extern SdcFrequencyCount *sdc_frequency_start(SdcHost *host, int columns,
											  bool weighted);

/*
 * Counts count records that have these codes (any int32) and weigh weight
 * together, and returns the number of their cell: cells are numbered in the
 * order in which they are first met.  O(columns) expected; grows as cells
 * come, memory 4 * columns + 8 (16 more with weights) to twice that a cell.
 */
extern int32_t sdc_frequency_add(SdcFrequencyCount *counting,
								 const int32_t *codes, int64_t count,
								 double weight);

/* Records that are counted together at the most. */
#define SDC_FREQUENCY_TOGETHER 64

/*
 * The same for up to SDC_FREQUENCY_TOGETHER records, one by one, without a
 * weight: the codes of a record lie behind those of the one before.  Takes
 * less time, as what has to be read for them is fetched together.
 */
extern void sdc_frequency_add_many(SdcFrequencyCount *counting,
								   const int32_t *codes, int records);

/*
 * Ends counting.  rank[j], unless NULL, replaces each code of column j that is
 * not NULL by its rank: codes that were given out as values came turn into the
 * order of the type.  values[j] is the number of values of column j.  *place,
 * unless place is NULL, becomes an array that tells for each cell number that
 * sdc_frequency_add returned which cell of the result it is.  Frees what
 * counting took.  O(cells) per 64 bits of codes.
 */
extern SdcFrequency *sdc_frequency_finish(SdcFrequencyCount *counting,
										  const int32_t *const *rank,
										  const int32_t *values,
										  int32_t **place);

/*
 * The frequency table of some of the columns, in the order given, which is
 * also how its cells are sorted.  *place as above, for the cells of the given
 * table.  O(cells) per 64 bits of codes.
 */
extern SdcFrequency *sdc_frequency_project(SdcHost *host,
										   const SdcFrequency *frequency,
										   const int *column, int columns,
										   int32_t **place);

/*
 * The classes of the first keys columns; 0 keys make one class.  An empty
 * table has no classes.  O(cells).
 */
extern SdcClasses *
sdc_frequency_classes(SdcHost *host, const SdcFrequency *frequency, int keys);

/* Gives a table, or classes, back before the host ends; NULL is ignored. */
extern void sdc_frequency_release(SdcHost *host, SdcFrequency *frequency);
extern void sdc_classes_release(SdcHost *host, SdcClasses *classes);

/* A sum, and the error that rounding made in it. */
typedef struct SdcWeight
{
	double sum;
	double error;
} SdcWeight;

struct SdcFrequencyCount
{
	SdcHost *host;
	int columns;
	bool weighted;
	int32_t cells;
	size_t room;    /* a power of two, more than cells */
	int32_t *codes; /* codes[cell * columns + j] */
	int64_t *count;
	uint32_t *hash;
	SdcWeight *weight;
	SdcTable table; /* of cells */
};

/*
 * Splits groups by one more column: rows stay together that were together and
 * have the same code.  group[i] is the number of a row's group, from 0, or -1
 * for none; a row whose code is negative leaves its group when that is asked
 * for, and else keeps company with its like.  Returns the number of groups,
 * which are numbered by their old numbers, then by their codes.  O(n).
 */
extern int32_t sdc_grouping_refine(SdcHost *host, int32_t n,
								   const int32_t *code, bool null_leaves,
								   int32_t *group);

/* ----------------------------------------------------------------------
 * NULL as a wildcard: records that may agree, not only those that do.
 *
 * A NULL in a quasi-identifier may stand for any value, so two records are
 * compatible when they agree in every column where neither is NULL.  This is
 * no equivalence: compatible records do not form classes, but each class of a
 * frequency table has a set of records compatible with its own.
 * ----------------------------------------------------------------------
 */

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
 * patterns of NULLs), at most O(classes^2), without NULLs O(classes).  Scratch
 * 24 bytes a class.
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
