/*
 * logistic_classes.h
 *		Logistic regression as a classifier: one class against the rest.
 */
#ifndef SDC_KERNEL_LOGISTIC_CLASSES_H
#define SDC_KERNEL_LOGISTIC_CLASSES_H

#include "kernel/model/model.h"

/*
 * For each class the maximum likelihood fit of logistic.h to "is it this
 * class"; the probabilities of all are divided by their sum.  A number that is
 * NULL takes the mean of the training rows; a category has an effect for each
 * value, NULL among them, that occurs in training, the first being the base; a
 * value that does not occur counts as the base.  See SdcModelMethod.
 */
extern void *sdc_logistic_classes_fit(SdcHost *host, const SdcModelTask *task);
extern void sdc_logistic_classes_predict(void *fitted,
										 const SdcModelTable *table,
										 int32_t row, double *probability);

/* Parameters of the fit for one class, the intercept among them.  O(rows). */
extern int64_t sdc_logistic_classes_parameters(SdcHost *host,
											   const SdcModelTask *task);

#endif
