/*
 * tally_io.c
 *		States of aggregates in binary form.
 *
 * A version; keys and columns with their names; the constant arguments; the
 * cells, each its count and its values as their types send them.  Every
 * length is checked against what the message still holds.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "libpq/pqformat.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "host/data/dictionary.h"
#include "topic/tally/tally.h"
#include "topic/tally/tally_io.h"

/* ----------------------------------------------------------------------
 * The values in an argument of an aggregate, row values taken apart.
 *
 * A row value becomes its fields, so ROW(a, b) counts as the columns a and b
 * do, also where PostgreSQL cannot hash records.
 * ----------------------------------------------------------------------
 */

static void
add_column(SdcTallyList *list, SdcTallyField *field, Oid type, Oid collation)
{
	SdcTallyColumn *column;

	if (list->columns == SDC_TALLY_MAX_COLUMNS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("more than %d columns to count",
							   SDC_TALLY_MAX_COLUMNS)));
	if (list->columns == list->room)
	{
		list->room = Max(list->room * 2, 8);
		list->column =
			list->column == NULL
				? palloc(list->room * sizeof(SdcTallyColumn))
				: repalloc(list->column, list->room * sizeof(SdcTallyColumn));
	}
	column = &list->column[list->columns];
	column->type = type;
	if (!OidIsValid(collation))
		collation = get_typcollation(type);
	column->collation = collation;
	field->column = list->columns++;
}

/* Notes the row type of a row value. */
static void
find_descriptor(SdcTallyField *field, Oid type, int32 typmod)
{
	TupleDesc descriptor = lookup_rowtype_tupdesc(type, typmod);
	MemoryContext caller = MemoryContextSwitchTo(field->context);

	field->type = type;
	field->typmod = typmod;
	field->descriptor = CreateTupleDescCopy(descriptor);
	MemoryContextSwitchTo(caller);
	ReleaseTupleDesc(descriptor);
}

/* Takes a row value apart. */
static void
deform(SdcTallyField *field, HeapTupleHeader header)
{
	HeapTupleData tuple;

	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = header;
	heap_deform_tuple(&tuple, field->descriptor, field->value, field->isnull);
}

static void
describe_row(SdcTallyList *list, SdcTallyField *field, Oid type, Datum value,
			 bool isnull)
{
	HeapTupleHeader header = isnull ? NULL : DatumGetHeapTupleHeader(value);
	int fields;
	int i;

	field->context = CurrentMemoryContext;
	if (header != NULL)
		find_descriptor(field, HeapTupleHeaderGetTypeId(header),
						HeapTupleHeaderGetTypMod(header));
	else if (type != RECORDOID)
		find_descriptor(field, type, -1);
	else
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("the first row value must not be null"),
						errdetail("Its fields are not known.")));
	fields = field->descriptor->natts;
	field->is_row = true;
	field->field = palloc0(Max(fields, 1) * sizeof(SdcTallyField));
	field->value = palloc(Max(fields, 1) * sizeof(Datum));
	field->isnull = palloc(Max(fields, 1) * sizeof(bool));
	memset(field->isnull, true, fields);
	if (header != NULL)
		deform(field, header);
	for (i = 0; i < fields; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(field->descriptor, i);

		if (!attribute->attisdropped)
			sdcpg_tally_field_describe(
				list, &field->field[i], attribute->atttypid,
				attribute->attcollation, field->value[i], field->isnull[i]);
	}
}

void
sdcpg_tally_field_describe(SdcTallyList *list, SdcTallyField *field, Oid type,
						   Oid collation, Datum value, bool isnull)
{
	Oid base = getBaseType(type);

	if (base == RECORDOID || get_typtype(base) == TYPTYPE_COMPOSITE)
	{
		describe_row(list, field, base, value, isnull);
		return;
	}
	field->is_literal = base == UNKNOWNOID;
	if (field->is_literal)
		base = TEXTOID;
	add_column(list, field, base, collation);
}

