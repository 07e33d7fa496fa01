/*
 * random.c
 *		Pseudo-random numbers that are the same everywhere for a seed.
 *
 * See random.h.  The logarithm is our own because libm may round it
 * differently from one version to the next, and a mask must not change when
 * the operating system is upgraded.
 */
#include <math.h>
#include <stddef.h>

#include "kernel/base/random.h"

void
sdc_random_seed(SdcRandom *random, uint64_t seed, uint64_t stream)
{
	uint64_t counter = sdc_random_mix(seed) + 3 * sdc_random_mix(~stream);
	int i;

	random->fill = NULL;
	for (i = 0; i < 4; i++)
	{
		counter += UINT64_C(0x9E3779B97F4A7C15);
		random->state[i] = sdc_random_mix(counter);
	}
}

void
sdc_random_strong(SdcRandom *random, void (*fill)(void *memory, size_t size))
{
	random->fill = fill;
	random->left = 0;
}

/* The next word of the strong source, which is wiped as it is handed out. */
static uint64_t
draw_strong(SdcRandom *random)
{
	uint64_t word;

	if (random->left == 0)
	{
		random->fill(random->word, sizeof(random->word));
		random->left = SDC_RANDOM_WORDS;
	}
	word = random->word[--random->left];
	random->word[random->left] = 0;
	return word;
}

static inline uint64_t
rotate_left(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

uint64_t
sdc_random_bits(SdcRandom *random)
{
	uint64_t *s = random->state;
	uint64_t result;
	uint64_t t;

	if (random->fill != NULL)
		return draw_strong(random);
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
