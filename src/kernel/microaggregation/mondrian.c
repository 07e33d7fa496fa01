/*
 * mondrian.c
 *		Multidimensional k-partition by median cuts (Mondrian).
 *
 * Boxes are ranges of one array of row numbers.  They wait on a stack; the
 * lower half of a cut is taken next, so the stack never holds more boxes than
 * there are cuts above the present one.
 */
#include <math.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/sort.h"
#include "kernel/microaggregation/mondrian.h"

/* Rows looked at between two polls. */
#define POLL_ROWS 8192

typedef struct Box
{
	int32_t first;
	int32_t last; /* one past the end */
} Box;

typedef struct Mondrian
{
	SdcHost *host;
	const SdcMatrix *rows;
	int32_t k;
	int32_t *row;
	uint64_t *key;
	double whole[SDC_MAX_COLUMNS];
	Box *stack;
	size_t depth;
	size_t room;
} Mondrian;

/* The range of a column over a box; halved, so that it never overflows. */
static double
half_range(const Mondrian *state, Box box, int column)
{
	const double *value = state->rows->column[column];
	double low = INFINITY;
	double high = -INFINITY;
	int32_t i;

	for (i = box.first; i < box.last; i++)
	{
		double x = value[state->row[i]];

		if ((i - box.first) % POLL_ROWS == POLL_ROWS - 1)
			state->host->poll(state->host, 0, 0);
		low = x < low ? x : low;
		high = x > high ? x : high;
	}
	return high / 2 - low / 2;
}

/* Columns that vary in the box, widest first; equal ones in their order. */
static int
rank_columns(const Mondrian *state, Box box, int *column)
{
	double width[SDC_MAX_COLUMNS];
	int count = 0;
	int j;

	for (j = 0; j < state->rows->columns; j++)
	{
		double range = half_range(state, box, j);
		int place = count;

		if (!(range > 0))
			continue;
		range /= state->whole[j];
		for (; place > 0 && width[place - 1] < range; place--)
		{
			width[place] = width[place - 1];
			column[place] = column[place - 1];
		}
		width[place] = range;
		column[place] = j;
		count++;
	}
	return count;
}

/* May the sorted box be cut in front of this place? */
static bool
may_cut(const Mondrian *state, Box box, int32_t place)
{
	return place - box.first >= state->k && box.last - place >= state->k &&
		   state->key[place - 1] != state->key[place];
}

/* Sorts the box by a column and finds the cut nearest its middle, or -1. */
static int32_t
find_cut(Mondrian *state, Box box, int column)
{
	const double *value = state->rows->column[column];
	int32_t middle = box.first + (box.last - box.first) / 2;
	int32_t away;
	int32_t i;

	for (i = box.first; i < box.last; i++)
	{
		if ((i - box.first) % POLL_ROWS == POLL_ROWS - 1)
			state->host->poll(state->host, 0, 0);
		state->key[i] = sdc_sort_key(value[state->row[i]]);
	}
	sdc_sort_keys(state->host, state->key + box.first, state->row + box.first,
				  box.last - box.first);
	for (away = 0; middle - away > box.first || middle + away < box.last;
		 away++)
	{
		if (middle - away > box.first && may_cut(state, box, middle - away))
			return middle - away;
		if (middle + away < box.last && may_cut(state, box, middle + away))
			return middle + away;
	}
	return -1;
}

static void
push(Mondrian *state, int32_t first, int32_t last)
{
	if (state->depth == state->room)
	{
		Box *larger = sdc_new(state->host, Box, 2 * state->room);
		size_t i;

		for (i = 0; i < state->depth; i++)
			larger[i] = state->stack[i];
		state->host->release(state->host, state->stack);
		state->stack = larger;
		state->room *= 2;
	}
	state->stack[state->depth].first = first;
	state->stack[state->depth].last = last;
	state->depth++;
}

/* Cuts the box and stacks both halves; false when it cannot be cut. */
static bool
cut_box(Mondrian *state, Box box)
{
	int column[SDC_MAX_COLUMNS];
	int count;
	int j;

	if ((int64_t) box.last - box.first < 2 * (int64_t) state->k)
		return false;
	count = rank_columns(state, box, column);
	for (j = 0; j < count; j++)
	{
		int32_t cut = find_cut(state, box, column[j]);

		if (cut < 0)
			continue;
		push(state, cut, box.last);
		push(state, box.first, cut);
		return true;
	}
	return false;
}

static void
start(Mondrian *state, SdcHost *host, const SdcMatrix *rows, int32_t k)
{
	Box all = {0, (int32_t) rows->rows};
	int32_t i;
	int j;

	state->host = host;
	state->rows = rows;
	state->k = k;
	state->row = sdc_new(host, int32_t, rows->rows);
	state->key = sdc_new(host, uint64_t, rows->rows);
	state->room = 64;
	state->depth = 0;
	state->stack = sdc_new(host, Box, state->room);
	for (i = 0; i < all.last; i++)
		state->row[i] = i;
	for (j = 0; j < rows->columns; j++)
		state->whole[j] = half_range(state, all, j);
	push(state, all.first, all.last);
}

int32_t
sdc_mondrian_group(SdcHost *host, const SdcMatrix *rows, int32_t k,
				   int32_t *group)
{
	Mondrian state;
	int32_t groups = 0;
	int32_t done = 0;
	int32_t i;

	host->stage(host, "cutting");
	start(&state, host, rows, k);
	while (state.depth > 0)
	{
		Box box = state.stack[--state.depth];

		host->poll(host, done, rows->rows);
		if (cut_box(&state, box))
			continue;
		for (i = box.first; i < box.last; i++)
			group[state.row[i]] = groups;
		groups++;
		done = box.last;
	}
	host->release(host, state.row);
	host->release(host, state.key);
	host->release(host, state.stack);
	return groups;
}
