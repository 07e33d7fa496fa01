/*
 * mdav.c
 *		MDAV: which way of computing it is faster.
 *
 * Passes over all rows cost n^2 / k, the tree pays off from some thousands of
 * distinct points on.  Both ways give the same groups, so the choice cannot
 * be seen in the result.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/heap.h"
#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/sort.h"
#include "kernel/index/norm_shell.h"
#include "kernel/index/point_index.h"
#include "kernel/index/points.h"
#include "kernel/linear/moments.h"
#include "kernel/microaggregation/mdav.h"

/* ----------------------------------------------------------------------
 * MDAV on columns that mix numbers and categories.
 *
 * The plain algorithm: per two groups the centre of the rows that are left,
 * the row farthest from it, that row's nearest k - 1, the row farthest from
 * it, and that row's nearest k - 1.  Rows that are left stay in canonical
 * order, so every sum and every tie is settled by the values alone.
 * ----------------------------------------------------------------------
 */

typedef struct Mixed
{
	SdcHost *host;
	int columns;
	const bool *category;
	double *value[SDC_MAX_COLUMNS]; /* rows left, in canonical order */
	double half_range[SDC_MAX_COLUMNS];
	int32_t *level_count[SDC_MAX_COLUMNS];
	int32_t levels[SDC_MAX_COLUMNS];
	int32_t *row; /* canonical number of the rows left */
	int32_t left;
	int32_t total;
	double *distance;
	int32_t *heap; /* places of the nearest rows so far, farthest on top */
	bool *leaves;
} Mixed;

/* Copies the rows in canonical order and measures the columns. */
static void
gower_start(Mixed *mixed, SdcHost *host, const SdcMatrix *rows,
			const bool *category, int32_t k, const int32_t *order)
{
	int32_t n = (int32_t) rows->rows;
	int32_t i;
	int j;

	mixed->host = host;
	mixed->columns = rows->columns;
	mixed->category = category;
	mixed->left = mixed->total = n;
	mixed->row = sdc_new(host, int32_t, n);
	mixed->distance = sdc_new(host, double, n);
	mixed->heap = sdc_new(host, int32_t, k);
	mixed->leaves = sdc_new(host, bool, n);
	memset(mixed->leaves, 0, n * sizeof(bool));
	for (i = 0; i < n; i++)
		mixed->row[i] = i;
	for (j = 0; j < rows->columns; j++)
	{
		double low = INFINITY;
		double high = -INFINITY;

		mixed->value[j] = sdc_new(host, double, n);
		for (i = 0; i < n; i++)
		{
			double x = rows->column[j][order[i]];

			mixed->value[j][i] = x;
			low = x < low ? x : low;
			high = x > high ? x : high;
		}
		mixed->half_range[j] = high / 2 - low / 2;
		mixed->levels[j] = category[j] ? (int32_t) high + 1 : 0;
		mixed->level_count[j] = sdc_new(host, int32_t, mixed->levels[j]);
	}
}

static double
most_frequent(Mixed *mixed, int column)
{
	int32_t *count = mixed->level_count[column];
	int32_t best = 0;
	int32_t i;

	memset(count, 0, mixed->levels[column] * sizeof(int32_t));
	for (i = 0; i < mixed->left; i++)
		count[(int32_t) mixed->value[column][i]]++;
	for (i = 1; i < mixed->levels[column]; i++)
		if (count[i] > count[best])
			best = i;
	return best;
}

/* The mean of the rows left, around the first so that nothing overflows. */
static double
mean(const Mixed *mixed, int column)
{
	const double *value = mixed->value[column];
	double sum = 0;
	int32_t i;

	for (i = 0; i < mixed->left; i++)
		sum += value[i] / 2 - value[0] / 2;
	return value[0] + 2 * (sum / mixed->left);
}

static void
centre_of(Mixed *mixed, double *centre)
{
	int j;

	for (j = 0; j < mixed->columns; j++)
		centre[j] =
			mixed->category[j] ? most_frequent(mixed, j) : mean(mixed, j);
}

