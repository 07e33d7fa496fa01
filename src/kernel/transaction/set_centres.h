/*
 * set_centres.h
 *		Clusters of sets of items around few of these sets.
 */
#ifndef SDC_KERNEL_SET_CENTRES_H
#define SDC_KERNEL_SET_CENTRES_H

#include "kernel/base/host.h"
#include "kernel/transaction/item_sets.h"

/* Sets that are centres, and the nearest centre of each set. */
typedef struct SdcSetCentres
{
	int32_t count;
	int32_t *centre;  /* their rows, ascending */
	int32_t *cluster; /* of each set: which of the centres is nearest */
	double total;     /* sum of the distances to the nearest centres */
} SdcSetCentres;

/*
 * Chooses as few centres as it finds so that the mean Jaccard distance of the
 * sets to their nearest centres is at most t (0 to 1), but at least so many.
 * The nearest of several equally near ones is the first.
 *
 * Greedy choice (each centre is the one that lowers the sum most, the first
 * of equally good ones); while there are no more than
 * SDC_SET_CENTRES_EXCHANGED sets, then one centre less as long as exchanges of
 * a centre for another set bring the sum back under the bound.  The number is
 * the least that was found, not proven to be the least there is: that is a
 * problem of covering, NP-hard.
 *
 * Distances come from the inverted index.  Greedy: one pass over the pairs of
 * sets that share an item, and a few rows of it for each centre; exchanges
 * O(sets^2) for each round, 8 sets^2 bytes.
 */
extern SdcSetCentres sdc_set_centres_choose(SdcHost *host,
											const SdcItemSets *sets, double t,
											int32_t least);

#endif
