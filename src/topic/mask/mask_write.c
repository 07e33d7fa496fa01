/*
 * mask_write.c
 *		The rows of a plan, read once and handed to where they go.
 *
 * A masked column comes twice in each row, as it was and as it will be, so
 * that changes are counted without reading anything again.  They are compared
 * by their bytes: no operator of the user is called.
 */
#include "postgres.h"

#include <math.h>

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/multixact.h"
#include "access/rewriteheap.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "executor/executor.h"
#include "executor/tuptable.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "portability/instr_time.h"
#include "rewrite/rewriteHandler.h"
#include "storage/bufmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "host/data/column_select.h"
#include "host/data/rows.h"
#include "host/data/target.h"
#include "host/data/window.h"
#include "host/server/compat.h"
#include "host/server/error.h"
#include "host/server/host.h"
#include "topic/mask/mask_in_place.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/mask_select.h"
#include "topic/mask/mask_write.h"

typedef struct SdcRowCheck SdcRowCheck;

/* ----------------------------------------------------------------------
 * Errors that would print values of the data.
 *
 * More people read the log than the table.  PostgreSQL quotes the key of a
 * duplicate and the row that fails a check, in its details; functions of the
 * user may quote whatever they like.  Such an error is replaced before it is
 * logged; its code stays.
 * ----------------------------------------------------------------------
 */

/* What the guard adds to the context of an error; what follows is outside. */
#define OUTSIDE "masking relation \""

/* Has the message, or what it is a translation of, something in quotes? */
static bool
quotes(const ErrorData *error)
{
	return strchr(error->message, '"') != NULL ||
		   (error->message_id != NULL &&
			strchr(error->message_id, '"') != NULL);
}

/*
 * May the error quote a value?  A function that is not written in C raises
 * what it likes.
 */
static bool
may_quote(const ErrorData *error, bool of_function)
{
	int category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

	if (of_function && !sdcpg_error_is_fixed(error))
		return true;
	switch (error->sqlerrcode)
	{
		case ERRCODE_INVALID_PARAMETER_VALUE:
		case ERRCODE_STRING_DATA_RIGHT_TRUNCATION:
		case ERRCODE_DIVISION_BY_ZERO:
			return false;
		case ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE:
			return quotes(error);
	}
	return category == ERRCODE_DATA_EXCEPTION ||
		   category == ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION;
}

pg_noreturn static void
raise_without_values(const ErrorData *error, const char *relation)
{
	if (error->constraint_name != NULL)
		ereport(ERROR,
				(errcode(error->sqlerrcode),
				 errmsg("masking relation \"%s\" would violate constraint "
						"\"%s\"",
						relation, error->constraint_name),
				 errdetail("Nothing was changed. The values are not shown."),
				 err_generic_string(PG_DIAG_CONSTRAINT_NAME,
									error->constraint_name)));
	if (error->column_name != NULL)
		ereport(ERROR,
				(errcode(error->sqlerrcode),
				 errmsg("masking relation \"%s\" would leave an invalid value "
						"in column \"%s\"",
						relation, error->column_name),
				 errdetail("Nothing was changed. The values are not shown."),
				 err_generic_string(PG_DIAG_COLUMN_NAME, error->column_name)));
	if (error->sqlerrcode == ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE)
		ereport(
			ERROR,
			(errcode(error->sqlerrcode),
			 errmsg("masking relation \"%s\" met a number that is too large",
					relation),
			 errdetail("Nothing was changed. Methods that compute take "
					   "numbers within double precision, and what they "
					   "give must fit the column."),
			 errhint("Mask a view in which such numbers are NULL.")));
	ereport(ERROR,
			(errcode(error->sqlerrcode),
			 errmsg("masking relation \"%s\" failed on a value", relation),
			 errdetail("Nothing was changed. The message is not shown, for it "
					   "may quote the value.")));
}

