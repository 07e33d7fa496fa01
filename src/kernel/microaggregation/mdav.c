/*
 * mdav.c
 *		MDAV: which way of computing it is faster.
 *
 * Passes over all rows cost n^2 / k, the tree pays off from some thousands of
 * distinct points on.  Both ways give the same groups, so the choice cannot
 * be seen in the result.
 */
#include "kernel/microaggregation/mdav.h"

/* Below, passes over all rows are as fast as the tree (measured). */
#define TREE_POINTS 4000

/* Distances that passes may cost at most when distinct points are few. */
#define PLAIN_DISTANCES 10000000

int32_t
sdc_mdav(SdcHost *host, const SdcPoints *points, int k, int32_t *group)
{
	double passes = (double) points->rows * points->rows / k;

	if (points->distinct < TREE_POINTS && passes < PLAIN_DISTANCES)
		return sdc_mdav_plain(host, points, k, group);
	return sdc_mdav_tree(host, points, k, group);
}
