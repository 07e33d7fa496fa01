/*
 * learned_branch.c
 *		The best weights, proven: branch and bound over the simplex.
 *
 * The bound of a cell is the records it decides for and those it does not
 * decide, less one for each of a family of disjoint sets of records that
 * cannot all hold in it (found one by one by the game).  Where few records
 * are left to give up, all ways to do so are tried: each infeasible set
 * must lose a record, so branching over its records is complete.
 */
#include "kernel/attack/learned_branch.h"

#include <string.h>

#include "kernel/attack/learned_cell.h"
#include "kernel/attack/learned_count.h"

#define PACK_ROWS   6000 /* larger cells are halved before they are packed */
#define SMALL_ROWS  1500 /* smaller ones are always packed */
#define PACK_SHARE  0.4  /* of the gap that packing must have closed */
#define PACK_DEPTH  5    /* packed in any case every so many halvings */
#define WHOLE_ROWS  40000
#define GIVEN_UP    4 /* records to be given up in a complete search */
#define GIVEN_STEPS 300

typedef enum Mark
{
	KEPT,
	GIVEN, /* given up */
	HELD   /* kept for good in this branch */
} Mark;

typedef struct Search
{
	SdcHost *host;
	const SdcLearnedRows *rows;
	const SdcLearnedLimit *limit;
	SdcLearnedGame *game;
	SdcLearnedHeap heap;
	int32_t good;
	double *point;
	uint8_t *mark; /* by record of the present cell */
	bool *kept;
	int steps; /* left for the present complete search */
	uint64_t cells;
} Search;

/*
 * Takes the point over when it is better; false when the cell counts more
 * records there than the rows themselves, by rounding.
 */
static bool
offer(Search *search, const SdcLearnedCell *cell, const double *share)
{
	double point[SDC_LEARNED_MAX_FEATURES];
	int32_t count = sdc_learned_cell_count(cell, share);
	int32_t good;

	if (count <= search->good)
		return true;
	sdc_learned_cell_point(cell, share, point);
	if (!sdc_learned_form_scale(search->rows->form, point))
		return false;
	good = sdc_learned_count_rows(search->rows, point, NULL);
	if (good > search->good)
	{
		search->good = good;
		memcpy(search->point, point, (size_t) cell->features * sizeof(double));
	}
	return search->good >= count;
}

/* Disjoint sets of undecided records that cannot all hold; up to need. */
static int32_t
pack(Search *search, const SdcLearnedCell *cell, int32_t need)
{
	SdcLearnedSystem system = sdc_learned_cell_system(cell);
	SdcLearnedGame *game = search->game;
	int32_t packed = 0;
	int i;

	for (i = 0; i < cell->records; i++)
		search->kept[i] = true;
	while (packed < need)
	{
		SdcLearnedVerdict verdict =
			sdc_learned_game_play(game, &system, search->kept, false);

		if (packed == 0 || verdict != SDC_LEARNED_INFEASIBLE)
			offer(search, cell, game->point);
		if (verdict != SDC_LEARNED_INFEASIBLE)
			break;
		for (i = 0; i < game->supports; i++)
			search->kept[game->support[i]] = false;
		packed++;
	}
	return packed;
}

/*
 * Is there no way to hold more records than the best point does, beyond the
 * given number already given up?  False also when the steps are used up.
 */
static bool
exhaust(Search *search, const SdcLearnedCell *cell, int32_t given)
{
	SdcLearnedSystem system = sdc_learned_cell_system(cell);
	int32_t spare = cell->safe + cell->records - given - (search->good + 1);
	int32_t support[SDC_LEARNED_MAX_COLUMNS];
	int supports = 0;
	SdcLearnedVerdict verdict;
	bool done = true;
	int i;

	if (spare < 0)
		return true;
	if (--search->steps < 0)
		return false;
	for (i = 0; i < cell->records; i++)
		search->kept[i] = search->mark[i] != GIVEN;
	verdict =
		sdc_learned_game_play(search->game, &system, search->kept, false);
	if (verdict == SDC_LEARNED_UNKNOWN)
		return false;
	if (verdict == SDC_LEARNED_FEASIBLE)
		return offer(search, cell, search->game->point) &&
			   search->good >= cell->safe + cell->records - given;
	if (spare == 0)
		return true;
	for (i = 0; i < search->game->supports; i++)
		if (search->mark[search->game->support[i]] == KEPT)
			support[supports++] = search->game->support[i];
	for (i = 0; i < supports && done; i++)
	{
		search->mark[support[i]] = GIVEN;
		done = exhaust(search, cell, given + 1);
		search->mark[support[i]] = HELD;
	}
	for (i = 0; i < supports; i++)
		search->mark[support[i]] = KEPT;
	return done;
}

