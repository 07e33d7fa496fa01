/*
 * link_nearest.c
 *		Distance-based record linkage: the searches of a whole file.
 *
 * Queries are put in the order of the index, so that one search starts with
 * what the one before has found and finds its blocks in the cache.  When the
 * data leave the boxes too little to exclude (many columns, masked far), a
 * block is instead compared with 16 queries at a time.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/index/point_index.h"
#include "kernel/linkage/link_measure.h"
#include "kernel/linkage/link_nearest.h"

#define POINTS SDC_INDEX_POINTS

/* ----------------------------------------------------------------------
 * One search.
 *
 * The search leaves out what is farther than the limit, which falls as points
 * are found; every way through the index finds the same points.
 * ----------------------------------------------------------------------
 */

#define FIRST_ROOM 64

/* Blocks looked at between two polls where no boxes help. */
#define POLL_SLOW_BLOCKS 256

SdcLinkSearch *
sdc_link_search_create(SdcHost *host, SdcPointIndex *index,
					   const SdcLinkMeasure *measure)
{
	SdcLinkSearch *search = sdc_new(host, SdcLinkSearch, 1);

	search->host = host;
	search->index = index;
	search->measure = measure;
	search->other = sdc_link_measure_index(measure);
	search->count = 0;
	search->room = FIRST_ROOM;
	search->item = sdc_new(host, SdcLinkItem, FIRST_ROOM);
	search->point = sdc_new(host, int32_t, FIRST_ROOM);
	return search;
}

void
sdc_link_search_release(SdcLinkSearch *search)
{
	search->host->release(search->host, search->item);
	search->host->release(search->host, search->point);
	search->host->release(search->host, search);
}

/* Begins a search; nothing has been looked at. */
static void
link_search_start(SdcLinkSearch *search, const double *query)
{
	search->query = query;
	search->smallest = DBL_MAX;
	search->limit = DBL_MAX;
	search->most = 0;
	search->count = 0;
}

/* The largest sum that counts as equally near as another. */
static double
tie_limit(const SdcLinkSearch *search, double smallest)
{
	double tie = smallest * (smallest < 0 ? 1 - 1e-9 : 1 + 1e-9);

	return tie + search->index->columns * 1e-20;
}

/*
 * Lowers the limit to what the point at a place of the index allows, without
 * counting that point as found.
 */
