/*
 * vmdav.c
 *		V-MDAV: MDAV with groups of variable size.
 *
 * The mean stays, so the order in which groups start is known beforehand.
 * Every member of the forming group remembers its nearest free row; that is
 * sought again only when the row is taken.  Equal rows are one point with a
 * number of rows left, as in the tree of mdav.c.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/sort.h"
#include "kernel/index/point_index.h"
#include "kernel/index/nearest.h"
#include "kernel/index/points.h"
#include "kernel/linear/centroid.h"
#include "kernel/microaggregation/vmdav.h"

/* Leaves searched between two polls. */
#define POLL_VISITS 4096

/* A point in the group that is forming, and its nearest free point. */
typedef struct Member
{
	int32_t point;
	int32_t neighbour; /* -1: to be sought */
	double distance;
} Member;

typedef struct Vmdav
{
	SdcHost *host;
	const SdcPoints *points;
	SdcPointIndex *tree;
	SdcNearest nearest;
	int32_t *order; /* points, farthest from the mean first */
	Member *member;
	int32_t members;
	int32_t free; /* rows */
	int32_t *group;
	int32_t groups;
	uint64_t polled; /* tree->visits at the last poll */
} Vmdav;

static void
point_get(const SdcPoints *points, int32_t point, double *coordinates)
{
	sdc_points_get(points, points->first[point], coordinates);
}

static double
squared_distance(const double *a, const double *b, int columns)
{
	double sum = 0;
	int j;

	for (j = 0; j < columns; j++)
		sum += (a[j] - b[j]) * (a[j] - b[j]);
	return sum;
}

