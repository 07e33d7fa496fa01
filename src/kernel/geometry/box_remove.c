/*
 * box_remove.c
 *		A tree of boxes: taking a point out.
 *
 * The last point of the leaf moves into the free place.  The box of the leaf
 * is computed anew only if the point lay on its border, and the boxes above
 * only as long as they change.  Turned coordinates are not kept; those of the
 * one leaf are computed again, which is cheaper than the memory.
 */
#include "kernel/geometry/box_tree.h"

#include <math.h>
#include <string.h>

#define CHILDREN SDC_BOX_CHILDREN
#define PLACES   SDC_BOX_POINTS

/* One axis of all the places of a leaf. */
static inline __attribute__((always_inline)) void
turn_leaf(const double *restrict coordinate, const double *restrict axis,
		  int columns, double *restrict turned)
{
	int i;
	int j;

	for (i = 0; i < PLACES; i++)
		turned[i] = 0;
	for (j = 0; j < columns; j++)
		for (i = 0; i < PLACES; i++)
			turned[i] += axis[j] * coordinate[j * PLACES + i];
}

/*
 * Shrinks the box of a leaf with count points, from which the one at a place
 * was taken (its coordinates are still there); true if it changed.
 */
SDC_CLONES static bool
shrink_leaf(const double *restrict coordinate, const double *restrict axes,
			int columns, int place, int last, double *restrict low,
			double *restrict high)
{
	bool changed = false;
	int axis;

	for (axis = 0; axis < columns; axis++)
	{
		double *low_side = low + axis * CHILDREN;
		double *high_side = high + axis * CHILDREN;
		double turned[PLACES];
		double least = INFINITY;
		double most = -INFINITY;
		int i;

		turn_leaf(coordinate, axes + axis * columns, columns, turned);
		if (turned[place] != *low_side && turned[place] != *high_side)
			continue;
		turned[place] = turned[last];
		for (i = 0; i < last; i++)
		{
			least = turned[i] < least ? turned[i] : least;
			most = turned[i] > most ? turned[i] : most;
		}
		changed |= least != *low_side || most != *high_side;
		*low_side = least;
		*high_side = most;
	}
	return changed;
}

/* Shrinks a box to hold the boxes of a node below; true if it changed. */
SDC_CLONES static bool
shrink_box(const double *restrict child_low, const double *restrict child_high,
		   int columns, double *restrict low, double *restrict high)
{
	bool changed = false;
	int axis;

	for (axis = 0; axis < columns; axis++)
	{
		double least = INFINITY;
		double most = -INFINITY;
		int i;

		for (i = axis * CHILDREN; i < (axis + 1) * CHILDREN; i++)
		{
			least = child_low[i] < least ? child_low[i] : least;
			most = child_high[i] > most ? child_high[i] : most;
		}
		changed |=
			least != low[axis * CHILDREN] || most != high[axis * CHILDREN];
		low[axis * CHILDREN] = least;
		high[axis * CHILDREN] = most;
	}
	return changed;
}

/* First number of a child's box within the arrays of its level. */
static int64_t
box_of(const SdcBoxTree *tree, int64_t child)
{
	return child / CHILDREN * tree->columns * CHILDREN + child % CHILDREN;
}

/* The last point of a leaf moves to a place that became free. */
static void
close_gap(SdcBoxTree *tree, int64_t leaf, int place, int last)
{
	double *coordinate = tree->coordinate + leaf * tree->columns * PLACES;
	int32_t *point = tree->point + leaf * PLACES;
	int j;

	for (j = 0; j < tree->columns; j++)
		coordinate[j * PLACES + place] = coordinate[j * PLACES + last];
	point[place] = point[last];
	tree->slot[point[place]] = (uint32_t) (leaf * PLACES + place);
}

void
sdc_box_tree_remove(SdcBoxTree *tree, int32_t point)
{
	int64_t child = tree->slot[point] / PLACES;
	int place = (int) (tree->slot[point] % PLACES);
	int level = tree->levels - 1;
	int last = --tree->level[level].count[child];
	int64_t box = box_of(tree, child);
	bool changed;

	changed = shrink_leaf(tree->coordinate + child * tree->columns * PLACES,
						  tree->axes, tree->columns, place, last,
						  tree->level[level].low + box,
						  tree->level[level].high + box);
	close_gap(tree, child, place, last);
	while (level > 0)
	{
		const SdcBoxLevel *below = &tree->level[level];
		SdcBoxLevel *boxes = &tree->level[--level];
		int64_t node;

		child /= CHILDREN;
		boxes->count[child]--;
		if (!changed)
			continue;
		node = child * tree->columns * CHILDREN;
		box = box_of(tree, child);
		changed =
			shrink_box(below->low + node, below->high + node, tree->columns,
					   boxes->low + box, boxes->high + box);
	}
	tree->weight[point] = 0;
	tree->alive--;
}
