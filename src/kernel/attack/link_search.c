/*
 * link_search.c
 *		Distance-based record linkage: one search.
 *
 * The search walks down the boxes, nearest first, and leaves out those that
 * are farther than the limit.  A bound is computed by the same operations in
 * the same order as a distance, from numbers that are nowhere larger; because
 * rounding is monotone it never exceeds the distance, so nothing is lost, and
 * every way through the index finds the same points.
 */
#include "kernel/attack/link_nearest.h"

#include <float.h>
#include <math.h>

#include "kernel/attack/link_scan.h"
#include "kernel/base/sort.h"

#define POINTS     SDC_LINK_POINTS
#define CHILDREN   SDC_LINK_CHILDREN
#define FIRST_ROOM 64

/* Blocks searched between two polls; other measures take far longer. */
#define POLL_BLOCKS      16384
#define POLL_SLOW_BLOCKS 256

/* Half a block, as a vector; memory need not be aligned to it. */
#define LANES (POINTS / 2)
typedef double Lanes __attribute__((vector_size(64), aligned(8), may_alias));
typedef int64_t LaneFlags __attribute__((vector_size(64)));

/* A group, or below level 0 a block, that is still to be looked at. */
typedef struct Pending
{
	double bound;
	int32_t item;
	int level;
} Pending;

SDC_CLONES bool
sdc_link_scan_points(const double *coordinate, int columns,
					 const double *query, double limit, double *sum)
{
	const Lanes *column = (const Lanes *) coordinate;
	Lanes low = {0};
	Lanes high = {0};
	LaneFlags near;
	int64_t any = 0;
	int j;

	for (j = 0; j < columns; j++)
	{
		Lanes difference_low = column[2 * j] - query[j];
		Lanes difference_high = column[2 * j + 1] - query[j];

		low += difference_low * difference_low;
		high += difference_high * difference_high;
	}
	near = (low <= limit) | (high <= limit);
	for (j = 0; j < LANES; j++)
		any |= near[j];
	if (any == 0)
		return false;
	((Lanes *) sum)[0] = low;
	((Lanes *) sum)[1] = high;
	return true;
}

SDC_CLONES bool
sdc_link_scan_boxes(const double *box, int columns, const double *query,
					double limit, double *bound)
{
	int near = 0;
	int i;
	int j;

	for (i = 0; i < CHILDREN; i++)
		bound[i] = 0;
	for (j = 0; j < columns; j++)
	{
		const double *low = box + j * 2 * CHILDREN;
		const double *high = low + CHILDREN;
		double x = query[j];

		for (i = 0; i < CHILDREN; i++)
		{
			double below = low[i] - x;
			double above = x - high[i];
			double outside = below > above ? below : above;

			outside = outside > 0 ? outside : 0;
			bound[i] += outside * outside;
		}
	}
	for (i = 0; i < CHILDREN; i++)
		near |= bound[i] <= limit;
	return near != 0;
}

SdcLinkSearch *
sdc_link_search_create(SdcHost *host, const SdcLinkIndex *index,
					   const SdcLinkMeasure *measure)
{
	SdcLinkSearch *search = sdc_new(host, SdcLinkSearch, 1);

	search->host = host;
	search->index = index;
	search->measure = measure;
	search->count = 0;
	search->room = FIRST_ROOM;
	search->item = sdc_new(host, SdcLinkItem, FIRST_ROOM);
	search->point = sdc_new(host, int32_t, FIRST_ROOM);
	search->blocks = 0;
	return search;
}

void
sdc_link_search_release(SdcLinkSearch *search)
{
	search->host->release(search->host, search->item);
	search->host->release(search->host, search->point);
	search->host->release(search->host, search);
}

void
sdc_link_search_start(SdcLinkSearch *search, const double *query)
{
	search->query = query;
	search->smallest = DBL_MAX;
	search->limit = DBL_MAX;
	search->count = 0;
}

/* The largest sum that counts as equally near as another. */
static double
tie_limit(const SdcLinkSearch *search, double smallest)
{
	double tie = smallest * (smallest < 0 ? 1 - 1e-9 : 1 + 1e-9);

	return tie + search->index->columns * 1e-20;
}

void
sdc_link_search_limit(SdcLinkSearch *search, int32_t place)
{
	const SdcLinkIndex *index = search->index;
	const double *coordinate =
		index->coordinate +
		(size_t) (place / POINTS) * POINTS * (size_t) index->columns +
		place % POINTS;

	double sum = sdc_link_measure_value(search->measure, index->columns,
										coordinate, POINTS, search->query);

	search->limit = fmin(DBL_MAX, tie_limit(search, sum));
}

