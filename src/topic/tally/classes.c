/*
 * classes.c
 *		Aggregates over the classes of a file: k-anonymity and its relatives,
 *		diversity and closeness of sensitive values, rules on cells of sums.
 *
 * The state holds the size of each class.  All figures but the expected
 * re-identifications are whole numbers or one division of two, so that they
 * do not depend on the order of the classes.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "host/call/params.h"
#include "host/data/dictionary.h"
#include "host/server/host.h"
#include "kernel/risk/class_measures.h"
#include "kernel/risk/risk.h"
#include "kernel/risk/superpopulation.h"
#include "kernel/table/frequency.h"
#include "topic/generalization/hierarchy.h"
#include "topic/tally/tally.h"

PG_FUNCTION_INFO_V1(sdcf_k_anonymity_final);
PG_FUNCTION_INFO_V1(sdcf_class_histogram_final);
PG_FUNCTION_INFO_V1(sdcf_unique_count_final);
PG_FUNCTION_INFO_V1(sdcf_average_class_final);
PG_FUNCTION_INFO_V1(sdcf_discernibility_final);
PG_FUNCTION_INFO_V1(sdcf_tally_weighted);
PG_FUNCTION_INFO_V1(sdcf_expected_reids_final);

/* k_anonymity_final(state sdc_internal.tally) */
Datum
sdcf_k_anonymity_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;
	const SdcTallyCell *cell;
	int64 smallest = PG_INT64_MAX;
	int64 i;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	if (tally->cells == 0)
		PG_RETURN_NULL();
	cell = sdcpg_tally_first(tally);
	for (i = 0; i < tally->cells; i++)
	{
		smallest = Min(smallest, cell->count);
		cell = sdcpg_tally_next(cell);
	}
	PG_RETURN_INT64(smallest);
}

/* Ascending; *arg counts the calls, for a cancel to be answered. */
static int
compare_counts(const void *a, const void *b, void *arg)
{
	int64 x = *(const int64 *) a;
	int64 y = *(const int64 *) b;

	if (++*(uint64 *) arg % 65536 == 0)
		CHECK_FOR_INTERRUPTS();
	return (x > y) - (x < y);
}

/* class_histogram_final(state sdc_internal.tally) */
Datum
sdcf_class_histogram_final(PG_FUNCTION_ARGS)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	if (!PG_ARGISNULL(0))
	{
		const SdcTally *tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
		int64 *count = sdcpg_tally_counts(tally);
		uint64 compared = 0;
		int64 first = 0;
		int64 i;

		qsort_arg(count, tally->cells, sizeof(int64), compare_counts,
				  &compared);
		for (i = 1; i <= tally->cells; i++)
		{
			if (i < tally->cells && count[i] == count[first])
				continue;
			appendStringInfo(&text, "%s\"" INT64_FORMAT "\":" INT64_FORMAT,
							 first > 0 ? "," : "", count[first], i - first);
			first = i;
		}
	}
	appendStringInfoChar(&text, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data));
}

/* unique_count_final(state sdc_internal.tally) */
Datum
sdcf_unique_count_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;
	const SdcTallyCell *cell;
	int64 uniques = 0;
	int64 i;

	if (PG_ARGISNULL(0))
		PG_RETURN_INT64(0);
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	cell = sdcpg_tally_first(tally);
	for (i = 0; i < tally->cells; i++)
	{
		uniques += cell->count == 1;
		cell = sdcpg_tally_next(cell);
	}
	PG_RETURN_INT64(uniques);
}

/* average_class_final(state sdc_internal.tally) */
Datum
sdcf_average_class_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	if (tally->cells == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8((double) tally->records / (double) tally->cells);
}

/* A whole number of any size as numeric. */
static Datum
wide_numeric(unsigned __int128 number)
{
	char digits[40];
	char *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do
	{
		*--at = '0' + (int) (number % 10);
		number /= 10;
	} while (number > 0);
	return DirectFunctionCall3(numeric_in, CStringGetDatum(at),
							   ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(-1));
}