/*
 * A row value of another row type than the one before it: as good if it has
 * fields of the same types.
 */
static void
change_row_type(SdcTallyField *field, HeapTupleHeader header)
{
	TupleDesc before = field->descriptor;
	int i;

	find_descriptor(field, HeapTupleHeaderGetTypeId(header),
					HeapTupleHeaderGetTypMod(header));
	for (i = 0; i < before->natts && i < field->descriptor->natts; i++)
	{
		Form_pg_attribute a = TupleDescAttr(before, i);
		Form_pg_attribute b = TupleDescAttr(field->descriptor, i);

		if (a->attisdropped != b->attisdropped || a->atttypid != b->atttypid)
			break;
	}
	if (i < before->natts || i < field->descriptor->natts)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("row values differ in their fields"),
						errdetail("All rows of an aggregate must have as many "
								  "fields, of the same types.")));
	FreeTupleDesc(before);
}

void
sdcpg_tally_field_read(SdcTallyField *field, SdcTallyShape *shape, Datum value,
					   bool isnull)
{
	HeapTupleHeader header;
	int i;

	if (!field->is_row)
	{
		if (field->is_literal && !isnull)
			value = CStringGetTextDatum(DatumGetCString(value));
		shape->isnull[field->column] = isnull;
		if (!isnull)
			shape->value[field->column] =
				sdcpg_equality_whole(&shape->equality[field->column], value);
		return;
	}
	if (isnull)
		memset(field->isnull, true, field->descriptor->natts);
	else
	{
		header = DatumGetHeapTupleHeader(value);
		if (HeapTupleHeaderGetTypeId(header) != field->type ||
			HeapTupleHeaderGetTypMod(header) != field->typmod)
			change_row_type(field, header);
		deform(field, header);
	}
	for (i = 0; i < field->descriptor->natts; i++)
		if (!TupleDescAttr(field->descriptor, i)->attisdropped)
			sdcpg_tally_field_read(&field->field[i], shape, field->value[i],
								   field->isnull[i]);
}

/* ----------------------------------------------------------------------
 * States of aggregates written as text.
 *
 * Settings of the session that change how values look are put aside, and
 * numbers are written with all their digits.
 * ----------------------------------------------------------------------
 */

/* Cells between two clean-ups of what reading them left behind. */
#define CLEAN_CELLS 1024

static void
append_string(StringInfo text, const char *string)
{
	if (string == NULL)
		appendStringInfoString(text, "null");
	else
		escape_json(text, string);
}

static void
append_strings(StringInfo text, char *const *string, int count)
{
	int i;

	appendStringInfoChar(text, '[');
	for (i = 0; i < count; i++)
	{
		if (i > 0)
			appendStringInfoChar(text, ',');
		append_string(text, string[i]);
	}
	appendStringInfoChar(text, ']');
}

/* What is counted and the constant arguments. */
static void
print_head(const SdcTally *tally, StringInfo text)
{
	char *name[SDC_TALLY_NAMES];
	char digits[DOUBLE_SHORTEST_DECIMAL_LEN];
	int i;

	appendStringInfo(text, "{\"keys\":%d,\"columns\":[", tally->keys);
	for (i = 0; i < tally->columns; i++)
	{
		if (i > 0)
			appendStringInfoChar(text, ',');
		sdcpg_tally_name_column(&sdcpg_tally_columns(tally)[i], name);
		append_strings(text, name, SDC_TALLY_NAMES);
	}
	appendStringInfoString(text, "],\"numbers\":[");
	for (i = 0; i < tally->numbers; i++)
	{
		double_to_shortest_decimal_buf(sdcpg_tally_number(tally, i), digits);
		appendStringInfo(text, "%s%s", i > 0 ? "," : "", digits);
	}
	appendStringInfoString(text, "],\"lists\":[");
	for (i = 0; i < tally->lists; i++)
	{
		int count;
		char **list = sdcpg_tally_list(tally, i, &count);

		if (i > 0)
			appendStringInfoChar(text, ',');
		append_strings(text, list, count);
	}
	appendStringInfoString(text, "],\"cells\":[");
}

