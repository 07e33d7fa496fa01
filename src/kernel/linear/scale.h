/*
 * scale.h
 *		Mean and standard deviation of a column, to compare files by.
 */
#ifndef SDC_KERNEL_SCALE_H
#define SDC_KERNEL_SCALE_H

#include "kernel/base/host.h"

/*
 * How values turn into standard scores.  Values are first multiplied by a
 * power of 2, in two steps because the power itself may not be a double.
 */
typedef struct SdcScale
{
	double first;
	double second;
	double mean;      /* of the multiplied values */
	double deviation; /* 0 when there is no spread: fewer than 2 values, or
					   * all equal */
} SdcScale;

/*
 * Finds the scale of n finite values; the deviation divides by n - 1.  The
 * result depends on the values but not on their order, bit by bit.  Puts the
 * values in ascending order.  O(n); scratch 24 n bytes.
 */
extern SdcScale sdc_scale_find(SdcHost *host, double *value, size_t n);

/* The standard score of a value; the scale must have a deviation. */
static inline double
sdc_scale_apply(const SdcScale *scale, double x)
{
	return (x * scale->first * scale->second - scale->mean) / scale->deviation;
}

/*
 * Subtracts the mean and divides by the standard deviation (n - 1), in two
 * passes over the values in the order given.  False, and the values left
 * alone, when all are equal.  Values must be finite.
 */
extern bool sdc_standardize_column(SdcHost *host, double *value, size_t n);

/*
 * Exponent e with |value| < 2^e for every value and the least such e; 0 when
 * all are zero.
 */
extern int sdc_standardize_exponent(SdcHost *host, const double *value,
									size_t n);

/* Multiplies by 2^exponent, exactly unless the result is subnormal. */
extern void sdc_standardize_shift(SdcHost *host, double *value, size_t n,
								  int exponent);

#endif
