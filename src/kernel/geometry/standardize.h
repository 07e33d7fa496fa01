/*
 * standardize.h
 *		Columns brought to a common scale without overflow.
 */
#ifndef SDC_KERNEL_STANDARDIZE_H
#define SDC_KERNEL_STANDARDIZE_H

#include "kernel/base/host.h"

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
