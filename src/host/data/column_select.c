/*
 * column_select.c
 *		A SELECT with masks as window functions, run column by column.
 *
 * PostgreSQL analyses the statement, and with it checks names, types, rights
 * and row-level security.  Then the tree is taken apart: every window function
 * becomes a call on columns, and what is left is a plain SELECT of what the
 * calls need (arguments, strata, order) and of everything else that a row of
 * the result has.  That SELECT is run once.  What calls need goes into
 * columns, everything else into a row store.  The calls run, column by
 * column, with the same functions that a window runs.  At last the rows come
 * back from the store, in random order if that is asked for, and the values of
 * the calls are put in by the number of the row.
 *
 * While all columns fit into memory they are arrays.  When they do not, they
 * are spilled, and a call has only its own in memory, and its result.
 *
 * Against the windows of the executor this saves the sorts of whole rows, the
 * spooling of a partition for each mask, and the sort of all rows by a random
 * number.
 */
#include "postgres.h"

#include "catalog/objectaccess.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/snapmgr.h"

#include "host/call/catalog.h"
#include "host/data/column.h"
#include "host/data/column_select.h"
#include "host/data/data_private.h"
#include "host/data/rows.h"
#include "host/data/target.h"
#include "host/data/window.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/progress.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"

/* Rows between two polls, which are also resets of scratch memory. */
#define POLL_ROWS 1024

/* Room of an array to begin with. */
#define FIRST_ROOM 8192

/* Rows that there is room for, of those that the planner expects: its counts
 * are a little off. */
#define EXPECTED_MORE 1.02

/*
 * Bytes that a call takes for each row while it runs, about: a partition's
 * values, order, keys and the scratch of a sort; of records an array of each
 * field, twice, indexes of points, and an array as result.
 */
#define CALL_BYTES   44
#define RECORD_BYTES 64
#define FIELD_BYTES  48

/* Bytes that the result of a call takes for each row. */
#define RESULT_BYTES (sizeof(Datum) + sizeof(bool))

/* A column that calls need. */
typedef struct Input
{
	Expr *expression;
	SdcColumnStore column;
} Input;

/*
 * Where the values of an expression are: in an input, in the result of an
 * earlier call, or the same for all rows.
 */
typedef struct Source
{
	int input; /* -1: none */
	int call;  /* -1: none */
	Expr *constant;
} Source;

/* A window function. */
typedef struct Call
{
	WindowFunc *function;
	bool is_mean;  /* avg(float8) over a whole partition */
	bool by_ranks; /* can it do with ranks alone? */
	int rank_bytes;
	int arguments;
	Source argument[SDC_WINDOW_ARGUMENTS];
	int partitions;
	Source *partition;
	int orders;
	Source *order;
	SdcColumnStore result;
} Call;

typedef enum OutputKind
{
	OUTPUT_STORED,     /* in the row store */
	OUTPUT_SLOT,       /* put into the row by its number */
	OUTPUT_EXPRESSION, /* of results of calls */
	OUTPUT_COMPARED    /* only, while rows are read or columns are whole */
} OutputKind;

/* A column of the result. */
typedef struct Output
{
	OutputKind kind;
	int place; /* of what is stored, or of its slot */
	Expr *expression;
	ExprState *state;
	Oid float_key; /* float4 or float8: no negative zero; InvalidOid */
} Output;

/* A value that is put into each row of the store before rows are given. */
typedef struct Slot
{
	bool is_call;
	int place; /* of the input or of the call */
} Slot;

/* When two columns of the result are compared. */
typedef enum PairTime
{
	PAIR_READING, /* first and second are places in a row that is read */
	PAIR_COLUMNS, /* a call and an input */
	PAIR_ROWS     /* columns of the result */
} PairTime;

typedef struct Pair
{
	PairTime time;
	int first;
	int second;
} Pair;

typedef struct Select
{
	SdcPgHost *host;
	const char *sql;
	const SdcCatalogParameters *parameters;
	const SdcRows *rows;
	TupleDesc descriptor; /* of the result */
	Query *query;         /* what is read */
	bool too_large;
	int inputs;
	Input *input;
	int calls;
	Call *call;
	int outputs;
	Output *output;
	int slots;
	Slot *slot;
	Pair *pair;     /* as those of rows */
	List *stored;   /* TargetEntry of each expression that is stored */
	List *compared; /* expressions that are read only to compare them */
	SdcRowStore *store;
	int64 read;
	int64 room;     /* of the inputs, while they are arrays */
	int64 expected; /* rows, as the planner thinks */
	bool spilled;   /* are they in files? */
	MemoryContext scratch;
	/* the order of the window that was asked for last */
	const Call *ordered;
	int32 *sequence;
	EState *executor;
	ParamListInfo bound; /* parameters, and behind them results of calls */
	Datum *values;       /* a row of the result */
	bool *isnull;
	Datum *stored_values;
	const bool *stored_isnull;
} Select;

/* ----------------------------------------------------------------------
 * The tree of the statement, taken apart.
 * ----------------------------------------------------------------------
 */

static int
find_input(Select *select, Expr *expression)
{
	int i;

	for (i = 0; i < select->inputs; i++)
		if (equal(select->input[i].expression, expression))
			return i;
	return -1;
}