/* Distances of all rows left from a point. */
static void
measure(Mixed *mixed, const double *point)
{
	double *distance = mixed->distance;
	int32_t i;
	int j;

	for (i = 0; i < mixed->left; i++)
		distance[i] = 0;
	for (j = 0; j < mixed->columns; j++)
	{
		const double *value = mixed->value[j];
		double range = mixed->half_range[j];

		if (mixed->category[j])
			for (i = 0; i < mixed->left; i++)
				distance[i] += value[i] != point[j];
		else if (range > 0)
			for (i = 0; i < mixed->left; i++)
				distance[i] += fabs(value[i] / 2 - point[j] / 2) / range;
	}
	mixed->host->poll(mixed->host, mixed->total - mixed->left, mixed->total);
}

static int32_t
farthest(const Mixed *mixed)
{
	const double *distance = mixed->distance;
	int32_t best = 0;
	int32_t i;

	for (i = 1; i < mixed->left; i++)
		if (distance[i] > distance[best])
			best = i;
	return best;
}

static void
point_of(const Mixed *mixed, int32_t place, double *point)
{
	int j;

	for (j = 0; j < mixed->columns; j++)
		point[j] = mixed->value[j][place];
}

/* Takes the rows that leave out, keeping the order of the others. */
static void
compact(Mixed *mixed)
{
	int32_t kept = 0;
	int32_t i;
	int j;

	for (i = 0; i < mixed->left; i++)
	{
		if (mixed->leaves[i])
		{
			mixed->leaves[i] = false;
			continue;
		}
		mixed->row[kept] = mixed->row[i];
		for (j = 0; j < mixed->columns; j++)
			mixed->value[j][kept] = mixed->value[j][i];
		kept++;
	}
	mixed->left = kept;
}

/* Is one place farther than another?  Of equal ones the later row is. */
static inline bool
is_farther(const Mixed *mixed, int32_t a, int32_t b)
{
	double x = mixed->distance[a];
	double y = mixed->distance[b];

	return x > y || (x == y && a > b);
}

/* The farthest place is the first. */
SDC_HEAP(places, int32_t, const Mixed *, is_farther)

/* Groups the k rows nearest to a point; distances must be those from it. */
static void
take_nearest(Mixed *mixed, int32_t k, int32_t group_number, int32_t *group)
{
	int32_t *heap = mixed->heap;
	int32_t i;

	for (i = 0; i < k; i++)
		heap[i] = i;
	places_make(mixed, heap, k);
	for (i = k; i < mixed->left; i++)
		if (is_farther(mixed, heap[0], i))
			places_down(mixed, heap, (size_t) k, 0, i);
	for (i = 0; i < k; i++)
	{
		group[mixed->row[heap[i]]] = group_number;
		mixed->leaves[heap[i]] = true;
	}
	compact(mixed);
}

/* One group around the row farthest from a point, which it becomes. */
static void
group_farthest(Mixed *mixed, double *point, int32_t k, int32_t group_number,
			   int32_t *group)
{
	measure(mixed, point);
	point_of(mixed, farthest(mixed), point);
	measure(mixed, point);
	take_nearest(mixed, k, group_number, group);
}

int32_t
sdc_mdav_gower_group(SdcHost *host, const SdcMatrix *rows,
					 const bool *category, int32_t k, int32_t *group)
{
	int32_t *order = sdc_sort_matrix(host, rows);
	int32_t *ordered = sdc_new(host, int32_t, rows->rows);
	double point[SDC_MAX_COLUMNS];
	int32_t groups = 0;
	Mixed mixed;
	int32_t i;

	gower_start(&mixed, host, rows, category, k, order);
	host->stage(host, "grouping");
	while (mixed.left >= 3 * (int64_t) k)
	{
		centre_of(&mixed, point);
		group_farthest(&mixed, point, k, groups++, ordered);
		group_farthest(&mixed, point, k, groups++, ordered);
	}
	if (mixed.left >= 2 * (int64_t) k)
	{
		centre_of(&mixed, point);
		group_farthest(&mixed, point, k, groups++, ordered);
	}
	for (i = 0; i < mixed.left; i++)
		ordered[mixed.row[i]] = groups;
	groups += mixed.left > 0;
	for (i = 0; i < (int32_t) rows->rows; i++)
		group[order[i]] = ordered[i];
	return groups;
}

