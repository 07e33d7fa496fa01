/*
 * bernoulli_exponential.h
 *		Events that happen with probability exp(-a/b), exactly.
 *
 * From these all noise is made.  Nothing is computed but sums, products and
 * comparisons of integers, so no rounding can tell the value that the noise
 * hides (Mironov 2012).  The only constant is 1/e, stored to 256 bits.
 */
#ifndef SDC_KERNEL_BERNOULLI_EXPONENTIAL_H
#define SDC_KERNEL_BERNOULLI_EXPONENTIAL_H

#include "kernel/privacy/strong_bits.h"

/* The first 64 bits of 1/e, and the others. */
#define SDC_BERNOULLI_EXPONENTIAL_FIRST UINT64_C(0x5e2d58d8b3bcdf1a)

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

#endif
