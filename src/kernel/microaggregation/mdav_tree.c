/*
 * mdav_tree.c
 *		MDAV by searches in a tree of boxes.
 *
 * The same groups as mdav_plain.c: every distance that decides is computed
 * from the same coordinates in the same order, the tree and the list of the
 * farthest points only spare distances that cannot decide.
 *
 * Equal rows are one point with a number of rows left.  They are as near and
 * as far as each other, so they are used up in ascending order and a count
 * is enough to know which are free.
 *
 * Where boxes exclude little, as in many unrelated columns, searching them is
 * dearer than passing over all rows; then the rest is left to mdav_plain.c,
 * which goes on with the same free rows to the same groups.
 */
#include "kernel/microaggregation/mdav.h"

#include "kernel/geometry/box_tree.h"
#include "kernel/geometry/centroid.h"
#include "kernel/geometry/norm_shell.h"
#include "kernel/base/part_host.h"

/* Leaves searched between two polls: some milliseconds. */
#define POLL_VISITS 4096

/* Rounds (two groups) between looks at what the searches cost. */
#define ROUNDS 64

/* Searching a leaf takes as long as passing over this many rows (measured). */
#define ROWS_PER_VISIT 12

typedef struct Mdav
{
	SdcHost *host;
	const SdcPoints *points;
	SdcBoxTree *tree;
	SdcNormShell shell;
	SdcCentroid centroid;
	SdcNearest nearest;
	int32_t free; /* rows */
	int32_t *group;
	int32_t groups;
	uint64_t polled; /* tree->visits at the last poll */
	int rounds;      /* since the last look */
	uint64_t looked; /* tree->visits then */
} Mdav;

