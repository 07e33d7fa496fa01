/*
 * moments.h
 *		Means, standard deviations, covariances and correlations.
 *
 * Everything here first multiplies a column by the power of two that brings
 * its largest magnitude into [1/2, 1).  That changes no digit, and afterwards
 * neither sums nor squares overflow or vanish, be the values of order 1e200
 * or 1e-200.
 */
#ifndef SDC_KERNEL_MOMENTS_H
#define SDC_KERNEL_MOMENTS_H

#include <stdint.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"

/* The distance of the quartiles of the standard normal law. */
#define SDC_NORMAL_QUARTILES 1.3489795003921634

/* Mean and standard deviation of a column, and how it is multiplied. */
typedef struct SdcScale
{
	double first;     /* first times second is 2^-exponent, which may be ... */
	double second;    /* ... no double itself */
	int exponent;     /* the least with |value| < 2^exponent for all */
	double weight;    /* of the values that are not NAN: their number */
	double mean;      /* of the multiplied values; 0 without values */
	double squares;   /* sum of their squared deviations */
	double deviation; /* the root of squares / (weight - 1); 0, exactly, of
					   * fewer than 2 values or equal ones */
} SdcScale;

/*
 * The scale of every stride-th of n values, in the order given; NAN is left
 * out.  weight: how often each counts, at least 0; NULL: once.  O(n).
 */
extern SdcScale sdc_scale_measure(SdcHost *host, const double *value,
								  const double *weight, size_t n,
								  size_t stride);

/*
 * The same of n finite values, but independent of their order, bit by bit:
 * puts the values in ascending order.  O(n); scratch 24 n bytes.
 */
extern SdcScale sdc_scale_find(SdcHost *host, double *value, size_t n);

/* How far a value is from the mean, as a multiplied value. */
static inline double
sdc_scale_centre(const SdcScale *scale, double x)
{
	return x * scale->first * scale->second - scale->mean;
}

/* The standard score of a value; the scale must have a deviation. */
static inline double
sdc_scale_apply(const SdcScale *scale, double x)
{
	return sdc_scale_centre(scale, x) / scale->deviation;
}

/* A multiplied value, such as the deviation, in units of the values. */
static inline double
sdc_scale_restore(const SdcScale *scale, double multiplied)
{
	return multiplied / scale->second / scale->first;
}

/*
 * Covariance (divided by the number of rows - 1) of two columns of multiplied
 * values, over those of every stride-th of n rows that have both; NAN of fewer
 * than 2.  correlation, unless NULL, gets theirs, NAN where one of them is
 * constant.  O(n).
 */
extern double sdc_scale_covariance(SdcHost *host, const double *x,
								   const SdcScale *of_x, const double *y,
								   const SdcScale *of_y, size_t n,
								   size_t stride, double *correlation);

/*
 * Covariance matrix of columns over every stride-th of n rows, in units of the
 * values: matrix[j * columns + l].  There must be 2 such rows, without NAN.
 * O(n columns^2).
 */
extern void sdc_covariance_matrix(SdcHost *host, size_t n, int columns,
								  const double *const *column, size_t stride,
								  double *matrix);

/*
 * Subtracts the mean and divides by the standard deviation (n - 1).  False,
 * and the values left alone, when all are equal.  Values must be finite; the
 * result depends on their order in the last digits.
 */
extern bool sdc_standardize_column(SdcHost *host, double *value, size_t n);

/*
 * Exponent e with |value| < 2^e for every value and the least such e; 0 when
 * all are zero.  NAN is left out.
 */
extern int sdc_standardize_exponent(SdcHost *host, const double *value,
									size_t n);

/* The greatest size of the finite ones of n values; 0: there are none.  O(n).
 */
extern double sdc_greatest_size(const double *value, size_t n);

/* Multiplies by 2^exponent, exactly unless the result is subnormal. */
extern void sdc_standardize_shift(SdcHost *host, double *value, size_t n,
								  int exponent);

/* Moments of the columns of one file; NAN where they are not defined. */
typedef struct SdcMoments
{
	int columns;
	int64_t *count; /* values that are not missing */
	double *mean;
	double *variance;   /* divided by count - 1; 0 of a constant, exactly */
	double *covariance; /* covariance[j * columns + l] */
	double *correlation;
} SdcMoments;

