/*
 * principal_axes.c
 *		Directions of greatest variance.
 *
 * Cyclic Jacobi rotations (Golub and Van Loan, "Matrix computations", section
 * on Jacobi methods) need only square roots, so the axes are the same bits
 * everywhere.  Rotations stop when what is left off the diagonal no longer
 * matters beside the diagonal.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/index/points.h"
#include "kernel/linear/principal_axes.h"

#define MOST_SWEEPS 40

/* Off-diagonal elements this small beside the trace are taken for zero. */
#define NEGLIGIBLE 1e-15

/* covariance[j * columns + l], not divided by the number of rows. */
static void
compute_covariance(SdcHost *host, const SdcPoints *points, int32_t step,
				   double *covariance)
{
	int d = points->columns;
	double mean[SDC_MAX_COLUMNS];
	int64_t row;
	int j;
	int l;

	for (j = 0; j < d; j++)
	{
		double sum = 0;
		int32_t count = 0;

		host->poll(host, 0, 0);
		for (row = 0; row < points->rows; row += step, count++)
			sum += points->column[j][row];
		mean[j] = sum / count;
	}
	for (j = 0; j < d; j++)
		for (l = 0; l <= j; l++)
		{
			double sum = 0;

			host->poll(host, 0, 0);
			for (row = 0; row < points->rows; row += step)
				sum += (points->column[j][row] - mean[j]) *
					   (points->column[l][row] - mean[l]);
			covariance[j * d + l] = covariance[l * d + j] = sum;
		}
}

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
sdc_principal_axes_diagonalize(SdcHost *host, double *matrix, double *axes,
							   int d)
{
	double trace = 0;
	int sweep;
	int p;
	int q;

	memset(axes, 0, sizeof(*axes) * (size_t) d * (size_t) d);
	for (p = 0; p < d; p++)
	{
		axes[p * d + p] = 1;
		trace += fabs(matrix[p * d + p]);
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

static void
swap_rows(double *matrix, int d, int p, int q)
{
	int i;

	for (i = 0; i < d; i++)
	{
		double x = matrix[p * d + i];

		matrix[p * d + i] = matrix[q * d + i];
		matrix[q * d + i] = x;
	}
}

/* Makes the component of largest magnitude positive. */
static void
fix_sign(double *axis, int d)
{
	int largest = 0;
	int i;

	for (i = 1; i < d; i++)
		if (fabs(axis[i]) > fabs(axis[largest]))
			largest = i;
	if (axis[largest] < 0)
		for (i = 0; i < d; i++)
			axis[i] = -axis[i];
}

void
sdc_principal_axes(SdcHost *host, const SdcPoints *points, int32_t sample,
				   double *axes)
{
	int d = points->columns;
	size_t elements = (size_t) d * (size_t) d;
	int32_t step = points->rows > sample ? points->rows / sample : 1;
	double *covariance = sdc_new(host, double, elements);
	int p;
	int q;

	compute_covariance(host, points, step, covariance);
	sdc_principal_axes_diagonalize(host, covariance, axes, d);
	for (p = 0; p < d; p++)
	{
		int greatest = p;

		for (q = p + 1; q < d; q++)
			if (covariance[q * d + q] > covariance[greatest * d + greatest])
				greatest = q;
		swap_rows(axes, d, p, greatest);
		covariance[greatest * d + greatest] = covariance[p * d + p];
		fix_sign(axes + (size_t) p * d, d);
	}
	host->release(host, covariance);
}
