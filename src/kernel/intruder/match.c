/*
 * match.c
 *		One-to-one linkage on candidate lists: assignment and probabilities.
 *
 * See match.h.  The exact assignment adds the rows one by one; each looks,
 * by Dijkstra's method in reduced costs, for the cheapest way through rows
 * that have a column already to a column that is free, or to a row that had
 * better go outside.  Only columns that a search reached are touched again,
 * so a row whose best column is free costs its list.
 */
#include "kernel/intruder/match.h"

#include <math.h>

#include "kernel/base/elementary.h"

/* Entries looked at between two polls. */
#define POLL_ENTRIES 2000000

/* Step of the auction. */
#define STEP 0.05f

/* How much longer an auction may take than the exact way. */
#define AUCTION_BUDGET 20

/* The state of an exact assignment. */
typedef struct Paths
{
	SdcHost *host;
	const SdcMatchLists *lists;
	double dear; /* the score of staying outside where it is -INFINITY */
	double *price;
	double *distance;
	int32_t *owner; /* row of a column, or -1 */
	int32_t *from;  /* row before a column on the path */
	int64_t *via;   /* entry by which it was reached */
	int32_t *place; /* in the heap; -1 not reached, -2 done */
	int32_t *heap;  /* columns reached, the nearest first */
	int32_t waiting;
	int32_t *reached;
	int32_t reaches;
	int64_t *entry; /* of a row, -1 outside */
	int64_t work;
	int64_t polled;
} Paths;

static void
poll_work(SdcHost *host, int64_t work, int64_t *polled, int64_t done,
		  int64_t rows)
{
	if (work - *polled < POLL_ENTRIES)
		return;
	*polled = work;
	host->poll(host, (uint64_t) done, (uint64_t) rows);
}

/*
 * A score of staying outside that no chain of other rows pays for.  Not
 * infinite, for then all such chains would be alike.
 */
static double
dear_outside(const SdcMatchLists *lists)
{
	double low = 0;
	double high = 0;
	int64_t e;

	for (e = 0; e < lists->first[lists->rows]; e++)
	{
		low = lists->score[e] < low ? lists->score[e] : low;
		high = lists->score[e] > high ? lists->score[e] : high;
	}
	return low - 1e6 * (high - low + 1);
}

static double
outside_of(const SdcMatchLists *lists, double dear, int32_t row)
{
	return isinf(lists->outside[row]) ? dear : lists->outside[row];
}

/* ---------------------------------------------------------------------------
 * Exact.
 */

static inline bool
nearer(const Paths *paths, int32_t a, int32_t b)
{
	double x = paths->distance[a];
	double y = paths->distance[b];

	return x < y || (x == y && a < b);
}

static void
move_up(Paths *paths, int32_t at)
{
	int32_t column = paths->heap[at];

	while (at > 0 && nearer(paths, column, paths->heap[(at - 1) / 2]))
	{
		paths->heap[at] = paths->heap[(at - 1) / 2];
		paths->place[paths->heap[at]] = at;
		at = (at - 1) / 2;
	}
	paths->heap[at] = column;
	paths->place[column] = at;
}

static int32_t
take_nearest(Paths *paths)
{
	int32_t nearest = paths->heap[0];
	int32_t last = paths->heap[--paths->waiting];
	int32_t at = 0;
	int32_t child;

	paths->place[nearest] = -2;
	if (paths->waiting == 0)
		return nearest;
	for (; (child = 2 * at + 1) < paths->waiting; at = child)
	{
		if (child + 1 < paths->waiting &&
			nearer(paths, paths->heap[child + 1], paths->heap[child]))
			child++;
		if (!nearer(paths, paths->heap[child], last))
			break;
		paths->heap[at] = paths->heap[child];
		paths->place[paths->heap[at]] = at;
	}
	paths->heap[at] = last;
	paths->place[last] = at;
	return nearest;
}

