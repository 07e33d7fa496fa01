/*
 * row_checks.c
 *		CHECK constraints of a table, asked while a row is being made.
 *
 * A constraint can be asked as soon as the last of its columns has a value.
 * Expressions come from the catalog and are evaluated as ALTER TABLE does it.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/tupdesc.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/tuptable.h"
#include "nodes/bitmapset.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteHandler.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "host/server/compat.h"
#include "topic/synthetic/row_checks.h"

typedef struct Check
{
	int last; /* of its columns, as they are made */
	ExprState *state;
} Check;

struct SdcRowChecks
{
	const SdcRelationColumns *columns;
	EState *executor;
	TupleTableSlot *slot;
	int count;
	Check *check;
	List *kept;
	List *left;
	int *reads;      /* of column j from j * columns on */
	int *read_count; /* of column j */
};

/* ----------------------------------------------------------------------
 * Which constraints can be asked.
 * ----------------------------------------------------------------------
 */

/* Is it a date, a time or a span of time? */
static bool
is_time(Oid type)
{
	char category;
	bool preferred;

	get_type_category_preferred(type, &category, &preferred);
	return category == TYPCATEGORY_DATETIME ||
		   category == TYPCATEGORY_TIMESPAN;
}

/*
 * A function that is stable because of the time zone or the like: it gives or
 * takes a time, or writes a value as text.
 */
static bool
is_of_times(Oid function)
{
	Oid *type;
	int count;
	Oid result = get_func_signature(function, &type, &count);
	bool found = result == CSTRINGOID || is_time(result);

	while (count-- > 0 && !found)
		found = is_time(type[count]);
	return found;
}

/*
 * May a function run what somebody else has written?  One of a user does.
 * Those of PostgreSQL may if they are not immutable: query_to_xml runs a
 * query, table_to_xml reads a relation by its name, to_json calls casts to
 * json, and what makes a value of a type that it is told (record_in,
 * jsonb_populate_record, pg_input_is_valid) checks the domains in it.
 */
static bool
is_foreign(Oid function, void *context)
{
	char volatility;

	if (function >= FirstNormalObjectId)
		return true;
	volatility = func_volatile(function);
	return volatility == PROVOLATILE_VOLATILE ||
		   (volatility == PROVOLATILE_STABLE && !is_of_times(function));
}

/* Does a node of its own kind make JSON, by casts, or a value of a domain? */
static bool
converts(const Node *node)
{
	switch (nodeTag(node))
	{
		case T_CoerceToDomain:
#if PG_VERSION_NUM >= 160000
		case T_JsonConstructorExpr:
#endif
#if PG_VERSION_NUM >= 170000
		case T_JsonExpr:
#endif
			return true;
		default:
			return false;
	}
}

/*
 * Does an expression run what does not come with PostgreSQL?  So does who
 * turns a value into a domain, by the constraints of that.
 */
static bool
calls_foreign(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return converts(node) ||
		   check_functions_in_node(node, is_foreign, context) ||
		   expression_tree_walker(node, calls_foreign, context);
}

/* Notes what a constraint reads; its last column, or -1: it cannot be asked */
static int
find_last(SdcRowChecks *checks, Node *condition)
{
	Bitmapset *attributes = NULL;
	int count = checks->columns->count;
	bool *read = palloc0(sizeof(bool) * (count + 1));
	int last = -1;
	int i = -1;
	int j;

	pull_varattnos(condition, 1, &attributes);
	while ((i = bms_next_member(attributes, i)) >= 0)
	{
		j = sdcpg_relation_place(
			checks->columns,
			(AttrNumber) (i + FirstLowInvalidHeapAttributeNumber));
		if (j < 0)
			return -1;
		read[j] = true;
		last = Max(last, j);
	}
	for (j = 0; j < count && last >= 0; j++)
	{
		int *reads = checks->reads + last * count;
		int k = 0;

		while (k < checks->read_count[last] && reads[k] != j)
			k++;
		if (read[j] && k == checks->read_count[last])
			reads[checks->read_count[last]++] = j;
	}
	return last;
}

static void
add_check(SdcRowChecks *checks, Relation table, const ConstrCheck *constraint)
{
	Node *condition = stringToNode(constraint->ccbin);
	int last = -1;

#if PG_VERSION_NUM >= 180000
	condition = expand_generated_columns_in_expr(condition, table, 1);
#endif
	if (constraint->ccvalid && !calls_foreign(condition, NULL))
		last = find_last(checks, condition);
	if (last < 0)
	{
		checks->left = lappend(checks->left, pstrdup(constraint->ccname));
		return;
	}
	checks->kept = lappend(checks->kept, pstrdup(constraint->ccname));
	checks->check[checks->count].last = last;
	checks->check[checks->count++].state =
		ExecPrepareExpr((Expr *) condition, checks->executor);
}

SdcRowChecks *
sdcpg_row_checks(const SdcRelation *relation,
				 const SdcRelationColumns *columns)
{
	SdcRowChecks *checks = palloc0(sizeof(SdcRowChecks));
	Relation table = table_open(relation->oid, NoLock);
	TupleDesc descriptor = CreateTupleDescCopyConstr(RelationGetDescr(table));
	TupleConstr *constraints = descriptor->constr;
	int count = constraints != NULL ? constraints->num_check : 0;
	int i;

	checks->columns = columns;
	checks->executor = CreateExecutorState();
	checks->slot = MakeSingleTupleTableSlot(descriptor, &TTSOpsVirtual);
	checks->check = palloc(sizeof(Check) * (count + 1));
	checks->reads =
		palloc0(sizeof(int) * (columns->count * columns->count + 1));
	checks->read_count = palloc0(sizeof(int) * (columns->count + 1));
	memset(checks->slot->tts_isnull, true, sizeof(bool) * descriptor->natts);
	for (i = 0; i < count; i++)
		add_check(checks, table, &constraints->check[i]);
	table_close(table, NoLock);
	return checks;
}

/* ----------------------------------------------------------------------
 * Asking them.
 * ----------------------------------------------------------------------
 */

List *
sdcpg_row_checks_kept(const SdcRowChecks *checks)
{
	return checks->kept;
}

List *
sdcpg_row_checks_left(const SdcRowChecks *checks)
{
	return checks->left;
}

Datum *
sdcpg_row_checks_values(SdcRowChecks *checks, bool **isnull)
{
	*isnull = checks->slot->tts_isnull;
	return checks->slot->tts_values;
}

MemoryContext
sdcpg_row_checks_memory(SdcRowChecks *checks)
{
	ExprContext *context = GetPerTupleExprContext(checks->executor);

	ResetExprContext(context);
	return context->ecxt_per_tuple_memory;
}

const int *
sdcpg_row_checks_reads(const SdcRowChecks *checks, int j, int *count)
{
	*count = checks->read_count[j];
	return checks->reads + j * checks->columns->count;
}

bool
sdcpg_row_checks_hold(SdcRowChecks *checks, int j)
{
	ExprContext *context = GetPerTupleExprContext(checks->executor);
	int i;

	checks->slot->tts_flags &= ~TTS_FLAG_EMPTY;
	checks->slot->tts_nvalid = checks->slot->tts_tupleDescriptor->natts;
	context->ecxt_scantuple = checks->slot;
	for (i = 0; i < checks->count; i++)
		if (checks->check[i].last == j &&
			!ExecCheck(checks->check[i].state, context))
			return false;
	return true;
}
