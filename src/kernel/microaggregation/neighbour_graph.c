/*
 * neighbour_graph.c
 *		The nearest other points of every point.
 *
 * Points are searched in the order of the leaves of the tree, so that
 * neighbouring searches find the same boxes in the cache; what is added up is
 * added in canonical order.
 */
#include "kernel/microaggregation/neighbour_graph.h"

#include "kernel/geometry/box_tree.h"
#include "kernel/geometry/nearest.h"

#define LEAF SDC_BOX_POINTS

/* Searches between two polls. */
#define POLL_SEARCHES 256

/* Runs a visitor on the neighbours of every point. */
typedef void (*Visit)(int32_t point, SdcNearest *nearest, void *arg);

static void
search_all(SdcBoxTree *tree, int64_t wanted, Visit visit, void *arg)
{
	SdcHost *host = tree->host;
	double coordinates[SDC_MAX_COLUMNS];
	SdcNearest nearest;
	uint64_t searches = 0;
	int64_t leaf;

	sdc_nearest_create(host, &nearest, wanted);
	for (leaf = 0; leaf < tree->leaves; leaf++)
	{
		int32_t count = sdc_box_tree_leaf_count(tree, leaf);
		int32_t i;

		for (i = 0; i < count; i++)
		{
			int32_t point = tree->point[leaf * LEAF + i];

			if (searches++ % POLL_SEARCHES == 0)
				host->poll(host, searches, (uint64_t) tree->alive);
			sdc_box_tree_get(tree, point, coordinates);
			sdc_nearest_clear(&nearest, wanted);
			sdc_box_tree_nearest(tree, coordinates, &nearest);
			visit(point, &nearest, arg);
		}
	}
	host->release(host, nearest.item);
}

typedef struct Graph
{
	int degree;
	int32_t *neighbour;
} Graph;

static void
keep_neighbours(int32_t point, SdcNearest *nearest, void *arg)
{
	Graph *graph = arg;
	int32_t *to = graph->neighbour + (int64_t) point * graph->degree;
	int32_t count = nearest->count - 1; /* the point itself is not wanted */
	int i;

	for (i = graph->degree - 1; i >= count; i--)
		to[i] = -1;
	while (nearest->count > 0)
	{
		int32_t farthest = nearest->item[0].point;

		sdc_nearest_pop(nearest);
		if (farthest != point && count > 0)
			to[--count] = farthest;
	}
}

int32_t *
sdc_neighbour_graph(SdcHost *host, const SdcPoints *points, int degree)
{
	SdcBoxTree *tree = sdc_box_tree_create(host, points);
	Graph graph = {degree, NULL};
	int32_t point;

	graph.neighbour =
		sdc_new(host, int32_t, (size_t) points->distinct * (size_t) degree);

	/* Points are wanted here, not rows. */
	for (point = 0; point < points->distinct; point++)
		tree->weight[point] = 1;
	search_all(tree, degree + 1, keep_neighbours, &graph);
	sdc_box_tree_release(tree);
	return graph.neighbour;
}

typedef struct DistanceSums
{
	int64_t wanted;
	double *sum; /* per point */
} DistanceSums;

/* The row itself is among the nearest, at distance 0. */
static void
add_distances(int32_t point, SdcNearest *nearest, void *arg)
{
	DistanceSums *sums = arg;
	double sum = 0;
	int32_t i;

	for (i = 0; i < nearest->count; i++)
	{
		int64_t surplus = i == 0 ? nearest->rows - sums->wanted : 0;

		sum += nearest->item[i].distance *
			   (double) (nearest->item[i].weight - surplus);
	}
	sums->sum[point] = sum;
}

double
sdc_neighbour_distances(SdcHost *host, const SdcPoints *points, int wanted)
{
	SdcBoxTree *tree = sdc_box_tree_create(host, points);
	DistanceSums sums = {wanted, NULL};
	double total = 0;
	int32_t point;

	sums.sum = sdc_new(host, double, (size_t) points->distinct);
	search_all(tree, wanted, add_distances, &sums);
	for (point = 0; point < points->distinct; point++)
		total += sums.sum[point] *
				 (points->first[point + 1] - points->first[point]);
	host->release(host, sums.sum);
	sdc_box_tree_release(tree);
	return total;
}