/* Improves the distances of the columns in a row's list. */
static void
relax_row(Paths *paths, int32_t row, double base)
{
	const SdcMatchLists *lists = paths->lists;
	int64_t e;

	for (e = lists->first[row]; e < lists->first[row + 1]; e++)
	{
		int32_t column = lists->column[e];
		double distance =
			base - (double) lists->score[e] - paths->price[column];

		if (paths->place[column] == -2 ||
			(paths->place[column] >= 0 && distance >= paths->distance[column]))
			continue;
		paths->distance[column] = distance;
		paths->from[column] = row;
		paths->via[column] = e;
		if (paths->place[column] == -1)
		{
			paths->reached[paths->reaches++] = column;
			paths->place[column] = paths->waiting;
			paths->heap[paths->waiting++] = column;
		}
		move_up(paths, paths->place[column]);
	}
	paths->work += lists->first[row + 1] - lists->first[row];
}

/* Gives the columns on the path back from one each to the row before it. */
static void
shift_path(Paths *paths, int32_t start, int32_t column)
{
	while (column >= 0)
	{
		int32_t row = paths->from[column];
		int32_t next =
			row == start ? -1 : paths->lists->column[paths->entry[row]];

		paths->owner[column] = row;
		paths->entry[row] = paths->via[column];
		column = next;
	}
}

/* Finds the cheapest way for one more row and changes the assignment. */
static void
add_row(Paths *paths, int32_t start)
{
	const SdcMatchLists *lists = paths->lists;
	double leave = -outside_of(lists, paths->dear, start);
	int32_t quits = start; /* who goes outside */
	int32_t end = -1;
	int32_t row = start;
	double base = 0;
	int32_t i;

	paths->waiting = 0;
	paths->reaches = 0;
	for (;;)
	{
		int32_t column;

		relax_row(paths, row, base);
		if (paths->waiting == 0 || paths->distance[paths->heap[0]] >= leave)
			break;
		column = take_nearest(paths);
		if (paths->owner[column] < 0)
		{
			end = column;
			leave = paths->distance[column];
			break;
		}
		row = paths->owner[column];
		base = paths->distance[column] +
			   (double) lists->score[paths->entry[row]] + paths->price[column];
		if (base - outside_of(lists, paths->dear, row) < leave)
		{
			leave = base - outside_of(lists, paths->dear, row);
			quits = row;
		}
	}
	for (i = 0; i < paths->reaches; i++)
	{
		int32_t column = paths->reached[i];

		if (paths->place[column] == -2 && column != end)
			paths->price[column] += paths->distance[column] - leave;
		paths->place[column] = -1;
	}
	if (end < 0 && quits != start)
	{
		end = lists->column[paths->entry[quits]];
		paths->entry[quits] = -1;
	}
	shift_path(paths, start, end);
}

static void
start_paths(Paths *paths, SdcHost *host, const SdcMatchLists *lists,
			int64_t *entry)
{
	int32_t i;

	paths->host = host;
	paths->lists = lists;
	paths->dear = dear_outside(lists);
	paths->price = sdc_new(host, double, (size_t) lists->columns + 1);
	paths->distance = sdc_new(host, double, (size_t) lists->columns + 1);
	paths->owner = sdc_new(host, int32_t, (size_t) lists->columns + 1);
	paths->from = sdc_new(host, int32_t, (size_t) lists->columns + 1);
	paths->via = sdc_new(host, int64_t, (size_t) lists->columns + 1);
	paths->place = sdc_new(host, int32_t, (size_t) lists->columns + 1);
	paths->heap = sdc_new(host, int32_t, (size_t) lists->columns + 1);
	paths->reached = sdc_new(host, int32_t, (size_t) lists->columns + 1);
	paths->entry = entry;
	paths->work = 0;
	paths->polled = 0;
	for (i = 0; i < lists->columns; i++)
	{
		paths->price[i] = 0;
		paths->owner[i] = -1;
		paths->place[i] = -1;
	}
	for (i = 0; i < lists->rows; i++)
		entry[i] = -1;
}

