/*
 * frontier_call.h
 *		One call of sdc.frontier.
 */
#ifndef SDC_PG_FRONTIER_CALL_H
#define SDC_PG_FRONTIER_CALL_H

#include "postgres.h"

#include "utils/array.h"

#include "pg/frontier/frontier.h"

/* The arguments; pointers are NULL where they are. */
typedef struct SdcFrontierCall
{
	Oid rel;
	const char *id;
	ArrayType *keys;
	ArrayType *sensitive;
	Jsonb *rules;
	Jsonb *constraints;
	Jsonb *params;
	uint64 seed;
} SdcFrontierCall;

/* Tries all candidates; the points as sdcpg_frontier_finish leaves them. */
extern SdcFrontierPoint **
sdcpg_frontier_call(SdcPgHost *host, const SdcFrontierCall *call, int *count);

#endif
