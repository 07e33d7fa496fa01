/*
 * mdav_plain.c
 *		MDAV by passes over all free rows.
 *
 * The free rows are kept together at the front of one array per column; a row
 * that gets its group is overwritten by the last free one.  A pass computes
 * distances for blocks of rows with vector instructions, together with a
 * lower and an upper bound of the block; rows are looked at one by one only
 * if the block can hold a nearer or a farther one.  The row farthest from r
 * is found in the same pass as the group of r, and sought again only if it
 * joined that group.
 */
#include "kernel/microaggregation/mdav.h"

#include "kernel/geometry/centroid.h"
#include "kernel/geometry/nearest.h"

#include <string.h>

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
start(Plain *plain, SdcHost *host, const SdcPoints *points, int k)
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
offer_block(Plain *plain, const Block *block, int32_t start, int32_t count)
{
	SdcNearest *nearest = &plain->nearest;
	int32_t i;

	for (i = 0; i < count; i++)
		if (block->distance[i] <= nearest->threshold)
			sdc_nearest_offer(nearest, block->distance[i],
							  plain->row[start + i], 1);
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
	int32_t start;

	sdc_nearest_clear(&plain->nearest, k);
	for (start = 0; start < plain->free; start += BLOCK_ROWS)
	{
		int32_t count = plain->free - start;
		int32_t i;

		count = count < BLOCK_ROWS ? count : BLOCK_ROWS;
		plain->distances(plain->value + start, plain->stride, point,
						 plain->columns, &block);
		if (k > 0 && block.least <= plain->nearest.threshold)
			offer_block(plain, &block, start, count);
		poll_after(plain, count);
		if (block.most < farthest_distance)
			continue;
		for (i = 0; i < count; i++)
			if (block.distance[i] > farthest_distance ||
				(block.distance[i] == farthest_distance &&
				 plain->row[start + i] < farthest))
			{
				farthest_distance = block.distance[i];
				farthest = plain->row[start + i];
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
form_group(Plain *plain)
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
farthest_from_mean(Plain *plain, double *coordinates)
{
	double mean[SDC_MAX_COLUMNS];
	int32_t row;

	sdc_centroid_mean(&plain->centroid, mean);
	row = pass(plain, mean, 0);
	coordinates_at(plain, plain->place[row], coordinates);
}

/* The group around r, then the group around the row farthest from r. */
static void
form_two_groups(Plain *plain, int k)
{
	double r[SDC_MAX_COLUMNS];
	double s[SDC_MAX_COLUMNS];
	int32_t farthest;

	farthest_from_mean(plain, r);
	farthest = pass(plain, r, k);
	form_group(plain);
	if (plain->place[farthest] < 0)
		farthest = pass(plain, r, 0);
	coordinates_at(plain, plain->place[farthest], s);
	pass(plain, s, k);
	form_group(plain);
}

int32_t
sdc_mdav_plain(SdcHost *host, const SdcPoints *points, int k, int32_t *group)
{
	Plain plain;
	int32_t place;

	start(&plain, host, points, k);
	plain.group = group;
	plain.groups = 0;
	while (plain.free / 3 >= k)
		form_two_groups(&plain, k);
	if (plain.free / 2 >= k)
	{
		double r[SDC_MAX_COLUMNS];

		farthest_from_mean(&plain, r);
		pass(&plain, r, k);
		form_group(&plain);
	}
	for (place = 0; place < plain.free; place++)
		group[plain.row[place]] = plain.groups;
	plain.groups += plain.free > 0;
	finish(&plain);
	return plain.groups;
}
