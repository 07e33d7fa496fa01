/*
 * transaction_utility.c
 *		sdc.jaccard_distance, sdc.cmae, sdc.subset_error, sdc.rfm,
 *		sdc.ut_jaccard: what masked purchases are still good for.
 *
 * The arguments become the WITHs of a query, and the measure its rest.
 */
#include "postgres.h"

#include <math.h>

#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "kernel/base/host.h"
#include "pg/call/args.h"
#include "pg/call/params.h"
#include "pg/server/compat.h"
#include "pg/transaction/purchases.h"
#include "pg/transaction/transaction_measures.h"

PG_FUNCTION_INFO_V1(sdcf_jaccard_distance);
PG_FUNCTION_INFO_V1(sdcf_cmae);
PG_FUNCTION_INFO_V1(sdcf_subset_error);
PG_FUNCTION_INFO_V1(sdcf_rfm);
PG_FUNCTION_INFO_V1(sdcf_ut_jaccard);

static const char *const variants[] = {"2016", "2017", NULL};
static const char *const frequencies[] = {"days", "invoices", NULL};
static const char *const cmae_params[] = {"variant", NULL};
static const char *const rfm_params[] = {"classes", "frequency", NULL};

#define MOST_CLASSES 100

/* Days of the longest window. */
#define LONGEST_SPAN 100000

/* Elements to compare, with the comparison of their type. */
typedef struct Elements
{
	FmgrInfo *compare;
	Oid collation;
} Elements;

static int
compare_elements(const void *a, const void *b, void *arg)
{
	const Elements *elements = arg;

	return DatumGetInt32(
		FunctionCall2Coll(elements->compare, elements->collation,
						  *(const Datum *) a, *(const Datum *) b));
}

/* The different elements of an array, ascending. */
static int
read_set(ArrayType *array, const TypeCacheEntry *type, Elements *elements,
		 Datum **set)
{
	bool *isnull;
	int count;
	int kept = 0;
	int i;

	deconstruct_array(array, type->type_id, type->typlen, type->typbyval,
					  type->typalign, set, &isnull, &count);
	for (i = 0; i < count; i++)
		if (!isnull[i])
			(*set)[kept++] = (*set)[i];
	count = kept;
	qsort_arg(*set, count, sizeof(Datum), compare_elements, elements);
	kept = 0;
	for (i = 0; i < count; i++)
		if (kept == 0 ||
			compare_elements(&(*set)[kept - 1], &(*set)[i], elements) != 0)
			(*set)[kept++] = (*set)[i];
	return kept;
}

/* jaccard_distance(value_original anyarray, value_masked anyarray) */
Datum
sdcf_jaccard_distance(PG_FUNCTION_ARGS)
{
	ArrayType *array[2] = {PG_GETARG_ARRAYTYPE_P(0), PG_GETARG_ARRAYTYPE_P(1)};
	TypeCacheEntry *type =
		lookup_type_cache(ARR_ELEMTYPE(array[0]), TYPECACHE_CMP_PROC_FINFO);
	Elements elements = {&type->cmp_proc_finfo, PG_GET_COLLATION()};
	Datum *set[2];
	int size[2];
	int place[2] = {0, 0};
	int shared = 0;
	int i;

	if (!OidIsValid(type->cmp_proc_finfo.fn_oid))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("the elements of the arrays have no order")));
	for (i = 0; i < 2; i++)
		size[i] = read_set(array[i], type, &elements, &set[i]);
	while (place[0] < size[0] && place[1] < size[1])
	{
		int order =
			compare_elements(&set[0][place[0]], &set[1][place[1]], &elements);

		CHECK_FOR_INTERRUPTS();
		shared += order == 0;
		place[0] += order <= 0;
		place[1] += order >= 0;
	}
	if (size[0] + size[1] == 0)
		PG_RETURN_FLOAT8(0);
	PG_RETURN_FLOAT8((double) (size[0] + size[1] - 2 * shared) /
					 (size[0] + size[1] - shared));
}

/* Stops unless the first arguments are there. */
static void
need_arguments(FunctionCallInfo fcinfo, const char *const *names, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(names[i]);
}

static Jsonb *
read_mapping(FunctionCallInfo fcinfo, int argument)
{
	Jsonb *mapping =
		PG_ARGISNULL(argument) ? NULL : PG_GETARG_JSONB_P(argument);

	sdcpg_purchases_check_mapping(mapping);
	return mapping;
}

/* The WITHs of the original and the masked purchases. */
static StringInfo
read_files(FunctionCallInfo fcinfo, Jsonb *mapping, unsigned wanted)
{
	StringInfo with = makeStringInfo();
	int i;

	for (i = 0; i < 2; i++)
	{
		SdcPurchases purchases =
			sdcpg_purchases_find(PG_GETARG_OID(i), mapping, wanted);

		if (i > 0)
			appendStringInfoString(with, ", ");
		sdcpg_purchases_with(with, i == 0 ? "o" : "m", &purchases, NULL);
	}
	return with;
}

/* Ends a call with a measure; NaN is NULL. */
static Datum
return_measure(FunctionCallInfo fcinfo, SdcPgHost *host, double measure)
{
	sdcpg_host_end(host);
	if (isnan(measure))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(measure);
}

/*
 * cmae(original regclass, masked regclass, master_original regclass,
 *      master_masked regclass, columns name[], mapping jsonb, params jsonb)
 */
