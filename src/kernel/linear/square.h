/*
 * square.h
 *		Products, and square matrices: inverse, eigenvectors, definiteness.
 *
 * A symmetric matrix is given whole, or as half of one: row by row, from the
 * diagonal on, n (n + 1) / 2 numbers.
 */
#ifndef SDC_KERNEL_SQUARE_H
#define SDC_KERNEL_SQUARE_H

#include "kernel/base/host.h"

/* The sum of the products of n numbers, added up from the first on. */
static inline double
sdc_dot(const double *a, const double *b, int32_t n)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* The most columns of half a matrix. */
#define SDC_HALF_COLUMNS 24

/*
 * Inverts a matrix of n * n numbers by Gauss and Jordan's elimination with
 * partial pivoting.  The matrix is lost.  False when a pivot is not above
 * least in magnitude.  O(n^3).
 */
extern bool sdc_square_invert(int n, double *matrix, double *inverse,
							  double least);

/*
 * Solves matrix * solution = with, n numbers each, by that inverse, for which
 * there is room in inverse[n * n]; solution may not be with.  False as above.
 */
extern bool sdc_square_solve(int n, double *matrix, double *inverse,
							 double least, const double *with,
							 double *solution);

/*
 * Turns a symmetric matrix of n * n numbers into its eigenvalues, on the
 * diagonal, and axes[n * n] into its eigenvectors, as rows, in no particular
 * order.  Elements off the diagonal count as zero when they are 1e-15 beside
 * the sum of the magnitudes on it.  O(n^3) per sweep, at most 40 sweeps, with
 * a poll each unless host is NULL.
 */
extern void sdc_square_diagonalize(SdcHost *host, int n, double *matrix,
								   double *axes);

/*
 * Principal axes of columns: eigenvectors of their covariance matrix, as the
 * rows of axes[columns * columns], greatest variance first; the component of
 * largest magnitude of each is positive.  Only about sample rows, evenly
 * spread, are read (all if there are fewer).
 * O(sample columns^2 + columns^3).
 */
extern void sdc_principal_axes(SdcHost *host, size_t rows, int columns,
							   const double *const *column, size_t sample,
							   double *axes);

/* Turns a point to such axes: rotated[i] is the product of axis i and it. */
static inline void
sdc_principal_axes_rotate(const double *axes, int columns, const double *point,
						  double *rotated)
{
	int i;

	for (i = 0; i < columns; i++)
		rotated[i] = sdc_dot(axes + i * columns, point, columns);
}

/*
 * The eigenvalues of half a matrix, value[k], and their unit eigenvectors,
 * vector[k * n + i], in no particular order; n is at most SDC_HALF_COLUMNS.
 * O(n^3) per sweep, see sdc_square_diagonalize.
 */
extern void sdc_half_diagonalize(int n, const double *half, double *value,
								 double *vector);

/*
 * Adds as much of the identity to half a matrix as makes it positive definite;
 * false when it is not finite.  O(n^3).
 */
extern bool sdc_half_repair(int n, double *half);

/*
 * The steps t in [*from, *to] for which half + t direction stays positive
 * definite; both are drawn in.  False when half itself is not.  O(n^3).
 */
extern bool sdc_half_range(int n, const double *half, const double *direction,
						   double *from, double *to);

#endif
