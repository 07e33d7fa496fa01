/*
 * microaggregate_group.h
 *		Multivariate microaggregation: groups of at least k similar rows.
 *
 * Rows are first put in canonical order: by their columns from first to last,
 * then by position in the input.  Everything below speaks of that order, so
 * the groups do not depend on the order of the input, except that equal rows
 * may trade places.  Distances are Euclidean on the standardised columns;
 * columns that hold one value only are left out.
 *
 * Ties: of equally far rows the first in canonical order is the farthest, of
 * equally near rows the first in canonical order is the nearest.
 */
#ifndef SDC_KERNEL_MICROAGGREGATE_GROUP_H
#define SDC_KERNEL_MICROAGGREGATE_GROUP_H

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"

typedef enum SdcGroupMethod
{
	/*
	 * MDAV with groups of k (Domingo-Ferrer and Torra 2005), exactly.  The
	 * last group has k to 2k - 1 rows.
	 */
	SDC_GROUP_MDAV,

	/*
	 * V-MDAV (Solanas and Martinez-Balleste 2006) with gamma 0.2: a group
	 * of k grows up to 2k - 1 by a row whose distance to the group is below
	 * gamma times its distance to the nearest other free row (no other free
	 * row: it joins).  The fewer than k rows left over at the end join the
	 * group whose mean is nearest, so a group may then exceed 2k - 1.
	 */
	SDC_GROUP_VMDAV,

	/* MDAV inside blocks of a k-d tree; linear in the rows. */
	SDC_GROUP_FAST,

	/*
	 * MDAV (in blocks when the rows are very many) followed by a local search
	 * over the groups with a budget of iterations; never worse than the MDAV
	 * it starts from; groups of k to 2k - 1.  The only method that draws
	 * random numbers.
	 */
	SDC_GROUP_BEST,

	/*
	 * The optimal partition into runs of k to 2k - 1 rows of the order along
	 * the first principal component.
	 */
	SDC_GROUP_PCA,

	/*
	 * Boxes that median cuts make, see mondrian.h; equal rows are never
	 * parted, so groups can be much larger than k.  Columns count by their
	 * ranges, standardized or not.
	 */
	SDC_GROUP_MONDRIAN
} SdcGroupMethod;

/* Their words in that order; the list ends with NULL. */
extern const char *const sdc_group_words[];

/*
 * Puts every row into a group of at least k rows.
 *
 * rows: finite values, 1 <= k <= rows->rows (the caller checks).
 * standardize: divide by the standard deviation (n - 1) first, else use the
 * values as they are.  random: the stream for SDC_GROUP_BEST, of which a copy
 * is used; NULL for the others.  group[i] receives the group of input row i,
 * from 0.  Returns the number of groups.  The result is the same on every
 * machine.
 *
 * Time: MDAV about n^1.3 (4 columns) to n^1.5 (13 columns); PCA n k columns.
 */
extern int32_t sdc_microaggregate_group(SdcHost *host, const SdcMatrix *rows,
										int k, SdcGroupMethod method,
										bool standardize,
										const SdcRandom *random,
										int32_t *group);

/*
 * A lower bound of SSE / SST over all partitions into groups of at least k:
 * the sum over the rows of the squared distances to their k - 1 nearest rows,
 * divided by 2k and by SST.  It holds because a group of m rows has
 * SSE = (sum of its pairwise squared distances, each pair twice) / 2m.
 * One exact nearest-neighbour search per distinct row.
 */
extern double sdc_microaggregate_bound(SdcHost *host, const SdcMatrix *rows,
									   int k, bool standardize);

#endif
