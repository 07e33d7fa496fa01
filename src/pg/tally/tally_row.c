/*
 * tally_row.c
 *		Rows that an aggregate is given, counted in its state.
 *
 * What the arguments look like is found out at the first row of a call site
 * and kept there; so are the constant arguments, unless they could vary.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "pg/tally/tally.h"
#include "pg/tally/tally_field.h"
#include "pg/tally/tally_parameter.h"
#include "pg/tally/tally_row.h"

/* A call site of a transition function. */
typedef struct Reader
{
	MemoryContext context;
	int arguments;
	SdcTallyField *argument;
	SdcTallyShape *shape;
	bool constant; /* the constant arguments are constants of the query */
	SdcTally *empty;
} Reader;

/* The expression of an argument, or NULL when it cannot be known. */
static Node *
argument_expression(FunctionCallInfo fcinfo, int argument)
{
	Aggref *aggregate = AggGetAggref(fcinfo);
	Node *found = NULL;
	int count = 0;
	ListCell *cell;

	if (aggregate == NULL)
		return NULL;
	foreach (cell, aggregate->args)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (entry->resjunk)
			continue;
		if (++count == argument)
			found = (Node *) entry->expr;
	}
	/* another aggregate may call this one's functions */
	return count == PG_NARGS() - 1 ? found : NULL;
}

/*
 * The collation of an argument.  Aggregates share one input collation among
 * their arguments, which is none when they differ, so the expression itself
 * is asked.
 */
static Oid
argument_collation(FunctionCallInfo fcinfo, int argument)
{
	Node *expression = argument_expression(fcinfo, argument);

	return expression == NULL ? PG_GET_COLLATION() : exprCollation(expression);
}

/* The type of an argument. */
static Oid
argument_type(FunctionCallInfo fcinfo, int argument)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, argument);

	if (!OidIsValid(type))
		ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_DATATYPE),
						errmsg("type of an argument of the aggregate is not "
							   "known")));
	return type;
}

/* Is the expression a constant of the query, or of its execution? */
static bool
is_constant(const Node *expression)
{
	if (expression == NULL)
		return false;
	return IsA(expression, Const) ||
		   (IsA(expression, Param) &&
			((const Param *) expression)->paramkind == PARAM_EXTERN);
}

/* Are all constant arguments such, so that none can vary? */
static bool
has_constants(FunctionCallInfo fcinfo, int first)
{
	int i;

	for (i = first; i < PG_NARGS(); i++)
		if (!is_constant(argument_expression(fcinfo, i)))
			return false;
	return true;
}

static Reader *
new_reader(FunctionCallInfo fcinfo, int keys, int others)
{
	MemoryContext context = fcinfo->flinfo->fn_mcxt;
	MemoryContext caller = MemoryContextSwitchTo(context);
	Reader *reader = palloc0(sizeof(Reader));
	SdcTallyList list = {0, 0, NULL};
	int key_columns = 0;
	int i;

	reader->context = context;
	reader->arguments = keys + others;
	reader->argument = palloc0(reader->arguments * sizeof(SdcTallyField));
	for (i = 0; i < reader->arguments; i++)
	{
		int before = list.columns;

		sdcpg_tally_field_describe(
			&list, &reader->argument[i], argument_type(fcinfo, i + 1),
			argument_collation(fcinfo, i + 1), fcinfo->args[i + 1].value,
			fcinfo->args[i + 1].isnull);
		if (list.columns == before)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("row value without fields")));
		if (i < keys)
			key_columns = list.columns;
	}
	reader->constant = has_constants(fcinfo, 1 + reader->arguments);
	MemoryContextSwitchTo(caller);
	reader->shape =
		sdcpg_tally_shape(list.column, list.columns, key_columns, context);
	return reader;
}

/* The aggregate's memory; stops when it is not an aggregate that calls. */
static MemoryContext
aggregate_memory(FunctionCallInfo fcinfo)
{
	MemoryContext memory;

	if (!AggCheckCallContext(fcinfo, &memory))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("function is called by aggregates only")));
	return memory;
}

Datum
sdcpg_tally_row(FunctionCallInfo fcinfo, int keys, int others)
{
	MemoryContext memory = aggregate_memory(fcinfo);
	Reader *reader = fcinfo->flinfo->fn_extra;
	SdcTallyChange change;
	SdcTally *empty;
	int i;

	if (reader == NULL)
	{
		reader = new_reader(fcinfo, keys, others);
		fcinfo->flinfo->fn_extra = reader;
	}
	empty = reader->empty;
	if (empty == NULL || !reader->constant)
	{
		MemoryContext caller = CurrentMemoryContext;

		if (reader->constant)
			MemoryContextSwitchTo(reader->context);
		empty =
			sdcpg_tally_empty(fcinfo, 1 + reader->arguments, reader->shape);
		reader->empty = reader->constant ? empty : NULL;
		MemoryContextSwitchTo(caller);
	}
	if (PG_ARGISNULL(0))
		sdcpg_tally_create(&change, empty, memory);
	else
		sdcpg_tally_open(&change, PG_GETARG_DATUM(0), memory);
	if (!sdcpg_tally_alike(change.tally, empty))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("constant arguments of the aggregate must not "
							   "vary within a group")));
	for (i = 0; i < reader->arguments; i++)
		sdcpg_tally_field_read(&reader->argument[i], reader->shape,
							   fcinfo->args[i + 1].value,
							   fcinfo->args[i + 1].isnull);
	sdcpg_tally_count(&change, reader->shape, 1);
	return change.datum;
}

Datum
sdcpg_tally_combine(FunctionCallInfo fcinfo)
{
	MemoryContext memory = aggregate_memory(fcinfo);
	SdcTallyChange change;
	const SdcTally *other;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	other = sdcpg_tally_read(PG_GETARG_DATUM(1));
	if (PG_ARGISNULL(0))
		sdcpg_tally_create(&change, other, memory);
	else
		sdcpg_tally_open(&change, PG_GETARG_DATUM(0), memory);
	if (!sdcpg_tally_alike(change.tally, other))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("states to be combined differ in what they count"),
				 errdetail("Types and constant arguments of an aggregate must "
						   "not vary within a group.")));
	sdcpg_tally_join(&change, sdcpg_tally_shape_of(fcinfo, other), other);
	return change.datum;
}
