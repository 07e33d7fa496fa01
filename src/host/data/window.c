/*
 * window.c
 *		The protocol of window masks: a partition in, a value per row out; rows
 *		of several columns as points.
 *
 * PostgreSQL calls a window function once per row.  The first call of a
 * partition reads all of its rows, lets the mask work and keeps the results
 * in the memory of the partition, which PostgreSQL frees with the partition.
 *
 * column_select.c calls the same functions on columns that it has read itself.
 * Then the context of the call is an SdcWindowFrame, the mask finds its
 * arguments there, and runs at once for all rows of a partition.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "host/call/params.h"
#include "host/data/column.h"
#include "host/data/data_private.h"
#include "host/data/window.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"

/* Rows read between two polls. */
#define READ_ROWS 4096

/* Ranks ahead whose values, in any order of the rows, are fetched into the
 * cache. */
#define AHEAD 32

/* Parameters that may vary from row to row and so have to be watched. */
#define MAX_PARAMETERS 8

/* What a call remembers of its partition. */
typedef struct PartitionState
{
	bool ready;
	Datum *result;
	bool *isnull;
	/* parameters that are expressions, as they were in the first row */
	int watched;
	int argument[MAX_PARAMETERS];
	int16 length[MAX_PARAMETERS];
	bool by_value[MAX_PARAMETERS];
	Datum value[MAX_PARAMETERS];
	bool value_isnull[MAX_PARAMETERS];
} PartitionState;

/* Remembers the parameters that are not constants. */
static void
watch_parameters(SdcWindow *window, PartitionState *state, int parameters)
{
	FmgrInfo *flinfo = window->fcinfo->flinfo;
	MemoryContext caller = MemoryContextSwitchTo(window->host->keep);
	int argument;

	for (argument = parameters; argument < flinfo->fn_nargs; argument++)
	{
		int i = state->watched;
		Datum value;

		if (get_fn_expr_arg_stable(flinfo, argument) || i == MAX_PARAMETERS)
			continue;
		value = WinGetFuncArgCurrent(window->object, argument,
									 &state->value_isnull[i]);
		get_typlenbyval(get_fn_expr_argtype(flinfo, argument),
						&state->length[i], &state->by_value[i]);
		if (!state->value_isnull[i])
			state->value[i] =
				datumCopy(value, state->by_value[i], state->length[i]);
		state->argument[i] = argument;
		state->watched++;
	}
	MemoryContextSwitchTo(caller);
}

/* Stops when a parameter is not what it was in the first row. */
static void
check_parameters(WindowObject object, const PartitionState *state)
{
	int i;

	for (i = 0; i < state->watched; i++)
	{
		bool isnull;
		Datum value =
			WinGetFuncArgCurrent(object, state->argument[i], &isnull);

		if (isnull != state->value_isnull[i] ||
			(!isnull && !datum_image_eq(value, state->value[i],
										state->by_value[i], state->length[i])))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("argument %d varies within a partition",
							state->argument[i] + 1),
					 errdetail("A mask treats a partition as a whole, so its "
							   "parameters must be the same in every row.")));
	}
}

bool sdcpg_window_silent = false;

/* Says that a mask changes nothing, once in a call whatever its partitions. */
static void
warn_unchanged(const SdcWindow *window, const char *function)
{
	static char warned;
	FmgrInfo *flinfo = window->fcinfo->flinfo;

	if (!window->unchanged || sdcpg_window_silent || flinfo->fn_extra != NULL)
		return;
	flinfo->fn_extra = &warned;
	ereport(
		WARNING,
		(errmsg("%s leaves every value of a partition as it was", function),
		 errdetail("The partition has " INT64_FORMAT " rows.", window->rows),
		 errhint("See whether its parameters are what you meant; shares "
				 "called p are percent.")));
}

