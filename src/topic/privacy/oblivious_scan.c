/*
 * oblivious_scan.c
 *		All rows of a relation, read the same way whatever they hold.
 *
 * The query is a list of columns and nothing else; its plan is looked at
 * before it is run, and nobody may be measuring it.
 */
#include "postgres.h"

#include <ctype.h>

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/memnodes.h"
#include "nodes/plannodes.h"
#include "tcop/cmdtag.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "host/server/compat.h"
#include "topic/privacy/oblivious_scan.h"

/* ----------------------------------------------------------------------
 * Is somebody measuring what the present query does?
 *
 * A query that is measured runs with instruments, so a hook around each run
 * counts those that are under way.  EXPLAIN measures planning, too, in which a
 * function runs that says it is immutable: so a hook around each utility
 * statement counts those that are EXPLAIN.  The library may be loaded by a
 * function in the middle of a query that began before: such a query is known
 * by its portal, or by what its context says of the statements around the
 * call.
 * ----------------------------------------------------------------------
 */

static ExecutorRun_hook_type next_run;
static ProcessUtility_hook_type next_utility;
static int measured;
static TimestampTz loaded;

static void
watch_run(QueryDesc *query, ScanDirection direction,
		  uint64 count SDC_RUN_ONCE_PARAMETER)
{
	int before = measured;

	measured += query->instrument_options != 0;
	PG_TRY();
	{
		if (next_run != NULL)
			next_run(query, direction, count SDC_RUN_ONCE_ARGUMENT);
		else
			standard_ExecutorRun(query, direction,
								 count SDC_RUN_ONCE_ARGUMENT);
	}
	PG_FINALLY();
	{
		measured = before;
	}
	PG_END_TRY();
}

static void
watch_utility(PlannedStmt *statement,
			  const char *text SDC_READ_ONLY_TREE_PARAMETER,
			  ProcessUtilityContext context, ParamListInfo parameters,
			  QueryEnvironment *environment, DestReceiver *receiver,
			  QueryCompletion *completion)
{
	int before = measured;

	measured += IsA(statement->utilityStmt, ExplainStmt);
	PG_TRY();
	{
		if (next_utility != NULL)
			next_utility(statement, text SDC_READ_ONLY_TREE_ARGUMENT, context,
						 parameters, environment, receiver, completion);
		else
			standard_ProcessUtility(
				statement, text SDC_READ_ONLY_TREE_ARGUMENT, context,
				parameters, environment, receiver, completion);
	}
	PG_FINALLY();
	{
		measured = before;
	}
	PG_END_TRY();
}

void
sdcpg_explain_watch(void)
{
	next_run = ExecutorRun_hook;
	ExecutorRun_hook = watch_run;
	next_utility = ProcessUtility_hook;
	ProcessUtility_hook = watch_utility;
	loaded = GetCurrentStatementStartTimestamp();
}

/* The context below another one that has a name. */
static MemoryContext
find_context(MemoryContext parent, const char *name)
{
	MemoryContext context = parent->firstchild;

	while (context != NULL && strcmp(context->name, name) != 0)
		context = context->nextchild;
	return context;
}

/*
 * Does a portal of the session run EXPLAIN?  Their names are found by their
 * memory contexts, for there is no list of them.
 */
static bool
portal_explains(void)
{
	MemoryContext all = find_context(TopMemoryContext, "TopPortalContext");
	MemoryContext context = all == NULL ? NULL : all->firstchild;

	for (; context != NULL; context = context->nextchild)
	{
		const char *name = context->ident == NULL ? "" : context->ident;
		Portal portal =
			GetPortalByName(strcmp(name, "<unnamed>") == 0 ? "" : name);

		if (portal != NULL && portal->status == PORTAL_ACTIVE &&
			portal->commandTag == CMDTAG_EXPLAIN)
			return true;
	}
	return false;
}

/* Does a statement around the call, or a name in it, hold the word? */
static bool
context_explains(void)
{
	char *context = GetErrorContextStack();
	char *at;

	if (context == NULL)
		return false;
	for (at = context; *at != '\0'; at++)
		*at = (char) tolower((unsigned char) *at);
	return strstr(context, "explain") != NULL;
}

bool
sdcpg_explain_is_running(void)
{
	return measured > 0 || portal_explains() ||
		   (loaded == GetCurrentStatementStartTimestamp() &&
			context_explains());
}

