/*
 * blocks.h
 *		MDAV inside the blocks of a k-d tree.
 */
#ifndef SDC_KERNEL_BLOCKS_H
#define SDC_KERNEL_BLOCKS_H

#include "kernel/geometry/points.h"

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