/* ----------------------------------------------------------------------
 * MDAV by passes over all free rows.
 *
 * The free rows are kept together at the front of one array per column; a row
 * that gets its group is overwritten by the last free one.  A pass computes
 * distances for blocks of rows with vector instructions, together with a
 * lower and an upper bound of the block; rows are looked at one by one only
 * if the block can hold a nearer or a farther one.  The row farthest from r
 * is found in the same pass as the group of r, and sought again only if it
 * joined that group.
 * ----------------------------------------------------------------------
 */

#define BLOCK_ROWS 256
#define LANES      8

/* Distances computed between two polls. */
#define POLL_DISTANCES (1 << 22)

/* Squared distances of a block of rows to a point, and their bounds. */
typedef struct Block
{
	double distance[BLOCK_ROWS];
	double least;
	double most;
} Block;

typedef void (*BlockDistances)(const double *value, size_t stride,
							   const double *point, int columns, Block *block);

typedef struct Plain
{
	SdcHost *host;
	int columns;
	size_t stride;  /* room per column, a multiple of BLOCK_ROWS */
	double *value;  /* value[j * stride + place] */
	int32_t *row;   /* canonical row at a place */
	int32_t *place; /* place of a row, -1 when it has its group */
	int32_t free;   /* places in use */
	int32_t total;
	int64_t work; /* distances since the last poll */
	BlockDistances distances;
	SdcCentroid centroid;
	SdcNearest nearest;
	int32_t *group;
	int32_t groups;
} Plain;

/* Adds the squared differences of count columns; 0 before the first. */
static inline __attribute__((always_inline)) void
add_columns(const double *restrict value, size_t stride,
			const double *restrict point, int count, bool first,
			double *restrict distance)
{
	int i;
	int j;

	for (i = 0; i < BLOCK_ROWS; i++)
	{
		double sum = first ? 0 : distance[i];

		for (j = 0; j < count; j++)
		{
			double difference = value[(size_t) j * stride + i] - point[j];

			sum += difference * difference;
		}
		distance[i] = sum;
	}
}

/* The least and the greatest distance of a block. */
static inline __attribute__((always_inline)) void
bound_block(Block *block)
{
	double least[LANES];
	double most[LANES];
	int i;
	int j;

	for (j = 0; j < LANES; j++)
		least[j] = most[j] = block->distance[j];
	for (i = LANES; i < BLOCK_ROWS; i += LANES)
		for (j = 0; j < LANES; j++)
		{
			double distance = block->distance[i + j];

			least[j] = distance < least[j] ? distance : least[j];
			most[j] = distance > most[j] ? distance : most[j];
		}
	block->least = least[0];
	block->most = most[0];
	for (j = 1; j < LANES; j++)
	{
		block->least = least[j] < block->least ? least[j] : block->least;
		block->most = most[j] > block->most ? most[j] : block->most;
	}
}

/* One function per small number of columns, so that its loop unrolls. */
#define BLOCK_DISTANCES(name, count)                                     \
	SDC_CLONES static void name(const double *value, size_t stride,      \
								const double *point, int columns,        \
								Block *block)                            \
	{                                                                    \
		(void) columns;                                                  \
		add_columns(value, stride, point, count, true, block->distance); \
		bound_block(block);                                              \
	}

BLOCK_DISTANCES(block_distances_1, 1)
BLOCK_DISTANCES(block_distances_2, 2)
BLOCK_DISTANCES(block_distances_3, 3)
BLOCK_DISTANCES(block_distances_4, 4)
BLOCK_DISTANCES(block_distances_5, 5)
BLOCK_DISTANCES(block_distances_6, 6)
BLOCK_DISTANCES(block_distances_7, 7)
BLOCK_DISTANCES(block_distances_8, 8)
BLOCK_DISTANCES(block_distances_9, 9)
BLOCK_DISTANCES(block_distances_10, 10)
BLOCK_DISTANCES(block_distances_11, 11)
BLOCK_DISTANCES(block_distances_12, 12)
BLOCK_DISTANCES(block_distances_13, 13)
BLOCK_DISTANCES(block_distances_14, 14)

