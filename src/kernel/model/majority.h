/*
 * majority.h
 *		The baseline: the most frequent class, whatever the columns say.
 */
#ifndef SDC_KERNEL_MAJORITY_H
#define SDC_KERNEL_MAJORITY_H

#include "kernel/model/model.h"

/*
 * Probabilities are the shares of the classes (ZeroR).  O(rows); see
 * SdcModelMethod.
 */
extern void *sdc_majority_fit(SdcHost *host, const SdcModelTask *task);
extern void sdc_majority_predict(void *fitted, const SdcModelTable *table,
								 int32_t row, double *probability);

#endif
