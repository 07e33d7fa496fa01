/*
 * tally_binary.c
 *		States of aggregates in binary form.
 *
 * A version; keys and columns with their names; the constant arguments; the
 * cells, each its count and its values as their types send them.  Every
 * length is checked against what the message still holds.
 */
#include "postgres.h"

#include <math.h>

#include "libpq/pqformat.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/tally/tally_io.h"
#include "pg/tally/tally_name.h"
#include "pg/tally/tally_parameter.h"

#define VERSION     1
#define CLEAN_CELLS 1024

static void
send_string(StringInfo message, const char *string)
{
	pq_sendint32(message, string == NULL ? -1 : (int32) strlen(string));
	if (string != NULL)
		appendBinaryStringInfo(message, string, strlen(string));
}

/* A length, -1 for NULL, of something that must be in the message. */
static int32
receive_length(StringInfo message)
{
	int32 length = (int32) pq_getmsgint(message, 4);

	if (length < -1 || length > message->len - message->cursor)
		sdcpg_tally_malformed("lengths");
	return length;
}

/* Strings are in the encoding of the database, as the values are. */
static char *
receive_string(StringInfo message)
{
	int32 length = receive_length(message);
	int bytes;

	return length < 0 ? NULL : pq_getmsgtext(message, length, &bytes);
}

static void
send_head(const SdcTally *tally, StringInfo message)
{
	char *name[SDC_TALLY_NAMES];
	int i;
	int j;

	pq_sendint16(message, VERSION);
	pq_sendint16(message, tally->keys);
	pq_sendint16(message, tally->columns);
	for (i = 0; i < tally->columns; i++)
	{
		sdcpg_tally_name_column(&sdcpg_tally_columns(tally)[i], name);
		for (j = 0; j < SDC_TALLY_NAMES; j++)
			send_string(message, name[j]);
	}
	pq_sendint16(message, tally->numbers);
	for (i = 0; i < tally->numbers; i++)
		pq_sendfloat8(message, sdcpg_tally_number(tally, i));
	pq_sendint16(message, tally->lists);
	for (i = 0; i < tally->lists; i++)
	{
		int count;
		char **list = sdcpg_tally_list(tally, i, &count);

		pq_sendint32(message, count);
		for (j = 0; j < count; j++)
			send_string(message, list[j]);
	}
}

/* The values of the shape. */
static void
send_values(const SdcTallyShape *shape, FmgrInfo *send, StringInfo message)
{
	int j;

	for (j = 0; j < shape->columns; j++)
	{
		bytea *bytes;

		if (shape->isnull[j])
		{
			pq_sendint32(message, -1);
			continue;
		}
		bytes = SendFunctionCall(&send[j], shape->value[j]);
		pq_sendint32(message, VARSIZE(bytes) - VARHDRSZ);
		appendBinaryStringInfo(message, VARDATA(bytes),
							   VARSIZE(bytes) - VARHDRSZ);
	}
}

static FmgrInfo *
send_functions(const SdcTallyShape *shape)
{
	FmgrInfo *send = palloc(shape->columns * sizeof(FmgrInfo));
	int j;

	for (j = 0; j < shape->columns; j++)
	{
		Oid function;
		bool varlena;

		getTypeBinaryOutputInfo(shape->column[j].type, &function, &varlena);
		fmgr_info(function, &send[j]);
	}
	return send;
}

