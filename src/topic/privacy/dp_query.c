/*
 * dp_query.c
 *		sdc.dp_query: what a role without the right to read a table may ask of
 *		it.
 *
 * All checks, the charge and the noise are in request.c.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "host/call/args.h"
#include "topic/privacy/request.h"
#include "host/server/compat.h"
#include "host/server/result.h"
#include "topic/privacy/figure.h"

PG_FUNCTION_INFO_V1(sdcf_dp_query);

static Datum
need(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		sdcpg_args_null(name);
	return PG_GETARG_DATUM(argument);
}

/* {"region": "north"}; NULL without groups. */
static Datum
cell_json(const SdcRequest *request, const SdcRequestCell *cell)
{
	StringInfoData json;
	int i;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	for (i = 0; i < request->groups; i++)
	{
		if (i > 0)
			appendStringInfoChar(&json, ',');
		escape_json(&json, request->group[i]->column.name);
		appendStringInfoChar(&json, ':');
		if (cell->part[i] == NULL)
			appendStringInfoString(&json, "null");
		else
			escape_json(&json, cell->part[i]);
	}
	appendStringInfoChar(&json, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

static void
put_answers(ReturnSetInfo *result, const SdcRequest *request,
			const SdcRequestCell *cell, const SdcFigureAnswer *answer)
{
	int i;

	for (i = 0; i < request->figures; i++)
	{
		double halfwidth = request->figure[i]->halfwidth;
		Datum values[5] = {0};
		bool isnull[5] = {request->groups == 0, false,
						  answer[i].category != NULL,
						  answer[i].category == NULL, isnan(halfwidth)};

		if (!isnull[0])
			values[0] = cell_json(request, cell);
		values[1] = CStringGetTextDatum(request->figure[i]->word);
		values[2] = answer[i].number;
		if (!isnull[3])
			values[3] = CStringGetTextDatum(answer[i].category);
		values[4] = Float8GetDatum(halfwidth);
		sdcpg_result_put(result, values, isnull);
	}
}

static void
read_arguments(FunctionCallInfo fcinfo, SdcRequestArguments *arguments)
{
	arguments->dataset =
		text_to_cstring(DatumGetTextPP(need(fcinfo, 0, "dataset")));
	arguments->figure = sdcpg_request_texts(
		"aggregates", DatumGetArrayTypeP(need(fcinfo, 1, "aggregates")),
		&arguments->figures);
	arguments->epsilon = DatumGetNumeric(need(fcinfo, 2, "epsilon"));
	if (!PG_ARGISNULL(3))
		arguments->group = sdcpg_request_texts(
			"group_by", PG_GETARG_ARRAYTYPE_P(3), &arguments->groups);
	if (!PG_ARGISNULL(4))
		arguments->predicate = text_to_cstring(PG_GETARG_TEXT_PP(4));
	arguments->delta = DatumGetNumeric(need(fcinfo, 5, "delta"));
	arguments->function = "dp_query";
}

/*
 * dp_query(dataset text, aggregates text[], epsilon numeric, group_by text[],
 *          predicate text, delta numeric)
 */
Datum
sdcf_dp_query(PG_FUNCTION_ARGS)
{
	SdcRequestArguments arguments = {0};
	ReturnSetInfo *result;
	SdcRequest *request;
	SdcFigureAnswer *answer;
	List *cells;
	ListCell *at;

	result = sdcpg_result_begin(fcinfo);
	read_arguments(fcinfo, &arguments);
	request = sdcpg_request_make(&arguments);
	answer = palloc0(sizeof(SdcFigureAnswer) * request->figures);
	cells = sdcpg_request_compute(request);
	foreach (at, cells)
	{
		const SdcRequestCell *cell = lfirst(at);

		if (sdcpg_request_release(request, cell, answer))
			put_answers(result, request, cell, answer);
	}
	sdcpg_request_pad(request);
	return (Datum) 0;
}
