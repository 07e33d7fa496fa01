/*
 * box_tree.c
 *		A tree of boxes: building it.
 *
 * Building halves the points again and again at the median of the axis on
 * which they spread most; four halvings make one node.  The number of leaves
 * is a power of 2 and node and leaf numbers follow from the place in the
 * tree, so there are no links.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/select.h"
#include "kernel/index/box_tree.h"
#include "kernel/index/nearest.h"
#include "kernel/index/points.h"
#include "kernel/linear/square.h"
#include "kernel/privacy/strong_bits.h"

#define SDC_BOX_CHILDREN 16

#define SDC_BOX_INLINE static inline __attribute__((always_inline))

SDC_BOX_INLINE double
sdc_box_smaller(double a, double b)
{
	return a < b ? a : b;
}

SDC_BOX_INLINE double
sdc_box_larger(double a, double b)
{
	return a > b ? a : b;
}

/* Adds the squared differences of count columns. */
SDC_BOX_INLINE void
sdc_box_add_distances(const double *restrict coordinate,
					  const double *restrict point, int count,
					  double *restrict distance)
{
	int i;
	int j;

	for (i = 0; i < SDC_BOX_POINTS; i++)
	{
		double sum = distance[i];

		for (j = 0; j < count; j++)
		{
			double difference = coordinate[j * SDC_BOX_POINTS + i] - point[j];

			sum += difference * difference;
		}
		distance[i] = sum;
	}
}

/* Adds the squared ways into the boxes along count axes. */
SDC_BOX_INLINE void
sdc_box_add_nearest(const double *restrict low, const double *restrict high,
					const double *restrict turned, int count,
					double *restrict bound)
{
	int i;
	int j;

	for (i = 0; i < SDC_BOX_CHILDREN; i++)
	{
		double sum = bound[i];

		for (j = 0; j < count; j++)
		{
			double below = low[j * SDC_BOX_CHILDREN + i] - turned[j];
			double above = turned[j] - high[j * SDC_BOX_CHILDREN + i];
			double outside = sdc_box_larger(below, above);

			outside = sdc_box_larger(outside, 0.0);
			sum += outside * outside;
		}
		bound[i] = sum;
	}
}

/*
 * Adds, along count axes, the squared ways to the farthest corners, and the
 * least products of a point of the box and the direction.
 */
SDC_BOX_INLINE void
sdc_box_add_farthest(const double *restrict low, const double *restrict high,
					 const double *restrict turned,
					 const double *restrict direction, int count,
					 double *restrict corner, double *restrict product)
{
	int i;
	int j;

	for (i = 0; i < SDC_BOX_CHILDREN; i++)
	{
		double corner_sum = corner[i];
		double product_sum = product[i];

		for (j = 0; j < count; j++)
		{
			double at_low = low[j * SDC_BOX_CHILDREN + i];
			double at_high = high[j * SDC_BOX_CHILDREN + i];
			double side =
				sdc_box_larger(turned[j] - at_low, at_high - turned[j]);

			corner_sum += side * side;
			product_sum +=
				sdc_box_smaller(at_low * direction[j], at_high * direction[j]);
		}
		corner[i] = corner_sum;
		product[i] = product_sum;
	}
}

/* Squared distances of the places of a leaf to a point. */
SDC_BOX_INLINE void
sdc_box_distances(const double *coordinate, const double *point, int unrolled,
				  int columns, double *distance)
{
	int i;
	int j;

	for (i = 0; i < SDC_BOX_POINTS; i++)
		distance[i] = 0;
	for (j = 0; j + unrolled <= columns; j += unrolled)
		sdc_box_add_distances(coordinate + j * SDC_BOX_POINTS, point + j,
							  unrolled, distance);
	for (; j < columns; j++)
		sdc_box_add_distances(coordinate + j * SDC_BOX_POINTS, point + j, 1,
							  distance);
}

