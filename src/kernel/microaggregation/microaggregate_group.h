/*
 * microaggregate_group.h
 *		Multivariate microaggregation: groups of at least k similar rows, by
 *		MDAV, V-MDAV or median cuts (Mondrian).
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
#include "kernel/index/points.h"

/* How the groups of several columns are made. */
typedef enum SdcGroupMethod
{
	/*
	 * MDAV with groups of k (Domingo-Ferrer and Torra 2005), exactly.  The
	 * last group has k to 2k - 1 rows.
	 */
	SDC_GROUP_MDAV,

	/*
	 * V-MDAV (Solanas and Martinez-Balleste 2006): a group of k grows up to
	 * 2k - 1 by a row whose distance to the group is below gamma times its
	 * distance to the nearest other free row (no other free row: it joins).
	 * The fewer than k rows left over at the end join the group whose mean is
	 * nearest, so a group may then exceed 2k - 1.  Gamma is the one of nine
	 * from 0 to 2 that loses the least, and 0.2, the paper's, for more than
	 * 20,000 rows.
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
	 * Boxes that median cuts make, see sdc_mondrian; equal rows are never
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

/* ----------------------------------------------------------------------
 * V-MDAV: MDAV with groups of variable size.
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
 * ----------------------------------------------------------------------
 */

/*
 * group[row] for rows in canonical order, 1 <= k <= rows, gamma >= 0.
 * Returns the number of groups.  Nearest rows are found in a tree of boxes,
 * about 2 to 3 searches per row.
 */
extern int32_t sdc_vmdav(SdcHost *host, const SdcPoints *points, int k,
						 double gamma, int32_t *group);

/* ----------------------------------------------------------------------
 * Multidimensional k-partition by median cuts (Mondrian).
 * ----------------------------------------------------------------------
 */

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

/* ----------------------------------------------------------------------
 * Better groups by taking neighbouring groups apart.
 * ----------------------------------------------------------------------
 */

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
