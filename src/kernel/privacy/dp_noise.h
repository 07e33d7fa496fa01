/*
 * dp_noise.h
 *		One number made private by noise, and how large that noise is.
 *
 * A double is rounded to a grid of powers of two, the noise is drawn and
 * added there, as integers, and only the sum becomes a double again.
 */
#ifndef SDC_KERNEL_DP_NOISE_H
#define SDC_KERNEL_DP_NOISE_H

#include "kernel/privacy/strong_bits.h"

typedef enum SdcDpNoise
{
	SDC_DP_NOISE_LAPLACE,
	SDC_DP_NOISE_DISCRETE_LAPLACE,
	SDC_DP_NOISE_GAUSSIAN,
	SDC_DP_NOISE_DISCRETE_GAUSSIAN
} SdcDpNoise;

/*
 * The largest grid 2^k on which noise of scale sensitivity / budget spans at
 * least 2^fine steps; never below the smallest double.  Both are positive.
 */
extern int sdc_dp_noise_grid(double sensitivity, double budget, int fine);

/* A number of steps of the grid 2^exponent as a finite double, never -0. */
extern double sdc_dp_noise_double(SdcInt128 steps, int exponent);

/*
 * value plus Laplace noise of scale sensitivity / epsilon, rounded up a
 * little; Gaussian noise of variance sensitivity^2 / (2 rho).  The value is
 * not NaN and is cut off beyond 2^80 such scales; sensitivity is finite and
 * not negative, 0 needs no noise.  False when the noise would be too large.
 */
extern bool sdc_dp_noise_laplace(SdcStrongBits *bits, double value,
								 double sensitivity, double epsilon,
								 double *noisy);
extern bool sdc_dp_noise_gaussian(SdcStrongBits *bits, double value,
								  double sensitivity, double rho,
								  double *noisy);

/* The same for integers; the result is cut off at the limits of 64 bits. */
extern bool sdc_dp_noise_laplace_integer(SdcStrongBits *bits, int64_t value,
										 uint64_t sensitivity, double epsilon,
										 int64_t *noisy);
extern bool sdc_dp_noise_gaussian_integer(SdcStrongBits *bits, int64_t value,
										  uint64_t sensitivity, double rho,
										  int64_t *noisy);

/*
 * The least w such that noise lies within -w .. w with at least the given
 * probability, 0 < confidence < 1, as these functions draw it; budget is
 * epsilon or rho.  Discrete mechanisms take a whole sensitivity.  NaN when
 * the noise would be too large.
 */
extern double sdc_dp_noise_halfwidth(SdcDpNoise mechanism, double sensitivity,
									 double budget, double confidence);

#endif
