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
#include "kernel/linkage/agreement.h"

/* What each level of a field counts, the one of missing values the last. */
typedef double SdcComparisonWeights[SDC_COMPARISON_LEVELS + 1];

/* The probabilities of one field, by level. */
typedef struct SdcFellegiSunterField
{
	double m[SDC_COMPARISON_LEVELS];
	double u[SDC_COMPARISON_LEVELS];
	double share[SDC_COMPARISON_LEVELS]; /* of the pairs that have values */
} SdcFellegiSunterField;

/* Whose agreement m is learned from; see sdc_fellegi_sunter_estimate. */
typedef enum SdcFellegiSunterBy
{
	SDC_LINKAGE_BY_PAIRS,
	SDC_LINKAGE_BY_RECORDS, /* each has one match at most */
	SDC_LINKAGE_BY_OWN      /* the same, and its own share of each level */
} SdcFellegiSunterBy;

/* A model of pairs: how it is to be estimated, and what was estimated. */
typedef struct SdcFellegiSunter
{
	/* what is asked for */
	double prior; /* to start from */
	bool fix_prior;
	bool fix_u; /* u stays what all pairs have, sampled or not */
	int iterations;
	/* NULL, or records that may say what m is; then u and prior stay */
	const SdcComparisonLists *lists;

	/* what is found; prior as well */
	SdcFellegiSunterField field[SDC_COMPARISON_FIELDS];
	SdcComparisonWeights weight[SDC_COMPARISON_FIELDS]; /* 0 when missing */
	int used;                                           /* iterations */
	SdcFellegiSunterBy by;
	double foretold; /* with lists; see below */
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
 * What a level scores for the lists of sdc_comparison_list: log2 of the share
 * of all pairs that agree as well or better, missing values 0.  From the
 * patterns where levels cannot be counted without pairs.
 */
extern void sdc_fellegi_sunter_rarity(SdcHost *host,
									  const SdcComparison *comparison,
									  const SdcComparisonPatterns *patterns,
									  SdcComparisonWeights *rarity);

/*
 * Estimates the model from the patterns of the pairs.
 *
 * With lists m is estimated in three ways, and the one is taken by which the
 * keys foretell each other best.  By pairs: where fields hang together, in
 * pairs of different people, EM may find those instead of matches.  By
 * records: the match of a record is one of its block by the odds of the
 * weights, or nobody; what the other pairs have cancels.  By their own: the
 * same, and a level counts against how often this record has it, for by u of
 * all pairs a rare value looks like a mistake.  Each of them can end in a
 * class of pairs that are no matches; there, one key foretells nothing of most
 * others.  So foretold is the mean over records and the half of the fields
 * where it is least of log2 P(level) / share(level), where P is what m says of
 * the match that the other fields find; pairs are taken where none is above 0.
 *
 * A better level never speaks less for a match than a worse one: the levels of
 * a field are pooled until that holds (order-restricted maximum likelihood).
 * Stops when no probability changes by more than 1e-12, or after the
 * iterations.  Returns NULL, or why the patterns tell nothing, as a sentence.
 * O(patterns * fields) per iteration, and that of the entries of lists.
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

/* Where a probability lies with 95 percent. */
typedef struct SdcLinkageInterval
{
	double low;
	double high;
} SdcLinkageInterval;

/*
 * The interval of each m of an estimate, by field and level.  The scores of
 * the pairs, or of the records of the lists where m is by these, squared and
 * added are the information of all m together, prior and u taken as known
 * (the empirical information of EM: Meilijson 1989); its inverse has the
 * variances, and the interval is that of the logit.  Of a level that less than
 * one match has, only the number of matches counts.  Where the information
 * cannot be inverted nothing is known: 0 to 1.  O(pairs of patterns or records
 * times squared levels).
 */
extern void sdc_fellegi_sunter_intervals(
	SdcHost *host, const SdcComparison *comparison,
	const SdcComparisonPatterns *patterns, const SdcFellegiSunter *model,
	SdcLinkageInterval (*interval)[SDC_COMPARISON_LEVELS]);

#endif