/* Squared distances to the nearest points that the boxes can hold. */
SDC_BOX_INLINE void
sdc_box_nearest_bounds(const double *low, const double *high,
					   const double *turned, int unrolled, int columns,
					   double *bound)
{
	int i;
	int j;

	for (i = 0; i < SDC_BOX_CHILDREN; i++)
		bound[i] = 0;
	for (j = 0; j + unrolled <= columns; j += unrolled)
		sdc_box_add_nearest(low + j * SDC_BOX_CHILDREN,
							high + j * SDC_BOX_CHILDREN, turned + j, unrolled,
							bound);
	for (; j < columns; j++)
		sdc_box_add_nearest(low + j * SDC_BOX_CHILDREN,
							high + j * SDC_BOX_CHILDREN, turned + j, 1, bound);
}

/*
 * Squared distances to the farthest points that the boxes can hold, -1 for an
 * empty one.  Two bounds, of which the smaller counts: the farthest corner;
 * and, with no x farther from the centre c than the point r is,
 * |x - r|^2 <= 2 |r - c|^2 - 2 (x - c).(r - c).  ball is what of it does not
 * depend on x, direction is r - c.
 */
SDC_BOX_INLINE void
sdc_box_farthest_bounds(const double *low, const double *high,
						const int32_t *count, const double *turned,
						const double *direction, double ball, int unrolled,
						int columns, double *bound)
{
	double product[SDC_BOX_CHILDREN];
	int i;
	int j;

	for (i = 0; i < SDC_BOX_CHILDREN; i++)
		bound[i] = product[i] = 0;
	for (j = 0; j + unrolled <= columns; j += unrolled)
		sdc_box_add_farthest(low + j * SDC_BOX_CHILDREN,
							 high + j * SDC_BOX_CHILDREN, turned + j,
							 direction + j, unrolled, bound, product);
	for (; j < columns; j++)
		sdc_box_add_farthest(low + j * SDC_BOX_CHILDREN,
							 high + j * SDC_BOX_CHILDREN, turned + j,
							 direction + j, 1, bound, product);
	for (i = 0; i < SDC_BOX_CHILDREN; i++)
	{
		double inside = sdc_box_larger(ball - 2 * product[i], 0.0);

		inside = sdc_box_smaller(inside, bound[i]);
		bound[i] = count[i] > 0 ? inside : -1;
	}
}

/* ----------------------------------------------------------------------
 * A tree of boxes: building it.
 *
 * Building halves the points again and again at the median of the axis on
 * which they spread most; four halvings make one node.  The number of leaves
 * is a power of 2 and node and leaf numbers follow from the place in the
 * tree, so there are no links.
 * ----------------------------------------------------------------------
 */

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
	sdc_principal_axes(host, (size_t) points->rows, points->columns,
					   (const double *const *) points->column, AXES_SAMPLE,
					   tree->axes);
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

/* ----------------------------------------------------------------------
 * A tree of boxes: the nearest and the farthest points.
 *
 * A search goes down to the most promising child, bounds the children of that
 * one, and so on; it comes back up when no child left can hold a better
 * point.  The path is an array, one entry per level.
 * ----------------------------------------------------------------------
 */

#define SEARCH_PLACES SDC_BOX_POINTS

/* Makes a rounded bound safe. */
#define ROUNDING 0x1p-48

typedef struct Search
{
	SdcBoxTree *tree;
	const double *point;
	double turned[SDC_MAX_COLUMNS];    /* the point on the axes */
	double direction[SDC_MAX_COLUMNS]; /* from the centre to it */
	double ball;                       /* constant part of the ball bound */
	SdcNearest *nearest;
	double distance; /* of the farthest point so far */
	int32_t farthest;
} Search;

/* Children of a node that are still to be searched. */
typedef struct Step
{
	int64_t node;
	int count;
	int child[CHILDREN];
	double bound[CHILDREN];
} Step;

