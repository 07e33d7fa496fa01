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
#include <math.h>
#include <string.h>

#include "kernel/base/heap.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/solver.h"
#include "kernel/base/sort.h"
#include "kernel/learned/learned_branch.h"
#include "kernel/learned/learned_cover.h"
#include "kernel/learned/learned_distance.h"
#include "kernel/learned/learned_form.h"
#include "kernel/linear/square.h"

/*
 * A simplex with its corners, and the rows of the records that it does not
 * decide, with their values at the corners: entry q of a row is what the row
 * is worth at corner q.
 */
typedef struct SdcLearnedCell
{
	int features;
	int depth;
	int32_t bound;   /* records that may hold at one point of it */
	int32_t safe;    /* records that hold everywhere in it */
	int32_t records; /* records that are not decided */
	int32_t rows;
	double packed;  /* how well the last packing closed the gap */
	double *corner; /* corner[q * features + c] */
	double *value;
	int32_t *start;
	int32_t *owner;
} SdcLearnedCell;

/* A heap, the cell with the best bound first, of these the deepest. */
typedef struct SdcLearnedHeap
{
	SdcHost *host;
	SdcLearnedCell **cell;
	size_t count;
	size_t room;
} SdcLearnedHeap;

/* ----------------------------------------------------------------------
 * How many records a point re-identifies.
 *
 * What is reported is counted over all pairs, with features made anew; while
 * searching the rows that matter are enough.
 * ----------------------------------------------------------------------
 */

/* The target that comes closest to a record's own, or spoils it; -1: none. */
static int32_t
spoiler(const SdcLearnedForm *form, const SdcLearnedData *data, int32_t i,
		double margin, const double *point, bool worst)
{
	double feature[SDC_LEARNED_MAX_FEATURES];
	double limit;
	int32_t found = -1;
	int32_t j;

	sdc_learned_rows_features(form, data, i, data->own[i], feature);
	limit = sdc_dot(feature, point, form->features) + margin;
	for (j = 0; j < data->targets; j++)
	{
		double distance;

		if (j == data->own[i])
			continue;
		sdc_learned_rows_features(form, data, i, j, feature);
		distance = sdc_dot(feature, point, form->features);
		if (distance < limit || margin == 0)
		{
			found = j;
			limit = distance;
			if (!worst)
				break;
		}
	}
	return found;
}

int32_t
sdc_learned_count_pairs(SdcHost *host, const SdcLearnedForm *form,
						const SdcLearnedData *data, const double *margin,
						const double *point, int32_t *nearest)
{
	int32_t good = 0;
	int32_t i;

	for (i = 0; i < data->records; i++)
	{
		int32_t by = spoiler(form, data, i, margin[i], point, nearest != NULL);

		host->poll(host, 0, 0);
		good += by < 0;
		if (nearest != NULL)
			nearest[i] = by;
	}
	return good;
}

int32_t
sdc_learned_count_rows(const SdcLearnedRows *rows, const double *point,
					   bool *good)
{
	int m = rows->form->features;
	int32_t count = 0;
	int32_t k;

	for (k = 0; k < rows->records; k++)
	{
		int32_t r = rows->start[k];

		for (; r < rows->start[k + 1]; r++)
			if (sdc_dot(rows->value + (size_t) r * (size_t) m, point, m) <
				(rows->margin != NULL ? rows->margin[r] : 0))
				break;
		count += r == rows->start[k + 1];
		if (good != NULL)
			good[k] = r == rows->start[k + 1];
	}
	return count;
}

/* ----------------------------------------------------------------------
 * Sets of records of which at least one must fail.
 *
 * The fewest records that meet every set is a covering program; it holds no
 * other number than 1, so nothing in it depends on how the data are scaled.
 * ----------------------------------------------------------------------
 */

/* What rounding may take from a bound that is a whole number. */
#define ROUNDING 1e-6

SdcLearnedCuts *
sdc_learned_cuts_create(SdcHost *host, int32_t records)
{
	SdcLearnedCuts *cuts = sdc_new(host, SdcLearnedCuts, 1);

	memset(cuts, 0, sizeof(*cuts));
	cuts->host = host;
	cuts->records = records;
	cuts->lp = sdc_solver_lp_create(host, records);
	return cuts;
}

