/*
 * elementary.h
 *		Exponential and logarithm, the same bits everywhere.
 *
 * libm may round differently from one version to the next.  These use only
 * IEEE operations that round correctly and exact scaling by powers of two;
 * the logarithm of a double is sdc_random_log.  The float versions are
 * inline and free of branches, for loops that the compiler turns into vector
 * instructions.
 */
#ifndef SDC_KERNEL_ELEMENTARY_H
#define SDC_KERNEL_ELEMENTARY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/*
 * e^x; less than 2 units in the last place from the true value.  0 below
 * -745.2, infinity above 709.79, NaN for NaN.
 */
extern double sdc_exp(double x);

/* The greatest common divisor of whole numbers from 0; of 0 and a it is a. */
static inline double
sdc_common_divisor(double a, double b)
{
	while (b != 0)
	{
		/* exact, unlike what else libm has */
		double rest = fmod(a, b);

		a = b;
		b = rest;
	}
	return a;
}

/*
 * log(x) of a positive normal float, within 3e-7 (1 + |log x|).  With x in
 * 2^k [0.707, 1.414) it is k log 2 + 2 atanh of (m - 1) / (m + 1).
 */
static inline float
sdc_log_float(float x)
{
	int32_t bits;
	int32_t exponent;
	float m;
	float s;
	float q;

	memcpy(&bits, &x, sizeof(bits));
	exponent = (bits - 0x3F3504F3) >> 23;
	bits -= exponent * 0x800000;
	memcpy(&m, &bits, sizeof(m));
	s = (m - 1) / (m + 1);
	q = s * s;
	q = 1 + q * (1.0f / 3 + q * (1.0f / 5 + q * (1.0f / 7 + q / 9)));
	return (float) exponent * 0.693147180559945f + 2 * s * q;
}

/*
 * e^x within 3e-7 of the true value in proportion, for -87 <= x <= 87; below
 * it is e^-87, above e^87.
 */
static inline float
sdc_exp_float(float x)
{
	float k;
	float r;
	float sum;
	float power;
	int32_t bits;

	x = x < -87 ? -87 : x > 87 ? 87 : x;
	/* adding and taking off 1.5 * 2^23 rounds to the nearest integer */
	k = (x * 1.44269504088896f + 12582912.0f) - 12582912.0f;
	r = (x - k * 0.693145751953125f) - k * 1.42860682030941e-6f;
	sum = 1 + r / 7;
	sum = 1 + r / 6 * sum;
	sum = 1 + r / 5 * sum;
	sum = 1 + r / 4 * sum;
	sum = 1 + r / 3 * sum;
	sum = 1 + r / 2 * sum;
	sum = 1 + r * sum;
	bits = ((int32_t) k + 127) * 0x800000;
	memcpy(&power, &bits, sizeof(power));
	return sum * power;
}

#endif
