/*
 * learned_game.c
 *		Can the rows of some records all hold at once?
 *
 * The dual prices of the player of rows are the other player's point.  Rows
 * are priced from a short list of those that were violated when all of them
 * were last looked at, one for each record.
 */
#include "kernel/attack/learned_simplex.h"

#include <math.h>
#include <string.h>

#define IMPROVES  1e-10 /* reduced cost worth a step */
#define NEGATIVE  1e-11 /* value that counts as below 0 */
#define CERTAIN   1e-13 /* what a certificate must be below 0 by */
#define REFRESH   64    /* steps between two new inverses */
#define LIST_USES 24    /* steps between two looks at all rows */

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
		double now = sdc_learned_simplex_worth(game, system, game->listed[i]);

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
	return 1 - (worth + SDC_LEARNED_SHIFT * game->total) > IMPROVES;
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
	int32_t rows = sdc_learned_simplex_rows(system);
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
			double now = sdc_learned_simplex_worth(game, system, r);

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

/* What the value of the game cannot exceed, given the present mixture. */
static double
upper_value(const SdcLearnedGame *game)
{
	double sum = 0;
	int i;

	for (i = 0; i < game->coordinates; i++)
		if (game->basis[i] >= 0)
			sum += game->basic[i];
	return sum > 0 ? 1 / sum - SDC_LEARNED_SHIFT : INFINITY;
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
						 sdc_learned_simplex_entry(system, game->basis[i], c);
		if (!(entry < -CERTAIN * sum))
			return false;
	}
	return sum > 0;
}

/* Names the records whose rows are in the mixture, each once. */
static void
take_support(SdcLearnedGame *game, const SdcLearnedSystem *system)
{
	int32_t rows = sdc_learned_simplex_rows(system);
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
		(slack < 0 || 1 - (*least + SDC_LEARNED_SHIFT * game->total) >=
						  -game->price[slack]))
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
	sdc_learned_simplex_start(game, system);
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
		if (!sdc_learned_simplex_step(game, system, entering))
			break;
		looked = false;
		if (step % REFRESH == REFRESH - 1 &&
			!sdc_learned_simplex_refresh(game, system))
			break;
		if (upper_value(game) < -NEGATIVE && certified(game, system))
			break;
	}
	return conclude(game, system, looked ? least : -1);
}
