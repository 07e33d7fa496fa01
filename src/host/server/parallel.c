/*
 * parallel.c
 *		A kernel run over blocks of work by several processes.
 *
 * PostgreSQL's own parallel workers do the work: they take over the caller's
 * role and settings, their errors reach the caller, and an error or a cancel
 * ends them with the transaction.  Threads are not used, because nothing in a
 * backend may be called from one.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/paths.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/condition_variable.h"
#include "storage/shm_toc.h"

#include "host/server/host.h"
#include "host/server/parallel.h"
#include "kernel/base/host.h"

#define KEY_QUEUE UINT64CONST(0x5DC0000000000001)
#define KEY_TASK  UINT64CONST(0x5DC0000000000002)

/* Seconds of work that are worth one more process. */
#define WORKER_SECONDS 0.1

/* Which block is next, and how many of the first ones are done. */
typedef struct Queue
{
	pg_atomic_uint64 next;
	pg_atomic_uint64 done;
	ConditionVariable ready;
	uint64 blocks;
	uint64 first;
} Queue;

int
sdcpg_parallel_workers(double seconds)
{
	double workers = seconds / WORKER_SECONDS;

	return (int) Min(workers, max_parallel_workers_per_gather);
}

/* Waits for those who still work on the first blocks. */
static void
wait_for_first(Queue *queue)
{
	if (pg_atomic_read_u64(&queue->done) >= queue->first)
		return;
	ConditionVariablePrepareToSleep(&queue->ready);
	while (pg_atomic_read_u64(&queue->done) < queue->first)
		ConditionVariableSleep(&queue->ready, PG_WAIT_EXTENSION);
	ConditionVariableCancelSleep();
}

/* Counts one of the first blocks as done. */
static void
count_first(Queue *queue)
{
	if (pg_atomic_add_fetch_u64(&queue->done, 1) == queue->first)
		ConditionVariableBroadcast(&queue->ready);
}

/* Takes blocks until there are no more. */
static void
work_off(SdcHost *host, Queue *queue, void *task, SdcParallelWork work)
{
	for (;;)
	{
		uint64 block = pg_atomic_fetch_add_u64(&queue->next, 1);

		if (block >= queue->blocks)
			break;
		host->poll(host, block, queue->blocks);
		if (block >= queue->first)
			wait_for_first(queue);
		work(host, task, block);
		if (block < queue->first)
			count_first(queue);
	}
}

/* Starts a parallel context with room for the queue and the task. */
static void
begin_shared(SdcParallel *parallel, const char *entry, int workers)
{
	ParallelContext *context;

	sdcpg_host_count(parallel->host, parallel->size);
	EnterParallelMode();
	context = CreateParallelContext("$libdir/sdc", entry, workers);
	shm_toc_estimate_chunk(&context->estimator, sizeof(Queue));
	shm_toc_estimate_chunk(&context->estimator, parallel->size);
	shm_toc_estimate_keys(&context->estimator, 2);
	InitializeParallelDSM(context);
	parallel->context = context;
	parallel->task = shm_toc_allocate(context->toc, parallel->size);
}

void *
sdcpg_parallel_begin(SdcParallel *parallel, SdcPgHost *host, const char *entry,
					 Size size, int workers)
{
	parallel->host = host;
	parallel->context = NULL;
	parallel->size = size;
	if (workers > 0 && !IsInParallelMode())
		begin_shared(parallel, entry, workers);
	else
		parallel->task = host->kernel.alloc(&host->kernel, size, 1);
	return parallel->task;
}

void
sdcpg_parallel_run(SdcParallel *parallel, SdcParallelWork work, uint64 blocks,
				   uint64 first)
{
	ParallelContext *context = parallel->context;
	Queue alone;
	Queue *queue = &alone;

	if (context != NULL)
		queue = shm_toc_allocate(context->toc, sizeof(Queue));
	pg_atomic_init_u64(&queue->next, 0);
	pg_atomic_init_u64(&queue->done, 0);
	ConditionVariableInit(&queue->ready);
	queue->blocks = blocks;
	queue->first = first;
	if (context != NULL)
	{
		shm_toc_insert(context->toc, KEY_QUEUE, queue);
		shm_toc_insert(context->toc, KEY_TASK, parallel->task);
		LaunchParallelWorkers(context);
	}
	work_off(&parallel->host->kernel, queue, parallel->task, work);
	if (context != NULL)
		WaitForParallelWorkersToFinish(context);
}

void
sdcpg_parallel_end(SdcParallel *parallel)
{
	SdcHost *host = &parallel->host->kernel;

	if (parallel->context == NULL)
	{
		host->release(host, parallel->task);
		return;
	}
	DestroyParallelContext(parallel->context);
	ExitParallelMode();
	sdcpg_host_count(parallel->host, -(int64) parallel->size);
}

void
sdcpg_parallel_worker(dsm_segment *segment, shm_toc *toc, SdcParallelWork work)
{
	SdcPgHost *host = sdcpg_host_begin("worker", CurrentMemoryContext);

	work_off(&host->kernel, shm_toc_lookup(toc, KEY_QUEUE, false),
			 shm_toc_lookup(toc, KEY_TASK, false), work);
	sdcpg_host_end(host);
}
