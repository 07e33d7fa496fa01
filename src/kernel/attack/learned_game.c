/*
 * learned_game.c
 *		Can the rows of some records all hold at once?
 *
 * The player of rows solves max sum z, sum_r z_r (row_r + SHIFT) <= 1, which
 * is feasible from the start and whose dual prices are the other player's
 * point.  Rows are priced from a short list of those that were violated when
 * all of them were last looked at, one for each record.
 */
#include "kernel/attack/learned_game.h"

#include <math.h>
#include <string.h>

/* Makes every entry positive: entries are above 1 - SHIFT. */
#define SHIFT 3.0

/* The margin of a row that no point can satisfy. */
#define MOST_MARGIN 1.25

#define IMPROVES  1e-10 /* reduced cost worth a step */
#define NEGATIVE  1e-11 /* value that counts as below 0 */
#define CERTAIN   1e-13 /* what a certificate must be below 0 by */
#define PIVOT     1e-9
#define REFRESH   64 /* steps between two new inverses */
#define LIST_USES 24 /* steps between two looks at all rows */

SdcLearnedGame *
sdc_learned_game_create(SdcHost *host, int most_coordinates)
{
	size_t n = (size_t) most_coordinates;
	SdcLearnedGame *game = sdc_new(host, SdcLearnedGame, 1);

	memset(game, 0, sizeof(*game));
	game->host = host;
	game->most_coordinates = most_coordinates;
	game->point = sdc_new(host, double, n);
	game->support = sdc_new(host, int32_t, n);
	game->inverse = sdc_new(host, double, n *n);
	game->square = sdc_new(host, double, n *n);
	game->basic = sdc_new(host, double, n);
	game->basis = sdc_new(host, int32_t, n);
	game->price = sdc_new(host, double, n);
	game->folded = sdc_new(host, double, n);
	game->column = sdc_new(host, double, n);
	game->along = sdc_new(host, double, n);
	return game;
}

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

static int32_t
row_count(const SdcLearnedSystem *system)
{
	return system->records > 0 ? system->start[system->records] : 0;
}

static double
margin_of(const SdcLearnedSystem *system, int32_t row)
{
	if (row >= row_count(system))
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
	int32_t rows = row_count(system);

	return row < rows
			   ? system->value + (size_t) row * system->features
			   : system->fixed + (size_t) (row - rows) * system->features;
}

static double
entry_of(const SdcLearnedSystem *system, int32_t row, int coordinate)
{
	const double *value = values_of(system, row);
	int m = system->features;

	return (coordinate < m ? value[coordinate] : -value[coordinate - m]) -
		   margin_of(system, row);
}

/* What a row is worth at the present prices. */
static double
worth(const SdcLearnedGame *game, const SdcLearnedSystem *system, int32_t row)
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

static void
start_basis(SdcLearnedGame *game, const SdcLearnedSystem *system)
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
		column[c] = variable >= 0 ? entry_of(system, variable, c) + SHIFT : 0;
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
static bool
refresh(SdcLearnedGame *game, const SdcLearnedSystem *system)
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

/* The listed row that is worth least, or -1. */
static int32_t
price_list(const SdcLearnedGame *game, const SdcLearnedSystem *system,
		   double *least)
{
	int32_t found = -1;
	int32_t i;

	*least = INFINITY;
	for (i = 0; i < game->listings; i++)
	{
		double now = worth(game, system, game->listed[i]);

		if (now < *least)
		{
			*least = now;
			found = game->listed[i];
		}
	}
	return found;
}

/* Would a row that is worth this much improve the player's sum? */
static bool
improves(const SdcLearnedGame *game, double worth)
{
	return 1 - (worth + SHIFT * game->total) > IMPROVES;
}

static void
list_row(SdcLearnedGame *game, int32_t row)
{
	if (game->listings == game->room)
	{
		int32_t room = game->room * 2 + 256;
		int32_t *larger = sdc_new(game->host, int32_t, (size_t) room);

		if (game->listings > 0)
			memcpy(larger, game->listed,
				   (size_t) game->listings * sizeof(int32_t));
		game->host->release(game->host, game->listed);
		game->listed = larger;
		game->room = room;
	}
	game->listed[game->listings++] = row;
}

/* Lists the worst rows of the records, and all fixed rows that improve. */
static int32_t
price_all(SdcLearnedGame *game, const SdcLearnedSystem *system,
		  const bool *kept, double *least)
{
	int32_t rows = row_count(system);
	int32_t found = -1;
	int32_t k;
	int32_t r;

	game->host->poll(game->host, 0, 0);
	game->listings = 0;
	*least = INFINITY;
	for (k = 0; k < system->records + system->fixed_rows; k++)
	{
		bool fixed = k >= system->records;
		int32_t end =
			fixed ? rows + k - system->records + 1 : system->start[k + 1];
		double low = INFINITY;
		int32_t at = -1;

		if (!fixed && kept != NULL && !kept[k])
			continue;
		for (r = fixed ? end - 1 : system->start[k]; r < end; r++)
		{
			double now = worth(game, system, r);

			if (now < low)
			{
				low = now;
				at = r;
			}
		}
		if (at >= 0 && improves(game, low))
			list_row(game, at);
		if (low < *least)
		{
			*least = low;
			found = at;
		}
	}
	return found;
}