/* Tables that sdc made on the way have the name of the one they came from. */
static void
conceal_names(ErrorData *error)
{
	error->message = sdcpg_relation_conceal(error->message);
	error->detail = sdcpg_relation_conceal(error->detail);
	error->detail_log = sdcpg_relation_conceal(error->detail_log);
	error->hint = sdcpg_relation_conceal(error->hint);
	error->context = sdcpg_relation_conceal(error->context);
	error->table_name = sdcpg_relation_conceal(error->table_name);
	error->constraint_name = sdcpg_relation_conceal(error->constraint_name);
}

/*
 * What a guard guards: columns is NULL, or what is computed there.  Messages
 * of sdc itself quote no values and pass as they are.
 */
typedef struct Guarded
{
	const char *relation;
	const char *columns;
	bool own;
} Guarded;

static void
tell_relation(void *arg)
{
	const Guarded *guarded = arg;

	if (guarded->columns == NULL)
		errcontext(OUTSIDE "%s\"", guarded->relation);
	else
		errcontext(OUTSIDE "%s\", %s", guarded->relation, guarded->columns);
}

static void
guard(const Guarded *guarded, void (*work)(void *arg), void *arg)
{
	MemoryContext caller = CurrentMemoryContext;
	const char *relation = guarded->relation;
	ErrorContextCallback context = {error_context_stack, tell_relation,
									(void *) guarded};

	error_context_stack = &context;
	PG_TRY();
	{
		work(arg);
	}
	PG_CATCH();
	{
		ErrorData *error;
		bool of_function;

		MemoryContextSwitchTo(caller);
		error = CopyErrorData();
		FlushErrorState();
		of_function = sdcpg_error_drop_statements(error, OUTSIDE);
		if (may_quote(error, of_function) && (of_function || !guarded->own))
			raise_without_values(error, relation);
		error->internalquery = NULL;
		error->internalpos = 0;
		conceal_names(error);
		ReThrowError(error);
	}
	PG_END_TRY();
	error_context_stack = context.previous;
}

void
sdcpg_mask_guard(const char *relation, void (*work)(void *arg), void *arg)
{
	Guarded guarded = {relation};

	guard(&guarded, work, arg);
}

void
sdcpg_mask_guard_own(const char *relation, void (*work)(void *arg), void *arg)
{
	Guarded guarded = {.relation = relation, .own = true};

	guard(&guarded, work, arg);
}

/*
 * The columns that a statement computes from values, with their rules: one of
 * them it was that failed.  PostgreSQL does not tell which.
 */
static char *
computed_columns(const SdcMaskPlan *plan)
{
	StringInfoData text;
	int found = 0;
	int i;

	initStringInfo(&text);
	for (i = 0; i < plan->columns; i++)
	{
		const SdcMaskColumn *column = &plan->column[i];

		if (column->rule != NULL && column->value != NULL && column->read)
			appendStringInfo(&text, "%s\"%s\" by rule \"%s\"",
							 found++ > 0 ? ", " : "", column->column.name,
							 column->rule->method->name);
	}
	if (found == 0)
		return NULL;
	return psprintf("%s %s", found == 1 ? "column" : "one of the columns",
					text.data);
}

/* The same for the statement of a plan. */
static void
guard_plan(const SdcMaskPlan *plan, void (*work)(void *arg), void *arg)
{
	Guarded guarded = {plan->relation->name, computed_columns(plan)};

	guard(&guarded, work, arg);
}

/* ----------------------------------------------------------------------
 * What a table asks of a row: generated columns, NOT NULL, CHECK.
 *
 * Expressions come from the catalog and are evaluated as ALTER TABLE does it
 * when it rewrites a table.
 * ----------------------------------------------------------------------
 */

struct SdcRowCheck
{
	char *table;
	TupleDesc descriptor;
	EState *executor;
	TupleTableSlot *slot;
	int generated;
	AttrNumber *generated_column;
	ExprState **generated_value;
	int checks;
	char **check_name;
	ExprState **check;
};