/* Keeps the children whose bounds are within the limit. */
SDC_BOX_INLINE void
start_step(Step *step, int64_t node, const double *bound, double limit,
		   bool greatest)
{
	int count = 0;
	int i;

	for (i = 0; i < CHILDREN; i++)
	{
		step->child[count] = i;
		step->bound[count] = bound[i];
		count += greatest ? bound[i] >= limit : bound[i] <= limit;
	}
	step->node = node;
	step->count = count;
}

/* Takes the child with the best bound; -1 if none is within the limit. */
SDC_BOX_INLINE int64_t
next_child(Step *step, double limit, bool greatest)
{
	double best = greatest ? -1 : INFINITY;
	int chosen = 0;
	int child;
	int i;

	for (i = 0; i < step->count; i++)
	{
		bool better = greatest ? step->bound[i] > best : step->bound[i] < best;

		best = better ? step->bound[i] : best;
		chosen = better ? i : chosen;
	}
	if (step->count == 0 || (greatest ? best < limit : best > limit))
		return -1;
	child = step->child[chosen];
	step->count--;
	step->child[chosen] = step->child[step->count];
	step->bound[chosen] = step->bound[step->count];
	return step->node * CHILDREN + child;
}

SDC_BOX_INLINE void
offer_leaf(Search *search, int64_t leaf, int unrolled, int columns)
{
	SdcBoxTree *tree = search->tree;
	SdcNearest *nearest = search->nearest;
	const int32_t *point = tree->point + leaf * SEARCH_PLACES;
	int32_t count = sdc_box_tree_leaf_count(tree, leaf);
	double distance[SEARCH_PLACES];
	int32_t i;

	sdc_box_distances(tree->coordinate + leaf * columns * SEARCH_PLACES,
					  search->point, unrolled, columns, distance);
	for (i = 0; i < count; i++)
		if (distance[i] <= nearest->threshold)
			sdc_nearest_offer(nearest, distance[i], point[i],
							  tree->weight[point[i]]);
	tree->visits++;
}

/* Squared distance on the axes beyond which nothing is near enough. */
SDC_BOX_INLINE double
nearest_limit(const Search *search)
{
	double limit = sqrt(search->nearest->threshold) + search->tree->slack;

	return sdc_box_smaller(limit * limit * (1 + ROUNDING), DBL_MAX);
}

/* Bounds the children of a node for a search of the nearest. */
SDC_BOX_INLINE void
enter_nearest(const Search *search, int level, int64_t node, double limit,
			  int unrolled, int columns, Step *step)
{
	const SdcBoxLevel *boxes = &search->tree->level[level];
	int64_t box = node * columns * CHILDREN;
	double bound[CHILDREN];

	sdc_box_nearest_bounds(boxes->low + box, boxes->high + box, search->turned,
						   unrolled, columns, bound);
	start_step(step, node, bound, limit, false);
}

SDC_BOX_INLINE void
search_nearest(Search *search, int unrolled, int columns)
{
	int bottom = search->tree->levels - 1;
	double limit = nearest_limit(search);
	Step path[SDC_BOX_LEVELS];
	int level = 0;

	enter_nearest(search, 0, 0, limit, unrolled, columns, path);
	while (level >= 0)
	{
		int64_t child = next_child(&path[level], limit, false);

		if (child < 0)
			level--;
		else if (level == bottom)
		{
			offer_leaf(search, child, unrolled, columns);
			limit = nearest_limit(search);
		}
		else
		{
			level++;
			enter_nearest(search, level, child, limit, unrolled, columns,
						  &path[level]);
		}
	}
}

SDC_BOX_INLINE void
challenge_leaf(Search *search, int64_t leaf, int unrolled, int columns)
{
	SdcBoxTree *tree = search->tree;
	const int32_t *point = tree->point + leaf * SEARCH_PLACES;
	int32_t count = sdc_box_tree_leaf_count(tree, leaf);
	double distance[SEARCH_PLACES];
	int32_t i;

	sdc_box_distances(tree->coordinate + leaf * columns * SEARCH_PLACES,
					  search->point, unrolled, columns, distance);
	for (i = 0; i < count; i++)
		if (distance[i] > search->distance ||
			(distance[i] == search->distance && point[i] < search->farthest))
		{
			search->distance = distance[i];
			search->farthest = point[i];
		}
	tree->visits++;
}

