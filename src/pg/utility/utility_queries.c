/*
 * utility_queries.c
 *		Counting queries of the caller, answered by both relations.
 *
 * A query is an object of conditions by column, such as {"age": [20, 29],
 * "sex": "f"}, and counts the records that meet all of them.  It is data, not
 * SQL: nothing of it is executed.  A generalized number meets a condition with
 * the share of its range that does.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "pg/call/params.h"
#include "pg/data/number.h"
#include "pg/server/compat.h"
#include "pg/utility/utility.h"

#define MOST_QUERIES 10000

static const char *const what =
	"an array of objects by column, each with a value, null, a range [low, "
	"high] of numbers or dates, or an array of categories";

typedef struct Condition
{
	int column;
	bool null;
	double low;
	double high;
	bool *meets; /* by code, of categories */
} Condition;

typedef struct CountingQuery
{
	int conditions;
	Condition *condition;
	double original;
	double masked;
} CountingQuery;

static char *
text_of(const JsonbValue *value)
{
	switch (value->type)
	{
		case jbvString:
			return pnstrdup(value->val.string.val, value->val.string.len);
		case jbvNumeric:
			return DatumGetCString(DirectFunctionCall1(
				numeric_out, NumericGetDatum(value->val.numeric)));
		case jbvBool:
			return value->val.boolean ? "t" : "f";
		default:
			sdcpg_params_wrong("queries", what);
	}
}

/* A number, or a string as the type of the column reads it. */
static double
number_of(const SdcAlignedColumn *column, const JsonbValue *value)
{
	Oid base = column->original.base;
	Oid input;
	Oid parameter;
	double number;

	if (value->type == jbvNumeric)
		return DatumGetFloat8(DirectFunctionCall1(
			numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
	if (value->type != jbvString)
		sdcpg_params_wrong("queries", what);
	getTypeInputInfo(base, &input, &parameter);
	number = sdcpg_number(base, OidInputFunctionCall(input, text_of(value),
													 parameter, -1)) *
			 column->original_unit;
	if (!isfinite(number))
		sdcpg_params_wrong("queries", what);
	return number;
}

/* Marks the codes of a category; one that does not occur marks none. */
static void
mark_category(SdcHost *kernel, const SdcContrastColumn *column,
			  const JsonbValue *value, Condition *condition)
{
	const char *text = text_of(value);
	int32 v;

	for (v = 0; v < column->values; v++)
	{
		char *category = sdcpg_dictionary_text(column->dictionary, v);

		if (v % SDC_POLL_STEPS == 0)
			kernel->poll(kernel, 0, 0);
		if (strcmp(category, text) == 0)
			condition->meets[v] = true;
		pfree(category);
	}
}

static void
read_array(SdcHost *kernel, const SdcContrastColumn *column,
		   JsonbContainer *array, Condition *condition)
{
	double *end[] = {&condition->low, &condition->high};
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	int elements = 0;

	if (!JsonContainerIsArray(array))
		sdcpg_params_wrong("queries", what);
	iterator = JsonbIteratorInit(array);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token != WJB_ELEM)
			continue;
		if (!column->number)
			mark_category(kernel, column, &value, condition);
		else if (elements < 2)
			*end[elements] = number_of(&column->aligned, &value);
		elements++;
	}
	if (column->number && (elements != 2 || condition->low > condition->high))
		sdcpg_params_wrong("queries", what);
}

static void
read_condition(const SdcContrast *comparison, const char *name,
			   const JsonbValue *value, Condition *condition)
{
	SdcHost *kernel = &comparison->host->kernel;
	const SdcContrastColumn *column = NULL;
	int j;

	memset(condition, 0, sizeof(*condition));
	for (j = 0; j < comparison->columns; j++)
		if (strcmp(comparison->column[j].aligned.original.name, name) == 0)
		{
			column = &comparison->column[j];
			condition->column = j;
		}
	if (column == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("key \"queries\" in argument \"params\" names "
							   "\"%s\", which is not one of the columns",
							   name)));
	condition->meets = sdc_new(kernel, bool, (Size) column->values + 1);
	memset(condition->meets, 0, sizeof(bool) * ((Size) column->values + 1));
	if (value->type == jbvNull)
		condition->null = true;
	else if (value->type == jbvBinary)
		read_array(kernel, column, value->val.binary.data, condition);
	else if (column->number)
		condition->low = condition->high = number_of(&column->aligned, value);
	else
		mark_category(kernel, column, value, condition);
}

