/*
 * dp_moments.h
 *		Sums, means and variances under differential privacy.
 */
#ifndef SDC_KERNEL_DP_MOMENTS_H
#define SDC_KERNEL_DP_MOMENTS_H

#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/strong_bits.h"

/* ----------------------------------------------------------------------
 * Clipped sums under differential privacy.
 *
 * Each value is clipped to public bounds and rounded to a grid of powers of
 * two before it is added, so the sum is an exact integer, its sensitivity is
 * known exactly, and no order of rows changes it (Casacuberta and others
 * 2022 for what goes wrong otherwise).
 * ----------------------------------------------------------------------
 */

/* A sum, and the noise that it will get; started by sdc_dp_sum_start. */
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
	SdcInt128 total; /* on the grid, without noise */
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

/*
 * The sum with fresh noise: as a number of steps of the grid, and as a finite
 * double.  Each call draws noise of its own, and costs its own epsilon.
 */
extern SdcInt128 sdc_dp_sum_release_integer(const SdcDpSum *sum,
											SdcStrongBits *bits);
extern double sdc_dp_sum_release(const SdcDpSum *sum, SdcStrongBits *bits);

/* ----------------------------------------------------------------------
 * Mean, variance and standard deviation under differential privacy.
 *
 * Values are clipped to public bounds and mapped to [-1, 1].  A sum of these
 * and a count, for the variance also a sum of squares, each get noise with an
 * equal share of epsilon; the figure is computed from the noisy sums.
 * ----------------------------------------------------------------------
 */

/* Sums and their noise; started by sdc_dp_moments_start. */
typedef struct SdcDpMoments
{
	double lower;
	double upper;
	int order; /* 1: mean; 2: variance, too */
	int bits;  /* 1 is 2^bits steps of the grid */
	SdcDiscreteLaplace noise;
	SdcDiscreteLaplace count_noise;
	int64_t count;
	SdcInt128 first;  /* sum of values in [-1, 1] */
	SdcInt128 second; /* sum of 2 square - 1, in [-1, 1] as well */
} SdcDpMoments;

/*
 * Starts the moments of values clipped to [lower, upper], finite, lower <=
 * upper.  One record changes each sum by 1 at most, by 2 when it is replaced,
 * and the count by 1.
 */
extern void sdc_dp_moments_start(SdcDpMoments *moments, double lower,
								 double upper, int order,
								 SdcNeighbours neighbours, double epsilon);

/* Adds a value, which may be infinite; NaN is left out. */
extern void sdc_dp_moments_add(SdcDpMoments *moments, double value);

/* Adds what other moments that were started alike have seen. */
extern void sdc_dp_moments_merge(SdcDpMoments *moments,
								 const SdcDpMoments *other);

/*
 * With fresh noise: the mean, within the bounds; and the variance (divisor
 * n), between 0 and the square of half the width, at most the largest double.
 */
extern double sdc_dp_moments_mean(const SdcDpMoments *moments,
								  SdcStrongBits *bits);
extern double sdc_dp_moments_variance(const SdcDpMoments *moments,
									  SdcStrongBits *bits);

/* The square root of such a variance, without its overflow. */
extern double sdc_dp_moments_deviation(const SdcDpMoments *moments,
									   SdcStrongBits *bits);

#endif
