/*
 * point_index.h
 *		Points in flat blocks below boxes: nearest and farthest ones.
 *
 * The one index for whoever looks for near points.  Points are halved at the
 * median of the axis on which they spread most, again and again, which puts
 * them in an order; 16 of them after each other make a block, 16 blocks a
 * group, 16 groups a group of the next level.  So places alone say what holds
 * what: there are no links, and an index can lie in memory that processes
 * share.  The bounding boxes of the children of a group lie side by side, and
 * so do the coordinates of the points of a block, for vector instructions.
 *
 * What is near is the squared distance, summed over the columns from first to
 * last, or another measure.  A bound of a box is computed by the same
 * operations in the same order as a distance, from numbers that are nowhere
 * larger; because rounding is monotone it never exceeds the distance.  Which
 * points are found therefore does not depend on how the index lies.
 *
 * Three indexes have become this one.  CPU time of their callers relative to
 * before, on a loaded machine (test/bench): linkage of 1e4 records in 4, 8, 13
 * columns 0.7, 0.6, 0.5, of heavily masked ones 0.8, by OWA 1.1; V-MDAV of 1e5
 * records in 4 columns 0.84, "best" in 13 columns 0.85; MDAV in 13 columns 1.1
 * to 1.3, or 0.7 to 1.05, by the data; k nearest neighbours in 10 columns,
 * fitted 0.3, asked 1.03 to 1.08.
 *
 * Memory: 8 columns bytes a point, an eighth of that for boxes, 4 bytes a
 * point; while it is filled 8 (columns + 1) bytes a point more.
 */
#ifndef SDC_KERNEL_POINT_INDEX_H
#define SDC_KERNEL_POINT_INDEX_H

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/index/points.h"

/* Coordinates that a point may have: columns, and kinds of what they lack. */
#define SDC_INDEX_COLUMNS (5 * SDC_MAX_COLUMNS)

#define SDC_INDEX_POINTS   16 /* in a block */
#define SDC_INDEX_CHILDREN 16 /* of a group */
#define SDC_INDEX_LEVELS   7  /* 16 * 16^7 > 2^31 */

/*
 * A coordinate from here on is none, as the NULL of a measure that knows it:
 * what the others spread by decides where points are parted.
 */
#define SDC_INDEX_ABSENT 1e200

/* An index; filled by sdc_point_index_fill or made by _create. */
typedef struct SdcPointIndex
{
	SdcHost *host;
	int32_t points; /* when it was filled */
	int32_t alive;  /* of them, not yet removed */
	int columns;
	int32_t blocks;
	/* coordinate[(block * columns + j) * 16 + i]; INFINITY: no point */
	double *coordinate;
	int32_t *point; /* point[block * 16 + i]; -1: no point */

	/*
	 * Level 0 groups blocks, level l groups those of level l - 1.  Bounds of
	 * child c of a group: box[level][((group * columns + j) * 2) * 16 + c] and
	 * 16 numbers later, low > high if it is empty.  count[level][child] is the
	 * number of points in it.
	 */
	int levels;
	int32_t groups[SDC_INDEX_LEVELS];
	double *box[SDC_INDEX_LEVELS];
	int32_t *count[SDC_INDEX_LEVELS];

	/*
	 * Of an index of SdcPoints, NULL and 0 otherwise.  Its boxes are those of
	 * the points turned to their principal axes, where boxes are tight;
	 * distances are computed from the coordinates as given, so that turning
	 * costs no exactness: bounds carry a slack larger than its rounding.
	 */
	const SdcPoints *source;
	double *axes;    /* one per row */
	double slack;    /* most that turning changes a distance by */
	uint32_t *slot;  /* block * 16 + i of a point */
	int32_t *weight; /* rows left of a point, 0 when removed */
	void *memory;    /* what the arrays above lie in */

	uint64_t visits; /* blocks looked at so far */
} SdcPointIndex;

/*
 * Another measure than the squared distance.  points: the values of the 16
 * points of a block, INFINITY where there is none; boxes: lower bounds of the
 * values in the 16 boxes of a group, which lie as above.  Both say whether any
 * is at most limit (true does no harm), and may leave the numbers as they are
 * when none is.
 */
typedef struct SdcIndexMeasure SdcIndexMeasure;

