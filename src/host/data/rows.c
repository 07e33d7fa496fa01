/*
 * rows.c
 *		Rows of a query, one by one, as the executor makes them, or as a frame
 *		of arrays.
 *
 * The executor hands each row to a DestReceiver, so that the result is never
 * held as a whole.  PostgreSQL 13 has no way to pass a receiver to SPI; there
 * a cursor hands over the rows in batches.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
#include "utils/memutils.h"

#include "host/call/catalog.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/progress.h"
#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/table/frequency.h"

/* ----------------------------------------------------------------------
 * What a row of a report is about, written as JSON.
 *
 * JSON, and not a list in words, because values may hold any character.
 * ----------------------------------------------------------------------
 */

void
sdcpg_subject_write(StringInfo text, int columns, const char *const *name,
					SdcDictionary *const *dictionary,
					const SdcFrequency *frequency, int32 cell)
{
	int j;

	resetStringInfo(text);
	appendStringInfoChar(text, '{');
	for (j = 0; j < columns; j++)
	{
		char *value =
			sdcpg_dictionary_text(dictionary[j], frequency->code[j][cell]);

		if (j > 0)
			appendStringInfoString(text, ", ");
		escape_json(text, name[j]);
		appendStringInfoString(text, ": ");
		if (value == NULL)
			appendStringInfoString(text, "null");
		else
			escape_json(text, value);
	}
	appendStringInfoChar(text, '}');
}

/* ----------------------------------------------------------------------
 * Rows of a query, one by one, as the executor makes them.
 * ----------------------------------------------------------------------
 */

/* Rows between two polls, which are also resets of scratch memory. */
#define POLL_ROWS 1024

typedef struct RowReceiver
{
	DestReceiver receiver;
	SdcPgHost *host;
	const char *sql;
	const SdcRows *rows;
	const SdcCatalogParameters *parameters;
	MemoryContext scratch;
	uint64 received;
} RowReceiver;

static void
take_row(RowReceiver *receiver, TupleDesc descriptor, const Datum *values,
		 const bool *isnull)
{
	SdcHost *host = &receiver->host->kernel;
	MemoryContext caller = MemoryContextSwitchTo(receiver->scratch);

	if (receiver->received % POLL_ROWS == 0)
	{
		MemoryContextReset(receiver->scratch);
		host->poll(host, receiver->received, 0);
	}
	receiver->received++;
	receiver->rows->row(receiver->rows->arg, descriptor, values, isnull);
	MemoryContextSwitchTo(caller);
}

#if PG_VERSION_NUM >= 140000

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	slot_getallattrs(slot);
	take_row((RowReceiver *) self, slot->tts_tupleDescriptor, slot->tts_values,
			 slot->tts_isnull);
	return true;
}

static void
receive_startup(DestReceiver *self, int operation, TupleDesc descriptor)
{
	const SdcRows *rows = ((RowReceiver *) self)->rows;

	if (rows->start != NULL)
		rows->start(rows->arg, descriptor);
}

static void
receive_nothing(DestReceiver *self)
{
}

static void
run_query(void *arg)
{
	RowReceiver *receiver = arg;
	SPIExecuteOptions options;

	receiver->receiver.receiveSlot = receive_row;
	receiver->receiver.rStartup = receive_startup;
	receiver->receiver.rShutdown = receive_nothing;
	receiver->receiver.rDestroy = receive_nothing;
	receiver->receiver.mydest = DestNone;
	memset(&options, 0, sizeof(options));
	options.read_only = true;
	options.dest = &receiver->receiver;
	options.params = sdcpg_catalog_parameter_list(receiver->parameters, 0);
	if (SPI_execute_extended(receiver->sql, &options) < 0)
		elog(ERROR, "could not run a query");
}

#else

static void
take_batch(RowReceiver *receiver, Datum *values, bool *isnull)
{
	uint64 i;

	for (i = 0; i < SPI_processed; i++)
	{
		heap_deform_tuple(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, values,
						  isnull);
		take_row(receiver, SPI_tuptable->tupdesc, values, isnull);
	}
	SPI_freetuptable(SPI_tuptable);
}

