/*
 * linear_svm.h
 *		Linear support vector machines, one class against the rest.
 */
#ifndef SDC_KERNEL_LINEAR_SVM_H
#define SDC_KERNEL_LINEAR_SVM_H

#include "kernel/base/host.h"
#include "kernel/model/model.h"

/*
 * One such machine for each class; the class with the largest margin wins.
 * The probabilities are the softmax of the margins: they order the classes,
 * but are no estimates of frequencies.  See SdcModelMethod.
 */
extern void *sdc_linear_svm_fit(SdcHost *host, const SdcModelTask *task);
extern void sdc_linear_svm_predict(void *fitted, const SdcModelTable *table,
								   int32_t row, double *probability);

#endif
