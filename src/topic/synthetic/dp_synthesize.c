/*
 * dp_synthesize.c
 *		sdc.dp_synthesize: a synthetic table under differential privacy.
 *
 * A request to a data set like any other (topic/privacy): checked, charged,
 * read by one oblivious scan as the owner of the table, and answered; the
 * answer is a table of the caller.  What values can be is public: declared
 * categories and bounds, labels of an enum, whether the catalog allows NULL.
 * Everything after the noise is post-processing (kernel/synthetic).
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/synthetic/marginal_release.h"
#include "topic/privacy/dataset.h"
#include "topic/privacy/dp_aggregates.h"
#include "topic/privacy/ledger.h"
#include "topic/privacy/oblivious_scan.h"
#include "topic/privacy/request.h"
#include "topic/privacy/tabulate.h"
#include "topic/synthetic/synthetic_private.h"

PG_FUNCTION_INFO_V1(sdcf_dp_synthesize);

static const char *const params_keys[] = {"bins", "max_size", "dry_run", NULL};

/* Bins of a number, if nobody says; values of a column at the most. */
#define USUAL_BINS  20
#define MOST_VALUES 65535

/* Megabytes of the model's cells, 8 bytes each. */
#define USUAL_SIZE    10
#define CELLS_OF_A_MB 131072
#define MOST_SIZE     1024

/* Decimals of the grid of a number that has none of its own. */
#define MOST_DECIMALS 15

/* Places of a grid at the most, so that doubles tell them apart. */
#define MOST_PLACES (INT64CONST(1) << 53)

/* Rows of the codes at first. */
#define FIRST_ROWS 1024

/* A column, and which numbers stand for its values. */
typedef struct Domain
{
	SdcDatasetColumn *column;
	int place; /* in the scan */
	int32 modifier;
	int32 values;              /* of its codes, NULL included */
	bool nullable;             /* the last code is NULL */
	SdcCategories *categories; /* NULL: a number */
	/* numbers: lower + place * step, in bins of places */
	bool whole;
	double lower;
	int64 first;  /* of whole numbers: lower */
	int decimals; /* of step, 10^-decimals; below 0: it is 10 or more */
	Numeric step;
	int64 places;
	int32 bins;
	Datum *value; /* of categories, while the target is written */
} Domain;

typedef struct DpSynthesis
{
	SdcRequest request; /* data set, budget, relation, scan, cost */
	SdcTarget *target;
	Jsonb *params;
	SdcPgHost *host;
	int columns;
	Domain *domain;
	List *left; /* char *: columns without a public domain */
	SdcMarginalTask task;
	SdcMarginalRelease *result;
	SdcUnitSample *sample; /* NULL: each row is a unit */
	int unit;              /* its place in the scan */
	int64 room;
	uint16_t **code;
	uint8_t *counted;
} DpSynthesis;

/* ----------------------------------------------------------------------
 * What values can be: by the catalog and by what was declared.
 * ----------------------------------------------------------------------
 */

static bool
is_nullable(const SdcRelation *relation, AttrNumber number)
{
	HeapTuple tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation->oid),
									  Int16GetDatum(number));
	bool nullable;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for attribute %d", number);
	nullable = !((Form_pg_attribute) GETSTRUCT(tuple))->attnotnull;
	ReleaseSysCache(tuple);
	return nullable;
}

/* The labels of an enum, or those of bool, as declared categories. */
static void
take_labels(SdcDatasetColumn *column)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int i;

	if (column->column.base == BOOLOID)
	{
		column->category = palloc(sizeof(char *) * 2);
		column->category[0] = "false";
		column->category[1] = "true";
		column->categories = 2;
		return;
	}
	sdcpg_catalog_bind(&parameters, OIDOID,
					   ObjectIdGetDatum(column->column.base), false);
	rows = sdcpg_catalog_read(
		"SELECT CAST(e.enumlabel AS pg_catalog.text) FROM pg_catalog.pg_enum "
		"AS e WHERE e.enumtypid OPERATOR(pg_catalog.=) $1 ORDER BY "
		"e.enumsortorder",
		&parameters);
	column->category = palloc(sizeof(char *) * (rows->count + 1));
	for (i = 0; i < rows->count; i++)
		column->category[i] = TextDatumGetCString(rows->value[i][0]);
	column->categories = (int) rows->count;
}

