/*
 * dyadic.h
 *		A positive double as the exact rational number that it is.
 *
 * Epsilon comes in as a double.  Noise must not be scaled by a rounded
 * epsilon, so everything computes with these integers.
 */
#ifndef SDC_KERNEL_DYADIC_H
#define SDC_KERNEL_DYADIC_H

#include <math.h>
#include <stdint.h>

/* digits * 2^exponent, digits odd. */
typedef struct SdcDyadic
{
	uint64_t digits;
	int exponent;
} SdcDyadic;

/* The parts of a positive finite number. */
static inline SdcDyadic
sdc_dyadic(double value)
{
	SdcDyadic dyadic;
	int zeros;

	dyadic.digits = (uint64_t) ldexp(frexp(value, &dyadic.exponent), 53);
	zeros = __builtin_ctzll(dyadic.digits);
	dyadic.digits >>= zeros;
	dyadic.exponent += zeros - 53;
	return dyadic;
}

/* The largest e with 2^e <= a / b, both positive and finite. */
static inline int
sdc_dyadic_log2_ratio(double a, double b)
{
	int a_exponent;
	int b_exponent;
	double a_part = frexp(a, &a_exponent);
	double b_part = frexp(b, &b_exponent);

	return a_exponent - b_exponent - (a_part < b_part);
}

#endif
