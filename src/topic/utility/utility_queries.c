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
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "host/call/params.h"
#include "host/call/report.h"
#include "host/data/alignment.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/server/compat.h"
#include "kernel/base/host.h"
#include "kernel/utility/loss.h"
#include "topic/utility/contrast.h"
#include "topic/utility/utility.h"

/* ----------------------------------------------------------------------
 * Counting queries of the caller, answered by both relations.
 * ----------------------------------------------------------------------
 */

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

/* ----------------------------------------------------------------------
 * Tables of one, two and three columns in both relations.
 *
 * Numbers are cut into intervals that are about equally frequent in the
 * original, and each row gets a small code in each column.  Tables are plain
 * arrays of counts; those with too many cells are left out, and counted.
 * ----------------------------------------------------------------------
 */

#define MOST_ORDER SDC_UTILITY_MOST_ORDER
/* Up to this many columns tables of three are usual. */
#define USUAL_COLUMNS 10
/* Cells of a table. */
#define MOST_CELLS (1 << 20)

typedef struct Tables
{
	SdcUtility *utility;
	SdcHost *host;
	int columns;
	int32 rows[2];
	int32 **code[2]; /* 0 .. values[j] - 1 */
	int32 *values;
	double smoothing;
	SdcCellCounts *cell; /* of one table; 0 between two of them */
	SdcTableShares *shares;
	int32 *pair[2]; /* codes of two columns together */
	/* sums of the Hellinger distances */
	double *column_sum;
	int *column_tables;
	double order_sum[MOST_ORDER + 1];
	int order_tables[MOST_ORDER + 1];
	int order; /* of the tables that columns are measured by */
	int left_out;
	/* total variation, and the columns where it is worst */
	double variation_sum[MOST_ORDER + 1];
	double variation_worst[MOST_ORDER + 1];
	int worst_columns[MOST_ORDER + 1][MOST_ORDER];
} Tables;

static int32
utility_bins(Jsonb *params)
{
	return (int32) sdcpg_keys_integer(sdcpg_utility_params, params, "bins");
}

/* Codes of a column of numbers: intervals, and one more for NULL. */
static void
cut_numbers(Tables *tables, int j, int32 bins)
{
	const SdcContrast *comparison = &tables->utility->comparison;
	const double *x[2] = {comparison->original.number[j],
						  comparison->masked.number[j]};
	double *cut = sdc_new(tables->host, double, bins);
	size_t count;
	double *sorted =
		sdc_bins_sort(tables->host, x[0], tables->rows[0], &count);
	int32 cuts = sdc_bins_cut(sorted, count, bins, cut);
	int side;
	int32 i;

	for (side = 0; side < 2; side++)
	{
		tables->code[side][j] =
			sdc_new(tables->host, int32, tables->rows[side]);
		tables->host->poll(tables->host, 0, 0);
		for (i = 0; i < tables->rows[side]; i++)
			tables->code[side][j][i] =
				isnan(x[side][i]) ? cuts + 1
								  : sdc_bins_find(cut, cuts, x[side][i]);
	}
	tables->values[j] = cuts + 2;
	tables->host->release(tables->host, cut);
	tables->host->release(tables->host, sorted);
}

/* Codes of categories; NULL is the last one. */
static void
copy_codes(Tables *tables, int j)
{
	const SdcContrast *comparison = &tables->utility->comparison;
	const int32 *code[2] = {comparison->original.code[j],
							comparison->masked.code[j]};
	int32 values = comparison->column[j].values;
	int side;
	int32 i;

	for (side = 0; side < 2; side++)
	{
		tables->code[side][j] =
			sdc_new(tables->host, int32, tables->rows[side]);
		for (i = 0; i < tables->rows[side]; i++)
			tables->code[side][j][i] =
				code[side][i] < 0 ? values : code[side][i];
	}
	tables->values[j] = values + 1;
}

