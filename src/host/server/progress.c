/*
 * progress.c
 *		How far a long call has come: NOTICE lines and a shared table.
 *
 * A call that runs longer than sdc.progress_interval tells its client how far
 * it is, and other sessions through the view sdc.progress.  The view reads a
 * small table of slots in the shared memory that PostgreSQL leaves spare, so
 * no preload is needed; a server without spare room, or with every slot taken,
 * only lacks the view.  A process holds one slot at the most: of calls inside
 * calls, the one that took it first shows.  The slot is given back when the
 * memory of the call goes, which happens after an error too, and at exit.
 */
#include "postgres.h"

#include <math.h>

#include "access/parallel.h"
#include "catalog/pg_authid.h"
#include "commands/dbcommands.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/progress.h"

/* Microseconds between two writes to the shared row. */
#define SHARE_INTERVAL 200000

/*
 * The name of the table; another layout of the slots needs another name, for
 * the table outlives an update of the library.
 */
#define TABLE_NAME "sdc progress 1"

/* A row and its lock; the row is free while its pid is 0. */
typedef struct Slot
{
	slock_t lock;
	SdcProgressRow row;
} Slot;

static Slot *slots;
static bool slots_missing;
static int my_slot = -1;

/* Gives this process's slot back, at its exit too. */
static void
leave_slot(int code, Datum arg)
{
	Slot *slot;

	if (my_slot < 0)
		return;
	slot = &slots[my_slot];
	my_slot = -1;
	SpinLockAcquire(&slot->lock);
	slot->row.pid = 0;
	SpinLockRelease(&slot->lock);
}

/* Finds or makes the table; NULL when there is no room. */
static Slot *
find_slots(void)
{
	bool found;
	Slot *table =
		ShmemInitStruct(TABLE_NAME, sizeof(Slot) * SDC_PROGRESS_SLOTS, &found);
	int i;

	for (i = 0; !found && i < SDC_PROGRESS_SLOTS; i++)
	{
		SpinLockInit(&table[i].lock);
		memset(&table[i].row, 0, sizeof(SdcProgressRow));
	}
	return table;
}

/* Attaches to the table once; quietly does without when that fails. */
static void
attach_slots(void)
{
	MemoryContext caller = CurrentMemoryContext;
	uint32 held;
	uint32 cancel_held;

	if (slots != NULL || slots_missing)
		return;
	before_shmem_exit(leave_slot, (Datum) 0);
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	held = InterruptHoldoffCount;
	cancel_held = QueryCancelHoldoffCount;
	PG_TRY();
	{
		slots = find_slots();
	}
	PG_CATCH();
	{
		/* the error reset the counts that releasing a lock relies on */
		InterruptHoldoffCount = held;
		QueryCancelHoldoffCount = cancel_held;
		MemoryContextSwitchTo(caller);
		FlushErrorState();
		slots_missing = true;
	}
	PG_END_TRY();
	LWLockRelease(AddinShmemInitLock);
}

/* Takes the slot if it is free. */
static bool
take_if_free(Slot *slot, const SdcProgress *progress)
{
	bool taken = false;

	SpinLockAcquire(&slot->lock);
	if (slot->row.pid == 0)
	{
		slot->row.pid = MyProcPid;
		slot->row.database = MyDatabaseId;
		slot->row.role = GetSessionUserId();
		slot->row.started = progress->started;
		strlcpy(slot->row.function, progress->function, SDC_PROGRESS_NAME);
		slot->row.stage[0] = '\0';
		slot->row.percent = -1;
		slot->row.stage_started = progress->stage_started;
		taken = true;
	}
	SpinLockRelease(&slot->lock);
	return taken;
}

/* Takes a free slot for this process, if there is one. */
static void
take_slot(SdcProgress *progress)
{
	int i;

	attach_slots();
	if (slots == NULL || my_slot >= 0)
		return;
	for (i = 0; i < SDC_PROGRESS_SLOTS && my_slot < 0; i++)
		if (take_if_free(&slots[i], progress))
			my_slot = progress->slot = i;
}

/* Writes the state of the call to its slot. */
static void
share(SdcProgress *progress)
{
	Slot *slot;

	if (progress->slot < 0)
		take_slot(progress);
	if (progress->slot < 0)
		return;
	slot = &slots[progress->slot];
	SpinLockAcquire(&slot->lock);
	slot->row.percent = progress->percent;
	slot->row.stage_started = progress->stage_started;
	strlcpy(slot->row.stage, progress->stage, SDC_PROGRESS_NAME);
	SpinLockRelease(&slot->lock);
}

/*
 * Microseconds the stage still takes if it goes on as it did since it started;
 * -1 while that cannot be told.
 */
