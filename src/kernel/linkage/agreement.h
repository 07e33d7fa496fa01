/*
 * agreement.h
 *		Records of two files compared field by field: agreement patterns.
 *
 * Records that are equal in all fields are one point, and only points are
 * compared.  The patterns of all pairs of points are counted as long as there
 * are no more of them than a budget; beyond it the records of file 0 are a
 * sample by a seed.  What a field alone does in all pairs is counted without
 * any pair, from sorted values.
 */
#ifndef SDC_KERNEL_AGREEMENT_H
#define SDC_KERNEL_AGREEMENT_H

#include "kernel/base/host.h"

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
 * The distinct records of a file, in the order of their blocks, then of their
 * fields.  A record outside all blocks has no point.
 */
typedef struct SdcComparisonPoints
{
	int32_t points;
	int32_t *point;  /* of each record, or -1 */
	int32_t *first;  /* records of point p: member[first[p]] and on */
	int32_t *member; /* ascending within a point */
	int32_t *block;  /* points of block b: from block[b] on */
	double *number[SDC_COMPARISON_FIELDS]; /* of each point; or else */
	int32_t *code[SDC_COMPARISON_FIELDS];
} SdcComparisonPoints;

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
	uint64_t room; /* patterns that there can be */
	SdcComparisonPoints file[2];
	uint64_t pairs;       /* of records of one block */
	uint64_t point_pairs; /* of points of one block */
} SdcComparison;

/*
 * Patterns that occur, ascending, and how many pairs have each.  Where the
 * pairs are those of a sample, the numbers are as counted there.
 */
typedef struct SdcComparisonPatterns
{
	int32_t count;
	uint64_t *pattern;
	uint64_t *pairs;
	int32_t records; /* of file 0 that were compared */
	uint64_t total;  /* pairs of records that were compared */
} SdcComparisonPatterns;

/*
 * Finds the distinct records of both files and counts the pairs.  False when
 * the patterns do not fit 64 bits.  O(fields * records).
 */
extern bool sdc_comparison_prepare(SdcHost *host, SdcComparison *comparison);

/* The level of a field in a pattern; levels of the field: missing. */
extern int sdc_comparison_level(const SdcComparison *comparison,
								uint64_t pattern, int field);

/*
 * Counts the patterns of all pairs, or, where there are more pairs of points
 * than the budget, of a share of the records of file 0 with all of file 1,
 * drawn by the seed from their values, so that the order of the rows does not
 * matter.  A pair of points is a step of the budget; where there can be more
 * patterns than SDC_COMPARISON_DIRECT it is ten, because they are hashed.
 * O(fields * min(pairs of points, budget)) time, memory by the patterns.
 */
extern SdcComparisonPatterns sdc_comparison_count(SdcHost *host,
												  SdcComparison *comparison,
												  double budget,
												  uint64_t seed);

/* Patterns that are counted in an array. */
#define SDC_COMPARISON_DIRECT UINT64_C(1000000)

/*
 * What some records of file 0 look like beside all of file 1, one by one: the
 * different patterns of record r are first[r] .. first[r + 1] - 1, with the
 * level of each field, level[entry * fields + field], and how many records of
 * file 1 have it.  share[(r * fields + field) * (SDC_COMPARISON_LEVELS + 1) +
 * level] is how often record r has a level among the values that are there,
 * in all patterns: a rare value agrees seldom.
 */
typedef struct SdcComparisonLists
{
	int32_t records;
	int32_t *first;
	uint8_t *level;
	double *times;
	float *share;
	int32_t *partners; /* records of file 1 in the block of record r */
	uint64_t total;    /* pairs of records that were compared */
} SdcComparisonLists;

/* Records of the lists at most, and patterns of each. */
#define SDC_COMPARISON_LISTED   1000
#define SDC_COMPARISON_PATTERNS 500

/*
 * Lists at most SDC_COMPARISON_LISTED records, fewer where they would take
 * more than the budget, drawn by the seed as sdc_comparison_count draws them.
 * A record keeps the SDC_COMPARISON_PATTERNS patterns that score least:
 * score[field][level], the last one of missing values.  Steps of the budget
 * are those of sdc_comparison_count.  O(fields * budget) time; memory is
 * bounded by the two limits.
 */
extern SdcComparisonLists
sdc_comparison_list(SdcHost *host, const SdcComparison *comparison,
					double (*score)[SDC_COMPARISON_LEVELS + 1], double budget,
					uint64_t seed);

/*
 * How many of all pairs have each level of a field, exactly, without the pairs
 * where a value is missing.  Numbers and equality are counted from sorted
 * values in O(records log records); with a table of levels false is returned
 * unless there are few codes.
 */
extern bool sdc_comparison_marginal(SdcHost *host,
									const SdcComparison *comparison, int field,
									uint64_t *pairs);

#endif
