/*
 * dp_noise.h
 *		One number made private by noise; how large it is; what may be named.
 *
 * libm: no noise is made from what libm returns; half-widths help to choose a
 * budget, and a threshold is made for slightly less than there is.
 */
#ifndef SDC_KERNEL_DP_NOISE_H
#define SDC_KERNEL_DP_NOISE_H

#include <stdint.h>

#include "kernel/privacy/strong_bits.h"

/* ----------------------------------------------------------------------
 * Which tables differential privacy must make hard to tell apart.
 * ----------------------------------------------------------------------
 */

/*
 * Tables that differ by one record more or less, or by the values of one
 * record.  A replaced record may also come to be skipped, because its value
 * is NULL or a condition no longer holds, so a figure that is safe for
 * SDC_NEIGHBOURS_REPLACE is safe for SDC_NEIGHBOURS_ADD_REMOVE, too.
 */
typedef enum SdcNeighbours
{
	SDC_NEIGHBOURS_ADD_REMOVE,
	SDC_NEIGHBOURS_REPLACE
} SdcNeighbours;

/* ----------------------------------------------------------------------
 * One number made private by noise, and how large that noise is.
 *
 * A double is rounded to a grid of powers of two, the noise is drawn and
 * added there, as integers, and only the sum becomes a double again.
 * ----------------------------------------------------------------------
 */

/* The mechanisms below, for sdc_dp_noise_halfwidth. */
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

/* ----------------------------------------------------------------------
 * Which groups may be named at all: a threshold for noisy counts.
 *
 * That a group exists can give somebody away who is alone in it.  A group is
 * named when its count plus discrete Laplace noise reaches a threshold, which
 * the group of one unit does with a probability of at most delta.
 * ----------------------------------------------------------------------
 */

/*
 * The share of delta, 0 < delta < 1, for each of so many groups that one unit
 * can be in: 1 - (1 - delta)^(1 / groups), rounded down.
 */
extern double sdc_dp_threshold_share(double delta, uint32_t groups);

/*
 * The least threshold t such that rows + Y >= t has a probability of at most
 * delta, where Y is discrete Laplace noise of scale 1 / epsilon, rounded up
 * as sdc_discrete_laplace_scale does: rows + ceil(ln(1 / (delta (1 + r))) /
 * epsilon) with r = exp(-epsilon), and never below rows + 1.  rows is the most
 * that one unit adds to a group; 2^-30 <= epsilon <= 2^10, 0 < delta < 1.
 */
extern int64_t sdc_dp_threshold_count(uint32_t rows, double epsilon,
									  double delta);

/* ----------------------------------------------------------------------
 * How much zero-concentrated differential privacy an epsilon and delta hold.
 * ----------------------------------------------------------------------
 */

/*
 * The least delta for which rho-zCDP gives (epsilon, delta): the minimum over
 * a > 1 of exp((a - 1)(a rho - epsilon)) / (a - 1) (1 - 1/a)^a (Canonne,
 * Kamath and Steinke 2020, proposition 12), which any a bounds from above.
 * Both are positive.
 */
extern double sdc_zcdp_delta(double rho, double epsilon);

/*
 * The largest rho that gives (epsilon, delta), rounded down by less than 1e-9
 * of it; 0 < epsilon <= 2^10, 0 < delta < 1.
 */
extern double sdc_zcdp_rho(double epsilon, double delta);

#endif