/* Is a value of a column there in either relation? */
static double
count_used(const Tables *tables, int j)
{
	bool *used = palloc0(sizeof(bool) * tables->values[j]);
	double count = 0;
	int side;
	int32 i;

	for (side = 0; side < 2; side++)
		for (i = 0; i < tables->rows[side]; i++)
			used[tables->code[side][j][i]] = true;
	for (i = 0; i < tables->values[j]; i++)
		count += used[i];
	pfree(used);
	return count;
}

/* Counts tables of two columns of codes, the second one may be NULL. */
static void
count_table(Tables *tables, int32 *const *first, int32 *const *second,
			int32 width)
{
	int side;
	int32 i;

	for (side = 0; side < 2; side++)
	{
		const int32 *x = first[side];
		const int32 *y = second == NULL ? NULL : second[side];

		tables->host->poll(tables->host, 0, 0);
		if (y == NULL)
			for (i = 0; i < tables->rows[side]; i++)
				tables->cell[x[i]].count[side]++;
		else
			for (i = 0; i < tables->rows[side]; i++)
				tables->cell[(int64) x[i] * width + y[i]].count[side]++;
	}
}

/* Compares the tables of two columns of codes by their shares. */
static SdcTableDistance
compare_tables(Tables *tables, int32 *const *first, int32 *const *second,
			   int64 cells, int32 width, double used)
{
	count_table(tables, first, second, width);
	return sdc_table_distance_shares(tables->host, tables->shares,
									 tables->cell, cells, used);
}

/* Takes a distance into the means of its order and its columns. */
static void
add_table(Tables *tables, const SdcTableDistance *distance, int order,
		  const int *column)
{
	int k;

	if (isnan(distance->hellinger))
		return;
	tables->order_sum[order] += distance->hellinger;
	tables->order_tables[order]++;
	tables->variation_sum[order] += distance->tv;
	if (tables->order_tables[order] == 1 ||
		distance->tv > tables->variation_worst[order])
	{
		tables->variation_worst[order] = distance->tv;
		memcpy(tables->worst_columns[order], column, sizeof(int) * order);
	}
	for (k = 0; k < order && order <= tables->order; k++)
	{
		tables->column_sum[column[k]] += distance->hellinger;
		tables->column_tables[column[k]]++;
	}
}

static void
add_distance(Tables *tables, int j, const SdcTableDistance *distance)
{
	SdcUtility *utility = tables->utility;
	const SdcContrastColumn *column = &utility->comparison.column[j];
	char *cells =
		psprintf(column->number ? "%.0f intervals, equally frequent in the "
								  "original as far as values allow"
								: "%.0f categories",
				 distance->cells);

	if (sdcpg_report_wants(utility->report, "hellinger"))
		sdcpg_utility_lines_add(
			&utility->lines, "hellinger", column->subject, distance->hellinger,
			"Hellinger distance of the shares of %s.", cells);
	if (sdcpg_report_wants(utility->report, "kullback_leibler"))
		sdcpg_utility_lines_add(
			&utility->lines, "kullback_leibler", column->subject, distance->kl,
			isinf(distance->kl)
				? "Infinite: a category or interval that occurs in the "
				  "original does not occur in the masked relation (%s)."
				: "Kullback-Leibler divergence, in nats, of the shares of %s.",
			cells);
	if (sdcpg_report_wants(utility->report, "total_variation"))
		sdcpg_utility_lines_add(&utility->lines, "total_variation",
								column->subject, distance->tv,
								"Half the sum of the differences of the "
								"shares of %s.",
								cells);
}

/* The mean of what the last lines of a measure say. */
static void
add_mean(SdcUtility *utility, const char *measure, int first)
{
	double sum = 0;
	int columns = 0;
	int i;

	if (!sdcpg_report_wants(utility->report, measure))
		return;
	for (i = first; i < utility->lines.count; i++)
	{
		const SdcUtilityLine *line = &utility->lines.line[i];

		if (strcmp(line->name, measure) != 0 || isnan(line->value))
			continue;
		sum += line->value;
		columns++;
	}
	sdcpg_utility_lines_add(&utility->lines, measure, NULL,
							columns > 0 ? sum / columns : NAN, "Mean of %s.",
							sdcpg_utility_lines_columns(columns));
}

