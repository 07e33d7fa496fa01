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
 * The mean is that of SdcCentroid (kernel/linear/moments.h).  Ties as in
 * microaggregate_group.h.
 */
#ifndef SDC_KERNEL_MDAV_H
#define SDC_KERNEL_MDAV_H

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/index/points.h"

/*
 * Groups of k rows (the last k to 2k - 1) by MDAV with Gower's distance: the
 * mean over the columns of |x - y| / range for numbers and of [x <> y] for
 * categories (Gower 1971; Domingo-Ferrer and Torra 2005).  The centre is the
 * mean of a number and the most frequent value of a category, of equally
 * frequent ones the smallest.
 *
 * category[j] says that column j is a category; its values are then small
 * integers from 0.  group[i] receives the group of row i, from 0; the number
 * of groups is returned.  Ties go to the first row in canonical order (by
 * the columns, then by row).  Requires 1 <= k <= rows.  O(n^2 d / k).
 */
extern int32_t sdc_mdav_gower_group(SdcHost *host, const SdcMatrix *rows,
									const bool *category, int32_t k,
									int32_t *group);

/*
 * MDAV: group[row] for rows in canonical order, numbered from 0 in the order
 * in which they form.  1 <= k <= rows.  Returns the number of groups and polls
 * with the rows grouped so far.
 */
extern int32_t sdc_mdav(SdcHost *host, const SdcPoints *points, int k,
						int32_t *group);

/*
 * Halves the rows at the median of the column with the greatest variance, the
 * lower half a multiple of k, until a block has at most most_rows rows, and
 * forms the groups of MDAV in each block.  group[row] for rows in canonical
 * order; groups of k to 2k - 1.  Of equal values the first in canonical order
 * go to the lower half.  Returns the number of groups.
 * O(rows log(rows / most_rows) + blocks MDAV(most_rows)).
 */
extern int32_t sdc_blocks_group(SdcHost *host, const SdcPoints *points, int k,
								int32_t most_rows, int32_t *group);

#endif