/* Is the expression what stands for the result of a call?  Which? */
static int
call_of(const Select *select, const Expr *expression)
{
	const Param *param = (const Param *) expression;

	if (!IsA(expression, Param) || param->paramkind != PARAM_EXTERN ||
		param->paramid <= select->parameters->count)
		return -1;
	return param->paramid - select->parameters->count - 1;
}

static bool
has_call_walker(Node *node, void *select)
{
	if (node == NULL)
		return false;
	if (call_of(select, (Expr *) node) >= 0)
		return true;
	return expression_tree_walker(node, has_call_walker, select);
}

/* Where the values of an expression come from; of rows if is_column. */
static Source
source_of(Select *select, Expr *expression, bool is_column)
{
	Source source = {-1, -1, NULL};
	Input *input;

	source.call = call_of(select, expression);
	if (source.call >= 0)
		return source;
	if (!is_column && !contain_var_clause((Node *) expression))
	{
		source.constant = expression;
		return source;
	}
	source.input = find_input(select, expression);
	if (source.input >= 0)
		return source;
	select->input =
		repalloc(select->input, sizeof(Input) * (select->inputs + 1));
	input = &select->input[select->inputs];
	memset(input, 0, sizeof(*input));
	input->expression = expression;
	source.input = select->inputs++;
	return source;
}

static Source *
sources_of(Select *select, List *clauses, List *targets)
{
	Source *source = palloc(sizeof(Source) * (list_length(clauses) + 1));
	ListCell *cell;
	int i = 0;

	foreach (cell, clauses)
		source[i++] = source_of(
			select, (Expr *) get_sortgroupclause_expr(lfirst(cell), targets),
			true);
	return source;
}

/* Notes a window function as a call; returns what stands for its result. */
static Node *
add_call(Select *select, Query *query, WindowFunc *function)
{
	const WindowClause *window =
		list_nth(query->windowClause, function->winref - 1);
	Param *param = makeNode(Param);
	ListCell *cell;
	Call *call;

	select->call = repalloc(select->call, sizeof(Call) * (select->calls + 1));
	call = &select->call[select->calls];
	memset(call, 0, sizeof(*call));
	call->function = function;
	call->is_mean = function->winfnoid == F_AVG_FLOAT8;
	call->by_ranks =
		!call->is_mean &&
		sdcpg_window_by_ranks(function->winfnoid, &call->rank_bytes);
	foreach (cell, function->args)
	{
		call->argument[call->arguments] =
			source_of(select, lfirst(cell), call->arguments == 0);
		call->arguments++;
	}
	call->partitions = list_length(window->partitionClause);
	call->partition =
		sources_of(select, window->partitionClause, query->targetList);
	call->orders = list_length(window->orderClause);
	call->order = sources_of(select, window->orderClause, query->targetList);
	param->paramkind = PARAM_EXTERN;
	param->paramid = select->parameters->count + ++select->calls;
	param->paramtype = function->wintype;
	param->paramtypmod = -1;
	param->paramcollid = function->wincollid;
	param->location = -1;
	return (Node *) param;
}

typedef struct Replacing
{
	Select *select;
	Query *query;
	/* of a query below: number of its range table entry, and its columns */
	Index below;
	List *columns;
} Replacing;

static Node *
replace_calls_mutator(Node *node, void *arg)
{
	Replacing *replacing = arg;

	if (node == NULL)
		return NULL;
	if (IsA(node, WindowFunc))
		return add_call(replacing->select, replacing->query,
						(WindowFunc *) node);
	return expression_tree_mutator(node, replace_calls_mutator, arg);
}

static Node *
replace_columns_mutator(Node *node, void *arg)
{
	Replacing *replacing = arg;
	Var *var = (Var *) node;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && var->varno == replacing->below &&
		var->varlevelsup == 0)
	{
		TargetEntry *column =
			get_tle_by_resno(replacing->columns, var->varattno);

		if (column == NULL)
			elog(ERROR, "a column that a query does not have");
		return copyObject((Node *) column->expr);
	}
	return expression_tree_mutator(node, replace_columns_mutator, arg);
}

/* The query that a query reads alone and that has window functions too. */
static RangeTblEntry *
query_below(const Query *query, Index *number)
{
	RangeTblRef *reference;
	RangeTblEntry *entry;

	if (list_length(query->jointree->fromlist) != 1 ||
		query->jointree->quals != NULL ||
		!IsA(linitial(query->jointree->fromlist), RangeTblRef))
		return NULL;
	reference = linitial(query->jointree->fromlist);
	entry = rt_fetch(reference->rtindex, query->rtable);
	if (entry->rtekind != RTE_SUBQUERY || entry->security_barrier ||
		entry->lateral || !entry->subquery->hasWindowFuncs ||
		!sdcpg_window_is_plain(entry->subquery))
		return NULL;
	*number = reference->rtindex;
	return entry;
}

/*
 * Replaces the window functions of a query, and of one below it, by calls.
 * Returns the query to read, and sets the columns of the result.
 */
static Query *
take_apart(Select *select, Query *query, List **columns)
{
	Replacing replacing = {select, query};
	RangeTblEntry *below = query_below(query, &replacing.below);

	if (below != NULL)
	{
		Replacing inner = {select, below->subquery};

		replacing.columns = (List *) replace_calls_mutator(
			(Node *) below->subquery->targetList, &inner);
		query->targetList = (List *) replace_columns_mutator(
			(Node *) query->targetList, &replacing);
	}
	*columns =
		(List *) replace_calls_mutator((Node *) query->targetList, &replacing);
	return below != NULL ? below->subquery : query;
}