/* Any number of columns, four at a time. */
SDC_CLONES static void
block_distances_any(const double *value, size_t stride, const double *point,
					int columns, Block *block)
{
	int j = 0;

	memset(block->distance, 0, sizeof(block->distance));
	for (; j + 4 <= columns; j += 4)
		add_columns(value + (size_t) j * stride, stride, point + j, 4, false,
					block->distance);
	for (; j < columns; j++)
		add_columns(value + (size_t) j * stride, stride, point + j, 1, false,
					block->distance);
	bound_block(block);
}

static const BlockDistances distances_for[] = {
	block_distances_any, block_distances_1,  block_distances_2,
	block_distances_3,   block_distances_4,  block_distances_5,
	block_distances_6,   block_distances_7,  block_distances_8,
	block_distances_9,   block_distances_10, block_distances_11,
	block_distances_12,  block_distances_13, block_distances_14};

#define MOST_COLUMNS (sizeof(distances_for) / sizeof(distances_for[0]) - 1)

static void
plain_start(Plain *plain, SdcHost *host, const SdcPoints *points, int k)
{
	double coordinates[SDC_MAX_COLUMNS];
	size_t rows = (size_t) points->rows;
	int32_t row;
	int j;

	plain->host = host;
	plain->columns = points->columns;
	plain->stride = (rows + BLOCK_ROWS - 1) / BLOCK_ROWS * BLOCK_ROWS;
	plain->value =
		sdc_new(host, double, plain->stride *(size_t) points->columns);
	plain->row = sdc_new(host, int32_t, rows);
	plain->place = sdc_new(host, int32_t, rows);
	plain->free = plain->total = points->rows;
	plain->work = 0;
	plain->distances = points->columns <= (int) MOST_COLUMNS
						   ? distances_for[points->columns]
						   : block_distances_any;
	sdc_nearest_create(host, &plain->nearest, k);
	for (j = 0; j < points->columns; j++)
	{
		double *value = plain->value + (size_t) j * plain->stride;

		host->poll(host, 0, 0);
		memcpy(value, points->column[j], rows * sizeof(*value));
		memset(value + rows, 0, (plain->stride - rows) * sizeof(*value));
	}
	sdc_centroid_clear(&plain->centroid, points->columns);
	for (row = 0; row < points->rows; row++)
	{
		if (row % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		plain->row[row] = plain->place[row] = row;
		sdc_points_get(points, row, coordinates);
		sdc_centroid_add(&plain->centroid, coordinates, 1);
	}
}

static void
finish(Plain *plain)
{
	plain->host->release(plain->host, plain->value);
	plain->host->release(plain->host, plain->row);
	plain->host->release(plain->host, plain->place);
	plain->host->release(plain->host, plain->nearest.item);
}

static void
coordinates_at(const Plain *plain, int32_t place, double *coordinates)
{
	int j;

	for (j = 0; j < plain->columns; j++)
		coordinates[j] = plain->value[(size_t) j * plain->stride + place];
}

static void
poll_after(Plain *plain, int32_t distances)
{
	plain->work += (int64_t) distances * plain->columns;
	if (plain->work < POLL_DISTANCES)
		return;
	plain->work = 0;
	plain->host->poll(plain->host, (uint64_t) (plain->total - plain->free),
					  (uint64_t) plain->total);
}

/* Offers the rows of a block to the group that is forming. */
static void
offer_block(Plain *plain, const Block *block, int32_t plain_start,
			int32_t count)
{
	SdcNearest *nearest = &plain->nearest;
	int32_t i;

	for (i = 0; i < count; i++)
		if (block->distance[i] <= nearest->threshold)
			sdc_nearest_offer(nearest, block->distance[i],
							  plain->row[plain_start + i], 1);
}

/*
 * One pass over the free rows: returns the row farthest from the point and,
 * if k > 0, leaves the k nearest in plain->nearest.
 */
static int32_t
pass(Plain *plain, const double *point, int k)
{
	Block block;
	double farthest_distance = -1;
	int32_t farthest = -1;
	int32_t plain_start;

	sdc_nearest_clear(&plain->nearest, k);
	for (plain_start = 0; plain_start < plain->free; plain_start += BLOCK_ROWS)
	{
		int32_t count = plain->free - plain_start;
		int32_t i;

		count = count < BLOCK_ROWS ? count : BLOCK_ROWS;
		plain->distances(plain->value + plain_start, plain->stride, point,
						 plain->columns, &block);
		if (k > 0 && block.least <= plain->nearest.threshold)
			offer_block(plain, &block, plain_start, count);
		poll_after(plain, count);
		if (block.most < farthest_distance)
			continue;
		for (i = 0; i < count; i++)
			if (block.distance[i] > farthest_distance ||
				(block.distance[i] == farthest_distance &&
				 plain->row[plain_start + i] < farthest))
			{
				farthest_distance = block.distance[i];
				farthest = plain->row[plain_start + i];
			}
	}
	return farthest;
}

/* The last free row takes the place of the one that leaves. */
static void
remove_row(Plain *plain, int32_t row)
{
	double coordinates[SDC_MAX_COLUMNS];
	int32_t place = plain->place[row];
	int32_t last = --plain->free;
	int j;

	coordinates_at(plain, place, coordinates);
	sdc_centroid_add(&plain->centroid, coordinates, -1);
	for (j = 0; j < plain->columns; j++)
	{
		double *value = plain->value + (size_t) j * plain->stride;

		value[place] = value[last];
	}
	plain->row[place] = plain->row[last];
	plain->place[plain->row[place]] = place;
	plain->place[row] = -1;
}

/* Makes a group of the rows in plain->nearest. */
static void
plain_form_group(Plain *plain)
{
	int32_t i;

	for (i = 0; i < plain->nearest.count; i++)
	{
		int32_t row = plain->nearest.item[i].point;

		plain->group[row] = plain->groups;
		remove_row(plain, row);
	}
	plain->groups++;
}

/* Copies the coordinates of the free row farthest from the mean. */
static void
plain_farthest_from_mean(Plain *plain, double *coordinates)
{
	double mean[SDC_MAX_COLUMNS];
	int32_t row;

	sdc_centroid_mean(&plain->centroid, mean);
	row = pass(plain, mean, 0);
	coordinates_at(plain, plain->place[row], coordinates);
}

/* The group around r, then the group around the row farthest from r. */
static void
plain_form_two_groups(Plain *plain, int k)
{
	double r[SDC_MAX_COLUMNS];
	double s[SDC_MAX_COLUMNS];
	int32_t farthest;

	plain_farthest_from_mean(plain, r);
	farthest = pass(plain, r, k);
	plain_form_group(plain);
	if (plain->place[farthest] < 0)
		farthest = pass(plain, r, 0);
	coordinates_at(plain, plain->place[farthest], s);
	pass(plain, s, k);
	plain_form_group(plain);
}

/* Passes over all free rows; O(rows^2 / k columns), few bytes per row. */
static int32_t
sdc_mdav_plain(SdcHost *host, const SdcPoints *points, int k, int32_t *group)
{
	Plain plain;
	int32_t place;

	plain_start(&plain, host, points, k);
	plain.group = group;
	plain.groups = 0;
	while (plain.free / 3 >= k)
		plain_form_two_groups(&plain, k);
	if (plain.free / 2 >= k)
	{
		double r[SDC_MAX_COLUMNS];

		plain_farthest_from_mean(&plain, r);
		pass(&plain, r, k);
		plain_form_group(&plain);
	}
	for (place = 0; place < plain.free; place++)
		group[plain.row[place]] = plain.groups;
	plain.groups += plain.free > 0;
	finish(&plain);
	return plain.groups;
}

/* ----------------------------------------------------------------------
 * MDAV by searches in a tree of boxes.
 *
 * The same groups as by passes over all rows: every distance that decides is
 * computed from the same coordinates in the same order, the tree and the list
 * of the farthest points only spare distances that cannot decide.
 *
 * Equal rows are one point with a number of rows left.  They are as near and
 * as far as each other, so they are used up in ascending order and a count
 * is enough to know which are free.
 *
 * Where boxes exclude little, as in many unrelated columns, searching them is
 * dearer than passing over all rows; then the rest is left to such passes,
 * which go on with the same free rows to the same groups.
 * ----------------------------------------------------------------------
 */

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
	SdcPointIndex *tree;
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
	mdav->tree = sdc_point_index_create(host, points);
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
	sdc_point_index_release(mdav->tree);
}

