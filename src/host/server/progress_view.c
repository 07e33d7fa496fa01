/*
 * progress_view.c
 *		sdc.progress: how far the calls of sdc in every session have come.
 *
 * Follows pg_stat_activity in what it shows: everyone sees that a session
 * runs something, but only members of its role or of pg_read_all_stats see
 * what.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "commands/dbcommands.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "host/server/compat.h"
#include "host/server/progress.h"

PG_FUNCTION_INFO_V1(sdcf_progress);

#define PROGRESS_COLUMNS 8

/* May the current user see more of the row than its process? */
static bool
may_see(const SdcProgressRow *row)
{
	Oid user = GetUserId();

	return has_privs_of_role(user, ROLE_PG_READ_ALL_STATS) ||
		   has_privs_of_role(user, row->role);
}

/* A name, or NULL when its object was dropped meanwhile. */
static void
set_name(Datum *value, bool *isnull, char *name)
{
	if (name == NULL)
		return;
	*value = DirectFunctionCall1(namein, CStringGetDatum(name));
	*isnull = false;
}

static void
set_interval(Datum *value, bool *isnull, double microseconds)
{
	Interval *interval = palloc0(sizeof(Interval));

	interval->time = (TimeOffset) microseconds;
	*value = IntervalPGetDatum(interval);
	*isnull = false;
}

/* Fills the columns behind the first. */
static void
set_details(const SdcProgressRow *row, TimestampTz now, Datum *value,
			bool *isnull)
{
	double left = sdcpg_progress_left(row->percent, row->stage_started, now);

	set_name(&value[1], &isnull[1], get_database_name(row->database));
	set_name(&value[2], &isnull[2], GetUserNameFromId(row->role, true));
	value[3] = CStringGetTextDatum(row->function);
	value[4] = CStringGetTextDatum(row->stage);
	isnull[3] = isnull[4] = false;
	value[5] = Float8GetDatum(row->percent);
	isnull[5] = row->percent < 0;
	set_interval(&value[6], &isnull[6], Max(now - row->started, 0));
	if (left >= 0)
		set_interval(&value[7], &isnull[7], left);
}

/* progress() RETURNS SETOF record */
Datum
sdcf_progress(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	SdcProgressRow rows[SDC_PROGRESS_SLOTS];
	TimestampTz now = GetCurrentTimestamp();
	int count;
	int i;

	InitMaterializedSRF(fcinfo, 0);
	count = sdcpg_progress_read(rows, SDC_PROGRESS_SLOTS);
	for (i = 0; i < count; i++)
	{
		Datum value[PROGRESS_COLUMNS];
		bool isnull[PROGRESS_COLUMNS];

		memset(value, 0, sizeof(value));
		memset(isnull, true, sizeof(isnull));
		value[0] = Int32GetDatum(rows[i].pid);
		isnull[0] = false;
		if (may_see(&rows[i]))
			set_details(&rows[i], now, value, isnull);
		tuplestore_putvalues(result->setResult, result->setDesc, value,
							 isnull);
	}
	return (Datum) 0;
}
