/*
 * schedule.c
 *		Releases on a schedule, by pg_cron.
 *
 * The job belongs to the caller and runs as him; what it does is in its
 * command, as literals.  pg_cron knows jobs by user and name, so the name is
 * made of the policy, and scheduling again replaces the job.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/server/compat.h"
#include "release/policy.h"

/* ----------------------------------------------------------------------
 * Releases on a schedule, by pg_cron.
 * ----------------------------------------------------------------------
 */

/*
 * Stops unless pg_cron is in this database.  A schema "cron" that somebody
 * made is not taken for it: the function must belong to the extension.
 */
static void
need_cron(void)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(
		"SELECT 1 FROM pg_catalog.pg_extension AS e"
		" JOIN pg_catalog.pg_depend AS d"
		" ON d.refobjid OPERATOR(pg_catalog.=) e.oid"
		" AND d.refclassid OPERATOR(pg_catalog.=)"
		" 'pg_catalog.pg_extension'::pg_catalog.regclass"
		" AND d.classid OPERATOR(pg_catalog.=)"
		" 'pg_catalog.pg_proc'::pg_catalog.regclass"
		" JOIN pg_catalog.pg_proc AS p"
		" ON p.oid OPERATOR(pg_catalog.=) d.objid"
		" JOIN pg_catalog.pg_namespace AS n"
		" ON n.oid OPERATOR(pg_catalog.=) p.pronamespace"
		" WHERE e.extname OPERATOR(pg_catalog.=) 'pg_cron'::pg_catalog.name"
		" AND p.proname OPERATOR(pg_catalog.=) 'schedule'::pg_catalog.name"
		" AND n.nspname OPERATOR(pg_catalog.=) 'cron'::pg_catalog.name"
		" AND p.pronargs OPERATOR(pg_catalog.=) 3::pg_catalog.int2",
		NULL);

	if (rows->count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("extension pg_cron is not in this database"),
				 errdetail("Scheduled releases are run by pg_cron 1.4 or "
						   "later, in the database that it runs in."),
				 errhint("Install pg_cron, or have systemd, cron or another "
						 "scheduler CALL sdc.release.")));
}

static char *
job_name(const char *policy)
{
	return psprintf("sdc release: %s", policy);
}

/* The number of the caller's job of a policy; 0 without one. */
static int64
find_job(const char *policy)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind_text(&parameters, job_name(policy));
	rows = sdcpg_catalog_read(
		"SELECT j.jobid FROM cron.job AS j"
		" WHERE j.jobname::pg_catalog.text OPERATOR(pg_catalog.=) $1"
		" AND j.username::pg_catalog.text OPERATOR(pg_catalog.=)"
		" CURRENT_USER::pg_catalog.text",
		&parameters);
	return rows->count == 0 ? 0 : DatumGetInt64(rows->value[0][0]);
}

/*
 * Has pg_cron call release(policy, target) on a schedule, as the caller, in
 * place of the job that there is for this policy; returns the number of the
 * job.  target may be NULL.
 */
static int64
sdcpg_schedule(const char *policy, const char *schedule, const char *target)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	char *command;

	sdcpg_policy_need_owner(sdcpg_policy_find(policy));
	need_cron();
	command = psprintf("CALL sdc.release(policy => %s, target => %s)",
					   quote_literal_cstr(policy),
					   target == NULL ? "NULL" : quote_literal_cstr(target));
	sdcpg_catalog_bind_text(&parameters, job_name(policy));
	sdcpg_catalog_bind_text(&parameters, schedule);
	sdcpg_catalog_bind_text(&parameters, command);
	rows = sdcpg_catalog_read("SELECT cron.schedule($1, $2, $3)", &parameters);
	return DatumGetInt64(rows->value[0][0]);
}

/* Removes the caller's job of a policy; returns its number, 0 without one. */
static int64
schedule_end(const char *policy)
{
	SdcCatalogParameters parameters = {0};
	int64 job;

	need_cron();
	job = find_job(policy);
	if (job == 0)
		return 0;
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(job), false);
	(void) sdcpg_catalog_read("SELECT cron.unschedule($1)", &parameters);
	return job;
}

/* ----------------------------------------------------------------------
 * sdc.schedule: releases on a schedule.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_schedule);

/*
 * schedule(policy text, schedule text, target text)
 */
Datum
sdcf_schedule(PG_FUNCTION_ARGS)
{
	char *policy;
	int64 job;

	policy = sdcpg_args_text(fcinfo, 0);
	if (PG_ARGISNULL(1))
	{
		job = schedule_end(policy);
		if (job == 0)
			PG_RETURN_NULL();
		PG_RETURN_INT64(job);
	}
	PG_RETURN_INT64(sdcpg_schedule(
		policy, text_to_cstring(PG_GETARG_TEXT_PP(1)),
		PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2))));
}