/* Gives the next rows of a point to the group that is forming. */
static void
take_rows(Mdav *mdav, int32_t point, int32_t count)
{
	SdcPointIndex *tree = mdav->tree;
	int32_t row = mdav->points->first[point + 1] - tree->weight[point];
	double coordinates[SDC_MAX_COLUMNS];
	int32_t i;

	for (i = 0; i < count; i++)
		mdav->group[row + i] = mdav->groups;
	mdav->free -= count;
	sdc_point_index_get(tree, point, coordinates);
	sdc_centroid_add(&mdav->centroid, coordinates, -count);
	tree->weight[point] -= count;
	if (tree->weight[point] > 0)
		return;
	sdc_norm_shell_remove(&mdav->shell, point);
	sdc_point_index_remove(tree, point);
}

/* Forms the group of a point and its nearest, k rows in all. */
static void
form_group(Mdav *mdav, const double *point, int k)
{
	SdcNearest *nearest = &mdav->nearest;
	int32_t surplus;
	int32_t i;

	sdc_nearest_clear(nearest, k);
	sdc_point_index_nearest(mdav->tree, NULL, point, nearest);

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
	sdc_point_index_get(
		mdav->tree, sdc_norm_shell_farthest(&mdav->shell, mean), coordinates);
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
	sdc_point_index_get(mdav->tree,
						sdc_point_index_farthest(mdav->tree, r, mean), s);
	form_group(mdav, s, k);
	sdc_point_index_rebuild(mdav->tree);
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

/* Searches a tree of boxes that shrinks; about rows^1.3 at 4 columns. */
static int32_t
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

/* ----------------------------------------------------------------------
 * MDAV: which way of computing it is faster.
 * ----------------------------------------------------------------------
 */

/* Below, passes over all rows are as fast as the tree (measured). */
#define TREE_POINTS 4000

/* Distances that passes may cost at most when distinct points are few. */
#define PLAIN_DISTANCES 10000000

int32_t
sdc_mdav(SdcHost *host, const SdcPoints *points, int k, int32_t *group)
{
	double passes = (double) points->rows * points->rows / k;

	if (points->distinct < TREE_POINTS && passes < PLAIN_DISTANCES)
		return sdc_mdav_plain(host, points, k, group);
	return sdc_mdav_tree(host, points, k, group);
}

/* ----------------------------------------------------------------------
 * MDAV inside the blocks of a k-d tree.
 *
 * The rows of a block are always kept in canonical order, so the groups of a
 * block do not depend on how the halving went about it: a stable pass sends
 * rows below the median to the lower half, and of the rows at the median as
 * many of the first as are needed to fill it.
 * ----------------------------------------------------------------------
 */

typedef struct Blocks
{
	SdcHost *host;
	const SdcPoints *points;
	int k;
	int32_t most_rows;
	int32_t *row;   /* canonical rows, those of a block together, ascending */
	int32_t *spare; /* scratch as long as row */
	double *value;  /* scratch as long as row */
	int32_t done;   /* rows grouped */
	int32_t *group;
	int32_t groups;
} Blocks;

static void
poll_block(const Blocks *blocks)
{
	blocks->host->poll(blocks->host, (uint64_t) blocks->done,
					   (uint64_t) blocks->points->rows);
}

/* Variance, times the number of rows, of a column within a block. */
static double
block_variance(const Blocks *blocks, const int32_t *row, int32_t n,
			   const double *column)
{
	double origin = column[row[0]];
	double sum = 0;
	double squares = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		double value = column[row[i]] - origin;

		if (i % SDC_POLL_STEPS == 0)
			poll_block(blocks);
		sum += value;
		squares += value * value;
	}
	return squares - sum * sum / n;
}