static void
run_query(void *arg)
{
	RowReceiver *receiver = arg;
	const SdcRows *rows = receiver->rows;
	const SdcCatalogParameters *parameters = receiver->parameters;
	SPIPlanPtr plan = SPI_prepare(receiver->sql, parameters->count,
								  (Oid *) parameters->type);
	Portal portal;
	Datum *values;
	bool *isnull;

	if (plan == NULL)
		elog(ERROR, "could not prepare a query");
	portal = SPI_cursor_open(NULL, plan, (Datum *) parameters->value,
							 parameters->null, true);
	if (rows->start != NULL)
		rows->start(rows->arg, portal->tupDesc);
	values = palloc(sizeof(Datum) * portal->tupDesc->natts);
	isnull = palloc(sizeof(bool) * portal->tupDesc->natts);
	for (;;)
	{
		SPI_cursor_fetch(portal, true, POLL_ROWS);
		if (SPI_processed == 0)
			break;
		take_batch(receiver, values, isnull);
	}
	SPI_cursor_close(portal);
}

#endif

void
sdcpg_rows_receive(SdcPgHost *host, const char *sql, const SdcRows *rows)
{
	static const SdcCatalogParameters none;

	sdcpg_rows_receive_bound(host, sql, &none, rows);
}

void
sdcpg_rows_receive_bound(SdcPgHost *host, const char *sql,
						 const SdcCatalogParameters *parameters,
						 const SdcRows *rows)
{
	RowReceiver receiver;

	memset(&receiver, 0, sizeof(receiver));
	receiver.host = host;
	receiver.sql = sql;
	receiver.rows = rows;
	receiver.parameters = parameters;
	receiver.scratch = AllocSetContextCreate(host->work, "sdc reading",
											 ALLOCSET_DEFAULT_SIZES);
	sdcpg_progress_stage(&host->progress, "reading");
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	sdcpg_catalog_hidden(sql, run_query, &receiver);
	SPI_finish();
	MemoryContextDelete(receiver.scratch);
}

/* ----------------------------------------------------------------------
 * Rows of a query as typed column arrays.
 *
 * Each row is appended to the arrays as it comes (rows.c), so that no second
 * copy of the result is ever held.
 * ----------------------------------------------------------------------
 */

/* Rows of the first arrays. */
#define FIRST_ROWS 1024

/* Bytes of the first array of texts. */
#define FIRST_BYTES 8192

static bool
is_number(const SdcFrameColumn *column)
{
	return column->type == SDC_FRAME_NUMBER ||
		   column->type == SDC_FRAME_KIND || column->type == SDC_FRAME_FINITE;
}

/* Makes room for more rows: twice as many as there are. */
static void
grow_rows(SdcFrame *frame)
{
	SdcPgHost *host = frame->host;
	int64 room = frame->room == 0 ? FIRST_ROWS : (int64) frame->room * 2;
	int j;

	if (frame->rows == SDC_MAX_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than %d rows in a relation", SDC_MAX_ROWS)));
	frame->room = Min(room, SDC_MAX_ROWS);
	for (j = 0; j < frame->columns; j++)
	{
		SdcFrameColumn *column = &frame->column[j];

		column->isnull =
			sdcpg_host_grow(host, column->isnull, frame->room, sizeof(bool));
		if (column->type == SDC_FRAME_KIND)
			column->kind = sdcpg_host_grow(host, column->kind, frame->room, 1);
		if (is_number(column))
			column->number = sdcpg_host_grow(host, column->number, frame->room,
											 sizeof(double));
		else if (column->type == SDC_FRAME_COUNT)
			column->count = sdcpg_host_grow(host, column->count, frame->room,
											sizeof(int64));
		else if (column->type == SDC_FRAME_CODE)
			column->code = sdcpg_host_grow(host, column->code, frame->room,
										   sizeof(int32));
		else
			column->start = sdcpg_host_grow(host, column->start, frame->room,
											sizeof(Size));
	}
}

static void
append_text(SdcPgHost *host, SdcFrameColumn *column, int32 row,
			const char *bytes, Size length)
{
	Size needed = column->used + length + 1;

	if (needed > column->room)
	{
		column->room = Max(Max(needed, FIRST_BYTES), column->room * 2);
		column->bytes = sdcpg_host_grow(host, column->bytes, column->room, 1);
	}
	column->start[row] = column->used;
	memcpy(column->bytes + column->used, bytes, length);
	column->bytes[column->used + length] = '\0';
	column->used = needed;
}

/* What a value is that has no place among the numbers. */
static SdcFrameKind
kind_of(double number)
{
	if (isnan(number))
		return SDC_KIND_NAN;
	return number < 0 ? SDC_KIND_BELOW : SDC_KIND_ABOVE;
}

/* A number, and in its place NULL for one that is not finite. */
static void
append_number(SdcFrameColumn *column, int32 row, Datum value)
{
	double number = sdcpg_number(column->base, value);

	if (isfinite(number))
	{
		column->number[row] = number;
		return;
	}
	if (column->type == SDC_FRAME_FINITE)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("column \"%s\" holds a value that is not finite",
						NameStr(column->name)),
				 errdetail("It is NaN, infinite or beyond the range of double "
						   "precision."),
				 errhint("Leave these rows out with a view, or turn the "
						 "values into NULL there.")));
	column->number[row] = 0;
	column->isnull[row] = true;
	if (column->type == SDC_FRAME_KIND)
		column->kind[row] = kind_of(number);
	else
		column->unusual++;
}