static double
number_of(Numeric value)
{
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
											  NumericGetDatum(value)));
}

static Numeric
power_of_ten(int power)
{
	return DatumGetNumeric(DirectFunctionCall3(
		numeric_in, CStringGetDatum(psprintf("1e%d", power)),
		ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

static Numeric
multiply(Numeric a, Numeric b)
{
	return DatumGetNumeric(DirectFunctionCall2(numeric_mul, NumericGetDatum(a),
											   NumericGetDatum(b)));
}

static Numeric
negative(Numeric a)
{
	return DatumGetNumeric(
		DirectFunctionCall1(numeric_uminus, NumericGetDatum(a)));
}

/* The least of two numbers, rounded down to a grid of 10^-decimals. */
static Numeric
upper_on_grid(Numeric a, Numeric b, int decimals)
{
	Datum least = DirectFunctionCall2(numeric_smaller, NumericGetDatum(a),
									  NumericGetDatum(b));

	least = DirectFunctionCall1(
		numeric_floor, NumericGetDatum(multiply(DatumGetNumeric(least),
												power_of_ten(decimals))));
	return multiply(DatumGetNumeric(least), power_of_ten(-decimals));
}

/* The largest number of the type of a column; NULL: bounds say enough. */
static Numeric
type_end(const Domain *domain)
{
	Oid base = domain->column->column.base;
	int precision;

	if (base == INT2OID || base == INT4OID)
		return DatumGetNumeric(DirectFunctionCall1(
			int8_numeric,
			Int64GetDatum(base == INT2OID ? PG_INT16_MAX : PG_INT32_MAX)));
	if (base != NUMERICOID || domain->modifier < (int32) VARHDRSZ)
		return NULL;
	precision = ((domain->modifier - VARHDRSZ) >> 16) & 0xffff;
	return multiply(DatumGetNumeric(DirectFunctionCall2(
						numeric_sub, NumericGetDatum(power_of_ten(precision)),
						NumericGetDatum(power_of_ten(0)))),
					power_of_ten(-sdcpg_numeric_scale(domain->modifier)));
}

/*
 * Bounds may pass what the type can hold, or lie between the values of its
 * grid; what is drawn must do neither.
 */
static void
narrow_bounds(const Domain *domain)
{
	SdcDatasetColumn *column = domain->column;
	Numeric end = type_end(domain);

	if (end == NULL)
		return;
	column->upper = upper_on_grid(column->upper, end, domain->decimals);
	if (domain->whole)
		end = DatumGetNumeric(
			DirectFunctionCall2(numeric_add, NumericGetDatum(end),
								NumericGetDatum(power_of_ten(0))));
	column->lower = negative(
		upper_on_grid(negative(column->lower), end, domain->decimals));
	if (DatumGetBool(DirectFunctionCall2(numeric_gt,
										 NumericGetDatum(column->lower),
										 NumericGetDatum(column->upper))))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no value of the type of column \"%s\" lies within "
						"its bounds",
						column->column.name),
				 errhint("Have the curator declare others with "
						 "sdc.describe_column.")));
}

/* The decimals of a number that has no grid: a thousand places a bin. */
static int
choose_decimals(double width, int32 bins)
{
	int decimals = 0;
	double grid = 1;

	while (decimals < MOST_DECIMALS && grid > width / bins / 1000)
	{
		grid /= 10;
		decimals++;
	}
	return decimals;
}