/* Runs the mask over the partition and keeps its results. */
static void
run_mask(FunctionCallInfo fcinfo, WindowObject object, PartitionState *state,
		 const char *function, int parameters, SdcWindowMask mask)
{
	SdcWindow window;

	window.fcinfo = fcinfo;
	window.object = object;
	window.frame = NULL;
	window.host = sdcpg_host_begin(function, GetMemoryChunkContext(state));
	window.rows = WinGetPartitionRowCount(object);
	window.result = sdcpg_keep_new(window.host, Datum, window.rows);
	window.isnull = sdcpg_keep_new(window.host, bool, window.rows);
	memset(window.isnull, true, window.rows);
	window.unchanged = false;
	watch_parameters(&window, state, parameters);
	mask(&window);
	warn_unchanged(&window, function);
	state->result = window.result;
	state->isnull = window.isnull;
	state->ready = true;
	sdcpg_host_end(window.host);
}

/*
 * Runs the mask over a partition of columns.  What it holds is counted on top
 * of what the columns hold.
 */
static void
run_frame(FunctionCallInfo fcinfo, SdcWindowFrame *frame, const char *function,
		  SdcWindowMask mask)
{
	SdcWindow window = {fcinfo, NULL, frame};

	window.host = sdcpg_host_begin(function, frame->host->keep);
	sdcpg_host_count(window.host, frame->host->used);
	window.rows = frame->rows;
	window.result = sdcpg_keep_new(window.host, Datum, window.rows);
	window.isnull = sdcpg_keep_new(window.host, bool, window.rows);
	memset(window.isnull, true, window.rows);
	mask(&window);
	frame->result = window.result;
	frame->isnull = window.isnull;
	sdcpg_host_end(window.host);
}

/* Runs a mask that does with ranks alone. */
static void
run_ranks(FunctionCallInfo fcinfo, const SdcWindowFrame *frame,
		  const char *function, SdcWindowMask ranks)
{
	SdcWindow window = {fcinfo, NULL, frame};

	window.host = sdcpg_host_begin(function, frame->host->keep);
	sdcpg_host_count(window.host, frame->host->used);
	window.rows = frame->rows;
	ranks(&window);
	sdcpg_host_end(window.host);
}

/* Answers a question, or runs the mask over a partition of columns. */
static void
call_frame(FunctionCallInfo fcinfo, SdcWindowFrame *frame,
		   const char *function, SdcWindowMask mask, SdcWindowMask ranks,
		   int bytes)
{
	if (frame->is_question)
	{
		frame->by_ranks = ranks != NULL;
		frame->rank_bytes = bytes;
	}
	else if (frame->ranks != NULL)
		run_ranks(fcinfo, frame, function, ranks);
	else
		run_frame(fcinfo, frame, function, mask);
}

Datum
sdcpg_window_call(FunctionCallInfo fcinfo, const char *function,
				  int parameters, SdcWindowMask mask)
{
	return sdcpg_window_call_ranks(fcinfo, function, parameters, mask, NULL,
								   0);
}

Datum
sdcpg_window_call_ranks(FunctionCallInfo fcinfo, const char *function,
						int parameters, SdcWindowMask mask,
						SdcWindowMask ranks, int bytes)
{
	WindowObject object = PG_WINDOW_OBJECT();
	PartitionState *state;
	int64 row;

	if (fcinfo->context != NULL && !WindowObjectIsValid(object))
	{
		call_frame(fcinfo, (SdcWindowFrame *) fcinfo->context, function, mask,
				   ranks, bytes);
		PG_RETURN_NULL();
	}
	state = WinGetPartitionLocalMemory(object, sizeof(*state));
	row = WinGetCurrentPosition(object);
	if (!state->ready)
		run_mask(fcinfo, object, state, function, parameters, mask);
	else if (state->watched > 0)
		check_parameters(object, state);
	if (state->isnull[row])
		PG_RETURN_NULL();
	return state->result[row];
}

/* The value of an argument that is the same in every row. */
static Datum
argument_value(SdcWindow *window, int argument, bool *isnull)
{
	if (window->frame == NULL)
		return WinGetFuncArgCurrent(window->object, argument, isnull);
	*isnull = window->frame->argument[argument].isnull;
	return window->frame->argument[argument].value;
}

/* The value of an argument in any row of the partition, 0-based. */
static Datum
window_value(SdcWindow *window, int argument, int64 row, bool *isnull)
{
	const SdcWindowFrame *frame = window->frame;
	const SdcWindowColumn *column;
	bool isout;

	if (frame != NULL && frame->argument[argument].column != NULL)
	{
		column = frame->argument[argument].column;
		row = frame->row != NULL ? frame->row[row] : row;
		*isnull = column->isnull != NULL && column->isnull[row];
		return column->value[row];
	}
	if (frame != NULL)
		return argument_value(window, argument, isnull);
	return WinGetFuncArgInPartition(window->object, argument, (int) row,
									WINDOW_SEEK_HEAD, false, isnull, &isout);
}