Datum
sdcf_cmae(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {
		"original", "masked", "master_original", "master_masked", "columns"};
	static const char *const cells[] = {"ko", "km"};
	Jsonb *params = PG_ARGISNULL(6) ? NULL : PG_GETARG_JSONB_P(6);
	Jsonb *mapping;
	StringInfo with;
	SdcPgHost *host;
	int i;

	need_arguments(fcinfo, names, lengthof(names));
	mapping = read_mapping(fcinfo, 5);
	sdcpg_params_check(params, cmae_params);
	with = read_files(fcinfo, mapping,
					  SDC_PURCHASE_WANT(SDC_PURCHASE_PRICE) |
						  SDC_PURCHASE_WANT(SDC_PURCHASE_QUANTITY));
	for (i = 0; i < 2; i++)
	{
		SdcRelation *master = sdcpg_relation_find(PG_GETARG_OID(2 + i));
		SdcRelationColumns columns = sdcpg_relation_columns(
			master, "columns", PG_GETARG_ARRAYTYPE_P(4));

		appendStringInfoString(with, ", ");
		sdcpg_purchases_cells_with(with, cells[i], master, mapping, &columns);
	}
	host = sdcpg_host_begin("cmae", CurrentMemoryContext);
	for (i = 0; i < 2; i++)
		sdcpg_transactions_check_cells(host, with->data, cells[i]);
	return return_measure(
		fcinfo, host,
		sdcpg_transactions_cmae(
			host, with->data,
			sdcpg_params_choice(params, "variant", variants) == 1));
}

/* A span of whole days. */
static int64
read_span(const Interval *span)
{
	int64 days = span->time / USECS_PER_DAY;

	if (span->month != 0 || span->time % USECS_PER_DAY != 0 ||
		span->day + days < 1 || span->day + days > LONGEST_SPAN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"span\" must be a number of days between 1 "
						"and %d",
						LONGEST_SPAN),
				 errhint("Months and years have no fixed number of days.")));
	return span->day + days;
}

static void
read_link(FunctionCallInfo fcinfo, Jsonb *mapping, StringInfo with)
{
	appendStringInfoString(with, ", ");
	sdcpg_purchases_link_with(with, "l", sdcpg_relation_find(PG_GETARG_OID(2)),
							  mapping);
}

/*
 * subset_error(original regclass, masked regclass, link regclass, k integer,
 *              span interval, mapping jsonb)
 */
Datum
sdcf_subset_error(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"original", "masked", "link", "k",
										"span"};
	Jsonb *mapping;
	StringInfo with;
	SdcPgHost *host;
	int64 span;

	need_arguments(fcinfo, names, lengthof(names));
	mapping = read_mapping(fcinfo, 5);
	sdcpg_args_range("k", PG_GETARG_INT32(3), 1, SDC_MAX_ROWS);
	span = read_span(PG_GETARG_INTERVAL_P(4));
	with = read_files(fcinfo, mapping,
					  SDC_PURCHASE_WANT(SDC_PURCHASE_AT) |
						  SDC_PURCHASE_WANT(SDC_PURCHASE_PRICE) |
						  SDC_PURCHASE_WANT(SDC_PURCHASE_QUANTITY));
	read_link(fcinfo, mapping, with);
	host = sdcpg_host_begin("subset_error", CurrentMemoryContext);
	sdcpg_transactions_check_link(host, with->data);
	return return_measure(
		fcinfo, host,
		sdcpg_transactions_subset(host, with->data, PG_GETARG_INT32(3), span));
}

/* rfm(original regclass, masked regclass, mapping jsonb, params jsonb) */
Datum
sdcf_rfm(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"original", "masked"};
	Jsonb *params = PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3);
	unsigned wanted = SDC_PURCHASE_WANT(SDC_PURCHASE_AT) |
					  SDC_PURCHASE_WANT(SDC_PURCHASE_PRICE) |
					  SDC_PURCHASE_WANT(SDC_PURCHASE_QUANTITY);
	bool by_invoice;
	int classes;
	StringInfo with;
	SdcPgHost *host;

	need_arguments(fcinfo, names, lengthof(names));
	sdcpg_params_check(params, rfm_params);
	by_invoice = sdcpg_params_choice(params, "frequency", frequencies) == 1;
	classes =
		(int) sdcpg_params_integer(params, "classes", 5, 2, MOST_CLASSES);
	if (by_invoice)
		wanted |= SDC_PURCHASE_WANT(SDC_PURCHASE_INVOICE);
	with = read_files(fcinfo, read_mapping(fcinfo, 2), wanted);
	host = sdcpg_host_begin("rfm", CurrentMemoryContext);
	return return_measure(
		fcinfo, host,
		sdcpg_transactions_rfm(host, with->data, classes, by_invoice));
}

/*
 * ut_jaccard(original regclass, masked regclass, link regclass,
 *            mapping jsonb)
 */
Datum
sdcf_ut_jaccard(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"original", "masked", "link"};
	Jsonb *mapping;
	StringInfo with;
	SdcPgHost *host;

	need_arguments(fcinfo, names, lengthof(names));
	mapping = read_mapping(fcinfo, 3);
	with = read_files(fcinfo, mapping, SDC_PURCHASE_WANT(SDC_PURCHASE_ITEM));
	read_link(fcinfo, mapping, with);
	host = sdcpg_host_begin("ut_jaccard", CurrentMemoryContext);
	sdcpg_transactions_check_link(host, with->data);
	return return_measure(fcinfo, host,
						  sdcpg_transactions_jaccard(host, with->data));
}
