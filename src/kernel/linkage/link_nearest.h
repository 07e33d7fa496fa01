/*
 * link_nearest.h
 *		Distance-based record linkage: the nearest points, with all ties.
 *
 * Points are linked by squared distance, summed over the columns from first
 * to last, or by another measure (link_measure.h).  Every point whose sum is
 * at most
 *		smallest + |smallest| * 1e-9 + columns * 1e-20
 * counts as equally near: rounding must not break a tie.
 */
#ifndef SDC_KERNEL_LINK_NEAREST_H
#define SDC_KERNEL_LINK_NEAREST_H

#include "kernel/base/host.h"
#include "kernel/index/point_index.h"
#include "kernel/linkage/link_measure.h"

/* A point near enough so far: its place in the index and its sum. */
typedef struct SdcLinkItem
{
	double sum;
	int32_t place;
} SdcLinkItem;

/* The state of a search in an index. */
typedef struct SdcLinkSearch
{
	SdcHost *host;
	SdcPointIndex *index;
	const SdcLinkMeasure *measure;
	SdcIndexMeasure other; /* the same for the index, or nothing */
	const double *query;
	double smallest;
	double limit;    /* sums above do not count */
	int32_t most;    /* points looked for; 0: the nearest, with all ties */
	int32_t trim_at; /* points from which those too far are dropped */
	int32_t count;
	int32_t room;
	SdcLinkItem *item;
	int32_t *point; /* what a finished search found, ascending */
} SdcLinkSearch;

/* A search of an index, which must outlive it; used again and again. */
extern SdcLinkSearch *sdc_link_search_create(SdcHost *host,
											 SdcPointIndex *index,
											 const SdcLinkMeasure *measure);

/* Gives a search back; the index stays. */
extern void sdc_link_search_release(SdcLinkSearch *search);

/*
 * Finds all points nearest to the query: point[0] .. point[count - 1], with
 * the smallest sum in smallest.  The index must hold a point.  None is found
 * only when all sums are infinite.
 */
extern void sdc_link_search_run(SdcLinkSearch *search, const double *query);

/*
 * Finds the most nearest points, and all whose sums equal that of the last:
 * item[i].sum and point[i] by rising sum, equal ones by their number; count
 * of them.  Points with infinite sums are left out.  most is at least 1.
 */
extern void sdc_link_search_several(SdcLinkSearch *search, const double *query,
									int32_t most);

/* Points that are kept with a hit; more have to be searched again. */
#define SDC_LINK_KEPT 5

/* What was found for one query: the points only when they fit. */
typedef struct SdcLinkHit
{
	double smallest;
	int32_t count;
	int32_t point[SDC_LINK_KEPT]; /* ascending */
} SdcLinkHit;

/*
 * The search for many queries in one piece of memory that several processes
 * can share.  It is worked off in blocks, in any order and by anyone; the
 * hits are the same.
 */
typedef struct SdcLinkTask
{
	int32_t points;
	int32_t queries;
	int columns;
	/* compare with every block, because boxes exclude too little */
	bool scan;
	SdcLinkMeasure measure; /* its parameters lie in the task */
} SdcLinkTask;

/* Bytes of a task; the memory must be aligned to 8 bytes. */
extern size_t sdc_link_task_size(int32_t points, int32_t queries, int columns,
								 const SdcLinkMeasure *measure);

/*
 * Sets a task up in memory of that size: points and queries are given by
 * their coordinates, [p * columns + j], at least one each.  Chooses between
 * boxes and plain comparison by the work that a sample of queries takes.
 */
extern void sdc_link_task_fill(SdcHost *host, void *memory,
							   const double *point, int32_t points,
							   const double *query, int32_t queries,
							   int columns, const SdcLinkMeasure *measure);

/* Blocks of a task. */
extern uint64_t sdc_link_task_blocks(const void *memory);

/* Works off one block. */
extern void sdc_link_task_work(SdcHost *host, void *memory, uint64_t block);

/* Sets index and measure to those of a task, for searches of one's own. */
extern void sdc_link_task_index(SdcHost *host, void *memory,
								SdcPointIndex *index, SdcLinkMeasure *measure);

/* The hits of a task whose blocks are done, by the number of the query. */
extern const SdcLinkHit *sdc_link_task_hits(void *memory);

#endif
