/*
 * local_search.h
 *		Better groups by taking neighbouring groups apart.
 */
#ifndef SDC_KERNEL_LOCAL_SEARCH_H
#define SDC_KERNEL_LOCAL_SEARCH_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/index/points.h"

/*
 * Adds up over all rows the squared distances to the wanted - 1 nearest other
 * rows (equal rows count).
 */
extern double sdc_neighbour_distances(SdcHost *host, const SdcPoints *points,
									  int wanted);

/*
 * Lowers the sum of squared distances to the means of the groups.  group[row]
 * (rows in canonical order, 0 .. groups - 1, every group of k to 2k - 1 rows)
 * is changed in place; the result is such a partition too.  Returns the new
 * number of groups.  A copy of the stream of random numbers is used; the same
 * stream and input give the same groups.
 *
 * One iteration (about 2 to 20 microseconds) takes 2 to 5 neighbouring groups
 * of at most 256 rows in all and keeps a new partition of their rows if it is
 * better: a large neighbourhood search (Shaw 1998) with descent.  With k
 * above 128 two groups are too many rows, and nothing is changed.
 * Memory: 8 columns + 8 to 12 bytes per row, 32 or 64 per distinct point.
 */
extern int32_t sdc_local_search(SdcHost *host, const SdcPoints *points, int k,
								int64_t iterations, const SdcRandom *random,
								int32_t *group, int32_t groups);

#endif
