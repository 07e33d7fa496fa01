/*
 * release.c
 *		sdc.release: masked copies that are published; sdc.releases: their
 *		history.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "nodes/parsenodes.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "pg/call/args.h"
#include "pg/release/history.h"
#include "pg/release/release_run.h"
#include "pg/server/compat.h"
#include "pg/server/result.h"

PG_FUNCTION_INFO_V1(sdcf_release);
PG_FUNCTION_INFO_V1(sdcf_releases);

/* Stops inside a transaction block, or in a function: nothing may commit. */
static void
need_own_transactions(FunctionCallInfo fcinfo)
{
	if (fcinfo->context == NULL || !IsA(fcinfo->context, CallContext) ||
		((CallContext *) fcinfo->context)->atomic)
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("release cannot run inside a transaction block"),
				 errdetail("A run is written to the history before it starts, "
						   "so that the history has it whatever happens; that "
						   "needs a commit of its own."),
				 errhint("CALL it outside of BEGIN and of functions.")));
}

/*
 * release(policy text, target text, seed bigint)
 */
Datum
sdcf_release(PG_FUNCTION_ARGS)
{
	char *policy;
	char *target;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("policy");
	need_own_transactions(fcinfo);
	policy = text_to_cstring(PG_GETARG_TEXT_PP(0));
	target = PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1));
	if (SPI_connect_ext(SPI_OPT_NONATOMIC) != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	sdcpg_release_run(policy, target, !PG_ARGISNULL(2),
					  PG_ARGISNULL(2) ? 0 : PG_GETARG_INT64(2));
	SPI_finish();
	PG_RETURN_VOID();
}

static Datum
text_datum(const char *value)
{
	return value == NULL ? (Datum) 0 : CStringGetTextDatum(value);
}

static Datum
name_datum(const char *value)
{
	return DirectFunctionCall1(namein, CStringGetDatum(value));
}

static void
put_release(ReturnSetInfo *rows, const SdcRelease *release)
{
	Datum values[11];
	bool isnull[11] = {false};

	values[0] = Int64GetDatum(release->release);
	values[1] = text_datum(release->policy);
	values[2] = text_datum(release->status);
	values[3] = name_datum(release->released_by);
	values[4] = TimestampTzGetDatum(release->started);
	values[5] = TimestampTzGetDatum(release->finished);
	isnull[5] = release->finished == 0;
	values[6] = text_datum(release->snapshot);
	isnull[6] = release->snapshot == NULL;
	values[7] = text_datum(release->seed_hash);
	isnull[7] = release->seed_hash == NULL;
	values[8] = JsonbPGetDatum(release->relations);
	values[9] = PointerGetDatum(release->measures);
	isnull[9] = release->measures == NULL;
	values[10] = text_datum(release->reason);
	isnull[10] = release->reason == NULL;
	sdcpg_result_put(rows, values, isnull);
}

/*
 * releases(policy text)
 */
Datum
sdcf_releases(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rows = sdcpg_result_begin(fcinfo);
	SdcReleases releases;
	int i;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("policy");
	releases = sdcpg_history_of_policy(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	for (i = 0; i < releases.count; i++)
		put_release(rows, &releases.release[i]);
	return (Datum) 0;
}
