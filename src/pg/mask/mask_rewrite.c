/*
 * mask_rewrite.c
 *		A table masked in place: its storage is written anew.
 *
 * As CLUSTER and ALTER TABLE do it: the masked rows go into a transient heap,
 * which then trades storage with the table, and the indexes are built again.
 * What was there is unlinked at commit: no dead row stays behind.  An UPDATE
 * would leave every old row in the file until a VACUUM FULL, and fire the
 * triggers, which may copy what is to be masked.
 *
 * Code of the user (checks, generated columns, expressions of indexes) runs as
 * the owner of the table in a security-restricted operation, never as the
 * caller.
 */
#include "postgres.h"

#include "access/multixact.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "commands/cluster.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "pg/mask/foreign_keys.h"
#include "pg/mask/mask_guard.h"
#include "pg/mask/mask_rewrite.h"
#include "pg/mask/mask_sink.h"
#include "pg/mask/table_statistics.h"
#include "pg/server/compat.h"

/* Bytes of rows held back, for all tables together and for each. */
#define HELD_BYTES     (16 * 1024 * 1024)
#define MOST_HELD_EACH (256 * 1024)

/* A table and the heap that will be its storage. */
typedef struct Member
{
	Oid table;
	Oid heap;
	char persistence;
	int64 before; /* rows that it had */
	SdcMaskSink *sink;
} Member;

typedef struct Rewriting
{
	SdcMaskPlan *plan;
	int members;
	Member *member; /* in the order of their oids */
	Member *last;
} Rewriting;

static int
compare_members(const void *a, const void *b)
{
	Oid x = ((const Member *) a)->table;
	Oid y = ((const Member *) b)->table;

	return x < y ? -1 : x > y;
}

/* The rows of a table that the active snapshot sees, whoever asks. */
static int64
count_rows(Oid oid)
{
	Relation table = table_open(oid, NoLock);
	TupleTableSlot *slot = table_slot_create(table, NULL);
	TableScanDesc scan = table_beginscan(table, GetActiveSnapshot(), 0, NULL);
	int64 rows = 0;

	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		rows++;
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	table_close(table, NoLock);
	return rows;
}

static void
open_member(Rewriting *rewriting, Member *member)
{
	Relation table = table_open(member->table, NoLock);

	member->persistence = table->rd_rel->relpersistence;
	member->heap =
		sdcpg_make_new_heap(member->table, table->rd_rel->reltablespace,
							table->rd_rel->relam, member->persistence);
	table_close(table, NoLock);
	CommandCounterIncrement();
	member->sink = sdcpg_mask_sink_open(
		rewriting->plan, member->heap, member->table, true,
		Min(MOST_HELD_EACH, HELD_BYTES / rewriting->members));
}

static void
open_members(Rewriting *rewriting, List *tables)
{
	ListCell *cell;
	int i;

	rewriting->member = palloc0(sizeof(Member) * (list_length(tables) + 1));
	foreach (cell, tables)
		rewriting->member[rewriting->members++].table = lfirst_oid(cell);
	qsort(rewriting->member, rewriting->members, sizeof(Member),
		  compare_members);
	for (i = 0; i < rewriting->members; i++)
		open_member(rewriting, &rewriting->member[i]);
	rewriting->last = rewriting->member;
}

/* Gives a row to the heap of the table that it was in. */
static void
take_row(void *arg, const Datum *values, const bool *isnull)
{
	Rewriting *rewriting = arg;
	Oid table = DatumGetObjectId(values[0]);

	if (rewriting->last->table != table)
	{
		Member key = {table};

		rewriting->last = bsearch(&key, rewriting->member, rewriting->members,
								  sizeof(Member), compare_members);
		if (rewriting->last == NULL)
			elog(ERROR, "row of an unexpected table %u", table);
	}
	sdcpg_mask_sink_put(rewriting->last->sink, values, isnull);
}

/* Stops unless every row that a table had is in its new heap. */
static void
close_members(Rewriting *rewriting)
{
	int i;

	for (i = 0; i < rewriting->members; i++)
	{
		Member *member = &rewriting->member[i];

		if (sdcpg_mask_sink_close(member->sink) != member->before)
			ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
							errmsg("masking relation \"%s\" would lose rows",
								   get_rel_name(member->table)),
							errdetail("Nothing was changed.")));
	}
}