static void
describe_number(DpSynthesis *synthesis, Domain *domain)
{
	const SdcDatasetColumn *column = domain->column;
	Oid base = column->column.base;
	double width;
	double places;
	int32 bins = (int32) sdcpg_params_member_number(
		synthesis->params, "bins", column->column.name, USUAL_BINS, 1,
		MOST_VALUES - 1);

	domain->whole = base == INT2OID || base == INT4OID || base == INT8OID;
	if (base == NUMERICOID && domain->modifier >= (int32) VARHDRSZ)
		domain->decimals =
			Min(sdcpg_numeric_scale(domain->modifier), MOST_DECIMALS);
	else if (!domain->whole)
		domain->decimals = choose_decimals(
			number_of(column->upper) - number_of(column->lower), bins);
	narrow_bounds(domain);
	domain->lower = number_of(column->lower);
	width = number_of(column->upper) - domain->lower;
	domain->step = power_of_ten(-domain->decimals);
	if (domain->whole)
		domain->first = DatumGetInt64(
			DirectFunctionCall1(numeric_int8, NumericGetDatum(column->lower)));
	places = floor(width * pow(10, domain->decimals) * (1 + 1e-15)) + 1;
	if (!(places <= (double) MOST_PLACES))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the bounds of column \"%s\" lie too far apart",
						column->column.name),
				 errdetail("There are more than 2^53 values between them.")));
	domain->places = (int64) places;
	domain->bins = (int32) Min((int64) bins, domain->places);
	domain->values = domain->bins;
}

/* What the codes of a column mean; false when nothing public says it. */
static bool
describe_domain(DpSynthesis *synthesis, const char *name, Domain *domain)
{
	const SdcRequest *request = &synthesis->request;
	SdcDatasetColumn *column =
		sdcpg_dataset_column(request->dataset, request->relation, name);
	Oid type;
	Oid collation;

	memset(domain, 0, sizeof(*domain));
	domain->column = column;
	get_atttypetypmodcoll(request->relation->oid, column->column.number, &type,
						  &domain->modifier, &collation);
	if (type != column->column.base)
		(void) getBaseTypeAndTypmod(type, &domain->modifier);
	if (column->categories == 0 &&
		(column->column.base == BOOLOID || type_is_enum(column->column.base)))
		take_labels(column);
	if (column->categories > 0)
		domain->values = column->categories;
	else if (column->bounded)
		describe_number(synthesis, domain);
	else
		return false;
	domain->nullable = is_nullable(request->relation, column->column.number);
	domain->values += domain->nullable;
	if (domain->values > MOST_VALUES)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("column \"%s\" has more than %d values",
							   column->column.name, MOST_VALUES)));
	return true;
}

static void
check_unit(const DpSynthesis *synthesis, const char *name)
{
	const SdcDataset *dataset = synthesis->request.dataset;

	if (dataset->unit != NULL && strcmp(dataset->unit, name) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" cannot be synthesized", name),
						errdetail("It says whose row it is.")));
}

/* Columns that were named must have a domain; of all, those that have one. */
static void
take_columns(DpSynthesis *synthesis, ArrayType *names)
{
	const SdcRequest *request = &synthesis->request;
	SdcRelationColumns asked =
		names != NULL
			? sdcpg_relation_columns(request->relation, "columns", names)
			: sdcpg_relation_all_columns(request->relation);
	int j;

	synthesis->domain = palloc0(sizeof(Domain) * (asked.count + 1));
	for (j = 0; j < asked.count; j++)
	{
		char *name = asked.column[j].name;
		bool unit = request->dataset->unit != NULL &&
					strcmp(request->dataset->unit, name) == 0;

		if (names != NULL)
			check_unit(synthesis, name);
		if (!unit && describe_domain(synthesis, name,
									 &synthesis->domain[synthesis->columns]))
			synthesis->columns++;
		else if (names == NULL)
			synthesis->left = lappend(synthesis->left, name);
		else
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("nothing public says what values column \"%s\" "
							"has",
							name),
					 errhint("Have the curator declare its bounds or "
							 "categories with sdc.describe_column.")));
	}
	if (synthesis->columns == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("data set \"%s\" has no column that can be drawn",
						request->dataset->name),
				 errhint("Have the curator declare bounds or categories with "
						 "sdc.describe_column.")));
	if (synthesis->columns > SDC_MARGINAL_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than %d columns to draw", SDC_MARGINAL_COLUMNS),
				 errhint("Name the columns in argument \"columns\".")));
}

/* ----------------------------------------------------------------------
 * The request: all that can be wrong with it is found before the charge.
 * ----------------------------------------------------------------------
 */

/*
 * The budget of the noise: epsilon without a delta; the rho of epsilon and
 * delta; or epsilon^2 / 2, which is what the request costs with zcdp.
 */
