/*
 * box_tree.c
 *		A tree of boxes: building it.
 *
 * Building halves the points again and again at the median of the axis on
 * which they spread most; four halvings make one node.  The number of leaves
 * is a power of 2 and node and leaf numbers follow from the place in the
 * tree, so there are no links.
 */
#include "kernel/geometry/box_tree.h"

#include "kernel/geometry/principal_axes.h"
#include "kernel/base/select.h"

#include <math.h>
#include <string.h>

#define CHILDREN SDC_BOX_CHILDREN
#define PLACES   SDC_BOX_POINTS

/* A tree this small is not built anew. */
#define SMALL_TREE (4 * PLACES)

/* Rows from which the axes are computed. */
#define AXES_SAMPLE 20000

/*
 * Points on their way into a tree: records of columns + 1 numbers, the turned
 * coordinates and the number of the point.
 */
typedef struct Builder
{
	SdcBoxTree *tree;
	const SdcBoxTree *old; /* where coordinates come from, or NULL */
	double *record;
	size_t width; /* of a record */
	uint32_t steps;
} Builder;

static inline void
poll_step(Builder *builder)
{
	if (++builder->steps % SDC_POLL_STEPS == 0)
		builder->tree->host->poll(builder->tree->host, 0, 0);
}

/* Bounding box of n records; low > high if there are none. */
static void
bound_records(Builder *builder, const double *record, int64_t n, double *low,
			  double *high)
{
	int d = builder->tree->columns;
	int64_t i;
	int j;

	for (j = 0; j < d; j++)
	{
		low[j] = INFINITY;
		high[j] = -INFINITY;
	}
	for (i = 0; i < n; i++, record += builder->width)
	{
		poll_step(builder);
		for (j = 0; j < d; j++)
		{
			low[j] = record[j] < low[j] ? record[j] : low[j];
			high[j] = record[j] > high[j] ? record[j] : high[j];
		}
	}
}

/* Coordinates of a point wherever they are now. */
static void
find_coordinates(const Builder *builder, int32_t point, double *coordinates)
{
	const SdcPoints *points = builder->tree->points;

	if (builder->old != NULL)
		sdc_box_tree_get(builder->old, point, coordinates);
	else
		sdc_points_get(points, points->first[point], coordinates);
}

static void
fill_leaf(Builder *builder, const double *record, int64_t n, int64_t leaf)
{
	SdcBoxTree *tree = builder->tree;
	int d = tree->columns;
	double *place = tree->coordinate + leaf * d * PLACES;
	double coordinates[SDC_MAX_COLUMNS];
	int64_t i;
	int j;

	memset(place, 0, sizeof(*place) * (size_t) d * PLACES);
	for (i = 0; i < n; i++, record += builder->width)
	{
		int32_t point = (int32_t) record[d];

		find_coordinates(builder, point, coordinates);
		for (j = 0; j < d; j++)
			place[j * PLACES + i] = coordinates[j];
		tree->point[leaf * PLACES + i] = point;
		tree->slot[point] = (uint32_t) (leaf * PLACES + i);
	}
}

static void build_node(Builder *builder, double *record, int64_t n, int level,
					   int64_t node);

static int
widest_axis(int d, const double *low, const double *high)
{
	int widest = 0;
	int j;

	for (j = 1; j < d; j++)
		if (high[j] - low[j] > high[widest] - low[widest])
			widest = j;
	return widest;
}

static void
build_child(Builder *builder, double *record, int64_t n, int level,
			int64_t child, const double *low, const double *high)
{
	SdcBoxTree *tree = builder->tree;
	SdcBoxLevel *boxes = &tree->level[level];
	int64_t box =
		child / CHILDREN * tree->columns * CHILDREN + child % CHILDREN;
	int j;

	boxes->count[child] = (int32_t) n;
	for (j = 0; j < tree->columns; j++)
	{
		boxes->low[box + j * CHILDREN] = low[j];
		boxes->high[box + j * CHILDREN] = high[j];
	}
	if (level + 1 < tree->levels)
		build_node(builder, record, n, level + 1, child);
	else
		fill_leaf(builder, record, n, child);
}

/*
 * Distributes n records over some children of a node.  Recursion goes four
 * deep per level of the tree.
 */
static void
build_children(Builder *builder, double *record, int64_t n, int level,
			   int64_t child, int children)
{
	int d = builder->tree->columns;
	double low[SDC_MAX_COLUMNS];
	double high[SDC_MAX_COLUMNS];
	int64_t half = n / 2;

	bound_records(builder, record, n, low, high);
	if (children == 1)
	{
		build_child(builder, record, n, level, child, low, high);
		return;
	}
	sdc_select_record(builder->tree->host, record, builder->width, n, half,
					  widest_axis(d, low, high));
	build_children(builder, record, half, level, child, children / 2);
	build_children(builder, record + (size_t) half * builder->width, n - half,
				   level, child + children / 2, children / 2);
}

/* The root has fewer children than other nodes when that suffices. */
static void
build_node(Builder *builder, double *record, int64_t n, int level,
		   int64_t node)
{
	SdcBoxTree *tree = builder->tree;
	SdcBoxLevel *boxes = &tree->level[level];
	int64_t children = CHILDREN;
	int64_t i;

	if (level == 0)
		children = tree->leaves >> (4 * (tree->levels - 1));
	for (i = children; i < CHILDREN; i++)
	{
		int j;

		boxes->count[i] = 0;
		for (j = 0; j < tree->columns; j++)
		{
			boxes->low[j * CHILDREN + i] = INFINITY;
			boxes->high[j * CHILDREN + i] = -INFINITY;
		}
	}
	build_children(builder, record, n, level, node * CHILDREN, (int) children);
}