static void
make_room(SdcLearnedCuts *cuts, size_t more)
{
	size_t used = (size_t) cuts->count;
	size_t members = used > 0 ? (size_t) cuts->start[used] : 0;

	if (used + 2 > cuts->room)
	{
		cuts->room = cuts->room * 2 + 64;
		cuts->start =
			sdc_grow(cuts->host, cuts->start, used > 0 ? used + 1 : 0,
					 cuts->room, sizeof(int32_t));
		cuts->key = sdc_grow(cuts->host, cuts->key, used, cuts->room,
							 sizeof(uint64_t));
	}
	cuts->start[used] = (int32_t) members;
	if (members + more > cuts->member_room)
	{
		cuts->member_room = cuts->member_room * 2 + more + 1024;
		cuts->member = sdc_grow(cuts->host, cuts->member, members,
								cuts->member_room, sizeof(int32_t));
	}
}

bool
sdc_learned_cuts_add(SdcLearnedCuts *cuts, const int32_t *member, int count)
{
	uint64_t key = 0;
	int32_t *own;
	int32_t i;

	if (count == 0)
		return false;
	make_room(cuts, (size_t) count);
	own = cuts->member + cuts->start[cuts->count];
	memcpy(own, member, (size_t) count * sizeof(int32_t));
	sdc_sort_few(own, count);
	for (i = 0; i < count; i++)
		key = sdc_random_mix(key ^ (uint64_t) (own[i] + 1));
	for (i = 0; i < cuts->count; i++)
		if (cuts->key[i] == key)
			return false;
	cuts->key[cuts->count] = key;
	sdc_solver_lp_cover(cuts->lp, own, count);
	cuts->start[cuts->count + 1] = cuts->start[cuts->count] + count;
	cuts->count++;
	return true;
}

void
sdc_learned_cuts_prove(SdcLearnedCuts *cuts, int32_t at_least)
{
	if (at_least > cuts->proven)
		cuts->proven = at_least;
}

/* What prices of the cuts prove: their sum, less what overpays a record. */
static void
prove_by_prices(SdcLearnedCuts *cuts)
{
	double *price = sdc_new(cuts->host, double, (size_t) cuts->count);
	long double *paid =
		sdc_new(cuts->host, long double, (size_t) cuts->records);
	long double sum = 0;
	int32_t i;
	int32_t k;

	sdc_solver_lp_duals(cuts->lp, price);
	for (k = 0; k < cuts->records; k++)
		paid[k] = 0;
	for (i = 0; i < cuts->count; i++)
	{
		if (!(price[i] > 0))
			continue;
		sum += price[i];
		for (k = cuts->start[i]; k < cuts->start[i + 1]; k++)
			paid[cuts->member[k]] += price[i];
	}
	for (k = 0; k < cuts->records; k++)
		if (paid[k] > 1)
			sum -= paid[k] - 1;
	sdc_learned_cuts_prove(cuts, (int32_t) ceill(sum - ROUNDING));
	cuts->host->release(cuts->host, price);
	cuts->host->release(cuts->host, paid);
}

/* Steps left, and no more than most (0: as many as there are). */
static double
steps_left(const SdcLearnedLimit *limit, double most)
{
	double left;

	if (limit->most <= 0)
		return most;
	left = fmax(1, limit->most - limit->spent);
	return most > 0 && left > most ? most : left;
}

bool
sdc_learned_cuts_relax(SdcLearnedCuts *cuts, SdcLearnedLimit *limit,
					   double *share)
{
	SdcSolverResult result =
		sdc_solver_lp_solve(cuts->lp, false, steps_left(limit, 0), share);

	limit->spent += result.steps;
	cuts->host->poll(cuts->host, 0, 0);
	if (result.status != SDC_SOLVER_OPTIMAL)
		return false;
	prove_by_prices(cuts);
	return true;
}