/* discernibility_final(state sdc_internal.tally) */
Datum
sdcf_discernibility_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;
	SdcPgHost *host;
	unsigned __int128 cost;

	if (PG_ARGISNULL(0))
		return wide_numeric(0);
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	host = sdcpg_host_begin("discernibility", CurrentMemoryContext);
	cost = sdc_discernibility_cost(&host->kernel, sdcpg_tally_counts(tally),
								   tally->cells, 0);
	sdcpg_host_end(host);
	return wide_numeric(cost);
}

/* tally_weighted(state sdc_internal.tally, keys "any", weight float8) */
Datum
sdcf_tally_weighted(PG_FUNCTION_ARGS)
{
	sdcpg_args_need(fcinfo, 2);
	if (!(PG_GETARG_FLOAT8(2) >= 0) || isinf(PG_GETARG_FLOAT8(2)))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("weight is not a number of at least 0")));
	return sdcpg_tally_row(fcinfo, 1, 1);
}

/*
 * The sum of the risks of all records.  Each class counts the records of every
 * weight; they are added up in ascending order.
 */
static double
sum_risks(const SdcTallyTable *table)
{
	const SdcFrequency *frequency = table->frequency;
	const SdcClasses *classes = table->classes;
	const int32 *code = frequency->code[frequency->columns - 1];
	double sum = 0;
	int32 c;
	int32 cell;

	for (c = 0; c < classes->classes; c++)
	{
		double population = 0;

		for (cell = classes->first[c]; cell < classes->first[c + 1]; cell++)
			if (code[cell] != SDC_CODE_NULL)
				population += (double) frequency->count[cell] *
							  DatumGetFloat8(sdcpg_dictionary_value(
								  table->dictionary, code[cell]));
		sum += (double) classes->size[c] *
			   sdc_individual_risk_expect(classes->size[c], population,
										  SDC_INDIVIDUAL_RISK_EXACT);
	}
	return sum;
}

/* expected_reids_final(state sdc_internal.tally) */
Datum
sdcf_expected_reids_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;
	SdcTallyTable table;
	SdcPgHost *host;
	double sum;

	if (PG_ARGISNULL(0))
		PG_RETURN_FLOAT8(0);
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	if (tally->columns != tally->keys + 1 ||
		sdcpg_tally_columns(tally)[tally->keys].type != FLOAT8OID)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("state is not one of this aggregate"),
						errdetail("It has no weights.")));
	host = sdcpg_host_begin("expected_reids", CurrentMemoryContext);
	table =
		sdcpg_tally_table(host, sdcpg_tally_shape_of(fcinfo, tally), tally);
	sum = sum_risks(&table);
	sdcpg_host_end(host);
	PG_RETURN_FLOAT8(sum);
}

/* ----------------------------------------------------------------------
 * Rules on cells of tables: may the cell be published?
 *
 * Counts are disclosed when nearly all respondents share one answer,
 * magnitudes when few contributors make up nearly all of the cell.
 * Contributions are added and compared as numeric, so no rule hangs on
 * rounding.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_is_cell_disclosed_final);
PG_FUNCTION_INFO_V1(sdcf_tally_contribution);
PG_FUNCTION_INFO_V1(sdcf_is_dominant_final);
PG_FUNCTION_INFO_V1(sdcf_is_p_percent_final);

/* is_cell_disclosed_final(state sdc_internal.tally) */
Datum
sdcf_is_cell_disclosed_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;
	const SdcTallyCell *cell;
	double coalition;
	int64 most = 0;
	int64 i;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	coalition = sdcpg_tally_number(tally, 0);
	sdcpg_args_range("coalition", coalition, 0, INFINITY);
	cell = sdcpg_tally_first(tally);
	for (i = 0; i < tally->cells; i++)
	{
		most = Max(most, cell->count);
		cell = sdcpg_tally_next(cell);
	}
	PG_RETURN_BOOL((double) (tally->records - most) <= coalition);
}

static Numeric
add(Numeric a, Numeric b)
{
	return DatumGetNumeric(DirectFunctionCall2(numeric_add, NumericGetDatum(a),
											   NumericGetDatum(b)));
}

static Numeric
multiply(Numeric a, Numeric b)
{
	return DatumGetNumeric(DirectFunctionCall2(numeric_mul, NumericGetDatum(a),
											   NumericGetDatum(b)));
}

static Numeric
whole(int64 number)
{
	return DatumGetNumeric(
		DirectFunctionCall1(int8_numeric, Int64GetDatum(number)));
}

