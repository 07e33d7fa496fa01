/*
 * ordered_partition.h
 *		The best partition of an order of rows into runs.
 */
#ifndef SDC_KERNEL_ORDERED_PARTITION_H
#define SDC_KERNEL_ORDERED_PARTITION_H

#include "kernel/geometry/points.h"

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

#endif