/* Takes over a smaller sum and drops the points that are now too far. */
static void
lower_limit(SdcLinkSearch *search, double smallest)
{
	int32_t kept = 0;
	int32_t i;

	search->smallest = smallest;
	search->limit = fmin(search->limit, tie_limit(search, smallest));
	for (i = 0; i < search->count; i++)
		if (search->item[i].sum <= search->limit)
			search->item[kept++] = search->item[i];
	search->count = kept;
}

static void
double_room(SdcLinkSearch *search)
{
	SdcHost *host = search->host;
	size_t room = (size_t) search->room * 2;
	SdcLinkItem *item = sdc_new(host, SdcLinkItem, room);
	int32_t i;

	for (i = 0; i < search->count; i++)
		item[i] = search->item[i];
	host->release(host, search->item);
	host->release(host, search->point);
	search->item = item;
	search->point = sdc_new(host, int32_t, room);
	search->room = (int32_t) room;
}

/* The sums of a block; is any at most the limit? */
static bool
scan_points(const SdcLinkSearch *search, int32_t block, double *sum)
{
	int columns = search->index->columns;
	const double *coordinate =
		search->index->coordinate + (size_t) block * POINTS * (size_t) columns;

	if (search->measure->kind == SDC_LINK_SQUARES)
		return sdc_link_scan_points(coordinate, columns, search->query,
									search->limit, sum);
	return sdc_link_measure_points(search->measure, coordinate, columns,
								   search->query, search->limit, sum);
}

/* The bounds of a group; is any at most the limit? */
static bool
scan_boxes(const SdcLinkSearch *search, int level, int32_t group,
		   double *bound)
{
	int columns = search->index->columns;
	const double *box = search->index->box[level] +
						(size_t) group * CHILDREN * 2 * (size_t) columns;

	if (search->measure->kind == SDC_LINK_SQUARES)
		return sdc_link_scan_boxes(box, columns, search->query, search->limit,
								   bound);
	return sdc_link_measure_boxes(search->measure, box, columns, search->query,
								  search->limit, bound);
}

void
sdc_link_search_block(SdcLinkSearch *search, int32_t block)
{
	double sum[POINTS];
	double smallest = search->smallest;
	int i;

	if (++search->blocks % (search->measure->kind == SDC_LINK_SQUARES
								? POLL_BLOCKS
								: POLL_SLOW_BLOCKS) ==
		0)
		search->host->poll(search->host, 0, 0);
	if (!scan_points(search, block, sum))
		return;
	for (i = 0; i < POINTS; i++)
		smallest = sum[i] < smallest ? sum[i] : smallest;
	if (smallest < search->smallest)
		lower_limit(search, smallest);
	for (i = 0; i < POINTS; i++)
	{
		if (!(sum[i] <= search->limit))
			continue;
		if (search->count == search->room)
			double_room(search);
		search->item[search->count].sum = sum[i];
		search->item[search->count].place = block * POINTS + i;
		search->count++;
	}
}

/*
 * Puts the children of a group that are near enough on the stack, the nearest
 * on top.
 */
static int
push_children(SdcLinkSearch *search, Pending *stack, int depth, int level,
			  int32_t group)
{
	double bound[CHILDREN];
	int bottom = depth;
	int i;
	int at;

	if (!scan_boxes(search, level, group, bound))
		return depth;
	for (i = 0; i < CHILDREN; i++)
	{
		if (!(bound[i] <= search->limit))
			continue;
		for (at = depth++; at > bottom && stack[at - 1].bound < bound[i]; at--)
			stack[at] = stack[at - 1];
		stack[at].bound = bound[i];
		stack[at].item = group * CHILDREN + i;
		stack[at].level = level - 1;
	}
	return depth;
}

void
sdc_link_search_descend(SdcLinkSearch *search)
{
	Pending stack[SDC_LINK_LEVELS * CHILDREN];
	int depth = push_children(search, stack, 0, search->index->levels - 1, 0);

	while (depth > 0)
	{
		Pending next = stack[--depth];

		if (next.bound > search->limit)
			continue;
		if (next.level < 0)
			sdc_link_search_block(search, next.item);
		else
			depth = push_children(search, stack, depth, next.level, next.item);
	}
}

static int
compare_points(int32_t a, int32_t b, void *arg)
{
	(void) arg;
	return a < b ? -1 : a > b;
}

void
sdc_link_search_finish(SdcLinkSearch *search)
{
	int32_t i;

	for (i = 0; i < search->count; i++)
		search->point[i] = search->index->point[search->item[i].place];
	if (search->count > 1)
		sdc_sort_rows(search->host, search->point, (size_t) search->count,
					  compare_points, NULL);
}

void
sdc_link_search_run(SdcLinkSearch *search, const double *query)
{
	int32_t block;

	sdc_link_search_start(search, query);
	if (search->measure->boxes)
		sdc_link_search_descend(search);
	else
		for (block = 0; block < search->index->blocks; block++)
			sdc_link_search_block(search, block);
	sdc_link_search_finish(search);
}
