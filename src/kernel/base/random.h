/*
 * random.h
 *		Pseudo-random numbers that are the same everywhere for a seed.
 *
 * xoshiro256** (Blackman and Vigna 2021), seeded through splitmix64.  Only
 * integer arithmetic and correctly rounded IEEE operations are used (no libm
 * function), so a seed gives the same bits on every machine, compiler and
 * PostgreSQL version.  The state can be computed from what is drawn, so
 * without a seed numbers come from a strong source.
 */
#ifndef SDC_KERNEL_RANDOM_H
#define SDC_KERNEL_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* A stream of random numbers; started by sdc_random_seed or _strong. */
typedef struct SdcRandom
{
	uint64_t state[4];
	/* a strong source in place of the state; NULL: there is a seed */
	uint64_t (*draw)(void);
} SdcRandom;

/* Mixes 64 bits so that every input bit reaches every output bit. */
static inline uint64_t
sdc_random_mix(uint64_t bits)
{
	bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
	return bits ^ (bits >> 31);
}

/*
 * One of the rows from first to first + step - 1, whichever, of so many rows;
 * always the same.  Who looks at every step-th row of a file looks at these:
 * the file may have an order that repeats itself, as of husbands and wives.
 */
static inline int32_t
sdc_random_of_step(int32_t first, int32_t step, int32_t rows)
{
	int32_t row =
		first + (int32_t) (sdc_random_mix((uint64_t) first) % (uint64_t) step);

	return row < rows ? row : first;
}

/* Starts the stream of a seed; different streams of a seed are independent. */
extern void sdc_random_seed(SdcRandom *random, uint64_t seed, uint64_t stream);

/*
 * Draws from a strong source instead: who has seen some of what was drawn
 * cannot tell the rest.  draw leaves by longjmp when it fails.  The
 * distributions are the same.
 */
extern void sdc_random_strong(SdcRandom *random, uint64_t (*draw)(void));

/* Bytes of a key. */
#define SDC_RANDOM_KEY 16

/*
 * 64 bits that are a function of a key of random bytes and of some other
 * bytes, and that nobody without the key can tell from random ones:
 * SipHash-2-4 (Aumasson and Bernstein 2012).
 */
extern uint64_t sdc_random_keyed(const unsigned char *key,
								 const unsigned char *bytes, size_t length);

/* The same with 128 bits, as two words: the long output of SipHash-2-4. */
extern void sdc_random_keyed_pair(const unsigned char *key,
								  const unsigned char *bytes, size_t length,
								  uint64_t *output);

/* 64 random bits. */
extern uint64_t sdc_random_bits(SdcRandom *random);

/* Uniform on [0, 1), a multiple of 2^-53. */
extern double sdc_random_unit(SdcRandom *random);

/* Uniform on 0 .. bound - 1 without bias (Lemire 2019); bound > 0. */
extern uint64_t sdc_random_below(SdcRandom *random, uint64_t bound);

/*
 * Draws so many of the count numbers without replacement and brings them to
 * the front, in the order in which they are drawn.  O(drawn); Durstenfeld
 * (1964).
 */
extern void sdc_random_draw(SdcRandom *random, int32_t *number, int32_t count,
							int32_t drawn);

/* Normal with mean 0 and variance 1 (Marsaglia's polar method). */
extern double sdc_random_normal(SdcRandom *random);

/*
 * Natural logarithm of a positive finite number, the same bits everywhere;
 * less than 2 units in the last place from the true value.
 */
extern double sdc_random_log(double x);

#endif