/* The decimal number that was written, not its nearest binary fraction. */
static Numeric
decimal(double number)
{
	char digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(number, digits);
	return DatumGetNumeric(
		DirectFunctionCall3(numeric_in, CStringGetDatum(digits),
							ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

static bool
is_less(Numeric a, Numeric b)
{
	return DatumGetBool(DirectFunctionCall2(numeric_lt, NumericGetDatum(a),
											NumericGetDatum(b)));
}

/* tally_contribution(state sdc_internal.tally, value numeric, ...) */
Datum
sdcf_tally_contribution(PG_FUNCTION_ARGS)
{
	Numeric value;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	value = PG_GETARG_NUMERIC(1);
	if (numeric_is_nan(value) || numeric_is_inf(value) ||
		is_less(value, whole(0)))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("contribution to a cell is not a number of at least "
						"0"),
				 errhint("Use abs(value) when contributions may be "
						 "negative.")));
	return sdcpg_tally_row(fcinfo, 0, 1);
}

/* A value that contributors have in common, and how many have it. */
typedef struct Contribution
{
	Numeric value;
	int64 count;
} Contribution;

/* Largest first; *arg counts the calls, for a cancel to be answered. */
static int
compare_contributions(const void *a, const void *b, void *arg)
{
	if (++*(uint64 *) arg % 65536 == 0)
		CHECK_FOR_INTERRUPTS();
	return DatumGetInt32(DirectFunctionCall2(
		numeric_cmp, NumericGetDatum(((const Contribution *) b)->value),
		NumericGetDatum(((const Contribution *) a)->value)));
}

/* What the contributors have, largest first. */
static Contribution *
sort_contributions(FunctionCallInfo fcinfo, const SdcTally *tally)
{
	SdcTallyShape *shape;
	const SdcTallyCell *cell = sdcpg_tally_first(tally);
	Contribution *list;
	uint64 compared = 0;
	int64 i;

	if (tally->columns != 1 ||
		sdcpg_tally_columns(tally)[0].type != NUMERICOID)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("state is not one of this aggregate"),
						errdetail("It has no contributions.")));
	shape = sdcpg_tally_shape_of(fcinfo, tally);
	list = MemoryContextAllocHuge(CurrentMemoryContext,
								  tally->cells * sizeof(Contribution));
	for (i = 0; i < tally->cells; i++)
	{
		sdcpg_tally_values(shape, cell);
		if (shape->isnull[0])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("contribution to a cell is null")));
		list[i].value = DatumGetNumeric(shape->value[0]);
		list[i].count = cell->count;
		cell = sdcpg_tally_next(cell);
	}
	qsort_arg(list, tally->cells, sizeof(Contribution), compare_contributions,
			  &compared);
	return list;
}

/* The sum of the k largest contributions. */
static Numeric
sum_largest(const Contribution *list, int64 cells, int64 k)
{
	Numeric sum = whole(0);
	int64 i;

	for (i = 0; i < cells && k > 0; i++)
	{
		Numeric before = sum;

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		sum = add(sum, multiply(list[i].value, whole(Min(list[i].count, k))));
		pfree(before);
		k -= Min(list[i].count, k);
	}
	return sum;
}

/* The percentage that is the constant argument p. */
static Numeric
argument_p(const SdcTally *tally, int index)
{
	double p = sdcpg_tally_number(tally, index);

	sdcpg_args_range("p", p, 0, 100);
	return decimal(p);
}

/* is_dominant_final(state sdc_internal.tally): 100 (x1 + .. + xk) > p X */
Datum
sdcf_is_dominant_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;
	Contribution *list;
	Numeric total;
	Numeric p;
	int64 k;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	sdcpg_args_range("k", sdcpg_tally_number(tally, 0), 1, INFINITY);
	k = (int64) Min(sdcpg_tally_number(tally, 0), PG_INT32_MAX);
	p = argument_p(tally, 1);
	list = sort_contributions(fcinfo, tally);
	total = sum_largest(list, tally->cells, tally->records);
	PG_RETURN_BOOL(
		is_less(multiply(p, total),
				multiply(whole(100), sum_largest(list, tally->cells, k))));
}

