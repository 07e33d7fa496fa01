/*
 * dominance.h
 *		Which of several maskings another one beats in risk and in loss.
 */
#ifndef SDC_KERNEL_DOMINANCE_H
#define SDC_KERNEL_DOMINANCE_H

#include "kernel/base/host.h"

/* In place of a point: no point dominates this one. */
#define SDC_DOMINANCE_NONE (-1)

/*
 * by[i] becomes a point that dominates point i: its risk and its loss are not
 * above those of i, and one of them is below; or SDC_DOMINANCE_NONE, and i is
 * on the frontier.  The one that is named is on the frontier itself; of
 * several it is the one with the least loss among those whose risk is not
 * above that of i, of these the one with the least risk, of these the first.
 * Equal points do not dominate each other.  A point with a NaN dominates none
 * and none dominates it.  O(n log n); scratch 8 n bytes.  Source: Pareto
 * dominance of two objectives, both to be small, by a sweep.
 */
extern void sdc_dominance_find(SdcHost *host, const double *risk,
							   const double *loss, int32_t n, int32_t *by);

#endif
