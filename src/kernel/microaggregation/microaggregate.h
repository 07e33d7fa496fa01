/*
 * microaggregate.h
 *		Univariate microaggregation: groups of at least k neighbours get their
 *		mean.
 */
#ifndef SDC_KERNEL_MICROAGGREGATE_H
#define SDC_KERNEL_MICROAGGREGATE_H

#include "kernel/base/host.h"
#include "kernel/index/points.h"

/*
 * Orders the rows along their first principal component (equal ones in
 * canonical order) and cuts the order into runs of k to 2k - 1 rows with the
 * least sum of squared distances to the means of the runs (Hansen and
 * Mukherjee 2003, with the costs of several columns).  group[row] for rows in
 * canonical order; returns the number of groups.  O(rows k columns) time,
 * 8 columns + 16 bytes per row.
 */
extern int32_t sdc_ordered_partition(SdcHost *host, const SdcPoints *points,
									 int k, int32_t *group);

/* How the groups of one column are made; see sdc_microaggregate. */
typedef enum SdcMicroaggregateMethod
{
	SDC_MICROAGGREGATE_OPTIMAL,
	SDC_MICROAGGREGATE_SORTED
} SdcMicroaggregateMethod;

/* Their words in that order; the list ends with NULL. */
extern const char *const sdc_microaggregate_words[];

/*
 * Replaces n ascending finite values by the means of their groups: masked[r]
 * is the mean of the group of sorted[r].  Groups are intervals of ranks.
 *
 * optimal: the partition with the least sum of squared errors among all with
 * groups of at least k (Hansen and Mukherjee 2003).  O(n k) for k <= 127;
 * O(n log n) above, where the squared error of an interval of sorted values
 * being Monge lets candidates be kept in a queue (Galil and Park 1992).
 *
 * sorted: groups of exactly k from the smallest value up; the last one takes
 * what is left over, up to 2 k - 1.
 *
 * Requires 1 <= k <= n, or n = 0.  Scratch 9 bytes a row, 52 for k > 127, and
 * 8 more where values are beyond 2^400 or all below 2^-400.
 */
extern void sdc_microaggregate(SdcHost *host, SdcMicroaggregateMethod method,
							   const double *sorted, int32_t n, int32_t k,
							   double *masked);

/*
 * The starts of the groups of the optimal partition, for k > 127: previous[j]
 * is the first rank of the last group when only j ranks are partitioned.
 */
extern void sdc_microaggregate_queue(SdcHost *host, const double *sorted,
									 int32_t n, int32_t k, int32_t *previous);

#endif