static FmgrInfo *
output_functions(const SdcTally *tally)
{
	FmgrInfo *output = palloc(tally->columns * sizeof(FmgrInfo));
	int j;

	for (j = 0; j < tally->columns; j++)
	{
		Oid function;
		bool varlena;

		getTypeOutputInfo(sdcpg_tally_columns(tally)[j].type, &function,
						  &varlena);
		fmgr_info(function, &output[j]);
	}
	return output;
}

/* The cell whose values are in the shape. */
static void
print_cell(const SdcTallyShape *shape, FmgrInfo *output, int64 count,
		   StringInfo text)
{
	int j;

	appendStringInfo(text, "[" INT64_FORMAT, count);
	for (j = 0; j < shape->columns; j++)
	{
		appendStringInfoChar(text, ',');
		append_string(text,
					  shape->isnull[j]
						  ? NULL
						  : OutputFunctionCall(&output[j], shape->value[j]));
	}
	appendStringInfoChar(text, ']');
}

char *
sdcpg_tally_print(const SdcTally *tally)
{
	SdcTallyShape *shape =
		sdcpg_tally_shape(sdcpg_tally_columns(tally), tally->columns,
						  tally->keys, CurrentMemoryContext);
	FmgrInfo *output = output_functions(tally);
	const SdcTallyCell *cell = sdcpg_tally_first(tally);
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "sdc tally scratch", ALLOCSET_DEFAULT_SIZES);
	int level = sdcpg_tally_name_settings();
	MemoryContext caller;
	StringInfoData text;
	int64 i;

	initStringInfo(&text);
	print_head(tally, &text);
	caller = MemoryContextSwitchTo(scratch);
	for (i = 0; i < tally->cells; i++)
	{
		if (i % CLEAN_CELLS == 0)
		{
			CHECK_FOR_INTERRUPTS();
			MemoryContextReset(scratch);
		}
		if (i > 0)
			appendStringInfoChar(&text, ',');
		sdcpg_tally_values(shape, cell);
		print_cell(shape, output, cell->count, &text);
		cell = sdcpg_tally_next(cell);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	AtEOXact_GUC(true, level);
	appendStringInfoString(&text, "]}");
	return text.data;
}

/* ----------------------------------------------------------------------
 * States of aggregates read from text.
 *
 * PostgreSQL's own reader of jsonb checks the syntax; here only the meaning is
 * left to be checked.
 * ----------------------------------------------------------------------
 */

/* The array of a key of the state. */
static JsonbContainer *
get_array(Jsonb *state, const char *key)
{
	JsonbValue found;

	if (getKeyJsonValueFromContainer(&state->root, key, strlen(key), &found) ==
			NULL ||
		found.type != jbvBinary ||
		!JsonContainerIsArray(found.val.binary.data))
		sdcpg_tally_malformed(key);
	return found.val.binary.data;
}

/* The array that is an element of an array. */
static JsonbContainer *
get_element_array(JsonbContainer *array, uint32 index, const char *what)
{
	JsonbValue *found = getIthJsonbValueFromContainer(array, index);

	if (found->type != jbvBinary ||
		!JsonContainerIsArray(found->val.binary.data))
		sdcpg_tally_malformed(what);
	return found->val.binary.data;
}

/* The string that is an element of an array, NULL for null. */
static char *
get_string(JsonbContainer *array, uint32 index, const char *what)
{
	JsonbValue *found = getIthJsonbValueFromContainer(array, index);

	if (found->type == jbvNull)
		return NULL;
	if (found->type != jbvString)
		sdcpg_tally_malformed(what);
	return pnstrdup(found->val.string.val, found->val.string.len);
}

