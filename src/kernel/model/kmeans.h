/*
 * kmeans.h
 *		k-means: rows in k clusters around their means; how far two partitions
 *		agree.
 */
#ifndef SDC_KERNEL_KMEANS_H
#define SDC_KERNEL_KMEANS_H

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/model/cross_validation.h"
#include "kernel/table/frequency.h"

/* How rows are to be clustered. */
typedef struct SdcKmeansSettings
{
	int32_t k;      /* clusters wanted, 1 .. rows */
	int starts;     /* at least 1; the best of so many is kept */
	int iterations; /* of each, at the most; at least 1 */
	uint64_t seed;
} SdcKmeansSettings;

/* The clusters. */
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

/* ----------------------------------------------------------------------
 * How far two partitions of the same rows agree.
 *
 * All measures come from a frequency table of two columns, the labels of one
 * partition and those of the other; NULL is a label.  Pairs of rows are
 * counted as integers.
 * ----------------------------------------------------------------------
 */

/* How often two models say the same of a record. */
typedef struct SdcModelAgreement
{
	int32_t records; /* that both models predict */
	int32_t same;    /* for which they say the same */
	double chance;   /* share expected if they had nothing to do with it */
} SdcModelAgreement;

/*
 * Compares predicted_a[i], a class of outcome a, with predicted_b[i] of b;
 * negative ones are left out.  Categories share their codes; numbers are the
 * same when they are no farther than tolerance apart.  O(rows + classes^2).
 */
extern SdcModelAgreement
sdc_model_agreement_count(SdcHost *host, const SdcOutcome *a,
						  const int32_t *predicted_a, const SdcOutcome *b,
						  const int32_t *predicted_b, int32_t rows,
						  double tolerance);

/* Measures of how far two partitions agree. */
typedef struct SdcPartitionAgreement
{
	/*
	 * Share of all pairs that both join or both part (Rand 1971); NaN with
	 * fewer than two rows.
	 */
	double rand;
	/*
	 * Pairs that both join, of those that at least one joins; 1 when there
	 * are none, NaN with fewer than two rows.
	 */
	double jaccard;
	/*
	 * Rand index corrected for chance (Hubert and Arabie 1985); 1 when chance
	 * alone decides and both agree, NaN with fewer than two rows.
	 */
	double adjusted;
	/*
	 * Sum over the labels i of the first of n_i / n times the largest
	 * 2 n_ij / (n_i + n_j); NaN without rows.
	 */
	double f_measure;
} SdcPartitionAgreement;

/* Measures all of it from the table of the labels.  O(cells). */
extern SdcPartitionAgreement
sdc_partition_agreement_measure(SdcHost *host, const SdcFrequency *labels);

/*
 * The same for labels by row, a[i] of 0 .. values_a - 1 and b[i] likewise;
 * rows where either is negative are left out.  O(rows).
 */
extern SdcPartitionAgreement
sdc_partition_agreement_labels(SdcHost *host, const int32_t *a,
							   int32_t values_a, const int32_t *b,
							   int32_t values_b, int32_t rows);

#endif
