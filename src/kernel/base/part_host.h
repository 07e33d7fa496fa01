/*
 * part_host.h
 *		A host for a part of a larger task.
 *
 * A kernel that is called for a part of the rows reports its own progress;
 * this host adds what was done before and hands everything else on.
 */
#ifndef SDC_KERNEL_PART_HOST_H
#define SDC_KERNEL_PART_HOST_H

#include "kernel/base/host.h"

typedef struct SdcPartHost
{
	SdcHost host; /* for the kernel that does the part */
	SdcHost *outer;
	uint64_t before; /* steps done before the part */
	uint64_t total;  /* steps of the whole task */
} SdcPartHost;

extern void sdc_part_host_start(SdcPartHost *part, SdcHost *outer,
								uint64_t before, uint64_t total);

#endif
