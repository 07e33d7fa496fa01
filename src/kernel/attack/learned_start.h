/*
 * learned_start.h
 *		Points to start from, and the pairs that matter at them.
 */
#ifndef SDC_KERNEL_LEARNED_START_H
#define SDC_KERNEL_LEARNED_START_H

#include "kernel/attack/learned_rows.h"

/*
 * The Mahalanobis distance of aligned files as half a matrix: the inverse of
 * the covariance of the differences between each record and its own target.
 * False when that is singular.  O(records columns^2 + columns^3).
 */
extern bool sdc_learned_start_mahalanobis(const SdcLearnedData *data,
										  double *half);

/*
 * The point of outer that is the same distance as a point of inner, a family
 * that lies in it.
 */
extern void sdc_learned_start_embed(const SdcLearnedForm *inner,
									const double *from,
									const SdcLearnedForm *outer, double *to);

/*
 * Adds to the pool the nearest targets of each record at a point, count of
 * them.  O(records targets features).
 */
extern void sdc_learned_start_nearest(SdcHost *host,
									  const SdcLearnedForm *form,
									  const SdcLearnedData *data,
									  const double *point, int count,
									  SdcLearnedPool *pool);

#endif
