/*
 * subset_error.h
 *		The measure subset: how wrong the turnover of few customers can be.
 */
#ifndef SDC_KERNEL_SUBSET_ERROR_H
#define SDC_KERNEL_SUBSET_ERROR_H

#include "kernel/base/host.h"

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
