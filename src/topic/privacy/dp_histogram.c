/*
 * dp_histogram.c
 *		sdc.dp_histogram: a table of noisy counts, empty cells too.
 *
 * Each unit is in few cells, so all counts together cost little more than
 * one.  With public categories every cell is there; private ones are shown
 * where their noisy count reaches a threshold.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "host/call/args.h"
#include "topic/privacy/request.h"
#include "host/server/compat.h"
#include "host/server/result.h"
#include "topic/privacy/figure.h"

PG_FUNCTION_INFO_V1(sdcf_dp_histogram);

/* The categories of a cell, in the order of the columns that were asked. */
static Datum
cell_parts(const SdcRequest *request, const SdcRequestCell *cell)
{
	ArrayBuildState *parts = NULL;
	int i;

	for (i = 0; i < request->groups; i++)
		parts = accumArrayResult(
			parts,
			cell->part[i] == NULL ? (Datum) 0
								  : CStringGetTextDatum(cell->part[i]),
			cell->part[i] == NULL, TEXTOID, CurrentMemoryContext);
	return makeArrayResult(parts, CurrentMemoryContext);
}

static void
put_cell(ReturnSetInfo *result, const SdcRequest *request,
		 const SdcRequestCell *cell)
{
	SdcFigureAnswer answer = {0};
	Datum values[2];
	bool isnull[2] = {false, false};

	if (!sdcpg_request_release(request, cell, &answer))
		return;
	values[0] = cell_parts(request, cell);
	values[1] = DirectFunctionCall1(numeric_int8, answer.number);
	sdcpg_result_put(result, values, isnull);
}

/*
 * dp_histogram(dataset text, columns text[], epsilon numeric, delta numeric,
 *              predicate text)
 */
Datum
sdcf_dp_histogram(PG_FUNCTION_ARGS)
{
	static const char *const name[] = {"dataset", "columns", "epsilon",
									   "delta"};
	SdcRequestArguments arguments = {0};
	char *count = "count";
	ReturnSetInfo *result;
	SdcRequest *request;
	List *cells;
	ListCell *at;
	int i;

	result = sdcpg_result_begin(fcinfo);
	for (i = 0; i < 4; i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(name[i]);
	arguments.dataset = text_to_cstring(PG_GETARG_TEXT_PP(0));
	arguments.figures = 1;
	arguments.figure = &count;
	arguments.group = sdcpg_request_texts("columns", PG_GETARG_ARRAYTYPE_P(1),
										  &arguments.groups);
	arguments.epsilon = PG_GETARG_NUMERIC(2);
	arguments.delta = PG_GETARG_NUMERIC(3);
	if (!PG_ARGISNULL(4))
		arguments.predicate = text_to_cstring(PG_GETARG_TEXT_PP(4));
	arguments.function = "dp_histogram";
	request = sdcpg_request_make(&arguments);
	cells = sdcpg_request_compute(request);
	foreach (at, cells)
		put_cell(result, request, lfirst(at));
	sdcpg_request_pad(request);
	return (Datum) 0;
}
