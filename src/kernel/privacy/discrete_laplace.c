/*
 * discrete_laplace.c
 *		Discrete Laplace noise: integers, exact probabilities.
 *
 * See discrete_laplace.h.  Only integers are computed with; the scale is
 * rounded up, so what is asked for is what is given, or a little more.
 */
#include "kernel/privacy/discrete_laplace.h"

#include "kernel/privacy/bernoulli_exponential.h"
#include "kernel/privacy/dyadic.h"
#include "kernel/privacy/strong_bits.h"

#define LEAST_NUMERATOR (UINT64_C(1) << 40)
#define MOST_NUMERATOR  (UINT64_C(1) << 62)

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
		if (numerator >= LEAST_NUMERATOR)
			break;
		wanted <<= 1;
		scale->shift++;
	}
	if (numerator >= MOST_NUMERATOR)
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