bool
sdc_learned_cuts_settle(SdcLearnedCuts *cuts, SdcLearnedLimit *limit,
						double most, bool *given)
{
	double *value = sdc_new(cuts->host, double, (size_t) cuts->records);
	SdcSolverResult result =
		sdc_solver_lp_solve(cuts->lp, true, steps_left(limit, most), value);
	int32_t k;

	limit->spent += result.steps;
	cuts->host->poll(cuts->host, 0, 0);
	if (isfinite(result.bound))
		sdc_learned_cuts_prove(cuts, (int32_t) ceil(result.bound - ROUNDING));
	for (k = 0; k < cuts->records; k++)
		given[k] = result.status == SDC_SOLVER_OPTIMAL && value[k] > 0.5;
	cuts->host->release(cuts->host, value);
	return result.status == SDC_SOLVER_OPTIMAL;
}

/* ----------------------------------------------------------------------
 * Pieces of the simplex of weights, for branch and bound.
 *
 * A row is linear, so within a cell it is worth no more than at its best
 * corner and no less than at its worst: a record with a row that is negative
 * at all corners fails everywhere, and a row that is negative at none can be
 * forgotten.  Halving an edge changes one corner, so one entry of each row.
 * ----------------------------------------------------------------------
 */

/* Rows looked at to choose an edge. */
#define EDGE_ROWS 300

static SdcLearnedCell *
create_cell(SdcHost *host, int features, int32_t records, int32_t rows)
{
	SdcLearnedCell *cell = sdc_new(host, SdcLearnedCell, 1);
	size_t m = (size_t) features;

	memset(cell, 0, sizeof(*cell));
	cell->features = features;
	cell->corner = sdc_new(host, double, m *m);
	cell->value = sdc_new(host, double, (size_t) rows *m);
	cell->owner = sdc_new(host, int32_t, (size_t) rows);
	cell->start = sdc_new(host, int32_t, (size_t) records + 1);
	cell->start[0] = 0;
	return cell;
}

static void
learned_cell_release(SdcHost *host, SdcLearnedCell *cell)
{
	host->release(host, cell->corner);
	host->release(host, cell->value);
	host->release(host, cell->owner);
	host->release(host, cell->start);
	host->release(host, cell);
}

/* The whole simplex. */
static SdcLearnedCell *
learned_cell_whole(SdcHost *host, const SdcLearnedRows *rows)
{
	int m = rows->form->features;
	SdcLearnedCell *cell = create_cell(host, m, rows->records, rows->rows);
	int c;

	memset(cell->corner, 0, (size_t) (m * m) * sizeof(double));
	for (c = 0; c < m; c++)
		cell->corner[c * m + c] = 1;
	cell->records = rows->records;
	cell->rows = rows->rows;
	cell->bound = rows->records;
	cell->packed = 1;
	memcpy(cell->start, rows->start,
		   ((size_t) rows->records + 1) * sizeof(int32_t));
	if (rows->rows > 0)
	{
		memcpy(cell->value, rows->value,
			   (size_t) rows->rows * (size_t) m * sizeof(double));
		memcpy(cell->owner, rows->owner,
			   (size_t) rows->rows * sizeof(int32_t));
	}
	return cell;
}

/* Does one of the rows from first on imply the row after the last? */
static bool
is_implied(const SdcLearnedCell *cell, int32_t first)
{
	size_t m = (size_t) cell->features;
	const double *row = cell->value + (size_t) cell->rows * m;
	int32_t r;

	for (r = first; r < cell->rows; r++)
	{
		const double *other = cell->value + (size_t) r * m;
		size_t c = 0;

		while (c < m && other[c] <= row[c])
			c++;
		if (c == m)
			return true;
	}
	return false;
}