static void
add_generated(SdcRowCheck *check, Relation table)
{
	TupleDesc descriptor = check->descriptor;
	int i;

	check->generated_column = palloc(sizeof(AttrNumber) * descriptor->natts);
	check->generated_value = palloc(sizeof(ExprState *) * descriptor->natts);
	for (i = 0; i < descriptor->natts; i++)
	{
		Expr *value;

		if (TupleDescAttr(descriptor, i)->attgenerated !=
			ATTRIBUTE_GENERATED_STORED)
			continue;
		value = (Expr *) build_column_default(table, i + 1);
		if (value == NULL)
			elog(ERROR, "column %d has no generation expression", i + 1);
		check->generated_column[check->generated] = i + 1;
		check->generated_value[check->generated++] =
			ExecPrepareExpr(value, check->executor);
	}
}

static void
add_checks(SdcRowCheck *check, Relation table)
{
	TupleConstr *constraints = check->descriptor->constr;
	int count = constraints != NULL ? constraints->num_check : 0;
	int i;

	check->check = palloc(sizeof(ExprState *) * (count + 1));
	check->check_name = palloc(sizeof(char *) * (count + 1));
	for (i = 0; i < count; i++)
	{
		const ConstrCheck *constraint = &constraints->check[i];
		Node *condition;

		/* NOT VALID: there may be rows that do not hold it already */
		if (!constraint->ccvalid)
			continue;
		check->check_name[check->checks] = constraint->ccname;
		condition = stringToNode(constraint->ccbin);
#if PG_VERSION_NUM >= 180000
		condition = expand_generated_columns_in_expr(condition, table, 1);
#endif
		check->check[check->checks++] =
			ExecPrepareExpr((Expr *) condition, check->executor);
	}
}

/* Gets ready to check rows of a table, in the current memory context. */
static SdcRowCheck *
row_check_new(Relation table)
{
	SdcRowCheck *check = palloc0(sizeof(SdcRowCheck));

	check->table = pstrdup(RelationGetRelationName(table));
	check->descriptor = CreateTupleDescCopyConstr(RelationGetDescr(table));
	check->executor = CreateExecutorState();
	check->slot = MakeSingleTupleTableSlot(check->descriptor, &TTSOpsVirtual);
	add_generated(check, table);
	add_checks(check, table);
	return check;
}

/* Is there anything but NOT NULL, which only looks at flags? */
static bool
row_check_evaluates(const SdcRowCheck *check)
{
	return check->generated + check->checks > 0;
}

/* Puts a row where expressions read it. */
static ExprContext *
set_row(SdcRowCheck *check, const Datum *values, const bool *isnull)
{
	ExprContext *context = GetPerTupleExprContext(check->executor);
	int count = check->descriptor->natts;

	ResetExprContext(context);
	ExecClearTuple(check->slot);
	memcpy(check->slot->tts_values, values, sizeof(Datum) * count);
	memcpy(check->slot->tts_isnull, isnull, sizeof(bool) * count);
	ExecStoreVirtualTuple(check->slot);
	context->ecxt_scantuple = check->slot;
	return context;
}

/* Computes the stored generated columns of a row, all values given. */
static void
row_check_generate(SdcRowCheck *check, Datum *values, bool *isnull)
{
	ExprContext *context;
	int i;

	if (check->generated == 0)
		return;
	context = set_row(check, values, isnull);
	for (i = 0; i < check->generated; i++)
	{
		int place = check->generated_column[i] - 1;
		Form_pg_attribute column = TupleDescAttr(check->descriptor, place);
		Datum value = ExecEvalExprSwitchContext(check->generated_value[i],
												context, &isnull[place]);

		/* the memory of the expression goes with the next row */
		if (!isnull[place])
			value = datumCopy(value, column->attbyval, column->attlen);
		values[place] = value;
	}
}

/*
 * Stops when a column that must not be NULL is, or when a CHECK constraint
 * that was valid before does not hold.
 */