/* The number that is an element of an array. */
static Numeric
get_number(JsonbContainer *array, uint32 index, const char *what)
{
	JsonbValue *found = getIthJsonbValueFromContainer(array, index);

	if (found->type != jbvNumeric)
		sdcpg_tally_malformed(what);
	return found->val.numeric;
}

/* A number as a whole one. */
static int64
whole_number(Numeric number, const char *what)
{
	int64 whole = DatumGetInt64(
		DirectFunctionCall1(numeric_int8, NumericGetDatum(number)));

	if (!DatumGetBool(DirectFunctionCall2(
			numeric_eq, NumericGetDatum(number),
			DirectFunctionCall1(int8_numeric, Int64GetDatum(whole)))))
		sdcpg_tally_malformed(what);
	return whole;
}

static SdcTallyShape *
parse_columns(Jsonb *state)
{
	JsonbContainer *array = get_array(state, "columns");
	int columns = JsonContainerSize(array);
	SdcTallyColumn *column = palloc(Max(columns, 1) * sizeof(SdcTallyColumn));
	char *name[SDC_TALLY_NAMES];
	JsonbValue keys;
	int64 count = -1;
	int i;
	int j;

	if (columns < 1 || columns > SDC_TALLY_MAX_COLUMNS)
		sdcpg_tally_malformed("columns");
	for (i = 0; i < columns; i++)
	{
		JsonbContainer *names = get_element_array(array, i, "columns");

		if (JsonContainerSize(names) != SDC_TALLY_NAMES)
			sdcpg_tally_malformed("columns");
		for (j = 0; j < SDC_TALLY_NAMES; j++)
			name[j] = get_string(names, j, "columns");
		column[i] = sdcpg_tally_name_find(name);
	}
	if (getKeyJsonValueFromContainer(&state->root, "keys", 4, &keys) != NULL &&
		keys.type == jbvNumeric)
		count = whole_number(keys.val.numeric, "keys");
	if (count < 0 || count > columns)
		sdcpg_tally_malformed("keys");
	return sdcpg_tally_shape(column, columns, count, CurrentMemoryContext);
}

static SdcTally *
parse_parameters(Jsonb *state, const SdcTallyShape *shape)
{
	JsonbContainer *numbers = get_array(state, "numbers");
	JsonbContainer *lists = get_array(state, "lists");
	StringInfoData parameters;
	uint32 i;
	uint32 j;

	if (JsonContainerSize(numbers) > PG_INT16_MAX ||
		JsonContainerSize(lists) > PG_INT16_MAX)
		sdcpg_tally_malformed("constant arguments");
	initStringInfo(&parameters);
	for (i = 0; i < JsonContainerSize(numbers); i++)
		sdcpg_tally_put_number(
			&parameters,
			DatumGetFloat8(DirectFunctionCall1(
				numeric_float8,
				NumericGetDatum(get_number(numbers, i, "numbers")))));
	for (i = 0; i < JsonContainerSize(lists); i++)
	{
		JsonbContainer *list = get_element_array(lists, i, "lists");

		sdcpg_tally_put_list(&parameters, JsonContainerSize(list));
		for (j = 0; j < JsonContainerSize(list); j++)
		{
			char *string = get_string(list, j, "lists");

			sdcpg_tally_put_string(&parameters, string,
								   string == NULL ? -1 : strlen(string));
		}
	}
	return sdcpg_tally_new(shape, JsonContainerSize(numbers),
						   JsonContainerSize(lists), parameters.data,
						   parameters.len);
}

/* How the values of the columns are read. */
typedef struct ParseInput
{
	FmgrInfo function;
	Oid parameter;
} ParseInput;

