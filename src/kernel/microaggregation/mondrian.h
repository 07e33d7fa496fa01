/*
 * mondrian.h
 *		Multidimensional k-partition by median cuts (Mondrian).
 */
#ifndef SDC_KERNEL_MONDRIAN_H
#define SDC_KERNEL_MONDRIAN_H

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"

/*
 * Cuts the rows into boxes of at least k rows: a box is cut at the value
 * nearest its median, in the column whose range, as a share of the column's
 * range in the whole, is widest; equal values are never parted.  A column
 * that allows no cut gives way to the next widest; a box that no column can
 * cut is a group (LeFevre, DeWitt and Ramakrishnan 2006, strict).
 *
 * group[i] receives the group of row i, from 0, numbered along the cuts; the
 * number of groups is returned.  Requires 1 <= k <= rows.  The groups depend
 * on the values alone.  O(n d log(n / k)); scratch 24 bytes a row.
 */
extern int32_t sdc_mondrian_group(SdcHost *host, const SdcMatrix *rows,
								  int32_t k, int32_t *group);

#endif
