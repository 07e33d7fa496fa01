/*
 * distributed.c
 *		sdc.synchronize_workers: what workers need to know of sdc.
 */
#include "postgres.h"

#include "fmgr.h"

#include "host/call/distributed.h"

PG_FUNCTION_INFO_V1(sdcf_synchronize_workers);

/* Tables whose rows functions on workers read, and their first column. */
static const char *const known[][2] = {{"secret", "domain"},
									   {"hierarchy", "hierarchy"},
									   {"hierarchy_value", "hierarchy"}};

/* synchronize_workers() returns bigint */
Datum
sdcf_synchronize_workers(PG_FUNCTION_ARGS)
{
	int i;

	sdcpg_need_coordinator("bring what it knows to others");
	for (i = 0; i < lengthof(known); i++)
		sdcpg_workers_mirror(known[i][0], known[i][1], NULL);
	PG_RETURN_INT64(sdcpg_workers_grant());
}