/* is_p_percent_final(state sdc_internal.tally): 100 (X - x1 - x2) < p x1 */
Datum
sdcf_is_p_percent_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;
	Contribution *list;
	Numeric total;
	Numeric p;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	p = argument_p(tally, 0);
	list = sort_contributions(fcinfo, tally);
	total = sum_largest(list, tally->cells, tally->records);
	/* 100 X < p x1 + 100 (x1 + x2) */
	PG_RETURN_BOOL(is_less(
		multiply(whole(100), total),
		add(multiply(p, sum_largest(list, tally->cells, 1)),
			multiply(whole(100), sum_largest(list, tally->cells, 2)))));
}

/* ----------------------------------------------------------------------
 * Aggregates on what the sensitive values of a block give away.
 *
 * The state counts the sensitive values; the measures need their counts only.
 * Where values are listed, their strings are read by the type's own input
 * function, so that 1.0 is 1 and a label that an enum lacks is an error.
 * ----------------------------------------------------------------------
 */

/* ----------------------------------------------------------------------
 * Aggregates on what the sensitive values of a block give away.
 *
 * The state counts the sensitive values; the measures need their counts only.
 * Where values are listed, their strings are read by the type's own input
 * function, so that 1.0 is 1 and a label that an enum lacks is an error.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_l_distinct_final);
PG_FUNCTION_INFO_V1(sdcf_l_entropy_final);
PG_FUNCTION_INFO_V1(sdcf_l_frequency_final);
PG_FUNCTION_INFO_V1(sdcf_l_recursive_final);
PG_FUNCTION_INFO_V1(sdcf_is_recursive_final);
PG_FUNCTION_INFO_V1(sdcf_is_pd_recursive_final);
PG_FUNCTION_INFO_V1(sdcf_is_npd_recursive_final);

/* l_distinct_final(state sdc_internal.tally) */
Datum
sdcf_l_distinct_final(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_INT64(0);
	PG_RETURN_INT64(sdcpg_tally_read(PG_GETARG_DATUM(0))->cells);
}

/* l_entropy_final(state sdc_internal.tally) */
Datum
sdcf_l_entropy_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	PG_RETURN_FLOAT8(
		sdc_diversity_entropy(sdcpg_tally_counts(tally), tally->cells));
}

/* l_frequency_final(state sdc_internal.tally) */
Datum
sdcf_l_frequency_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	PG_RETURN_FLOAT8(
		sdc_diversity_frequency(sdcpg_tally_counts(tally), tally->cells));
}

/* The counts of a block, largest first. */
static int64 *
ranked_counts(const SdcTally *tally)
{
	int64 *count = sdcpg_tally_counts(tally);

	sdc_diversity_rank((int64_t *) count, tally->cells);
	return count;
}

/* The constant argument c, which is number 0. */
static double
argument_c(const SdcTally *tally)
{
	double c = sdcpg_tally_number(tally, 0);

	if (!(c > 0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"c\" must be greater than 0")));
	return c;
}

/* The constant argument l, which is number 1. */
static double
argument_l(const SdcTally *tally)
{
	double l = sdcpg_tally_number(tally, 1);

	sdcpg_args_range("l", l, 1, INFINITY);
	return l;
}

/* l_recursive_final(state sdc_internal.tally) */
Datum
sdcf_l_recursive_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	PG_RETURN_INT32(sdc_diversity_recursive((int64_t *) ranked_counts(tally),
											tally->cells, argument_c(tally)));
}

/* is_recursive_final(state sdc_internal.tally) */
Datum
sdcf_is_recursive_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	PG_RETURN_BOOL(sdc_diversity_is_recursive((int64_t *) ranked_counts(tally),
											  tally->cells, argument_c(tally),
											  argument_l(tally)));
}

/* The strings of a list as values of a type; *isnull tells the NULLs. */
static Datum *
read_list(const SdcTally *tally, int index, Oid type, int *count,
		  bool **isnull)
{
	char **list = sdcpg_tally_list(tally, index, count);
	Datum *value = palloc(Max(*count, 1) * sizeof(Datum));
	FmgrInfo input;
	Oid function;
	Oid parameter;
	int i;

	*isnull = palloc(Max(*count, 1) * sizeof(bool));
	getTypeInputInfo(type, &function, &parameter);
	fmgr_info(function, &input);
	for (i = 0; i < *count; i++)
	{
		(*isnull)[i] = list[i] == NULL;
		if (list[i] != NULL)
			value[i] = InputFunctionCall(&input, list[i], parameter, -1);
	}
	return value;
}