static void
take_budget(DpSynthesis *synthesis, Numeric epsilon, Numeric delta)
{
	SdcRequest *request = &synthesis->request;
	SdcMarginalTask *task = &synthesis->task;
	double d = number_of(delta);
	double e;
	int64 rest;

	request->cost =
		sdcpg_budget_cost(request->dataset->accounting, epsilon, delta, &rest);
	sdcpg_request_check_least(request->dataset, epsilon);
	e = nextafter((double) rest / 1e9, 0);
	if (request->dataset->accounting == SDC_ACCOUNTING_ZCDP)
		task->budget = e * e / 2 * (1 - 1e-15);
	else if (d > 0)
		task->budget = sdc_zcdp_rho(e, d);
	else
	{
		task->pure = true;
		task->budget = e;
	}
}

static void
check_size(const DpSynthesis *synthesis)
{
	const SdcMarginalTask *task = &synthesis->task;
	int64 cells = 0;
	int v;

	for (v = 0; v < task->columns; v++)
		cells += task->size[v];
	if (cells > task->most_cells)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("single columns alone have more cells than "
							   "params.max_size leaves"),
						errhint("Ask for fewer bins, or fewer columns.")));
	if (sdc_marginal_memory(task) > (int64) sdcpg_dp_memory_limit * 1024)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the marginals of so many columns and values need "
						"more than sdc.dp_memory_limit (%d MB)",
						sdcpg_dp_memory_limit / 1024),
				 errhint("Ask for fewer bins, fewer columns, a smaller "
						 "params.max_size or method \"mst\".")));
	if (!sdc_marginal_affordable(task))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon is too small for this request"),
				 errdetail("Marginals, choices and rows of a unit share "
						   "it.")));
}

static void
describe_task(DpSynthesis *synthesis, const text *method, int64 rows)
{
	SdcMarginalTask *task = &synthesis->task;
	int32 *size = palloc(sizeof(int32) * synthesis->columns);
	int j;

	task->method = sdcpg_args_choice("method", method, sdc_marginal_methods);
	task->neighbours = synthesis->request.dataset->neighbours;
	task->unit_rows = synthesis->request.dataset->unit == NULL
						  ? 1
						  : synthesis->request.dataset->max_rows;
	task->most_cells =
		(int64) (sdcpg_params_number(synthesis->params, "max_size", USUAL_SIZE,
									 0.01, MOST_SIZE) *
				 CELLS_OF_A_MB);
	task->columns = synthesis->columns;
	for (j = 0; j < synthesis->columns; j++)
		size[j] = synthesis->domain[j].values;
	task->size = size;
	task->drawn = (int32) rows;
	check_size(synthesis);
}

/* Plans the scan; to be called while acting as the owner. */
static void
plan_scan(DpSynthesis *synthesis)
{
	SdcRequest *request = &synthesis->request;
	Bitmapset *numbers = NULL;
	int j;

	sdcpg_tabulate_check(request);
	if (request->dataset->unit != NULL)
		numbers = bms_add_member(
			numbers,
			sdcpg_relation_column(request->relation, request->dataset->unit)
				.number);
	for (j = 0; j < synthesis->columns; j++)
		numbers = bms_add_member(numbers,
								 synthesis->domain[j].column->column.number);
	request->scan =
		sdcpg_scan_plan(request->relation, request->owner, numbers);
	for (j = 0; j < synthesis->columns; j++)
		synthesis->domain[j].place = sdcpg_scan_place(
			request->scan, synthesis->domain[j].column->column.number);
	if (request->dataset->unit != NULL)
		synthesis->unit = sdcpg_scan_place(
			request->scan,
			sdcpg_relation_column(request->relation, request->dataset->unit)
				.number);
}

/* For the log. */
static char *
describe_request(const DpSynthesis *synthesis)
{
	StringInfoData text;
	int j;

	initStringInfo(&text);
	appendStringInfo(&text, "dp_synthesize %s",
					 sdc_marginal_methods[synthesis->task.method]);
	for (j = 0; j < synthesis->columns; j++)
		appendStringInfo(&text, "%s %s", j > 0 ? "," : " of",
						 synthesis->domain[j].column->column.sql);
	return text.data;
}