/*
 * The values of rows of a column, without NULLs: those that at lists, or all
 * in their order where it is NULL.
 */
static SdcColumn *
rows_of_column(SdcPgHost *of, const SdcWindowColumn *source, const int32 *at,
			   int64 rows)
{
	SdcHost *host = &of->kernel;
	SdcColumn *column = sdc_new(host, SdcColumn, 1);
	int64 row;

	memset(column, 0, sizeof(*column));
	column->type = source->type;
	column->rows = rows;
	column->pool = source->pool;
	if (at == NULL && source->isnull == NULL)
	{
		column->count = (int32) rows;
		column->value = source->value;
		column->code = source->code;
		return column;
	}
	column->value = sdc_new(host, Datum, rows);
	if (source->code != NULL)
		column->code = sdc_new(host, int32, rows);
	if (source->isnull != NULL)
		column->place = sdc_new(host, int32, rows);
	for (row = 0; row < rows; row++)
	{
		int64 from = at != NULL ? at[row] : row;

		if (row % SDC_POLL_STEPS == 0)
			host->poll(host, row, rows);
		if (source->isnull != NULL && source->isnull[from])
			continue;
		if (column->place != NULL)
			column->place[column->count] = (int32) row;
		if (column->code != NULL)
			column->code[column->count] = source->code[from];
		column->value[column->count++] = source->value[from];
	}
	return column;
}

