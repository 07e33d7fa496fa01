/*
 * random.c
 *		Pseudo-random numbers that are the same everywhere for a seed.
 *
 * See random.h.  The logarithm is our own because libm may round it
 * differently from one version to the next, and a mask must not change when
 * the operating system is upgraded.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernel/base/random.h"

void
sdc_random_seed(SdcRandom *random, uint64_t seed, uint64_t stream)
{
	uint64_t counter = sdc_random_mix(seed) + 3 * sdc_random_mix(~stream);
	int i;

	random->draw = NULL;
	for (i = 0; i < 4; i++)
	{
		counter += UINT64_C(0x9E3779B97F4A7C15);
		random->state[i] = sdc_random_mix(counter);
	}
}

void
sdc_random_strong(SdcRandom *random, uint64_t (*draw)(void))
{
	random->draw = draw;
}

static inline uint64_t
rotate_left(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

static inline void
sip_rounds(uint64_t *v, int count)
{
	while (count-- > 0)
	{
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate_left(v[1], 13) ^ v[0];
		v[3] = rotate_left(v[3], 16) ^ v[2];
		v[0] = rotate_left(v[0], 32) + v[3];
		v[2] += v[1];
		v[3] = rotate_left(v[3], 21) ^ v[0];
		v[1] = rotate_left(v[1], 17) ^ v[2];
		v[2] = rotate_left(v[2], 32);
	}
}

/* Eight bytes as a word, the first one lowest on every machine. */
static inline uint64_t
word_at(const unsigned char *bytes)
{
	return (uint64_t) bytes[0] | (uint64_t) bytes[1] << 8 |
		   (uint64_t) bytes[2] << 16 | (uint64_t) bytes[3] << 24 |
		   (uint64_t) bytes[4] << 32 | (uint64_t) bytes[5] << 40 |
		   (uint64_t) bytes[6] << 48 | (uint64_t) bytes[7] << 56;
}

/* What is left at the end, with the length above it. */
static inline uint64_t
last_word(const unsigned char *bytes, size_t left, size_t length)
{
	uint64_t word = (uint64_t) length << 56;

	while (left-- > 0)
		word |= (uint64_t) bytes[left] << (8 * left);
	return word;
}

static inline void
sip_word(uint64_t *v, uint64_t word)
{
	v[3] ^= word;
	sip_rounds(v, 2);
	v[0] ^= word;
}

/* SipHash-2-4 up to its last rounds; variant: what tells its outputs apart. */
static inline void
sip_read(uint64_t *v, const unsigned char *key, const unsigned char *bytes,
		 size_t length, uint64_t variant)
{
	uint64_t low = word_at(key);
	uint64_t high = word_at(key + 8);
	size_t i;

	v[0] = low ^ UINT64_C(0x736F6D6570736575);
	v[1] = high ^ UINT64_C(0x646F72616E646F6D) ^ variant;
	v[2] = low ^ UINT64_C(0x6C7967656E657261);
	v[3] = high ^ UINT64_C(0x7465646279746573);
	for (i = 0; i + 8 <= length; i += 8)
		sip_word(v, word_at(bytes + i));
	sip_word(v, last_word(bytes + i, length - i, length));
}

static inline uint64_t
sip_end(uint64_t *v)
{
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t
sdc_random_keyed(const unsigned char *key, const unsigned char *bytes,
				 size_t length)
{
	uint64_t v[4];

	sip_read(v, key, bytes, length, 0);
	v[2] ^= 0xFF;
	return sip_end(v);
}

void
sdc_random_keyed_pair(const unsigned char *key, const unsigned char *bytes,
					  size_t length, uint64_t *output)
{
	uint64_t v[4];

	sip_read(v, key, bytes, length, 0xEE);
	v[2] ^= 0xEE;
	output[0] = sip_end(v);
	v[1] ^= 0xDD;
	output[1] = sip_end(v);
}

uint64_t
sdc_random_bits(SdcRandom *random)
{
	uint64_t *s = random->state;
	uint64_t result;
	uint64_t t;

	if (random->draw != NULL)
		return random->draw();
	result = rotate_left(s[1] * 5, 7) * 9;
	t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

double
sdc_random_unit(SdcRandom *random)
{
	return (double) (sdc_random_bits(random) >> 11) * 0x1p-53;
}

uint64_t
sdc_random_below(SdcRandom *random, uint64_t bound)
{
	unsigned __int128 product;
	uint64_t threshold;

	product = (unsigned __int128) sdc_random_bits(random) * bound;
	if ((uint64_t) product < bound)
	{
		threshold = -bound % bound;
		while ((uint64_t) product < threshold)
			product = (unsigned __int128) sdc_random_bits(random) * bound;
	}
	return (uint64_t) (product >> 64);
}

void
sdc_random_draw(SdcRandom *random, int32_t *number, int32_t count,
				int32_t drawn)
{
	int32_t i;

	for (i = 0; i < drawn; i++)
	{
		int32_t other =
			i + (int32_t) sdc_random_below(random, (uint64_t) (count - i));
		int32_t moved = number[i];

		number[i] = number[other];
		number[other] = moved;
	}
}

/*
 * log(x) = exponent * log(2) + 2 atanh((m - 1) / (m + 1)) with m in
 * [sqrt(1/2), sqrt(2)); the series needs 11 terms for a double.
 */
double
sdc_random_log(double x)
{
	int exponent;
	double m = frexp(x, &exponent);
	double ratio;
	double square;
	double sum = 0;
	int term;

	if (m < 0.70710678118654752440)
	{
		m *= 2;
		exponent--;
	}
	ratio = (m - 1) / (m + 1);
	square = ratio * ratio;
	for (term = 21; term >= 1; term -= 2)
		sum = sum * square + 1.0 / term;
	return exponent * 0.69314718055994530942 + 2 * ratio * sum;
}

double
sdc_random_normal(SdcRandom *random)
{
	double u;
	double v;
	double s;

	do
	{
		u = 2 * sdc_random_unit(random) - 1;
		v = 2 * sdc_random_unit(random) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s == 0);
	return u * sqrt(-2 * sdc_random_log(s) / s);
}
