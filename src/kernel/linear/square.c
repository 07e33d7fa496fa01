/*
 * square.c
 *		Square matrices: inverse, eigenvectors, definiteness.
 *
 * Cyclic Jacobi rotations (Golub and Van Loan, "Matrix computations", section
 * on Jacobi methods) need only square roots, so eigenvectors are the same bits
 * everywhere.  Rotations stop when what is left off the diagonal no longer
 * matters beside the diagonal.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/linear/moments.h"
#include "kernel/linear/square.h"

#define MOST_SWEEPS 40

/* Off-diagonal elements this small beside the trace are taken for zero. */
#define NEGLIGIBLE 1e-15

static void
swap_rows(double *matrix, int n, int p, int q)
{
	int i;

	for (i = 0; i < n; i++)
	{
		double x = matrix[p * n + i];

		matrix[p * n + i] = matrix[q * n + i];
		matrix[q * n + i] = x;
	}
}

/* ----------------------------------------------------------------------
 * Inverses.
 * ----------------------------------------------------------------------
 */

/* Subtracts multiples of the pivot row of a pair of matrices. */
static void
eliminate(double *a, double *b, int n, int pivot)
{
	double *top = a + (size_t) pivot * n;
	double *top_b = b + (size_t) pivot * n;
	double scale = 1 / top[pivot];
	int i;
	int c;

	for (c = 0; c < n; c++)
	{
		top[c] *= scale;
		top_b[c] *= scale;
	}
	for (i = 0; i < n; i++)
	{
		double factor = a[(size_t) i * n + pivot];

		if (i == pivot || factor == 0)
			continue;
		for (c = 0; c < n; c++)
		{
			a[(size_t) i * n + c] -= factor * top[c];
			b[(size_t) i * n + c] -= factor * top_b[c];
		}
	}
}

bool
sdc_square_invert(int n, double *matrix, double *inverse, double least)
{
	int i;
	int c;

	memset(inverse, 0, (size_t) n * (size_t) n * sizeof(double));
	for (i = 0; i < n; i++)
		inverse[(size_t) i * n + i] = 1;
	for (i = 0; i < n; i++)
	{
		int best = i;

		for (c = i + 1; c < n; c++)
			if (fabs(matrix[(size_t) c * n + i]) >
				fabs(matrix[(size_t) best * n + i]))
				best = c;
		if (!(fabs(matrix[(size_t) best * n + i]) > least))
			return false;
		swap_rows(matrix, n, i, best);
		swap_rows(inverse, n, i, best);
		eliminate(matrix, inverse, n, i);
	}
	return true;
}

bool
sdc_square_solve(int n, double *matrix, double *inverse, double least,
				 const double *with, double *solution)
{
	int a;
	int b;

	if (!sdc_square_invert(n, matrix, inverse, least))
		return false;
	for (a = 0; a < n; a++)
		for (b = 0, solution[a] = 0; b < n; b++)
			solution[a] += inverse[a * n + b] * with[b];
	return true;
}

/* ----------------------------------------------------------------------
 * Eigenvectors.
 * ----------------------------------------------------------------------
 */

/* Rotates rows p and q of a matrix: p' = c p - s q, q' = s p + c q. */
static void
rotate_rows(double *matrix, int n, int p, int q, double c, double s)
{
	int i;

	for (i = 0; i < n; i++)
	{
		double x = matrix[p * n + i];
		double y = matrix[q * n + i];

		matrix[p * n + i] = c * x - s * y;
		matrix[q * n + i] = s * x + c * y;
	}
}

static void
rotate_columns(double *matrix, int n, int p, int q, double c, double s)
{
	int i;

	for (i = 0; i < n; i++)
	{
		double x = matrix[i * n + p];
		double y = matrix[i * n + q];

		matrix[i * n + p] = c * x - s * y;
		matrix[i * n + q] = s * x + c * y;
	}
}

/* Rotates in the plane p, q so that element p, q vanishes. */
static void
annihilate(double *matrix, double *axes, int n, int p, int q)
{
	double theta =
		(matrix[q * n + q] - matrix[p * n + p]) / (2 * matrix[p * n + q]);
	double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
	double c = 1 / sqrt(t * t + 1);
	double s = t * c;

	rotate_rows(matrix, n, p, q, c, s);
	rotate_columns(matrix, n, p, q, c, s);
	matrix[p * n + q] = matrix[q * n + p] = 0;
	rotate_rows(axes, n, p, q, c, s);
}

void
sdc_square_diagonalize(SdcHost *host, int n, double *matrix, double *axes)
{
	double trace = 0;
	int sweep;
	int p;
	int q;

	memset(axes, 0, sizeof(*axes) * (size_t) n * (size_t) n);
	for (p = 0; p < n; p++)
	{
		axes[p * n + p] = 1;
		trace += fabs(matrix[p * n + p]);
	}
	for (sweep = 0; sweep < MOST_SWEEPS; sweep++)
	{
		bool rotated = false;

		if (host != NULL)
			host->poll(host, 0, 0);
		for (p = 0; p < n; p++)
			for (q = p + 1; q < n; q++)
				if (fabs(matrix[p * n + q]) > NEGLIGIBLE * trace)
				{
					annihilate(matrix, axes, n, p, q);
					rotated = true;
				}
		if (!rotated)
			break;
	}
}