/* Reads an argument from a window of PostgreSQL. */
static SdcColumn *
read_column(SdcWindow *window, int argument)
{
	SdcPgHost *host = window->host;
	FunctionCallInfo fcinfo = window->fcinfo;
	SdcColumnType type = sdcpg_column_type(
		get_fn_expr_argtype(fcinfo->flinfo, argument), PG_GET_COLLATION());
	SdcColumn *column = sdcpg_column_new(host, &type, window->rows);
	MemoryContext scratch = AllocSetContextCreate(host->work, "sdc reading",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	int64 row;

	for (row = 0; row < window->rows; row++)
	{
		bool isnull;
		Datum value;

		if (row % READ_ROWS == 0)
			host->kernel.poll(&host->kernel, row, window->rows);
		/* a value may be large: never let many of them pile up */
		if (!type.by_value || row % READ_ROWS == 0)
			MemoryContextReset(scratch);
		value = window_value(window, argument, row, &isnull);
		if (!isnull)
			sdcpg_column_add(host, column, (int32) row, value);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	return column;
}

SdcColumn *
sdcpg_window_column(SdcWindow *window, int argument)
{
	const SdcWindowFrame *frame = window->frame;

	if (frame != NULL && frame->argument[argument].column != NULL)
		return rows_of_column(window->host, frame->argument[argument].column,
							  frame->row, window->rows);
	return read_column(window, argument);
}

/* A parameter, which must not be NULL. */
static Datum
parameter(SdcWindow *window, int argument, const char *name)
{
	bool isnull;
	Datum value = argument_value(window, argument, &isnull);

	if (isnull)
		sdcpg_args_null(name);
	return value;
}

double
sdcpg_window_float8(SdcWindow *window, int argument, const char *name)
{
	return DatumGetFloat8(parameter(window, argument, name));
}

int32
sdcpg_window_int32(SdcWindow *window, int argument, const char *name)
{
	return DatumGetInt32(parameter(window, argument, name));
}

bool
sdcpg_window_bool(SdcWindow *window, int argument, const char *name)
{
	return DatumGetBool(parameter(window, argument, name));
}

Jsonb *
sdcpg_window_jsonb(SdcWindow *window, int argument, const char *name)
{
	return DatumGetJsonbP(parameter(window, argument, name));
}

int
sdcpg_window_choice(SdcWindow *window, int argument, const char *name,
					const char *const *choices)
{
	Datum word = parameter(window, argument, name);

	return sdcpg_args_choice(name, DatumGetTextPP(word), choices);
}

void
sdcpg_window_random(SdcWindow *window, int argument, SdcRandom *random,
					uint64 digest)
{
	bool isnull;
	Datum seed = argument_value(window, argument, &isnull);

	if (isnull)
		sdcpg_strong_random(random);
	else
		sdc_random_seed(random, (uint64) DatumGetInt64(seed), digest);
}

/* Marks the rows of the column's values as not NULL. */
static void
mark_values(SdcWindow *window, const SdcColumn *column)
{
	int32 i;

	if (column->place == NULL)
		memset(window->isnull, false, column->count);
	else
		for (i = 0; i < column->count; i++)
			window->isnull[column->place[i]] = false;
}

/* Fetches the place of a value in the result into the cache. */
static inline void
fetch_result(const SdcWindow *window, const SdcColumn *column, int32 value)
{
	__builtin_prefetch(&window->result[sdcpg_column_place(column, value)], 1);
}

void
sdcpg_window_move(SdcWindow *window, const SdcColumn *column,
				  const int32 *order, const int32 *from)
{
	SdcHost *host = &window->host->kernel;
	int32 rank;

	mark_values(window, column);
	window->unchanged = column->count > 1;
	for (rank = 0; rank < column->count; rank++)
	{
		if (rank % SDC_POLL_STEPS == 0)
			host->poll(host, rank, column->count);
		if (rank + AHEAD < column->count)
		{
			fetch_result(window, column, order[rank + AHEAD]);
			__builtin_prefetch(&column->value[order[from[rank + AHEAD]]], 0);
		}
		window->unchanged = window->unchanged && from[rank] == rank;
		window->result[sdcpg_column_place(column, order[rank])] =
			column->value[order[from[rank]]];
	}
}

/*
 * Says of how many values or records, at one and at several, something is so
 * because they are not finite; once in a call whatever its partitions.
 */
static void
window_tell(SdcWindow *window, int32 count, const char *one,
			const char *several)
{
	static char told;
	FmgrInfo *flinfo = window->fcinfo->flinfo;

	if (count == 0 || sdcpg_window_silent || flinfo->fn_extra != NULL)
		return;
	flinfo->fn_extra = &told;
	ereport(NOTICE,
			(errmsg_internal(count == 1 ? one : several, count),
			 errdetail("NaN and infinity have no place in a mean or a sum.")));
}

SdcWindowFloats
sdcpg_window_sorted_floats(SdcWindow *window, const SdcColumn *column,
						   const int32 *order)
{
	SdcHost *host = &window->host->kernel;
	SdcWindowFloats floats = {sdc_new(host, double, column->count)};
	int32 rank;

	for (rank = 0; rank < column->count; rank++)
	{
		double value = DatumGetFloat8(column->value[order[rank]]);

		if (rank % SDC_POLL_STEPS == 0)
			host->poll(host, rank, column->count);
		if (rank + AHEAD < column->count)
			__builtin_prefetch(&column->value[order[rank + AHEAD]], 0);
		if (isfinite(value))
			floats.value[floats.count++] = value;
		else if (value < 0)
			floats.first++;
		else
			floats.infinities += !isnan(value);
	}
	window_tell(window, column->count - floats.count,
				"%d value that is not finite takes no part",
				"%d values that are not finite take no part");
	return floats;
}

/* How many rows have the value at a rank that is not finite? */
static int32
count_unusual(const SdcColumn *column, const SdcWindowFloats *floats,
			  int32 rank)
{
	int32 end = floats->first + floats->count;

	if (rank < floats->first)
		return floats->first;
	return rank < end + floats->infinities
			   ? floats->infinities
			   : column->count - end - floats->infinities;
}

void
sdcpg_window_put_floats(SdcWindow *window, const SdcColumn *column,
						const int32 *order, const SdcWindowFloats *floats,
						const double *masked, int32 least)
{
	SdcHost *host = &window->host->kernel;
	int32 rank;

	mark_values(window, column);
	window->unchanged = floats->count > 1;
	for (rank = 0; rank < column->count; rank++)
	{
		int64 place = sdcpg_column_place(column, order[rank]);
		int32 i = rank - floats->first;

		if (rank % SDC_POLL_STEPS == 0)
			host->poll(host, rank, column->count);
		if (rank + AHEAD < column->count)
			fetch_result(window, column, order[rank + AHEAD]);
		if (i >= 0 && i < floats->count)
		{
			sdcpg_args_result_finite(masked[i]);
			window->unchanged =
				window->unchanged && masked[i] == floats->value[i];
			window->result[place] = Float8GetDatum(masked[i]);
		}
		else if (count_unusual(column, floats, rank) >= least)
			window->result[place] = column->value[order[rank]];
		else
			window->isnull[place] = true;
	}
}

/* ----------------------------------------------------------------------
 * Columns that column_select.c has read.
 * ----------------------------------------------------------------------
 */

/* Is the column in order as it is, without NULLs?  Mostly an id is. */
static bool
ascends(SdcHost *kernel, const SdcWindowColumn *column, int64 rows)
{
	int64 i;

	if (column->isnull != NULL || column->type.kind == SDC_COLUMN_COMPARED)
		return false;
	for (i = 1; i < rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			kernel->poll(kernel, i, rows);
		if (sdcpg_column_key(&column->type, column->value[i - 1]) >
			sdcpg_column_key(&column->type, column->value[i]))
			return false;
	}
	return true;
}

static bool
is_identity(const int32 *sequence, int64 rows)
{
	int64 i;

	for (i = 0; i < rows; i++)
		if (sequence[i] != i)
			return false;
	return true;
}

/* Puts row numbers in the order of a column that is not in order as it is. */
static void
sort_sequence(SdcPgHost *host, const SdcWindowColumn *source, int64 rows,
			  int32 *sequence)
{
	SdcHost *kernel = &host->kernel;
	SdcColumn *column = rows_of_column(host, source, NULL, rows);
	int32 *order = sdcpg_column_order(host, column);
	int32 distinct;
	int32 *rank = sdcpg_column_ranks(host, column, order, &distinct);
	uint64 *key;
	uint64 *moved;
	int64 i;

	kernel->release(kernel, order);
	key = sdc_new(kernel, uint64, rows);
	for (i = 0; i < rows; i++)
		key[i] = (uint64) distinct;
	for (i = 0; i < column->count; i++)
		key[sdcpg_column_place(column, (int32) i)] = (uint64) rank[i];
	kernel->release(kernel, rank);
	moved = sdc_new(kernel, uint64, rows);
	for (i = 0; i < rows; i++)
		moved[i] = key[sequence[i]];
	kernel->release(kernel, key);
	sdc_sort_keys(kernel, (uint64_t *) moved, sequence, (size_t) rows);
}

bool
sdcpg_window_sort(SdcPgHost *of, const SdcWindowColumn *source, int64 rows,
				  int32 *sequence)
{
	SdcPgHost *host = sdcpg_host_begin("mask", of->keep);
	bool first = sequence[0] < 0;
	int64 i;

	sdcpg_host_count(host, of->used);
	for (i = 0; first && i < rows; i++)
		sequence[i] = (int32) i;
	if (!first || !ascends(&host->kernel, source, rows))
		sort_sequence(host, source, rows, sequence);
	sdcpg_host_end(host);
	return !is_identity(sequence, rows);
}

void
sdcpg_window_mean(const SdcWindowColumn *column, const int32 *row, int64 rows,
				  SdcWindowColumn *result)
{
	double count = 0;
	double sum = 0;
	double squares = 0;
	int64 i;

	for (i = 0; i < rows; i++)
	{
		int64 at = row != NULL ? row[i] : i;
		double before = sum;
		double value;
		double shift;

		if (column->isnull != NULL && column->isnull[at])
			continue;
		value = DatumGetFloat8(column->value[at]);
		count += 1;
		sum += value;
		if (count > 1)
		{
			shift = value * count - sum;
			squares += shift * shift / (count * (count - 1));
			if ((isinf(sum) || isinf(squares)) && !isinf(before) &&
				!isinf(value))
				float_overflow_error();
		}
	}
	for (i = 0; i < rows; i++)
	{
		int64 at = row != NULL ? row[i] : i;

		result->isnull[at] = count == 0;
		result->value[at] = Float8GetDatum(count == 0 ? 0 : sum / count);
	}
}

/* ----------------------------------------------------------------------
 * Rows of several columns, as ROW(a, b, c) brings them to a window mask.
 * ----------------------------------------------------------------------
 */

/* Records read between two polls. */
#define RECORD_READ_ROWS 1024

typedef struct Reader
{
	SdcWindow *window;
	SdcRecords *records;
	TupleDesc descriptor;
	int field[SDC_MAX_COLUMNS];
	Oid base[SDC_MAX_COLUMNS];
	/* values of the columns that are categories */
	SdcColumn *values[SDC_MAX_COLUMNS];
	int32 unusual; /* records left out for a number that is not finite */
} Reader;

/* Takes one field of the record type in. */
static void
add_field(Reader *reader, int field)
{
	Form_pg_attribute attribute = TupleDescAttr(reader->descriptor, field);
	SdcMatrix *matrix = &reader->records->matrix;
	int j = matrix->columns;
	SdcHost *host = &reader->window->host->kernel;
	SdcColumnType type;

	if (j == SDC_MAX_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than %d columns in a record", SDC_MAX_COLUMNS)));
	type = sdcpg_column_type(attribute->atttypid, attribute->attcollation);
	reader->field[j] = field;
	reader->base[j] = type.base;
	matrix->column[j] = sdc_new(host, double, reader->window->rows);
	/* money has no numbers to be put in its place */
	if (!sdcpg_number_is(type.base) || type.base == CASHOID)
	{
		sdcpg_column_need_order(&type);
		reader->values[j] = sdcpg_column_new(reader->window->host, &type,
											 reader->window->rows);
		reader->records->category[j] = true;
		reader->records->any_category = true;
	}
	matrix->columns++;
}

/* Learns the columns from the first record that is not NULL. */
static void
start_reader(Reader *reader, HeapTupleHeader tuple)
{
	MemoryContext caller = MemoryContextSwitchTo(reader->window->host->work);
	TupleDesc descriptor = lookup_rowtype_tupdesc(
		HeapTupleHeaderGetTypeId(tuple), HeapTupleHeaderGetTypMod(tuple));
	int field;

	reader->descriptor = CreateTupleDescCopy(descriptor);
	ReleaseTupleDesc(descriptor);
	for (field = 0; field < reader->descriptor->natts; field++)
		if (!TupleDescAttr(reader->descriptor, field)->attisdropped)
			add_field(reader, field);
	if (reader->records->matrix.columns == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("record has no columns")));
	MemoryContextSwitchTo(caller);
}

/*
 * Stops unless the columns of a record have the types of the first one's.  An
 * expression of type record may bring rows of any shape.
 */
static void
check_shape(Reader *reader, HeapTupleHeader header)
{
	TupleDesc first = reader->descriptor;
	TupleDesc descriptor;
	bool same;
	int field;

	if (HeapTupleHeaderGetTypeId(header) == first->tdtypeid &&
		HeapTupleHeaderGetTypMod(header) == first->tdtypmod)
		return;
	descriptor = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header),
										HeapTupleHeaderGetTypMod(header));
	same = descriptor->natts == first->natts;
	for (field = 0; same && field < first->natts; field++)
	{
		Form_pg_attribute here = TupleDescAttr(descriptor, field);
		Form_pg_attribute there = TupleDescAttr(first, field);

		same = here->atttypid == there->atttypid &&
			   here->attcollation == there->attcollation &&
			   here->attisdropped == there->attisdropped;
	}
	ReleaseTupleDesc(descriptor);
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("records differ in the types of their columns"),
				 errdetail("All records of a partition must have the same "
						   "columns.")));
}

