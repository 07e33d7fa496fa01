/*
 * agreement_tree.h
 *		Who agrees most with a record, without a look at everybody.
 *
 * Each level of a field counts a weight that never rises from a better level
 * to a worse one, and a pair counts the sum over its fields (agreement.h).
 * The distinct records of file 1 lie in a tree of boxes for each block; the
 * box tells the best and the worst level that a field can have there.  So
 * boxes that cannot reach what was found are left out, and boxes that are as
 * good throughout are counted as a whole.  The sums are those of comparing
 * with everybody, bit by bit.
 */
#ifndef SDC_KERNEL_AGREEMENT_TREE_H
#define SDC_KERNEL_AGREEMENT_TREE_H

#include "kernel/base/host.h"
#include "kernel/linkage/agreement.h"
#include "kernel/linkage/fellegi_sunter.h"

/* Such trees, and room for searches; private to agreement_tree.c. */
typedef struct SdcAgreementTree SdcAgreementTree;

/*
 * A tree over file 1 of a prepared comparison, which must stay; weights[field]
 * has the levels, then the one of missing values.  Of a table of levels it
 * keeps 4 bytes for each code and level.  O(fields * points log points) time,
 * memory 24 fields + 20 bytes a point, and 12 for each field of numbers whose
 * best level counts more than the next.
 */
extern SdcAgreementTree *
sdc_agreement_tree_create(SdcHost *host, const SdcComparison *comparison,
						  const SdcComparisonWeights *weights);

/* Boxes and points looked at so far. */
extern uint64_t sdc_agreement_tree_work(const SdcAgreementTree *tree);

/* The sum of a point of file 0 and one of file 1. */
extern double sdc_agreement_tree_sum(SdcAgreementTree *tree, int32_t from,
									 int32_t to);

/* The greatest sum of a point of file 0; -INFINITY when its block is empty. */
extern double sdc_agreement_tree_best(SdcAgreementTree *tree, int32_t from);

/* How many records of file 1 have at least some sum with a point of file 0. */
extern int64_t sdc_agreement_tree_count(SdcAgreementTree *tree, int32_t from,
										double least);

/*
 * The first of these records by their number, ascending, no more than most;
 * returns how many.
 */
extern int32_t sdc_agreement_tree_first(SdcAgreementTree *tree, int32_t from,
										double least, int32_t most,
										int32_t *record);

/*
 * The records of file 1 with the greatest sums, the greatest first, no more
 * than most; of equal sums those that the salt draws.  Returns how many.
 */
extern int32_t sdc_agreement_tree_several(SdcAgreementTree *tree, int32_t from,
										  int32_t most, uint64_t salt,
										  int32_t *record, double *sum);

#endif