static ParseInput *
input_functions(const SdcTallyShape *shape)
{
	ParseInput *input = palloc(shape->columns * sizeof(ParseInput));
	int j;

	for (j = 0; j < shape->columns; j++)
	{
		Oid function;

		getTypeInputInfo(shape->column[j].type, &function,
						 &input[j].parameter);
		fmgr_info(function, &input[j].function);
	}
	return input;
}

/* Reads the values of a cell into the shape and returns its count. */
static int64
parse_cell(JsonbContainer *cell, SdcTallyShape *shape, ParseInput *input)
{
	int64 count;
	int j;

	if (JsonContainerSize(cell) != shape->columns + 1)
		sdcpg_tally_malformed("cells");
	count = whole_number(get_number(cell, 0, "cells"), "counts");
	if (count < 1)
		sdcpg_tally_malformed("counts");
	for (j = 0; j < shape->columns; j++)
	{
		char *string = get_string(cell, j + 1, "cells");

		shape->isnull[j] = string == NULL;
		if (string != NULL)
			shape->value[j] = InputFunctionCall(&input[j].function, string,
												input[j].parameter, -1);
	}
	return count;
}

/* Counts the cells of the text. */
static void
parse_cells(Jsonb *state, SdcTallyShape *shape, SdcTallyChange *change)
{
	JsonbContainer *cells = get_array(state, "cells");
	ParseInput *input = input_functions(shape);
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "sdc tally scratch", ALLOCSET_DEFAULT_SIZES);
	int level = sdcpg_tally_name_settings();
	MemoryContext caller = CurrentMemoryContext;
	uint32 i;

	for (i = 0; i < JsonContainerSize(cells); i++)
	{
		int64 count;

		if (i % CLEAN_CELLS == 0)
		{
			CHECK_FOR_INTERRUPTS();
			MemoryContextReset(scratch);
		}
		MemoryContextSwitchTo(scratch);
		count = parse_cell(get_element_array(cells, i, "cells"), shape, input);
		MemoryContextSwitchTo(caller);
		sdcpg_tally_count(change, shape, count);
	}
	MemoryContextDelete(scratch);
	AtEOXact_GUC(true, level);
}

Datum
sdcpg_tally_parse(char *string)
{
	Jsonb *state =
		DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(string)));
	SdcTallyShape *shape;
	SdcTallyChange change;

	if (!JB_ROOT_IS_OBJECT(state) || JB_ROOT_COUNT(state) != 5)
		sdcpg_tally_malformed("parts");
	shape = parse_columns(state);
	sdcpg_tally_create(&change, parse_parameters(state, shape),
					   CurrentMemoryContext);
	parse_cells(state, shape, &change);
	return change.datum;
}

/* ----------------------------------------------------------------------
 * States of aggregates in binary form.
 * ----------------------------------------------------------------------
 */

#define VERSION 1

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

/* ----------------------------------------------------------------------
 * sdc.cell: a combination of values as one text.
 *
 * Values are equal if and only if their texts are, on every server: numbers
 * and times by their bits or without zeros at their end, everything else as it
 * prints; types whose equal values may print differently are refused.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_cell);

typedef struct CellField
{
	Oid base;
	bool settled; /* do settings have a say in how it prints? */
	FmgrInfo output;
} CellField;

/* The collation of an argument itself: several may have different ones. */
static Oid
field_collation(FunctionCallInfo fcinfo, int i)
{
	Node *call = fcinfo->flinfo->fn_expr;

	if (call == NULL || !IsA(call, FuncExpr) ||
		i >= list_length(((FuncExpr *) call)->args))
		return PG_GET_COLLATION();
	return exprCollation(list_nth(((FuncExpr *) call)->args, i));
}

/* Types of which most are, and that print alike under all settings. */
static bool
prints_alike(Oid base)
{
	switch (base)
	{
		case TEXTOID:
		case VARCHAROID:
		case NAMEOID:
		case CHAROID:
		case NUMERICOID:
		case UUIDOID:
		case INETOID:
		case CIDROID:
		case UNKNOWNOID:
			return true;
	}
	return type_is_enum(base);
}

