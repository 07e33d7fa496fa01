/*
 * bins.h
 *		Intervals of numbers with about equally many values each.
 */
#ifndef SDC_KERNEL_BINS_H
#define SDC_KERNEL_BINS_H

#include "kernel/base/host.h"

/*
 * Cuts the numbers x, in ascending order, into at most bins intervals of
 * about equal frequency, equal values together; up to bins different values
 * have an interval each.  cut[] has room for bins - 1 numbers; returns how
 * many there are.  Interval b holds the values from cut[b - 1] on and below
 * cut[b].  O(rows).
 */
extern int32_t sdc_bins_cut(const double *x, size_t rows, int32_t bins,
							double *cut);

/* The interval of a number: how many cuts are no larger.  O(log cuts). */
extern int32_t sdc_bins_find(const double *cut, int32_t cuts, double x);

/*
 * The numbers that are not NAN in ascending order; *count tells how many.
 * O(rows).
 */
extern double *sdc_bins_sort(SdcHost *host, const double *x, size_t rows,
							 size_t *count);

/* How many of n ascending numbers are below x, or up to x.  O(log n). */
extern size_t sdc_bins_below(const double *sorted, size_t n, double x);
extern size_t sdc_bins_up_to(const double *sorted, size_t n, double x);

#endif
