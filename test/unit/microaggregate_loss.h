/*
 * microaggregate_loss.h
 *		The information loss of a partition, from its definition.
 */
#ifndef SDC_TEST_UNIT_MICROAGGREGATE_LOSS_H
#define SDC_TEST_UNIT_MICROAGGREGATE_LOSS_H

#include <stdlib.h>

#include "kernel/index/points.h"

/* Squared deviations of one column from the means of its groups. */
static inline double
squares_within(const SdcPoints *points, const double *value,
			   const int32_t *group, int32_t groups)
{
	double *sum = calloc((size_t) groups + 1, sizeof(double));
	int32_t *count = calloc((size_t) groups + 1, sizeof(int32_t));
	double squares = 0;
	int32_t row;

	for (row = 0; row < points->rows; row++)
	{
		int32_t own = group == NULL ? 0 : group[points->position[row]];

		sum[own] += value[row];
		count[own]++;
	}
	for (row = 0; row < points->rows; row++)
	{
		int32_t own = group == NULL ? 0 : group[points->position[row]];
		double shift = value[row] - sum[own] / count[own];

		squares += shift * shift;
	}
	free(sum);
	free(count);
	return squares;
}

/* SSE / SST, 0 to 1; 0 when all rows are equal. */
static inline double
microaggregate_loss(SdcHost *host, const SdcMatrix *rows, bool standardize,
					const int32_t *group, int32_t groups)
{
	SdcPoints *points = sdc_points_create(host, rows, standardize);
	double within = 0;
	double total = 0;
	int j;

	for (j = 0; j < points->columns; j++)
	{
		within += squares_within(points, points->column[j], group, groups);
		total += squares_within(points, points->column[j], NULL, 1);
	}
	sdc_points_release(host, points);
	return total > 0 ? within / total : 0;
}

#endif