static void
read_request(FunctionCallInfo fcinfo, DpSynthesis *synthesis)
{
	SdcRequest *request = &synthesis->request;
	SdcActing acting;
	int64 rows = PG_ARGISNULL(6) ? 0 : PG_GETARG_INT64(6);

	sdcpg_args_need_first(fcinfo, 5);
	if (!PG_ARGISNULL(6))
		sdcpg_args_range("rows", (double) rows, 1, SDC_MAX_ROWS - 1);
	synthesis->params = PG_ARGISNULL(7) ? NULL : PG_GETARG_JSONB_P(7);
	sdcpg_params_check(synthesis->params, params_keys);
	sdcpg_ledger_check();
	sdcpg_request_check_watched();
	request->dataset = sdcpg_dataset_need(
		text_to_cstring(PG_GETARG_TEXT_PP(0)), &request->grant);
	take_budget(synthesis, PG_GETARG_NUMERIC(2), PG_GETARG_NUMERIC(3));
	request->relation =
		sdcpg_dataset_relation(request->dataset, &request->owner);
	take_columns(synthesis, PG_ARGISNULL(5) ? NULL : PG_GETARG_ARRAYTYPE_P(5));
	describe_task(synthesis, PG_GETARG_TEXT_PP(4), rows);
	synthesis->target = sdcpg_target_find(PG_GETARG_TEXT_PP(1));
	sdcpg_dataset_act(&acting, request->owner);
	plan_scan(synthesis);
	sdcpg_dataset_act_end(&acting);
	request->text = describe_request(synthesis);
}

/* ----------------------------------------------------------------------
 * Reading: every row becomes codes, whatever it holds.
 * ----------------------------------------------------------------------
 */

/* The place of a number on its grid, clipped to the bounds. */
static int64
number_place(const Domain *domain, Datum value)
{
	Oid base = domain->column->column.base;
	double steps;

	if (domain->whole)
	{
		int64 whole = base == INT2OID   ? DatumGetInt16(value)
					  : base == INT4OID ? DatumGetInt32(value)
										: DatumGetInt64(value);

		if (whole <= domain->first)
			return 0;
		/* bounds have 62 bits, so only the difference may overflow */
		return (int64) Min((uint64) whole - (uint64) domain->first,
						   (uint64) domain->places - 1);
	}
	steps = rint((sdcpg_number(base, value) - domain->lower) *
				 pow(10, domain->decimals));
	return (int64) Min(Max(steps, 0), (double) (domain->places - 1));
}

/* The code of a value; -1: it is none of the public ones. */
static int32
code_of(const Domain *domain, Datum value, bool isnull)
{
	if (isnull)
		return domain->nullable ? domain->values - 1 : -1;
	if (domain->categories != NULL)
		return sdcpg_categories_find(domain->categories, value, false);
	if (!domain->whole &&
		isnan(sdcpg_number(domain->column->column.base, value)))
		return -1;
	return (int32) ((uint64) ((SdcUint128) number_place(domain, value) *
							  (uint32) domain->bins /
							  (uint64) domain->places));
}

static void
grow(DpSynthesis *synthesis)
{
	int64 limit = (int64) sdcpg_dp_memory_limit * 1024;
	int64 room = Max(2 * synthesis->room, FIRST_ROWS);
	int j;

	room = Min(room, Min(limit, SDC_MAX_ROWS - 1));
	if (room <= synthesis->room)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the data set has too many rows")));
	for (j = 0; j < synthesis->columns; j++)
		synthesis->code[j] = sdcpg_host_grow(
			synthesis->host, synthesis->code[j], room, sizeof(uint16_t));
	synthesis->counted =
		sdcpg_host_grow(synthesis->host, synthesis->counted, room, 1);
	synthesis->room = room;
}

static void
take_row(void *arg, const Datum *value, const bool *isnull)
{
	DpSynthesis *synthesis = arg;
	SdcFigureValue number;
	bool known = true;
	int32 row = synthesis->task.rows;
	int j;

	if (row == synthesis->room)
		grow(synthesis);
	for (j = 0; j < synthesis->columns; j++)
	{
		const Domain *domain = &synthesis->domain[j];
		int32 code =
			code_of(domain, value[domain->place], isnull[domain->place]);

		known &= code >= 0;
		synthesis->code[j][row] = (uint16_t) Max(code, 0);
	}
	synthesis->task.rows++;
	synthesis->counted[row] = synthesis->sample == NULL && known;
	if (synthesis->sample == NULL || isnull[synthesis->unit])
		return;
	number.whole = row;
	sdcpg_units_add(synthesis->sample, value[synthesis->unit], known, &number);
}

