/*
 * learned_cover.c
 *		The best point of any family, with a bound, by infeasible sets.
 *
 * The game tells whether the records that the covering program keeps can all
 * hold.  If not, it names few of which one must fail: a cut.  If they can,
 * and the program was solved in whole numbers, the point is the best there
 * is.  Rounding the relaxation in several ways gives several cuts a round.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/learned/learned_branch.h"
#include "kernel/learned/learned_cover.h"
#include "kernel/learned/learned_distance.h"
#include "kernel/learned/learned_form.h"
#include "kernel/linear/simplex.h"
#include "kernel/linear/square.h"

/* ----------------------------------------------------------------------
 * Can the rows of some records all hold at once?  A matrix game.
 *
 * The player of rows solves max sum z, sum_r z_r (row_r + shift) <= 1.
 * The dual prices of the player of rows are the other player's point.  Rows
 * are priced from a short list of those that were violated when all of them
 * were last looked at, one for each record.
 * ----------------------------------------------------------------------
 */

/* Makes every entry of a row positive: entries are above 1 - this. */
#define SHIFT 3.0

/* The margin of a row that no point can satisfy. */
#define MOST_MARGIN 1.25

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
	game->simplex = sdc_simplex_create(host, most_coordinates);
	game->folded = sdc_new(host, double, n);
	return game;
}

/* Rows of records; the fixed rows are numbered after them. */
static int32_t
record_rows(const SdcLearnedSystem *system)
{
	return system->records > 0 ? system->start[system->records] : 0;
}

static double
margin_of(const SdcLearnedSystem *system, int32_t row)
{
	if (row >= record_rows(system))
		return -SDC_LEARNED_SLACK;
	if (system->margin == NULL)
		return 0;
	return system->margin[row] < MOST_MARGIN ? system->margin[row]
											 : MOST_MARGIN;
}

static const double *
values_of(const SdcLearnedSystem *system, int32_t row)
{
	int32_t rows = record_rows(system);

	return row < rows
			   ? system->value + (size_t) row * system->features
			   : system->fixed + (size_t) (row - rows) * system->features;
}

/* A row at a coordinate, its margin taken off. */
static double
entry_of(const SdcLearnedSystem *system, int32_t row, int coordinate)
{
	const double *value = values_of(system, row);
	int m = system->features;

	return (coordinate < m ? value[coordinate] : -value[coordinate - m]) -
		   margin_of(system, row);
}

/* What a row is worth at the present prices. O(features). */
static double
worth_of(const SdcLearnedGame *game, const SdcLearnedSystem *system,
		 int32_t row)
{
	return sdc_simplex_dot(values_of(system, row), game->folded,
						   system->features) -
		   margin_of(system, row) * game->total;
}

/* The column of a row in the linear program, all of it positive. */
static void
generate_column(void *arg, int32_t row, double *column)
{
	const SdcLearnedSystem *system = arg;
	int coordinates = system->features * (system->is_signed ? 2 : 1);
	int c;

	for (c = 0; c < coordinates; c++)
		column[c] = entry_of(system, row, c) + SHIFT;
}

/* Prices by feature, from prices by coordinate. */
static void
fold_prices(SdcLearnedGame *game, const SdcLearnedSystem *system)
{
	const double *price = game->simplex->price;
	int c;

	game->total = 0;
	for (c = 0; c < game->coordinates; c++)
		game->total += price[c];
	for (c = 0; c < system->features; c++)
		game->folded[c] =
			price[c] - (system->is_signed ? price[c + system->features] : 0);
}