/* ----------------------------------------------------------------------
 * All rows of a relation, read the same way whatever they hold.
 *
 * The query is a list of columns and nothing else; the
 * plan is looked at before it is run, so that whatever a setting, a later
 * version or another extension may make of it, it is a sequential scan or an
 * error.
 * ----------------------------------------------------------------------
 */

/* Rows after which memory is cleared that can only hold small things. */
#define CLEAR_ROWS 128

/* What the executor hands rows to. */
typedef struct ScanReceiver
{
	DestReceiver receiver;
	SdcScan *scan;
	SdcScanTake take;
	void *arg;
} ScanReceiver;

static void
check_plan(const Plan *plan)
{
	ListCell *cell;

	if (plan->qual != NIL)
		elog(ERROR, "the plan of a private scan has a condition");
	switch (nodeTag(plan))
	{
		case T_SeqScan:
			return;
		case T_Append:
			foreach (cell, ((const Append *) plan)->appendplans)
				check_plan(lfirst(cell));
			return;
		case T_Result:
			/* a partitioned table without partitions */
			if (plan->lefttree != NULL)
				check_plan(plan->lefttree);
			return;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("the data set cannot be read by a sequential "
							"scan"),
					 errdetail("Any other way of reading would show in the "
							   "statistics of the server which rows were "
							   "read.")));
	}
}

/* What is computed as a row is read fails on one row, and not on others. */
static void
refuse_virtual(const SdcRelation *relation, AttrNumber number)
{
	if (get_attgenerated(relation->oid, number) == 'v')
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" is computed whenever a row is read, "
						"and cannot be asked for",
						get_attname(relation->oid, number, false)),
				 errdetail("An expression that fails on a row would tell that "
						   "the row is there."),
				 errhint("Have the curator store it: GENERATED ALWAYS AS "
						 "(...) STORED.")));
}

static void
take_columns(SdcScan *scan, const SdcRelation *relation, Bitmapset *numbers)
{
	int count = bms_num_members(numbers);
	int number = -1;

	scan->number = palloc(sizeof(AttrNumber) * (count + 1));
	scan->source = palloc(sizeof(int) * (count + 1));
	scan->type = palloc(sizeof(Oid) * (count + 1));
	scan->modifier = palloc(sizeof(int32) * (count + 1));
	scan->collation = palloc(sizeof(Oid) * (count + 1));
	scan->varlena = palloc(sizeof(int) * (count + 1));
	while ((number = bms_next_member(numbers, number)) >= 0)
	{
		int place = scan->columns++;

		refuse_virtual(relation, (AttrNumber) number);
		scan->number[place] = (AttrNumber) number;
		scan->source[place] = place;
		get_atttypetypmodcoll(relation->oid, (AttrNumber) number,
							  &scan->type[place], &scan->modifier[place],
							  &scan->collation[place]);
		if (get_typlen(scan->type[place]) == -1)
			scan->varlena[scan->varlenas++] = place;
	}
}

/*
 * How many columns to ask for so that rows are handed over as they are stored:
 * a query for all columns of a plain table, in their order, has no projection
 * to make for each row.  0: that cannot be.
 */
static int
stored_columns(const SdcRelation *relation)
{
	Relation opened = table_open(relation->oid, AccessShareLock);
	TupleDesc descriptor = RelationGetDescr(opened);
	bool whole = opened->rd_rel->relkind == RELKIND_RELATION &&
				 !opened->rd_rel->relhassubclass;
	int i;

	for (i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(descriptor, i);

		whole = whole && !column->attisdropped &&
				column->attgenerated != 'v'; /* virtual, from 18 on */
	}
	i = whole ? descriptor->natts : 0;
	table_close(opened, NoLock);
	return i;
}

/* SELECT of the columns, or of all in their order. */
static char *
make_query(SdcScan *scan, const SdcRelation *relation)
{
	int stored = scan->columns > 0 ? stored_columns(relation) : 0;
	int columns = stored > 0 ? stored : scan->columns;
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT");
	for (i = 0; i < columns; i++)
		appendStringInfo(
			&sql, "%s r.%s", i > 0 ? "," : "",
			quote_identifier(get_attname(
				relation->oid, stored > 0 ? i + 1 : scan->number[i], false)));
	appendStringInfo(&sql, " FROM %s AS r", relation->sql);
	for (i = 0; stored > 0 && i < scan->columns; i++)
		scan->source[i] = scan->number[i] - 1;
	return sql.data;
}

/*
 * Stops when the name has become that of another relation, as when a schema
 * takes the name of another one, which no lock of the table stops: a view in
 * that place would run as the owner of the table.
 */
