/*
 * correlation_loss.h
 *		What masking does to the structure of a correlation matrix.
 */
#ifndef SDC_KERNEL_CORRELATION_LOSS_H
#define SDC_KERNEL_CORRELATION_LOSS_H

#include "kernel/base/host.h"

/*
 * The sum of |e_i - e'_i| / e_i over the eigenvalues of two d * d correlation
 * matrices, both in descending order.  Eigenvalues of the first one that are
 * no more than 1e-10 d are zero but for rounding, as collinear columns make
 * them, and are left out; *dropped tells how many.  O(d^3).
 *
 * Source: Templ, Kowarik and Meindl 2015, "Statistical disclosure control for
 * micro-data using the R package sdcMicro" (without the exception).
 */
extern double sdc_correlation_loss_eigen(SdcHost *host, const double *original,
										 const double *masked, int d,
										 int *dropped);

/*
 * The distance of the normalized diagonals of the inverse correlation
 * matrices, divided by the square root of 2: 0 to 1.  The diagonal is 1 / (1 -
 * R^2) of each column regressed on the others.  NAN when a matrix has no
 * inverse.  d must be at least 3: for two columns it is always 0.  O(d^3).
 *
 * Source: Mlodak 2020, "Information loss resulting from statistical disclosure
 * control of output data".
 */
extern double sdc_correlation_loss_inverse(SdcHost *host,
										   const double *original,
										   const double *masked, int d);

#endif
