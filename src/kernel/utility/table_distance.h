/*
 * table_distance.h
 *		How far two tables of counts are apart.
 */
#ifndef SDC_KERNEL_TABLE_DISTANCE_H
#define SDC_KERNEL_TABLE_DISTANCE_H

#include "kernel/base/host.h"
#include "kernel/table/frequency.h"

/*
 * n and m are counts of a cell in the original and the masked table, N and M
 * their totals, p = n / N and q = m / M.  Cells are all combinations of the
 * values that occur, empty ones, too.
 */
typedef struct SdcTableDistance
{
	double cells;           /* of the cross table; may be huge */
	double original;        /* N */
	double masked;          /* M */
	double l1;              /* sum of |n - m| */
	double max;             /* largest |n - m| */
	double mean;            /* l1 / cells */
	double hellinger;       /* sqrt(sum of (sqrt p - sqrt q)^2 / 2) */
	double kl;              /* sum of p ln(p / q); infinite when q = 0 < p */
	double tv;              /* sum of |p - q| / 2 */
	double absroot;         /* mean of |sqrt n - sqrt m| */
	double relative;        /* mean of |n - m| / n over the cells with n > 0 */
	int64_t false_zeros;    /* cells with m = 0 < n */
	int64_t false_nonzeros; /* cells with n = 0 < m */
} SdcTableDistance;

/* Cells of two tables being compared, one after the other. */
typedef struct SdcTableSums SdcTableSums;

/*
 * Starts comparing tables with that many cells and totals.  smoothing >= 0 is
 * added to every count, of empty cells, too, for kl alone.
 */
extern SdcTableSums *sdc_table_distance_start(SdcHost *host, double cells,
											  double original, double masked,
											  double smoothing);

/* Adds a cell that is not empty in both. */
extern void sdc_table_distance_add(SdcTableSums *sums, double n, double m);

/*
 * Ends, and gives back what start took.  Distances of shares (hellinger, kl,
 * tv) are NAN when one of the tables is empty, means when there are no cells.
 */
extern SdcTableDistance sdc_table_distance_finish(SdcHost *host,
												  SdcTableSums *sums);

/*
 * Two frequency tables of the same columns whose codes are shared.  By their
 * sorted cells, so the sums do not depend on the order of records.
 * O(cells columns).
 */
extern SdcTableDistance
sdc_table_distance_measure(SdcHost *host, const SdcFrequency *original,
						   const SdcFrequency *masked, double smoothing);

#endif