/* Decides the shape of a tree of n points and gets its memory. */
static void
allocate_tree(SdcBoxTree *tree, int32_t n)
{
	size_t block = (size_t) tree->columns * CHILDREN;
	size_t nodes = 0;
	size_t places;
	double *numbers;
	int32_t *counts;
	int binary_levels = 1;
	int level;

	while (((n + (INT64_C(1) << binary_levels) - 1) >> binary_levels) > PLACES)
		binary_levels++;
	tree->built = tree->alive = n;
	tree->leaves = INT64_C(1) << binary_levels;
	tree->levels = (binary_levels + 3) / 4;
	places = (size_t) tree->leaves * PLACES;
	for (level = 0; level < tree->levels; level++)
		nodes +=
			(size_t) (((tree->leaves - 1) >> (4 * (tree->levels - level))) +
					  1);
	/* 8 numbers more, to begin at a multiple of 64 bytes */
	tree->memory[0] = sdc_new(tree->host, double,
							  (2 * nodes + (size_t) tree->leaves) * block + 8);
	tree->memory[1] = sdc_new(tree->host, int32_t, nodes * CHILDREN + places);
	numbers =
		(double *) (((uintptr_t) tree->memory[0] + 63) & ~(uintptr_t) 63);
	counts = tree->memory[1];
	for (level = 0; level < tree->levels; level++)
	{
		nodes =
			(size_t) ((tree->leaves - 1) >> (4 * (tree->levels - level))) + 1;
		tree->level[level].low = numbers;
		tree->level[level].high = numbers + nodes * block;
		tree->level[level].count = counts;
		numbers += 2 * nodes * block;
		counts += nodes * CHILDREN;
	}
	tree->coordinate = numbers;
	tree->point = counts;
}

static void
start_record(Builder *builder, double *record, int32_t point)
{
	SdcBoxTree *tree = builder->tree;
	double coordinates[SDC_MAX_COLUMNS];

	poll_step(builder);
	find_coordinates(builder, point, coordinates);
	sdc_principal_axes_rotate(tree->axes, tree->columns, coordinates, record);
	record[tree->columns] = point;
}

/* The largest rounding error of a distance between turned points. */
static double
turning_slack(SdcHost *host, const SdcPoints *points)
{
	double largest = 0;
	int32_t row;
	int j;

	for (j = 0; j < points->columns; j++)
		for (row = 0; row < points->rows; row++)
		{
			double magnitude = fabs(points->column[j][row]);

			if (row % SDC_POLL_STEPS == 0)
				host->poll(host, 0, 0);
			largest = magnitude > largest ? magnitude : largest;
		}

	/*
	 * The axes are orthogonal up to the roundings of some ten sweeps of
	 * Jacobi rotations, each of which changes an axis 2 columns times, and a
	 * dot product of this length rounds columns times: 256 columns units in
	 * the last place are several times the sum.
	 */
	return 256 * points->columns * 0x1p-52 * largest;
}

SdcBoxTree *
sdc_box_tree_create(SdcHost *host, const SdcPoints *points)
{
	SdcBoxTree *tree = sdc_new(host, SdcBoxTree, 1);
	size_t width = (size_t) points->columns + 1;
	size_t n = (size_t) points->distinct;
	Builder builder = {tree, NULL, NULL, width, 0};
	int32_t point;

	memset(tree, 0, sizeof(*tree));
	tree->host = host;
	tree->points = points;
	tree->columns = points->columns;
	tree->axes = sdc_new(host, double, (width - 1) * (width - 1));
	sdc_principal_axes(host, points, AXES_SAMPLE, tree->axes);
	tree->slack = turning_slack(host, points);
	tree->slot = sdc_new(host, uint32_t, n);
	tree->weight = sdc_new(host, int32_t, n);
	builder.record = sdc_new(host, double, n *width);
	allocate_tree(tree, points->distinct);
	for (point = 0; point < points->distinct; point++)
	{
		tree->weight[point] = points->first[point + 1] - points->first[point];
		start_record(&builder, builder.record + (size_t) point * width, point);
	}
	build_node(&builder, builder.record, points->distinct, 0, 0);
	host->release(host, builder.record);
	return tree;
}

void
sdc_box_tree_release(SdcBoxTree *tree)
{
	SdcHost *host = tree->host;

	host->release(host, tree->memory[0]);
	host->release(host, tree->memory[1]);
	host->release(host, tree->axes);
	host->release(host, tree->slot);
	host->release(host, tree->weight);
	host->release(host, tree);
}

void
sdc_box_tree_rebuild(SdcBoxTree *tree)
{
	SdcBoxTree old = *tree;
	size_t width = (size_t) tree->columns + 1;
	Builder builder = {tree, &old, NULL, width, 0};
	double *record;
	int64_t leaf;

	if (tree->alive >= tree->built / 2 || tree->alive <= SMALL_TREE)
		return;
	record = builder.record =
		sdc_new(tree->host, double, (size_t) tree->alive *width);
	allocate_tree(tree, tree->alive);
	for (leaf = 0; leaf < old.leaves; leaf++)
	{
		int32_t count = sdc_box_tree_leaf_count(&old, leaf);
		int32_t i;

		for (i = 0; i < count; i++, record += width)
			start_record(&builder, record, old.point[leaf * PLACES + i]);
	}
	build_node(&builder, builder.record, tree->alive, 0, 0);
	tree->host->release(tree->host, builder.record);
	tree->host->release(tree->host, old.memory[0]);
	tree->host->release(tree->host, old.memory[1]);
}
