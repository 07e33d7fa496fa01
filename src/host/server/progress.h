/*
 * progress.h
 *		How far a long call has come: NOTICE lines and a shared table.
 */
#ifndef SDC_HOST_PROGRESS_H
#define SDC_HOST_PROGRESS_H

#include "postgres.h"

#include "utils/timestamp.h"

/* Bytes of a name in the shared table, with the last '\0'. */
#define SDC_PROGRESS_NAME 28

/* How far one call is. */
typedef struct SdcProgress
{
	const char *function; /* NULL: nobody is told */
	const char *stage;
	double percent; /* of the stage, -1 while it is not known */
	TimestampTz started;
	TimestampTz stage_started;
	TimestampTz noticed; /* when the last NOTICE was sent */
	TimestampTz shared;  /* when the shared row was last written */
	int slot;            /* of the shared table; -1: none */
} SdcProgress;

/*
 * One row of sdc.progress; percent is of the stage and -1 while it is not
 * known, role is the one that logged in.
 */
typedef struct SdcProgressRow
{
	int pid;
	Oid database;
	Oid role;
	char function[SDC_PROGRESS_NAME];
	char stage[SDC_PROGRESS_NAME];
	float percent;
	TimestampTz started;
	TimestampTz stage_started;
} SdcProgressRow;

/* Starts the clock for a call of the named SQL function. */
extern void sdcpg_progress_begin(SdcProgress *progress, const char *function);

/* Names the stage that begins now; the percentage starts anew. */
extern void sdcpg_progress_stage(SdcProgress *progress, const char *stage);

/*
 * done of total steps of the stage are finished; total 0: nothing is known
 * that was not before.
 */
extern void sdcpg_progress_update(SdcProgress *progress, uint64 done,
								  uint64 total);

/* Gives the shared row back; may be called twice. */
extern void sdcpg_progress_end(SdcProgress *progress);

/* Rows that sdc.progress can show at a time. */
#define SDC_PROGRESS_SLOTS 32

#endif
