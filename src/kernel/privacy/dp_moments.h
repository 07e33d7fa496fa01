/*
 * dp_moments.h
 *		Mean, variance and standard deviation under differential privacy.
 *
 * Values are clipped to public bounds and mapped to [-1, 1].  A sum of these
 * and a count, for the variance also a sum of squares, each get noise with an
 * equal share of epsilon; the figure is computed from the noisy sums.
 */
#ifndef SDC_KERNEL_DP_MOMENTS_H
#define SDC_KERNEL_DP_MOMENTS_H

#include "kernel/privacy/discrete_laplace.h"
#include "kernel/privacy/neighbours.h"
#include "kernel/privacy/strong_bits.h"

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
