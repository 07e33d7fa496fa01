/*
 * jacobi.h
 *		Eigenvalues and eigenvectors of small symmetric matrices.
 */
#ifndef SDC_KERNEL_JACOBI_H
#define SDC_KERNEL_JACOBI_H

#include "kernel/base/host.h"

/*
 * Turns a symmetric d * d matrix into a diagonal one of its eigenvalues, in no
 * order; the rows of axes[d * d] become the eigenvectors.  O(d^3) a sweep.
 */
extern void sdc_jacobi_diagonalize(SdcHost *host, double *matrix, double *axes,
								   int d);

#endif
