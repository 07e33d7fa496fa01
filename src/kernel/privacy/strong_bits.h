/*
 * strong_bits.h
 *		Random bits from the operating system, and fair choices by them.
 */
#ifndef SDC_KERNEL_STRONG_BITS_H
#define SDC_KERNEL_STRONG_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ----------------------------------------------------------------------
 * Random bits for differential privacy, from a strong source.
 *
 * The kernel has no source of its own: whoever fills the buffer decides.  In
 * the extension that is pg_strong_random and nothing else; no seed can be
 * given.  Unit tests fill it from a fixed stream.  Bits are drawn from a
 * buffer, because a call of the source for each word costs more than all the
 * rest, and are wiped as they are handed out, so that memory read later does
 * not tell what noise was added.
 * ----------------------------------------------------------------------
 */

/* Exact sums and products; aligned as PostgreSQL aligns its memory. */
typedef __int128 SdcInt128 __attribute__((aligned(8)));
typedef unsigned __int128 SdcUint128 __attribute__((aligned(8)));

/* Words of the buffer. */
#define SDC_STRONG_BITS_WORDS 512

/* A buffer of random bits, and who fills it. */
typedef struct SdcStrongBits SdcStrongBits;

struct SdcStrongBits
{
	/*
	 * Fills size bytes with independent uniform bits.  On failure it leaves
	 * by longjmp: there is no other source to fall back to.
	 */
	void (*fill)(SdcStrongBits *bits, void *memory, size_t size);

	/* words that are left: word[0 .. left - 1] */
	size_t left;
	uint64_t word[SDC_STRONG_BITS_WORDS];
};

/* Starts with an empty buffer. */
extern void sdc_strong_bits_start(SdcStrongBits *bits,
								  void (*fill)(SdcStrongBits *bits,
											   void *memory, size_t size));

/* Asks the source for more; called by sdc_strong_bits_draw. */
extern void sdc_strong_bits_refill(SdcStrongBits *bits);

/* 64 uniform bits. */
static inline uint64_t
sdc_strong_bits_draw(SdcStrongBits *bits)
{
	uint64_t drawn;

	if (bits->left == 0)
		sdc_strong_bits_refill(bits);
	drawn = bits->word[--bits->left];
	bits->word[bits->left] = 0;
	return drawn;
}

/*
 * Uniform on 0 .. bound - 1, exactly, bound > 0 (Lemire 2019: a product in
 * place of a remainder, with rejection).
 */
static inline uint64_t
sdc_strong_bits_below(SdcStrongBits *bits, uint64_t bound)
{
	unsigned __int128 product =
		(unsigned __int128) sdc_strong_bits_draw(bits) * bound;

	if ((uint64_t) product < bound)
	{
		uint64_t unfair = -bound % bound;

		while ((uint64_t) product < unfair)
			product = (unsigned __int128) sdc_strong_bits_draw(bits) * bound;
	}
	return (uint64_t) (product >> 64);
}

/* The same for a bound of up to 128 bits, by rejection under a mask. */
extern SdcUint128 sdc_strong_bits_below_wide(SdcStrongBits *bits,
											 SdcUint128 bound);

/* ----------------------------------------------------------------------
 * A fair choice of some of many items.
 *
 * The first steps of the shuffle of Fisher and Yates (Knuth, algorithm P):
 * after as many steps as items are wanted, these are in front.  The bits are
 * strong ones: who could foresee the choice could see more than one record's
 * worth.
 * ----------------------------------------------------------------------
 */

/*
 * The place, step to count - 1, whose item changes with that of place step.
 * After steps 0 to k - 1 each item is in one of the first k places with equal
 * probability, as is each set of k items.
 */
static inline uint64_t
sdc_shuffle_place(SdcStrongBits *bits, uint64_t step, uint64_t count)
{
	return step + sdc_strong_bits_below(bits, count - step);
}

#endif