static void
start(Mdav *mdav, SdcHost *host, const SdcPoints *points, int k)
{
	double coordinates[SDC_MAX_COLUMNS];
	int32_t point;

	mdav->host = host;
	mdav->points = points;
	mdav->tree = sdc_box_tree_create(host, points);
	sdc_norm_shell_create(&mdav->shell, mdav->tree);
	sdc_nearest_create(host, &mdav->nearest, k);
	mdav->free = points->rows;
	mdav->groups = 0;
	mdav->polled = mdav->looked = 0;
	mdav->rounds = 0;
	sdc_centroid_clear(&mdav->centroid, points->columns);
	for (point = 0; point < points->distinct; point++)
	{
		if (point % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		sdc_points_get(points, points->first[point], coordinates);
		sdc_centroid_add(&mdav->centroid, coordinates,
						 mdav->tree->weight[point]);
	}
}

static void
release(Mdav *mdav)
{
	mdav->host->release(mdav->host, mdav->nearest.item);
	sdc_norm_shell_release(&mdav->shell);
	sdc_box_tree_release(mdav->tree);
}

/* Gives the next rows of a point to the group that is forming. */
static void
take_rows(Mdav *mdav, int32_t point, int32_t count)
{
	SdcBoxTree *tree = mdav->tree;
	int32_t row = mdav->points->first[point + 1] - tree->weight[point];
	double coordinates[SDC_MAX_COLUMNS];
	int32_t i;

	for (i = 0; i < count; i++)
		mdav->group[row + i] = mdav->groups;
	mdav->free -= count;
	sdc_box_tree_get(tree, point, coordinates);
	sdc_centroid_add(&mdav->centroid, coordinates, -count);
	tree->weight[point] -= count;
	if (tree->weight[point] > 0)
		return;
	sdc_norm_shell_remove(&mdav->shell, point);
	sdc_box_tree_remove(tree, point);
}

/* Forms the group of a point and its nearest, k rows in all. */
static void
form_group(Mdav *mdav, const double *point, int k)
{
	SdcNearest *nearest = &mdav->nearest;
	int32_t surplus;
	int32_t i;

	sdc_nearest_clear(nearest, k);
	sdc_box_tree_nearest(mdav->tree, point, nearest);

	/* Only the farthest of the points can have more rows than are wanted. */
	surplus = (int32_t) (nearest->rows - k);
	for (i = 0; i < nearest->count; i++)
		take_rows(mdav, nearest->item[i].point,
				  nearest->item[i].weight - (i == 0 ? surplus : 0));
	mdav->groups++;
	if (mdav->tree->visits - mdav->polled > POLL_VISITS)
	{
		mdav->polled = mdav->tree->visits;
		mdav->host->poll(mdav->host,
						 (uint64_t) (mdav->points->rows - mdav->free),
						 (uint64_t) mdav->points->rows);
	}
}

/* Finds the point farthest from the mean of the free rows. */
static void
farthest_from_mean(Mdav *mdav, double *mean, double *coordinates)
{
	sdc_centroid_mean(&mdav->centroid, mean);
	sdc_box_tree_get(mdav->tree, sdc_norm_shell_farthest(&mdav->shell, mean),
					 coordinates);
}

/* The group around r, then the group around the point farthest from r. */
static void
form_two_groups(Mdav *mdav, int k)
{
	double mean[SDC_MAX_COLUMNS];
	double r[SDC_MAX_COLUMNS];
	double s[SDC_MAX_COLUMNS];

	farthest_from_mean(mdav, mean, r);
	form_group(mdav, r, k);
	sdc_box_tree_get(mdav->tree, sdc_box_tree_farthest(mdav->tree, r, mean),
					 s);
	form_group(mdav, s, k);
	sdc_box_tree_rebuild(mdav->tree);
}

/* Would passes over all rows have been faster lately? */
static bool
is_dear(Mdav *mdav)
{
	double visits = (double) (mdav->tree->visits - mdav->looked);

	if (++mdav->rounds < ROUNDS)
		return false;
	mdav->rounds = 0;
	mdav->looked = mdav->tree->visits;
	return visits * ROWS_PER_VISIT > (double) ROUNDS * mdav->free;
}

/* Forms the remaining groups by passes over all free rows. */
static void
finish_plain(Mdav *mdav, int k)
{
	SdcHost *host = mdav->host;
	const SdcPoints *points = mdav->points;
	int32_t *row = sdc_new(host, int32_t, (size_t) mdav->free);
	int32_t *group = sdc_new(host, int32_t, (size_t) mdav->free);
	SdcPoints *rest;
	SdcPartHost part;
	int32_t count = 0;
	int32_t point;
	int32_t groups;
	int32_t i;

	for (point = 0; point < points->distinct; point++)
		for (i = mdav->tree->weight[point]; i > 0; i--)
			row[count++] = points->first[point + 1] - i;
	rest = sdc_points_subset(host, points, row, count);
	sdc_part_host_start(&part, host, (uint64_t) (points->rows - count),
						(uint64_t) points->rows);
	groups = sdc_mdav_plain(&part.host, rest, k, group);
	for (i = 0; i < count; i++)
		mdav->group[row[i]] = mdav->groups + group[i];
	mdav->groups += groups;
	mdav->free = 0;
	host->release(host, row);
	host->release(host, group);
	sdc_points_release(host, rest);
}

/* Forms the last group and, with 2k rows or more, one before. */
static void
finish_tree(Mdav *mdav, int k)
{
	int32_t point;

	if (mdav->free / 2 >= k)
	{
		double mean[SDC_MAX_COLUMNS];
		double r[SDC_MAX_COLUMNS];

		farthest_from_mean(mdav, mean, r);
		form_group(mdav, r, k);
	}
	for (point = 0; point < mdav->points->distinct; point++)
		if (mdav->tree->weight[point] > 0)
			take_rows(mdav, point, mdav->tree->weight[point]);
	mdav->groups++;
}

int32_t
sdc_mdav_tree(SdcHost *host, const SdcPoints *points, int k, int32_t *group)
{
	bool dear = false;
	Mdav mdav;

	mdav.group = group;
	start(&mdav, host, points, k);
	while (mdav.free / 3 >= k && !dear)
	{
		form_two_groups(&mdav, k);
		dear = is_dear(&mdav);
	}
	if (dear)
		finish_plain(&mdav, k);
	else
		finish_tree(&mdav, k);
	release(&mdav);
	return mdav.groups;
}
