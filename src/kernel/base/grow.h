/*
 * grow.h
 *		Arrays that grow.
 */
#ifndef SDC_KERNEL_GROW_H
#define SDC_KERNEL_GROW_H

#include "kernel/base/host.h"

/*
 * An array with room for that many items of a size, which begins with the
 * used items of the old one; the old one, which may be NULL when none are
 * used, is given back.  O(used * size).
 */
extern void *sdc_grow(SdcHost *host, void *array, size_t used, size_t room,
					  size_t size);

#endif
