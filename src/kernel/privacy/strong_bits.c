/*
 * strong_bits.c
 *		Random bits from the operating system, and fair choices by them.
 */
#include "kernel/privacy/strong_bits.h"

/* ----------------------------------------------------------------------
 * Random bits for differential privacy, from a strong source.
 *
 * ----------------------------------------------------------------------
 */

void
sdc_strong_bits_start(SdcStrongBits *bits,
					  void (*fill)(SdcStrongBits *bits, void *memory,
								   size_t size))
{
	bits->fill = fill;
	bits->left = 0;
}

void
sdc_strong_bits_refill(SdcStrongBits *bits)
{
	bits->fill(bits, bits->word, sizeof(bits->word));
	bits->left = SDC_STRONG_BITS_WORDS;
}

SdcUint128
sdc_strong_bits_below_wide(SdcStrongBits *bits, SdcUint128 bound)
{
	uint64_t top = (uint64_t) ((bound - 1) >> 64);
	uint64_t mask;
	SdcUint128 drawn;

	if (bound <= UINT64_MAX)
		return sdc_strong_bits_below(bits, (uint64_t) bound);
	mask = top == 0 ? 0 : UINT64_MAX >> __builtin_clzll(top);
	do
	{
		drawn = (SdcUint128) (sdc_strong_bits_draw(bits) & mask) << 64;
		drawn |= sdc_strong_bits_draw(bits);
	} while (drawn >= bound);
	return drawn;
}
