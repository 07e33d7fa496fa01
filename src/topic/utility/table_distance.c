/*
 * table_distance.c
 *		sdc.table_distance: how far two contingency tables are apart.
 *
 * Both relations are counted with dictionaries in common, so that equal codes
 * are equal values; the kernel compares the sorted cells.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/frequency.h"
#include "host/server/host.h"
#include "kernel/utility/loss.h"
#include "topic/utility/utility.h"

PG_FUNCTION_INFO_V1(sdcf_table_distance);

typedef enum Method
{
	L1,
	MAX,
	MEAN,
	HELLINGER,
	KL,
	TV,
	ABSROOT,
	RELATIVE
} Method;

static const char *const methods[] = {"l1",
									  "max",
									  "mean",
									  "hellinger",
									  "kullback_leibler",
									  "total_variation",
									  "absroot",
									  "relative",
									  NULL};

static const SdcKey params_keys[] = {SDC_SMOOTHING_KEY, {NULL}};

static double
choose(const SdcTableDistance *distance, Method method)
{
	switch (method)
	{
		case L1:
			return distance->l1;
		case MAX:
			return distance->max;
		case MEAN:
			return distance->mean;
		case HELLINGER:
			return distance->hellinger;
		case KL:
			return distance->kl;
		case TV:
			return distance->tv;
		case ABSROOT:
			return distance->absroot;
		default:
			return distance->relative;
	}
}

/* What to count in both relations. */
static void
request_counts(FunctionCallInfo fcinfo, SdcFrequencyRequest *request)
{
	SdcRelation *relation[2];
	SdcRelationColumns columns;
	int side;
	int j;

	memset(request, 0, sizeof(*request) * 2);
	for (side = 0; side < 2; side++)
		relation[side] = sdcpg_relation_find(PG_GETARG_OID(side));
	columns = sdcpg_relation_columns(relation[0], "columns",
									 PG_GETARG_ARRAYTYPE_P(2));
	for (side = 0; side < 2; side++)
	{
		request[side].relation = relation[side];
		sdcpg_frequency_want(&request[side], &columns);
		for (j = 0; j < columns.count; j++)
			request[side].column[j] =
				sdcpg_relation_column(relation[side], columns.column[j].name);
	}
}

/*
 * table_distance(original regclass, masked regclass, columns columns,
 *                variant text, params jsonb)
 */
Datum
sdcf_table_distance(PG_FUNCTION_ARGS)
{
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	SdcFrequencyRequest request[2];
	SdcFrequencyTable table[2];
	SdcTableDistance distance;
	SdcPgHost *host;
	double smoothing;
	double value;
	Method method;

	sdcpg_args_need_first(fcinfo, 4);
	method =
		(Method) sdcpg_args_choice("variant", PG_GETARG_TEXT_PP(3), methods);
	sdcpg_params_check_keys(params, params_keys);
	smoothing = sdcpg_keys_number(params_keys, params, "smoothing");
	request_counts(fcinfo, request);
	host = sdcpg_host_begin("table_distance", CurrentMemoryContext);
	sdcpg_frequency_load(host, request, 2, table);
	distance = sdc_table_distance_measure(&host->kernel, table[0].frequency,
										  table[1].frequency, smoothing);
	value = choose(&distance, method);
	sdcpg_host_end(host);
	if (isnan(value))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(value);
}
