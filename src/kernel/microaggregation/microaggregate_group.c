/*
 * microaggregate_group.c
 *		Multivariate microaggregation: groups of at least k similar rows.
 *
 * Brings rows into canonical order, lets a method group them and carries the
 * groups back to the rows of the input.
 */
#include "kernel/microaggregation/microaggregate_group.h"

#include "kernel/geometry/blocks.h"
#include "kernel/microaggregation/local_search.h"
#include "kernel/microaggregation/mdav.h"
#include "kernel/microaggregation/neighbour_graph.h"
#include "kernel/microaggregation/ordered_partition.h"
#include "kernel/geometry/points.h"
#include "kernel/microaggregation/vmdav.h"

#include <string.h>

/* Rows of a block of the fast method. */
#define BLOCK_ROWS 30000

/* More rows than this are grouped in blocks before the local search. */
#define MOST_EXACT_ROWS 2000000

#define VMDAV_GAMMA 0.2

/*
 * Iterations of the local search: so many per row and group size that small
 * tables come close to what the search can reach, and a fixed number per row
 * for large ones.
 */
static int64_t
search_iterations(int32_t rows, int k)
{
	int64_t thorough = (int64_t) 150 * rows / k;
	int64_t brief = (int64_t) 2 * rows;

	if (thorough > 500000)
		thorough = 500000;
	return thorough > brief ? thorough : brief;
}

/* MDAV, then the local search. */
static int32_t
group_best(SdcHost *host, const SdcPoints *points, int k, uint64_t seed,
		   int32_t *group)
{
	int32_t groups;

	if (points->rows > MOST_EXACT_ROWS)
		groups = sdc_blocks_group(host, points, k, BLOCK_ROWS, group);
	else
		groups = sdc_mdav(host, points, k, group);
	host->stage(host, "improving groups");
	return sdc_local_search(host, points, k,
							search_iterations(points->rows, k), seed, group,
							groups);
}

/* Every row is a group. */
static int32_t
group_alone(const SdcPoints *points, int32_t *group)
{
	int32_t row;

	for (row = 0; row < points->rows; row++)
		group[row] = row;
	return points->rows;
}

/* Groups the rows of points, numbered in canonical order. */
static int32_t
group_points(SdcHost *host, const SdcPoints *points, int k,
			 SdcGroupMethod method, uint64_t seed, int32_t *group)
{
	if (k == 1)
		return group_alone(points, group);
	switch (method)
	{
		case SDC_GROUP_VMDAV:
			return sdc_vmdav(host, points, k, VMDAV_GAMMA, group);
		case SDC_GROUP_FAST:
			return sdc_blocks_group(host, points, k, BLOCK_ROWS, group);
		case SDC_GROUP_BEST:
			return group_best(host, points, k, seed, group);
		case SDC_GROUP_PCA:
			return sdc_ordered_partition(host, points, k, group);
		case SDC_GROUP_MDAV:
			break;
	}
	return sdc_mdav(host, points, k, group);
}

int32_t
sdc_microaggregate_group(SdcHost *host, const SdcMatrix *rows, int k,
						 SdcGroupMethod method, bool standardize,
						 uint64_t seed, int32_t *group)
{
	SdcPoints *points;
	int32_t *canonical;
	int32_t groups;
	int32_t row;

	host->stage(host, "ordering rows");
	points = sdc_points_create(host, rows, standardize);
	canonical = sdc_new(host, int32_t, rows->rows);
	host->stage(host, "grouping rows");
	groups = group_points(host, points, k, method, seed, canonical);
	for (row = 0; row < points->rows; row++)
		group[points->position[row]] = canonical[row];
	host->release(host, canonical);
	sdc_points_release(host, points);
	return groups;
}

/* Sums of one column. */
typedef struct ColumnSums
{
	double within; /* squared deviations from the means of the groups */
	double total;  /* squared deviations from the mean of all */
} ColumnSums;

/*
 * Adds a column to the sums; sum[] and count[] are scratch per group, the last
 * element being for all rows.
 */
static void
add_column(SdcHost *host, const SdcPoints *points, const double *value,
		   const int32_t *group, int32_t groups, double *sum, int32_t *count,
		   ColumnSums *sums)
{
	int32_t row;
	int32_t i;

	memset(sum, 0, sizeof(*sum) * (size_t) (groups + 1));
	memset(count, 0, sizeof(*count) * (size_t) (groups + 1));
	for (row = 0; row < points->rows; row++)
	{
		int32_t own = group[points->position[row]];

		if (row % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		sum[own] += value[row];
		sum[groups] += value[row];
		count[own]++;
		count[groups]++;
	}
	for (i = 0; i <= groups; i++)
		sum[i] /= count[i] > 0 ? count[i] : 1;
	for (row = 0; row < points->rows; row++)
	{
		double within = value[row] - sum[group[points->position[row]]];
		double total = value[row] - sum[groups];

		if (row % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		sums->within += within * within;
		sums->total += total * total;
	}
}

double
sdc_microaggregate_loss(SdcHost *host, const SdcMatrix *rows, bool standardize,
						const int32_t *group, int32_t groups)
{
	SdcPoints *points = sdc_points_create(host, rows, standardize);
	double *sum = sdc_new(host, double, (size_t) groups + 1);
	int32_t *count = sdc_new(host, int32_t, (size_t) groups + 1);
	ColumnSums sums = {0, 0};
	int j;

	for (j = 0; j < points->columns; j++)
		add_column(host, points, points->column[j], group, groups, sum, count,
				   &sums);
	host->release(host, sum);
	host->release(host, count);
	sdc_points_release(host, points);
	return sums.total > 0 ? sums.within / sums.total : 0;
}

/* Sum of squared deviations from the mean of all rows. */
static double
total_squares(SdcHost *host, const SdcPoints *points)
{
	double total = 0;
	int j;

	for (j = 0; j < points->columns; j++)
	{
		const double *value = points->column[j];
		double mean = 0;
		int32_t row;

		host->poll(host, 0, 0);
		for (row = 0; row < points->rows; row++)
			mean += value[row];
		mean /= points->rows;
		host->poll(host, 0, 0);
		for (row = 0; row < points->rows; row++)
			total += (value[row] - mean) * (value[row] - mean);
	}
	return total;
}

double
sdc_microaggregate_bound(SdcHost *host, const SdcMatrix *rows, int k,
						 bool standardize)
{
	SdcPoints *points = sdc_points_create(host, rows, standardize);
	double total = total_squares(host, points);
	double bound = 0;

	host->stage(host, "bounding the loss");
	if (total > 0)
		bound = sdc_neighbour_distances(host, points, k) / (2.0 * k) / total;
	sdc_points_release(host, points);

	/* Less what rounding may have added. */
	return bound * (1 - 0x1p-40);
}
