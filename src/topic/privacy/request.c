/*
 * request.c
 *		Requests to a data set, sdc.dp_query and sdc.dp_histogram.
 *
 * Validated, charged, answered.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "host/call/params.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/privacy/dp_noise.h"
#include "topic/privacy/figure.h"
#include "topic/privacy/oblivious_scan.h"
#include "topic/privacy/request.h"
#include "topic/privacy/tabulate.h"

/* ----------------------------------------------------------------------
 * A request to a data set: validated, charged, answered.
 *
 * A unit can be in max_groups cells with max_rows rows each, and every cell
 * releases several figures; they share epsilon in equal parts.  With replace
 * and groups a unit leaves as many cells as it enters, which is twice as many
 * additions and removals (see doc/privacy.md).
 * ----------------------------------------------------------------------
 */

/* Public cells at the most, and when more than counts are asked for. */
#define MOST_COUNTS 100000
#define MOST_CELLS  10000

/* Columns of the query that reads the rows: PostgreSQL takes 1664. */
#define MOST_COLUMNS 1600

/* The parts that epsilon is cut into; 1e9 of them fit a double exactly. */
#define MOST_PARTS 1000000

static void
take_groups(SdcRequest *request, const SdcRequestArguments *arguments)
{
	int i;
	int j;

	request->groups = arguments->groups;
	request->group =
		palloc(sizeof(SdcDatasetColumn *) * (request->groups + 1));
	request->cells = 1;
	for (i = 0; i < request->groups; i++)
	{
		SdcDatasetColumn *column = sdcpg_dataset_column(
			request->dataset, request->relation, arguments->group[i]);

		request->group[i] = column;
		for (j = 0; j < i; j++)
			if (request->group[j]->column.number == column->column.number)
				ereport(ERROR, (errcode(ERRCODE_DUPLICATE_COLUMN),
								errmsg("column \"%s\" groups twice",
									   column->column.name)));
		if (column->categories == 0)
			request->thresholded = true;
		else if (request->cells <= MOST_COUNTS)
			request->cells *= column->categories;
	}
}

/* How many private categories there are is not known beforehand. */
static void
check_state(const SdcRequest *request, const SdcFigure *figure)
{
	if (request->thresholded && (figure->kind == SDC_FIGURE_MEDIAN ||
								 figure->kind == SDC_FIGURE_QUANTILE))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("medians and quantiles need public categories"),
						errdetail("Each group takes some kilobytes for one."),
						errhint("Have the curator declare the categories with "
								"sdc.describe_column.")));
}

static void
take_figures(SdcRequest *request, const SdcRequestArguments *arguments)
{
	bool counts = true;
	int i;

	if (arguments->figures + request->groups > MOST_COLUMNS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the request has more than %d aggregates and "
							   "groups",
							   MOST_COLUMNS)));
	request->figures = arguments->figures;
	request->figure = palloc(sizeof(SdcFigure *) * (request->figures + 1));
	for (i = 0; i < request->figures; i++)
	{
		request->figure[i] = sdcpg_figure_read(
			request->dataset, request->relation, arguments->figure[i]);
		check_state(request, request->figure[i]);
		if (request->figure[i]->kind != SDC_FIGURE_COUNT)
			counts = false;
		else if (request->thresholded && request->existence == NULL)
			request->existence = request->figure[i];
	}
	if (!request->thresholded &&
		request->cells > (counts ? MOST_COUNTS : MOST_CELLS))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the request has more than %d cells",
						counts ? MOST_COUNTS : MOST_CELLS),
				 errdetail("Every combination of the declared categories is "
						   "a cell.")));
}

static void
check_delta(const SdcRequest *request, double delta)
{
	if (request->thresholded && delta <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("grouping by private categories needs a delta"),
				 errdetail("Which categories occur is private, too; delta is "
						   "the probability that one is shown which only one "
						   "unit has."),
				 errhint("Give delta, or have the curator declare the "
						 "categories with sdc.describe_column.")));
	if (!request->thresholded && delta > 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the request has no use for a delta"),
						errhint("Only private categories need one.")));
}

