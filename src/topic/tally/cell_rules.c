/*
 * cell_rules.c
 *		Rules on cells of tables: may the cell be published?
 *
 * Counts are disclosed when nearly all respondents share one answer,
 * magnitudes when few contributors make up nearly all of the cell.
 * Contributions are added and compared as numeric, so no rule hangs on
 * rounding.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "host/call/args.h"
#include "topic/tally/tally.h"

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