/* Appends a record, unless a column is NULL or a number not finite. */
static void
add_record(Reader *reader, HeapTupleHeader header, int32 place)
{
	SdcMatrix *matrix = &reader->records->matrix;
	HeapTupleData tuple;
	Datum values[MaxTupleAttributeNumber];
	bool isnull[MaxTupleAttributeNumber];
	double number[SDC_MAX_COLUMNS];
	int j;

	check_shape(reader, header);
	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = header;
	heap_deform_tuple(&tuple, reader->descriptor, values, isnull);
	for (j = 0; j < matrix->columns; j++)
	{
		if (isnull[reader->field[j]])
			return;
		if (reader->records->category[j])
			continue;
		number[j] = sdcpg_number(reader->base[j], values[reader->field[j]]);
		if (!isfinite(number[j]))
		{
			reader->unusual++;
			return;
		}
	}
	for (j = 0; j < matrix->columns; j++)
	{
		Datum value = values[reader->field[j]];

		if (reader->records->category[j])
		{
			sdcpg_column_add(reader->window->host, reader->values[j], place,
							 value);
			continue;
		}
		matrix->column[j][matrix->rows] = number[j];
	}
	reader->records->place[matrix->rows] = place;
	matrix->rows++;
}

/* Replaces the values of categories by the ranks of the values that occur. */
static void
rank_categories(Reader *reader)
{
	SdcMatrix *matrix = &reader->records->matrix;
	SdcPgHost *host = reader->window->host;
	int j;

	for (j = 0; j < matrix->columns; j++)
	{
		int32 distinct;
		int32 *order;
		int32 *rank;
		size_t i;

		if (!reader->records->category[j])
			continue;
		order = sdcpg_column_order(host, reader->values[j]);
		rank = sdcpg_column_ranks(host, reader->values[j], order, &distinct);
		for (i = 0; i < matrix->rows; i++)
			matrix->column[j][i] = rank[i];
		host->kernel.release(&host->kernel, order);
		host->kernel.release(&host->kernel, rank);
	}
}

