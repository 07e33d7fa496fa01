/*
 * progress.c
 *		How far a long call has come: NOTICE lines and a shared table.
 *
 * A call that runs longer than sdc.progress_interval tells its client how far
 * it is, and other sessions through the view sdc.progress.  The view reads a
 * small table of slots in the shared memory that PostgreSQL leaves spare, so
 * no preload is needed; a server without spare room, or with every slot taken,
 * only lacks the view.  A slot is written by its owner alone and read without
 * a lock: a torn read shows a wrong percentage once, nothing else.
 */
#include "postgres.h"

#include <math.h>

#include "access/parallel.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#include "pg/progress.h"
#include "pg/settings.h"

/* Microseconds between two writes to the shared row. */
#define SHARE_INTERVAL 200000

static SdcProgressRow *slots;
static bool slots_missing;
static int my_slot = -1;

/* Gives this process's slot back, at its exit too. */
static void
leave_slot(int code, Datum arg)
{
	if (my_slot >= 0)
		slots[my_slot].pid = 0;
	my_slot = -1;
}

/* Finds or makes the table; quietly does without when there is no room. */
static void
attach_slots(void)
{
	MemoryContext caller = CurrentMemoryContext;
	bool found;

	if (slots != NULL || slots_missing)
		return;
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	PG_TRY();
	{
		slots = ShmemInitStruct("sdc progress",
								sizeof(SdcProgressRow) * SDC_PROGRESS_SLOTS,
								&found);
		if (!found)
			memset(slots, 0, sizeof(SdcProgressRow) * SDC_PROGRESS_SLOTS);
	}
	PG_CATCH();
	{
		/* the error reset the hold-off count that releasing a lock expects */
		HOLD_INTERRUPTS();
		MemoryContextSwitchTo(caller);
		FlushErrorState();
		slots_missing = true;
	}
	PG_END_TRY();
	LWLockRelease(AddinShmemInitLock);
	if (slots != NULL)
		before_shmem_exit(leave_slot, (Datum) 0);
}

/* Takes a free slot for this process, if there is one. */
static void
take_slot(SdcProgress *progress)
{
	int i;

	attach_slots();
	if (slots == NULL || my_slot >= 0)
		return;
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	for (i = 0; i < SDC_PROGRESS_SLOTS; i++)
	{
		if (slots[i].pid != 0)
			continue;
		my_slot = progress->slot = i;
		slots[i].database = MyDatabaseId;
		slots[i].role = GetUserId();
		slots[i].started = progress->started;
		strlcpy(slots[i].function, progress->function, SDC_PROGRESS_NAME);
		slots[i].pid = MyProcPid;
		break;
	}
	LWLockRelease(AddinShmemInitLock);
}

/* Writes the state of the call to its slot. */
static void
share(SdcProgress *progress, double percent)
{
	if (progress->slot < 0)
		take_slot(progress);
	if (progress->slot < 0)
		return;
	slots[progress->slot].percent = percent;
	slots[progress->slot].stage_started = progress->stage_started;
	strlcpy(slots[progress->slot].stage, progress->stage, SDC_PROGRESS_NAME);
}

/* Tells the client how far the call is. */
static void
notice(SdcProgress *progress, double percent, TimestampTz now)
{
	double elapsed = (now - progress->stage_started) / 1e6;

	if (percent > 0)
		ereport(NOTICE, (errmsg("%s: %s, %.0f %% done, about %.0f s left",
								progress->function, progress->stage, percent,
								ceil(elapsed * (100 - percent) / percent))));
	else
		ereport(NOTICE,
				(errmsg("%s: %s, for %.0f s", progress->function,
						progress->stage, (now - progress->started) / 1e6)));
}

void
sdcpg_progress_begin(SdcProgress *progress, const char *function)
{
	progress->function = function;
	progress->stage = "reading";
	progress->percent = -1;
	progress->slot = -1;
	progress->started = GetCurrentTimestamp();
	progress->stage_started = progress->started;
	progress->noticed = progress->started;
	progress->shared = progress->started;
}

void
sdcpg_progress_stage(SdcProgress *progress, const char *stage)
{
	progress->stage = stage;
	progress->percent = -1;
	progress->stage_started = GetCurrentTimestamp();
}

void
sdcpg_progress_update(SdcProgress *progress, uint64 done, uint64 total)
{
	TimestampTz now;

	/* workers have no client and no row of their own */
	if (IsParallelWorker())
		return;
	if (total > 0)
		progress->percent = 100.0 * done / total;
	now = GetCurrentTimestamp();
	if (now - progress->shared >= SHARE_INTERVAL)
	{
		progress->shared = now;
		share(progress, progress->percent);
	}
	if (sdcpg_progress_interval > 0 &&
		now - progress->noticed >= sdcpg_progress_interval * 1e6)
	{
		progress->noticed = now;
		notice(progress, progress->percent, now);
	}
}

void
sdcpg_progress_end(SdcProgress *progress)
{
	if (progress->slot >= 0 && progress->slot == my_slot)
		leave_slot(0, (Datum) 0);
	progress->slot = -1;
}

int
sdcpg_progress_read(SdcProgressRow *rows, int max)
{
	int count = 0;
	int i;

	attach_slots();
	for (i = 0; slots != NULL && i < SDC_PROGRESS_SLOTS && count < max; i++)
	{
		rows[count] = slots[i];
		if (rows[count].pid != 0)
			count++;
	}
	return count;
}