/* The place in the store of an expression that no call is in. */
static int
place_in_store(Select *select, Expr *expression)
{
	ListCell *cell;
	int place = 0;

	foreach (cell, select->stored)
	{
		if (IsA(expression, Var) &&
			equal(((TargetEntry *) lfirst(cell))->expr, expression))
			return place;
		place++;
	}
	select->stored = lappend(
		select->stored, makeTargetEntry(expression, place + 1, NULL, false));
	return place;
}

/* The slot for values of an input or of a call. */
static int
find_slot(Select *select, bool is_call, int place)
{
	int i;

	for (i = 0; i < select->slots; i++)
		if (select->slot[i].is_call == is_call &&
			select->slot[i].place == place)
			return i;
	select->slot = repalloc(select->slot, sizeof(Slot) * (select->slots + 1));
	select->slot[select->slots].is_call = is_call;
	select->slot[select->slots].place = place;
	return select->slots++;
}

/* Has slots for all results of calls that an expression needs. */
static bool
find_slots_walker(Node *node, void *select)
{
	int call;

	if (node == NULL)
		return false;
	call = call_of(select, (Expr *) node);
	if (call >= 0)
		(void) find_slot(select, true, call);
	return expression_tree_walker(node, find_slots_walker, select);
}

/* Finds out where a column of the result comes from. */
static bool
add_output(Select *select, int column, Expr *expression)
{
	Output *output = &select->output[column];

	output->expression = expression;
	output->place = call_of(select, expression);
	if (output->place >= 0)
	{
		output->kind = OUTPUT_SLOT;
		output->place = find_slot(select, true, output->place);
		return true;
	}
	if (has_call_walker((Node *) expression, select))
	{
		output->kind = OUTPUT_EXPRESSION;
		(void) find_slots_walker((Node *) expression, select);
		return !contain_var_clause((Node *) expression) &&
			   !contain_volatile_functions((Node *) expression);
	}
	output->place = IsA(expression, Var) ? find_input(select, expression) : -1;
	output->kind = output->place >= 0 ? OUTPUT_SLOT : OUTPUT_STORED;
	output->place = output->place >= 0
						? find_slot(select, false, output->place)
						: place_in_store(select, expression);
	return true;
}

/*
 * Plans to compare two columns of the result before rows are given, if that
 * can be; expression is the second, which is no column of the result yet.
 */
static bool
compare_early(Select *select, Pair *pair, int second, Expr *expression)
{
	const Output *output = &select->output[pair->first];
	int input = IsA(expression, Var) ? find_input(select, expression) : -1;

	if (OidIsValid(output->float_key) ||
		OidIsValid(select->output[second].float_key) ||
		has_call_walker((Node *) expression, select))
		return false;
	if (output->kind == OUTPUT_STORED)
	{
		pair->time = PAIR_READING;
		pair->first = select->inputs + output->place;
		pair->second = input;
		if (input < 0)
			select->compared = lappend(select->compared, expression);
	}
	else if (output->kind == OUTPUT_SLOT && input >= 0 &&
			 select->slot[output->place].is_call)
	{
		pair->time = PAIR_COLUMNS;
		pair->first = select->slot[output->place].place;
		pair->second = input;
	}
	else
		return false;
	select->output[second].kind = OUTPUT_COMPARED;
	return true;
}

/* The pair that a column of the result is the second of, or -1. */
static int
pair_of(const Select *select, int column)
{
	int i;

	for (i = 0; i < select->rows->pairs; i++)
		if (select->rows->pair[i].second == column)
			return i;
	return -1;
}

/* Plans the columns of the result, and those last that are compared. */
static bool
add_outputs(Select *select, List *columns)
{
	int later;
	ListCell *cell;

	select->pair = palloc0(sizeof(Pair) * (select->rows->pairs + 1));
	for (later = 0; later < 2; later++)
	{
		int place = 0;

		foreach (cell, columns)
		{
			TargetEntry *column = lfirst(cell);
			int number = column->resjunk ? -1 : pair_of(select, place);
			Pair *pair = &select->pair[Max(number, 0)];

			if (column->resjunk)
				continue;
			if ((number >= 0) != (later == 1))
			{
				place++;
				continue;
			}
			if (number >= 0)
			{
				pair->time = PAIR_ROWS;
				pair->first = select->rows->pair[number].first;
				pair->second = place;
			}
			if ((number < 0 || select->rows->pair[number].late ||
				 !compare_early(select, pair, place, column->expr)) &&
				!add_output(select, place, column->expr))
				return false;
			place++;
		}
		select->outputs = place;
	}
	return true;
}

/*
 * One form of equal keys, where adding zero makes it.  A domain may have
 * something to say about the sum.
 */
static bool
shape_outputs(Select *select, List *keys)
{
	int i;

	for (i = 0; i < select->descriptor->natts; i++)
	{
		Oid type = TupleDescAttr(select->descriptor, i)->atttypid;

		switch (sdcpg_target_key_form(select->descriptor, i, keys))
		{
			case SDC_KEY_AS_IT_IS:
				break;
			case SDC_KEY_PLUS_ZERO:
				if (type != getBaseType(type))
					return false;
				select->output[i].float_key = type;
				break;
			default:
				return false;
		}
	}
	return true;
}

