/*
 * principal_axes.c
 *		Directions of greatest variance.
 *
 * The covariance matrix of a sample in canonical order is diagonalized, and
 * its axes are sorted by their variance.
 */
#include "kernel/geometry/principal_axes.h"

#include <math.h>

#include "kernel/geometry/jacobi.h"

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
	sdc_jacobi_diagonalize(host, covariance, axes, d);
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