/* Is packing worth its time in this cell? */
static bool
worth_packing(const SdcLearnedCell *cell)
{
	return cell->rows <= PACK_ROWS &&
		   (cell->packed >= PACK_SHARE || cell->rows < SMALL_ROWS ||
			cell->depth % PACK_DEPTH == 0);
}

/* Lowers the bound of a new cell; true when nothing better is in it. */
static bool
settle(Search *search, SdcLearnedCell *cell)
{
	double share[SDC_LEARNED_MAX_COLUMNS];
	int32_t raw = cell->safe + cell->records;
	int32_t need;
	int32_t packed;
	int c;

	for (c = 0; c < cell->features; c++)
		share[c] = 1.0 / cell->features;
	if (cell->bound > search->good)
		offer(search, cell, share);
	if (cell->bound <= search->good)
		return true;
	if (!worth_packing(cell))
		return false;
	need = raw - search->good;
	packed = pack(search, cell, need);
	cell->packed = (double) packed / need;
	if (raw - packed < cell->bound)
		cell->bound = raw - packed;
	if (cell->bound <= search->good)
		return true;
	if (raw - search->good - 1 > GIVEN_UP + 2 ||
		cell->bound - search->good > GIVEN_UP)
		return false;
	memset(search->mark, KEPT, (size_t) cell->records);
	search->steps = GIVEN_STEPS;
	return exhaust(search, cell, 0) || cell->bound <= search->good;
}

/* Halves a cell and keeps the halves that may hold something better. */
static void
branch(Search *search, SdcLearnedCell *cell)
{
	int a;
	int b;
	int side;

	sdc_learned_cell_edge(cell, &a, &b);
	for (side = 0; side < 2; side++)
	{
		SdcLearnedCell *half = sdc_learned_cell_half(
			search->host, cell, side == 0 ? a : b, side == 0 ? b : a);

		if (half->bound <= search->good || settle(search, half))
			sdc_learned_cell_release(search->host, half);
		else
			sdc_learned_cell_push(&search->heap, half);
	}
	sdc_learned_cell_release(search->host, cell);
}

static void
begin(Search *search, SdcHost *host, const SdcLearnedRows *rows,
	  const SdcLearnedLimit *limit, int32_t good, double *point)
{
	SdcLearnedCell *whole = sdc_learned_cell_whole(host, rows);

	memset(search, 0, sizeof(*search));
	search->host = host;
	search->rows = rows;
	search->limit = limit;
	search->good = good;
	search->point = point;
	search->heap.host = host;
	search->game = sdc_learned_game_create(host, rows->form->features);
	search->mark = sdc_new(host, uint8_t, (size_t) rows->records);
	search->kept = sdc_new(host, bool, (size_t) rows->records);
	if (rows->rows <= WHOLE_ROWS && whole->bound > good)
		whole->bound -= pack(search, whole, rows->records);
	sdc_learned_cell_push(&search->heap, whole);
}

int32_t
sdc_learned_branch_run(SdcHost *host, const SdcLearnedRows *rows,
					   const SdcLearnedLimit *limit, int32_t *good,
					   double *point)
{
	Search search;
	int32_t bound;

	begin(&search, host, rows, limit, *good, point);
	bound = search.good;
	while (search.heap.count > 0)
	{
		SdcLearnedCell *cell = search.heap.cell[0];

		if (cell->bound <= search.good)
			break;
		if (cell->features < 2 || sdc_learned_limit_reached(limit))
		{
			bound = cell->bound;
			break;
		}
		host->poll(host, search.cells++, 0);
		branch(&search, sdc_learned_cell_pop(&search.heap));
		bound = search.good;
	}
	while (search.heap.count > 0)
		sdc_learned_cell_release(host, sdc_learned_cell_pop(&search.heap));
	*good = search.good;
	return bound > search.good ? bound : search.good;
}