/* Squared distance on the axes below which nothing is far enough. */
SDC_BOX_INLINE double
farthest_limit(const Search *search)
{
	double limit;

	if (search->distance < 0)
		return 0;
	limit = sqrt(search->distance) - search->tree->slack;
	return limit > 0 ? limit * limit * (1 - ROUNDING) : 0;
}

/* Bounds the children of a node for a search of the farthest. */
SDC_BOX_INLINE void
enter_farthest(const Search *search, int level, int64_t node, double limit,
			   int unrolled, int columns, Step *step)
{
	const SdcBoxLevel *boxes = &search->tree->level[level];
	int64_t box = node * columns * CHILDREN;
	double bound[CHILDREN];

	sdc_box_farthest_bounds(boxes->low + box, boxes->high + box,
							boxes->count + node * CHILDREN, search->turned,
							search->direction, search->ball, unrolled, columns,
							bound);
	start_step(step, node, bound, limit, true);
}

SDC_BOX_INLINE void
search_farthest(Search *search, int unrolled, int columns)
{
	int bottom = search->tree->levels - 1;
	double limit = 0;
	Step path[SDC_BOX_LEVELS];
	int level = 0;

	enter_farthest(search, 0, 0, limit, unrolled, columns, path);
	while (level >= 0)
	{
		int64_t child = next_child(&path[level], limit, true);

		if (child < 0)
			level--;
		else if (level == bottom)
		{
			challenge_leaf(search, child, unrolled, columns);
			limit = farthest_limit(search);
		}
		else
		{
			level++;
			enter_farthest(search, level, child, limit, unrolled, columns,
						   &path[level]);
		}
	}
}

typedef void (*SearchFunction)(Search *search, int columns);

/* Both searches for one number of columns; count names them. */
#define SEARCH(count, unrolled, columns)                                    \
	SDC_CLONES static void search_nearest_##count(Search *search, int any)  \
	{                                                                       \
		(void) any;                                                         \
		search_nearest(search, unrolled, columns);                          \
	}                                                                       \
	SDC_CLONES static void search_farthest_##count(Search *search, int any) \
	{                                                                       \
		(void) any;                                                         \
		search_farthest(search, unrolled, columns);                         \
	}

SEARCH(1, 1, 1)
SEARCH(2, 2, 2)
SEARCH(3, 3, 3)
SEARCH(4, 4, 4)
SEARCH(5, 5, 5)
SEARCH(6, 6, 6)
SEARCH(7, 7, 7)
SEARCH(8, 8, 8)
SEARCH(9, 9, 9)
SEARCH(10, 10, 10)
SEARCH(11, 11, 11)
SEARCH(12, 12, 12)
SEARCH(13, 13, 13)
SEARCH(14, 14, 14)
SEARCH(any, 4, any)

#define MOST_COLUMNS 14

static const SearchFunction nearest_for[MOST_COLUMNS + 1] = {
	search_nearest_any, search_nearest_1,  search_nearest_2,
	search_nearest_3,   search_nearest_4,  search_nearest_5,
	search_nearest_6,   search_nearest_7,  search_nearest_8,
	search_nearest_9,   search_nearest_10, search_nearest_11,
	search_nearest_12,  search_nearest_13, search_nearest_14};

static const SearchFunction farthest_for[MOST_COLUMNS + 1] = {
	search_farthest_any, search_farthest_1,  search_farthest_2,
	search_farthest_3,   search_farthest_4,  search_farthest_5,
	search_farthest_6,   search_farthest_7,  search_farthest_8,
	search_farthest_9,   search_farthest_10, search_farthest_11,
	search_farthest_12,  search_farthest_13, search_farthest_14};

