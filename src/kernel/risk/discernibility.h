/*
 * discernibility.h
 *		What classes cost the user of a file: the discernibility metric.
 */
#ifndef SDC_KERNEL_DISCERNIBILITY_H
#define SDC_KERNEL_DISCERNIBILITY_H

#include "kernel/base/host.h"

/*
 * Discernibility (Bayardo and Agrawal 2005): each record costs the size of its
 * class, so a class costs size^2; a record of a class below k is suppressed
 * and costs the size of the file.  k = 0 suppresses nothing.  Exact.
 * O(classes).
 */
extern unsigned __int128 sdc_discernibility_cost(SdcHost *host,
												 const int64_t *size,
												 int32_t classes, int64_t k);

#endif
