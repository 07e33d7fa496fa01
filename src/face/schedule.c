/*
 * schedule.c
 *		sdc.schedule: releases on a schedule.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "pg/call/args.h"
#include "pg/release/schedule.h"
#include "pg/server/compat.h"

PG_FUNCTION_INFO_V1(sdcf_schedule);

/*
 * schedule(policy text, schedule text, target text)
 */
Datum
sdcf_schedule(PG_FUNCTION_ARGS)
{
	char *policy;
	int64 job;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("policy");
	policy = text_to_cstring(PG_GETARG_TEXT_PP(0));
	if (PG_ARGISNULL(1))
	{
		job = sdcpg_schedule_end(policy);
		if (job == 0)
			PG_RETURN_NULL();
		PG_RETURN_INT64(job);
	}
	PG_RETURN_INT64(sdcpg_schedule(
		policy, text_to_cstring(PG_GETARG_TEXT_PP(1)),
		PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2))));
}
