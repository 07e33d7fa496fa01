/*
 * box_tree.h
 *		Nearest and farthest points among points that go one by one.
 *
 * A tree over the distinct points of SdcPoints.  A node has up to 16
 * children; the bounding boxes of all of them lie side by side, so that the
 * bounds of the 16 are computed together by vector instructions.  A leaf has
 * up to 16 points.  The boxes are those of the points turned to their
 * principal axes, where boxes are tight; distances are always computed from
 * the coordinates as given, so the turning costs no exactness: bounds carry a
 * slack larger than its rounding errors.
 *
 * Memory: 8 columns bytes for every place of a leaf (1 to 2 places per
 * point), a tenth of that for boxes, 12 bytes per point; while it is built
 * 8 (columns + 1) bytes per point more.
 */
#ifndef SDC_KERNEL_BOX_TREE_H
#define SDC_KERNEL_BOX_TREE_H

#include "kernel/base/host.h"
#include "kernel/index/nearest.h"
#include "kernel/index/points.h"

#define SDC_BOX_POINTS 16 /* in a leaf */
#define SDC_BOX_LEVELS 8  /* 16^8 leaves are enough for 2^31 points */

/* Child c of node n of a level is node, or leaf, 16 n + c of the next. */
typedef struct SdcBoxLevel
{
	double *low;    /* low[(node * columns + axis) * 16 + child] */
	double *high;   /* low > high in an empty child */
	int32_t *count; /* count[node * 16 + child]: points below */
} SdcBoxLevel;

typedef struct SdcBoxTree
{
	SdcHost *host;
	const SdcPoints *points;
	int columns;
	double *axes;  /* principal axes, one per row */
	double slack;  /* most that turning changes a distance by */
	int32_t built; /* points when the tree was built */
	int32_t alive; /* points not yet removed */
	int levels;    /* of nodes; the leaves come below */
	int64_t leaves;
	SdcBoxLevel level[SDC_BOX_LEVELS];
	double *coordinate; /* coordinate[(leaf * columns + column) * 16 + i] */
	int32_t *point;     /* point[leaf * 16 + i] */
	uint32_t *slot;     /* leaf * 16 + i of a point */
	int32_t *weight;    /* rows left of a point, 0 when removed */
	uint64_t visits;    /* leaves searched so far, for polling */
	void *memory[2];    /* what the arrays above lie in */
} SdcBoxTree;

/* A tree over all points; the weight of a point is its number of rows. */
extern SdcBoxTree *sdc_box_tree_create(SdcHost *host, const SdcPoints *points);
extern void sdc_box_tree_release(SdcBoxTree *tree);

/*
 * Offers to nearest (cleared before) the points that may belong to it.  What
 * it holds afterwards are the nearest points of the tree, exactly.
 */
extern void sdc_box_tree_nearest(SdcBoxTree *tree, const double *point,
								 SdcNearest *nearest);

/*
 * The point farthest from a given one, of equally far ones the first.  centre
 * is NULL or a point such that nothing in the tree is farther from centre than
 * the given point is: then the ball around centre helps to exclude boxes.
 */
extern int32_t sdc_box_tree_farthest(SdcBoxTree *tree, const double *point,
									 const double *centre);

/* Takes a point out and shrinks the boxes that lean on it. */
extern void sdc_box_tree_remove(SdcBoxTree *tree, int32_t point);

/*
 * Builds the tree anew when half of its points are gone.  To be called now and
 * then by who removes points.
 */
extern void sdc_box_tree_rebuild(SdcBoxTree *tree);

/* Coordinates of a point that is in the tree. */
static inline void
sdc_box_tree_get(const SdcBoxTree *tree, int32_t point, double *coordinates)
{
	int64_t slot = tree->slot[point];
	const double *leaf = tree->coordinate + slot / SDC_BOX_POINTS *
												tree->columns * SDC_BOX_POINTS;
	int j;

	for (j = 0; j < tree->columns; j++)
		coordinates[j] = leaf[j * SDC_BOX_POINTS + slot % SDC_BOX_POINTS];
}

/* Points in a leaf. */
static inline int32_t
sdc_box_tree_leaf_count(const SdcBoxTree *tree, int64_t leaf)
{
	return tree->level[tree->levels - 1].count[leaf];
}

#endif