SdcRecords *
sdcpg_window_records(SdcWindow *window, int argument)
{
	SdcHost *host = &window->host->kernel;
	SdcRecords *records = sdc_new(host, SdcRecords, 1);
	MemoryContext scratch = AllocSetContextCreate(
		window->host->work, "sdc reading", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	Reader reader;
	int64 row;

	memset(records, 0, sizeof(*records));
	memset(&reader, 0, sizeof(reader));
	reader.window = window;
	reader.records = records;
	records->matrix.column = sdc_new(host, double *, SDC_MAX_COLUMNS);
	records->place = sdc_new(host, int32, window->rows);
	for (row = 0; row < window->rows; row++)
	{
		Datum value;
		bool isnull;

		if (row % RECORD_READ_ROWS == 0)
			host->poll(host, row, window->rows);
		/* a record may be large: never let many of them pile up */
		MemoryContextReset(scratch);
		value = window_value(window, argument, row, &isnull);
		if (isnull)
			continue;
		if (reader.descriptor == NULL)
			start_reader(&reader, DatumGetHeapTupleHeader(value));
		add_record(&reader, DatumGetHeapTupleHeader(value), (int32) row);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	rank_categories(&reader);
	window_tell(window, reader.unusual,
				"%d record holds a number that is not finite, and "
				"counts as NULL",
				"%d records hold a number that is not finite, and "
				"count as NULL");
	return records;
}

void
sdcpg_records_need_numbers(const SdcRecords *records, const char *what)
{
	int j;

	for (j = 0; j < records->matrix.columns; j++)
		if (records->category[j])
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("%s needs numbers, dates or timestamps", what),
					 errdetail("Column %d of the record is of another type.",
							   j + 1)));
}