static void
row_check(SdcRowCheck *check, const Datum *values, const bool *isnull)
{
	ExprContext *context;
	int i;

	for (i = 0; i < check->descriptor->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(check->descriptor, i);

		if (column->attnotnull && !column->attisdropped && isnull[i])
			ereport(ERROR,
					(errcode(ERRCODE_NOT_NULL_VIOLATION),
					 errmsg("masking would leave a null in column \"%s\" of "
							"relation \"%s\"",
							NameStr(column->attname), check->table),
					 err_generic_string(PG_DIAG_COLUMN_NAME,
										NameStr(column->attname))));
	}
	if (check->checks == 0)
		return;
	context = set_row(check, values, isnull);
	for (i = 0; i < check->checks; i++)
		if (!ExecCheck(check->check[i], context))
			ereport(ERROR,
					(errcode(ERRCODE_CHECK_VIOLATION),
					 errmsg("masking would violate a check of relation \"%s\"",
							check->table),
					 err_generic_string(PG_DIAG_CONSTRAINT_NAME,
										check->check_name[i])));
}

/* ----------------------------------------------------------------------
 * A heap that takes the masked rows.
 *
 * Rows are formed, held back, checked and handed to the table access method
 * many at a time, as COPY does it: no statement per row, no trigger, no dead
 * row.  A new heap that nobody else can see is filled as VACUUM FULL fills its
 * own: whole pages, each written once and not by way of shared buffers, where
 * it would first be written empty.
 * ----------------------------------------------------------------------
 */

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
	bool same; /* is a row of the SELECT one of the heap? */
	Datum *values;
	bool *isnull;
	TupleTableSlot **slot;
	HeapTuple tuple; /* of each slot */
	int held;
	char *room; /* where they lie; a longer one is in the batch */
	Size used;
	Size bytes;
	MemoryContext batch;
	BulkInsertState bulk;
	int options;
	/* where whole pages are written, and what its rows say of themselves */
	RewriteState pages;
	HeapTupleData origin;
	HeapTupleHeaderData origin_header;
	int64 rows;
	const SdcRows *shown; /* who is shown the rows, or NULL */
	char *name;           /* of the relation that is masked */
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
	sink->same = sink->check == NULL;
	for (i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(descriptor, i);

		sink->from[i] = column->attisdropped
							? MISSING
							: place_of(plan, NameStr(column->attname));
		sink->same &= sink->from[i] == i;
	}
}

/*
 * May whole pages be written?  Only to a heap of this transaction without rows
 * and indexes, and where nobody reads rows out of the log: pages have none.
 */
static bool
takes_pages(Relation heap, bool frozen)
{
	return !frozen && heap->rd_createSubid != InvalidSubTransactionId &&
		   heap->rd_tableam == GetHeapamTableAmRoutine() &&
		   !heap->rd_rel->relhasindex && !RelationIsLogicallyLogged(heap) &&
		   RelationGetNumberOfBlocks(heap) == 0;
}

/* Gets ready to write pages, with rows of the current command. */
static void
open_pages(SdcMaskSink *sink)
{
	const FormData_pg_class *class = sink->heap->rd_rel;
	HeapTupleHeader header = &sink->origin_header;

	HeapTupleHeaderSetXmin(header, GetCurrentTransactionId());
	HeapTupleHeaderSetCmin(header, GetCurrentCommandId(true));
	HeapTupleHeaderSetXmax(header, InvalidTransactionId);
	header->t_infomask |= HEAP_XMAX_INVALID;
	ItemPointerSetInvalid(&header->t_ctid);
	ItemPointerSetInvalid(&sink->origin.t_self);
	sink->origin.t_len = sizeof(HeapTupleHeaderData);
	sink->origin.t_data = header;
	/* no row is so old that it would be frozen */
	sink->pages =
		begin_heap_rewrite(sink->heap, sink->heap, class->relfrozenxid,
						   class->relfrozenxid, class->relminmxid);
}

/* Writes what is left; tells the statistics what they were not told. */
static void
close_pages(SdcMaskSink *sink)
{
	end_heap_rewrite(sink->pages);
	pgstat_count_heap_insert(sink->heap, sink->rows);
}

