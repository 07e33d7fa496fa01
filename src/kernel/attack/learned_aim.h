/*
 * learned_aim.h
 *		Directions to walk in.
 */
#ifndef SDC_KERNEL_LEARNED_AIM_H
#define SDC_KERNEL_LEARNED_AIM_H

#include "kernel/attack/learned_rows.h"
#include "kernel/base/random.h"

/*
 * A random direction from a point that keeps its norm; false when the one
 * drawn leads nowhere.
 */
extern bool sdc_learned_aim_take(const SdcLearnedRows *rows, SdcRandom *random,
								 const double *point, double *direction);

/*
 * Changes a direction so that it keeps the norm of the point; where there are
 * signs nothing is changed, and the point is scaled after the step.
 */
extern void sdc_learned_aim_keep_norm(const SdcLearnedForm *form,
									  const double *point, double *direction);

#endif