/* A value as the text that a cast makes of it. */
static Datum
value_text(const SdcFrameColumn *column, Datum value)
{
	if (column->base == BPCHAROID)
		return DirectFunctionCall1(rtrim1, value);
	return CStringGetTextDatum(OutputFunctionCall(column->output, value));
}

static int32
value_code(const SdcFrameColumn *column, Datum value)
{
	if (column->output != NULL)
		value = value_text(column, value);
	return sdcpg_dictionary_code(column->dictionary, value);
}

static void
append_value(SdcFrame *frame, SdcFrameColumn *column, Datum value, bool isnull)
{
	int32 row = frame->rows;

	column->isnull[row] = isnull;
	if (column->type == SDC_FRAME_KIND)
		column->kind[row] = isnull ? SDC_KIND_NULL : SDC_KIND_NUMBER;
	if (is_number(column) && isnull)
		column->number[row] = 0;
	else if (is_number(column))
		append_number(column, row, value);
	else if (column->type == SDC_FRAME_COUNT)
		column->count[row] = isnull ? 0 : DatumGetInt64(value);
	else if (column->type == SDC_FRAME_CODE)
		column->code[row] = isnull ? SDC_CODE_NULL : value_code(column, value);
	else if (isnull)
		append_text(frame->host, column, row, "", 0);
	else
	{
		text *packed = DatumGetTextPP(value);

		append_text(frame->host, column, row, VARDATA_ANY(packed),
					VARSIZE_ANY_EXHDR(packed));
	}
}

/* Appends a row; by-reference values may be of any memory. */
static void
append_row(void *arg, TupleDesc descriptor, const Datum *values,
		   const bool *isnull)
{
	SdcFrame *frame = arg;
	int j;

	if (frame->rows == frame->room)
		grow_rows(frame);
	for (j = 0; j < frame->columns; j++)
		append_value(frame, &frame->column[j], values[j], isnull[j]);
	frame->rows++;
}

/* Stops where equal values cannot be told, with the name of the column. */
static void
need_equality(Form_pg_attribute attribute)
{
	Oid base = getBaseType(attribute->atttypid);

	if (!sdcpg_type_is_counted(base))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("column \"%s\" cannot be counted",
						NameStr(attribute->attname)),
				 errdetail("Values of type %s cannot be compared.",
						   format_type_be(attribute->atttypid)),
				 errhint("Leave it out, or cast it to text in a view.")));
}

/* Finds, or makes, what turns the values of a column into codes. */
static void
start_codes(SdcFrame *frame, SdcFrameColumn *column,
			Form_pg_attribute attribute)
{
	MemoryContext work = frame->host->work;
	Oid type;
	Oid function;
	bool varlena;

	if (column->dictionary == NULL)
	{
		need_equality(attribute);
		column->dictionary = sdcpg_dictionary_new(
			frame->host, attribute->atttypid, attribute->attcollation);
	}
	type = getBaseType(sdcpg_dictionary_type(column->dictionary));
	if (type == column->base)
		return;
	if (type != TEXTOID)
		elog(ERROR, "column of a query has not the type of its dictionary");
	getTypeOutputInfo(column->base, &function, &varlena);
	column->output = MemoryContextAlloc(work, sizeof(FmgrInfo));
	fmgr_info_cxt(function, column->output, work);
}

