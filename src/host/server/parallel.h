/*
 * parallel.h
 *		A kernel run over blocks of work by several processes.
 *
 *		task = sdcpg_parallel_begin(&parallel, host, "entry", size, workers);
 *		... fill the task, which lies in shared memory ...
 *		sdcpg_parallel_run(&parallel, work, blocks, first);
 *		... read the results from the task ...
 *		sdcpg_parallel_end(&parallel);
 *
 * Blocks are handed out by a counter, to whoever is free; the calling process
 * works too, so no worker at all is correct as well.  A task must not hold
 * pointers, for each process sees it at another address.
 */
#ifndef SDC_HOST_PARALLEL_H
#define SDC_HOST_PARALLEL_H

#include "postgres.h"

#include "access/parallel.h"

#include "host/server/host.h"
#include "kernel/base/host.h"

/* Works off one block of a task. */
typedef void (*SdcParallelWork)(SdcHost *host, void *task, uint64_t block);

/* A task that several processes work on. */
typedef struct SdcParallel
{
	SdcPgHost *host;
	ParallelContext *context; /* NULL when this process is alone */
	void *task;
	Size size;
} SdcParallel;

/*
 * Workers worth starting for that many seconds of work, by a rough estimate:
 * none for less than a tenth of a second, and never more than
 * max_parallel_workers_per_gather.
 */
extern int sdcpg_parallel_workers(double seconds);

/*
 * Makes room for a task of that size, shared with up to so many workers; not
 * shared when there are none or when the query is parallel already.  entry
 * names the exported function that workers start in: it takes the arguments
 * of sdcpg_parallel_worker without the last, and calls it.
 */
extern void *sdcpg_parallel_begin(SdcParallel *parallel, SdcPgHost *host,
								  const char *entry, Size size, int workers);

/*
 * Works off all blocks; returns when they are done.  The first so many are
 * done before any other begins.
 */
extern void sdcpg_parallel_run(SdcParallel *parallel, SdcParallelWork work,
							   uint64 blocks, uint64 first);

/* Gives the task back and ends the workers. */
extern void sdcpg_parallel_end(SdcParallel *parallel);

/* The body of a worker's entry function. */
extern void sdcpg_parallel_worker(dsm_segment *segment, shm_toc *toc,
								  SdcParallelWork work);

#endif