/* A row that its unit may have counted. */
static void
count_row(void *arg, int32 known, const SdcFigureValue *value)
{
	const DpSynthesis *synthesis = arg;

	synthesis->counted[value->whole] = (uint8_t) known;
}

/* Reads the rows as codes; to be called while acting as the owner. */
static void
read_rows(DpSynthesis *synthesis)
{
	SdcRequest *request = &synthesis->request;
	SdcDatasetColumn none = {{0}};
	SdcFigure number = {.column = &none};
	SdcFigure *figure = &number;
	int j;

	/* the value that units keep of a row is its number */
	request->figures = 1;
	request->figure = &figure;
	request->max_groups = 1;
	request->max_rows = request->dataset->max_rows;
	synthesis->code = palloc0(sizeof(uint16_t *) * synthesis->columns);
	sdcpg_scan_open(request->scan);
	for (j = 0; j < synthesis->columns; j++)
	{
		Domain *domain = &synthesis->domain[j];

		if (domain->column->categories > 0)
			domain->categories = sdcpg_categories_make(
				domain->column, request->scan->collation[domain->place]);
	}
	if (request->dataset->unit != NULL)
		synthesis->sample = sdcpg_units_begin(synthesis->host, request, 0);
	grow(synthesis);
	sdcpg_scan_run(request->scan, take_row, synthesis);
	if (synthesis->sample != NULL)
		sdcpg_units_finish(synthesis->sample, count_row, synthesis);
	synthesis->task.code = synthesis->code;
	synthesis->task.counted = synthesis->counted;
}

/* Charges, reads, measures, draws. */
static void
compute(DpSynthesis *synthesis)
{
	SdcRequest *request = &synthesis->request;
	SdcActing acting;

	sdcpg_ledger_charge(request->dataset, &request->grant, request->cost,
						request->text);
	request->start = GetCurrentTimestamp();
	sdcpg_dataset_act(&acting, request->owner);
	read_rows(synthesis);
	synthesis->task.bits = sdcpg_strong_bits();
	synthesis->result =
		sdc_marginal_release(&synthesis->host->kernel, &synthesis->task);
	sdcpg_dataset_act_end(&acting);
}

/* ----------------------------------------------------------------------
 * The target.
 * ----------------------------------------------------------------------
 */

/* A SELECT of no table with the columns of the target. */
static char *
target_select(const DpSynthesis *synthesis)
{
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	for (j = 0; j < synthesis->columns; j++)
	{
		const SdcRelationColumn *column = &synthesis->domain[j].column->column;

		appendStringInfo(
			&sql, "%s CAST(NULL AS %s) AS %s", j > 0 ? "," : "SELECT",
			sdcpg_relation_base_type(synthesis->request.relation, column),
			column->sql);
	}
	return sql.data;
}

/* The categories as values of the type of the target. */
static void
make_values(Domain *domain)
{
	const SdcDatasetColumn *column = domain->column;
	Oid input;
	Oid parameter;
	int i;

	if (column->categories == 0)
		return;
	getTypeInputInfo(column->column.base, &input, &parameter);
	domain->value = palloc(sizeof(Datum) * column->categories);
	for (i = 0; i < column->categories; i++)
		domain->value[i] = OidInputFunctionCall(input, column->category[i],
												parameter, domain->modifier);
}