/* The analysed and rewritten statement, or NULL when it is not one SELECT. */
static Query *
analyze(Select *select)
{
	MemoryContext caller = CurrentMemoryContext;
	Query *query = NULL;
	CachedPlanSource *source;
	SPIPlanPtr plan;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	plan = sdcpg_catalog_prepare(select->sql, select->parameters, 0);
	source = linitial(SPI_plan_get_plan_sources(plan));
	MemoryContextSwitchTo(caller);
	if (list_length(source->query_list) == 1)
		query = copyObject(linitial_node(Query, source->query_list));
	if (query != NULL)
		select->descriptor = CreateTupleDescCopy(source->resultDesc);
	SPI_finish();
	return query;
}

/*
 * The columns that are read: the inputs, then what is stored, then what is
 * only compared.
 */
static void
set_columns(Select *select)
{
	Query *query = select->query;
	List *columns = NIL;
	ListCell *cell;
	int pair = 0;
	int i;

	for (i = 0; i < select->inputs; i++)
		columns = lappend(columns,
						  makeTargetEntry(select->input[i].expression, i + 1,
										  psprintf("c%d", i), false));
	foreach (cell, select->stored)
	{
		Expr *expression = ((TargetEntry *) lfirst(cell))->expr;

		i++;
		columns =
			lappend(columns, makeTargetEntry(expression, i,
											 psprintf("c%d", i - 1), false));
	}
	foreach (cell, select->compared)
	{
		while (select->pair[pair].time != PAIR_READING ||
			   select->pair[pair].second >= 0)
			pair++;
		select->pair[pair].second = i++;
		columns =
			lappend(columns, makeTargetEntry(lfirst(cell), i,
											 psprintf("c%d", i - 1), false));
	}
	query->targetList = columns;
	query->windowClause = NIL;
	query->hasWindowFuncs = false;
}

/* Prepares everything; false when the statement has what is not done here. */
static bool
plan_select(Select *select, bool shuffled, List *keys)
{
	Query *query = analyze(select);
	List *columns;

	if (query == NULL || !sdcpg_window_is_plain(query))
		return false;
	select->input = palloc(sizeof(Input));
	select->call = palloc(sizeof(Call));
	select->slot = palloc(sizeof(Slot));
	select->query = take_apart(select, query, &columns);
	select->output = palloc0(sizeof(Output) * (list_length(columns) + 1));
	if (!shape_outputs(select, keys) || !add_outputs(select, columns))
		return false;
	set_columns(select);
	return select->calls > 0 || shuffled;
}

/* ----------------------------------------------------------------------
 * The one pass that reads.
 * ----------------------------------------------------------------------
 */

typedef struct Receiver
{
	DestReceiver receiver;
	Select *select;
} Receiver;

static SdcColumnStore *
store_of(const Select *select, const Source *source)
{
	return source->call >= 0 ? &select->call[source->call].result
							 : &select->input[source->input].column;
}

static SdcColumnStore **
stores_of(const Select *select, const Source *source, int count)
{
	SdcColumnStore **store = palloc(sizeof(SdcColumnStore *) * (count + 1));
	int i;

	for (i = 0; i < count; i++)
		store[i] = store_of(select, &source[i]);
	return store;
}

/* The columns of a call that does with ranks alone. */
static SdcRanksCall
ranks_call(const Select *select, const Call *call)
{
	SdcRanksCall result = {select->read};

	result.value = store_of(select, &call->argument[0]);
	result.partitions = call->partitions;
	result.partition = stores_of(select, call->partition, call->partitions);
	result.orders = call->orders;
	result.order = stores_of(select, call->order, call->orders);
	return result;
}

/* Can a call be made with next to nothing in memory? */
static bool
is_by_ranks(const Select *select, const Call *call)
{
	SdcRanksCall ranks;

	if (!select->spilled || !call->by_ranks)
		return false;
	ranks = ranks_call(select, call);
	return sdcpg_ranks_can(&ranks);
}

/* Bytes that a call takes while it runs, for so many rows in arrays. */
static Size
bytes_of_call(const Select *select, const Call *call, int64 rows)
{
	const Node *argument = linitial(call->function->args);
	Size bytes = CALL_BYTES;

	if (IsA(argument, RowExpr))
		bytes += RECORD_BYTES +
				 FIELD_BYTES * list_length(((RowExpr *) argument)->args);
	if (select->spilled)
		bytes += RESULT_BYTES *
				 (call->arguments + call->partitions + call->orders + 1);
	return bytes * rows;
}

/* Are so many rows, and what calls make of them, more than may be held? */
static bool
is_too_large(const Select *select, int64 rows, Size more)
{
	Size limit = (Size) sdcpg_memory_limit * 1024;
	Size most = 0;
	int i;

	for (i = 0; i < select->calls; i++)
	{
		const Call *call = &select->call[i];
		Size bytes = bytes_of_call(select, call, rows);

		if (is_by_ranks(select, call))
			bytes =
				Min(bytes, sdcpg_ranks_bytes(rows) + rows * call->rank_bytes);
		most = Max(most, bytes);
	}
	if (!select->spilled)
		most += rows * select->calls * RESULT_BYTES;
	return rows > SDC_MAX_ROWS || select->host->used + more + most > limit;
}

/* Has all that was read in files. */
static void
spill_inputs(Select *select)
{
	int i;

	for (i = 0; i < select->inputs; i++)
		sdcpg_column_store_spill(&select->input[i].column);
}