/* The coordinate with the most negative price, or -1. */
static int
negative_price(const SdcLearnedGame *game)
{
	double low = -IMPROVES;
	int found = -1;
	int c;

	for (c = 0; c < game->coordinates; c++)
		if (game->price[c] < low)
		{
			low = game->price[c];
			found = c;
		}
	return found;
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
static bool
step_basis(SdcLearnedGame *game, const SdcLearnedSystem *system,
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

/* What the value of the game cannot exceed, given the present mixture. */
static double
upper_value(const SdcLearnedGame *game)
{
	double sum = 0;
	int i;

	for (i = 0; i < game->coordinates; i++)
		if (game->basis[i] >= 0)
			sum += game->basic[i];
	return sum > 0 ? 1 / sum - SHIFT : INFINITY;
}

/* Is basic variable i a row that has a part in the mixture? */
static bool
mixes(const SdcLearnedGame *game, int i)
{
	return game->basis[i] >= 0 && game->basic[i] > 1e-12;
}

/*
 * Does the mixture lose at every coordinate?  Rounding in how it was found
 * does not matter: any mixture that does is a proof.
 */
static bool
certified(const SdcLearnedGame *game, const SdcLearnedSystem *system)
{
	long double sum = 0;
	int c;
	int i;

	for (i = 0; i < game->coordinates; i++)
		if (mixes(game, i))
			sum += game->basic[i];
	for (c = 0; c < game->coordinates; c++)
	{
		long double entry = 0;

		for (i = 0; i < game->coordinates; i++)
			if (mixes(game, i))
				entry += (long double) game->basic[i] *
						 entry_of(system, game->basis[i], c);
		if (!(entry < -CERTAIN * sum))
			return false;
	}
	return sum > 0;
}

/* Names the records whose rows are in the mixture, each once. */
static void
take_support(SdcLearnedGame *game, const SdcLearnedSystem *system)
{
	int32_t rows = row_count(system);
	int i;
	int k;

	game->supports = 0;
	for (i = 0; i < game->coordinates; i++)
	{
		int32_t record;

		if (!mixes(game, i) || game->basis[i] >= rows)
			continue;
		record = system->owner[game->basis[i]];
		for (k = 0; k < game->supports && game->support[k] != record; k++)
			;
		if (k == game->supports)
			game->support[game->supports++] = record;
	}
}

/* The point of the present prices, cut at 0; its sum becomes 1. */
static void
take_point(SdcLearnedGame *game, const SdcLearnedSystem *system, double least)
{
	int m = system->features;
	double sum = 0;
	int c;

	for (c = 0; c < game->coordinates; c++)
	{
		if (!(game->price[c] > 0))
			game->price[c] = 0;
		sum += game->price[c];
	}
	for (c = 0; c < m; c++)
		game->point[c] = sum > 0
							 ? (game->price[c] -
								(system->is_signed ? game->price[c + m] : 0)) /
								   sum
							 : 1.0 / m;
	game->value = sum > 0 ? least / sum : 0;
}

/* The variable to enter: a row, a slack, or one that stands for neither. */
#define NOTHING INT32_MIN

static int32_t
choose(SdcLearnedGame *game, const SdcLearnedSystem *system, const bool *kept,
	   int step, double *least, bool *looked)
{
	int slack = negative_price(game);
	int32_t row = -1;

	*looked = false;
	if (step % LIST_USES != 0)
		row = price_list(game, system, least);
	if (row < 0 || !improves(game, *least))
	{
		row = price_all(game, system, kept, least);
		*looked = true;
	}
	if (row >= 0 && improves(game, *least) &&
		(slack < 0 ||
		 1 - (*least + SHIFT * game->total) >= -game->price[slack]))
		return row;
	return slack >= 0 ? -1 - slack : NOTHING;
}

/* The verdict once no step improves anything, or the steps are used up. */
static SdcLearnedVerdict
conclude(SdcLearnedGame *game, const SdcLearnedSystem *system, double least)
{
	SdcLearnedVerdict verdict = SDC_LEARNED_UNKNOWN;

	if (upper_value(game) < -NEGATIVE && certified(game, system))
	{
		take_support(game, system);
		verdict = SDC_LEARNED_INFEASIBLE;
	}
	else if (least >= 0 && game->total > 0)
		verdict = SDC_LEARNED_FEASIBLE;
	take_point(game, system, least);
	return verdict;
}

SdcLearnedVerdict
sdc_learned_game_play(SdcLearnedGame *game, const SdcLearnedSystem *system,
					  const bool *kept, bool best)
{
	double least = 0;
	bool looked = false;
	int most;
	int step;

	game->supports = 0;
	game->listings = 0;
	start_basis(game, system);
	most = 40 * game->coordinates + 400;
	for (step = 0; step < most; step++)
	{
		int32_t entering = choose(game, system, kept, step, &least, &looked);

		if (step == 0 && entering == NOTHING)
		{
			take_point(game, system, 0);
			return SDC_LEARNED_FEASIBLE;
		}
		if (looked && !best && step > 0 && least >= 0 && game->total > 0 &&
			negative_price(game) < 0)
			break;
		if (entering == NOTHING)
			break;
		if (!step_basis(game, system, entering))
			break;
		looked = false;
		if (step % REFRESH == REFRESH - 1 && !refresh(game, system))
			break;
		if (upper_value(game) < -NEGATIVE && certified(game, system))
			break;
	}
	return conclude(game, system, looked ? least : -1);
}
