/*
 * linear_svm.h
 *		Linear support vector machines, one class against the rest.
 */
#ifndef SDC_KERNEL_LINEAR_SVM_H
#define SDC_KERNEL_LINEAR_SVM_H

#include "kernel/base/host.h"
#include "kernel/model/model.h"

/*
 * The weights w[design->features] with the least
 *     w.w / 2 + penalty * sum of max(0, 1 - y_i w.x_i),
 * y_i being 1 where label is the class and -1 elsewhere, by dual coordinate
 * descent (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008) until no row
 * violates the conditions of the optimum by more than 0.001, or for
 * settings->iterations passes.  The constant feature is one as any other.
 * O(rows columns) a pass.
 */
extern double *sdc_linear_svm_separate(SdcHost *host, const SdcModelTask *task,
									   const SdcDesign *design,
									   const SdcDesignRows *rows,
									   int32_t label);

/*
 * One such machine for each class; the class with the largest margin wins.
 * The probabilities are the softmax of the margins: they order the classes,
 * but are no estimates of frequencies.  See SdcModelMethod.
 */
extern void *sdc_linear_svm_fit(SdcHost *host, const SdcModelTask *task);
extern void sdc_linear_svm_predict(void *fitted, const SdcModelTable *table,
								   int32_t row, double *probability);

#endif
