/*
 * link_transform.c
 *		Files turned so that a quadratic distance is a plain one.
 *
 * Eigenvectors by Jacobi rotations: with m = V' diag(l) V, d' m d is the sum
 * of sign(l) (sqrt|l| v . d)^2.
 */
#include "kernel/attack/link_transform.h"

#include <math.h>
#include <string.h>

#include "kernel/geometry/principal_axes.h"

/* The least variance that a direction counts with, beside the greatest. */
#define LEAST_VARIANCE 1e-8

/* Eigenvalues of no more than this beside the greatest are rounding. */
#define NEGLIGIBLE 1e-12

/* The rows that a covariance is taken over, and which difference. */
typedef struct Rows
{
	SdcHost *host;
	const SdcLinkFile *a;
	const SdcLinkFile *b;   /* NULL: the values of a themselves */
	const int32_t *partner; /* with b */
} Rows;

static bool
is_complete(const SdcLinkFile *file, int32_t row)
{
	int j;

	for (j = 0; j < file->columns; j++)
		if (file->missing[j][row])
			return false;
	return true;
}

static bool
counts(const Rows *rows, int32_t row)
{
	return is_complete(rows->a, row) &&
		   (rows->b == NULL || (rows->partner[row] >= 0 &&
								is_complete(rows->b, rows->partner[row])));
}

static double
difference(const Rows *rows, int32_t row, int column)
{
	double x = rows->a->value[column][row];

	return rows->b == NULL ? x
						   : x - rows->b->value[column][rows->partner[row]];
}

/* The means of the columns; returns how many rows count. */
static int32_t
find_means(const Rows *rows, double *mean)
{
	SdcHost *host = rows->host;
	int columns = rows->a->columns;
	int32_t n = 0;
	int32_t i;
	int j;

	memset(mean, 0, sizeof(*mean) * (size_t) columns);
	for (i = 0; i < rows->a->rows; i++)
	{
		if (i % (SDC_POLL_STEPS / SDC_MAX_COLUMNS) == 0)
			host->poll(host, 0, 0);
		if (!counts(rows, i))
			continue;
		for (j = 0; j < columns; j++)
			mean[j] += difference(rows, i, j);
		n++;
	}
	for (j = 0; j < columns; j++)
		mean[j] /= n > 0 ? n : 1;
	return n;
}

/* Adds the covariance of the rows; false when fewer than two count. */
static bool
add_covariance(const Rows *rows, double *covariance)
{
	SdcHost *host = rows->host;
	int columns = rows->a->columns;
	double mean[SDC_MAX_COLUMNS];
	double centred[SDC_MAX_COLUMNS];
	int32_t n = find_means(rows, mean);
	int32_t i;
	int j;
	int k;

	if (n < 2)
		return false;
	for (i = 0; i < rows->a->rows; i++)
	{
		if (i % (SDC_POLL_STEPS / SDC_MAX_COLUMNS) == 0)
			host->poll(host, 0, 0);
		if (!counts(rows, i))
			continue;
		for (j = 0; j < columns; j++)
			centred[j] = difference(rows, i, j) - mean[j];
		for (j = 0; j < columns; j++)
			for (k = 0; k <= j; k++)
				covariance[j * columns + k] +=
					centred[j] * centred[k] / (n - 1);
	}
	return true;
}

void
sdc_link_transform_covariance(SdcHost *host, const SdcLinkFile *a,
							  const SdcLinkFile *b, const int32_t *partner,
							  double *covariance)
{
	Rows pairs = {host, a, b, partner};
	Rows of_a = {host, a, NULL, NULL};
	Rows of_b = {host, b, NULL, NULL};
	int d = a->columns;
	int j;
	int k;

	memset(covariance, 0, sizeof(*covariance) * (size_t) d * (size_t) d);
	if (!add_covariance(&pairs, covariance))
	{
		(void) add_covariance(&of_a, covariance);
		(void) add_covariance(&of_b, covariance);
	}
	for (j = 0; j < d; j++)
		for (k = j + 1; k < d; k++)
			covariance[j * d + k] = covariance[k * d + j];
}