/* Compares the columns of the query with what the frame expects. */
static void
check_descriptor(void *arg, TupleDesc descriptor)
{
	SdcFrame *frame = arg;
	int j;

	if (descriptor->natts != frame->columns)
		elog(ERROR, "query returns %d columns, expected %d", descriptor->natts,
			 frame->columns);
	for (j = 0; j < frame->columns; j++)
	{
		SdcFrameColumn *column = &frame->column[j];
		bool expected = false;

		column->base = getBaseType(TupleDescAttr(descriptor, j)->atttypid);
		column->name = TupleDescAttr(descriptor, j)->attname;
		if (is_number(column))
			expected = sdcpg_number_is(column->base);
		else if (column->type == SDC_FRAME_COUNT)
			expected = column->base == INT8OID;
		else if (column->type == SDC_FRAME_CODE)
		{
			start_codes(frame, column, TupleDescAttr(descriptor, j));
			expected = true;
		}
		else
			expected = column->base == TEXTOID;
		if (!expected)
			elog(ERROR, "column %d of a query has the wrong type", j + 1);
	}
}

/* Has this column been named before in this statement? */
static bool
was_told(const char *name)
{
	static TimestampTz statement;
	static NameData told[SDC_MAX_COLUMNS];
	static int count;
	int j;

	if (statement != GetCurrentStatementStartTimestamp())
		count = 0;
	statement = GetCurrentStatementStartTimestamp();
	for (j = 0; j < count; j++)
		if (strcmp(NameStr(told[j]), name) == 0)
			return true;
	if (count < SDC_MAX_COLUMNS)
		namestrcpy(&told[count++], name);
	return false;
}

/* Tells which values count as NULL although they are not. */
static void
tell_unusual(const SdcFrameColumn *column)
{
	if (column->unusual == 0 || was_told(NameStr(column->name)))
		return;
	ereport(NOTICE,
			(errmsg_plural("column \"%s\" holds " INT64_FORMAT
						   " value that is not finite, and counts as NULL",
						   "column \"%s\" holds " INT64_FORMAT
						   " values that are not finite, and count as NULL",
						   (unsigned long) column->unusual,
						   NameStr(column->name), column->unusual),
			 errdetail("These are NaN, infinity, and numbers beyond the range "
					   "of double precision.")));
}

SdcFrame *
sdcpg_frame_load(SdcPgHost *host, const char *sql, int columns,
				 const SdcFrameType *types)
{
	return sdcpg_frame_load_codes(host, sql, columns, types, NULL);
}

SdcFrame *
sdcpg_frame_load_codes(SdcPgHost *host, const char *sql, int columns,
					   const SdcFrameType *types, SdcDictionary **dictionary)
{
	SdcFrame *frame = sdc_new(&host->kernel, SdcFrame, 1);
	SdcRows rows = {check_descriptor, append_row, frame};
	int j;

	memset(frame, 0, sizeof(*frame));
	frame->host = host;
	frame->columns = columns;
	frame->column = sdc_new(&host->kernel, SdcFrameColumn, columns);
	memset(frame->column, 0, sizeof(SdcFrameColumn) * columns);
	for (j = 0; j < columns; j++)
	{
		frame->column[j].type = types[j];
		if (types[j] == SDC_FRAME_CODE)
			frame->column[j].dictionary = dictionary[j];
	}
	sdcpg_rows_receive(host, sql, &rows);
	for (j = 0; j < columns; j++)
		tell_unusual(&frame->column[j]);
	for (j = 0; j < columns; j++)
		if (types[j] == SDC_FRAME_CODE)
			dictionary[j] = frame->column[j].dictionary;
	return frame;
}

void
sdcpg_frame_release(SdcFrame *frame)
{
	SdcHost *host = &frame->host->kernel;
	int j;

	for (j = 0; j < frame->columns; j++)
	{
		host->release(host, frame->column[j].isnull);
		host->release(host, frame->column[j].number);
		host->release(host, frame->column[j].kind);
		host->release(host, frame->column[j].count);
		host->release(host, frame->column[j].start);
		host->release(host, frame->column[j].bytes);
		host->release(host, frame->column[j].code);
	}
	host->release(host, frame->column);
	host->release(host, frame);
}

void
sdcpg_frame_mark_missing(SdcFrame *frame)
{
	int32 i;
	int j;

	for (j = 0; j < frame->columns; j++)
		for (i = 0; i < frame->rows && frame->column[j].number != NULL; i++)
			if (frame->column[j].isnull[i])
				frame->column[j].number[i] = NAN;
}

double *
sdcpg_frame_numbers(SdcHost *host, const SdcFrameColumn *column, int32 rows)
{
	double *number = sdc_new(host, double, rows);
	int32 i;

	for (i = 0; i < rows; i++)
		number[i] = column->isnull[i] ? NAN : column->number[i];
	return number;
}