static void
end_paths(Paths *paths)
{
	SdcHost *host = paths->host;

	host->release(host, paths->price);
	host->release(host, paths->distance);
	host->release(host, paths->owner);
	host->release(host, paths->from);
	host->release(host, paths->via);
	host->release(host, paths->place);
	host->release(host, paths->heap);
	host->release(host, paths->reached);
}

/* The exact assignment; false when the budget was not enough. */
static bool
assign_exactly(SdcHost *host, const SdcMatchLists *lists, int64_t budget,
			   int64_t *entry, int64_t *work)
{
	Paths paths;
	int32_t row;

	start_paths(&paths, host, lists, entry);
	for (row = 0; row < lists->rows && paths.work <= budget; row++)
	{
		add_row(&paths, row);
		poll_work(host, paths.work, &paths.polled, row, lists->rows);
	}
	*work += paths.work;
	end_paths(&paths);
	return row == lists->rows;
}

/* ---------------------------------------------------------------------------
 * Auction.
 */

/* The entry a row would bid for, or -1 for outside, and its bid. */
static int64_t
find_bid(const SdcMatchLists *lists, const float *price, double outside,
		 int32_t row, float *bid)
{
	double best = outside;
	double second = outside;
	int64_t at = -1;
	int64_t e;

	for (e = lists->first[row]; e < lists->first[row + 1]; e++)
	{
		double value =
			(double) lists->score[e] - (double) price[lists->column[e]];

		if (value > best)
		{
			second = best;
			best = value;
			at = e;
		}
		else if (value > second)
			second = value;
	}
	*bid = (float) (best - second) + STEP;
	return at;
}

static void
assign_by_auction(SdcHost *host, const SdcMatchLists *lists, int64_t budget,
				  int64_t *entry, int64_t *work)
{
	double dear = dear_outside(lists);
	float *price = sdc_new(host, float, (size_t) lists->columns + 1);
	int32_t *owner = sdc_new(host, int32_t, (size_t) lists->columns + 1);
	int32_t *queue = sdc_new(host, int32_t, (size_t) lists->rows + 1);
	int32_t waiting = lists->rows;
	int64_t polled = *work;
	int64_t limit = *work + budget;
	int32_t i;

	for (i = 0; i < lists->columns; i++)
	{
		price[i] = 0;
		owner[i] = -1;
	}
	for (i = 0; i < lists->rows; i++)
	{
		entry[i] = -1;
		queue[i] = lists->rows - 1 - i;
	}
	while (waiting > 0 && *work <= limit)
	{
		int32_t row = queue[--waiting];
		float bid;
		int64_t at =
			find_bid(lists, price, outside_of(lists, dear, row), row, &bid);
		int32_t column;

		*work += lists->first[row + 1] - lists->first[row] + 1;
		poll_work(host, *work, &polled, lists->rows - waiting, lists->rows);
		if (at < 0)
			continue;
		column = lists->column[at];
		if (owner[column] >= 0)
		{
			entry[owner[column]] = -1;
			queue[waiting++] = owner[column];
		}
		owner[column] = row;
		entry[row] = at;
		price[column] += bid;
	}
	host->release(host, price);
	host->release(host, owner);
	host->release(host, queue);
}

SdcMatchWork
sdc_match_assign(SdcHost *host, const SdcMatchLists *lists, int64_t budget,
				 int32_t *assigned, int64_t *entry)
{
	SdcMatchWork result = {true, 0, 0};
	int64_t *at = entry != NULL
					  ? entry
					  : sdc_new(host, int64_t, (size_t) lists->rows + 1);
	int32_t i;

	host->stage(host, "assigning one to one");
	result.exact = assign_exactly(host, lists, budget, at, &result.work);
	if (!result.exact)
		assign_by_auction(host, lists, AUCTION_BUDGET * budget, at,
						  &result.work);
	for (i = 0; i < lists->rows; i++)
	{
		assigned[i] = at[i] < 0 ? -1 : lists->column[at[i]];
		result.matched += at[i] >= 0;
	}
	if (entry == NULL)
		host->release(host, at);
	return result;
}
