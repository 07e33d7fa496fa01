/*
 * selection.h
 *		Chooses one of several candidates with a high score, privately.
 *
 * Scores are integers, so weights exp(-epsilon (best - score) / (2 D)) are
 * fractions in the exponent, and events of these probabilities are drawn
 * exactly: no weight is computed, none can underflow (Ilvento 2020).
 */
#ifndef SDC_KERNEL_SELECTION_H
#define SDC_KERNEL_SELECTION_H

#include "kernel/base/host.h"
#include "kernel/privacy/strong_bits.h"

/* Scores lie between minus this and this. */
#define SDC_SELECTION_SCORE (INT64_C(1) << 61)

/* A loss of d has the weight exp(-d times / over). */
typedef struct SdcSelectionRate
{
	uint64_t times;
	SdcUint128 over;
} SdcSelectionRate;

/*
 * The rate epsilon / (2 sensitivity), exactly; epsilon / sensitivity when all
 * scores of a table can only grow, or only fall, with a new record.  The
 * sensitivity, 1 to 2^40, is the most that one record changes a score by.
 * epsilon lies within the limits of discrete_laplace.h.
 */
extern void sdc_selection_rate(uint64_t sensitivity, bool monotonic,
							   double epsilon, SdcSelectionRate *rate);

/* True with the probability that is the weight of a loss of up to 2^63. */
extern bool sdc_selection_accept(SdcStrongBits *bits,
								 const SdcSelectionRate *rate, uint64_t loss);

/*
 * A score as an integer, in units of which the sensitivity, positive and
 * finite, is sdc_selection_sensitivity: between 2^30 and 2^31 + 1, which
 * covers the rounding.  Too large a score is cut off, which no neighbour can
 * notice.  NaN is not allowed.
 */
extern int64_t sdc_selection_score(double score, double sensitivity);
extern uint64_t sdc_selection_sensitivity(double sensitivity);

/*
 * The exponential mechanism (McSherry and Talwar 2007): candidate i with
 * probability proportional to its weight.  count > 0.  Expected time is at
 * most that of count events.
 */
extern size_t sdc_selection_exponential(SdcHost *host, SdcStrongBits *bits,
										const SdcSelectionRate *rate,
										const int64_t *score, size_t count);

/*
 * Permute and flip (McKenna and Sheldon 2020): candidates in random order,
 * the first whose event of its weight happens.  As private as the exponential
 * mechanism and never worse in expected score.
 */
extern size_t sdc_selection_permute_and_flip(SdcHost *host,
											 SdcStrongBits *bits,
											 const SdcSelectionRate *rate,
											 const int64_t *score,
											 size_t count);

#endif