/* How far two such files are apart; NAN when nothing can be compared. */
typedef struct SdcMomentsDifference
{
	double mean;        /* mean of |a - b| / |a| over the entries ... */
	double variance;    /* ... a is 0 in none of them */
	double covariance;  /* pairs of different columns */
	double correlation; /* mean of |a - b| over the pairs */
} SdcMomentsDifference;

/*
 * column[j][i] is row i of column j, NAN when it is missing.  Means and
 * variances are those of the values there are, covariances and correlations
 * those of the rows that have both.  Sums are taken in the order of the rows,
 * of deviations from the mean.  Variances and covariances that are no doubles
 * are infinite or 0; correlations do not suffer.  O(rows columns^2); polls.
 */
extern SdcMoments *sdc_moments_measure(SdcHost *host, size_t rows, int columns,
									   const double *const *column);

/*
 * Compares all entries.  An entry that is 0 in a is left out of the relative
 * differences unless it is 0 in b, too; *undefined counts those left out.
 */
extern SdcMomentsDifference
sdc_moments_compare(const SdcMoments *a, const SdcMoments *b, int *undefined);

/*
 * The same for the entries of column j: its mean, its variance, its
 * covariances and correlations with the others.
 */
extern SdcMomentsDifference
sdc_moments_compare_column(const SdcMoments *a, const SdcMoments *b, int j);

/* A mean of figures, of those that are defined. */
typedef struct SdcMean
{
	double sum;
	int count;
} SdcMean;

/* Adds a figure; NAN is left out. */
static inline void
sdc_mean_add(SdcMean *mean, double value)
{
	if (value != value)
		return;
	mean->sum += value;
	mean->count++;
}

/* The mean of what was added; NAN when that is nothing. */
static inline double
sdc_mean_of(const SdcMean *mean)
{
	return mean->count > 0 ? mean->sum / mean->count : __builtin_nan("");
}

/* ----------------------------------------------------------------------
 * The mean of a changing set of points, exactly.
 *
 * Coordinates are rounded to multiples of 2^-40 and summed as 128-bit
 * integers.  Such sums do not depend on the order of additions, and a row
 * that leaves is subtracted without a trace, so that the mean of what is left
 * costs O(columns) instead of O(rows columns) and is the same bits however it
 * was reached.  Coordinates must be below 2^16 in magnitude (points.h).
 * ----------------------------------------------------------------------
 */

/* What coordinates are multiples of. */
#define SDC_CENTROID_UNIT 0x1p-40

/* The sum of some rows; started by sdc_centroid_clear. */
typedef struct SdcCentroid
{
	int columns;
	int64_t rows;
	__int128 sum[SDC_MAX_COLUMNS]; /* in units */
} SdcCentroid;

/* Starts a sum without rows. */
static inline void
sdc_centroid_clear(SdcCentroid *centroid, int columns)
{
	int j;

	centroid->columns = columns;
	centroid->rows = 0;
	for (j = 0; j < columns; j++)
		centroid->sum[j] = 0;
}

/* Rounds to the nearest multiple of the unit, halves away from zero. */
static inline int64_t
sdc_centroid_fixed(double coordinate)
{
	double scaled = coordinate / SDC_CENTROID_UNIT;

	return (int64_t) (scaled + (scaled < 0 ? -0.5 : 0.5));
}

/* Adds a point with a weight; a negative weight takes it away again. */
static inline void
sdc_centroid_add(SdcCentroid *centroid, const double *coordinates,
				 int64_t weight)
{
	int j;

	centroid->rows += weight;
	for (j = 0; j < centroid->columns; j++)
		centroid->sum[j] +=
			(__int128) sdc_centroid_fixed(coordinates[j]) * weight;
}

/* The mean; there must be rows. */
static inline void
sdc_centroid_mean(const SdcCentroid *centroid, double *mean)
{
	int j;

	for (j = 0; j < centroid->columns; j++)
		mean[j] = (double) centroid->sum[j] / (double) centroid->rows *
				  SDC_CENTROID_UNIT;
}

/* ----------------------------------------------------------------------
 * Sums without any rounding but that of the result: whatever the order of the
 * terms, and whoever added them, the same bits.
 * ----------------------------------------------------------------------
 */

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

/* The double nearest to the sum; infinite when that was exceeded. */
extern double sdc_exact_total(const SdcExactSum *sum);

/*
 * The sum of (x - mean)^2 of so many numbers from the sums of x and of x^2,
 * rounded at the end only: of equal numbers it is 0.
 */
extern double sdc_exact_squares(double count, const SdcExactSum *first,
								const SdcExactSum *second);

#endif