/* Takes over the rows of one record; what becomes of it. */
static void
take_record(SdcLearnedCell *half, const SdcLearnedCell *cell, int32_t k,
			int keep, int leave)
{
	int m = cell->features;
	int32_t first = half->rows;
	int32_t r;

	for (r = cell->start[k]; r < cell->start[k + 1]; r++)
	{
		const double *from = cell->value + (size_t) r * (size_t) m;
		double *to = half->value + (size_t) half->rows * (size_t) m;
		bool negative = false;
		bool positive = false;
		int c;

		memcpy(to, from, (size_t) m * sizeof(double));
		to[leave] = 0.5 * (from[keep] + from[leave]);
		for (c = 0; c < m; c++)
		{
			negative = negative || to[c] < 0;
			positive = positive || to[c] >= 0;
		}
		if (negative && !positive)
		{
			half->rows = first;
			return;
		}
		if (negative && !is_implied(half, first))
			half->owner[half->rows++] = half->records;
	}
	if (half->rows == first)
		half->safe++;
	else
		half->start[++half->records] = half->rows;
}

/* The same cell in no more memory than it needs. */
static SdcLearnedCell *
fitted(SdcHost *host, SdcLearnedCell *cell)
{
	size_t m = (size_t) cell->features;
	SdcLearnedCell *copy =
		create_cell(host, cell->features, cell->records, cell->rows);
	SdcLearnedCell arrays = *copy;

	memcpy(copy->corner, cell->corner, m * m * sizeof(double));
	memcpy(copy->start, cell->start,
		   ((size_t) cell->records + 1) * sizeof(int32_t));
	if (cell->rows > 0)
	{
		memcpy(copy->value, cell->value,
			   (size_t) cell->rows * m * sizeof(double));
		memcpy(copy->owner, cell->owner,
			   (size_t) cell->rows * sizeof(int32_t));
	}
	*copy = *cell;
	copy->corner = arrays.corner;
	copy->value = arrays.value;
	copy->owner = arrays.owner;
	copy->start = arrays.start;
	learned_cell_release(host, cell);
	return copy;
}

/*
 * The half of a cell in which the middle of corners keep and leave takes the
 * place of corner leave.  O(rows (features + rows of the record)).
 */
static SdcLearnedCell *
learned_cell_half(SdcHost *host, const SdcLearnedCell *cell, int keep,
				  int leave)
{
	int m = cell->features;
	SdcLearnedCell *half = create_cell(host, m, cell->records, cell->rows);
	int32_t k;
	int c;

	memcpy(half->corner, cell->corner, (size_t) (m * m) * sizeof(double));
	for (c = 0; c < m; c++)
		half->corner[leave * m + c] =
			0.5 * (cell->corner[keep * m + c] + cell->corner[leave * m + c]);
	half->depth = cell->depth + 1;
	half->safe = cell->safe;
	half->packed = cell->packed;
	for (k = 0; k < cell->records; k++)
		take_record(half, cell, k, keep, leave);
	half->bound = half->safe + half->records;
	if (half->bound > cell->bound)
		half->bound = cell->bound;
	return fitted(host, half);
}

static double
edge_length(const SdcLearnedCell *cell, int a, int b)
{
	int m = cell->features;
	double sum = 0;
	int c;

	for (c = 0; c < m; c++)
	{
		double d = cell->corner[a * m + c] - cell->corner[b * m + c];

		sum += d * d;
	}
	return sqrt(sum);
}

/* The edge to halve: long, and crossed by many rows. */
static void
learned_cell_edge(const SdcLearnedCell *cell, int *a, int *b)
{
	int m = cell->features;
	int32_t stride = cell->rows > 2 * EDGE_ROWS ? cell->rows / EDGE_ROWS : 1;
	double most = -1;
	int i;
	int j;

	*a = 0;
	*b = 1;
	for (i = 0; i < m; i++)
		for (j = i + 1; j < m; j++)
		{
			double crossed = 0.1 * cell->rows / stride;
			int32_t r;

			for (r = 0; r < cell->rows; r += stride)
			{
				const double *row = cell->value + (size_t) r * (size_t) m;

				crossed += (row[i] < 0) != (row[j] < 0);
			}
			crossed *= edge_length(cell, i, j);
			if (crossed > most)
			{
				most = crossed;
				*a = i;
				*b = j;
			}
		}
}

/* Records that hold at a point given by its shares of the corners. */
static int32_t
learned_cell_count(const SdcLearnedCell *cell, const double *share)
{
	int m = cell->features;
	int32_t count = cell->safe;
	int32_t k;

	for (k = 0; k < cell->records; k++)
	{
		int32_t r;

		for (r = cell->start[k]; r < cell->start[k + 1]; r++)
		{
			if (sdc_dot(cell->value + (size_t) r * (size_t) m, share, m) < 0)
				break;
		}
		count += r == cell->start[k + 1];
	}
	return count;
}