/* Shares epsilon and delta out; rest is what there is, in 1e-9. */
static void
share_out(SdcRequest *request, int64 rest, double delta)
{
	const SdcDataset *dataset = request->dataset;
	bool hidden = request->thresholded && request->existence == NULL;
	int factor =
		request->groups > 0 && dataset->neighbours == SDC_NEIGHBOURS_REPLACE
			? 2
			: 1;
	int64 parts;
	double epsilon;
	int i;

	request->max_rows = dataset->max_rows;
	request->max_groups = request->groups == 0 ? 1 : dataset->max_groups;
	if (!request->thresholded)
		request->max_groups = Min(request->max_groups, request->cells);
	parts = (int64) (request->figures + hidden) * request->max_rows *
			request->max_groups * factor;
	epsilon = parts > MOST_PARTS
				  ? 0
				  : nextafter((double) rest / (1e9 * (double) parts), 0);
	if (epsilon < SDC_EPSILON_LEAST)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon is too small for this request"),
				 errdetail("Figures, groups and rows of a unit share it.")));
	if (hidden)
	{
		request->existence = palloc0(sizeof(SdcFigure));
		sdcpg_figure_start(request->existence, epsilon,
						   SDC_NEIGHBOURS_ADD_REMOVE, 0);
	}
	for (i = 0; i < request->figures; i++)
		sdcpg_figure_start(request->figure[i], epsilon,
						   request->groups > 0 ? SDC_NEIGHBOURS_ADD_REMOVE
											   : dataset->neighbours,
						   request->thresholded ? 0 : request->cells);
	if (request->thresholded)
		request->threshold = sdc_dp_threshold_count(
			request->max_rows, epsilon,
			sdc_dp_threshold_share(delta * (1 - 1e-12),
								   request->max_groups * factor));
}

static char *
describe(const SdcRequest *request, const SdcRequestArguments *arguments)
{
	StringInfoData text;
	int i;

	initStringInfo(&text);
	appendStringInfo(&text, "%s", arguments->function);
	for (i = 0; i < request->figures; i++)
		appendStringInfo(&text, "%s %s", i > 0 ? "," : "",
						 request->figure[i]->word);
	for (i = 0; i < request->groups; i++)
		appendStringInfo(&text, "%s %s", i > 0 ? "," : " by",
						 request->group[i]->column.sql);
	if (request->predicate != NULL)
		appendStringInfo(&text, " where %s", request->predicate->sql);
	return text.data;
}

void
sdcpg_request_check_watched(void)
{
	if (IsolationIsSerializable())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a request under differential privacy cannot be part "
						"of a serializable transaction"),
				 errdetail("Its predicate locks, which everyone can see, "
						   "tell what was read."),
				 errhint("Ask in a transaction READ COMMITTED or REPEATABLE "
						 "READ.")));
	if (sdcpg_explain_is_running())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a request under differential privacy cannot be "
						"explained"),
				 errdetail("EXPLAIN ANALYZE tells how much was read.")));
}

void
sdcpg_request_check_least(const SdcDataset *dataset, Numeric epsilon)
{
	if (DatumGetBool(
			DirectFunctionCall2(numeric_lt, NumericGetDatum(epsilon),
								NumericGetDatum(dataset->min_epsilon))))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("epsilon must be at least %s for data set \"%s\"",
					DatumGetCString(DirectFunctionCall1(
						numeric_out, NumericGetDatum(dataset->min_epsilon))),
					dataset->name),
			 errdetail("It is the least that its curator lets a request "
					   "cost.")));
}

/*
 * Checks everything: the right to ask, columns, predicate, budget arithmetic.
 * Nothing in its errors depends on the data.
 */
static SdcRequest *
request_make(const SdcRequestArguments *arguments)
{
	SdcRequest *request = palloc0(sizeof(SdcRequest));
	SdcActing acting;
	double delta;
	int64 rest;

	sdcpg_ledger_check();
	sdcpg_request_check_watched();
	request->dataset = sdcpg_dataset_need(arguments->dataset, &request->grant);
	request->cost =
		sdcpg_budget_cost(request->dataset->accounting, arguments->epsilon,
						  arguments->delta, &rest);
	sdcpg_request_check_least(request->dataset, arguments->epsilon);
	request->relation =
		sdcpg_dataset_relation(request->dataset, &request->owner);
	if (request->dataset->unit != NULL)
		(void) sdcpg_relation_column(request->relation,
									 request->dataset->unit);
	take_groups(request, arguments);
	take_figures(request, arguments);
	delta = DatumGetFloat8(DirectFunctionCall1(
		numeric_float8_no_overflow, NumericGetDatum(arguments->delta)));
	check_delta(request, delta);
	share_out(request, rest, delta);
	sdcpg_dataset_act(&acting, request->owner);
	if (arguments->predicate != NULL)
		request->predicate =
			sdcpg_predicate_check(request->relation, arguments->predicate);
	sdcpg_tabulate_plan(request);
	sdcpg_dataset_act_end(&acting);
	request->text = describe(request, arguments);
	return request;
}

/*
 * Charges, then reads the relation as its owner and returns the cells in an
 * order that does not depend on the data: SdcRequestCell.  Of private
 * categories all that occur are among them, whatever the threshold.
 */
