/*
 * diverse_group.c
 *		sdc.diverse_group: greedy l-diverse groups in the order of the window.
 */
#include "postgres.h"

#include "kernel/generalization/diverse_group.h"
#include "pg/call/args.h"
#include "pg/data/window.h"

PG_FUNCTION_INFO_V1(sdcf_diverse_group);

/* The rank of each row's value; NULL is one more value, after the others. */
static int32 *
read_codes(SdcWindow *window, int32 *values)
{
	SdcHost *host = &window->host->kernel;
	SdcColumn *column = sdcpg_window_column(window, 0);
	int32 *code = sdc_new(host, int32, window->rows);
	int32 *order;
	int32 *rank;
	int64 row;
	int32 i;

	sdcpg_column_need_order(&column->type);
	order = sdcpg_column_order(window->host, column);
	rank = sdcpg_column_ranks(window->host, column, order, values);
	for (row = 0; row < window->rows; row++)
		code[row] = *values;
	for (i = 0; i < column->count; i++)
		code[sdcpg_column_place(column, i)] = rank[i];
	++*values;
	return code;
}

static void
diverse_group(SdcWindow *window)
{
	double l = sdcpg_window_float8(window, 1, "l");
	SdcHost *host = &window->host->kernel;
	int32 values;
	int32 *code;
	int32 *group;
	int64 row;

	sdcpg_args_range("l", l, 1, 1e9);
	code = read_codes(window, &values);
	group = sdc_new(host, int32, window->rows);
	if (sdc_diverse_group_scan(host, code, window->rows, values, l, group) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot form groups that are %g-diverse", l),
				 errdetail("In a partition of " INT64_FORMAT
						   " rows one sensitive value has more than 1/l of "
						   "all rows.",
						   window->rows),
				 errhint("Lower l, or merge small strata.")));
	for (row = 0; row < window->rows; row++)
		sdcpg_window_put(window, row, Int64GetDatum((int64) group[row] + 1));
}

/* diverse_group(sensitive anyelement, l float8) OVER w */
Datum
sdcf_diverse_group(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "diverse_group", 1, diverse_group);
}