SdcMaskSink *
sdcpg_mask_sink_open(const SdcMaskPlan *plan, Oid heap, Oid table, bool frozen,
					 Size bytes, const SdcRows *shown)
{
	SdcMaskSink *sink = palloc0(sizeof(SdcMaskSink));

	sink->heap = table_open(heap, AccessExclusiveLock);
	sink->name = plan->relation->name;
	if (OidIsValid(table))
	{
		Relation original = table_open(table, NoLock);

		sink->check = row_check_new(original);
		table_close(original, NoLock);
	}
	find_places(sink, plan);
	sink->slot = palloc0(sizeof(TupleTableSlot *) * HELD_ROWS);
	sink->tuple = palloc0(sizeof(HeapTupleData) * HELD_ROWS);
	sink->room = palloc(bytes);
	sink->bytes = bytes;
	sink->batch = AllocSetContextCreate(CurrentMemoryContext, "sdc rows",
										ALLOCSET_DEFAULT_SIZES);
	sink->bulk = GetBulkInsertState();
	sink->options = TABLE_INSERT_SKIP_FSM | (frozen ? TABLE_INSERT_FROZEN : 0);
	if (takes_pages(sink->heap, frozen))
		open_pages(sink);
	sink->shown = shown;
	if (shown != NULL)
		shown->start(shown->arg, RelationGetDescr(sink->heap));
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
	{
		sink->slot[i]->tts_flags &= ~TTS_FLAG_SHOULDFREE;
		ExecClearTuple(sink->slot[i]);
	}
	MemoryContextReset(sink->batch);
	sink->held = 0;
	sink->used = 0;
}

/*
 * Room for a row of so many bytes until it is written.  Its values may lie in
 * the batch, so nothing is written before it is formed.
 */
static HeapTuple
room_for(SdcMaskSink *sink, Size bytes)
{
	HeapTuple tuple = &sink->tuple[sink->held];

	tuple->t_len = (uint32) bytes;
	tuple->t_tableOid = InvalidOid;
	ItemPointerSetInvalid(&tuple->t_self);
	tuple->t_data = sink->used + bytes > sink->bytes
						? MemoryContextAlloc(sink->batch, bytes)
						: (void *) (sink->room + sink->used);
	sink->used += MAXALIGN(bytes);
	return tuple;
}

/* Forms the row where it is kept until it is written. */
static HeapTuple
form_row(SdcMaskSink *sink, const Datum *row, const bool *row_isnull)
{
	TupleDesc descriptor = RelationGetDescr(sink->heap);
	Datum *values = unconstify(Datum *, row);
	bool *isnull = unconstify(bool *, row_isnull);
	Size head = SizeofHeapTupleHeader;
	bool has_null = false;
	HeapTuple tuple;
	Size bytes;
	int i;

	for (i = 0; i < descriptor->natts && !has_null; i++)
		has_null = isnull[i];
	head = MAXALIGN(head + (has_null ? BITMAPLEN(descriptor->natts) : 0));
	bytes = heap_compute_data_size(descriptor, values, isnull);
	tuple = room_for(sink, head + bytes);
	memset(tuple->t_data, 0, head + bytes);
	ItemPointerSetInvalid(&tuple->t_data->t_ctid);
	HeapTupleHeaderSetNatts(tuple->t_data, descriptor->natts);
	tuple->t_data->t_hoff = (uint8) head;
	heap_fill_tuple(descriptor, values, isnull, (char *) tuple->t_data + head,
					bytes, &tuple->t_data->t_infomask,
					has_null ? tuple->t_data->t_bits : NULL);
	return tuple;
}

/* Puts the row on its page. */
static void
put_on_page(SdcMaskSink *sink, HeapTuple tuple)
{
	rewrite_heap_tuple(sink->pages, &sink->origin, tuple);
	sink->used = 0;
	if (++sink->rows % HELD_ROWS == 0)
		MemoryContextReset(sink->batch);
}