/* Are two values, either of which may be NULL, the same? */
static bool
same_value(SdcTallyShape *shape, Datum a, bool a_null, Datum b, bool b_null)
{
	if (a_null || b_null)
		return a_null && b_null;
	return sdcpg_equality_same(&shape->equality[0], a, b);
}

/*
 * Marks the cells whose value is in a list; returns how many different values
 * the list has.
 */
static int
mark_cells(FunctionCallInfo fcinfo, const SdcTally *tally, int index,
		   bool **marked)
{
	SdcTallyShape *shape = sdcpg_tally_shape_of(fcinfo, tally);
	const SdcTallyCell *cell = sdcpg_tally_first(tally);
	Datum *value;
	bool *isnull;
	int count;
	int different = 0;
	int64 c;
	int i;
	int j;

	if (tally->columns != 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("values can be listed for one sensitive column only"),
				 errhint("Give a column, not a row of several.")));
	value = read_list(tally, index, shape->column[0].type, &count, &isnull);
	for (i = 0; i < count; i++)
	{
		for (j = 0; j < i; j++)
			if (same_value(shape, value[i], isnull[i], value[j], isnull[j]))
				break;
		different += j == i;
	}
	*marked = palloc0(Max(tally->cells, 1) * sizeof(bool));
	for (c = 0; c < tally->cells; c++)
	{
		sdcpg_tally_values(shape, cell);
		for (i = 0; i < count && !(*marked)[c]; i++)
			(*marked)[c] = same_value(shape, shape->value[0], shape->isnull[0],
									  value[i], isnull[i]);
		cell = sdcpg_tally_next(cell);
	}
	return different;
}

/* Positive disclosure: list 0 is allowed, numbers are c and l. */
static bool
is_pd_recursive(FunctionCallInfo fcinfo, const SdcTally *tally)
{
	bool *allowed;
	int64 most;

	(void) mark_cells(fcinfo, tally, 0, &allowed);
	most = sdc_diversity_most((int64_t *) sdcpg_tally_counts(tally), allowed,
							  tally->cells);
	return sdc_diversity_is_pd_recursive((int64_t *) ranked_counts(tally),
										 tally->cells, most, argument_c(tally),
										 argument_l(tally));
}

/* is_pd_recursive_final(state sdc_internal.tally) */
Datum
sdcf_is_pd_recursive_final(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(
		is_pd_recursive(fcinfo, sdcpg_tally_read(PG_GETARG_DATUM(0))));
}

/* is_npd_recursive_final(state sdc_internal.tally) */
Datum
sdcf_is_npd_recursive_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;
	bool *protected;
	double percent;
	double share;
	int wanted;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	percent = sdcpg_tally_number(tally, 2);
	sdcpg_args_range("c2", percent, 0, 100);
	wanted = mark_cells(fcinfo, tally, 1, &protected);
	share = sdc_diversity_protected((int64_t *) sdcpg_tally_counts(tally),
									protected, tally->cells, wanted);
	PG_RETURN_BOOL(is_pd_recursive(fcinfo, tally) && share >= percent);
}

/* ----------------------------------------------------------------------
 * Aggregates on what the sensitive values of a file give away.
 *
 * The state counts the sensitive values in each class; it becomes a frequency
 * table with its cells in order, and the kernel returns the figure of the
 * worst class.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_l_diversity_final);
PG_FUNCTION_INFO_V1(sdcf_l_diversity_method_final);
PG_FUNCTION_INFO_V1(sdcf_t_closeness_final);

/*
 * One measure over all classes; NAN when there are none.  The hierarchy is
 * needed for its distance only.
 */
