/*
 * host.c
 *		PostgreSQL as the host of a kernel: memory, interrupts, progress.
 *
 * Every array a kernel asks for is counted against sdc.memory_limit before it
 * is taken, so that a call fails with a clear message and never because the
 * machine ran out of memory.  All of it lies in one context, which an error
 * or the end of the call deletes.
 */
#include "postgres.h"

#include <sys/mman.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "pg/server/host.h"
#include "pg/server/settings.h"

/* The size of a large page on the machines that matter. */
#define LARGE_PAGE ((uintptr_t) 2 * 1024 * 1024)

/*
 * Bytes of an array, at least 1; stops when they and what is held already are
 * more than the limit.
 */
static Size
check_limit(SdcPgHost *host, Size held, Size count, Size size)
{
	Size limit = (Size) sdcpg_memory_limit * 1024;
	Size bytes = Max(count * size, 1);

	if ((size != 0 && count > MaxAllocHugeSize / size) || bytes > limit ||
		held > limit - bytes)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("memory required is more than sdc.memory_limit "
						"(%d MB)",
						sdcpg_memory_limit / 1024),
				 errdetail("The call holds %zu MB and asks for %zu MB more.",
						   host->used >> 20, bytes >> 20),
				 errhint("Raise sdc.memory_limit, or work on fewer rows: "
						 "strata with PARTITION BY, or a view.")));
	return bytes;
}

/*
 * Asks for large pages behind a large array: arrays are made for one call and
 * read at random, so page faults and misses of the address cache are a good
 * part of their cost.  Where the system does not know the request or refuses
 * it, nothing is lost.
 */
static void
prefer_large_pages(void *memory, Size bytes)
{
#ifdef MADV_HUGEPAGE
	uintptr_t first = TYPEALIGN(LARGE_PAGE, (uintptr_t) memory);
	uintptr_t last = TYPEALIGN_DOWN(LARGE_PAGE, (uintptr_t) memory + bytes);

	if (bytes >= 2 * LARGE_PAGE && last > first)
		(void) madvise((void *) first, last - first, MADV_HUGEPAGE);
#endif
}

/* Takes an array in a context after checking it against the limit. */
static void *
allocate(SdcPgHost *host, MemoryContext context, Size count, Size size)
{
	Size bytes = check_limit(host, host->used, count, size);
	void *memory = MemoryContextAllocHuge(context, bytes);

	prefer_large_pages(memory, bytes);
	host->used += GetMemoryChunkSpace(memory);
	host->peak = Max(host->peak, host->used);
	return memory;
}

static void *
host_alloc(SdcHost *kernel, size_t count, size_t size)
{
	SdcPgHost *host = (SdcPgHost *) kernel;

	return allocate(host, host->work, count, size);
}

static void
host_release(SdcHost *kernel, void *memory)
{
	SdcPgHost *host = (SdcPgHost *) kernel;

	if (memory == NULL)
		return;
	host->used -= GetMemoryChunkSpace(memory);
	pfree(memory);
}

static void
host_poll(SdcHost *kernel, uint64_t done, uint64_t total)
{
	SdcPgHost *host = (SdcPgHost *) kernel;

	sdcpg_host_check(host);
	sdcpg_progress_update(&host->progress, done, total);
}

static void
host_stage(SdcHost *kernel, const char *name)
{
	sdcpg_progress_stage(&((SdcPgHost *) kernel)->progress, name);
}

/*
 * Most interrupts are small jobs to do in passing; only one that raises an
 * error is a reason to stop.  The error waits until it can be let out, and no
 * more interrupts are answered meanwhile.
 */
static void
catch_interrupt(SdcPgHost *host)
{
	MemoryContext caller = CurrentMemoryContext;
	uint32 held = InterruptHoldoffCount;
	uint32 cancel_held = QueryCancelHoldoffCount;

	PG_TRY();
	{
		CHECK_FOR_INTERRUPTS();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(host->work);
		host->stopped = CopyErrorData();
		FlushErrorState();
		MemoryContextSwitchTo(caller);
		InterruptHoldoffCount = held;
		QueryCancelHoldoffCount = cancel_held;
	}
	PG_END_TRY();
}

static bool
host_pending(SdcHost *kernel)
{
	SdcPgHost *host = (SdcPgHost *) kernel;

	if (host->stopped == NULL && InterruptPending)
		catch_interrupt(host);
	return host->stopped != NULL;
}

void
sdcpg_host_check(SdcPgHost *host)
{
	if (host->stopped != NULL)
		ReThrowError(host->stopped);
	CHECK_FOR_INTERRUPTS();
}

/* The work context is going away, at the end of the call or by an error. */
static void
host_forget(void *arg)
{
	sdcpg_progress_end(&((SdcPgHost *) arg)->progress);
}

SdcPgHost *
sdcpg_host_begin(const char *function, MemoryContext keep)
{
	MemoryContext work = AllocSetContextCreate(
		CurrentMemoryContext, "sdc work", ALLOCSET_DEFAULT_SIZES);
	SdcPgHost *host = MemoryContextAllocZero(work, sizeof(SdcPgHost));
	MemoryContextCallback *forget;

	host->kernel.alloc = host_alloc;
	host->kernel.release = host_release;
	host->kernel.poll = host_poll;
	host->kernel.stage = host_stage;
	host->kernel.pending = host_pending;
	host->work = work;
	host->keep = keep;
	sdcpg_progress_begin(&host->progress, function);
	forget = MemoryContextAlloc(work, sizeof(MemoryContextCallback));
	forget->func = host_forget;
	forget->arg = host;
	MemoryContextRegisterResetCallback(work, forget);
	return host;
}

void
sdcpg_host_end(SdcPgHost *host)
{
	MemoryContextDelete(host->work);
}

void *
sdcpg_host_keep(SdcPgHost *host, Size count, Size size)
{
	return allocate(host, host->keep, count, size);
}

void *
sdcpg_host_grow(SdcPgHost *host, void *memory, Size count, Size size)
{
	Size held = memory != NULL ? GetMemoryChunkSpace(memory) : 0;
	Size bytes;

	if (memory == NULL)
		return allocate(host, host->work, count, size);
	bytes = check_limit(host, host->used - held, count, size);
	memory = repalloc_huge(memory, bytes);
	host->used += GetMemoryChunkSpace(memory) - held;
	host->peak = Max(host->peak, host->used);
	return memory;
}

void
sdcpg_host_count(SdcPgHost *host, int64 bytes)
{
	if (bytes > 0)
		check_limit(host, host->used, bytes, 1);
	host->used += bytes;
	host->peak = Max(host->peak, host->used);
}

uint64
sdcpg_strong_seed(void)
{
	uint64 seed;

	if (!pg_strong_random(&seed, sizeof(seed)))
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR),
						errmsg("could not generate random numbers")));
	return seed;
}