static List *
request_compute(SdcRequest *request)
{
	SdcActing acting;
	List *cells;

	sdcpg_ledger_charge(request->dataset, &request->grant, request->cost,
						request->text);
	request->start = GetCurrentTimestamp();
	sdcpg_dataset_act(&acting, request->owner);
	cells = sdcpg_tabulate(request);
	sdcpg_dataset_act_end(&acting);
	return cells;
}

/* Is a noisy count enough to show that a cell exists? */
static bool
reaches(const SdcRequest *request, Datum count)
{
	Datum threshold =
		DirectFunctionCall1(int8_numeric, Int64GetDatum(request->threshold));

	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, count, threshold)) >=
		   0;
}

/*
 * Draws the answers of a cell, one for each figure, once; false when the cell
 * stays below the threshold, or no row of it counts, and it must not be shown.
 * They are drawn all the same: how many cells have rows would show in time.
 */
static bool
request_release(const SdcRequest *request, const SdcRequestCell *cell,
				SdcFigureAnswer *answers)
{
	const SdcFigureAnswer *existence = NULL;
	SdcFigureAnswer hidden;
	int i;

	for (i = 0; i < request->figures; i++)
	{
		answers[i] = sdcpg_figure_release(request->figure[i], &cell->state[i]);
		if (request->figure[i] == request->existence)
			existence = &answers[i];
	}
	if (!request->thresholded)
		return true;
	if (existence == NULL)
	{
		hidden = sdcpg_figure_release(request->existence, &cell->existence);
		existence = &hidden;
	}
	return reaches(request, existence->number) && cell->existence.count > 0;
}

void
sdcpg_request_pad(const SdcRequest *request)
{
	int64 least = request->dataset->min_duration;
	TimestampTz end;
	int64 left;

	if (least == 0)
		return;
	end = GetCurrentTimestamp();
	end += least - (end - request->start) % least;
	while ((left = end - GetCurrentTimestamp()) > 0)
	{
		/* no event, or another session would see that the work is done */
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) (left / 1000 + 1), 0);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

char **
sdcpg_request_texts(const char *argument, ArrayType *array, int *count)
{
	char **found;
	Datum *element;
	bool *isnull;
	int i;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &element,
					  &isnull, count);
	if (ARR_NDIM(array) != 1 || *count == 0 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must be an array of one dimension "
						"that is not empty and holds no nulls",
						argument)));
	found = palloc(sizeof(char *) * *count);
	for (i = 0; i < *count; i++)
		found[i] = TextDatumGetCString(element[i]);
	return found;
}

/* ----------------------------------------------------------------------
 * sdc.dp_query: what a role without the right to read a table may ask of
 * it.
 *
 * All checks, the charge and the noise are those of every request.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_dp_query);

static Datum
need(FunctionCallInfo fcinfo, int argument)
{
	sdcpg_args_need(fcinfo, argument);
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
	arguments->dataset = text_to_cstring(DatumGetTextPP(need(fcinfo, 0)));
	arguments->figure =
		sdcpg_request_texts("aggregates", DatumGetArrayTypeP(need(fcinfo, 1)),
							&arguments->figures);
	arguments->epsilon = DatumGetNumeric(need(fcinfo, 2));
	if (!PG_ARGISNULL(3))
		arguments->group = sdcpg_request_texts(
			"group_by", PG_GETARG_ARRAYTYPE_P(3), &arguments->groups);
	if (!PG_ARGISNULL(4))
		arguments->predicate = text_to_cstring(PG_GETARG_TEXT_PP(4));
	arguments->delta = DatumGetNumeric(need(fcinfo, 5));
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
	request = request_make(&arguments);
	answer = palloc0(sizeof(SdcFigureAnswer) * request->figures);
	cells = request_compute(request);
	foreach (at, cells)
	{
		const SdcRequestCell *cell = lfirst(at);

		if (request_release(request, cell, answer))
			put_answers(result, request, cell, answer);
	}
	sdcpg_request_pad(request);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * sdc.dp_histogram: a table of noisy counts, empty cells too.
 *
 * Each unit is in few cells, so all counts together cost little more than
 * one.  With public categories every cell is there; private ones are shown
 * where their noisy count reaches a threshold.
 * ----------------------------------------------------------------------
 */

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

	if (!request_release(request, cell, &answer))
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
	SdcRequestArguments arguments = {0};
	char *count = "count";
	ReturnSetInfo *result;
	SdcRequest *request;
	List *cells;
	ListCell *at;

	result = sdcpg_result_begin(fcinfo);
	sdcpg_args_need_first(fcinfo, 4);
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
	request = request_make(&arguments);
	cells = request_compute(request);
	foreach (at, cells)
		put_cell(result, request, lfirst(at));
	sdcpg_request_pad(request);
	return (Datum) 0;
}
