/*
 * record_order.h
 *		Records of mixed columns in an order that only their values decide.
 */
#ifndef SDC_KERNEL_RECORD_ORDER_H
#define SDC_KERNEL_RECORD_ORDER_H

#include "kernel/base/host.h"

/*
 * Mixes a column, numbers or codes (the other one is NULL), into the digest of
 * each row; digests start at 0.  NANs are one value, and -0 is 0.
 */
extern void sdc_record_order_mix(SdcHost *host, const double *number,
								 const int32_t *code, size_t rows,
								 uint64_t *digest);

/*
 * The rows in the order of their digests, equal ones in that of a second
 * digest, unless it is NULL.  Sums in this order do not depend on
 * the order of the rows, unless two different records have one digest of 64
 * bits: for a million records, with a chance of 3e-8.  O(rows).
 */
extern int32_t *sdc_record_order_sort(SdcHost *host, const uint64_t *digest,
									  const uint64_t *second, size_t rows);

#endif