/* That point itself. */
static void
learned_cell_point(const SdcLearnedCell *cell, const double *share,
				   double *point)
{
	int m = cell->features;
	int q;
	int c;

	memset(point, 0, (size_t) m * sizeof(double));
	for (q = 0; q < m; q++)
		for (c = 0; c < m; c++)
			point[c] += share[q] * cell->corner[q * m + c];
}

/* Its undecided rows, for the game. */
static SdcLearnedSystem
learned_cell_system(const SdcLearnedCell *cell)
{
	SdcLearnedSystem system;

	memset(&system, 0, sizeof(system));
	system.features = cell->features;
	system.records = cell->records;
	system.start = cell->start;
	system.owner = cell->owner;
	system.value = cell->value;
	return system;
}

/* Is a to be looked at before b? */
static bool
before(const void *of, const SdcLearnedCell *a, const SdcLearnedCell *b)
{
	(void) of;
	return a->bound != b->bound ? a->bound > b->bound : a->depth > b->depth;
}

SDC_HEAP(learned_cells, SdcLearnedCell *, const void *, before)

static void
learned_cell_push(SdcLearnedHeap *heap, SdcLearnedCell *cell)
{
	if (heap->count == heap->room)
	{
		size_t room = heap->room * 2 + 64;
		SdcLearnedCell **larger = sdc_new(heap->host, SdcLearnedCell *, room);

		if (heap->count > 0)
			memcpy(larger, heap->cell, heap->count * sizeof(*larger));
		heap->host->release(heap->host, heap->cell);
		heap->cell = larger;
		heap->room = room;
	}
	learned_cells_up(NULL, heap->cell, heap->count++, cell);
}

static SdcLearnedCell *
learned_cell_pop(SdcLearnedHeap *heap)
{
	SdcLearnedCell *top = heap->cell[0];

	if (--heap->count > 0)
		learned_cells_down(NULL, heap->cell, heap->count, 0,
						   heap->cell[heap->count]);
	return top;
}

/* ----------------------------------------------------------------------
 * The best weights, proven: branch and bound over the simplex.
 * ----------------------------------------------------------------------
 */

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
	SdcLearnedLimit *limit;
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
	int32_t count = learned_cell_count(cell, share);
	int32_t good;

	if (count <= search->good)
		return true;
	learned_cell_point(cell, share, point);
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
	SdcLearnedSystem system = learned_cell_system(cell);
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
	SdcLearnedSystem system = learned_cell_system(cell);
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

	learned_cell_edge(cell, &a, &b);
	for (side = 0; side < 2; side++)
	{
		SdcLearnedCell *half = learned_cell_half(
			search->host, cell, side == 0 ? a : b, side == 0 ? b : a);

		if (half->bound <= search->good || settle(search, half))
			learned_cell_release(search->host, half);
		else
			learned_cell_push(&search->heap, half);
	}
	learned_cell_release(search->host, cell);
}

static void
begin(Search *search, SdcHost *host, const SdcLearnedRows *rows,
	  SdcLearnedLimit *limit, int32_t good, double *point)
{
	SdcLearnedCell *whole = learned_cell_whole(host, rows);

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
	limit->spent += search->game->looked;
	learned_cell_push(&search->heap, whole);
}

int32_t
sdc_learned_branch_run(SdcHost *host, const SdcLearnedRows *rows,
					   SdcLearnedLimit *limit, int32_t *good, double *point)
{
	Search search;
	double looked;
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
		looked = search.game->looked;
		limit->spent += 2.0 * cell->rows * cell->features;
		branch(&search, learned_cell_pop(&search.heap));
		limit->spent += search.game->looked - looked;
		bound = search.good;
	}
	while (search.heap.count > 0)
		learned_cell_release(host, learned_cell_pop(&search.heap));
	*good = search.good;
	return bound > search.good ? bound : search.good;
}