static int
choose_column(const Blocks *blocks, const int32_t *row, int32_t n)
{
	double greatest = -1;
	int chosen = 0;
	int j;

	for (j = 0; j < blocks->points->columns; j++)
	{
		double variance =
			block_variance(blocks, row, n, blocks->points->column[j]);

		if (variance > greatest)
		{
			greatest = variance;
			chosen = j;
		}
	}
	return chosen;
}

/*
 * The value at a rank (from 0) among n values, and how many are smaller.
 * Partitions value[] around pivots from scattered places.
 */
static double
value_at_rank(const Blocks *blocks, double *value, int32_t n, int32_t rank)
{
	int32_t first = 0;
	int32_t last = n - 1;
	uint32_t scatter = 1;

	while (first < last)
	{
		double pivot;
		int32_t i = first;
		int32_t j = last;

		poll_block(blocks);
		scatter = scatter * 1664525u + 1013904223u;
		pivot = value[first + (int32_t) (((uint64_t) scatter *
										  (uint32_t) (last - first + 1)) >>
										 32)];
		while (i <= j)
		{
			while (value[i] < pivot)
				i++;
			while (value[j] > pivot)
				j--;
			if (i <= j)
			{
				double kept = value[i];

				value[i++] = value[j];
				value[j--] = kept;
			}
		}
		if (rank <= j)
			last = j;
		else if (rank >= i)
			first = i;
		else
			break;
	}
	return value[rank];
}

