/*
 * decision_tree.h
 *		A classification tree of yes-no questions, one column each.
 */
#ifndef SDC_KERNEL_DECISION_TREE_H
#define SDC_KERNEL_DECISION_TREE_H

#include "kernel/base/host.h"
#include "kernel/model/model.h"

/*
 * Each node takes the question that leaves the smallest weighted Gini impurity
 * (CART: Breiman, Friedman, Olshen and Stone 1984), the first such one: "is
 * the number below the cut", with cuts halfway between neighbouring values and
 * NULL never below; or "is the category this value", NULL being one.  Grown to
 * settings->depth questions, no leaf below settings->leaf rows, and no further
 * where no question lowers the impurity; not pruned.  A probability is a share
 * of the rows in the leaf.  Fit O(columns rows (log rows + depth)), memory
 * 4 rows columns; predict O(depth).  See SdcModelMethod.
 */
extern void *sdc_decision_tree_fit(SdcHost *host, const SdcModelTask *task);
extern void sdc_decision_tree_predict(void *fitted, const SdcModelTable *table,
									  int32_t row, double *probability);

#endif