struct SdcIndexMeasure
{
	bool (*points)(const SdcIndexMeasure *measure, const double *coordinate,
				   int columns, const double *query, double limit,
				   double *value);
	bool (*boxes)(const SdcIndexMeasure *measure, const double *box,
				  int columns, const double *query, double limit,
				  double *bound);
	const void *arg;
};

/* ----------------------------------------------------------------------
 * An index in memory of the caller, whose points stay.
 * ----------------------------------------------------------------------
 */

/* Bytes that an index takes; the memory must be aligned to 8 bytes. */
extern size_t sdc_point_index_size(int32_t points, int columns);

/* Points an index to its memory, which has been filled or will be. */
extern void sdc_point_index_place(SdcHost *host, SdcPointIndex *index,
								  void *memory, int32_t points, int columns);

/*
 * Fills an index; coordinate[p * columns + j] must be less than 1e150 in
 * magnitude, or SDC_INDEX_ABSENT.  widest: NULL, or how far apart the points
 * count at most in each column, as 1 for codes.
 * O(columns points log points) time.
 */
extern void sdc_point_index_fill(SdcPointIndex *index,
								 const double *coordinate,
								 const double *widest);

/* The order in which an index would hold points: order[] gets numbers. */
extern void sdc_point_index_order(SdcHost *host, const double *coordinate,
								  int32_t points, int columns, int32_t *order);

/* ----------------------------------------------------------------------
 * An index of SdcPoints, whose points can go one by one.
 * ----------------------------------------------------------------------
 */

/*
 * Makes an index of all distinct points; the weight of a point is its number
 * of rows.
 */
extern SdcPointIndex *sdc_point_index_create(SdcHost *host,
											 const SdcPoints *points);

/* Gives such an index back; the points stay. */
extern void sdc_point_index_release(SdcPointIndex *index);

/* Takes a point out and shrinks the boxes that lean on it. */
extern void sdc_point_index_remove(SdcPointIndex *index, int32_t point);

/*
 * Fills the index anew when half of its points are gone.  To be called now and
 * then by who removes points.
 */
extern void sdc_point_index_rebuild(SdcPointIndex *index);

/* Coordinates of a point that is in the index. */
static inline void
sdc_point_index_get(const SdcPointIndex *index, int32_t point,
					double *coordinates)
{
	int64_t slot = index->slot[point];
	const double *block = index->coordinate + slot / SDC_INDEX_POINTS *
												  index->columns *
												  SDC_INDEX_POINTS;
	int j;

	for (j = 0; j < index->columns; j++)
		coordinates[j] = block[j * SDC_INDEX_POINTS + slot % SDC_INDEX_POINTS];
}

/* ----------------------------------------------------------------------
 * Searches.  measure is NULL for the squared distance, the only one that an
 * index of SdcPoints can be searched by.  All of them poll.
 * ----------------------------------------------------------------------
 */

/*
 * Offers to nearest (cleared before) the points that may belong to it.  What
 * it holds afterwards are the nearest points of the index, exactly; those of
 * an index without weights weigh 1.
 */
extern void sdc_point_index_nearest(SdcPointIndex *index,
									const SdcIndexMeasure *measure,
									const double *query, SdcNearest *nearest);

/*
 * The point farthest from a given one, of equally far ones the first.  centre
 * is NULL or a point such that nothing in the index is farther from centre
 * than the given point is: then the ball around centre helps to exclude boxes.
 */
extern int32_t sdc_point_index_farthest(SdcPointIndex *index,
										const double *point,
										const double *centre);

/* Gets the 16 values of a block, any of them within the limit; a new limit. */
typedef double (*SdcIndexVisit)(void *arg, int32_t block, const double *value);

/* Visits every block that holds a value within the limit, near ones first. */
extern void sdc_point_index_visit(SdcPointIndex *index,
								  const SdcIndexMeasure *measure,
								  const double *query, double limit,
								  SdcIndexVisit visit, void *arg);

/* The values of one block; is any at most limit?  As measure->points. */
extern bool sdc_point_index_block(const SdcPointIndex *index, int32_t block,
								  const SdcIndexMeasure *measure,
								  const double *query, double limit,
								  double *value);

#endif