/* A place of the grid as a value of the type of the column. */
static Datum
place_datum(const Domain *domain, int64 place)
{
	Oid base = domain->column->column.base;
	double scale = pow(10, domain->decimals);
	Datum value;

	if (domain->whole)
	{
		int64 whole = domain->first + place;

		return base == INT2OID   ? Int16GetDatum((int16) whole)
			   : base == INT4OID ? Int32GetDatum((int32) whole)
								 : Int64GetDatum(whole);
	}
	if (base != NUMERICOID)
	{
		double x = domain->lower + (double) place / scale;

		if (fabs(x * scale) < 0x1p52)
			x = rint(x * scale) / scale;
		return base == FLOAT4OID ? Float4GetDatum((float4) x)
								 : Float8GetDatum(x);
	}
	value = DirectFunctionCall2(
		numeric_mul, DirectFunctionCall1(int8_numeric, Int64GetDatum(place)),
		NumericGetDatum(domain->step));
	value = DirectFunctionCall2(numeric_add, value,
								NumericGetDatum(domain->column->lower));
	return DirectFunctionCall2(numeric_round, value,
							   Int32GetDatum(domain->decimals));
}

/* A value of a code; false for NULL.  Within a bin it is drawn uniformly. */
static bool
value_of(const Domain *domain, int32 code, Datum *value)
{
	SdcUint128 places = (uint64) domain->places;
	int64 from;
	int64 end;

	if (domain->nullable && code == domain->values - 1)
		return false;
	if (domain->value != NULL)
	{
		*value = domain->value[code];
		return true;
	}
	/* the places p with floor(p bins / places) = code */
	from = (int64) ((places * (uint32) code + (uint32) domain->bins - 1) /
					(uint32) domain->bins);
	end = (int64) ((places * ((uint32) code + 1) + (uint32) domain->bins - 1) /
				   (uint32) domain->bins);
	*value = place_datum(
		domain, from + (int64) sdc_strong_bits_below(sdcpg_strong_bits(),
													 (uint64) (end - from)));
	return true;
}

static void
write_rows(const DpSynthesis *synthesis, SdcMaskSink *sink)
{
	const SdcMarginalRelease *result = synthesis->result;
	SdcHost *kernel = &synthesis->host->kernel;
	MemoryContext row = AllocSetContextCreate(
		CurrentMemoryContext, "sdc synthetic row", ALLOCSET_SMALL_SIZES);
	Datum *value = palloc0(sizeof(Datum) * synthesis->columns);
	bool *isnull = palloc(sizeof(bool) * synthesis->columns);
	int32 i;
	int j;

	for (i = 0; i < result->drawn; i++)
	{
		MemoryContext caller;

		MemoryContextReset(row);
		caller = MemoryContextSwitchTo(row);
		for (j = 0; j < synthesis->columns; j++)
			isnull[j] = !value_of(&synthesis->domain[j], result->code[j][i],
								  &value[j]);
		MemoryContextSwitchTo(caller);
		sdcpg_mask_sink_put(sink, value, isnull);
		if (i % 1024 == 0)
			kernel->poll(kernel, (uint64) i, (uint64) result->drawn);
	}
	MemoryContextDelete(row);
}

/* All of the target that may be refused, so it comes before the charge. */
static SdcMaskSink *
make_target(const DpSynthesis *synthesis)
{
	SdcRelationColumns columns = {
		synthesis->columns,
		palloc(sizeof(SdcRelationColumn) * synthesis->columns)};
	int j;

	for (j = 0; j < synthesis->columns; j++)
	{
		make_values(&synthesis->domain[j]);
		columns.column[j] = synthesis->domain[j].column->column;
	}
	return sdcpg_synthesis_target(synthesis->host, synthesis->target,
								  target_select(synthesis),
								  synthesis->request.relation, &columns);
}

static void
write_target(const DpSynthesis *synthesis, SdcMaskSink *sink)
{
	write_rows(synthesis, sink);
	(void) sdcpg_mask_sink_close(sink);
	CommandCounterIncrement();
}

/* ----------------------------------------------------------------------
 * What was done: nothing here depends on the rows but through noise.
 * ----------------------------------------------------------------------
 */

static void
put_columns(const DpSynthesis *synthesis, ReturnSetInfo *result)
{
	ListCell *cell;
	int j;

	for (j = 0; j < synthesis->columns; j++)
	{
		const Domain *domain = &synthesis->domain[j];
		SdcStep step = SDC_STEP("column");
		int32 values = domain->values - domain->nullable;

		step.subject = domain->column->column.name;
		step.method = domain->column->categories > 0 ? "categories" : "bins";
		step.detail = psprintf("%d %s%s.", values,
							   domain->column->categories > 0
								   ? (values == 1 ? "category" : "categories")
								   : (values == 1 ? "bin" : "bins"),
							   domain->nullable ? " and NULL" : "");
		sdcpg_step_put(result, &step);
	}
	foreach (cell, synthesis->left)
	{
		SdcStep step = SDC_STEP("withhold");

		step.subject = lfirst(cell);
		step.detail = "Nothing public says what values it has.";
		sdcpg_step_put(result, &step);
	}
}

