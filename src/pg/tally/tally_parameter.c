/*
 * tally_parameter.c
 *		The constant arguments of an aggregate, inside its state.
 *
 * Numbers come first, as doubles; then the lists, each its length and its
 * strings, these their length (-1: NULL) and their bytes.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#include "pg/call/args.h"
#include "pg/tally/tally.h"
#include "pg/tally/tally_parameter.h"

void
sdcpg_tally_put_number(StringInfo parameters, double number)
{
	number += 0.0; /* -0 is 0 */
	appendBinaryStringInfo(parameters, (char *) &number, sizeof(number));
}

void
sdcpg_tally_put_list(StringInfo parameters, int count)
{
	int32 strings = count;

	appendBinaryStringInfo(parameters, (char *) &strings, sizeof(strings));
}

void
sdcpg_tally_put_string(StringInfo parameters, const char *string, int length)
{
	int32 bytes = string == NULL ? -1 : length;

	appendBinaryStringInfo(parameters, (char *) &bytes, sizeof(bytes));
	if (string != NULL)
		appendBinaryStringInfo(parameters, string, length);
}

static const char *
parameters_of(const SdcTally *tally)
{
	return (const char *) (sdcpg_tally_columns(tally) + tally->columns);
}

/* Stops because a state was not made by this aggregate. */
static void
refuse_state(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("state is not one of this aggregate"),
			 errdetail("It lacks a constant argument of the aggregate.")));
}

double
sdcpg_tally_number(const SdcTally *tally, int index)
{
	double number;

	if (index >= tally->numbers)
		refuse_state();
	memcpy(&number, parameters_of(tally) + index * sizeof(double),
		   sizeof(double));
	return number;
}

static int32
take_int(const char **at)
{
	int32 number;

	memcpy(&number, *at, sizeof(number));
	*at += sizeof(number);
	return number;
}

/* The strings of the list at an address, and the address after it. */
static char **
take_list(const char **at, int *count)
{
	char **list;
	int32 length;
	int i;

	*count = take_int(at);
	list = palloc(Max(*count, 1) * sizeof(char *));
	for (i = 0; i < *count; i++)
	{
		length = take_int(at);
		list[i] = length < 0 ? NULL : pnstrdup(*at, length);
		*at += Max(length, 0);
	}
	return list;
}

char **
sdcpg_tally_list(const SdcTally *tally, int index, int *count)
{
	const char *at = parameters_of(tally) + tally->numbers * sizeof(double);
	char **list = NULL;
	int i;

	if (index >= tally->lists)
		refuse_state();
	for (i = 0; i <= index; i++)
		list = take_list(&at, count);
	return list;
}

/* The name of an argument of the function that is called. */
static char *
argument_name(FunctionCallInfo fcinfo, int argument)
{
	HeapTuple tuple =
		SearchSysCache1(PROCOID, ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
	Oid *types;
	char **names;
	char *modes;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u",
			 fcinfo->flinfo->fn_oid);
	get_func_arg_info(tuple, &types, &names, &modes);
	ReleaseSysCache(tuple);
	return names == NULL ? "constant" : names[argument];
}

/* Appends a number or a word. */
static void
put_argument(FunctionCallInfo fcinfo, int argument, StringInfo numbers,
			 StringInfo lists)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, argument);
	double number;
	text *word;

	if (type == TEXTOID)
	{
		word = PG_GETARG_TEXT_PP(argument);
		sdcpg_tally_put_list(lists, 1);
		sdcpg_tally_put_string(lists, VARDATA_ANY(word),
							   VARSIZE_ANY_EXHDR(word));
		return;
	}
	number = type == INT4OID ? PG_GETARG_INT32(argument)
							 : PG_GETARG_FLOAT8(argument);
	if (!isfinite(number))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"%s\" must be finite",
							   argument_name(fcinfo, argument))));
	sdcpg_tally_put_number(numbers, number);
}

/* Appends a list of strings. */
static void
put_array(FunctionCallInfo fcinfo, int argument, StringInfo lists)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);
	Datum *element;
	bool *isnull;
	int count;
	int i;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"%s\" must have one dimension",
							   argument_name(fcinfo, argument))));
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &element,
					  &isnull, &count);
	sdcpg_tally_put_list(lists, count);
	for (i = 0; i < count; i++)
	{
		text *string = isnull[i] ? NULL : DatumGetTextPP(element[i]);

		sdcpg_tally_put_string(lists, isnull[i] ? NULL : VARDATA_ANY(string),
							   isnull[i] ? -1 : VARSIZE_ANY_EXHDR(string));
	}
}

SdcTally *
sdcpg_tally_empty(FunctionCallInfo fcinfo, int first,
				  const SdcTallyShape *shape)
{
	StringInfoData parameters;
	StringInfoData lists;
	int arrays = 0;
	int i;

	initStringInfo(&parameters);
	initStringInfo(&lists);
	for (i = first; i < PG_NARGS(); i++)
	{
		Oid type = get_fn_expr_argtype(fcinfo->flinfo, i);

		if (PG_ARGISNULL(i))
			sdcpg_args_null(argument_name(fcinfo, i));
		if (type == TEXTARRAYOID)
			put_array(fcinfo, i, &lists);
		else
			put_argument(fcinfo, i, &parameters, &lists);
		arrays += type == TEXTARRAYOID || type == TEXTOID;
	}
	appendBinaryStringInfo(&parameters, lists.data, lists.len);
	return sdcpg_tally_new(shape, PG_NARGS() - first - arrays, arrays,
						   parameters.data, parameters.len);
}
