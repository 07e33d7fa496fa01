/*
 * dp_quantile.h
 *		A median or another quantile under differential privacy.
 *
 * The exponential mechanism over equal cells of a public range.  The state is
 * a count for each cell: one pass, and nothing depends on the order of rows.
 */
#ifndef SDC_KERNEL_DP_QUANTILE_H
#define SDC_KERNEL_DP_QUANTILE_H

#include "kernel/base/host.h"
#include "kernel/privacy/neighbours.h"
#include "kernel/privacy/strong_bits.h"

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
