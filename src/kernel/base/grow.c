/*
 * grow.c
 *		Arrays that grow.
 */
#include "kernel/base/grow.h"

#include <string.h>

void *
sdc_grow(SdcHost *host, void *array, size_t used, size_t room, size_t size)
{
	void *larger = host->alloc(host, room, size);

	if (used > 0)
		memcpy(larger, array, used * size);
	host->release(host, array);
	return larger;
}
