/*
 * recoding_tree.h
 *		Which class a class is best joined with.
 *
 * Tuples are split by the groups of one key on one level, those again by
 * another, and so on down.  What all tuples below a node have in common bounds
 * what joining one of them can cost, so that a search looks at few of them.
 */
#ifndef SDC_KERNEL_RECODING_TREE_H
#define SDC_KERNEL_RECODING_TREE_H

#include "kernel/generalization/recoding_classes.h"

/* Private to recoding_tree.c. */
typedef struct SdcRecodingTree SdcRecodingTree;

/*
 * The tree of all tuples of a partition; a class is found at the tuple that it
 * is known by.  O(tuples * sum of levels * keys); memory at most 2 * (49 +
 * keys) bytes a tuple.
 */
extern SdcRecodingTree *
sdc_recoding_tree_new(SdcHost *host, const SdcRecodingClasses *classes);

/*
 * Tells how many records any class to be found has at least, 1 unless told:
 * the more, the faster searches end.
 */
extern void sdc_recoding_tree_expect(SdcRecodingTree *tree, int64_t least);

/* Tells that a class came about, or changed. */
extern void sdc_recoding_tree_add(SdcRecodingTree *tree, int32_t number);

/* Tells that a class is no more, or is not to be found. */
extern void sdc_recoding_tree_remove(SdcRecodingTree *tree, int32_t number);

/*
 * The class whose joining with the box costs least, and less than limit:
 * *increase is by how much the cost of all records of both rises.  The box is
 * no class of the tree.  -1 when there is none; of equal ones the least number
 * among those that were looked at.
 */
extern int32_t sdc_recoding_tree_nearest(SdcRecodingTree *tree,
										 const SdcRecodingBox *box,
										 double limit, double *increase);

/* Gives the tree back before the host ends. */
extern void sdc_recoding_tree_release(SdcRecodingTree *tree);

#endif