/* Tables of columns j, l and one more. */
static void
measure_triples(Tables *tables, int j, int l, const double *used)
{
	int32 width = tables->values[l];
	int64 cells = (int64) tables->values[j] * width;
	int side;
	int32 i;
	int m;

	for (side = 0; side < 2; side++)
		for (i = 0; i < tables->rows[side]; i++)
			tables->pair[side][i] =
				tables->code[side][j][i] * width + tables->code[side][l][i];
	for (m = l + 1; m < tables->columns; m++)
	{
		const int column[] = {j, l, m};
		int32 *third[] = {tables->code[0][m], tables->code[1][m]};

		SdcTableDistance distance;

		if (cells * tables->values[m] > MOST_CELLS)
		{
			tables->left_out++;
			continue;
		}
		distance = compare_tables(tables, tables->pair, third,
								  cells * tables->values[m], tables->values[m],
								  used[j] * used[l] * used[m]);
		add_table(tables, &distance, 3, column);
	}
}

static void
measure_pairs(Tables *tables, int order, const double *used)
{
	int j;
	int l;

	for (j = 0; j < tables->columns; j++)
		for (l = j + 1; l < tables->columns; l++)
		{
			const int column[] = {j, l};
			int32 *first[] = {tables->code[0][j], tables->code[1][j]};
			int32 *second[] = {tables->code[0][l], tables->code[1][l]};
			int64 cells = (int64) tables->values[j] * tables->values[l];
			SdcTableDistance distance;

			if (cells > MOST_CELLS)
			{
				tables->left_out +=
					1 + (order > 2 ? tables->columns - l - 1 : 0);
				continue;
			}
			distance = compare_tables(tables, first, second, cells,
									  tables->values[l], used[j] * used[l]);
			add_table(tables, &distance, 2, column);
			if (order > 2)
				measure_triples(tables, j, l, used);
		}
}

static void
add_orders(Tables *tables, int order)
{
	SdcUtilityLines *lines = &tables->utility->lines;
	double sum = 0;
	int count = 0;
	int o;
	int j;

	for (o = 1; o <= order; o++)
	{
		sum += tables->order_sum[o];
		count += tables->order_tables[o];
	}
	sdcpg_utility_lines_add(
		lines, "tables", NULL, count > 0 ? sum / count : NAN,
		"Mean Hellinger distance of all tables of up to %s: %d, %d "
		"and %d of one, two and three; %d with too many cells are left out.",
		sdcpg_utility_lines_columns(order), tables->order_tables[1],
		tables->order_tables[2], tables->order_tables[3], tables->left_out);
	for (j = 0; j < tables->columns; j++)
		sdcpg_utility_lines_add(
			lines, "tables", tables->utility->comparison.column[j].subject,
			tables->column_tables[j] > 0
				? tables->column_sum[j] / tables->column_tables[j]
				: NAN,
			"Mean Hellinger distance of the %d tables that this column is "
			"in.",
			tables->column_tables[j]);
}

/* What is asked for of the tables of so many columns. */
static const char *const marginals[MOST_ORDER + 1] = {
	NULL, "marginals_1", "marginals_2", "marginals_3"};

/* How far the tables of an order are apart, and the worst of them. */
static void
add_marginals(Tables *tables, int order)
{
	const SdcContrastColumn *column = tables->utility->comparison.column;
	StringInfoData worst;
	int k;

	initStringInfo(&worst);
	for (k = 0; k < order && tables->order_tables[order] > 0; k++)
		appendStringInfo(&worst, "%s%s", k > 0 ? ", " : "",
						 column[tables->worst_columns[order][k]].subject);
	if (tables->order_tables[order] == 0)
		sdcpg_utility_lines_add(&tables->utility->lines, marginals[order],
								NULL, NAN, "There is no table of %s.",
								sdcpg_utility_lines_columns(order));
	else
		sdcpg_utility_lines_add(
			&tables->utility->lines, marginals[order], NULL,
			tables->variation_sum[order] / tables->order_tables[order],
			"Mean total variation distance of %d %s of %s; the worst, %.4g, "
			"is that of %s.",
			tables->order_tables[order],
			tables->order_tables[order] == 1 ? "table" : "tables",
			sdcpg_utility_lines_columns(order), tables->variation_worst[order],
			worst.data);
}

