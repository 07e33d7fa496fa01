/*
 * spectrum.h
 *		Small symmetric matrices: eigenvectors, and how far definiteness goes.
 *
 * A matrix is half of one: row by row, from the diagonal on, n (n + 1) / 2
 * numbers for n attributes; n is at most SDC_LEARNED_MAX_COLUMNS.
 */
#ifndef SDC_KERNEL_SPECTRUM_H
#define SDC_KERNEL_SPECTRUM_H

#include <stdbool.h>

/*
 * Eigenvalues and, as vector[k * n + i], unit eigenvectors, in no order, by
 * Jacobi rotations.  O(n^3) a sweep, few sweeps.
 */
extern void sdc_learned_spectrum_find(int n, const double *half, double *value,
									  double *vector);

/* Is it positive definite with this much to spare (by Cholesky)? */
extern bool sdc_learned_spectrum_definite(int n, const double *half,
										  double spare);

/*
 * Adds as much of the identity as makes it positive definite; false when it
 * is not finite.
 */
extern bool sdc_learned_spectrum_repair(int n, double *half);

/*
 * The steps t in [*from, *to] for which half + t direction stays positive
 * definite; both are drawn in.  False when half itself is not.
 */
extern bool sdc_learned_spectrum_range(int n, const double *half,
									   const double *direction, double *from,
									   double *to);

#endif
