/*
 * learners.h
 *		Small learners: classification trees, naive Bayes, nearest neighbours,
 *		linear support vector machines.
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

/* ----------------------------------------------------------------------
 * Naive Bayes: columns independent within each class.
 * ----------------------------------------------------------------------
 */

/*
 * With a = settings->laplace, n training rows, K classes, and n_c rows of
 * class c, P(c) = (n_c + a) / (n + a K).  A category that occurs n_vc times in
 * class c has P(v | c) = (n_vc + a) / (n_c + a V), V being the values (NULL
 * among them) that occur in training; one that never occurred says nothing.  A
 * number is normal within a class, with the mean of the class and variance
 * (S_c + a s^2) / (n_c + a), S_c being the sum of squared deviations and s^2
 * the variance of the column; where there is a NULL it says nothing.
 * Fit O(rows columns), memory classes times values; predict O(columns
 * classes).  See SdcModelMethod.
 */
extern void *sdc_naive_bayes_fit(SdcHost *host, const SdcModelTask *task);
extern void sdc_naive_bayes_predict(void *fitted, const SdcModelTable *table,
									int32_t row, double *probability);

/* ----------------------------------------------------------------------
 * The majority among the nearest training rows.
 * ----------------------------------------------------------------------
 */

/*
 * The squared distance of two rows is the sum over the columns: of numbers the
 * squared difference of their standard scores, 1 between NULL and a number; of
 * categories 1 when they differ; rounded to 2^-30.  The settings->neighbours
 * nearest rows (all, if there are fewer) vote; of equally near ones the first
 * in the order of task->row.  A probability is a share of the votes.  Fit
 * O(n log n); predict O(log n) for well-spread rows of few columns, O(n) at
 * worst.  See SdcModelMethod.
 */
extern void *sdc_nearest_neighbours_fit(SdcHost *host,
										const SdcModelTask *task);
extern void sdc_nearest_neighbours_predict(void *fitted,
										   const SdcModelTable *table,
										   int32_t row, double *probability);

/* ----------------------------------------------------------------------
 * Linear support vector machines, one class against the rest.
 * ----------------------------------------------------------------------
 */

/*
 * One such machine for each class; the class with the largest margin wins.
 * The probabilities are the softmax of the margins: they order the classes,
 * but are no estimates of frequencies.  See SdcModelMethod.
 */
extern void *sdc_linear_svm_fit(SdcHost *host, const SdcModelTask *task);
extern void sdc_linear_svm_predict(void *fitted, const SdcModelTable *table,
								   int32_t row, double *probability);

#endif
