/*
 * simplex.c
 *		The revised simplex method with a dense inverse.
 *
 * The program is feasible from the start, with all slacks basic.  The inverse
 * of the basis is updated by each step and made anew when the caller asks.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/linear/simplex.h"
#include "kernel/linear/square.h"

/* A column moves a basic variable when its entry is above this. */
#define PIVOT 1e-9

/* A basis with a pivot this small is singular. */
#define SINGULAR 1e-13

SdcSimplex *
sdc_simplex_create(SdcHost *host, int most)
{
	size_t n = (size_t) most;
	SdcSimplex *simplex = sdc_new(host, SdcSimplex, 1);

	memset(simplex, 0, sizeof(*simplex));
	simplex->inverse = sdc_new(host, double, n *n);
	simplex->square = sdc_new(host, double, n *n);
	simplex->basic = sdc_new(host, double, n);
	simplex->basis = sdc_new(host, int32_t, n);
	simplex->price = sdc_new(host, double, n);
	simplex->column = sdc_new(host, double, n);
	simplex->along = sdc_new(host, double, n);
	return simplex;
}

void
sdc_simplex_start(SdcSimplex *simplex, int rows, SdcSimplexColumn generate,
				  void *arg)
{
	size_t n = (size_t) rows;
	int i;

	simplex->rows = rows;
	simplex->generate = generate;
	simplex->arg = arg;
	memset(simplex->inverse, 0, n * n * sizeof(double));
	for (i = 0; i < rows; i++)
	{
		simplex->inverse[(size_t) i * n + (size_t) i] = 1;
		simplex->basic[i] = 1;
		simplex->basis[i] = -1 - i;
		simplex->price[i] = 0;
	}
}

/* The column of a variable, or of a slack. */
static void
take_column(SdcSimplex *simplex, int32_t variable)
{
	if (variable >= 0)
	{
		simplex->generate(simplex->arg, variable, simplex->column);
		return;
	}
	memset(simplex->column, 0, (size_t) simplex->rows * sizeof(double));
	simplex->column[-1 - variable] = 1;
}

bool
sdc_simplex_refresh(SdcSimplex *simplex)
{
	int n = simplex->rows;
	int i;
	int c;

	for (i = 0; i < n; i++)
	{
		take_column(simplex, simplex->basis[i]);
		for (c = 0; c < n; c++)
			simplex->square[(size_t) c * n + i] = simplex->column[c];
	}
	if (!sdc_square_invert(n, simplex->square, simplex->inverse, SINGULAR))
		return false;
	memset(simplex->price, 0, (size_t) n * sizeof(double));
	for (i = 0; i < n; i++)
	{
		const double *row = simplex->inverse + (size_t) i * n;

		simplex->basic[i] = 0;
		for (c = 0; c < n; c++)
		{
			simplex->basic[i] += row[c];
			if (simplex->basis[i] >= 0)
				simplex->price[c] += row[c];
		}
		if (simplex->basic[i] < 0)
			simplex->basic[i] = 0;
	}
	return true;
}

/* The basic variable that reaches 0 first as the column enters, or -1. */
static int
leaving(SdcSimplex *simplex)
{
	double least = INFINITY;
	double best = 0;
	int found = -1;
	int n = simplex->rows;
	int i;

	for (i = 0; i < n; i++)
	{
		double step = sdc_simplex_dot(simplex->inverse + (size_t) i * n,
									  simplex->column, n);

		simplex->along[i] = step;
		if (step > PIVOT)
		{
			double ratio = simplex->basic[i] / step;

			if (ratio < least - 1e-13 ||
				(ratio < least + 1e-13 && step > best))
			{
				least = ratio < least ? ratio : least;
				best = step;
				found = i;
			}
		}
	}
	return found;
}

bool
sdc_simplex_step(SdcSimplex *simplex, int32_t entering)
{
	int n = simplex->rows;
	double gain;
	double step;
	int out;
	int i;
	int c;
	double *top;

	take_column(simplex, entering);
	gain = (entering >= 0 ? 1 : 0) -
		   sdc_simplex_dot(simplex->price, simplex->column, n);
	out = leaving(simplex);
	if (out < 0)
		return false;
	step = simplex->basic[out] / simplex->along[out];
	top = simplex->inverse + (size_t) out * n;
	for (c = 0; c < n; c++)
		top[c] /= simplex->along[out];
	for (i = 0; i < n; i++)
	{
		double factor = simplex->along[i];
		double *row = simplex->inverse + (size_t) i * n;

		if (i == out || factor == 0)
			continue;
		simplex->basic[i] -= step * factor;
		if (simplex->basic[i] < 0)
			simplex->basic[i] = 0;
		for (c = 0; c < n; c++)
			row[c] -= factor * top[c];
	}
	simplex->basic[out] = step;
	simplex->basis[out] = entering;
	for (c = 0; c < n; c++)
		simplex->price[c] += gain * top[c];
	return true;
}