/* The points from the farthest from the mean of all rows to the nearest. */
static int32_t *
order_points(SdcHost *host, const SdcPoints *points)
{
	size_t n = (size_t) points->distinct;
	uint64_t *key = sdc_new(host, uint64_t, n);
	int32_t *order = sdc_new(host, int32_t, n);
	double coordinates[SDC_MAX_COLUMNS];
	double mean[SDC_MAX_COLUMNS];
	SdcCentroid centroid;
	int32_t point;

	sdc_centroid_clear(&centroid, points->columns);
	for (point = 0; point < points->distinct; point++)
	{
		if (point % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		point_get(points, point, coordinates);
		sdc_centroid_add(&centroid, coordinates,
						 points->first[point + 1] - points->first[point]);
	}
	sdc_centroid_mean(&centroid, mean);
	for (point = 0; point < points->distinct; point++)
	{
		if (point % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		point_get(points, point, coordinates);
		key[point] = ~sdc_sort_key(
			squared_distance(coordinates, mean, points->columns));
		order[point] = point;
	}
	sdc_sort_keys(host, key, order, n);
	host->release(host, key);
	return order;
}

/* Searches the nearest free rows of a point. */
static void
search(Vmdav *vmdav, int32_t point, int64_t rows)
{
	double coordinates[SDC_MAX_COLUMNS];

	point_get(vmdav->points, point, coordinates);
	sdc_nearest_clear(&vmdav->nearest, rows);
	sdc_point_index_nearest(vmdav->tree, NULL, coordinates, &vmdav->nearest);
	if (vmdav->tree->visits - vmdav->polled < POLL_VISITS)
		return;
	vmdav->polled = vmdav->tree->visits;
	vmdav->host->poll(vmdav->host,
					  (uint64_t) (vmdav->points->rows - vmdav->free),
					  (uint64_t) vmdav->points->rows);
}

/* Gives the next rows of a point to the group that is forming. */
static void
take_rows(Vmdav *vmdav, int32_t point, int32_t count)
{
	SdcPointIndex *tree = vmdav->tree;
	int32_t row = vmdav->points->first[point + 1] - tree->weight[point];
	Member *member = &vmdav->member[vmdav->members++];
	int32_t i;

	member->point = point;
	member->neighbour = -1;
	for (i = 0; i < count; i++)
		vmdav->group[row + i] = vmdav->groups;
	vmdav->free -= count;
	tree->weight[point] -= count;
	if (tree->weight[point] == 0)
		sdc_point_index_remove(tree, point);
}

/* Takes the k rows nearest to a point. */
static void
take_nearest(Vmdav *vmdav, int32_t point, int k)
{
	SdcNearest *nearest = &vmdav->nearest;
	int32_t surplus;
	int32_t i;

	search(vmdav, point, k);
	surplus = (int32_t) (nearest->rows - k);
	for (i = 0; i < nearest->count; i++)
		take_rows(vmdav, nearest->item[i].point,
				  nearest->item[i].weight - (i == 0 ? surplus : 0));
}

/* The free point nearest to any member. */
static const Member *
nearest_to_group(Vmdav *vmdav)
{
	const Member *best = NULL;
	int32_t i;

	for (i = 0; i < vmdav->members; i++)
	{
		Member *member = &vmdav->member[i];

		if (member->neighbour < 0 ||
			vmdav->tree->weight[member->neighbour] == 0)
		{
			search(vmdav, member->point, 1);
			member->neighbour = vmdav->nearest.item[0].point;
			member->distance = vmdav->nearest.item[0].distance;
		}
		if (best == NULL || member->distance < best->distance ||
			(member->distance == best->distance &&
			 member->neighbour < best->neighbour))
			best = member;
	}
	return best;
}

/* Lets near rows join; size is the number of rows of the group. */
static void
extend_group(Vmdav *vmdav, int32_t size, int k, double gamma)
{
	while (size < 2 * (int64_t) k - 1 && vmdav->free > 0)
	{
		Member best = *nearest_to_group(vmdav);
		double outside = INFINITY;

		/* The nearest of all is the row itself. */
		search(vmdav, best.neighbour, 2);
		if (vmdav->nearest.rows >= 2)
			outside = vmdav->nearest.item[0].distance;
		if (!(best.distance < gamma * gamma * outside))
			return;
		take_rows(vmdav, best.neighbour, 1);
		size++;
	}
}

/* Adds every grouped row to the mean of its group. */
static void
compute_means(const Vmdav *vmdav, double *mean)
{
	const SdcPoints *points = vmdav->points;
	int d = points->columns;
	int32_t *count = sdc_new(vmdav->host, int32_t, (size_t) vmdav->groups);
	int32_t row;
	int j;

	memset(count, 0, (size_t) vmdav->groups * sizeof(*count));
	memset(mean, 0, (size_t) vmdav->groups * (size_t) d * sizeof(*mean));
	for (row = 0; row < points->rows; row++)
	{
		int32_t own = vmdav->group[row];

		if (row % SDC_POLL_STEPS == 0)
			vmdav->host->poll(vmdav->host, 0, 0);
		if (own < 0)
			continue;
		count[own]++;
		for (j = 0; j < d; j++)
		{
			double *element = &mean[(size_t) own * (size_t) d + j];

			*element += (points->column[j][row] - *element) / count[own];
		}
	}
	vmdav->host->release(vmdav->host, count);
}

/* Puts the rows that are left into the groups with the nearest means. */
static void
place_leftovers(Vmdav *vmdav)
{
	size_t d = (size_t) vmdav->points->columns;
	double *mean = sdc_new(vmdav->host, double, (size_t) vmdav->groups *d);
	double coordinates[SDC_MAX_COLUMNS];
	int32_t row;
	int32_t i;

	compute_means(vmdav, mean);
	for (row = 0; row < vmdav->points->rows; row++)
	{
		double least = INFINITY;

		if (vmdav->group[row] >= 0)
			continue;
		vmdav->host->poll(vmdav->host, 0, 0);
		sdc_points_get(vmdav->points, row, coordinates);
		for (i = 0; i < vmdav->groups; i++)
		{
			double distance =
				squared_distance(coordinates, mean + (size_t) i * d, (int) d);

			if (distance < least)
			{
				least = distance;
				vmdav->group[row] = i;
			}
		}
	}
	vmdav->host->release(vmdav->host, mean);
}

int32_t
sdc_vmdav(SdcHost *host, const SdcPoints *points, int k, double gamma,
		  int32_t *group)
{
	Vmdav vmdav;
	int32_t next = 0;

	vmdav.host = host;
	vmdav.points = points;
	vmdav.order = order_points(host, points);
	vmdav.tree = sdc_point_index_create(host, points);
	sdc_nearest_create(host, &vmdav.nearest, k > 2 ? k : 2);
	vmdav.member = sdc_new(host, Member, 2 * (size_t) k);
	vmdav.free = points->rows;
	vmdav.group = group;
	vmdav.groups = 0;
	vmdav.polled = 0;
	memset(group, -1, (size_t) points->rows * sizeof(*group));
	while (vmdav.free >= k)
	{
		while (vmdav.tree->weight[vmdav.order[next]] == 0)
			next++;
		vmdav.members = 0;
		take_nearest(&vmdav, vmdav.order[next], k);
		extend_group(&vmdav, k, k, gamma);
		vmdav.groups++;
		sdc_point_index_rebuild(vmdav.tree);
	}
	if (vmdav.free > 0)
		place_leftovers(&vmdav);
	host->release(host, vmdav.member);
	host->release(host, vmdav.nearest.item);
	host->release(host, vmdav.order);
	sdc_point_index_release(vmdav.tree);
	return vmdav.groups;
}
