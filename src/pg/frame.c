/*
 * frame.c
 *		Rows of a query as typed column arrays.
 *
 * The executor hands each row to a DestReceiver that appends it to the
 * arrays, so that no second copy of the result is ever held.  PostgreSQL 13
 * has no way to pass a receiver to SPI; there a cursor hands over the rows in
 * batches.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/compat.h"
#include "pg/frame.h"
#include "pg/number.h"

/* Rows of the first arrays, and between two resets of scratch memory. */
#define FIRST_ROWS 1024
#define POLL_ROWS  1024

/* Bytes of the first array of texts. */
#define FIRST_BYTES 8192

/* Where rows go: a frame, with memory for what reading a value takes. */
typedef struct FrameReceiver
{
	DestReceiver receiver;
	SdcFrame *frame;
	MemoryContext scratch;
} FrameReceiver;

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
		if (column->type == SDC_FRAME_NUMBER)
			column->number = sdcpg_host_grow(host, column->number, frame->room,
											 sizeof(double));
		else if (column->type == SDC_FRAME_COUNT)
			column->count = sdcpg_host_grow(host, column->count, frame->room,
											sizeof(int64));
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

static double
finite_number(const SdcFrameColumn *column, const char *name, Datum value)
{
	double number = sdcpg_number(column->base, value);

	if (number - number != 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("column \"%s\" holds NaN or infinity", name),
				 errhint("Leave these rows out with a view, or turn the "
						 "values into NULL there.")));
	return number;
}

static void
append_value(SdcFrame *frame, SdcFrameColumn *column, const char *name,
			 Datum value, bool isnull)
{
	int32 row = frame->rows;

	column->isnull[row] = isnull;
	if (column->type == SDC_FRAME_NUMBER)
		column->number[row] = isnull ? 0 : finite_number(column, name, value);
	else if (column->type == SDC_FRAME_COUNT)
		column->count[row] = isnull ? 0 : DatumGetInt64(value);
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
append_row(FrameReceiver *receiver, TupleDesc descriptor, const Datum *values,
		   const bool *isnull)
{
	SdcFrame *frame = receiver->frame;
	MemoryContext caller = MemoryContextSwitchTo(receiver->scratch);
	int j;

	if (frame->rows == frame->room)
		grow_rows(frame);
	if (frame->rows % POLL_ROWS == 0)
	{
		MemoryContextReset(receiver->scratch);
		frame->host->kernel.poll(&frame->host->kernel, 0, 0);
	}
	for (j = 0; j < frame->columns; j++)
		append_value(frame, &frame->column[j],
					 NameStr(TupleDescAttr(descriptor, j)->attname), values[j],
					 isnull[j]);
	frame->rows++;
	MemoryContextSwitchTo(caller);
}

/* Compares the columns of the query with what the frame expects. */
static void
check_descriptor(SdcFrame *frame, TupleDesc descriptor)
{
	int j;

	if (descriptor->natts != frame->columns)
		elog(ERROR, "query returns %d columns, expected %d", descriptor->natts,
			 frame->columns);
	for (j = 0; j < frame->columns; j++)
	{
		SdcFrameColumn *column = &frame->column[j];
		bool expected = false;

		column->base = getBaseType(TupleDescAttr(descriptor, j)->atttypid);
		if (column->type == SDC_FRAME_NUMBER)
			expected = sdcpg_number_is(column->base);
		else if (column->type == SDC_FRAME_COUNT)
			expected = column->base == INT8OID;
		else
			expected = column->base == TEXTOID;
		if (!expected)
			elog(ERROR, "column %d of a query has the wrong type", j + 1);
	}
}

#if PG_VERSION_NUM >= 140000

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	slot_getallattrs(slot);
	append_row((FrameReceiver *) self, slot->tts_tupleDescriptor,
			   slot->tts_values, slot->tts_isnull);
	return true;
}

static void
receive_startup(DestReceiver *self, int operation, TupleDesc descriptor)
{
	check_descriptor(((FrameReceiver *) self)->frame, descriptor);
}

static void
receive_nothing(DestReceiver *self)
{
}

static void
run_query(FrameReceiver *receiver, const char *sql)
{
	SPIExecuteOptions options;

	receiver->receiver.receiveSlot = receive_row;
	receiver->receiver.rStartup = receive_startup;
	receiver->receiver.rShutdown = receive_nothing;
	receiver->receiver.rDestroy = receive_nothing;
	receiver->receiver.mydest = DestNone;
	memset(&options, 0, sizeof(options));
	options.read_only = true;
	options.dest = &receiver->receiver;
	if (SPI_execute_extended(sql, &options) < 0)
		elog(ERROR, "could not run a query");
}

#else

static void
run_query(FrameReceiver *receiver, const char *sql)
{
	int columns = receiver->frame->columns;
	Datum *values = palloc(sizeof(Datum) * columns);
	bool *isnull = palloc(sizeof(bool) * columns);
	SPIPlanPtr plan = SPI_prepare(sql, 0, NULL);
	Portal portal;

	if (plan == NULL)
		elog(ERROR, "could not prepare a query");
	portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
	check_descriptor(receiver->frame, portal->tupDesc);
	for (;;)
	{
		uint64 i;

		SPI_cursor_fetch(portal, true, POLL_ROWS);
		if (SPI_processed == 0)
			break;
		for (i = 0; i < SPI_processed; i++)
		{
			heap_deform_tuple(SPI_tuptable->vals[i], SPI_tuptable->tupdesc,
							  values, isnull);
			append_row(receiver, SPI_tuptable->tupdesc, values, isnull);
		}
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
}

#endif

SdcFrame *
sdcpg_frame_load(SdcPgHost *host, const char *sql, int columns,
				 const SdcFrameType *types)
{
	SdcFrame *frame = sdc_new(&host->kernel, SdcFrame, 1);
	FrameReceiver receiver;
	int j;

	memset(frame, 0, sizeof(*frame));
	frame->host = host;
	frame->columns = columns;
	frame->column = sdc_new(&host->kernel, SdcFrameColumn, columns);
	memset(frame->column, 0, sizeof(SdcFrameColumn) * columns);
	for (j = 0; j < columns; j++)
		frame->column[j].type = types[j];
	memset(&receiver, 0, sizeof(receiver));
	receiver.frame = frame;
	receiver.scratch = AllocSetContextCreate(host->work, "sdc reading",
											 ALLOCSET_DEFAULT_SIZES);
	sdcpg_progress_stage(&host->progress, "reading");
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	run_query(&receiver, sql);
	SPI_finish();
	MemoryContextDelete(receiver.scratch);
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
		host->release(host, frame->column[j].count);
		host->release(host, frame->column[j].start);
		host->release(host, frame->column[j].bytes);
	}
	host->release(host, frame->column);
	host->release(host, frame);
}
