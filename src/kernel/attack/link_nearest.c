/*
 * link_nearest.c
 *		Distance-based record linkage: the searches of a whole file.
 *
 * Queries are put in the order of the index, so that one search starts with
 * what the one before has found and finds its blocks in the cache.  When the
 * data leave the boxes too little to exclude (many columns, masked far), a
 * block is instead compared with 16 queries at a time.
 */
#include "kernel/attack/link_nearest.h"

#include <math.h>
#include <string.h>

#include "kernel/attack/link_scan.h"

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
	SdcLinkIndex index;
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
		   round_up(sdc_link_index_size(points, columns)) +
		   round_up(q * sizeof(SdcLinkHit)) +
		   round_up(q * (size_t) columns * sizeof(double)) +
		   round_up(q * sizeof(int32_t)) +
		   round_up(measure->parameters * sizeof(double));
}

/* Finds the parts of a task whose numbers are filled in. */
static Parts
find_parts(void *memory)
{
	Parts parts;
	SdcLinkTask *task = memory;
	char *next = memory;
	size_t q = (size_t) task->queries;

	parts.task = task;
	next += round_up(sizeof(SdcLinkTask));
	sdc_link_index_place(&parts.index, next, task->points, task->columns);
	next += round_up(sdc_link_index_size(task->points, task->columns));
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
prefers_scan(SdcHost *host, const Parts *parts)
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
		sdc_link_search_start(search, parts->query + i * task->columns);
		sdc_link_search_descend(search);
		searches++;
	}
	blocks = search->blocks;
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
	parts = find_parts(memory);
	for (i = 0; i < (int64_t) measure->parameters; i++)
		((double *) parts.measure.parameter)[i] = measure->parameter[i];
	host->stage(host, "building the index");
	sdc_link_index_build(host, &parts.index, point);
	sdc_link_index_order(host, query, queries, columns, parts.number);
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

	sdc_link_search_finish(search);
	memset(hit, 0, sizeof(*hit));
	hit->smallest = search->smallest;
	hit->count = search->count;
	for (i = 0; i < search->count && i < SDC_LINK_KEPT; i++)
		hit->point[i] = search->point[i];
}

/* Searches for queries first .. last - 1 one by one through the boxes. */
static void
search_boxes(SdcHost *host, const Parts *parts, int64_t first, int64_t last)
{
	SdcLinkSearch *search =
		sdc_link_search_create(host, &parts->index, &parts->measure);
	int32_t near = -1;
	int64_t i;

	for (i = first; i < last; i++)
	{
		sdc_link_search_start(search, parts->query + i * parts->task->columns);
		if (near >= 0)
			sdc_link_search_limit(search, near);
		sdc_link_search_descend(search);
		near = search->count > 0 ? search->item[0].place : -1;
		keep_hit(search, &parts->hit[parts->number[i]]);
	}
	sdc_link_search_release(search);
}

/* Compares queries first .. last - 1, at most 16, with every block. */
static void
search_tile(SdcHost *host, const Parts *parts, int64_t first, int64_t last)
{
	SdcLinkSearch *search[TILE_QUERIES];
	int count = (int) (last - first);
	int32_t block;
	int i;

	for (i = 0; i < count; i++)
	{
		search[i] =
			sdc_link_search_create(host, &parts->index, &parts->measure);
		sdc_link_search_start(
			search[i], parts->query + (first + i) * parts->task->columns);
	}
	for (block = 0; block < parts->index.blocks; block++)
	{
		if (block % POLL_BLOCKS == 0)
			host->poll(host, 0, 0);
		for (i = 0; i < count; i++)
			sdc_link_search_block(search[i], block);
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
	Parts parts = find_parts(memory);
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
sdc_link_task_index(void *memory, SdcLinkIndex *index, SdcLinkMeasure *measure)
{
	Parts parts = find_parts(memory);

	*index = parts.index;
	*measure = parts.measure;
}

const SdcLinkHit *
sdc_link_task_hits(void *memory)
{
	return find_parts(memory).hit;
}
