/*
 * correlation_loss.c
 *		What masking does to the structure of a correlation matrix.
 *
 * Eigenvalues come from Jacobi rotations, the inverse from Gauss and Jordan's
 * elimination along the diagonal, which for a correlation matrix needs no
 * other pivots.
 */
#include "kernel/utility/correlation_loss.h"

#include <math.h>
#include <string.h>

#include "kernel/geometry/principal_axes.h"

/* Eigenvalues and pivots this small, beside ones, are zero. */
#define ZERO 1e-10

/* Eigenvalues in descending order. */
static double *
find_eigenvalues(SdcHost *host, const double *matrix, int d)
{
	size_t elements = (size_t) d * (size_t) d;
	double *work = sdc_new(host, double, elements);
	double *axes = sdc_new(host, double, elements);
	double *value = sdc_new(host, double, d);
	int i;
	int j;

	memcpy(work, matrix, sizeof(double) * elements);
	sdc_principal_axes_diagonalize(host, work, axes, d);
	for (i = 0; i < d; i++)
	{
		double next = work[i * d + i];

		for (j = i; j > 0 && value[j - 1] < next; j--)
			value[j] = value[j - 1];
		value[j] = next;
	}
	host->release(host, work);
	host->release(host, axes);
	return value;
}

double
sdc_correlation_loss_eigen(SdcHost *host, const double *original,
						   const double *masked, int d, int *dropped)
{
	double *a = find_eigenvalues(host, original, d);
	double *b = find_eigenvalues(host, masked, d);
	double sum = 0;
	int i;

	*dropped = 0;
	for (i = 0; i < d; i++)
	{
		if (a[i] > ZERO * d)
			sum += fabs(a[i] - b[i]) / a[i];
		else
			++*dropped;
	}
	host->release(host, a);
	host->release(host, b);
	return sum;
}

/* Replaces a matrix by its inverse; false when it has none. */
static bool
invert(double *matrix, int d)
{
	int p;
	int i;
	int j;

	for (p = 0; p < d; p++)
	{
		double pivot = matrix[p * d + p];

		if (!(pivot > ZERO))
			return false;
		matrix[p * d + p] = 1;
		for (j = 0; j < d; j++)
			matrix[p * d + j] /= pivot;
		for (i = 0; i < d; i++)
		{
			double factor = matrix[i * d + p];

			if (i == p)
				continue;
			matrix[i * d + p] = 0;
			for (j = 0; j < d; j++)
				matrix[i * d + j] -= factor * matrix[p * d + j];
		}
	}
	return true;
}

/* The normalized diagonal of the inverse; false when there is none. */
static bool
find_diagonal(SdcHost *host, const double *matrix, int d, double *diagonal)
{
	size_t elements = (size_t) d * (size_t) d;
	double *work = sdc_new(host, double, elements);
	bool found;
	double squares = 0;
	int i;

	memcpy(work, matrix, sizeof(double) * elements);
	found = invert(work, d);
	for (i = 0; i < d && found; i++)
		squares += work[i * d + i] * work[i * d + i];
	for (i = 0; i < d && found; i++)
		diagonal[i] = work[i * d + i] / sqrt(squares);
	host->release(host, work);
	return found;
}

double
sdc_correlation_loss_inverse(SdcHost *host, const double *original,
							 const double *masked, int d)
{
	double *a = sdc_new(host, double, d);
	double *b = sdc_new(host, double, d);
	double squares = NAN;
	int i;

	if (find_diagonal(host, original, d, a) &&
		find_diagonal(host, masked, d, b))
	{
		squares = 0;
		for (i = 0; i < d; i++)
			squares += (a[i] - b[i]) * (a[i] - b[i]);
	}
	host->release(host, a);
	host->release(host, b);
	return sqrt(squares / 2);
}
