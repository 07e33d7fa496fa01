/*
 * training_scale.h
 *		The scale of a number column among the training rows.
 */
#ifndef SDC_KERNEL_TRAINING_SCALE_H
#define SDC_KERNEL_TRAINING_SCALE_H

#include <math.h>

#include "kernel/geometry/scale.h"
#include "kernel/model/model.h"

/*
 * The scale of column j by its values that are not NULL in the training rows;
 * deviation 0 when there are none or all are equal.  O(rows).
 */
extern SdcScale sdc_training_scale_find(SdcHost *host,
										const SdcModelTask *task, int j);

/* The standard score of a value that is not NULL; 0 without a deviation. */
static inline double
sdc_training_scale_apply(const SdcScale *scale, double x)
{
	return scale->deviation > 0 ? sdc_scale_apply(scale, x) : 0;
}

#endif
