/*
 * fellegi_sunter.h
 *		Probabilistic record linkage: which patterns speak for a match.
 *
 * The pairs of two files are a mixture of matches (a share of them, the prior)
 * and of pairs of different people.  Given which it is, the fields agree
 * independently: on level l of a field with probability m[l] for matches and
 * u[l] for others.  A pattern speaks for a match by its weight
 *		log2 (m / u), summed over the fields that are there.
 *
 * Fellegi and Sunter (1969); estimated by EM as in Winkler (1988).
 */
#ifndef SDC_KERNEL_FELLEGI_SUNTER_H
#define SDC_KERNEL_FELLEGI_SUNTER_H

#include "kernel/base/host.h"
#include "kernel/table/frequency.h"

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

/* The probabilities of one field, by level. */
typedef struct SdcFellegiSunterField
{
	double m[SDC_COMPARISON_LEVELS];
	double u[SDC_COMPARISON_LEVELS];
	double share[SDC_COMPARISON_LEVELS]; /* of the pairs that have values */
} SdcFellegiSunterField;

typedef struct SdcFellegiSunter
{
	/* what is asked for */
	double prior; /* to start from */
	bool fix_prior;
	bool fix_u; /* u stays what the pairs at large have */
	int iterations;

	/* what is found; prior as well */
	SdcFellegiSunterField field[SDC_COMPARISON_FIELDS];
	SdcComparisonWeights weight[SDC_COMPARISON_FIELDS]; /* 0 when missing */
	int used;                                           /* iterations */
	bool converged;
} SdcFellegiSunter;

/* What a pattern is, by the two error rates. */
typedef enum SdcLinkageClass
{
	SDC_LINKAGE_LINK,
	SDC_LINKAGE_CLERICAL,
	SDC_LINKAGE_NON_LINK
} SdcLinkageClass;

/*
 * Estimates the model from the patterns of the pairs.  A better level never
 * speaks less for a match than a worse one: the levels of a field are pooled
 * until that holds (order-restricted maximum likelihood).  Stops when no
 * probability changes by more than 1e-12, or after the iterations.  Returns
 * NULL, or why the patterns tell nothing, as a sentence.  O(patterns *
 * fields) per iteration.
 */
extern const char *
sdc_fellegi_sunter_estimate(SdcHost *host, const SdcComparison *comparison,
							const SdcComparisonPatterns *patterns,
							SdcFellegiSunter *model);

/* The weight of a pattern, and its probabilities in matches and others. */
extern double sdc_fellegi_sunter_pattern(const SdcComparison *comparison,
										 const SdcFellegiSunter *model,
										 uint64_t pattern, double *m,
										 double *u);

/* The probability that a pair of some weight is a match. */
extern double sdc_fellegi_sunter_posterior(const SdcFellegiSunter *model,
										   double weight);

/*
 * Classifies the patterns: taken by falling weight they are links while the
 * u of them sum up to no more than mu, the share of other pairs that is
 * linked; taken by rising weight they are no links while their m sum up to no
 * more than lambda, the share of matches that is lost; the rest is left to a
 * clerk.  Patterns of equal weight are never told apart.  Sets the least
 * weight of a link and the largest of a non-link (infinite when there is
 * none).  O(patterns log patterns).
 */
extern void sdc_fellegi_sunter_classify(SdcHost *host,
										const SdcComparison *comparison,
										const SdcComparisonPatterns *patterns,
										const SdcFellegiSunter *model,
										double mu, double lambda, double *link,
										double *non_link);

#endif
