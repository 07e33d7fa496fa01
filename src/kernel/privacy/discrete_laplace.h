/*
 * discrete_laplace.h
 *		Discrete Laplace noise: integers, exact probabilities.
 *
 * P(Y = y) = (1 - r) / (1 + r) r^|y| with r = exp(-1 / scale).  An integer
 * that changes by at most D between neighbouring tables, plus Y with scale
 * D / epsilon, is epsilon-differentially private (Ghosh, Roughgarden and
 * Sundararajan 2009).
 */
#ifndef SDC_KERNEL_DISCRETE_LAPLACE_H
#define SDC_KERNEL_DISCRETE_LAPLACE_H

#include "kernel/privacy/strong_bits.h"

/* What epsilon may be, everywhere: 2^-30 to 2^10. */
#define SDC_EPSILON_LEAST 0x1p-30
#define SDC_EPSILON_MOST  1024.0

/* The scale numerator / 2^shift; numerator 0 is no noise at all. */
typedef struct SdcDiscreteLaplace
{
	uint64_t numerator;
	unsigned shift;
} SdcDiscreteLaplace;

/*
 * The smallest scale of this form that is at least parts * sensitivity /
 * epsilon, with a numerator of 41 bits or more: so the epsilon it gives is
 * never above epsilon / parts, and below it by less than 2^-40 of it.  A
 * release of several figures that share epsilon gives each its number as
 * parts.  False when the scale would reach 2^62.  epsilon lies within the
 * limits above; sensitivity 0 needs no noise.
 */
extern bool sdc_discrete_laplace_scale(uint64_t sensitivity, unsigned parts,
									   double epsilon,
									   SdcDiscreteLaplace *scale);

/*
 * Draws Y.  Canonne, Kamath and Steinke 2020, algorithm 2, for the numerator;
 * dividing a geometric variable by 2^shift, rounding down, gives a geometric
 * variable again.  Expected time is constant; it grows a little with |Y|.
 */
extern SdcInt128 sdc_discrete_laplace_draw(SdcStrongBits *bits,
										   const SdcDiscreteLaplace *scale);

#endif
