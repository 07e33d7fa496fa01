/*
 * centroid.h
 *		The mean of a changing set of points, exactly.
 *
 * Coordinates are rounded to multiples of 2^-40 and summed as 128-bit
 * integers.  Such sums do not depend on the order of additions, and a row
 * that leaves is subtracted without a trace, so that the mean of what is left
 * costs O(columns) instead of O(rows columns) and is the same bits however it
 * was reached.  Coordinates must be below 2^16 in magnitude (points.h).
 */
#ifndef SDC_KERNEL_CENTROID_H
#define SDC_KERNEL_CENTROID_H

#include <stdint.h>

#include "kernel/base/matrix.h"

#define SDC_CENTROID_UNIT 0x1p-40

typedef struct SdcCentroid
{
	int columns;
	int64_t rows;
	__int128 sum[SDC_MAX_COLUMNS];
} SdcCentroid;

static inline void
sdc_centroid_clear(SdcCentroid *centroid, int columns)
{
	int j;

	centroid->columns = columns;
	centroid->rows = 0;
	for (j = 0; j < columns; j++)
		centroid->sum[j] = 0;
}

/* Rounds to the nearest multiple of the unit, halves away from zero. */
static inline int64_t
sdc_centroid_fixed(double coordinate)
{
	double scaled = coordinate / SDC_CENTROID_UNIT;

	return (int64_t) (scaled + (scaled < 0 ? -0.5 : 0.5));
}

/* Adds a point with a weight; a negative weight takes it away again. */
static inline void
sdc_centroid_add(SdcCentroid *centroid, const double *coordinates,
				 int64_t weight)
{
	int j;

	centroid->rows += weight;
	for (j = 0; j < centroid->columns; j++)
		centroid->sum[j] +=
			(__int128) sdc_centroid_fixed(coordinates[j]) * weight;
}

/* The mean; there must be rows. */
static inline void
sdc_centroid_mean(const SdcCentroid *centroid, double *mean)
{
	int j;

	for (j = 0; j < centroid->columns; j++)
		mean[j] = (double) centroid->sum[j] / (double) centroid->rows *
				  SDC_CENTROID_UNIT;
}

#endif