/* The largest order of the marginals that are asked for; 0: none are. */
static int
marginals_asked(const SdcUtility *utility)
{
	int order = MOST_ORDER;

	while (order > 0 && !sdcpg_report_wants(utility->report, marginals[order]))
		order--;
	return order;
}

/* Gives each row its codes. */
static void
make_codes(Tables *tables, const SdcContrast *comparison, int32 bins)
{
	int64 cells = MOST_CELLS;
	int side;
	int j;

	tables->rows[0] = comparison->original.rows;
	tables->rows[1] = comparison->masked.rows;
	tables->values = sdc_new(tables->host, int32, tables->columns);
	for (side = 0; side < 2; side++)
	{
		tables->code[side] = sdc_new(tables->host, int32 *, tables->columns);
		tables->pair[side] = sdc_new(tables->host, int32, tables->rows[side]);
	}
	for (j = 0; j < tables->columns; j++)
	{
		if (comparison->column[j].number)
			cut_numbers(tables, j, bins);
		else
			copy_codes(tables, j);
		cells = Max(cells, tables->values[j]);
	}
	tables->cell = sdc_new(tables->host, SdcCellCounts, cells);
	memset(tables->cell, 0, sizeof(SdcCellCounts) * cells);
	tables->shares =
		sdc_table_shares_new(tables->host, tables->rows[0], tables->rows[1]);
	tables->column_sum = palloc0(sizeof(double) * tables->columns);
	tables->column_tables = palloc0(sizeof(int) * tables->columns);
}

void
sdcpg_utility_tables(SdcUtility *utility)
{
	const SdcContrast *comparison = &utility->comparison;
	bool all = sdcpg_report_wants(utility->report, "tables");
	int usual = comparison->columns <= USUAL_COLUMNS ? MOST_ORDER : 2;
	int order = (int) sdcpg_params_integer(utility->params, "order", usual, 1,
										   MOST_ORDER);
	int32 bins = utility_bins(utility->params);
	int asked = marginals_asked(utility);
	int first = utility->lines.count;
	Tables tables;
	double *used;
	int o;
	int j;

	if (!all && asked == 0 &&
		!sdcpg_report_wants(utility->report, "hellinger") &&
		!sdcpg_report_wants(utility->report, "kullback_leibler") &&
		!sdcpg_report_wants(utility->report, "total_variation"))
		return;
	memset(&tables, 0, sizeof(tables));
	tables.utility = utility;
	tables.host = &comparison->host->kernel;
	tables.columns = comparison->columns;
	tables.smoothing =
		sdcpg_keys_number(sdcpg_utility_params, utility->params, "smoothing");
	tables.order = order;
	make_codes(&tables, comparison, bins);
	used = palloc(sizeof(double) * tables.columns);
	for (j = 0; j < tables.columns; j++)
	{
		int32 *codes[] = {tables.code[0][j], tables.code[1][j]};
		SdcTableDistance distance;

		used[j] = count_used(&tables, j);
		count_table(&tables, codes, NULL, 1);
		distance = sdc_table_distance_counts(
			tables.host, tables.cell, tables.values[j], used[j],
			tables.rows[0], tables.rows[1], tables.smoothing);
		add_distance(&tables, j, &distance);
		add_table(&tables, &distance, 1, &j);
	}
	add_mean(utility, "hellinger", first);
	add_mean(utility, "kullback_leibler", first);
	add_mean(utility, "total_variation", first);
	asked = Max(asked, all ? order : 0);
	if (asked > 1)
		measure_pairs(&tables, asked, used);
	if (all)
		add_orders(&tables, order);
	for (o = 1; o <= MOST_ORDER; o++)
		if (sdcpg_report_wants(utility->report, marginals[o]))
			add_marginals(&tables, o);
}
