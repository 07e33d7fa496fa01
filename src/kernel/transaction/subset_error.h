/*
 * subset_error.h
 *		The measure subset: how wrong the turnover of few customers can be.
 */
#ifndef SDC_KERNEL_SUBSET_ERROR_H
#define SDC_KERNEL_SUBSET_ERROR_H

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

/* A customer's masked minus original turnover of one day. */
typedef struct SdcSubsetDay
{
	int64_t day;
	int64_t difference;
	int32_t customer;
} SdcSubsetDay;

/* The n differences in the order of their days; allocated.  O(n). */
extern SdcSubsetDay *sdc_subset_sort(SdcHost *host, const SdcSubsetDay *days,
									 int32_t n);

/*
 * The largest |sum| of the differences of k customers in span consecutive
 * days, over all choices of the customers and all windows.  days[] is
 * ascending by day; customers are 0 to customers - 1, 1 <= k <= customers.
 * The sum of all |difference| must fit an int64.
 *
 * Exact: of one window, the k largest and the k smallest customers are the
 * choice.  Windows are looked at where a day enters or leaves.  O(customers)
 * expected for each; 16 bytes for each customer.  PWSCUP 2016, subset.
 */
extern int64_t sdc_subset_error(SdcHost *host, const SdcSubsetDay *days,
								int64_t count, int32_t customers, int32_t k,
								int64_t span);

#endif