static void
describe_field(FunctionCallInfo fcinfo, int i, CellField *field)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, i);
	Oid function;
	bool varlena;

	if (!OidIsValid(type))
		ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_DATATYPE),
						errmsg("type of an argument is not known")));
	field->base = getBaseType(type);
	if (field->base != UNKNOWNOID && field->base != NUMERICOID &&
		field->base != FLOAT4OID && field->base != FLOAT8OID &&
		sdcpg_equality_has_forms(field->base == BPCHAROID ? TEXTOID
														  : field->base,
								 -1, field_collation(fcinfo, i)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("values of type %s cannot be joined into one text",
						format_type_be(field->base)),
				 errdetail("Two of them can be equal and print differently."),
				 errhint("Cast them to text if they are to be compared as "
						 "they print.")));
	field->settled = !prints_alike(field->base);
	getTypeOutputInfo(field->base, &function, &varlena);
	fmgr_info_cxt(function, &field->output, fcinfo->flinfo->fn_mcxt);
}

static CellField *
cell_fields(FunctionCallInfo fcinfo)
{
	CellField *field = fcinfo->flinfo->fn_extra;
	int i;

	if (field != NULL)
		return field;
	field = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt,
								   sizeof(CellField) * PG_NARGS());
	for (i = 0; i < PG_NARGS(); i++)
		describe_field(fcinfo, i, &field[i]);
	fcinfo->flinfo->fn_extra = field;
	return field;
}

/* The bits of a number that is not finite or has one form of zero. */
static char *
float_bits(double number)
{
	uint64 bits;

	number = isnan(number) ? get_float8_nan() : number + 0.0;
	memcpy(&bits, &number, sizeof(bits));
	return psprintf(UINT64_FORMAT, bits);
}

/* A value as it prints on every server: servers have settings of their own. */
static char *
settled_text(CellField *field, Datum value)
{
	int level = sdcpg_tally_name_settings();
	char *text = OutputFunctionCall(&field->output, value);

	AtEOXact_GUC(true, level);
	return text;
}

static char *
cell_text(CellField *field, Datum value)
{
	switch (field->base)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case DATEOID:
			return psprintf("%d", field->base == BOOLOID ? DatumGetBool(value)
								  : field->base == INT2OID
									  ? DatumGetInt16(value)
									  : DatumGetInt32(value));
		case INT8OID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return psprintf(INT64_FORMAT, DatumGetInt64(value));
		case FLOAT4OID:
			return float_bits(DatumGetFloat4(value));
		case FLOAT8OID:
			return float_bits(DatumGetFloat8(value));
		case NUMERICOID:
			value = DirectFunctionCall1(numeric_trim_scale, value);
			break;
		case BPCHAROID:
			value = DirectFunctionCall1(rtrim1, value);
			return TextDatumGetCString(value);
	}
	if (field->settled)
		return settled_text(field, value);
	return OutputFunctionCall(&field->output, value);
}

/* Appends a value as its length and its bytes, or a dash for NULL. */
static void
append_field(StringInfo cell, const char *value)
{
	if (value == NULL)
		appendStringInfoString(cell, "-;");
	else
		appendStringInfo(cell, "%d:%s;", (int) strlen(value), value);
}

/* cell(VARIADIC "any") returns text */
Datum
sdcf_cell(PG_FUNCTION_ARGS)
{
	CellField *field = cell_fields(fcinfo);
	StringInfoData cell;
	int i;

	initStringInfo(&cell);
	for (i = 0; i < PG_NARGS(); i++)
		append_field(&cell, PG_ARGISNULL(i)
								? NULL
								: cell_text(&field[i], PG_GETARG_DATUM(i)));
	PG_RETURN_TEXT_P(cstring_to_text_with_len(cell.data, cell.len));
}
