/*
 * microaggregate_group.c
 *		Multivariate microaggregation: groups of at least k similar rows.
 *
 * Brings rows into canonical order, lets a method group them and carries the
 * groups back to the rows of the input.
 */
#include "kernel/microaggregate_group.h"

#include "kernel/mdav.h"
#include "kernel/points.h"

#include <string.h>

/* Groups the rows of points, numbered in canonical order. */
static int32_t
group_points(SdcHost *host, const SdcPoints *points, int k,
			 SdcGroupMethod method, uint64_t seed, int32_t *group)
{
	switch (method)
	{
		case SDC_GROUP_MDAV:
			break;
		case SDC_GROUP_VMDAV:
		case SDC_GROUP_FAST:
		case SDC_GROUP_BEST:
		case SDC_GROUP_PCA:
			break;
	}
	host->stage(host, "grouping rows");
	(void) seed;
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