/* Goes over to files; false when that does not help. */
static bool
start_spilling(Select *select)
{
	if (select->spilled)
		return false;
	ereport(DEBUG1, (errmsg_internal("columns are put aside in files")));
	select->spilled = true;
	spill_inputs(select);
	return !is_too_large(select, select->read, 0);
}

/* Would room for so many rows in all arrays leave less than spare? */
static bool
cannot_grow(const Select *select, int64 room, Size spare)
{
	int i;

	for (i = 0; i < select->inputs; i++)
		spare += sdcpg_column_store_bytes(&select->input[i].column,
										  room - select->room);
	return is_too_large(select, room, spare);
}

/*
 * Makes room for more rows in all arrays; false when there is none.  The first
 * is for all that are expected, unless little were left should fewer come.
 */
static bool
grow_inputs(Select *select)
{
	int64 room = Max(FIRST_ROOM, select->room * 3 / 2);
	int i;

	if (select->room == 0 && select->expected > room &&
		!cannot_grow(select, select->expected,
					 (Size) sdcpg_memory_limit * 1024 / 2))
		room = select->expected;
	if (cannot_grow(select, room, 0))
		return start_spilling(select);
	for (i = 0; i < select->inputs; i++)
		sdcpg_column_store_grow(&select->input[i].column, room);
	select->room = room;
	return true;
}

/* Is there memory for one more row, and for what calls will make of it? */
static bool
has_room(Select *select)
{
	if (select->inputs == 0)
		return true;
	if (select->read % POLL_ROWS == 0 &&
		is_too_large(select, select->read, 0) && !start_spilling(select))
		return false;
	return select->spilled || select->read < select->room ||
		   grow_inputs(select);
}

/* Compares the columns of a row whose time it is. */
static void
compare(const Select *select, PairTime time, const Datum *values,
		const bool *isnull)
{
	const SdcRows *rows = select->rows;
	int i;

	for (i = 0; i < rows->pairs; i++)
	{
		const Pair *pair = &select->pair[i];

		if (pair->time == time)
			rows->compare(rows->arg, i, values[pair->first],
						  isnull[pair->first], values[pair->second],
						  isnull[pair->second]);
	}
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	Select *select = ((Receiver *) self)->select;
	SdcHost *host = &select->host->kernel;
	MemoryContext caller = MemoryContextSwitchTo(select->scratch);
	int i;

	if (select->read % POLL_ROWS == 0)
	{
		MemoryContextReset(select->scratch);
		host->poll(host, select->read, 0);
	}
	if (!has_room(select))
	{
		select->too_large = true;
		MemoryContextSwitchTo(caller);
		return false;
	}
	slot_getallattrs(slot);
	for (i = 0; i < select->inputs; i++)
		sdcpg_column_store_add(&select->input[i].column, slot->tts_values[i],
							   slot->tts_isnull[i]);
	sdcpg_row_store_put_values(select->store, slot->tts_values + i,
							   slot->tts_isnull + i);
	compare(select, PAIR_READING, slot->tts_values, slot->tts_isnull);
	select->read++;
	MemoryContextSwitchTo(caller);
	return true;
}

static void
receive_startup(DestReceiver *self, int operation, TupleDesc descriptor)
{
}

static void
receive_nothing(DestReceiver *self)
{
}

/* Bytes before each row of the store: values of slots, then their NULLs. */
static Size
slot_bytes(const Select *select)
{
	return MAXALIGN(select->slots * (sizeof(Datum) + sizeof(bool)));
}

/* Gets arrays and the store ready. */
static void
prepare_reading(Select *select, bool shuffled)
{
	SdcPgHost *host = select->host;
	int i;

	for (i = 0; i < select->inputs; i++)
	{
		Node *expression = (Node *) select->input[i].expression;
		SdcColumnType type =
			sdcpg_column_type(exprType(expression), exprCollation(expression));

		sdcpg_column_store_begin(&select->input[i].column, host, &type);
	}
	for (i = 0; i < select->calls; i++)
		select->call[i].result.host = host;
	select->store = sdcpg_row_store_new(host, shuffled, slot_bytes(select),
										(Size) sdcpg_memory_limit * 1024 / 4,
										ExecTypeFromTL(select->stored));
	select->scratch = AllocSetContextCreate(host->work, "sdc reading",
											ALLOCSET_DEFAULT_SIZES);
}

/* Parameters of the statement, and room for a result of each call. */
static ParamListInfo
bind_parameters(const Select *select)
{
	int first = select->parameters->count;
	ParamListInfo list =
		sdcpg_catalog_parameter_list(select->parameters, select->calls);
	int i;

	for (i = 0; i < select->calls; i++)
	{
		list->params[first + i].isnull = true;
		list->params[first + i].ptype = select->call[i].function->wintype;
	}
	return list;
}

static void
read_rows(void *arg)
{
	Select *select = arg;
	Receiver receiver = {{receive_row, receive_startup, receive_nothing,
						  receive_nothing, DestNone},
						 select};
	/* without those that stand for calls, which no reader knows */
	ParamListInfo bound = sdcpg_catalog_parameter_list(select->parameters, 0);
	PlannedStmt *plan = pg_plan_query(select->query, select->sql,
									  CURSOR_OPT_PARALLEL_OK, bound);
	double expected = plan->planTree->plan_rows * EXPECTED_MORE;
	QueryDesc *query =
		CreateQueryDesc(plan, select->sql, GetActiveSnapshot(),
						InvalidSnapshot, &receiver.receiver, bound, NULL, 0);
	int settings = NewGUCNestLevel();

	select->expected = (int64) Min(expected, (double) SDC_MAX_ROWS);
	sdcpg_progress_stage(&select->host->progress, "reading");
	/* else a large table is read from where others left off, so that rows that
	 * lie in the order of a window are sorted */
	sdcpg_set_for_now("synchronize_seqscans", "off");
	ExecutorStart(query, 0);
	sdc_executor_run(query);
	ExecutorFinish(query);
	ExecutorEnd(query);
	AtEOXact_GUC(false, settings);
	FreeQueryDesc(query);
}