/* Puts the lower half of the rows before the upper one, each ascending. */
static void
halve(const Blocks *blocks, int32_t *row, int32_t n, int32_t lower)
{
	const double *column =
		blocks->points->column[choose_column(blocks, row, n)];
	int32_t equal = lower;
	int32_t low = 0;
	int32_t high = 0;
	double median;
	int32_t i;

	for (i = 0; i < n; i++)
		blocks->value[i] = column[row[i]];
	median = value_at_rank(blocks, blocks->value, n, lower - 1);
	for (i = 0; i < n; i++)
		equal -= column[row[i]] < median;
	poll_block(blocks);
	for (i = 0; i < n; i++)
	{
		double value = column[row[i]];

		if (value < median || (value == median && equal-- > 0))
			row[low++] = row[i];
		else
			blocks->spare[high++] = row[i];
	}
	memcpy(row + low, blocks->spare, (size_t) high * sizeof(*row));
}

static void
group_block(Blocks *blocks, const int32_t *row, int32_t n)
{
	SdcHost *host = blocks->host;
	SdcPoints *block = sdc_points_subset(host, blocks->points, row, n);
	int32_t *group = sdc_new(host, int32_t, (size_t) n);
	SdcPartHost part;
	int32_t groups;
	int32_t i;

	sdc_part_host_start(&part, host, (uint64_t) blocks->done,
						(uint64_t) blocks->points->rows);
	groups = sdc_mdav(&part.host, block, blocks->k, group);
	for (i = 0; i < n; i++)
		blocks->group[row[i]] = blocks->groups + group[i];
	blocks->groups += groups;
	blocks->done += n;
	host->release(host, group);
	sdc_points_release(host, block);
	poll_block(blocks);
}

/* Recursion halves n, so it is at most 31 deep. */
static void
group_rows(Blocks *blocks, int32_t *row, int32_t n)
{
	int32_t lower = n / 2 / blocks->k * blocks->k;

	if (n <= blocks->most_rows || lower == 0)
	{
		group_block(blocks, row, n);
		return;
	}
	halve(blocks, row, n, lower);
	group_rows(blocks, row, lower);
	group_rows(blocks, row + lower, n - lower);
}

int32_t
sdc_blocks_group(SdcHost *host, const SdcPoints *points, int k,
				 int32_t most_rows, int32_t *group)
{
	size_t n = (size_t) points->rows;
	Blocks blocks = {host, points, k, most_rows, NULL,
					 NULL, NULL,   0, group,     0};
	size_t i;

	if (points->rows <= most_rows)
		return sdc_mdav(host, points, k, group);
	blocks.row = sdc_new(host, int32_t, n);
	blocks.spare = sdc_new(host, int32_t, n);
	blocks.value = sdc_new(host, double, n);
	for (i = 0; i < n; i++)
		blocks.row[i] = (int32_t) i;
	group_rows(&blocks, blocks.row, points->rows);
	host->release(host, blocks.row);
	host->release(host, blocks.spare);
	host->release(host, blocks.value);
	return blocks.groups;
}