/* The greatest magnitude on the diagonal. */
static double
find_greatest(const double *matrix, int d)
{
	double greatest = 0;
	int j;

	for (j = 0; j < d; j++)
		greatest = fmax(greatest, fabs(matrix[j * d + j]));
	return greatest;
}

void
sdc_link_transform_invert(SdcHost *host, double *matrix, int columns)
{
	int d = columns;
	size_t size = (size_t) d * (size_t) d;
	double *axes = sdc_new(host, double, size);
	double *value = sdc_new(host, double, (size_t) d);
	double greatest;
	int i;
	int j;
	int k;

	sdc_principal_axes_diagonalize(host, matrix, axes, d);
	greatest = find_greatest(matrix, d);
	for (i = 0; i < d; i++)
		value[i] = greatest == 0 ? 1
								 : 1 / fmax(matrix[i * d + i],
											greatest * LEAST_VARIANCE);
	for (j = 0; j < d; j++)
		for (k = 0; k <= j; k++)
		{
			double sum = 0;

			for (i = 0; i < d; i++)
				sum += axes[i * d + j] * value[i] * axes[i * d + k];
			matrix[j * d + k] = matrix[k * d + j] = sum;
		}
	host->release(host, axes);
	host->release(host, value);
}

/* Appends the directions with eigenvalues of one sign. */
static void
add_directions(SdcLinkTransform *transform, const double *matrix,
			   const double *axes, double sign)
{
	int d = transform->columns;
	double least = find_greatest(matrix, d) * NEGLIGIBLE;
	int i;
	int j;

	for (i = 0; i < d; i++)
	{
		double value = sign * matrix[i * d + i];

		if (!(value > least))
			continue;
		for (j = 0; j < d; j++)
			transform->factor[transform->rows * d + j] =
				sqrt(value) * axes[i * d + j];
		transform->rows++;
	}
}

SdcLinkTransform
sdc_link_transform_factor(SdcHost *host, const double *matrix, int columns)
{
	size_t size = (size_t) columns * (size_t) columns;
	double *diagonal = sdc_new(host, double, size);
	double *axes = sdc_new(host, double, size);
	SdcLinkTransform transform = {0, 0, columns, NULL};

	transform.factor = sdc_new(host, double, size);
	memset(transform.factor, 0, sizeof(double) * size);
	memcpy(diagonal, matrix, sizeof(double) * size);
	sdc_principal_axes_diagonalize(host, diagonal, axes, columns);
	add_directions(&transform, diagonal, axes, 1);
	transform.positive = transform.rows;
	add_directions(&transform, diagonal, axes, -1);
	if (transform.rows == 0)
		transform.rows = transform.positive = 1;
	host->release(host, diagonal);
	host->release(host, axes);
	return transform;
}

/* One new column of a file. */
static double *
apply_row(SdcHost *host, const SdcLinkTransform *transform, int row,
		  const SdcLinkFile *file)
{
	const double *factor = transform->factor + row * transform->columns;
	double *value = sdc_new(host, double, (size_t) file->rows);
	int32_t i;
	int j;

	for (i = 0; i < file->rows; i++)
	{
		double sum = 0;

		if (i % (SDC_POLL_STEPS / SDC_MAX_COLUMNS) == 0)
			host->poll(host, 0, 0);
		for (j = 0; j < transform->columns; j++)
			sum += factor[j] * file->value[j][i];
		value[i] = sum;
	}
	return value;
}

void
sdc_link_transform_apply(SdcHost *host, const SdcLinkTransform *transform,
						 SdcLinkFile *file)
{
	double **value = sdc_new(host, double *, (size_t) transform->rows);
	bool **missing = sdc_new(host, bool *, (size_t) transform->rows);
	bool *any = sdc_new(host, bool, (size_t) file->rows);
	int32_t i;
	int j;

	for (i = 0; i < file->rows; i++)
		any[i] = !is_complete(file, i);
	for (j = 0; j < transform->rows; j++)
	{
		value[j] = apply_row(host, transform, j, file);
		missing[j] = any;
	}
	file->value = value;
	file->missing = missing;
	file->columns = transform->rows;
}
