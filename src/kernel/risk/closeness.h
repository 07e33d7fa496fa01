/*
 * closeness.h
 *		t-closeness: how far a class's values are from those of the table.
 *
 * The earth mover's distance between two distributions (Li, Li and
 * Venkatasubramanian 2007) under three distances between values.  All sums are
 * exact integers, n_s N - Q_s n over the common denominator n N (class: n_s of
 * n records have value s; table: Q_s of N), and only the last step divides.
 * Needs n * N * occurring values below 2^127: any table of fewer than 2^47
 * records is safe.
 */
#ifndef SDC_KERNEL_CLOSENESS_H
#define SDC_KERNEL_CLOSENESS_H

#include "kernel/generalization/hierarchy.h"
#include "kernel/risk/histogram.h"

/* The totals, prepared for a distance; private to closeness.c. */
typedef struct SdcClosenessOrder SdcClosenessOrder;
typedef struct SdcClosenessTree SdcClosenessTree;

/*
 * Equal distance: any two values are 1 apart, so the result is half the sum of
 * |p - q|.  From 0 to below 1; 0 for a class without records.  O(cells of the
 * class).
 */
extern double sdc_closeness_equal(const SdcHistogram *histogram,
								  const SdcTotals *totals);

/* Sums of the totals from below.  The totals must stay.  O(values). */
extern SdcClosenessOrder *sdc_closeness_order(SdcHost *host,
											  const SdcTotals *totals);

/*
 * Ordered distance: the m values that occur in the table lie in their order at
 * equal steps of 1 / (m - 1), NULL above all others.  The sum of
 * |cumulated p - q| over the values, divided by m - 1; 0 when m is 1.  Each
 * stretch of values that the class does not have is two sums and a binary
 * search: O(cells of the class * log values), at most O(values).
 */
extern double sdc_closeness_ordered(const SdcHistogram *histogram,
									const SdcClosenessOrder *order);

/*
 * Totals at each level of a hierarchy of the values (all codes of the totals
 * must have groups).  NULL is a group of its own on every level below the
 * root.  Both must stay.  O(values * levels).
 */
extern SdcClosenessTree *sdc_closeness_tree(SdcHost *host,
											const SdcTotals *totals,
											const SdcHierarchy *hierarchy);

/*
 * Hierarchical distance: two values are as far apart as the level of their
 * lowest common group, divided by the height.  When the top level has several
 * groups, a root is thought one level above it.  Because all values have the
 * same depth, the result is the mean of the equal distance over the levels
 * below the root.  Not reentrant: uses scratch of the tree.  O(cells of the
 * class * levels).
 */
extern double sdc_closeness_hierarchical(const SdcHistogram *histogram,
										 const SdcClosenessTree *tree);

/* Give what was prepared back before the host ends; NULL is ignored. */
extern void sdc_closeness_order_release(SdcHost *host,
										SdcClosenessOrder *order);
extern void sdc_closeness_tree_release(SdcHost *host, SdcClosenessTree *tree);

#endif