static void
check_named(const Query *query, const SdcRelation *relation)
{
	if (list_length(query->rtable) != 1 ||
		linitial_node(RangeTblEntry, query->rtable)->relid != relation->oid)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("\"%s\" has become another relation", relation->name),
				 errdetail("A schema was renamed meanwhile.")));
}

SdcScan *
sdcpg_scan_plan(const SdcRelation *relation, Oid owner, Bitmapset *numbers)
{
	SdcScan *scan = palloc0(sizeof(SdcScan));
	List *parsed;
	List *queries;
	Query *query;

	if (pg_class_aclcheck(relation->oid, owner, ACL_SELECT) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, relation->name);
	take_columns(scan, relation, numbers);
	scan->sql = make_query(scan, relation);
	parsed = pg_parse_query(scan->sql);
	queries = sdc_analyze(linitial_node(RawStmt, parsed), scan->sql);
	query = linitial_node(Query, queries);
	check_named(query, relation);
	/* pg_stat_statements, which shows the time to all, takes none without */
	query->queryId = 0;
	scan->plan = pg_plan_query(query, scan->sql, CURSOR_OPT_NO_SCROLL, NULL);
	scan->plan->queryId = 0;
	check_plan(scan->plan->planTree);
	return scan;
}

int
sdcpg_scan_place(const SdcScan *scan, AttrNumber number)
{
	int i = 0;

	while (scan->number[i] != number)
		i++;
	return i;
}

void
sdcpg_scan_open(SdcScan *scan)
{
	TupleDesc descriptor = CreateTemplateTupleDesc(scan->columns);
	int i;

	for (i = 0; i < scan->columns; i++)
	{
		TupleDescInitEntry(descriptor, (AttrNumber) (i + 1), NULL,
						   scan->type[i], scan->modifier[i], 0);
		TupleDescInitEntryCollation(descriptor, (AttrNumber) (i + 1),
									scan->collation[i]);
	}
	scan->row = MakeSingleTupleTableSlot(descriptor, &TTSOpsVirtual);
	ExecStoreAllNullTuple(scan->row);
	scan->context = CreateStandaloneExprContext();
	scan->context->ecxt_scantuple = scan->row;
}

/* Every column as it is needed, whether the row is or not. */
static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	const ScanReceiver *receiver = (const ScanReceiver *) self;
	SdcScan *scan = receiver->scan;
	Datum *value = scan->row->tts_values;
	bool *isnull = scan->row->tts_isnull;
	MemoryContext caller =
		MemoryContextSwitchTo(scan->context->ecxt_per_tuple_memory);
	int i;

	/* sources ascend */
	if (scan->columns > 0)
		slot_getsomeattrs(slot, scan->source[scan->columns - 1] + 1);
	for (i = 0; i < scan->columns; i++)
	{
		value[i] = slot->tts_values[scan->source[i]];
		isnull[i] = slot->tts_isnull[scan->source[i]];
	}
	for (i = 0; i < scan->varlenas; i++)
	{
		int place = scan->varlena[i];

		if (!isnull[place])
			value[place] =
				PointerGetDatum(PG_DETOAST_DATUM_PACKED(value[place]));
	}
	receiver->take(receiver->arg, value, isnull);
	MemoryContextSwitchTo(caller);
	/* what is made of values of a fixed length is small */
	if (scan->varlenas > 0 || ++scan->rows % CLEAR_ROWS == 0)
		ResetExprContext(scan->context);
	return true;
}

static void
receive_start(DestReceiver *self, int operation, TupleDesc descriptor)
{
}

static void
receive_end(DestReceiver *self)
{
}

void
sdcpg_scan_run(SdcScan *scan, SdcScanTake take, void *arg)
{
	ScanReceiver receiver = {{0}};
	QueryDesc *query;

	receiver.receiver.receiveSlot = receive;
	receiver.receiver.rStartup = receive_start;
	receiver.receiver.rShutdown = receive_end;
	receiver.receiver.rDestroy = receive_end;
	receiver.receiver.mydest = DestNone;
	receiver.scan = scan;
	receiver.take = take;
	receiver.arg = arg;
	query =
		CreateQueryDesc(scan->plan, scan->sql, GetActiveSnapshot(),
						InvalidSnapshot, &receiver.receiver, NULL, NULL, 0);
	ExecutorStart(query, 0);
	sdc_executor_run(query);
	ExecutorFinish(query);
	ExecutorEnd(query);
	FreeQueryDesc(query);
	FreeExprContext(scan->context, true);
	ExecDropSingleTupleTableSlot(scan->row);
}