/* The listed row that is worth least, or -1. */
static int32_t
price_list(SdcLearnedGame *game, const SdcLearnedSystem *system, double *least)
{
	int32_t found = -1;
	int32_t i;

	game->looked += (double) game->listings * system->features;
	*least = INFINITY;
	for (i = 0; i < game->listings; i++)
	{
		double now = worth_of(game, system, game->listed[i]);

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
	int32_t rows = record_rows(system);
	int32_t found = -1;
	int32_t k;
	int32_t r;

	game->host->poll(game->host, 0, 0);
	game->looked += (double) rows * system->features;
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
			double now = worth_of(game, system, r);

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
		if (game->simplex->price[c] < low)
		{
			low = game->simplex->price[c];
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
		if (game->simplex->basis[i] >= 0)
			sum += game->simplex->basic[i];
	return sum > 0 ? 1 / sum - SHIFT : INFINITY;
}

/* Is basic variable i a row that has a part in the mixture? */
static bool
mixes(const SdcLearnedGame *game, int i)
{
	return game->simplex->basis[i] >= 0 && game->simplex->basic[i] > 1e-12;
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
			sum += game->simplex->basic[i];
	for (c = 0; c < game->coordinates; c++)
	{
		long double entry = 0;

		for (i = 0; i < game->coordinates; i++)
			if (mixes(game, i))
				entry += (long double) game->simplex->basic[i] *
						 entry_of(system, game->simplex->basis[i], c);
		if (!(entry < -CERTAIN * sum))
			return false;
	}
	return sum > 0;
}

/* Names the records whose rows are in the mixture, each once. */
static void
take_support(SdcLearnedGame *game, const SdcLearnedSystem *system)
{
	int32_t rows = record_rows(system);
	int i;
	int k;

	game->supports = 0;
	for (i = 0; i < game->coordinates; i++)
	{
		int32_t record;

		if (!mixes(game, i) || game->simplex->basis[i] >= rows)
			continue;
		record = system->owner[game->simplex->basis[i]];
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
		if (!(game->simplex->price[c] > 0))
			game->simplex->price[c] = 0;
		sum += game->simplex->price[c];
	}
	for (c = 0; c < m; c++)
		game->point[c] =
			sum > 0 ? (game->simplex->price[c] -
					   (system->is_signed ? game->simplex->price[c + m] : 0)) /
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
		 1 - (*least + SHIFT * game->total) >= -game->simplex->price[slack]))
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
	game->coordinates = system->features * (system->is_signed ? 2 : 1);
	sdc_simplex_start(game->simplex, game->coordinates, generate_column,
					  (void *) system);
	fold_prices(game, system);
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
		game->looked += 2.0 * game->coordinates * game->coordinates;
		if (!sdc_simplex_step(game->simplex, entering))
			break;
		looked = false;
		if (step % REFRESH == REFRESH - 1 &&
			!sdc_simplex_refresh(game->simplex))
			break;
		fold_prices(game, system);
		if (upper_value(game) < -NEGATIVE && certified(game, system))
			break;
	}
	return conclude(game, system, looked ? least : -1);
}

/* ----------------------------------------------------------------------
 * The best point of any family, with a bound, by infeasible sets.
 * ----------------------------------------------------------------------
 */

#define SHORT_WALK    40
#define NEAR          4  /* records below the best that are worth a walk */
#define ROUNDINGS     12 /* of one relaxation */
#define CHAIN         6  /* cuts from one rounding */
#define ADD_ROUNDS    8  /* between two tries to add single records */
#define SETTLE_ROUNDS 25 /* between two solutions in whole numbers */
#define IDLE_ROUNDS   4  /* without new cuts, then whole numbers at once */
#define DEFINITE_CUTS 40 /* eigenvector rows added for one question */
#define MOST_ROWS     4000
#define PATIENCE      1e9

typedef struct Cover
{
	SdcLearnedSearch *search;
	SdcLearnedCuts *cuts;
	SdcLearnedGame *game;
	SdcLearnedSystem system;
	double *fixed; /* the form's rows, and those that eigenvectors gave */
	int fixed_rows;
	bool *kept;
	bool *held;
	double *share;
	double *point;
	double patience; /* steps for one solution in whole numbers */
} Cover;