/* Makes a slot that outlives the batch. */
static TupleTableSlot *
make_slot(SdcMaskSink *sink)
{
	MemoryContext batch =
		MemoryContextSwitchTo(MemoryContextGetParent(sink->batch));
	TupleTableSlot *slot = MakeSingleTupleTableSlot(
		RelationGetDescr(sink->heap), &TTSOpsHeapTuple);

	MemoryContextSwitchTo(batch);
	return slot;
}

/* Holds the row back until it is written with others. */
static void
hold(SdcMaskSink *sink, HeapTuple tuple)
{
	if (sink->slot[sink->held] == NULL)
		sink->slot[sink->held] = make_slot(sink);
	ExecStoreHeapTuple(tuple, sink->slot[sink->held], false);
	/* else the row would be copied before it is written */
	sink->slot[sink->held]->tts_flags |= TTS_FLAG_SHOULDFREE;
	sink->held++;
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
		row_check_generate(sink->check, sink->values, sink->isnull);
		row_check(sink->check, sink->values, sink->isnull);
	}
}

void
sdcpg_mask_sink_put(SdcMaskSink *sink, const Datum *values, const bool *isnull)
{
	MemoryContext caller = MemoryContextSwitchTo(sink->batch);
	HeapTuple tuple;

	if (!sink->same)
	{
		sink->source = values;
		sink->source_null = isnull;
		if (sink->check != NULL && row_check_evaluates(sink->check))
			sdcpg_mask_guard(sink->name, make_row, sink);
		else
			make_row(sink);
		values = sink->values;
		isnull = sink->isnull;
	}
	if (sink->shown != NULL)
		sink->shown->row(sink->shown->arg, RelationGetDescr(sink->heap),
						 values, isnull);
	tuple = form_row(sink, values, isnull);
	if (sink->pages != NULL)
		put_on_page(sink, tuple);
	else
		hold(sink, tuple);
	MemoryContextSwitchTo(caller);
	if (sink->held == HELD_ROWS || sink->used >= sink->bytes)
		flush(sink);
}

int64
sdcpg_mask_sink_close(SdcMaskSink *sink)
{
	int i;

	flush(sink);
	if (sink->pages != NULL)
		close_pages(sink);
	for (i = 0; i < HELD_ROWS && sink->slot[i] != NULL; i++)
		ExecDropSingleTupleTableSlot(sink->slot[i]);
	FreeBulkInsertState(sink->bulk);
	table_finish_bulk_insert(sink->heap, sink->options);
	table_close(sink->heap, NoLock);
	MemoryContextDelete(sink->batch);
	pfree(sink->room);
	pfree(sink->tuple);
	return sink->rows;
}

/* ----------------------------------------------------------------------
 * The rows of a plan, read once and handed to where they go.
 * ----------------------------------------------------------------------
 */

/* Examples of each column. */
#define EXAMPLES 3

/* A column that is compared with what it was. */
typedef struct Pair
{
	int masked; /* places in the row */
	int original;
	int column; /* of the plan */
	bool byval;
	int16 length;
	FmgrInfo output; /* of the original */
	bool is_text;    /* the masked one */
	Oid number;      /* whose values are told unless finite, or InvalidOid */
	int examples;    /* that are wanted still */
} Pair;

typedef struct Writing
{
	SdcPgHost *host;
	SdcMaskPlan *plan;
	const SdcMaskTaker *taker;
	SdcMaskCount *count;
	const char *select; /* of the plan, with the originals */
	int pairs;
	Pair *pair;
} Writing;

