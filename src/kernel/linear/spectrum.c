/*
 * spectrum.c
 *		Small symmetric matrices: eigenvectors, and how far definiteness goes.
 *
 * The definite matrices are convex, so the steps along a line that stay among
 * them are an interval, whose ends are found by halving.
 */
#include <math.h>
#include <string.h>

#include "kernel/learned/learned_form.h"
#include "kernel/linear/spectrum.h"

#define MOST      SDC_LEARNED_MAX_COLUMNS
#define MOST_HALF (MOST * (MOST + 1) / 2)

#define SWEEPS   60
#define HALVINGS 30

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
largest(int n, const double *half)
{
	double most = 0;
	int i;

	for (i = 0; i < n * (n + 1) / 2; i++)
		if (!(fabs(half[i]) <= most))
			most = fabs(half[i]);
	return most;
}

/* One rotation, in the plane of i and j, that makes entry (i, j) zero. */
static void
rotate(int n, double *full, double *vector, int i, int j)
{
	double theta = (full[j * n + j] - full[i * n + i]) / (2 * full[i * n + j]);
	double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
	double c = 1 / sqrt(t * t + 1);
	double s = t * c;
	double a;
	int k;

	for (k = 0; k < n; k++)
	{
		a = full[k * n + i];
		full[k * n + i] = c * a - s * full[k * n + j];
		full[k * n + j] = s * a + c * full[k * n + j];
	}
	for (k = 0; k < n; k++)
	{
		a = full[i * n + k];
		full[i * n + k] = c * a - s * full[j * n + k];
		full[j * n + k] = s * a + c * full[j * n + k];
		a = vector[i * n + k];
		vector[i * n + k] = c * a - s * vector[j * n + k];
		vector[j * n + k] = s * a + c * vector[j * n + k];
	}
}

void
sdc_learned_spectrum_find(int n, const double *half, double *value,
						  double *vector)
{
	double full[MOST * MOST];
	double small = 1e-17 * largest(n, half);
	bool moved = true;
	int sweep;
	int i;
	int j;

	unfold(n, half, full);
	memset(vector, 0, (size_t) n * n * sizeof(double));
	for (i = 0; i < n; i++)
		vector[i * n + i] = 1;
	for (sweep = 0; sweep < SWEEPS && moved; sweep++)
	{
		moved = false;
		for (i = 0; i < n; i++)
			for (j = i + 1; j < n; j++)
				if (fabs(full[i * n + j]) > small)
				{
					rotate(n, full, vector, i, j);
					moved = true;
				}
	}
	for (i = 0; i < n; i++)
		value[i] = full[i * n + i];
}

bool
sdc_learned_spectrum_definite(int n, const double *half, double spare)
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
sdc_learned_spectrum_repair(int n, double *half)
{
	double scale = largest(n, half);
	double much = SPARE * scale;
	double value[MOST];
	double vector[MOST * MOST];
	double least = 0;
	int i;

	if (!isfinite(scale) || scale == 0)
		return false;
	if (sdc_learned_spectrum_definite(n, half, much))
		return true;
	sdc_learned_spectrum_find(n, half, value, vector);
	for (i = 0; i < n; i++)
		if (value[i] < least)
			least = value[i];
	add_identity(n, half, 2 * much - least);
	return sdc_learned_spectrum_definite(n, half, much / 2);
}

/* Is half + step direction definite? */
static bool
step_definite(int n, const double *half, const double *direction, double step)
{
	double moved[MOST_HALF];
	int i;

	for (i = 0; i < n * (n + 1) / 2; i++)
		moved[i] = half[i] + step * direction[i];
	return sdc_learned_spectrum_definite(n, moved, SPARE * largest(n, moved));
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
sdc_learned_spectrum_range(int n, const double *half, const double *direction,
						   double *from, double *to)
{
	if (!step_definite(n, half, direction, 0))
		return false;
	*from = farthest(n, half, direction, *from);
	*to = farthest(n, half, direction, *to);
	return true;
}
