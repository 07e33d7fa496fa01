/*
 * mdav.h
 *		MDAV: maximum distance to average vector, groups of exactly k.
 *
 * While 3k rows or more are free: the row r farthest from the mean of the
 * free rows forms a group with its k - 1 nearest free rows, then the free row
 * s farthest from r forms one.  With 2k rows or more left, one more group
 * forms around the row farthest from the mean; the rest is the last group.
 * (Domingo-Ferrer and Torra, "Ordinal, continuous and heterogeneous
 * k-anonymity through microaggregation", 2005, algorithm MDAV-generic.)
 *
 * Distances: squared differences added from the first to the last column.
 * The mean is that of centroid.h.  Ties as in microaggregate_group.h.
 */
#ifndef SDC_KERNEL_MDAV_H
#define SDC_KERNEL_MDAV_H

#include "kernel/geometry/points.h"

/*
 * The three give the same groups: group[row] for rows in canonical order,
 * numbered from 0 in the order in which they form.  1 <= k <= rows.  They
 * return the number of groups and poll with the rows grouped so far.
 */

/* Whichever of the two below is faster. */
extern int32_t sdc_mdav(SdcHost *host, const SdcPoints *points, int k,
						int32_t *group);

/* Passes over all free rows; O(rows^2 / k columns), few bytes per row. */
extern int32_t sdc_mdav_plain(SdcHost *host, const SdcPoints *points, int k,
							  int32_t *group);

/* Searches a tree of boxes that shrinks; about rows^1.3 at 4 columns. */
extern int32_t sdc_mdav_tree(SdcHost *host, const SdcPoints *points, int k,
							 int32_t *group);

#endif
