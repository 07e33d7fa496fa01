/*
 * bernoulli_exponential.c
 *		Events that happen with probability exp(-a/b), exactly.
 *
 * See bernoulli_exponential.h.  For a fraction below one the number of
 * successes in a row, of probabilities x, x/2, x/3, ..., is even with
 * probability exp(-x); every whole unit is one more event of 1/e.
 */
#include "kernel/privacy/bernoulli_exponential.h"
#include "kernel/privacy/strong_bits.h"

/* Bits 65 to 256 of 1/e. */
static const uint64_t further_bits[] = {UINT64_C(0xbadec7829054f90d),
										UINT64_C(0xda9805aab56c7733),
										UINT64_C(0x3024b9d0a507daed)};

bool
sdc_bernoulli_exponential_tie(SdcStrongBits *bits)
{
	size_t i;

	for (i = 0; i < sizeof(further_bits) / sizeof(further_bits[0]); i++)
	{
		uint64_t drawn = sdc_strong_bits_draw(bits);

		if (drawn != further_bits[i])
			return drawn < further_bits[i];
	}
	return false; /* reached with probability 2^-256 */
}

static bool
draw_part_wide(SdcStrongBits *bits, SdcUint128 part, SdcUint128 whole)
{
	uint64_t k = 1;

	while (sdc_strong_bits_below_wide(bits, whole) < part &&
		   (k == 1 || sdc_strong_bits_below(bits, k) == 0))
		k++;
	return k & 1;
}

bool
sdc_bernoulli_exponential_draw(SdcStrongBits *bits, SdcUint128 a, SdcUint128 b)
{
	while (a >= b)
	{
		if (!sdc_bernoulli_exponential_unit(bits))
			return false;
		a -= b;
	}
	if (a == 0)
		return true;
	if (b <= UINT64_MAX)
		return sdc_bernoulli_exponential_part(bits, (uint64_t) a,
											  (uint64_t) b);
	return draw_part_wide(bits, a, b);
}
