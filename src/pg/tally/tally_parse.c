/*
 * tally_parse.c
 *		States of aggregates read from text.
 *
 * PostgreSQL's own reader of jsonb checks the syntax; here only the meaning is
 * left to be checked.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/tally/tally_io.h"
#include "pg/tally/tally_name.h"
#include "pg/tally/tally_parameter.h"

/* Cells between two clean-ups of what reading them left behind. */
#define CLEAN_CELLS 1024

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
typedef struct Input
{
	FmgrInfo function;
	Oid parameter;
} Input;

static Input *
input_functions(const SdcTallyShape *shape)
{
	Input *input = palloc(shape->columns * sizeof(Input));
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
parse_cell(JsonbContainer *cell, SdcTallyShape *shape, Input *input)
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
	Input *input = input_functions(shape);
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
