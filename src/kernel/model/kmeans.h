/*
 * kmeans.h
 *		k-means: rows in k clusters around their means.
 */
#ifndef SDC_KERNEL_KMEANS_H
#define SDC_KERNEL_KMEANS_H

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"

typedef struct SdcKmeansSettings
{
	int32_t k;      /* clusters wanted, 1 .. rows */
	int starts;     /* at least 1; the best of so many is kept */
	int iterations; /* of each, at the most; at least 1 */
	uint64_t seed;
} SdcKmeansSettings;

typedef struct SdcKmeans
{
	int32_t clusters; /* k, or the number of distinct rows if that is less */
	int32_t *label;   /* by row of the input: 0 .. clusters - 1 */
	double inertia;   /* sum of squared distances to the centres */
	int iterations;   /* of the start that was kept */
} SdcKmeans;

/*
 * Clusters the rows, at least one, with every column standardised (constant
 * ones count for nothing), by Lloyd's iterations until no row changes its
 * cluster, from starts drawn as k-means++ (Arthur and Vassilvitskii 2007); a
 * cluster that runs empty restarts at the row farthest from its centre.
 * Clusters are numbered in the order of their centres, first column first.
 * Depends on the seed and the values, not on the order of the rows.
 * O(rows columns k) an iteration; memory 8 rows (columns + k / 16 + 4).
 */
extern SdcKmeans sdc_kmeans_run(SdcHost *host, const SdcMatrix *matrix,
								const SdcKmeansSettings *settings);

#endif
