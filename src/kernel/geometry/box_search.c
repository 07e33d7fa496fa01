/*
 * box_search.c
 *		A tree of boxes: the nearest and the farthest points.
 *
 * A search goes down to the most promising child, bounds the children of that
 * one, and so on; it comes back up when no child left can hold a better
 * point.  The path is an array, one entry per level.
 */
#include "kernel/geometry/box_bounds.h"
#include "kernel/geometry/box_tree.h"

#include "kernel/geometry/principal_axes.h"

#include <math.h>

#define CHILDREN SDC_BOX_CHILDREN
#define PLACES   SDC_BOX_POINTS

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
	const int32_t *point = tree->point + leaf * PLACES;
	int32_t count = sdc_box_tree_leaf_count(tree, leaf);
	double distance[PLACES];
	int32_t i;

	sdc_box_distances(tree->coordinate + leaf * columns * PLACES,
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
	const int32_t *point = tree->point + leaf * PLACES;
	int32_t count = sdc_box_tree_leaf_count(tree, leaf);
	double distance[PLACES];
	int32_t i;

	sdc_box_distances(tree->coordinate + leaf * columns * PLACES,
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
