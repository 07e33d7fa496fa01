/*
 * dp_sum.h
 *		Clipped sums under differential privacy.
 *
 * Each value is clipped to public bounds and rounded to a grid of powers of
 * two before it is added, so the sum is an exact integer, its sensitivity is
 * known exactly, and no order of rows changes it (Casacuberta and others
 * 2022 for what goes wrong otherwise).
 */
#ifndef SDC_KERNEL_DP_SUM_H
#define SDC_KERNEL_DP_SUM_H

#include "kernel/privacy/discrete_laplace.h"
#include "kernel/privacy/neighbours.h"
#include "kernel/privacy/strong_bits.h"

typedef struct SdcDpSum
{
	double lower;
	double upper;
	/* the grid is 2^exponent, in two factors that are doubles */
	int exponent;
	double factor[2];
	/* the bounds on the grid */
	int64_t least;
	int64_t most;
	SdcDiscreteLaplace noise;
	SdcInt128 total;
} SdcDpSum;

/*
 * Starts the sum of values that are clipped to [lower, upper], finite, lower
 * <= upper.  One record changes it by max(|lower|, |upper|) at most, and with
 * SDC_NEIGHBOURS_REPLACE by that or upper - lower.  The grid is at least
 * 2^40 times finer than the noise.  False when the noise would be too large.
 */
extern bool sdc_dp_sum_start(SdcDpSum *sum, double lower, double upper,
							 SdcNeighbours neighbours, double epsilon);

/* The same for integers, on the grid 1. */
extern bool sdc_dp_sum_start_integer(SdcDpSum *sum, int64_t lower,
									 int64_t upper, SdcNeighbours neighbours,
									 double epsilon);

/* Adds a value, which may be infinite; NaN is left out. */
extern void sdc_dp_sum_add(SdcDpSum *sum, double value);
extern void sdc_dp_sum_add_integer(SdcDpSum *sum, int64_t value);

/* Adds what another sum that was started alike has seen. */
extern void sdc_dp_sum_merge(SdcDpSum *sum, const SdcDpSum *other);

/* The sum with fresh noise, on the grid, and as a finite double. */
extern SdcInt128 sdc_dp_sum_release_integer(const SdcDpSum *sum,
											SdcStrongBits *bits);
extern double sdc_dp_sum_release(const SdcDpSum *sum, SdcStrongBits *bits);

#endif