/* ----------------------------------------------------------------------
 * The calls, on arrays.
 * ----------------------------------------------------------------------
 */

static const SdcWindowColumn *
column_of(const Select *select, const Source *source)
{
	return &store_of(select, source)->column;
}

/* Has the columns of some sources in memory. */
static void
load_sources(const Select *select, const Source *source, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (source[i].constant == NULL)
			sdcpg_column_store_load(store_of(select, &source[i]));
}

/* Gives the memory of all columns back that are in files. */
static void
unload_columns(Select *select)
{
	int i;

	for (i = 0; i < select->inputs; i++)
		sdcpg_column_store_unload(&select->input[i].column);
	for (i = 0; i < select->calls; i++)
		sdcpg_column_store_unload(&select->call[i].result);
}

/* Have two calls the same order? */
static bool
same_order(const Call *a, const Call *b)
{
	int i;

	if (a == NULL || a->orders != b->orders)
		return false;
	for (i = 0; i < a->orders; i++)
		if (a->order[i].input != b->order[i].input ||
			a->order[i].call != b->order[i].call)
			return false;
	return true;
}

/* The rows in the order of a call's window; NULL: as they were read. */
static const int32 *
sequence_of(Select *select, const Call *call)
{
	SdcHost *host = &select->host->kernel;
	bool sorted = false;
	int i;

	if (same_order(select->ordered, call))
		return select->sequence;
	host->release(host, select->sequence);
	select->sequence = NULL;
	select->ordered = call;
	if (call->orders == 0 || select->read == 0)
		return NULL;
	select->sequence = sdc_new(host, int32, select->read);
	select->sequence[0] = -1;
	/* from the last column to the first: equal rows keep their order */
	for (i = call->orders - 1; i >= 0; i--)
		sorted =
			sdcpg_window_sort(select->host, column_of(select, &call->order[i]),
							  select->read, select->sequence);
	if (!sorted)
	{
		host->release(host, select->sequence);
		select->sequence = NULL;
	}
	return select->sequence;
}

/* Takes what a mask left for all rows in their order. */
static void
keep_results(Select *select, Call *call, const SdcWindowFrame *frame)
{
	sdcpg_host_count(select->host,
					 (int64) (GetMemoryChunkSpace(frame->result) +
							  GetMemoryChunkSpace(frame->isnull)));
	call->result.column.value = frame->result;
	call->result.column.isnull = frame->isnull;
}

/* Makes room for the result of a call, the first time. */
static void
need_result(Select *select, Call *call)
{
	SdcHost *host = &select->host->kernel;

	if (call->result.column.value != NULL)
		return;
	call->result.column.value = sdc_new(host, Datum, select->read);
	call->result.column.isnull = sdc_new(host, bool, select->read);
}

/* Puts what a mask left into the result of its call, by rows. */
static void
put_results(Select *select, Call *call, const SdcWindowFrame *frame)
{
	int64 i;

	need_result(select, call);
	for (i = 0; i < frame->rows; i++)
	{
		int64 row = frame->row != NULL ? frame->row[i] : i;

		call->result.column.value[row] = frame->result[i];
		call->result.column.isnull[row] = frame->isnull[i];
	}
}

/* The value of an expression that is the same for all rows. */
static Datum
constant_value(Select *select, Expr *expression, bool *isnull)
{
	ExprContext *context = GetPerTupleExprContext(select->executor);
	MemoryContext caller =
		MemoryContextSwitchTo(select->executor->es_query_cxt);
	Datum value = ExecEvalExpr(ExecPrepareExpr(expression, select->executor),
							   context, isnull);

	MemoryContextSwitchTo(caller);
	return value;
}

static void
set_arguments(Select *select, const Call *call, SdcWindowArgument *argument)
{
	int i;

	for (i = 0; i < call->arguments; i++)
	{
		const Source *source = &call->argument[i];

		memset(&argument[i], 0, sizeof(argument[i]));
		if (source->constant == NULL)
			argument[i].column = column_of(select, source);
		else
			argument[i].value =
				constant_value(select, source->constant, &argument[i].isnull);
	}
}

/* The right to call the function, as a window would ask for it. */
static void
check_right(const Call *call)
{
	Oid function = call->function->winfnoid;

	if (sdc_function_aclcheck(function, GetUserId()) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION,
					   get_func_name(function));
	InvokeFunctionExecuteHook(function);
}

/* A mask, ready to be called. */
typedef struct Mask
{
	SdcWindowFrame frame;
	SdcWindowArgument argument[SDC_WINDOW_ARGUMENTS];
	FmgrInfo function;
	FunctionCallInfo fcinfo;
} Mask;