void
sdc_learned_cover_renew(SdcLearnedSearch *search)
{
	if (search->pool == NULL || !search->grown)
		return;
	if (search->rows != NULL)
		sdc_learned_rows_release(search->host, search->rows);
	search->rows =
		sdc_learned_rows_pooled(search->host, search->form, search->data,
								search->margin, search->pool);
	search->grown = false;
}

/*
 * Counts the records that are re-identified at a point of norm 1, over all
 * pairs, and keeps it when it is the best; pairs that spoil a record join the
 * pool.
 */
static int32_t
learned_cover_offer(SdcLearnedSearch *search, const double *point)
{
	int32_t good;
	int32_t i;

	if (search->pool == NULL)
	{
		good = sdc_learned_count_rows(search->rows, point, NULL);
		search->limit->spent +=
			(double) search->rows->rows * search->form->features;
	}
	else
	{
		search->limit->spent += (double) search->data->records *
								search->data->targets * search->form->features;
		good =
			sdc_learned_count_pairs(search->host, search->form, search->data,
									search->margin, point, search->nearest);
		for (i = 0; i < search->data->records; i++)
			if (search->nearest[i] >= 0 &&
				sdc_learned_rows_add(search->pool, i, search->nearest[i]))
				search->grown = true;
	}
	if (good > search->good)
	{
		search->good = good;
		memcpy(search->point, point,
			   (size_t) search->form->features * sizeof(double));
	}
	return good;
}

void
sdc_learned_cover_consider(SdcLearnedSearch *search, const double *point,
						   int steps)
{
	double now[SDC_LEARNED_MAX_FEATURES];

	memcpy(now, point, (size_t) search->form->features * sizeof(double));
	if (!sdc_learned_form_scale(search->form, now) ||
		!sdc_learned_form_repair(search->form, now))
		return;
	if (learned_cover_offer(search, now) + NEAR < search->good || steps == 0)
		return;
	sdc_learned_sweep_run(search->host, search->rows, &search->random,
						  search->limit, steps, now);
	if (sdc_learned_form_scale(search->form, now) &&
		sdc_learned_form_repair(search->form, now))
		learned_cover_offer(search, now);
}

/* The present rows as the game wants them. */
static void
take_system(Cover *cover)
{
	const SdcLearnedRows *rows = cover->search->rows;

	cover->system.features = rows->form->features;
	cover->system.is_signed = rows->form->is_signed;
	cover->system.records = rows->records;
	cover->system.start = rows->start;
	cover->system.owner = rows->owner;
	cover->system.value = rows->value;
	cover->system.margin = rows->margin;
	cover->system.fixed_rows = cover->fixed_rows;
	cover->system.fixed = cover->fixed;
}

static void
begin(Cover *cover, SdcLearnedSearch *search)
{
	const SdcLearnedForm *form = search->form;
	size_t records = (size_t) search->rows->records;
	size_t m = (size_t) form->features;
	bool definite = form->method == SDC_LEARNED_BILINEAR_PD;

	memset(cover, 0, sizeof(*cover));
	cover->search = search;
	cover->patience = PATIENCE;
	cover->cuts = sdc_learned_cuts_create(search->host, (int32_t) records);
	cover->game = sdc_learned_game_create(search->host, form->coordinates);
	cover->kept = sdc_new(search->host, bool, records);
	cover->held = sdc_new(search->host, bool, records);
	cover->share = sdc_new(search->host, double, records);
	cover->point = sdc_new(search->host, double, m);
	cover->fixed =
		definite ? sdc_new(search->host, double, MOST_ROWS *m) : form->fixed;
	cover->fixed_rows = form->fixed_rows;
	take_system(cover);
}

/*
 * Adds the rows that the negative eigenvalues of a matrix break; false when
 * there is none.
 */