uint64
sdcpg_records_digest(const SdcRecords *records)
{
	const SdcMatrix *matrix = &records->matrix;
	uint64 digest = sdc_random_mix(matrix->rows);
	size_t i;
	int j;

	for (i = 0; i < matrix->rows; i++)
	{
		uint64 row = 0;

		for (j = 0; j < matrix->columns; j++)
			row = sdc_random_mix(row + sdc_sort_key(matrix->column[j][i]));
		digest += row;
	}
	return digest;
}

/* ----------------------------------------------------------------------
 * Which statements column_select.c can run.
 * ----------------------------------------------------------------------
 */

/* Is it a function of sdc that goes through sdcpg_window_call? */
static bool
is_mask(Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Form_pg_proc form;
	Datum symbol;
	bool isnull;
	char *name;
	bool result;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_proc) GETSTRUCT(tuple);
	symbol = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull);
	name = isnull ? pstrdup("") : TextDatumGetCString(symbol);
	result = form->prokind == PROKIND_WINDOW && form->prolang == ClanguageId &&
			 form->pronargs <= SDC_WINDOW_ARGUMENTS &&
			 form->pronamespace == get_namespace_oid("sdc", true) &&
			 strncmp(name, "sdcf_", 5) == 0;
	ReleaseSysCache(tuple);
	return result;
}

