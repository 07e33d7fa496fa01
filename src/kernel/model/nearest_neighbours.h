/*
 * nearest_neighbours.h
 *		The majority among the nearest training rows.
 */
#ifndef SDC_KERNEL_NEAREST_NEIGHBOURS_H
#define SDC_KERNEL_NEAREST_NEIGHBOURS_H

#include "kernel/base/host.h"
#include "kernel/model/model.h"

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

#endif