static double
measure_classes(FunctionCallInfo fcinfo, const char *function,
				SdcClassMeasure measure, const char *hierarchy)
{
	const SdcTally *tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	SdcPgHost *host = sdcpg_host_begin(function, CurrentMemoryContext);
	SdcClassRequest request = sdc_class_measures_request();
	SdcTallyTable table;
	SdcClassMeasuring *measuring;
	SdcClassReport report;

	request.wanted = SDC_CLASS_WANT(measure);
	table =
		sdcpg_tally_table(host, sdcpg_tally_shape_of(fcinfo, tally), tally);
	if (hierarchy != NULL && table.dictionary == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a hierarchy is one of a single sensitive column"),
				 errhint("Give a column, not a row of several.")));
	if (hierarchy != NULL)
		request.hierarchy =
			sdcpg_hierarchy_map(host, hierarchy, table.dictionary);
	measuring =
		sdc_class_measures_start(&host->kernel, table.frequency, &request);
	sdc_class_measures_walk(&host->kernel, measuring, table.frequency,
							table.classes, &report);
	sdcpg_host_end(host);
	return report.worst[measure].value;
}

/* The word that is the first constant argument. */
static char *
argument_method(const SdcTally *tally)
{
	int count;
	char **list = sdcpg_tally_list(tally, 0, &count);

	if (count != 1 || list[0] == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("state is not one of this aggregate"),
						errdetail("It has no variant.")));
	return list[0];
}

/* l_diversity_final(state sdc_internal.tally) */
Datum
sdcf_l_diversity_final(PG_FUNCTION_ARGS)
{
	double worst;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	worst = measure_classes(fcinfo, "l_diversity", SDC_CLASS_DISTINCT, NULL);
	if (isnan(worst))
		PG_RETURN_NULL();
	PG_RETURN_INT64((int64) worst);
}

/* l_diversity_method_final(state sdc_internal.tally) */
Datum
sdcf_l_diversity_method_final(PG_FUNCTION_ARGS)
{
	static const char *const methods[] = {"distinct", "entropy", "frequency",
										  NULL};
	static const SdcClassMeasure measures[] = {
		SDC_CLASS_DISTINCT, SDC_CLASS_ENTROPY, SDC_CLASS_FREQUENCY};
	double worst;
	char *method;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	method = argument_method(sdcpg_tally_read(PG_GETARG_DATUM(0)));
	worst = measure_classes(fcinfo, "l_diversity",
							measures[sdcpg_args_choice(
								"variant", cstring_to_text(method), methods)],
							NULL);
	if (isnan(worst))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(worst);
}

/* Stops unless what is counted within the classes has an order. */
static void
need_order(FunctionCallInfo fcinfo, const SdcTally *tally)
{
	const SdcTallyShape *shape = sdcpg_tally_shape_of(fcinfo, tally);
	int j;

	for (j = shape->keys; j < shape->columns; j++)
		if (!shape->equality[j].type.ordered)
			ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
							errmsg("type %s has no ordering",
								   format_type_be(shape->column[j].type)),
							errhint("Use the variant \"equal\".")));
}

/*
 * The distance that a method names; *hierarchy becomes what follows
 * "hierarchical:".
 */
static SdcClassMeasure
choose_distance(const char *method, const char **hierarchy)
{
	static const char prefix[] = "hierarchical:";

	if (strcmp(method, "equal") == 0)
		return SDC_CLASS_T_EQUAL;
	if (strcmp(method, "ordered") == 0)
		return SDC_CLASS_T_ORDERED;
	if (strncmp(method, prefix, sizeof(prefix) - 1) == 0)
	{
		*hierarchy = method + sizeof(prefix) - 1;
		return SDC_CLASS_T_HIERARCHICAL;
	}
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unrecognized variant \"%s\"", method),
					errhint("Valid values are \"equal\", \"ordered\" and "
							"\"hierarchical:\" with the name of a "
							"hierarchy.")));
	return SDC_CLASS_MEASURES;
}

/* t_closeness_final(state sdc_internal.tally) */
Datum
sdcf_t_closeness_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;
	SdcClassMeasure measure = SDC_CLASS_T_EQUAL;
	const char *hierarchy = NULL;
	double worst;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	if (tally->lists > 0)
		measure = choose_distance(argument_method(tally), &hierarchy);
	if (measure == SDC_CLASS_T_ORDERED)
		need_order(fcinfo, tally);
	worst = measure_classes(fcinfo, "t_closeness", measure, hierarchy);
	if (isnan(worst))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(worst);
}
