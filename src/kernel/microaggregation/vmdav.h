/*
 * vmdav.h
 *		V-MDAV: MDAV with groups of variable size.
 *
 * The mean of all rows is computed once.  While k rows or more are free, the
 * free row farthest from it forms a group with its k - 1 nearest free rows;
 * then, up to 2k - 1 rows, the free row u nearest to any row of the group
 * joins if its distance to that row is below gamma times its distance to the
 * nearest other free row (none: it joins).  The fewer than k rows left over
 * join, in canonical order, the group whose mean without them is nearest (of
 * equally near groups the first formed).
 * (Solanas and Martinez-Balleste, "V-MDAV: a multivariate microaggregation
 * with variable group size", COMPSTAT 2006.)
 */
#ifndef SDC_KERNEL_VMDAV_H
#define SDC_KERNEL_VMDAV_H

#include "kernel/base/host.h"
#include "kernel/index/points.h"

/*
 * group[row] for rows in canonical order, 1 <= k <= rows, gamma >= 0.
 * Returns the number of groups.  Nearest rows are found in a tree of boxes,
 * about 2 to 3 searches per row.
 */
extern int32_t sdc_vmdav(SdcHost *host, const SdcPoints *points, int k,
						 double gamma, int32_t *group);

#endif
