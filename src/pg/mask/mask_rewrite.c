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
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "pg/mask/foreign_keys.h"
#include "pg/mask/mask_copy.h"
#include "pg/mask/mask_guard.h"
#include "pg/mask/mask_refuse.h"
#include "pg/mask/mask_rewrite.h"
#include "pg/mask/mask_select.h"
#include "pg/mask/mask_sink.h"
#include "pg/mask/mask_suppress.h"
#include "pg/mask/owner.h"
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
	SdcPgHost *host;
	List *tables;
	int members;
	Member *member; /* in the order of their oids */
	Member *last;
	SdcMaskCount *count;
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

/* The same for rows that are suppressed in a table of their own first. */
static SdcMaskCount *
write_suppressed(SdcPgHost *host, SdcMaskPlan *plan, const SdcMaskTaker *taker)
{
	Oid schema = get_rel_namespace(plan->relation->oid);
	SdcTarget *stage = sdcpg_mask_suppress_stage(schema, "sdc_suppressed");
	SdcMaskCount *count = sdcpg_mask_copy(host, plan, stage);

	PushActiveSnapshot(GetLatestSnapshot());
	sdcpg_mask_write_again(host, plan,
						   sdcpg_mask_select_again(plan, stage->sql), taker);
	PopActiveSnapshot();
	sdcpg_mask_suppress_drop(stage);
	return count;
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
	count = rewriting->plan->suppress == NULL
				? sdcpg_mask_write(host, rewriting->plan, &taker)
				: write_suppressed(host, rewriting->plan, &taker);
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

	sdcpg_table_statistics_clear(relation->oid);
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

static void
rewrite(void *arg)
{
	Rewriting *rewriting = arg;

	open_members(rewriting, rewriting->tables);
	rewriting->count = write_rows(rewriting->host, rewriting);
	sdcpg_progress_stage(&rewriting->host->progress, "indexing");
	sdcpg_mask_guard(rewriting->plan->relation->name, swap_members, rewriting);
}

static void
finish(void *arg)
{
	Rewriting *rewriting = arg;

	sdcpg_progress_stage(&rewriting->host->progress, "verifying");
	verify(rewriting);
	sdcpg_progress_stage(&rewriting->host->progress, "analyzing");
	sdcpg_mask_guard(rewriting->plan->relation->name, renew_statistics,
					 rewriting);
}

/* Runs a part of the work on each table, as its owner. */
static void
for_each(List *rewritings, void (*work)(void *arg))
{
	ListCell *cell;

	foreach (cell, rewritings)
	{
		Rewriting *rewriting = lfirst(cell);

		sdcpg_owner_run(rewriting->plan->relation->oid, work, rewriting);
	}
}

List *
sdcpg_mask_rewrite(SdcPgHost *host, List *plans)
{
	List *rewritings = NIL;
	List *counts = NIL;
	ListCell *cell;

	foreach (cell, plans)
	{
		Rewriting *rewriting = palloc0(sizeof(Rewriting));

		rewriting->host = host;
		rewriting->plan = lfirst(cell);
		rewriting->tables =
			sdcpg_mask_refuse_plan(rewriting->plan, AccessExclusiveLock);
		rewritings = lappend(rewritings, rewriting);
	}
	for_each(rewritings, rewrite);
	/* foreign keys hold only when both sides are masked */
	for_each(rewritings, finish);
	foreach (cell, rewritings)
		counts = lappend(counts, ((Rewriting *) lfirst(cell))->count);
	return counts;
}
