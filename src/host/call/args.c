/*
 * args.c
 *		Checks of arguments: one clear error each, with the argument's name.
 *
 * No message quotes a value of the data: the log is read by more people than
 * the table.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#include "host/call/args.h"
#include "host/server/compat.h"

void
sdcpg_args_null(const char *argument)
{
	ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					errmsg("argument \"%s\" must not be null", argument)));
}

char *
sdcpg_args_name(FunctionCallInfo fcinfo, int argument)
{
	Oid function = fcinfo->flinfo->fn_oid;
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid *types;
	char **names;
	char *modes;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	get_func_arg_info(tuple, &types, &names, &modes);
	ReleaseSysCache(tuple);
	return names == NULL ? psprintf("$%d", argument + 1) : names[argument];
}

void
sdcpg_args_need(FunctionCallInfo fcinfo, int argument)
{
	if (PG_ARGISNULL(argument))
		sdcpg_args_null(sdcpg_args_name(fcinfo, argument));
}

void
sdcpg_args_need_first(FunctionCallInfo fcinfo, int count)
{
	int i;

	for (i = 0; i < count; i++)
		sdcpg_args_need(fcinfo, i);
}

char *
sdcpg_args_text(FunctionCallInfo fcinfo, int argument)
{
	sdcpg_args_need(fcinfo, argument);
	return text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

void
sdcpg_args_range(const char *argument, double value, double low, double high)
{
	if (value >= low && value <= high)
		return;
	if (isinf(high))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"%s\" must be at least %g", argument,
							   low)));
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("argument \"%s\" must lie between %g and %g",
						   argument, low, high)));
}

int
sdcpg_args_choice(const char *argument, const text *word,
				  const char *const *choices)
{
	char *given = text_to_cstring(word);
	StringInfoData list;
	int i;

	for (i = 0; choices[i] != NULL; i++)
		if (strcmp(given, choices[i]) == 0)
			return i;
	initStringInfo(&list);
	for (i = 0; choices[i] != NULL; i++)
		appendStringInfo(&list, "%s\"%s\"", i > 0 ? ", " : "", choices[i]);
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unrecognized %s \"%s\"", argument, given),
					errhint("Valid values are %s.", list.data)));
	return -1;
}

void
sdcpg_args_group_size(int32 k, int64 rows)
{
	if (k < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"k\" must be at least 1")));
	if (rows > 0 && rows < k)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot form a group of %d from " INT64_FORMAT " rows",
						k, rows),
				 errdetail("A partition has fewer rows with values than k, "
						   "and no group smaller than k is ever made."),
				 errhint("Lower k, or merge small strata.")));
}

void
sdcpg_args_finite(double value)
{
	if (!isfinite(value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("cannot compute with NaN or infinity"),
				 errhint("Filter these rows out, or turn them into NULL, "
						 "which stays NULL.")));
}

void
sdcpg_args_result_finite(double value)
{
	if (!isfinite(value))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("masked value out of range")));
}
