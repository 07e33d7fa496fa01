/*
 * naive_bayes.h
 *		Naive Bayes: columns independent within each class.
 */
#ifndef SDC_KERNEL_NAIVE_BAYES_H
#define SDC_KERNEL_NAIVE_BAYES_H

#include "kernel/base/host.h"
#include "kernel/model/model.h"

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

#endif
