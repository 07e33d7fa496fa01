/*
 * classes.c
 *		Aggregates over the classes of a file: k-anonymity and its relatives.
 *
 * The state holds the size of each class.  All figures but the expected
 * re-identifications are whole numbers or one division of two, so that they
 * do not depend on the order of the classes.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "host/call/args.h"
#include "host/data/dictionary.h"
#include "host/server/host.h"
#include "kernel/risk/risk.h"
#include "kernel/risk/superpopulation.h"
#include "kernel/table/frequency.h"
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
