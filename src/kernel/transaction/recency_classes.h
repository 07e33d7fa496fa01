/*
 * recency_classes.h
 *		Recency, frequency and money: classes of customers, and how far two
 *		files differ in them.
 */
#ifndef SDC_KERNEL_RECENCY_CLASSES_H
#define SDC_KERNEL_RECENCY_CLASSES_H

#include "kernel/base/host.h"

/* The dimensions: recency, frequency, money. */
#define SDC_RECENCY_CLASSES_DIMENSIONS 3

/* The figures of n customers, value[dimension][customer]. */
typedef struct SdcRecencyFile
{
	int32_t n;
	const double *value[SDC_RECENCY_CLASSES_DIMENSIONS];
} SdcRecencyFile;

/*
 * sqrt(sum (h - h')^2 / (sum h^2 + sum h'^2)) with h and h' the numbers of
 * customers in each of classes^3 cells: 0 when they are equal, 1 when no cell
 * has customers of both, NaN when there are none.  A dimension is cut at the
 * quantiles of the original only: cut j is the smallest value that at least
 * j / classes of its customers do not exceed, and the class of a value is the
 * number of cuts below it.  2 <= classes <= 100.  O(n log n).
 */
extern double sdc_recency_classes_error(SdcHost *host,
										const SdcRecencyFile *original,
										const SdcRecencyFile *masked,
										int classes);

#endif