/* Learns where in a row the columns lie that are compared. */
static void
find_pairs(Writing *writing)
{
	SdcMaskPlan *plan = writing->plan;
	int place = plan->in_place ? 1 : 0;
	int i;

	writing->pair = palloc0(sizeof(Pair) * (plan->columns + 1));
	for (i = 0; i < plan->columns; i++)
	{
		SdcMaskColumn *column = &plan->column[i];
		Pair *pair = &writing->pair[writing->pairs];
		Oid output;
		bool is_varlena;

		if (!sdcpg_mask_select_has(plan, column))
			continue;
		place++;
		if (!sdcpg_mask_select_compares(column))
			continue;
		writing->count->changed[i] = 0;
		pair->masked = place - 1;
		pair->column = i;
		pair->is_text = column->is_text;
		if (column->rule != NULL &&
			(column->rule->method->traits & SDC_MASK_FINITE) != 0)
			pair->number = column->column.base;
		get_typlenbyval(column->column.base, &pair->length, &pair->byval);
		getTypeOutputInfo(column->column.base, &output, &is_varlena);
		fmgr_info(output, &pair->output);
		writing->pairs++;
	}
	for (i = 0; i < writing->pairs; i++)
		writing->pair[i].original = place++;
}

static bool
is_same(Pair *pair, Datum masked, bool masked_isnull, Datum original,
		bool original_isnull)
{
	if (masked_isnull || original_isnull)
		return masked_isnull == original_isnull;
	if (pair->is_text)
		return strcmp(TextDatumGetCString(masked),
					  OutputFunctionCall(&pair->output, original)) == 0;
	/* most values that stay are the same Datum */
	return masked == original ||
		   datum_image_eq(masked, original, pair->byval, pair->length);
}

/* Keeps what a value was and what it became. */
static void
keep_example(Writing *writing, Pair *pair, Datum masked, bool masked_isnull,
			 Datum original, bool original_isnull)
{
	List **list = &writing->count->example[pair->column];
	const char *before = "NULL";
	const char *after = "NULL";
	MemoryContext scratch;

	pair->examples--;
	if (!original_isnull)
		before = OutputFunctionCall(&pair->output, original);
	if (!masked_isnull)
		after = pair->is_text ? TextDatumGetCString(masked)
							  : OutputFunctionCall(&pair->output, masked);
	scratch = MemoryContextSwitchTo(writing->host->work);
	*list = lappend(*list, psprintf("%s becomes %s", before, after));
	MemoryContextSwitchTo(scratch);
}

/*
 * Counts a value that is not finite.  It takes no part, so it stays or becomes
 * NULL: no other needs a look.
 */
static void
count_unusual(Writing *writing, const Pair *pair, Datum original,
			  bool original_isnull)
{
	if (OidIsValid(pair->number) && !original_isnull &&
		!isfinite(sdcpg_number(pair->number, original)))
		writing->count->unusual[pair->column]++;
}

/* Counts whether a value changed. */
static void
compare(void *arg, int number, Datum masked, bool masked_isnull,
		Datum original, bool original_isnull)
{
	Writing *writing = arg;
	Pair *pair = &writing->pair[number];
	bool same =
		is_same(pair, masked, masked_isnull, original, original_isnull);

	if (same || masked_isnull)
		count_unusual(writing, pair, original, original_isnull);
	if (same)
		return;
	writing->count->changed[pair->column]++;
	if (pair->examples > 0)
		keep_example(writing, pair, masked, masked_isnull, original,
					 original_isnull);
}

static void
start_rows(void *arg, TupleDesc descriptor)
{
}

/* Takes a row whose columns are compared by others. */
static void
take_row(void *arg, TupleDesc descriptor, const Datum *values,
		 const bool *isnull)
{
	Writing *writing = arg;

	writing->count->rows++;
	if (writing->taker != NULL)
		writing->taker->take(writing->taker->arg, values, isnull);
}

/* Takes a row, and compares. */
static void
take_whole_row(void *arg, TupleDesc descriptor, const Datum *values,
			   const bool *isnull)
{
	Writing *writing = arg;
	int i;

	for (i = 0; i < writing->pairs; i++)
	{
		const Pair *pair = &writing->pair[i];

		compare(writing, i, values[pair->masked], isnull[pair->masked],
				values[pair->original], isnull[pair->original]);
	}
	take_row(arg, descriptor, values, isnull);
}