static void
prepare_mask(Select *select, const Call *call, Mask *mask)
{
	memset(mask, 0, sizeof(*mask));
	set_arguments(select, call, mask->argument);
	mask->frame.host = select->host;
	mask->frame.argument = mask->argument;
	mask->fcinfo = palloc(SizeForFunctionCallInfo(SDC_WINDOW_ARGUMENTS));
	fmgr_info_cxt(call->function->winfnoid, &mask->function,
				  select->host->work);
	fmgr_info_set_expr((Node *) call->function, &mask->function);
	InitFunctionCallInfoData(*mask->fcinfo, &mask->function, call->arguments,
							 call->function->inputcollid,
							 (Node *) &mask->frame, NULL);
}

/* Calls a mask for each partition. */
static void
call_mask(Select *select, Call *call, const SdcPartitions *partitions)
{
	Mask mask;
	int32 i;

	prepare_mask(select, call, &mask);
	for (i = 0; i < partitions->count; i++)
	{
		bool whole = partitions->count == 1 && partitions->row == NULL;

		mask.frame.rows = partitions->start[i + 1] - partitions->start[i];
		mask.frame.row = partitions->row != NULL
							 ? partitions->row + partitions->start[i]
							 : NULL;
		(void) FunctionCallInvoke(mask.fcinfo);
		if (whole)
			keep_results(select, call, &mask.frame);
		else
		{
			put_results(select, call, &mask.frame);
			pfree(mask.frame.result);
			pfree(mask.frame.isnull);
		}
	}
}

static void
call_mean(Select *select, Call *call, const SdcPartitions *partitions)
{
	const SdcWindowColumn *column = column_of(select, &call->argument[0]);
	SdcHost *host = &select->host->kernel;
	int32 i;

	need_result(select, call);
	for (i = 0; i < partitions->count; i++)
	{
		if (i % POLL_ROWS == 0)
			host->poll(host, i, partitions->count);
		sdcpg_window_mean(column,
						  partitions->row != NULL
							  ? partitions->row + partitions->start[i]
							  : NULL,
						  partitions->start[i + 1] - partitions->start[i],
						  &call->result.column);
	}
}

/* Compares the result of a call with an input. */
static void
compare_columns(Select *select, int number)
{
	const SdcRows *rows = select->rows;
	const Pair *pair = &select->pair[number];
	SdcHost *host = &select->host->kernel;
	MemoryContext caller = MemoryContextSwitchTo(select->scratch);
	Datum first;
	Datum second;
	bool first_isnull;
	bool second_isnull;
	int64 row;

	for (row = 0; row < select->read; row++)
	{
		if (row % POLL_ROWS == 0)
		{
			MemoryContextReset(select->scratch);
			host->poll(host, row, select->read);
		}
		sdcpg_column_store_get(&select->call[pair->first].result, row, &first,
							   &first_isnull);
		sdcpg_column_store_get(&select->input[pair->second].column, row,
							   &second, &second_isnull);
		rows->compare(rows->arg, number, first, first_isnull, second,
					  second_isnull);
	}
	MemoryContextSwitchTo(caller);
}

/* Calls a mask for the ranks of a stratum. */
static void
call_ranks(void *arg, SdcPgHost *host, int32 count,
		   const SdcWindowRanks *ranks)
{
	Mask *mask = arg;

	mask->frame.host = host;
	mask->frame.rows = count;
	mask->frame.ranks = ranks;
	(void) FunctionCallInvoke(mask->fcinfo);
}

/* Calls a mask that does with ranks alone; false if there is room for more. */
static bool
run_by_ranks(Select *select, Call *call)
{
	SdcRanksCall ranks;
	Mask mask;

	if (!is_by_ranks(select, call) ||
		select->host->used + bytes_of_call(select, call, select->read) <=
			(Size) sdcpg_memory_limit * 1024)
		return false;
	ranks = ranks_call(select, call);
	ranks.draw = call_ranks;
	ranks.arg = &mask;
	prepare_mask(select, call, &mask);
	sdcpg_ranks_run(select->host, &ranks, &call->result);
	unload_columns(select);
	return true;
}

static void
run_call(Select *select, Call *call)
{
	SdcHost *host = &select->host->kernel;
	SdcColumnType type =
		sdcpg_column_type(call->function->wintype, call->function->wincollid);
	SdcPartitions partitions;

	check_right(call);
	call->result.column.type = type;
	call->result.rows = select->read;
	if (select->read == 0 || run_by_ranks(select, call))
		return;
	load_sources(select, call->argument, call->arguments);
	load_sources(select, call->partition, call->partitions);
	load_sources(select, call->order, call->orders);
	partitions = sdcpg_partitions_find(
		select->host, select->read, call->partitions,
		stores_of(select, call->partition, call->partitions),
		sequence_of(select, call));
	if (call->is_mean)
		call_mean(select, call, &partitions);
	else
		call_mask(select, call, &partitions);
	host->release(host, partitions.start);
	if (partitions.row != select->sequence)
		host->release(host, (void *) partitions.row);
	if (!select->spilled)
		return;
	sdcpg_column_store_spill(&call->result);
	unload_columns(select);
}

/* ----------------------------------------------------------------------
 * The rows of the result.
 * ----------------------------------------------------------------------
 */

/* -0 and 0 are equal and print differently. */
static Datum
plus_zero(Oid type, Datum value)
{
	if (type == FLOAT4OID)
		return Float4GetDatum(DatumGetFloat4(value) + 0.0f);
	return Float8GetDatum(DatumGetFloat8(value) + 0.0);
}

