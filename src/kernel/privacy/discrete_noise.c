/*
 * discrete_noise.c
 *		Noise that is integers, with exact probabilities.
 */
#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/strong_bits.h"

/* ----------------------------------------------------------------------
 * Events that happen with probability exp(-a/b), exactly.
 *
 * For a fraction below one the number of
 * successes in a row, of probabilities x, x/2, x/3, ..., is even with
 * probability exp(-x); every whole unit is one more event of 1/e.
 * ----------------------------------------------------------------------
 */

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

/* ----------------------------------------------------------------------
 * Discrete Laplace noise: integers, exact probabilities.
 *
 * Only integers are computed with; the scale is
 * rounded up, so what is asked for is what is given, or a little more.
 * ----------------------------------------------------------------------
 */

#define LEAST_SCALE (UINT64_C(1) << 40)
#define MOST_SCALE  (UINT64_C(1) << 62)

/* Bits of a positive number. */
static int
width(SdcUint128 number)
{
	uint64_t top = (uint64_t) (number >> 64);

	return top != 0 ? 128 - __builtin_clzll(top)
					: 64 - __builtin_clzll((uint64_t) number);
}

bool
sdc_discrete_laplace_scale(uint64_t sensitivity, unsigned parts,
						   double epsilon, SdcDiscreteLaplace *scale)
{
	SdcUint128 wanted = (SdcUint128) sensitivity * parts;
	SdcDyadic dyadic = sdc_dyadic(epsilon);
	SdcUint128 divisor = dyadic.digits;
	int up = -dyadic.exponent;
	SdcUint128 numerator;

	scale->numerator = 0;
	scale->shift = 0;
	if (wanted == 0)
		return true;
	/* wanted * 2^(shift + up) / divisor, with up not negative */
	if (up < 0)
	{
		divisor <<= -up;
		up = 0;
	}
	if (width(wanted) + up > 120)
		return false; /* the divisor has at most 53 bits */
	wanted <<= up;
	for (;;)
	{
		numerator = (wanted + divisor - 1) / divisor;
		if (numerator >= LEAST_SCALE)
			break;
		wanted <<= 1;
		scale->shift++;
	}
	if (numerator >= MOST_SCALE)
		return false;
	scale->numerator = (uint64_t) numerator;
	return true;
}

/* Geometric on 0, 1, ... with ratio exp(-1 / numerator). */
static SdcUint128
draw_geometric(SdcStrongBits *bits, uint64_t numerator)
{
	uint64_t remainder;
	uint64_t quotient = 0;

	do
		remainder = sdc_strong_bits_below(bits, numerator);
	while (!sdc_bernoulli_exponential_part(bits, remainder, numerator));
	while (sdc_bernoulli_exponential_unit(bits))
		quotient++;
	return (SdcUint128) numerator * quotient + remainder;
}

SdcInt128
sdc_discrete_laplace_draw(SdcStrongBits *bits, const SdcDiscreteLaplace *scale)
{
	SdcUint128 magnitude;
	bool negative;

	if (scale->numerator == 0)
		return 0;
	/* minus zero would give zero twice its probability */
	do
	{
		magnitude = draw_geometric(bits, scale->numerator) >> scale->shift;
		negative = sdc_strong_bits_draw(bits) >> 63;
	} while (negative && magnitude == 0);
	return negative ? -(SdcInt128) magnitude : (SdcInt128) magnitude;
}

/* ----------------------------------------------------------------------
 * Discrete Gaussian noise: integers, exact probabilities.
 *
 * With the variance v = n / 2^q and the step t the
 * exponent of the acceptance is
 *
 * (|y| - v / t)^2 / (2 v) = (|y| t 2^q - n)^2 / (n t^2 2^(q + 1)),
 *
 * a fraction of integers of less than 128 bits.
 * ----------------------------------------------------------------------
 */

#define LEAST_VARIANCE (UINT64_C(1) << 40)
#define MOST_VARIANCE  (UINT64_C(1) << 56)

/* floor(sqrt(number)), number below 2^62. */
static uint64_t
square_root(uint64_t number)
{
	uint64_t root = 0;
	int bit;

	for (bit = 30; bit >= 0; bit--)
	{
		uint64_t next = root | (UINT64_C(1) << bit);

		if (next * next <= number)
			root = next;
	}
	return root;
}

bool
sdc_discrete_gaussian_variance(uint64_t sensitivity, double rho,
							   SdcDiscreteGaussian *variance)
{
	SdcDyadic dyadic = sdc_dyadic(rho);
	SdcUint128 divisor = dyadic.digits;
	/* the factor 2 of 2 rho goes into the exponent */
	int up = -(dyadic.exponent + 1);
	SdcUint128 wanted;
	SdcUint128 numerator;
	int bits;

	variance->numerator = 0;
	variance->shift = 0;
	variance->step = 1;
	if (sensitivity == 0)
		return true;
	if (up < 0)
	{
		divisor <<= -up;
		up = 0;
	}
	bits = 2 * (64 - __builtin_clzll(sensitivity));
	if (bits + up > 118)
		return false;
	wanted = (SdcUint128) sensitivity * sensitivity << up;
	for (;;)
	{
		numerator = (wanted + divisor - 1) / divisor;
		if (numerator >= LEAST_VARIANCE)
			break;
		wanted <<= 1;
		variance->shift++;
	}
	if (numerator >= MOST_VARIANCE)
		return false;
	variance->numerator = (uint64_t) numerator;
	variance->step = square_root(variance->numerator >> variance->shift) + 1;
	return true;
}

SdcInt128
sdc_discrete_gaussian_draw(SdcStrongBits *bits,
						   const SdcDiscreteGaussian *variance)
{
	SdcUint128 n = variance->numerator;
	SdcUint128 t = variance->step;
	SdcUint128 below = n * t * t << (variance->shift + 1);
	SdcDiscreteLaplace first = {variance->step, 0};

	if (n == 0)
		return 0;
	for (;;)
	{
		SdcInt128 drawn = sdc_discrete_laplace_draw(bits, &first);
		SdcUint128 size = drawn < 0 ? -(SdcUint128) drawn : (SdcUint128) drawn;
		SdcUint128 apart;

		/* far beyond what the exponent lets through */
		if (size >> 40)
			continue;
		apart = size * t << variance->shift;
		apart = apart > n ? apart - n : n - apart;
		if (apart >> 63)
			continue;
		if (sdc_bernoulli_exponential_draw(bits, apart * apart, below))
			return drawn;
	}
}
