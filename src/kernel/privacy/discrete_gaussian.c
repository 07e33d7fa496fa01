/*
 * discrete_gaussian.c
 *		Discrete Gaussian noise: integers, exact probabilities.
 *
 * See discrete_gaussian.h.  With the variance v = n / 2^q and the step t the
 * exponent of the acceptance is
 *
 *		(|y| - v / t)^2 / (2 v) = (|y| t 2^q - n)^2 / (n t^2 2^(q + 1)),
 *
 * a fraction of integers of less than 128 bits.
 */
#include "kernel/privacy/discrete_gaussian.h"

#include "kernel/privacy/bernoulli_exponential.h"
#include "kernel/privacy/dyadic.h"
#include "kernel/privacy/discrete_laplace.h"
#include "kernel/privacy/strong_bits.h"

#define LEAST_NUMERATOR (UINT64_C(1) << 40)
#define MOST_NUMERATOR  (UINT64_C(1) << 56)

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
		if (numerator >= LEAST_NUMERATOR)
			break;
		wanted <<= 1;
		variance->shift++;
	}
	if (numerator >= MOST_NUMERATOR)
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