static bool
add_definite(Cover *cover, const double *half)
{
	const SdcLearnedForm *form = cover->search->form;
	double value[SDC_LEARNED_MAX_COLUMNS];
	double vector[SDC_LEARNED_MAX_COLUMNS * SDC_LEARNED_MAX_COLUMNS];
	int before = cover->fixed_rows;
	int e;
	int c;

	sdc_half_diagonalize(form->columns, half, value, vector);
	for (e = 0; e < form->columns && cover->fixed_rows < MOST_ROWS; e++)
	{
		double *row = cover->fixed +
					  (size_t) cover->fixed_rows * (size_t) form->features;
		double most = 0;

		if (value[e] >= -SDC_LEARNED_SLACK)
			continue;
		sdc_learned_form_features(form, vector + e * form->columns, row);
		for (c = 0; c < form->features; c++)
			most = fabs(row[c]) > most ? fabs(row[c]) : most;
		for (c = 0; c < form->features; c++)
			row[c] /= most;
		cover->fixed_rows++;
	}
	cover->system.fixed_rows = cover->fixed_rows;
	return cover->fixed_rows > before;
}

/* Can the kept records all hold?  The point or the support is in the game. */
static SdcLearnedVerdict
ask(Cover *cover)
{
	SdcLearnedVerdict verdict = SDC_LEARNED_UNKNOWN;
	int tries;

	for (tries = 0; tries < DEFINITE_CUTS; tries++)
	{
		double looked = cover->game->looked;

		verdict = sdc_learned_game_play(cover->game, &cover->system,
										cover->kept, false);
		cover->search->limit->spent += cover->game->looked - looked;
		if (verdict != SDC_LEARNED_FEASIBLE ||
			cover->search->form->method != SDC_LEARNED_BILINEAR_PD ||
			!add_definite(cover, cover->game->point))
			return verdict;
	}
	return SDC_LEARNED_UNKNOWN;
}

/* Looks at the point that the game ended with. */
static void
look(Cover *cover, int steps)
{
	memcpy(cover->point, cover->game->point,
		   (size_t) cover->search->form->features * sizeof(double));
	sdc_learned_cover_consider(cover->search, cover->point, steps);
}

/* Adds the game's support as a cut and drops its records from kept. */
static bool
cut(Cover *cover)
{
	const SdcLearnedGame *game = cover->game;
	bool added =
		sdc_learned_cuts_add(cover->cuts, game->support, game->supports);
	int i;

	for (i = 0; i < game->supports; i++)
		cover->kept[game->support[i]] = false;
	return added;
}

/*
 * Cuts from the kept records until they can all hold; returns the last
 * verdict.  most 0: no end.
 */
static SdcLearnedVerdict
cut_chain(Cover *cover, int most, int *added)
{
	SdcLearnedVerdict verdict;

	do
	{
		verdict = ask(cover);
		if (verdict != SDC_LEARNED_INFEASIBLE)
			break;
		/* structure alone is never infeasible, but rounding might say so */
		if (cover->game->supports == 0)
			return SDC_LEARNED_UNKNOWN;
		*added += cut(cover);
	} while (--most != 0 && !sdc_learned_limit_reached(cover->search->limit));
	return verdict;
}

static bool
is_done(const Cover *cover)
{
	const SdcLearnedSearch *search = cover->search;

	return search->rows->records - search->good <= cover->cuts->proven ||
		   sdc_learned_limit_reached(search->limit);
}

/* Disjoint infeasible sets: a first bound, and a first point. */
static void
pack(Cover *cover)
{
	int packed = 0;
	int32_t k;

	for (k = 0; k < cover->system.records; k++)
		cover->kept[k] = true;
	if (cut_chain(cover, 0, &packed) == SDC_LEARNED_FEASIBLE)
		look(cover, SHORT_WALK);
	sdc_learned_cuts_prove(cover->cuts, packed);
}