static double
progress_left(double percent, TimestampTz stage_started, TimestampTz now)
{
	if (percent <= 0 || now < stage_started)
		return -1;
	return (double) (now - stage_started) * (100 - percent) / percent;
}

/* Tells the client how far the call is. */
static void
notice(const SdcProgress *progress, TimestampTz now)
{
	double left =
		progress_left(progress->percent, progress->stage_started, now);

	if (left >= 0)
		ereport(NOTICE, (errmsg("%s: %s, %.0f %% done, about %.0f s left",
								progress->function, progress->stage,
								floor(progress->percent), ceil(left / 1e6))));
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
	if (IsParallelWorker() || progress->function == NULL)
		return;
	if (total > 0)
		progress->percent = 100.0 * Min(done, total) / total;
	now = GetCurrentTimestamp();
	if (now - progress->shared >= SHARE_INTERVAL)
	{
		progress->shared = now;
		share(progress);
	}
	if (sdcpg_progress_interval > 0 &&
		now - progress->noticed >= sdcpg_progress_interval * 1e6)
	{
		progress->noticed = now;
		notice(progress, now);
	}
}

void
sdcpg_progress_end(SdcProgress *progress)
{
	if (progress->slot >= 0 && progress->slot == my_slot)
		leave_slot(0, (Datum) 0);
	progress->slot = -1;
}

/* Copies the rows in use to rows[] (as many as max) and counts them. */
static int
progress_read(SdcProgressRow *rows, int max)
{
	int count = 0;
	int i;

	attach_slots();
	for (i = 0; slots != NULL && i < SDC_PROGRESS_SLOTS && count < max; i++)
	{
		SpinLockAcquire(&slots[i].lock);
		rows[count] = slots[i].row;
		SpinLockRelease(&slots[i].lock);
		if (rows[count].pid != 0)
			count++;
	}
	return count;
}

/* ----------------------------------------------------------------------
 * sdc.progress: how far the calls of sdc in every session have come.
 *
 * Follows pg_stat_activity in what it shows: everyone sees that a session
 * runs something, but only members of its role or of pg_read_all_stats see
 * what.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_progress);

#define PROGRESS_COLUMNS 8

/* May the current user see more of the row than its process? */
static bool
may_see(const SdcProgressRow *row)
{
	Oid user = GetUserId();

	return has_privs_of_role(user, ROLE_PG_READ_ALL_STATS) ||
		   has_privs_of_role(user, row->role);
}

/* A name, or NULL when its object was dropped meanwhile. */
static void
set_name(Datum *value, bool *isnull, char *name)
{
	if (name == NULL)
		return;
	*value = DirectFunctionCall1(namein, CStringGetDatum(name));
	*isnull = false;
}

static void
set_interval(Datum *value, bool *isnull, double microseconds)
{
	Interval *interval = palloc0(sizeof(Interval));

	interval->time = (TimeOffset) microseconds;
	*value = IntervalPGetDatum(interval);
	*isnull = false;
}

/* Fills the columns behind the first. */
static void
set_details(const SdcProgressRow *row, TimestampTz now, Datum *value,
			bool *isnull)
{
	double left = progress_left(row->percent, row->stage_started, now);

	set_name(&value[1], &isnull[1], get_database_name(row->database));
	set_name(&value[2], &isnull[2], GetUserNameFromId(row->role, true));
	value[3] = CStringGetTextDatum(row->function);
	value[4] = CStringGetTextDatum(row->stage);
	isnull[3] = isnull[4] = false;
	value[5] = Float8GetDatum(row->percent);
	isnull[5] = row->percent < 0;
	set_interval(&value[6], &isnull[6], Max(now - row->started, 0));
	if (left >= 0)
		set_interval(&value[7], &isnull[7], left);
}

/* progress() RETURNS SETOF record */
Datum
sdcf_progress(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	SdcProgressRow rows[SDC_PROGRESS_SLOTS];
	TimestampTz now = GetCurrentTimestamp();
	int count;
	int i;

	InitMaterializedSRF(fcinfo, 0);
	count = progress_read(rows, SDC_PROGRESS_SLOTS);
	for (i = 0; i < count; i++)
	{
		Datum value[PROGRESS_COLUMNS];
		bool isnull[PROGRESS_COLUMNS];

		memset(value, 0, sizeof(value));
		memset(isnull, true, sizeof(isnull));
		value[0] = Int32GetDatum(rows[i].pid);
		isnull[0] = false;
		if (may_see(&rows[i]))
			set_details(&rows[i], now, value, isnull);
		tuplestore_putvalues(result->setResult, result->setDesc, value,
							 isnull);
	}
	return (Datum) 0;
}
