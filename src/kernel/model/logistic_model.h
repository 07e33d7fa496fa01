/*
 * logistic_model.h
 *		What the files of logistic regression share.
 */
#ifndef SDC_KERNEL_LOGISTIC_MODEL_H
#define SDC_KERNEL_LOGISTIC_MODEL_H

#include "kernel/model/logistic.h"

/*
 * A model for the columns of data without any effect yet; its numbers are
 * standardized, to mean 0 and variance 1, products to a mean square of 1.
 */
extern SdcLogistic *sdc_logistic_new(SdcHost *host,
									 const SdcLogisticData *data);

/*
 * The effects of a row that are not zero, in rising order of place; returns
 * how many, at most one more than there are columns.
 */
extern int sdc_logistic_list(const SdcLogistic *model,
							 const SdcLogisticData *data, size_t row,
							 int *place, double *value);

#endif
