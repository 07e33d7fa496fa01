/*
 * principal_axes.h
 *		Directions of greatest variance.
 */
#ifndef SDC_KERNEL_PRINCIPAL_AXES_H
#define SDC_KERNEL_PRINCIPAL_AXES_H

#include "kernel/base/host.h"
#include "kernel/index/points.h"

/*
 * Eigenvectors of the covariance matrix by Jacobi rotations, as the rows of
 * axes[columns * columns], greatest variance first; the component of largest
 * magnitude of each is positive.  Only about sample rows, evenly spread in
 * canonical order, are read (all if there are fewer).
 * O(sample columns^2 + columns^3).
 */
extern void sdc_principal_axes(SdcHost *host, const SdcPoints *points,
							   int32_t sample, double *axes);

/*
 * Turns a symmetric matrix of d * d numbers into its eigenvalues, on the
 * diagonal, and axes[d * d] into its eigenvectors, as rows, in no particular
 * order.  Elements off the diagonal count as zero when they are 1e-15 beside
 * the sum of the magnitudes on it.  O(d^3) per sweep, at most 40 sweeps.
 */
extern void sdc_principal_axes_diagonalize(SdcHost *host, double *matrix,
										   double *axes, int d);

/* rotated[i] = axis i . point */
static inline void
sdc_principal_axes_rotate(const double *axes, int columns, const double *point,
						  double *rotated)
{
	int i;
	int j;

	for (i = 0; i < columns; i++)
	{
		double sum = 0;

		for (j = 0; j < columns; j++)
			sum += axes[i * columns + j] * point[j];
		rotated[i] = sum;
	}
}

#endif
