/*
 * comparison.h
 *		Records of two files compared field by field: agreement patterns.
 *
 * Each field of a pair of records has a level of agreement: 0 is the best, the
 * last is disagreement; where a value is missing in either record there is one
 * more, which says nothing.  The levels of all fields are the pattern of the
 * pair, one number.
 */
#ifndef SDC_KERNEL_COMPARISON_H
#define SDC_KERNEL_COMPARISON_H

#include "kernel/base/host.h"
#include "kernel/table/grouping.h"

/* Levels of a field at the most, without the one of missing values. */
#define SDC_COMPARISON_LEVELS 8

/* Fields at the most. */
#define SDC_COMPARISON_FIELDS 64

/*
 * How one field is compared, and its values in the file of those who look
 * ([0]) and in that of those who are found ([1]).  Either numbers: level l is
 * the first with |a - b| <= threshold[l], ascending; NaN is missing.  Or codes
 * (-1 missing): level[a * codes + b], or, without that table, equal or not.
 */
typedef struct SdcComparisonField
{
	int levels;
	const double *number[2];
	double threshold[SDC_COMPARISON_LEVELS];
	const int32_t *code[2];
	int32_t codes;
	const uint8_t *level;
} SdcComparisonField;

/*
 * The files.  Only records of the same block are compared: block[] is a number
 * from 0 for each record, or -1 for a record that is compared with nobody; no
 * arrays at all compare everybody with everybody.
 */
typedef struct SdcComparison
{
	int fields;
	SdcComparisonField field[SDC_COMPARISON_FIELDS];
	int32_t records[2];
	const int32_t *block[2];
	int32_t blocks;

	/* set by sdc_comparison_prepare */
	uint64_t stride[SDC_COMPARISON_FIELDS];
	SdcGrouping others; /* records of file 1 by block */
	int32_t largest;    /* pairs of one record at the most */
	uint64_t pairs;     /* that are compared */
	uint8_t *level;     /* of one field of one record's pairs */
} SdcComparison;

/* Patterns that occur, ascending, and how many pairs have each. */
typedef struct SdcComparisonPatterns
{
	int32_t count;
	uint64_t *pattern;
	uint64_t *pairs;
} SdcComparisonPatterns;

/*
 * Orders the records by block and counts the pairs.  False when the patterns
 * do not fit 64 bits.  O(records).
 */
extern bool sdc_comparison_prepare(SdcHost *host, SdcComparison *comparison);

/*
 * The records of file 1 that a record of file 0 is compared with: how many,
 * and the first of them in member.
 */
extern int32_t sdc_comparison_others(const SdcComparison *comparison,
									 int32_t record, const int32_t **other);

/*
 * Compares a record of file 0 with those others: pattern[i] is that of the
 * pair with the i-th of them.  O(fields * others).
 */
extern void sdc_comparison_patterns(const SdcComparison *comparison,
									int32_t record, uint64_t *pattern);

/* What each level of a field counts, the one of missing values the last. */
typedef double SdcComparisonWeights[SDC_COMPARISON_LEVELS + 1];

/* The same with a sum in place of the pattern: weights[field][level]. */
extern void sdc_comparison_sums(const SdcComparison *comparison,
								const SdcComparisonWeights *weights,
								int32_t record, double *sum);

/* The level of a field in a pattern; levels of the field: missing. */
extern int sdc_comparison_level(const SdcComparison *comparison,
								uint64_t pattern, int field);

/*
 * Counts the patterns of all pairs.  O(fields * pairs) time, memory by the
 * patterns that occur.
 */
extern SdcComparisonPatterns sdc_comparison_count(SdcHost *host,
												  SdcComparison *comparison);

#endif