static void
start_search(Search *search, SdcBoxTree *tree, const double *point)
{
	search->tree = tree;
	search->point = point;
	sdc_principal_axes_rotate(tree->axes, tree->columns, point,
							  search->turned);
}

void
sdc_box_tree_nearest(SdcBoxTree *tree, const double *point,
					 SdcNearest *nearest)
{
	int known = tree->columns <= MOST_COLUMNS ? tree->columns : 0;
	Search search;

	start_search(&search, tree, point);
	search.nearest = nearest;
	nearest_for[known](&search, tree->columns);
}

/*
 * Prepares the ball bound.  Without a centre it is infinite.
 */
static void
start_ball(Search *search, const double *centre)
{
	const SdcBoxTree *tree = search->tree;
	double turned[SDC_MAX_COLUMNS];
	double radius = 0;
	double product = 0;
	int j;

	search->ball = INFINITY;
	for (j = 0; j < tree->columns; j++)
		search->direction[j] = 0;
	if (centre == NULL)
		return;
	sdc_principal_axes_rotate(tree->axes, tree->columns, centre, turned);
	for (j = 0; j < tree->columns; j++)
	{
		double difference = search->point[j] - centre[j];

		search->direction[j] = search->turned[j] - turned[j];
		product += turned[j] * search->direction[j];
		radius += difference * difference;
	}

	/* Turning moves each of the products by at most slack times radius. */
	search->ball = 2 * radius + 2 * product +
				   8 * tree->slack * (sqrt(radius) + tree->slack);
}

int32_t
sdc_box_tree_farthest(SdcBoxTree *tree, const double *point,
					  const double *centre)
{
	int known = tree->columns <= MOST_COLUMNS ? tree->columns : 0;
	Search search;

	start_search(&search, tree, point);
	start_ball(&search, centre);
	search.distance = -1;
	search.farthest = -1;
	farthest_for[known](&search, tree->columns);
	return search.farthest;
}

/* ----------------------------------------------------------------------
 * A tree of boxes: taking a point out.
 *
 * The last point of the leaf moves into the free place.  The box of the leaf
 * is computed anew only if the point lay on its border, and the boxes above
 * only as long as they change.  Turned coordinates are not kept; those of the
 * one leaf are computed again, which is cheaper than the memory.
 * ----------------------------------------------------------------------
 */

#define REMOVE_PLACES SDC_BOX_POINTS

/* One axis of all the places of a leaf. */
static inline __attribute__((always_inline)) void
turn_leaf(const double *restrict coordinate, const double *restrict axis,
		  int columns, double *restrict turned)
{
	int i;
	int j;

	for (i = 0; i < REMOVE_PLACES; i++)
		turned[i] = 0;
	for (j = 0; j < columns; j++)
		for (i = 0; i < REMOVE_PLACES; i++)
			turned[i] += axis[j] * coordinate[j * REMOVE_PLACES + i];
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
		double turned[REMOVE_PLACES];
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
	double *coordinate =
		tree->coordinate + leaf * tree->columns * REMOVE_PLACES;
	int32_t *point = tree->point + leaf * REMOVE_PLACES;
	int j;

	for (j = 0; j < tree->columns; j++)
		coordinate[j * REMOVE_PLACES + place] =
			coordinate[j * REMOVE_PLACES + last];
	point[place] = point[last];
	tree->slot[point[place]] = (uint32_t) (leaf * REMOVE_PLACES + place);
}

void
sdc_box_tree_remove(SdcBoxTree *tree, int32_t point)
{
	int64_t child = tree->slot[point] / REMOVE_PLACES;
	int place = (int) (tree->slot[point] % REMOVE_PLACES);
	int level = tree->levels - 1;
	int last = --tree->level[level].count[child];
	int64_t box = box_of(tree, child);
	bool changed;

	changed = shrink_leaf(
		tree->coordinate + child * tree->columns * REMOVE_PLACES, tree->axes,
		tree->columns, place, last, tree->level[level].low + box,
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
