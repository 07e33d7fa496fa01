/*
 * discrete_gaussian.h
 *		Discrete Gaussian noise: integers, exact probabilities.
 *
 * P(Y = y) is proportional to exp(-y^2 / (2 variance)).  An integer that
 * changes by at most D between neighbouring tables, plus Y with variance
 * D^2 / (2 rho), is rho-zero-concentrated differentially private (Canonne,
 * Kamath and Steinke 2020, theorem 4).
 */
#ifndef SDC_KERNEL_DISCRETE_GAUSSIAN_H
#define SDC_KERNEL_DISCRETE_GAUSSIAN_H

#include "kernel/privacy/strong_bits.h"

/* What rho may be: 2^-30 to 2^10. */
#define SDC_RHO_LEAST 0x1p-30
#define SDC_RHO_MOST  1024.0

/* The variance numerator / 2^shift; numerator 0 is no noise at all. */
typedef struct SdcDiscreteGaussian
{
	uint64_t numerator;
	unsigned shift;
	/* floor(standard deviation) + 1, the scale of what is drawn first */
	uint64_t step;
} SdcDiscreteGaussian;

/*
 * The smallest variance of this form that is at least sensitivity^2 /
 * (2 rho), with a numerator of 41 bits or more: so rho is never exceeded.
 * False when the variance would reach 2^56.  rho lies within the limits.
 */
extern bool sdc_discrete_gaussian_variance(uint64_t sensitivity, double rho,
										   SdcDiscreteGaussian *variance);

/*
 * Draws Y: discrete Laplace, accepted with the right probability (Canonne,
 * Kamath and Steinke 2020, algorithm 3).  Exact but for values that
 * have a probability of less than exp(-2000) in all and are never drawn.
 */
extern SdcInt128
sdc_discrete_gaussian_draw(SdcStrongBits *bits,
						   const SdcDiscreteGaussian *variance);

#endif