/* Makes the component of largest magnitude positive. */
static void
fix_sign(double *axis, int n)
{
	int largest = 0;
	int i;

	for (i = 1; i < n; i++)
		if (fabs(axis[i]) > fabs(axis[largest]))
			largest = i;
	if (axis[largest] < 0)
		for (i = 0; i < n; i++)
			axis[i] = -axis[i];
}

void
sdc_principal_axes(SdcHost *host, size_t rows, int columns,
				   const double *const *column, size_t sample, double *axes)
{
	int d = columns;
	size_t elements = (size_t) d * (size_t) d;
	size_t stride = rows > sample ? rows / sample : 1;
	double *covariance = sdc_new(host, double, elements);
	int p;
	int q;

	if (rows > 1)
		sdc_covariance_matrix(host, rows, d, column, stride, covariance);
	else
		memset(covariance, 0, elements * sizeof(*covariance));
	sdc_square_diagonalize(host, d, covariance, axes);
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

/* ----------------------------------------------------------------------
 * Halves of symmetric matrices, and how far definiteness goes.
 *
 * The definite matrices are convex, so the steps along a line that stay among
 * them are an interval, whose ends are found by bisection.
 * ----------------------------------------------------------------------
 */

#define MOST      SDC_HALF_COLUMNS
#define MOST_HALF (MOST * (MOST + 1) / 2)
#define HALVINGS  30

/* The least eigenvalue of a definite matrix, relative to its largest entry. */
#define SPARE 1e-9

static void
unfold(int n, const double *half, double *full)
{
	int i;
	int j;

	for (i = 0; i < n; i++)
		for (j = i; j < n; j++)
			full[i * n + j] = full[j * n + i] = *half++;
}

static double
largest_entry(int n, const double *half)
{
	double most = 0;
	int i;

	for (i = 0; i < n * (n + 1) / 2; i++)
		if (!(fabs(half[i]) <= most))
			most = fabs(half[i]);
	return most;
}

void
sdc_half_diagonalize(int n, const double *half, double *value, double *vector)
{
	double full[MOST * MOST];
	int i;

	unfold(n, half, full);
	sdc_square_diagonalize(NULL, n, full, vector);
	for (i = 0; i < n; i++)
		value[i] = full[i * n + i];
}

/* Is it positive definite with this much to spare (by Cholesky)? */
static bool
is_definite(int n, const double *half, double spare)
{
	double full[MOST * MOST];
	int i;
	int j;
	int k;

	unfold(n, half, full);
	for (i = 0; i < n; i++)
		for (j = 0; j <= i; j++)
		{
			double sum = full[i * n + j] - (i == j ? spare : 0);

			for (k = 0; k < j; k++)
				sum -= full[i * n + k] * full[j * n + k];
			if (i == j && !(sum > 0))
				return false;
			full[i * n + j] = i == j ? sqrt(sum) : sum / full[j * n + j];
		}
	return true;
}

static void
add_identity(int n, double *half, double much)
{
	int i;

	for (i = 0; i < n; i++)
	{
		*half += much;
		half += n - i;
	}
}

bool
sdc_half_repair(int n, double *half)
{
	double scale = largest_entry(n, half);
	double much = SPARE * scale;
	double value[MOST];
	double vector[MOST * MOST];
	double least = 0;
	int i;

	if (!isfinite(scale) || scale == 0)
		return false;
	if (is_definite(n, half, much))
		return true;
	sdc_half_diagonalize(n, half, value, vector);
	for (i = 0; i < n; i++)
		if (value[i] < least)
			least = value[i];
	add_identity(n, half, 2 * much - least);
	return is_definite(n, half, much / 2);
}

/* Is half + step direction definite? */
static bool
step_definite(int n, const double *half, const double *direction, double step)
{
	double moved[MOST_HALF];
	int i;

	for (i = 0; i < n * (n + 1) / 2; i++)
		moved[i] = half[i] + step * direction[i];
	return is_definite(n, moved, SPARE * largest_entry(n, moved));
}

/* The largest step towards the end, of that sign, that stays definite. */
static double
farthest(int n, const double *half, const double *direction, double end)
{
	double good = 0;
	double bad = end;
	int i;

	if (step_definite(n, half, direction, end))
		return end;
	for (i = 0; i < HALVINGS; i++)
	{
		double middle = (good + bad) / 2;

		if (step_definite(n, half, direction, middle))
			good = middle;
		else
			bad = middle;
	}
	return good;
}

bool
sdc_half_range(int n, const double *half, const double *direction,
			   double *from, double *to)
{
	if (!step_definite(n, half, direction, 0))
		return false;
	*from = farthest(n, half, direction, *from);
	*to = farthest(n, half, direction, *to);
	return true;
}
