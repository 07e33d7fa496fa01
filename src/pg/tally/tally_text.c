/*
 * tally_text.c
 *		States of aggregates written as text.
 *
 * Settings of the session that change how values look are put aside, and
 * numbers are written with all their digits.
 */
#include "postgres.h"

#include "common/shortest_dec.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/tally/tally_io.h"
#include "pg/tally/tally_name.h"
#include "pg/tally/tally_parameter.h"

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
