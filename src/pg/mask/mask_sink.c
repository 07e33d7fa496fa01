/*
 * mask_sink.c
 *		A heap that takes the masked rows.
 *
 * Rows are formed, held back, checked and handed to the table access method
 * many at a time, as COPY does it: no statement per row, no trigger, no dead
 * row.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "utils/memutils.h"

#include "pg/mask/mask_guard.h"
#include "pg/mask/mask_select.h"
#include "pg/mask/mask_sink.h"
#include "pg/server/compat.h"

/* Rows held back at the most. */
#define HELD_ROWS 1000

/* A column of the heap that the SELECT does not give. */
#define MISSING (-1)

struct SdcMaskSink
{
	Relation heap;
	SdcRowCheck *check;
	/* for each column of the heap its place in the SELECT, or MISSING */
	int *from;
	Datum *values;
	bool *isnull;
	TupleTableSlot **slot;
	int held;
	Size held_bytes;
	Size bytes;
	MemoryContext batch;
	BulkInsertState bulk;
	int options;
	int64 rows;
	char *name; /* of the relation that is masked */
	const Datum *source;
	const bool *source_null;
};

/* The place in the SELECT of the column of that name, or MISSING. */
static int
place_of(const SdcMaskPlan *plan, const char *name)
{
	int place = plan->in_place ? 1 : 0;
	int i;

	if (plan->in_place && strcmp(name, sdcpg_mask_plan_unused(plan, 0)) == 0)
		return 0;
	for (i = 0; i < plan->columns; i++)
	{
		if (!sdcpg_mask_select_has(plan, &plan->column[i]))
			continue;
		if (strcmp(plan->column[i].column.name, name) == 0)
			return place;
		place++;
	}
	return MISSING;
}

static void
find_places(SdcMaskSink *sink, const SdcMaskPlan *plan)
{
	TupleDesc descriptor = RelationGetDescr(sink->heap);
	int i;

	sink->from = palloc(sizeof(int) * (descriptor->natts + 1));
	sink->values = palloc(sizeof(Datum) * (descriptor->natts + 1));
	sink->isnull = palloc(sizeof(bool) * (descriptor->natts + 1));
	for (i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(descriptor, i);

		sink->from[i] = column->attisdropped
							? MISSING
							: place_of(plan, NameStr(column->attname));
	}
}

SdcMaskSink *
sdcpg_mask_sink_open(const SdcMaskPlan *plan, Oid heap, Oid table, bool frozen,
					 Size bytes)
{
	SdcMaskSink *sink = palloc0(sizeof(SdcMaskSink));

	sink->heap = table_open(heap, AccessExclusiveLock);
	sink->name = plan->relation->name;
	if (OidIsValid(table))
	{
		Relation original = table_open(table, NoLock);

		sink->check = sdcpg_row_check_new(original);
		table_close(original, NoLock);
	}
	find_places(sink, plan);
	sink->slot = palloc0(sizeof(TupleTableSlot *) * HELD_ROWS);
	sink->bytes = bytes;
	sink->batch = AllocSetContextCreate(CurrentMemoryContext, "sdc rows",
										ALLOCSET_DEFAULT_SIZES);
	sink->bulk = GetBulkInsertState();
	sink->options = TABLE_INSERT_SKIP_FSM | (frozen ? TABLE_INSERT_FROZEN : 0);
	return sink;
}

static void
flush(SdcMaskSink *sink)
{
	MemoryContext caller;
	int i;

	if (sink->held == 0)
		return;
	caller = MemoryContextSwitchTo(sink->batch);
	table_multi_insert(sink->heap, sink->slot, sink->held,
					   GetCurrentCommandId(true), sink->options, sink->bulk);
	MemoryContextSwitchTo(caller);
	for (i = 0; i < sink->held; i++)
		ExecClearTuple(sink->slot[i]);
	MemoryContextReset(sink->batch);
	sink->held = 0;
	sink->held_bytes = 0;
}

/* Keeps the row until it is written. */
static void
hold(SdcMaskSink *sink)
{
	TupleDesc descriptor = RelationGetDescr(sink->heap);
	HeapTuple tuple = heap_form_tuple(descriptor, sink->values, sink->isnull);

	if (sink->slot[sink->held] == NULL)
	{
		MemoryContext batch =
			MemoryContextSwitchTo(MemoryContextGetParent(sink->batch));

		sink->slot[sink->held] =
			MakeSingleTupleTableSlot(descriptor, &TTSOpsHeapTuple);
		MemoryContextSwitchTo(batch);
	}
	ExecStoreHeapTuple(tuple, sink->slot[sink->held], false);
	sink->held++;
	sink->held_bytes += tuple->t_len;
	sink->rows++;
}

/* Makes the row that the heap takes from one of the SELECT, and checks it. */
static void
make_row(void *arg)
{
	SdcMaskSink *sink = arg;
	TupleDesc descriptor = RelationGetDescr(sink->heap);
	int i;

	for (i = 0; i < descriptor->natts; i++)
	{
		bool missing = sink->from[i] == MISSING;

		sink->values[i] = missing ? (Datum) 0 : sink->source[sink->from[i]];
		sink->isnull[i] = missing || sink->source_null[sink->from[i]];
	}
	if (sink->check != NULL)
	{
		sdcpg_row_check_generate(sink->check, sink->values, sink->isnull);
		sdcpg_row_check(sink->check, sink->values, sink->isnull);
	}
}

void
sdcpg_mask_sink_put(SdcMaskSink *sink, const Datum *values, const bool *isnull)
{
	MemoryContext caller = MemoryContextSwitchTo(sink->batch);

	sink->source = values;
	sink->source_null = isnull;
	if (sink->check != NULL && sdcpg_row_check_evaluates(sink->check))
		sdcpg_mask_guard(sink->name, make_row, sink);
	else
		make_row(sink);
	hold(sink);
	MemoryContextSwitchTo(caller);
	if (sink->held == HELD_ROWS || sink->held_bytes >= sink->bytes)
		flush(sink);
}

int64
sdcpg_mask_sink_close(SdcMaskSink *sink)
{
	int i;

	flush(sink);
	for (i = 0; i < HELD_ROWS && sink->slot[i] != NULL; i++)
		ExecDropSingleTupleTableSlot(sink->slot[i]);
	FreeBulkInsertState(sink->bulk);
	table_finish_bulk_insert(sink->heap, sink->options);
	table_close(sink->heap, NoLock);
	MemoryContextDelete(sink->batch);
	return sink->rows;
}
