/*
 * mdav_gower.h
 *		MDAV on columns that mix numbers and categories.
 */
#ifndef SDC_KERNEL_MDAV_GOWER_H
#define SDC_KERNEL_MDAV_GOWER_H

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"

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

#endif