/* Runs the SELECT of the plan column by column; false when it cannot be. */
static bool
receive_columns(Writing *writing)
{
	SdcMaskPlan *plan = writing->plan;
	SdcRows rows = {start_rows, take_row, writing, writing->pairs};
	SdcRowPair *pairs = palloc(sizeof(SdcRowPair) * (writing->pairs + 1));
	int i;

	rows.pair = pairs;
	rows.compare = compare;
	for (i = 0; i < writing->pairs; i++)
	{
		pairs[i].first = writing->pair[i].masked;
		pairs[i].second = writing->pair[i].original;
		pairs[i].late = writing->pair[i].examples > 0;
	}
	if (sdcpg_column_select(writing->host, writing->select, &plan->parameters,
							plan->shaped || plan->hides_order, plan->keys,
							&rows))
		return true;
	for (i = 0; i < writing->pairs; i++)
		writing->count->changed[writing->pair[i].column] = 0;
	return false;
}

static void
receive(void *arg)
{
	Writing *writing = arg;
	SdcRows rows = {start_rows, take_whole_row, writing};

	if (writing->select != NULL && receive_columns(writing))
		return;
	sdcpg_rows_receive_bound(writing->host, writing->count->sql,
							 &writing->plan->parameters, &rows);
}

/* Gets ready to run the SELECT of a plan. */
static void
prepare(Writing *writing, SdcMaskPlan *plan)
{
	writing->count = sdcpg_mask_count_new(plan);
	writing->select = sdcpg_mask_select(plan, true);
	writing->count->sql = (char *) writing->select;
	if (plan->shaped)
		writing->count->sql = sdcpg_target_shape(
			writing->count->sql, &plan->parameters, plan->keys, false);
	else if (plan->hides_order || plan->keys != NIL)
		writing->count->sql =
			sdcpg_target_shape_in_place(writing->count->sql, &plan->parameters,
										plan->keys, plan->hides_order);
	find_pairs(writing);
}

static void
run(void *arg)
{
	Writing *writing = arg;
	bool silent = sdcpg_window_silent;
	instr_time start;
	instr_time end;

	INSTR_TIME_SET_CURRENT(start);
	/* columns that do not change, or not all, are told by name: mask.c */
	sdcpg_window_silent = true;
	PG_TRY();
	{
		guard_plan(writing->plan, receive, writing);
	}
	PG_FINALLY();
	{
		sdcpg_window_silent = silent;
	}
	PG_END_TRY();
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	writing->count->seconds = INSTR_TIME_GET_DOUBLE(end);
}

SdcMaskCount *
sdcpg_mask_write(SdcPgHost *host, SdcMaskPlan *plan, const SdcMaskTaker *taker)
{
	Writing writing = {host, plan, taker};

	prepare(&writing, plan);
	run(&writing);
	return writing.count;
}

/* May the caller see values of a column? */
static bool
may_read(const SdcMaskPlan *plan, const SdcMaskColumn *column)
{
	Oid table = plan->relation->oid;

	return pg_class_aclcheck(table, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		   pg_attribute_aclcheck(table, column->column.number, GetUserId(),
								 ACL_SELECT) == ACLCHECK_OK;
}

SdcMaskCount *
sdcpg_mask_preview(SdcPgHost *host, SdcMaskPlan *plan)
{
	Writing writing = {host, plan, NULL};
	int i;

	prepare(&writing, plan);
	for (i = 0; i < writing.pairs; i++)
		if (may_read(plan, &plan->column[writing.pair[i].column]))
			writing.pair[i].examples = EXAMPLES;
	if (plan->in_place)
		sdcpg_owner_run(plan->relation->oid, run, &writing);
	else
		run(&writing);
	return writing.count;
}

void
sdcpg_mask_write_again(SdcPgHost *host, SdcMaskPlan *plan, const char *sql,
					   const SdcMaskTaker *taker)
{
	Writing writing = {host, plan, taker};
	SdcMaskCount count = {0};

	count.sql = (char *) sql;
	writing.count = &count;
	guard_plan(plan, receive, &writing);
}
