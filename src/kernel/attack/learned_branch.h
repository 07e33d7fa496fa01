/*
 * learned_branch.h
 *		The best weights, proven: branch and bound over the simplex.
 */
#ifndef SDC_KERNEL_LEARNED_BRANCH_H
#define SDC_KERNEL_LEARNED_BRANCH_H

#include "kernel/attack/learned_rows.h"
#include "kernel/attack/learned_sweep.h"

/*
 * Improves point, where *good records hold (sdc_learned_count_rows), and
 * returns the most that any point >= 0 of sum 1 can have; equal to *good when
 * that is proven, larger when the limit came first.  For forms without signs
 * and fixed rows; exponential in the features at worst, fine to about 6.
 */
extern int32_t sdc_learned_branch_run(SdcHost *host,
									  const SdcLearnedRows *rows,
									  const SdcLearnedLimit *limit,
									  int32_t *good, double *point);

#endif
