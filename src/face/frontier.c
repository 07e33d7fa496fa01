/*
 * frontier.c
 *		sdc.frontier and sdc.search_rules: rules compared by risk and loss.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/call/args.h"
#include "pg/frontier/frontier.h"
#include "pg/frontier/frontier_call.h"
#include "pg/frontier/frontier_search.h"
#include "pg/server/compat.h"
#include "pg/server/host.h"
#include "pg/server/result.h"

#define DAY_SECONDS 86400.0
#define MONTH_DAYS  30.0

/* Seconds of sdc.search_rules without a budget. */
#define USUAL_BUDGET 60.0

PG_FUNCTION_INFO_V1(sdcf_frontier);
PG_FUNCTION_INFO_V1(sdcf_search_rules);

static void
put_interval(const SdcInterval *interval, Datum *values, bool *isnull)
{
	values[0] = Float8GetDatum(interval->mean);
	isnull[0] = isnan(interval->mean);
	values[1] = Float8GetDatum(interval->low);
	isnull[1] = isnan(interval->low);
	values[2] = Float8GetDatum(interval->high);
	isnull[2] = isnan(interval->high);
}

static void
put_point(ReturnSetInfo *result, const SdcFrontierPoint *point)
{
	Datum values[11];
	bool isnull[11] = {false};

	values[0] = Int32GetDatum(point->candidate);
	values[1] = JsonbPGetDatum(point->rules);
	put_interval(&point->risk_interval, &values[2], &isnull[2]);
	put_interval(&point->loss_interval, &values[5], &isnull[5]);
	values[8] = BoolGetDatum(point->dominated_by != 0);
	isnull[8] = isnull[2] || isnull[5];
	values[9] = BoolGetDatum(point->passed);
	values[10] = CStringGetTextDatum(point->detail);
	sdcpg_result_put(result, values, isnull);
}

static uint64
seed_of(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ? sdcpg_strong_seed()
								  : (uint64) PG_GETARG_INT64(argument);
}

/*
 * frontier(rel regclass, id name, keys name[], sensitive name[], rules jsonb,
 *          constraints jsonb, params jsonb, seed bigint)
 */
Datum
sdcf_frontier(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcPgHost *host;
	SdcFrontierCall call = {0};
	SdcFrontierPoint **point;
	int count;
	int i;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("rel");
	if (PG_ARGISNULL(4))
		sdcpg_args_null("rules");
	call.rel = PG_GETARG_OID(0);
	call.id = PG_ARGISNULL(1) ? NULL : NameStr(*PG_GETARG_NAME(1));
	call.keys = PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2);
	call.sensitive = PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3);
	call.rules = PG_GETARG_JSONB_P(4);
	call.constraints = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	call.params = PG_ARGISNULL(6) ? NULL : PG_GETARG_JSONB_P(6);
	call.seed = seed_of(fcinfo, 7);
	host = sdcpg_host_begin("frontier", CurrentMemoryContext);
	point = sdcpg_frontier_call(host, &call, &count);
	for (i = 0; i < count; i++)
		put_point(result, point[i]);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* A budget in seconds. */
static double
seconds_of(const Interval *budget)
{
	double seconds =
		(double) budget->time / USECS_PER_SEC +
		DAY_SECONDS * (budget->day + MONTH_DAYS * (double) budget->month);

	if (!(seconds > 0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"budget\" must be positive")));
	return seconds;
}

/*
 * search_rules(policy text, budget interval, seed bigint)
 */
Datum
sdcf_search_rules(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcPgHost *host;
	SdcFrontierPoint **point;
	double seconds = USUAL_BUDGET;
	int count;
	int i;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("policy");
	if (!PG_ARGISNULL(1))
		seconds = seconds_of(PG_GETARG_INTERVAL_P(1));
	host = sdcpg_host_begin("search_rules", CurrentMemoryContext);
	point = sdcpg_frontier_search(host, text_to_cstring(PG_GETARG_TEXT_PP(0)),
								  seconds, seed_of(fcinfo, 2), &count);
	for (i = 0; i < count; i++)
		put_point(result, point[i]);
	sdcpg_host_end(host);
	return (Datum) 0;
}
