/*
 * link_index.h
 *		Points in blocks below boxes, to find nearest points by.
 *
 * Points are put in an order in which neighbours in the order are neighbours
 * in space, and cut into blocks of 16.  The boxes around 8 blocks lie side by
 * side, and so do the boxes around 8 such groups, and so on up to one group.
 * The distances of 16 points, or the bounds of 8 boxes, are computed together
 * by vector instructions.
 *
 * The whole index is one piece of memory whose layout follows from the number
 * of points and columns alone, so that other processes can use it where they
 * see it.
 */
#ifndef SDC_KERNEL_LINK_INDEX_H
#define SDC_KERNEL_LINK_INDEX_H

#include "kernel/base/host.h"

#define SDC_LINK_POINTS   16 /* in a block */
#define SDC_LINK_CHILDREN 8  /* of a group */
#define SDC_LINK_LEVELS   10 /* 16 * 8^10 > 2^31 */

typedef struct SdcLinkIndex
{
	int32_t points;
	int columns;
	int32_t blocks;
	/* point[block * 16 + i]; -1 in the empty places of the last block */
	int32_t *point;
	/* coordinate[(block * columns + j) * 16 + i] */
	double *coordinate;
	/*
	 * Level 0 groups blocks, level l groups those of level l - 1.  Bounds of
	 * child c of a group: box[((group * columns + j) * 2) * 8 + c] and
	 * box[((group * columns + j) * 2 + 1) * 8 + c].
	 */
	int levels;
	int32_t groups[SDC_LINK_LEVELS];
	double *box[SDC_LINK_LEVELS];
} SdcLinkIndex;

/* Bytes that an index takes; the memory must be aligned to 8 bytes. */
extern size_t sdc_link_index_size(int32_t points, int columns);

/*
 * Points the index to its memory, which sdc_link_index_build has filled or
 * will fill.
 */
extern void sdc_link_index_place(SdcLinkIndex *index, void *memory,
								 int32_t points, int columns);

/*
 * Fills an index with points; coordinate[p * columns + j] must be finite and
 * less than 1e150 in magnitude.  O(columns * points * log points) time;
 * scratch 8 (columns + 1) bytes per point.
 */
extern void sdc_link_index_build(SdcHost *host, SdcLinkIndex *index,
								 const double *coordinate);

/*
 * The order described above: order[] gets the numbers of the points.  scratch
 * and time as for an index.
 */
extern void sdc_link_index_order(SdcHost *host, const double *coordinate,
								 int32_t points, int columns, int32_t *order);

#endif