bool
sdcpg_window_by_ranks(Oid function, int *bytes)
{
	LOCAL_FCINFO(fcinfo, 0);
	SdcWindowFrame frame = {T_Invalid};
	FmgrInfo info;

	frame.is_question = true;
	fmgr_info(function, &info);
	InitFunctionCallInfoData(*fcinfo, &info, 0, InvalidOid, (Node *) &frame,
							 NULL);
	(void) FunctionCallInvoke(fcinfo);
	*bytes = frame.rank_bytes;
	return frame.by_ranks;
}

/* Does a window frame hold the whole partition? */
static bool
is_whole_partition(const WindowClause *window)
{
	int whole = FRAMEOPTION_START_UNBOUNDED_PRECEDING |
				FRAMEOPTION_END_UNBOUNDED_FOLLOWING;

	if ((window->frameOptions & FRAMEOPTION_EXCLUSION) != 0)
		return false;
	return window->orderClause == NIL ||
		   (window->frameOptions & whole) == whole;
}

/* Can values of the type form strata as a window forms them? */
static bool
forms_strata(Oid type)
{
	TypeCacheEntry *cache = lookup_type_cache(
		getBaseType(type), TYPECACHE_EQ_OPR | TYPECACHE_HASH_PROC);

	return OidIsValid(cache->eq_opr) && OidIsValid(cache->hash_proc);
}

/* Are the clauses of a window those that a type sorts by unless told? */
static bool
is_usual_order(List *clauses, List *targets)
{
	ListCell *cell;

	foreach (cell, clauses)
	{
		SortGroupClause *clause = lfirst(cell);
		Oid type = exprType(get_sortgroupclause_expr(clause, targets));
		TypeCacheEntry *cache =
			lookup_type_cache(getBaseType(type), TYPECACHE_LT_OPR);

		if (clause->nulls_first || clause->sortop != cache->lt_opr)
			return false;
	}
	return true;
}

static bool
has_strata(List *clauses, List *targets)
{
	ListCell *cell;

	foreach (cell, clauses)
		if (!forms_strata(
				exprType(get_sortgroupclause_expr(lfirst(cell), targets))))
			return false;
	return true;
}

static const WindowClause *
window_of(const Query *query, const WindowFunc *function)
{
	ListCell *cell;

	foreach (cell, query->windowClause)
	{
		const WindowClause *window = lfirst(cell);

		if (window->winref == function->winref)
			return window;
	}
	elog(ERROR, "a window function without its window");
}

/* Can the window function be called on columns? */
static bool
can_call(const Query *query, const WindowFunc *function)
{
	const WindowClause *window = window_of(query, function);

	if (function->aggfilter != NULL ||
		!has_strata(window->partitionClause, query->targetList) ||
		!is_usual_order(window->orderClause, query->targetList))
		return false;
	if (function->winfnoid == F_AVG_FLOAT8)
		return is_whole_partition(window);
	return is_mask(function->winfnoid);
}

/* Is there a window function that cannot be called? */
static bool
cannot_call_walker(Node *node, void *query)
{
	if (node == NULL)
		return false;
	if (IsA(node, WindowFunc))
		return !can_call(query, (WindowFunc *) node);
	return expression_tree_walker(node, cannot_call_walker, query);
}

bool
sdcpg_window_is_plain(Query *query)
{
	return query->commandType == CMD_SELECT && query->utilityStmt == NULL &&
		   !query->hasAggs && !query->hasTargetSRFs &&
		   !query->hasModifyingCTE && !query->hasForUpdate &&
		   query->groupClause == NIL && query->groupingSets == NIL &&
		   query->havingQual == NULL && query->distinctClause == NIL &&
		   query->sortClause == NIL && query->limitOffset == NULL &&
		   query->limitCount == NULL && query->setOperations == NULL &&
		   query->rowMarks == NIL && query->cteList == NIL &&
		   !cannot_call_walker((Node *) query->targetList, query);
}
