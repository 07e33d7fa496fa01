/*
 * discrete_noise.h
 *		Noise that is integers, with exact probabilities.
 */
#ifndef SDC_KERNEL_DISCRETE_NOISE_H
#define SDC_KERNEL_DISCRETE_NOISE_H

#include <math.h>
#include <stdint.h>

#include "kernel/privacy/strong_bits.h"

/* ----------------------------------------------------------------------
 * A positive double as the exact rational number that it is.
 *
 * Epsilon comes in as a double.  Noise must not be scaled by a rounded
 * epsilon, so everything computes with these integers.
 * ----------------------------------------------------------------------
 */

/* digits * 2^exponent, digits odd. */
typedef struct SdcDyadic
{
	uint64_t digits;
	int exponent;
} SdcDyadic;

/* The parts of a positive finite number. */
static inline SdcDyadic
sdc_dyadic(double value)
{
	SdcDyadic dyadic;
	int zeros;

	dyadic.digits = (uint64_t) ldexp(frexp(value, &dyadic.exponent), 53);
	zeros = __builtin_ctzll(dyadic.digits);
	dyadic.digits >>= zeros;
	dyadic.exponent += zeros - 53;
	return dyadic;
}

/* The largest e with 2^e <= a / b, both positive and finite. */
static inline int
sdc_dyadic_log2_ratio(double a, double b)
{
	int a_exponent;
	int b_exponent;
	double a_part = frexp(a, &a_exponent);
	double b_part = frexp(b, &b_exponent);

	return a_exponent - b_exponent - (a_part < b_part);
}

/* ----------------------------------------------------------------------
 * Events that happen with probability exp(-a/b), exactly.
 *
 * From these all noise is made.  Nothing is computed but sums, products and
 * comparisons of integers, so no rounding can tell the value that the noise
 * hides (Mironov 2012).  The only constant is 1/e, stored to 256 bits.
 * ----------------------------------------------------------------------
 */

/* The first 64 bits of 1/e. */
#define SDC_BERNOULLI_EXPONENTIAL_FIRST UINT64_C(0x5e2d58d8b3bcdf1a)

/* The rest of the comparison, when the first 64 bits are equal. */
extern bool sdc_bernoulli_exponential_tie(SdcStrongBits *bits);

/* True with probability 1/e: compares a uniform fraction with its bits. */
static inline bool
sdc_bernoulli_exponential_unit(SdcStrongBits *bits)
{
	uint64_t drawn = sdc_strong_bits_draw(bits);

	if (drawn != SDC_BERNOULLI_EXPONENTIAL_FIRST)
		return drawn < SDC_BERNOULLI_EXPONENTIAL_FIRST;
	return sdc_bernoulli_exponential_tie(bits);
}

/*
 * True with probability exp(-part/whole), 0 <= part <= whole, whole > 0
 * (Canonne, Kamath and Steinke 2020, algorithm 1).  The event of probability
 * part / (whole * k) is the meeting of two, so that nothing exceeds 64 bits.
 */
static inline bool
sdc_bernoulli_exponential_part(SdcStrongBits *bits, uint64_t part,
							   uint64_t whole)
{
	uint64_t k = 1;

	while (sdc_strong_bits_below(bits, whole) < part &&
		   (k == 1 || sdc_strong_bits_below(bits, k) == 0))
		k++;
	return k & 1;
}

/* True with probability exp(-a/b), b > 0; a and b of up to 127 bits. */
extern bool sdc_bernoulli_exponential_draw(SdcStrongBits *bits, SdcUint128 a,
										   SdcUint128 b);

/* ----------------------------------------------------------------------
 * Discrete Laplace noise: integers, exact probabilities.
 *
 * P(Y = y) = (1 - r) / (1 + r) r^|y| with r = exp(-1 / scale).  An integer
 * that changes by at most D between neighbouring tables, plus Y with scale
 * D / epsilon, is epsilon-differentially private (Ghosh, Roughgarden and
 * Sundararajan 2009).
 * ----------------------------------------------------------------------
 */

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

/* ----------------------------------------------------------------------
 * Discrete Gaussian noise: integers, exact probabilities.
 *
 * P(Y = y) is proportional to exp(-y^2 / (2 variance)).  An integer that
 * changes by at most D between neighbouring tables, plus Y with variance
 * D^2 / (2 rho), is rho-zero-concentrated differentially private (Canonne,
 * Kamath and Steinke 2020, theorem 4).
 * ----------------------------------------------------------------------
 */

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