/* Reads the rows as they are now, and writes them into the heaps. */
static SdcMaskCount *
write_rows(SdcPgHost *host, Rewriting *rewriting)
{
	SdcMaskTaker taker = {take_row, rewriting};
	SdcMaskCount *count;
	int i;

	/* the caller's snapshot is from before the lock */
	PushActiveSnapshot(GetLatestSnapshot());
	for (i = 0; i < rewriting->members; i++)
		rewriting->member[i].before = count_rows(rewriting->member[i].table);
	count = sdcpg_mask_write(host, rewriting->plan, &taker);
	PopActiveSnapshot();
	close_members(rewriting);
	return count;
}

/* Has the tables trade storage with their heaps, and builds the indexes. */
static void
swap_members(void *arg)
{
	Rewriting *rewriting = arg;
	int i;

	for (i = 0; i < rewriting->members; i++)
	{
		Member *member = &rewriting->member[i];

		finish_heap_swap(member->table, member->heap, false, false, true, true,
						 RecentXmin, ReadNextMultiXactId(),
						 member->persistence);
		CHECK_FOR_INTERRUPTS();
	}
}

static void
renew_statistics(void *arg)
{
	const Rewriting *rewriting = arg;
	const SdcRelation *relation = rewriting->plan->relation;
	char *sql = psprintf("ANALYZE %s", relation->sql);
	int i;

	sdcpg_table_statistics_clear(relation->oid);
	for (i = 0; i < rewriting->members; i++)
		if (rewriting->member[i].table != relation->oid)
			sdcpg_table_statistics_clear(rewriting->member[i].table);
	CommandCounterIncrement();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	if (SPI_execute(sql, false, 0) < 0)
		elog(ERROR, "could not analyze a table");
	SPI_finish();
}

/* Stops unless the table is as it must be. */
static void
verify(const Rewriting *rewriting)
{
	int i;

	PushActiveSnapshot(GetLatestSnapshot());
	sdcpg_foreign_keys_verify(rewriting->plan, rewriting->plan->relation->oid);
	for (i = 0; i < rewriting->members; i++)
	{
		const Member *member = &rewriting->member[i];

		if (member->table != rewriting->plan->relation->oid)
			sdcpg_foreign_keys_verify(rewriting->plan, member->table);
		if (count_rows(member->table) != member->before)
			elog(ERROR, "rows were lost in the new storage of a table");
	}
	PopActiveSnapshot();
}

static SdcMaskCount *
run(SdcPgHost *host, Rewriting *rewriting, List *tables)
{
	SdcMaskCount *count;

	open_members(rewriting, tables);
	count = write_rows(host, rewriting);
	sdcpg_progress_stage(&host->progress, "indexing");
	sdcpg_mask_guard(rewriting->plan->relation->name, swap_members, rewriting);
	sdcpg_progress_stage(&host->progress, "verifying");
	verify(rewriting);
	sdcpg_progress_stage(&host->progress, "analyzing");
	sdcpg_mask_guard(rewriting->plan->relation->name, renew_statistics,
					 rewriting);
	return count;
}

/* The owner of a table. */
static Oid
owner_of(Oid oid)
{
	Relation table = table_open(oid, NoLock);
	Oid owner = table->rd_rel->relowner;

	table_close(table, NoLock);
	return owner;
}

SdcMaskCount *
sdcpg_mask_rewrite(SdcPgHost *host, SdcMaskPlan *plan, List *tables)
{
	Rewriting rewriting = {plan};
	SdcMaskCount *count;
	Oid caller;
	int context;
	int settings;

	GetUserIdAndSecContext(&caller, &context);
	SetUserIdAndSecContext(owner_of(plan->relation->oid),
						   context | SECURITY_RESTRICTED_OPERATION);
	settings = NewGUCNestLevel();
	count = run(host, &rewriting, tables);
	AtEOXact_GUC(false, settings);
	SetUserIdAndSecContext(caller, context);
	return count;
}