static void
read_query(const SdcContrast *comparison, const JsonbValue *object,
		   CountingQuery *query)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	char *name = NULL;

	if (object->type != jbvBinary ||
		!JsonContainerIsObject(object->val.binary.data))
		sdcpg_params_wrong("queries", what);
	memset(query, 0, sizeof(*query));
	query->condition = palloc(
		sizeof(Condition) * (JsonContainerSize(object->val.binary.data) + 1));
	iterator = JsonbIteratorInit(object->val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			name = text_of(&value);
		else if (token == WJB_VALUE)
			read_condition(comparison, name, &value,
						   &query->condition[query->conditions++]);
	}
}

/* The queries of params; none without the key. */
static CountingQuery *
read_queries(const SdcUtility *utility, int *count)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	CountingQuery *query;
	uint32 size;

	*count = 0;
	if (!sdcpg_params_find(utility->params, "queries", &value))
		return NULL;
	if (value.type != jbvBinary ||
		!JsonContainerIsArray(value.val.binary.data))
		sdcpg_params_wrong("queries", what);
	size = JsonContainerSize(value.val.binary.data);
	if (size == 0 || size > MOST_QUERIES)
		sdcpg_params_wrong(
			"queries", psprintf("an array of 1 to %d queries", MOST_QUERIES));
	query = palloc(sizeof(CountingQuery) * size);
	iterator = JsonbIteratorInit(value.val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_ELEM)
			read_query(&utility->comparison, &value, &query[(*count)++]);
	return query;
}

/* The share of a range, a number or a middle, that lies between two ends. */
static double
share_between(const SdcContrastColumn *column, const SdcContrastSide *side,
			  int32 row, const Condition *condition)
{
	int j = condition->column;
	double x = side->number[j][row];
	double low = x;
	double high = x;
	double inside;

	if (column->range != NULL && side->code[j][row] >= 0)
	{
		low = column->range[side->code[j][row]].low;
		high = column->range[side->code[j][row]].high;
	}
	if (isnan(x) || high < condition->low || low > condition->high)
		return 0;
	if (low == high)
		return 1;
	inside = Min(high, condition->high) - Max(low, condition->low);
	return (inside + column->step) / (high - low + column->step);
}

static double
meet_condition(const SdcContrast *comparison, const SdcContrastSide *side,
			   int32 row, const Condition *condition)
{
	const SdcContrastColumn *column = &comparison->column[condition->column];
	int32 code;

	if (side->code[condition->column] == NULL)
		return condition->null ? isnan(side->number[condition->column][row])
							   : share_between(column, side, row, condition);
	code = side->code[condition->column][row];
	if (condition->null || code < 0)
		return condition->null && code < 0;
	if (column->number)
		return share_between(column, side, row, condition);
	return condition->meets[code];
}

static double
answer_query(const SdcContrast *comparison, const SdcContrastSide *side,
			 const CountingQuery *query)
{
	SdcHost *kernel = &comparison->host->kernel;
	double sum = 0;
	int32 i;
	int c;

	for (i = 0; i < side->rows; i++)
	{
		double share = 1;

		if (i % SDC_POLL_STEPS == 0)
			kernel->poll(kernel, 0, 0);
		for (c = 0; c < query->conditions && share > 0; c++)
			share *= meet_condition(comparison, side, i, &query->condition[c]);
		sum += share;
	}
	return sum;
}

void
sdcpg_utility_queries(SdcUtility *utility)
{
	const SdcContrast *comparison = &utility->comparison;
	SdcUtilityLines *lines = &utility->lines;
	double largest = 0;
	double sum = 0;
	int count;
	CountingQuery *query = read_queries(utility, &count);
	int q;

	if (!sdcpg_report_wants(utility->report, "queries"))
		return;
	if (count == 0)
	{
		if (utility->named)
			sdcpg_utility_lines_add(lines, "queries", NULL, NAN,
									"Needs params.queries.");
		return;
	}
	for (q = 0; q < count; q++)
	{
		double distortion;

		query[q].original =
			answer_query(comparison, &comparison->original, &query[q]);
		query[q].masked =
			answer_query(comparison, &comparison->masked, &query[q]);
		distortion = fabs(query[q].original - query[q].masked);
		largest = Max(largest, distortion);
		sum += distortion;
	}
	sdcpg_utility_lines_add(lines, "queries_max", NULL, largest,
							"Largest difference of the answers to %d queries.",
							count);
	sdcpg_utility_lines_add(lines, "queries_mean", NULL, sum / count,
							"Mean difference of the answers to %d queries.",
							count);
	for (q = 0; q < count; q++)
		sdcpg_utility_lines_add(lines, "queries", psprintf("query %d", q + 1),
								fabs(query[q].original - query[q].masked),
								"%.6g records of the original, %.6g of the "
								"masked relation.",
								query[q].original, query[q].masked);
}
