/*
 * simplex.c
 *		The simplex method behind the matrix game.
 *
 * The player of rows solves max sum z, sum_r z_r (row_r + shift) <= 1, which
 * is feasible from the start.  The inverse of the basis is kept dense, for it
 * has no more rows than the game has coordinates, and made anew now and then.
 */
#include <math.h>
#include <string.h>

#include "kernel/learned/learned_cover.h"
#include "kernel/linear/simplex.h"

/* The margin of a row that no point can satisfy. */
#define MOST_MARGIN 1.25

#define PIVOT 1e-9

static double
dot(const double *a, const double *b, int n)
{
	double even = 0;
	double odd = 0;
	int c;

	for (c = 0; c + 1 < n; c += 2)
	{
		even += a[c] * b[c];
		odd += a[c + 1] * b[c + 1];
	}
	return c < n ? even + odd + a[c] * b[c] : even + odd;
}

int32_t
sdc_learned_simplex_rows(const SdcLearnedSystem *system)
{
	return system->records > 0 ? system->start[system->records] : 0;
}

static double
margin_of(const SdcLearnedSystem *system, int32_t row)
{
	if (row >= sdc_learned_simplex_rows(system))
		return -SDC_LEARNED_SLACK;
	if (system->margin == NULL)
		return 0;
	return system->margin[row] < MOST_MARGIN ? system->margin[row]
											 : MOST_MARGIN;
}

/* Rows of records come first, the fixed ones after them. */
static const double *
values_of(const SdcLearnedSystem *system, int32_t row)
{
	int32_t rows = sdc_learned_simplex_rows(system);

	return row < rows
			   ? system->value + (size_t) row * system->features
			   : system->fixed + (size_t) (row - rows) * system->features;
}

double
sdc_learned_simplex_entry(const SdcLearnedSystem *system, int32_t row,
						  int coordinate)
{
	const double *value = values_of(system, row);
	int m = system->features;

	return (coordinate < m ? value[coordinate] : -value[coordinate - m]) -
		   margin_of(system, row);
}

/* What a row is worth at the present prices. */
double
sdc_learned_simplex_worth(const SdcLearnedGame *game,
						  const SdcLearnedSystem *system, int32_t row)
{
	return dot(values_of(system, row), game->folded, system->features) -
		   margin_of(system, row) * game->total;
}

/* Prices by feature, from prices by coordinate. */
static void
fold_prices(SdcLearnedGame *game, const SdcLearnedSystem *system)
{
	int c;

	game->total = 0;
	for (c = 0; c < game->coordinates; c++)
		game->total += game->price[c];
	for (c = 0; c < system->features; c++)
		game->folded[c] =
			game->price[c] -
			(system->is_signed ? game->price[c + system->features] : 0);
}

void
sdc_learned_simplex_start(SdcLearnedGame *game, const SdcLearnedSystem *system)
{
	size_t n = (size_t) (system->features * (system->is_signed ? 2 : 1));
	int c;

	game->coordinates = (int) n;
	memset(game->inverse, 0, n * n * sizeof(double));
	for (c = 0; c < game->coordinates; c++)
	{
		game->inverse[(size_t) c * n + (size_t) c] = 1;
		game->basic[c] = 1;
		game->basis[c] = -1 - c;
		game->price[c] = 0;
	}
	fold_prices(game, system);
}

/* The column of a variable: a row, or a slack. */
static void
take_column(const SdcLearnedGame *game, const SdcLearnedSystem *system,
			int32_t variable, double *column)
{
	int c;

	for (c = 0; c < game->coordinates; c++)
		column[c] = variable >= 0
						? sdc_learned_simplex_entry(system, variable, c) +
							  SDC_LEARNED_SHIFT
						: 0;
	if (variable < 0)
		column[-1 - variable] = 1;
}

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

static void
swap_rows(double *a, int n, int i, int j)
{
	int c;

	for (c = 0; c < n; c++)
	{
		double kept = a[(size_t) i * n + c];

		a[(size_t) i * n + c] = a[(size_t) j * n + c];
		a[(size_t) j * n + c] = kept;
	}
}

/* Inverts the basis anew (Gauss and Jordan); false when it is singular. */
static bool
invert(SdcLearnedGame *game, const SdcLearnedSystem *system)
{
	int n = game->coordinates;
	int i;
	int c;

	memset(game->inverse, 0, (size_t) n * n * sizeof(double));
	for (i = 0; i < n; i++)
	{
		take_column(game, system, game->basis[i], game->column);
		for (c = 0; c < n; c++)
			game->square[(size_t) c * n + i] = game->column[c];
		game->inverse[(size_t) i * n + i] = 1;
	}
	for (i = 0; i < n; i++)
	{
		int best = i;

		for (c = i + 1; c < n; c++)
			if (fabs(game->square[(size_t) c * n + i]) >
				fabs(game->square[(size_t) best * n + i]))
				best = c;
		if (!(fabs(game->square[(size_t) best * n + i]) > 1e-13))
			return false;
		swap_rows(game->square, n, i, best);
		swap_rows(game->inverse, n, i, best);
		eliminate(game->square, game->inverse, n, i);
	}
	return true;
}

/* Basic values and prices from a new inverse. */
bool
sdc_learned_simplex_refresh(SdcLearnedGame *game,
							const SdcLearnedSystem *system)
{
	int n = game->coordinates;
	int i;
	int c;

	if (!invert(game, system))
		return false;
	memset(game->price, 0, (size_t) n * sizeof(double));
	for (i = 0; i < n; i++)
	{
		const double *row = game->inverse + (size_t) i * n;

		game->basic[i] = 0;
		for (c = 0; c < n; c++)
		{
			game->basic[i] += row[c];
			if (game->basis[i] >= 0)
				game->price[c] += row[c];
		}
		if (game->basic[i] < 0)
			game->basic[i] = 0;
	}
	fold_prices(game, system);
	return true;
}

/* The basic variable that reaches 0 first as the column enters, or -1. */
static int
leaving(SdcLearnedGame *game)
{
	double least = INFINITY;
	double best = 0;
	int found = -1;
	int n = game->coordinates;
	int i;

	for (i = 0; i < n; i++)
	{
		double step = dot(game->inverse + (size_t) i * n, game->column, n);

		game->along[i] = step;
		if (step > PIVOT)
		{
			double ratio = game->basic[i] / step;

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

/* Takes a variable into the basis; false when nothing bounds it. */
bool
sdc_learned_simplex_step(SdcLearnedGame *game, const SdcLearnedSystem *system,
						 int32_t entering)
{
	int n = game->coordinates;
	double gain;
	double step;
	int out;
	int i;
	int c;
	double *top;

	take_column(game, system, entering, game->column);
	gain = (entering >= 0 ? 1 : 0) - dot(game->price, game->column, n);
	out = leaving(game);
	if (out < 0)
		return false;
	step = game->basic[out] / game->along[out];
	top = game->inverse + (size_t) out * n;
	for (c = 0; c < n; c++)
		top[c] /= game->along[out];
	for (i = 0; i < n; i++)
	{
		double factor = game->along[i];
		double *row = game->inverse + (size_t) i * n;

		if (i == out || factor == 0)
			continue;
		game->basic[i] -= step * factor;
		if (game->basic[i] < 0)
			game->basic[i] = 0;
		for (c = 0; c < n; c++)
			row[c] -= factor * top[c];
	}
	game->basic[out] = step;
	game->basis[out] = entering;
	for (c = 0; c < n; c++)
		game->price[c] += gain * top[c];
	fold_prices(game, system);
	return true;
}
