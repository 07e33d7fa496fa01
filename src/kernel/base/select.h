/*
 * select.h
 *		Records parted at a rank of one of their numbers.
 */
#ifndef SDC_KERNEL_SELECT_H
#define SDC_KERNEL_SELECT_H

#include "kernel/base/host.h"

/*
 * Moves the middle-th smallest (from 0) of n records by the number at axis to
 * its place, smaller ones before and larger ones after it.  A record is width
 * doubles; records lie one after the other.  Numbers must not be NaN.  The
 * order that results depends on the numbers and their order alone.  O(n)
 * expected; polls.
 */
extern void sdc_select_record(SdcHost *host, double *records, size_t width,
							  int64_t n, int64_t middle, int axis);

#endif