/* Tries to add single records to those that hold at the best point. */
static void
add_records(Cover *cover)
{
	SdcLearnedSearch *search = cover->search;
	int32_t records = cover->system.records;
	int32_t k;

	sdc_learned_count_rows(search->rows, search->point, cover->held);
	for (k = 0; k < records && !is_done(cover) && !search->grown; k++)
	{
		int32_t before = search->good;
		SdcLearnedVerdict verdict;

		if (cover->held[k])
			continue;
		memcpy(cover->kept, cover->held, (size_t) records * sizeof(bool));
		cover->kept[k] = true;
		verdict = ask(cover);
		if (verdict == SDC_LEARNED_INFEASIBLE)
			cut(cover);
		else if (verdict == SDC_LEARNED_FEASIBLE)
			look(cover, SHORT_WALK);
		if (search->good > before)
			sdc_learned_count_rows(search->rows, search->point, cover->held);
	}
}

/* Keeps the records that the relaxation does not give up, in one of ways. */
static void
round_shares(Cover *cover, int way)
{
	SdcRandom *random = &cover->search->random;
	int32_t k;

	for (k = 0; k < cover->system.records; k++)
	{
		double share = cover->share[k];

		if (way == 0)
			cover->kept[k] = share < 1e-9;
		else if (way < ROUNDINGS / 2)
			cover->kept[k] =
				share < 0.12 * way + 0.05 * sdc_random_unit(random);
		else
			cover->kept[k] = sdc_random_unit(random) > 1.7 * share;
	}
}

/* New cuts from the relaxation; returns how many. */
static int
cut_relaxation(Cover *cover)
{
	SdcLearnedSearch *search = cover->search;
	int added = 0;
	int way;

	for (way = 0; way < ROUNDINGS && !is_done(cover) && !search->grown; way++)
	{
		SdcLearnedVerdict verdict;
		int before = added;

		round_shares(cover, way);
		verdict = cut_chain(cover, CHAIN, &added);
		if (verdict == SDC_LEARNED_FEASIBLE && (added == before || way == 0))
			look(cover, SHORT_WALK);
	}
	return added;
}

/*
 * Solves the covering program and asks for what it keeps; false when there is
 * nothing more to be learned from it.  What takes too long is given more steps
 * when it is tried again.
 */
static bool
settle(Cover *cover)
{
	SdcLearnedVerdict verdict;
	int added = 0;
	int32_t k;

	if (!sdc_learned_cuts_settle(cover->cuts, cover->search->limit,
								 cover->patience, cover->kept))
	{
		cover->patience *= 2;
		return true;
	}
	for (k = 0; k < cover->system.records; k++)
		cover->kept[k] = !cover->kept[k];
	verdict = cut_chain(cover, CHAIN, &added);
	if (verdict == SDC_LEARNED_FEASIBLE)
		look(cover, SHORT_WALK);
	return added > 0 || cover->search->grown;
}

int32_t
sdc_learned_cover_run(SdcLearnedSearch *search)
{
	Cover cover;
	int idle = 0;
	int stuck = 0;
	int rounds;

	begin(&cover, search);
	pack(&cover);
	for (rounds = 0; !is_done(&cover) && stuck < 3; rounds++)
	{
		int added;

		if (search->grown)
		{
			sdc_learned_cover_renew(search);
			take_system(&cover);
		}
		if (rounds % ADD_ROUNDS == 0)
			add_records(&cover);
		if (!sdc_learned_cuts_relax(cover.cuts, search->limit, cover.share))
			break;
		added = cut_relaxation(&cover);
		idle = added < 2 ? idle + 1 : 0;
		if (!is_done(&cover) && (idle >= IDLE_ROUNDS ||
								 rounds % SETTLE_ROUNDS == SETTLE_ROUNDS - 1))
			stuck = settle(&cover) || search->grown ? 0 : stuck + 1;
	}
	return search->rows->records - cover.cuts->proven;
}