static void
link_search_limit(SdcLinkSearch *search, int32_t place)
{
	const SdcPointIndex *index = search->index;
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

/* What the index is to measure by. */
static const SdcIndexMeasure *
other_measure(const SdcLinkSearch *search)
{
	return search->measure->kind == SDC_LINK_SQUARES ? NULL : &search->other;
}

/* Drops what is farther than the last of those looked for. */
static void
trim_items(SdcLinkSearch *search)
{
	SdcHost *host = search->host;
	double *sum = sdc_new(host, double, (size_t) search->count);
	int32_t kept = 0;
	int32_t i;

	for (i = 0; i < search->count; i++)
		sum[i] = search->item[i].sum;
	sdc_select_record(host, sum, 1, search->count, search->most - 1, 0);
	search->limit = sum[search->most - 1];
	host->release(host, sum);
	for (i = 0; i < search->count; i++)
		if (search->item[i].sum <= search->limit)
			search->item[kept++] = search->item[i];
	search->count = kept;
	search->trim_at = kept > INT32_MAX / 2 ? INT32_MAX : 2 * kept;
}

/* Keeps the points of a block that are near enough; the new limit. */
static double
keep_block(void *arg, int32_t block, const double *sum)
{
	SdcLinkSearch *search = arg;
	double smallest = search->smallest;
	int i;

	for (i = 0; i < POINTS; i++)
		smallest = sum[i] < smallest ? sum[i] : smallest;
	if (search->most == 0 && smallest < search->smallest)
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
	if (search->most > 0 && search->count >= search->trim_at)
		trim_items(search);
	return search->limit;
}

/* Looks at one block, whatever its box. */
static void
link_search_block(SdcLinkSearch *search, int32_t block)
{
	double sum[POINTS];

	if (sdc_point_index_block(search->index, block, other_measure(search),
							  search->query, search->limit, sum))
		keep_block(search, block, sum);
}

/* Looks at all blocks that the limit lets in. */
static void
link_search_descend(SdcLinkSearch *search)
{
	sdc_point_index_visit(search->index, other_measure(search), search->query,
						  search->limit, keep_block, search);
}

static int
compare_points(int32_t a, int32_t b, void *arg)
{
	(void) arg;
	return a < b ? -1 : a > b;
}

/* Ends a search: puts the points in order. */
static void
link_search_finish(SdcLinkSearch *search)
{
	int32_t i;

	for (i = 0; i < search->count; i++)
		search->point[i] = search->index->point[search->item[i].place];
	if (search->count > 1)
		sdc_sort_rows(search->host, search->point, (size_t) search->count,
					  compare_points, NULL);
}

/* Looks at every block that can matter. */
static void
link_search_all(SdcLinkSearch *search)
{
	SdcHost *host = search->host;
	int32_t block;

	if (search->measure->boxes)
	{
		link_search_descend(search);
		return;
	}
	for (block = 0; block < search->index->blocks; block++)
	{
		if (block % POLL_SLOW_BLOCKS == 0)
			host->poll(host, 0, 0);
		link_search_block(search, block);
	}
}

void
sdc_link_search_run(SdcLinkSearch *search, const double *query)
{
	link_search_start(search, query);
	link_search_all(search);
	link_search_finish(search);
}

static int
compare_items(int32_t a, int32_t b, void *arg)
{
	const SdcLinkSearch *search = arg;
	const SdcLinkItem *x = &search->item[a];
	const SdcLinkItem *y = &search->item[b];

	if (x->sum != y->sum)
		return x->sum < y->sum ? -1 : 1;
	return compare_points(search->index->point[x->place],
						  search->index->point[y->place], NULL);
}

void
sdc_link_search_several(SdcLinkSearch *search, const double *query,
						int32_t most)
{
	SdcHost *host = search->host;
	SdcLinkItem *sorted;
	int32_t i;

	link_search_start(search, query);
	search->most = most;
	search->trim_at = most > INT32_MAX / 2 ? INT32_MAX : 2 * most;
	link_search_all(search);
	if (search->count > most)
		trim_items(search);
	for (i = 0; i < search->count; i++)
		search->point[i] = i;
	if (search->count > 1)
		sdc_sort_rows(host, search->point, (size_t) search->count,
					  compare_items, search);
	sorted = sdc_new(host, SdcLinkItem, (size_t) search->room);
	for (i = 0; i < search->count; i++)
		sorted[i] = search->item[search->point[i]];
	host->release(host, search->item);
	search->item = sorted;
	for (i = 0; i < search->count; i++)
		search->point[i] = search->index->point[sorted[i].place];
}

/* ----------------------------------------------------------------------
 * Distance-based record linkage: the searches of a whole file.
 * ----------------------------------------------------------------------
 */

/* Queries in a block of work, and compared with a block of points at once. */
#define WORK_QUERIES 64
#define TILE_QUERIES 16

/* Blocks that a tile is compared with between two polls. */
#define POLL_BLOCKS 64

/* Queries from which the way of searching is chosen. */
#define SAMPLE_QUERIES 64

/*
 * Work of the boxes for one block of points, in blocks compared plainly.
 * Plain comparison wins when the boxes let in more than this share of them.
 */
#define SCAN_SHARE 0.22

/* Where the parts of a task lie. */
typedef struct Parts
{
	SdcLinkTask *task;
	SdcPointIndex index;
	SdcLinkMeasure measure;
	SdcLinkHit *hit; /* by the number of the query */
	double *query;   /* query[i * columns + j], in the order of the index */
	int32_t *number; /* number[i] of query i in that order */
} Parts;

static size_t
round_up(size_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

size_t
sdc_link_task_size(int32_t points, int32_t queries, int columns,
				   const SdcLinkMeasure *measure)
{
	size_t q = (size_t) queries;

	return round_up(sizeof(SdcLinkTask)) +
		   round_up(sdc_point_index_size(points, columns)) +
		   round_up(q * sizeof(SdcLinkHit)) +
		   round_up(q * (size_t) columns * sizeof(double)) +
		   round_up(q * sizeof(int32_t)) +
		   round_up(measure->parameters * sizeof(double));
}

/* Finds the parts of a task whose numbers are filled in. */
static Parts
find_parts(SdcHost *host, void *memory)
{
	Parts parts;
	SdcLinkTask *task = memory;
	char *next = memory;
	size_t q = (size_t) task->queries;

	parts.task = task;
	next += round_up(sizeof(SdcLinkTask));
	sdc_point_index_place(host, &parts.index, next, task->points,
						  task->columns);
	next += round_up(sdc_point_index_size(task->points, task->columns));
	parts.hit = (SdcLinkHit *) next;
	next += round_up(q * sizeof(SdcLinkHit));
	parts.query = (double *) next;
	next += round_up(q * (size_t) task->columns * sizeof(double));
	parts.number = (int32_t *) next;
	next += round_up(q * sizeof(int32_t));
	parts.measure = task->measure;
	parts.measure.parameter = (const double *) next;
	return parts;
}

/* Do the boxes let in too many blocks?  Asks some of the queries. */
static bool
prefers_scan(SdcHost *host, Parts *parts)
{
	const SdcLinkTask *task = parts->task;
	int32_t step = task->queries / SAMPLE_QUERIES + 1;
	SdcLinkSearch *search =
		sdc_link_search_create(host, &parts->index, &parts->measure);
	uint64_t searches = 0;
	uint64_t blocks;
	int64_t i;

	for (i = 0; i < task->queries; i += step)
	{
		link_search_start(search, parts->query + i * task->columns);
		link_search_descend(search);
		searches++;
	}
	blocks = parts->index.visits;
	sdc_link_search_release(search);
	return (double) blocks >
		   SCAN_SHARE * (double) searches * parts->index.blocks;
}

void
sdc_link_task_fill(SdcHost *host, void *memory, const double *point,
				   int32_t points, const double *query, int32_t queries,
				   int columns, const SdcLinkMeasure *measure)
{
	SdcLinkTask *task = memory;
	Parts parts;
	int64_t i;

	task->points = points;
	task->queries = queries;
	task->columns = columns;
	task->measure = *measure;
	parts = find_parts(host, memory);
	for (i = 0; i < (int64_t) measure->parameters; i++)
		((double *) parts.measure.parameter)[i] = measure->parameter[i];
	host->stage(host, "building the index");
	sdc_point_index_fill(&parts.index, point, NULL);
	sdc_point_index_order(host, query, queries, columns, parts.number);
	for (i = 0; i < queries; i++)
		memcpy(parts.query + i * columns,
			   query + (size_t) parts.number[i] * (size_t) columns,
			   sizeof(double) * (size_t) columns);
	task->scan = !measure->boxes || prefers_scan(host, &parts);
	host->stage(host, "linking");
}

uint64_t
sdc_link_task_blocks(const void *memory)
{
	const SdcLinkTask *task = memory;

	return ((uint64_t) task->queries + WORK_QUERIES - 1) / WORK_QUERIES;
}

static void
keep_hit(SdcLinkSearch *search, SdcLinkHit *hit)
{
	int32_t i;

	link_search_finish(search);
	memset(hit, 0, sizeof(*hit));
	hit->smallest = search->smallest;
	hit->count = search->count;
	for (i = 0; i < search->count && i < SDC_LINK_KEPT; i++)
		hit->point[i] = search->point[i];
}

/* Searches for queries first .. last - 1 one by one through the boxes. */
static void
search_boxes(SdcHost *host, Parts *parts, int64_t first, int64_t last)
{
	SdcLinkSearch *search =
		sdc_link_search_create(host, &parts->index, &parts->measure);
	int32_t near = -1;
	int64_t i;

	for (i = first; i < last; i++)
	{
		link_search_start(search, parts->query + i * parts->task->columns);
		if (near >= 0)
			link_search_limit(search, near);
		link_search_descend(search);
		near = search->count > 0 ? search->item[0].place : -1;
		keep_hit(search, &parts->hit[parts->number[i]]);
	}
	sdc_link_search_release(search);
}

/* Compares queries first .. last - 1, at most 16, with every block. */
static void
search_tile(SdcHost *host, Parts *parts, int64_t first, int64_t last)
{
	SdcLinkSearch *search[TILE_QUERIES];
	int count = (int) (last - first);
	int32_t block;
	int i;

	for (i = 0; i < count; i++)
	{
		search[i] =
			sdc_link_search_create(host, &parts->index, &parts->measure);
		link_search_start(search[i],
						  parts->query + (first + i) * parts->task->columns);
	}
	for (block = 0; block < parts->index.blocks; block++)
	{
		if (block % POLL_BLOCKS == 0)
			host->poll(host, 0, 0);
		for (i = 0; i < count; i++)
			link_search_block(search[i], block);
	}
	for (i = 0; i < count; i++)
	{
		keep_hit(search[i], &parts->hit[parts->number[first + i]]);
		sdc_link_search_release(search[i]);
	}
}

void
sdc_link_task_work(SdcHost *host, void *memory, uint64_t block)
{
	Parts parts = find_parts(host, memory);
	int64_t first = (int64_t) block * WORK_QUERIES;
	int64_t last = first + WORK_QUERIES;

	if (last > parts.task->queries)
		last = parts.task->queries;
	if (!parts.task->scan)
	{
		search_boxes(host, &parts, first, last);
		return;
	}
	for (; first < last; first += TILE_QUERIES)
		search_tile(host, &parts, first,
					last - first < TILE_QUERIES ? last : first + TILE_QUERIES);
}

void
sdc_link_task_index(SdcHost *host, void *memory, SdcPointIndex *index,
					SdcLinkMeasure *measure)
{
	Parts parts = find_parts(host, memory);

	*index = parts.index;
	*measure = parts.measure;
}

const SdcLinkHit *
sdc_link_task_hits(void *memory)
{
	return find_parts(NULL, memory).hit;
}
