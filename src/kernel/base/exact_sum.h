/*
 * exact_sum.h
 *		Sums of doubles without any rounding but that of the result.
 *
 * Whatever the order of the terms, and whoever added them, the same bits.
 */
#ifndef SDC_KERNEL_EXACT_SUM_H
#define SDC_KERNEL_EXACT_SUM_H

#include <stdbool.h>

/* Doubles that do not overlap: 2098 bits of all in more than 53 each. */
#define SDC_EXACT_PARTS 40

/* A sum; all zeros is the empty one.  Nothing but doubles, so that it can lie
 * in an array of them. */
typedef struct SdcExactSum
{
	double parts;                 /* how many, -1 beyond the largest double */
	double part[SDC_EXACT_PARTS]; /* the smallest first, none is 0 */
} SdcExactSum;

/*
 * Adds a finite number, or all of another sum.  O(parts), which are as many as
 * the range of the numbers needs, most often 1 to 3 (Shewchuk 1997).
 */
extern void sdc_exact_add(SdcExactSum *sum, double x);
extern void sdc_exact_merge(SdcExactSum *sum, const SdcExactSum *other);

/* May a sum from elsewhere be used?  What it says may be wrong, then. */
extern bool sdc_exact_valid(const SdcExactSum *sum);

/* Adds x * y, exactly unless its last digit is below the smallest double. */
extern void sdc_exact_add_product(SdcExactSum *sum, double x, double y);

/* The double nearest to the sum; infinite when that was exceeded on the way. */
extern double sdc_exact_total(const SdcExactSum *sum);

/*
 * The sum of (x - mean)^2 of so many numbers from the sums of x and of x^2,
 * rounded at the end only: of equal numbers it is 0.
 */
extern double sdc_exact_squares(double count, const SdcExactSum *first,
								const SdcExactSum *second);

#endif
