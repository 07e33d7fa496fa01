/*
 * moments.h
 *		Means, variances and correlations, and how far those of two files are
 *		apart.
 */
#ifndef SDC_KERNEL_MOMENTS_H
#define SDC_KERNEL_MOMENTS_H

#include "kernel/base/host.h"

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
 * of deviations from the mean.  O(rows columns^2); polls.
 */
extern SdcMoments *sdc_moments_measure(SdcHost *host, size_t rows, int columns,
									   const double *const *column);

/*
 * Compares all entries.  An entry that is 0 in a is left out of the relative
 * differences unless it is 0 in b, too; *undefined counts those left out.
 */
extern SdcMomentsDifference
sdc_moments_compare(const SdcMoments *a, const SdcMoments *b, int *undefined);

/* |a - b| / |a|, 0 when both are 0, NAN when only a is. */
extern double sdc_moments_relative(double a, double b);

/*
 * The same for the entries of column j: its mean, its variance, its
 * covariances and correlations with the others.
 */
extern SdcMomentsDifference
sdc_moments_compare_column(const SdcMoments *a, const SdcMoments *b, int j);

#endif
