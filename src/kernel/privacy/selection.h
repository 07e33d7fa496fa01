/*
 * selection.h
 *		Private choices: one of several candidates, a median, a quantile.
 */
#ifndef SDC_KERNEL_SELECTION_H
#define SDC_KERNEL_SELECTION_H

#include "kernel/base/host.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/strong_bits.h"

/* ----------------------------------------------------------------------
 * Chooses one of several candidates with a high score, privately.
 *
 * Scores are integers, so weights exp(-epsilon (best - score) / (2 D)) are
 * fractions in the exponent, and events of these probabilities are drawn
 * exactly: no weight is computed, none can underflow (Ilvento 2020).
 * ----------------------------------------------------------------------
 */

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
 * epsilon lies within the limits of discrete_noise.h.
 */
extern void sdc_selection_rate(uint64_t sensitivity, bool monotonic,
							   double epsilon, SdcSelectionRate *rate);

/*
 * A score as an integer, in units of which the sensitivity, positive and
 * finite, is sdc_selection_sensitivity: between 2^30 and 2^31 + 1, which
 * covers the rounding.  Too large a score is cut off, which no neighbour can
 * notice.  NaN is not allowed.  The second function says that sensitivity.
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

/* ----------------------------------------------------------------------
 * A median or another quantile under differential privacy.
 *
 * The exponential mechanism over equal cells of a public range.  The state is
 * a count for each cell: one pass, and nothing depends on the order of rows.
 * ----------------------------------------------------------------------
 */

/* A public range, cut into cells. */
typedef struct SdcDpQuantileRange
{
	double lower;
	double upper;
	uint32_t cells;
} SdcDpQuantileRange;

/* The fraction part / whole, to 20 bits. */
typedef struct SdcDpQuantileFraction
{
	uint64_t part;
	uint64_t whole;
} SdcDpQuantileFraction;

/* The fraction nearest to one of 0 to 1. */
extern SdcDpQuantileFraction sdc_dp_quantile_fraction(double fraction);

/* The cell of a value, which is clipped to the range; NaN is not allowed. */
extern uint32_t sdc_dp_quantile_cell(const SdcDpQuantileRange *range,
									 double value);

/* The middle of a cell. */
extern double sdc_dp_quantile_value(const SdcDpQuantileRange *range,
									uint32_t cell);

/*
 * How far a cell is from holding the quantile of total values, less of which
 * lie in cells before it and up_to of which do not lie behind it:
 * max(0, whole less - part total, part total - whole up_to).  A value that
 * makes up much of the data does not count against itself.
 */
extern uint64_t sdc_dp_quantile_loss(const SdcDpQuantileFraction *fraction,
									 uint64_t less, uint64_t up_to,
									 uint64_t total);

/*
 * The most that one record changes a loss by: max(part, whole - part) when it
 * is added or removed, whole when its value is replaced.
 */
extern uint64_t
sdc_dp_quantile_sensitivity(const SdcDpQuantileFraction *fraction,
							SdcNeighbours neighbours);

/*
 * A cell with probability proportional to exp(-epsilon loss / (2
 * sensitivity)), from the counts of all cells, 2^40 values at most.  Some
 * cell always has loss zero, so nothing underflows.  Memory 8 bytes per cell;
 * expected time is at most that of as many events as there are cells.
 */
extern uint32_t sdc_dp_quantile_choose(SdcHost *host, SdcStrongBits *bits,
									   const uint64_t *count, uint32_t cells,
									   const SdcDpQuantileFraction *fraction,
									   SdcNeighbours neighbours,
									   double epsilon);

#endif