bytea *
sdcpg_tally_send(const SdcTally *tally)
{
	SdcTallyShape *shape =
		sdcpg_tally_shape(sdcpg_tally_columns(tally), tally->columns,
						  tally->keys, CurrentMemoryContext);
	FmgrInfo *send = send_functions(shape);
	const SdcTallyCell *cell = sdcpg_tally_first(tally);
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "sdc tally scratch", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller;
	StringInfoData message;
	int64 i;

	pq_begintypsend(&message);
	send_head(tally, &message);
	pq_sendint64(&message, tally->cells);
	caller = MemoryContextSwitchTo(scratch);
	for (i = 0; i < tally->cells; i++)
	{
		if (i % CLEAN_CELLS == 0)
		{
			CHECK_FOR_INTERRUPTS();
			MemoryContextReset(scratch);
		}
		pq_sendint64(&message, cell->count);
		sdcpg_tally_values(shape, cell);
		send_values(shape, send, &message);
		cell = sdcpg_tally_next(cell);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	return pq_endtypsend(&message);
}

static SdcTallyShape *
receive_columns(StringInfo message)
{
	int keys;
	int columns;
	SdcTallyColumn *column;
	char *name[SDC_TALLY_NAMES];
	int i;
	int j;

	if (pq_getmsgint(message, 2) != VERSION)
		sdcpg_tally_malformed("version");
	keys = pq_getmsgint(message, 2);
	columns = pq_getmsgint(message, 2);
	if (columns < 1 || columns > SDC_TALLY_MAX_COLUMNS || keys > columns)
		sdcpg_tally_malformed("columns");
	column = palloc(columns * sizeof(SdcTallyColumn));
	for (i = 0; i < columns; i++)
	{
		for (j = 0; j < SDC_TALLY_NAMES; j++)
			name[j] = receive_string(message);
		column[i] = sdcpg_tally_name_find(name);
	}
	return sdcpg_tally_shape(column, columns, keys, CurrentMemoryContext);
}

static SdcTally *
receive_parameters(StringInfo message, const SdcTallyShape *shape)
{
	StringInfoData parameters;
	int numbers = pq_getmsgint(message, 2);
	int lists;
	double number;
	int i;
	int32 j;

	initStringInfo(&parameters);
	for (i = 0; i < numbers; i++)
	{
		number = pq_getmsgfloat8(message);
		if (!isfinite(number))
			sdcpg_tally_malformed("numbers");
		sdcpg_tally_put_number(&parameters, number);
	}
	lists = pq_getmsgint(message, 2);
	for (i = 0; i < lists; i++)
	{
		int32 count = receive_length(message);

		if (count < 0)
			sdcpg_tally_malformed("lists");
		sdcpg_tally_put_list(&parameters, count);
		for (j = 0; j < count; j++)
		{
			char *string = receive_string(message);

			sdcpg_tally_put_string(&parameters, string,
								   string == NULL ? -1 : strlen(string));
		}
	}
	return sdcpg_tally_new(shape, numbers, lists, parameters.data,
						   parameters.len);
}

/* How the values of the columns are read. */
typedef struct Input
{
	FmgrInfo function;
	Oid parameter;
} Input;

static Input *
receive_functions(const SdcTallyShape *shape)
{
	Input *input = palloc(shape->columns * sizeof(Input));
	int j;

	for (j = 0; j < shape->columns; j++)
	{
		Oid function;

		getTypeBinaryInputInfo(shape->column[j].type, &function,
							   &input[j].parameter);
		fmgr_info(function, &input[j].function);
	}
	return input;
}

/* Reads the values of a cell into the shape. */
static void
receive_values(StringInfo message, SdcTallyShape *shape, Input *input)
{
	StringInfoData value;
	int j;

	for (j = 0; j < shape->columns; j++)
	{
		int32 length = receive_length(message);

		shape->isnull[j] = length < 0;
		if (length < 0)
			continue;
		initStringInfo(&value);
		appendBinaryStringInfo(&value, pq_getmsgbytes(message, length),
							   length);
		shape->value[j] = ReceiveFunctionCall(&input[j].function, &value,
											  input[j].parameter, -1);
		if (value.cursor != value.len)
			sdcpg_tally_malformed("values");
	}
}

Datum
sdcpg_tally_receive(StringInfo message)
{
	SdcTallyShape *shape = receive_columns(message);
	Input *input = receive_functions(shape);
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "sdc tally scratch", ALLOCSET_DEFAULT_SIZES);
	SdcTallyChange change;
	int64 cells;
	int64 count;
	int64 i;

	sdcpg_tally_create(&change, receive_parameters(message, shape), caller);
	cells = pq_getmsgint64(message);
	if (cells < 0)
		sdcpg_tally_malformed("cells");
	for (i = 0; i < cells; i++)
	{
		if (i % CLEAN_CELLS == 0)
		{
			CHECK_FOR_INTERRUPTS();
			MemoryContextReset(scratch);
		}
		count = pq_getmsgint64(message);
		if (count < 1)
			sdcpg_tally_malformed("counts");
		MemoryContextSwitchTo(scratch);
		receive_values(message, shape, input);
		MemoryContextSwitchTo(caller);
		sdcpg_tally_count(&change, shape, count);
	}
	MemoryContextDelete(scratch);
	pq_getmsgend(message);
	return change.datum;
}
