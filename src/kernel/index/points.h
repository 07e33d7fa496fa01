/*
 * points.h
 *		Rows as points: in canonical order, standardised, duplicates known.
 *
 * Canonical order is by the columns from first to last, then by position in
 * the input.  Equal rows are adjacent in it, so a distinct point is a range
 * of rows.  Every sum over rows taken in this order is independent of the
 * order of the input.
 */
#ifndef SDC_KERNEL_POINTS_H
#define SDC_KERNEL_POINTS_H

#include <float.h>

#include "kernel/base/heap.h"
#include "kernel/base/host.h"
#include "kernel/base/matrix.h"

/* The rows of a matrix in canonical order; made by sdc_points_create. */
typedef struct SdcPoints
{
	int32_t rows;
	int columns;       /* at least 1 */
	double **column;   /* column[j][row], rows in canonical order */
	int32_t *position; /* position[row]: where the row stood in the input */
	int32_t distinct;  /* number of distinct points */
	int32_t *first;    /* point p is rows first[p] .. first[p + 1] - 1 */
} SdcPoints;

/*
 * Points of a matrix with at least one row.  Columns of one value only are
 * left out (one column of zeros stays when all are).  standardize: columns get
 * mean 0 and standard deviation 1 (n - 1), so |value| < sqrt(rows); else all
 * columns are multiplied by one power of 2 that makes the largest magnitude
 * lie in [2^14, 2^15).  Nothing overflows for any finite input.  O(n log n).
 */
extern SdcPoints *sdc_points_create(SdcHost *host, const SdcMatrix *matrix,
									bool standardize);

/*
 * The points of some rows, ascending, of other points; values as they are.
 * position[] holds the row in the other points.
 */
extern SdcPoints *sdc_points_subset(SdcHost *host, const SdcPoints *points,
									const int32_t *rows, int32_t count);

/* Gives back the points. */
extern void sdc_points_release(SdcHost *host, SdcPoints *points);

/* Copies a row's coordinates. */
static inline void
sdc_points_get(const SdcPoints *points, int32_t row, double *coordinates)
{
	int j;

	for (j = 0; j < points->columns; j++)
		coordinates[j] = points->column[j][row];
}

/* ----------------------------------------------------------------------
 * The nearest points seen so far, in a heap.
 *
 * Points come with a weight, the number of rows they stand for.  Kept are the
 * fewest points, nearest first, that together hold the wanted rows; the
 * farthest of them is the top of the heap.  Nearer means smaller distance,
 * then smaller point number.
 * ----------------------------------------------------------------------
 */

/* A point that was offered. */
typedef struct SdcNearestItem
{
	double distance; /* squared */
	int32_t point;
	int32_t weight;
} SdcNearestItem;

/* The nearest points so far. */
typedef struct SdcNearest
{
	int64_t wanted; /* rows */
	int64_t rows;   /* rows of the items */
	int32_t count;  /* items */
	/* Points beyond this squared distance cannot enter. */
	double threshold;
	SdcNearestItem *item; /* item[0] is the farthest */
} SdcNearest;

/* Room for a search of at most wanted rows: wanted + 1 items. */
static inline void
sdc_nearest_create(SdcHost *host, SdcNearest *nearest, int64_t wanted)
{
	nearest->item = sdc_new(host, SdcNearestItem, (size_t) wanted + 1);
}

/* Starts a search for points of so many rows, for which there is room. */
static inline void
sdc_nearest_clear(SdcNearest *nearest, int64_t wanted)
{
	nearest->wanted = wanted;
	nearest->rows = 0;
	nearest->count = 0;
	nearest->threshold = DBL_MAX;
}

/* Is a nearer than b, or as near with a smaller number? */
static inline bool
sdc_nearest_before(SdcNearestItem a, SdcNearestItem b)
{
	return a.distance < b.distance ||
		   (a.distance == b.distance && a.point < b.point);
}

/* The order of the heap: is a farther than b? */
static inline bool
sdc_nearest_above(const void *of, SdcNearestItem a, SdcNearestItem b)
{
	(void) of;
	return sdc_nearest_before(b, a);
}

/* The farthest item is the first. */
SDC_HEAP(sdc_nearest_heap, SdcNearestItem, const void *, sdc_nearest_above)

/* Takes the farthest item off the heap. */
static inline void
sdc_nearest_pop(SdcNearest *nearest)
{
	nearest->rows -=
		sdc_nearest_heap_pop(NULL, nearest->item, &nearest->count).weight;
}

/* Offers a point; it stays if it is near enough. */
static inline void
sdc_nearest_offer(SdcNearest *nearest, double distance, int32_t point,
				  int32_t weight)
{
	SdcNearestItem *item = nearest->item;
	SdcNearestItem added = {distance, point, weight};

	if (nearest->rows >= nearest->wanted &&
		!sdc_nearest_before(added, item[0]))
		return;
	sdc_nearest_heap_push(NULL, item, &nearest->count, added);
	nearest->rows += weight;
	while (nearest->rows - item[0].weight >= nearest->wanted)
		sdc_nearest_pop(nearest);
	if (nearest->rows >= nearest->wanted)
		nearest->threshold = item[0].distance;
}

#endif
