/*
 * candidate_score.h
 *		How likely each masked record is to be the one looked for.
 *
 * Parts of a mask that say how likely they make what (noise, say) give each
 * candidate a deviance, -2 times the logarithm of a likelihood up to a
 * constant of the original record.  The other numeric columns tell by
 * distance.
 */
#ifndef SDC_KERNEL_CANDIDATE_SCORE_H
#define SDC_KERNEL_CANDIDATE_SCORE_H

#include "kernel/attack/candidate_set.h"

/* a is the coordinate of an original record, b of a masked one, s a scale. */
typedef enum SdcCandidateLaw
{
	SDC_CANDIDATE_GAUSSIAN, /* normal noise with standard deviation s */
	SDC_CANDIDATE_LAPLACE,  /* Laplace noise with standard deviation s */
	SDC_CANDIDATE_BUCKETS,  /* 2^-|a - b|, a and b being numbers of buckets */
	SDC_CANDIDATE_RANKS,    /* normal density of the difference of the ranks
							 * a and b, mean and standard deviation s / 2 */
	SDC_CANDIDATE_ROUNDING, /* 1 - |a - b|, a and b in units of the base */
	SDC_CANDIDATE_RETENTION /* s [a = b] + (1 - s) share of b */
} SdcCandidateLaw;

/*
 * The weights of one part.  A coordinate that is NaN is missing and tells
 * nothing.  scale is by original record; share, of RETENTION only, by masked.
 */
typedef struct SdcCandidateWeight
{
	SdcCandidateLaw law;
	const double *original;
	const double *masked;
	const double *scale;
	const double *share;
} SdcCandidateWeight;

/*
 * What candidates are compared by.  original[j][i] and masked[j][m] are
 * standard scores of numeric columns, NaN being missing.  A column counts in
 * the cost as its squared difference divided by divisor[j], or not at all
 * when that is 0.
 */
typedef struct SdcCandidateScore
{
	int columns;
	double *const *original;
	double *const *masked;
	double *divisor;
	int weights;
	const SdcCandidateWeight *weight;
} SdcCandidateScore;

/*
 * The squared difference in standard scores of a column between an original
 * record and those that a part leaves possible, on the average: the divisor
 * that makes a column comparable with likelihoods.  Without set, over all
 * pairs.  O(originals + masked).
 */
extern double sdc_candidate_score_spread(SdcHost *host,
										 const SdcCandidateSet *set,
										 const double *original,
										 int32_t originals,
										 const double *masked, int32_t rows);

/*
 * For each of count candidates of original record i: the squared distance
 * over all columns, first to last; the deviance of the weights; and the cost,
 * the sum of that and of the columns that count.  The least cost is the best
 * candidate.  A value missing on one side counts as a squared difference of 2,
 * what two independent records have on the average.  O(count * (columns +
 * weights)).
 */
extern void sdc_candidate_score_run(const SdcCandidateScore *score, int32_t i,
									const int32_t *row, int32_t count,
									double *squared, double *deviance,
									double *cost);

#endif