static char *
list_columns(const DpSynthesis *synthesis, SdcColumnSet columns)
{
	StringInfoData names;

	initStringInfo(&names);
	for (; columns != 0; columns &= columns - 1)
		appendStringInfo(
			&names, "%s%s", names.len > 0 ? "," : "",
			synthesis->domain[sdc_column_first(columns)].column->column.sql);
	return names.data;
}

static void
put_use(const DpSynthesis *synthesis, ReturnSetInfo *result,
		const SdcMarginalStep *done)
{
	bool pure = synthesis->task.pure;
	SdcStep step = SDC_STEP(done->choice ? "choose" : "measure");

	step.subject = list_columns(synthesis, done->columns);
	step.method = done->choice ? "exponential mechanism"
				  : pure       ? "discrete Laplace"
							   : "discrete Gaussian";
	step.measure = done->choice ? "epsilon" : pure ? "scale" : "variance";
	if (done->choice)
	{
		step.value = done->epsilon;
		step.detail = psprintf(
			"Of %d %s; epsilon is exactly %.17g.", done->candidates,
			done->candidates == 1 ? "candidate" : "candidates", done->epsilon);
	}
	else
	{
		step.value = ldexp((double) done->numerator, -(int) done->shift);
		step.detail = psprintf(
			INT64_FORMAT " %s; the %s is exactly " UINT64_FORMAT " / 2^%u.",
			done->cells, done->cells == 1 ? "cell" : "cells", step.measure,
			done->numerator, done->shift);
	}
	sdcpg_step_put(result, &step);
}

static void
put_budget(const DpSynthesis *synthesis, ReturnSetInfo *result)
{
	SdcStep step = SDC_STEP("budget");

	step.subject = synthesis->request.dataset->name;
	step.measure = synthesis->task.pure ? "epsilon" : "rho";
	step.value = synthesis->task.budget;
	step.detail = psprintf("What all noise together is made for; %s; a unit "
						   "has at most %u %s.",
						   sdcpg_neighbours_words[synthesis->task.neighbours],
						   synthesis->task.unit_rows,
						   synthesis->task.unit_rows == 1 ? "row" : "rows");
	sdcpg_step_put(result, &step);
}

static void
put_summary(const DpSynthesis *synthesis, ReturnSetInfo *result)
{
	SdcStep step = SDC_STEP("write");

	step.subject = synthesis->target->sql;
	step.method = "dp_synthesize";
	step.rows = synthesis->result->drawn;
	step.detail = psprintf(
		"The noisy number of records is %.0f; %.1f percent of the values were "
		"shared out among those whose noisy counts are near 0.",
		synthesis->result->total, 100 * synthesis->result->moved);
	sdcpg_step_put(result, &step);
}

/*
 * dp_synthesize(dataset text, target text, epsilon numeric, delta numeric,
 *               method text, columns columns, rows bigint, params jsonb)
 */
Datum
sdcf_dp_synthesize(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	DpSynthesis synthesis = {{0}};
	SdcMaskSink *sink;
	int i;

	read_request(fcinfo, &synthesis);
	put_budget(&synthesis, result);
	put_columns(&synthesis, result);
	if (sdcpg_params_boolean(synthesis.params, "dry_run", false))
		return (Datum) 0;
	synthesis.host = sdcpg_host_begin(NULL, CurrentMemoryContext);
	sink = make_target(&synthesis);
	compute(&synthesis);
	/* what is written shows in sizes of files as soon as it is */
	sdcpg_request_pad(&synthesis.request);
	write_target(&synthesis, sink);
	for (i = 0; i < synthesis.result->steps; i++)
		put_use(&synthesis, result, &synthesis.result->step[i]);
	put_summary(&synthesis, result);
	sdcpg_host_end(synthesis.host);
	return (Datum) 0;
}