/* Puts the values of slots before a row of the store. */
static void
fill_slots(void *arg, int64 number, void *row)
{
	Select *select = arg;
	Datum *value = row;
	bool *isnull = (bool *) (value + select->slots);
	int i;

	for (i = 0; i < select->slots; i++)
	{
		const Slot *slot = &select->slot[i];

		sdcpg_column_store_get(slot->is_call
								   ? &select->call[slot->place].result
								   : &select->input[slot->place].column,
							   number, &value[i], &isnull[i]);
	}
}

/* Binds the results of calls where expressions read them. */
static void
bind_results(Select *select, const Datum *value, const bool *isnull)
{
	ParamExternData *param;
	int i;

	if (select->calls == 0)
		return;
	param = &select->bound->params[select->parameters->count];
	for (i = 0; i < select->slots; i++)
	{
		const Slot *slot = &select->slot[i];

		if (!slot->is_call)
			continue;
		param[slot->place].value = value[i];
		param[slot->place].isnull = isnull[i];
	}
}

static void
set_value(Select *select, int i, const Datum *slots, const bool *nulls)
{
	const Output *output = &select->output[i];
	Datum *value = &select->values[i];
	bool *isnull = &select->isnull[i];

	switch (output->kind)
	{
		case OUTPUT_STORED:
			*value = select->stored_values[output->place];
			*isnull = select->stored_isnull[output->place];
			break;
		case OUTPUT_SLOT:
			*value = slots[output->place];
			*isnull = nulls[output->place];
			break;
		case OUTPUT_EXPRESSION:
			/* what it computes lives until the scratch memory is reset */
			*value =
				ExecEvalExpr(output->state,
							 GetPerTupleExprContext(select->executor), isnull);
			break;
		case OUTPUT_COMPARED:
			*value = (Datum) 0;
			*isnull = true;
	}
	if (output->float_key != InvalidOid && !*isnull)
		*value = plus_zero(output->float_key, *value);
}

static void
give_row(void *arg, const void *row)
{
	Select *select = arg;
	const Datum *slots = row;
	const bool *nulls = (const bool *) (slots + select->slots);
	MemoryContext caller = MemoryContextSwitchTo(select->scratch);
	int i;

	if (select->read++ % POLL_ROWS == 0)
		MemoryContextReset(select->scratch);
	select->stored_isnull = sdcpg_row_store_values(
		select->store, (const char *) row + slot_bytes(select),
		select->stored_values);
	bind_results(select, slots, nulls);
	for (i = 0; i < select->outputs; i++)
		set_value(select, i, slots, nulls);
	compare(select, PAIR_ROWS, select->values, select->isnull);
	select->rows->row(select->rows->arg, select->descriptor, select->values,
					  select->isnull);
	MemoryContextSwitchTo(caller);
}

static void
end_columns(Select *select)
{
	int i;

	for (i = 0; i < select->inputs; i++)
		sdcpg_column_store_end(&select->input[i].column);
	for (i = 0; i < select->calls; i++)
		sdcpg_column_store_end(&select->call[i].result);
}

static void
give_rows(Select *select)
{
	int columns = Max(select->outputs, list_length(select->stored)) + 1;
	int i;

	for (i = 0; i < select->outputs; i++)
		if (select->output[i].kind == OUTPUT_EXPRESSION)
			select->output[i].state = ExecPrepareExpr(
				select->output[i].expression, select->executor);
	select->values = palloc(sizeof(Datum) * columns);
	select->isnull = palloc(sizeof(bool) * columns);
	select->stored_values = palloc(sizeof(Datum) * columns);
	if (select->rows->start != NULL)
		select->rows->start(select->rows->arg, select->descriptor);
	select->read = 0;
	sdcpg_progress_stage(&select->host->progress, "writing");
	sdcpg_row_store_fill(select->store, fill_slots, select);
	end_columns(select);
	sdcpg_row_store_take(select->store, give_row, select);
}

/* Reads, calls and gives, in the memory of a host of its own. */
static bool
run_select(Select *select, bool shuffled)
{
	int i;

	select->bound = bind_parameters(select);
	select->executor = CreateExecutorState();
	select->executor->es_param_list_info = select->bound;
	GetPerTupleExprContext(select->executor)->ecxt_param_list_info =
		select->bound;
	prepare_reading(select, shuffled);
	sdcpg_catalog_hidden(select->sql, read_rows, select);
	if (select->too_large)
	{
		end_columns(select);
		sdcpg_row_store_take(select->store, NULL, NULL);
		return false;
	}
	if (select->spilled)
		spill_inputs(select);
	for (i = 0; i < select->calls; i++)
		run_call(select, &select->call[i]);
	for (i = 0; i < select->rows->pairs; i++)
		if (select->pair[i].time == PAIR_COLUMNS)
			compare_columns(select, i);
	give_rows(select);
	FreeExecutorState(select->executor);
	return true;
}

bool
sdcpg_column_select(SdcPgHost *host, const char *sql,
					const SdcCatalogParameters *parameters, bool shuffled,
					List *keys, const SdcRows *rows)
{
	MemoryContext memory = AllocSetContextCreate(
		CurrentMemoryContext, "sdc columns", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(memory);
	Select select = {NULL, sql, parameters, rows};
	bool done = false;

	if (plan_select(&select, shuffled, keys))
	{
		select.host = sdcpg_host_begin("mask", memory);
		done = run_select(&select, shuffled);
		sdcpg_host_end(select.host);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(memory);
	return done;
}
