/*
 * jacobi.c
 *		Eigenvalues and eigenvectors of small symmetric matrices.
 *
 * Cyclic Jacobi rotations (Golub and Van Loan, "Matrix computations", section
 * on Jacobi methods) need only square roots, so the axes are the same bits
 * everywhere.  Rotations stop when what is left off the diagonal no longer
 * matters beside the diagonal.
 */
#include "kernel/geometry/jacobi.h"

#include <math.h>
#include <string.h>

#define MOST_SWEEPS 40

/* Off-diagonal elements this small beside the trace are taken for zero. */
#define NEGLIGIBLE 1e-15

/* Rotates rows p and q of a matrix: p' = c p - s q, q' = s p + c q. */
static void
rotate_rows(double *matrix, int d, int p, int q, double c, double s)
{
	int i;

	for (i = 0; i < d; i++)
	{
		double x = matrix[p * d + i];
		double y = matrix[q * d + i];

		matrix[p * d + i] = c * x - s * y;
		matrix[q * d + i] = s * x + c * y;
	}
}

static void
rotate_columns(double *matrix, int d, int p, int q, double c, double s)
{
	int i;

	for (i = 0; i < d; i++)
	{
		double x = matrix[i * d + p];
		double y = matrix[i * d + q];

		matrix[i * d + p] = c * x - s * y;
		matrix[i * d + q] = s * x + c * y;
	}
}

/* Rotates in the plane p, q so that element p, q vanishes. */
static void
annihilate(double *matrix, double *axes, int d, int p, int q)
{
	double theta =
		(matrix[q * d + q] - matrix[p * d + p]) / (2 * matrix[p * d + q]);
	double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
	double c = 1 / sqrt(t * t + 1);
	double s = t * c;

	rotate_rows(matrix, d, p, q, c, s);
	rotate_columns(matrix, d, p, q, c, s);
	matrix[p * d + q] = matrix[q * d + p] = 0;
	rotate_rows(axes, d, p, q, c, s);
}

void
sdc_jacobi_diagonalize(SdcHost *host, double *matrix, double *axes, int d)
{
	double trace = 0;
	int sweep;
	int p;
	int q;

	memset(axes, 0, sizeof(*axes) * (size_t) d * (size_t) d);
	for (p = 0; p < d; p++)
	{
		axes[p * d + p] = 1;
		trace += matrix[p * d + p];
	}
	for (sweep = 0; sweep < MOST_SWEEPS; sweep++)
	{
		bool rotated = false;

		host->poll(host, 0, 0);
		for (p = 0; p < d; p++)
			for (q = p + 1; q < d; q++)
				if (fabs(matrix[p * d + q]) > NEGLIGIBLE * trace)
				{
					annihilate(matrix, axes, d, p, q);
					rotated = true;
				}
		if (!rotated)
			break;
	}
}
