/*
 * suggestion.h
 *		Roles for columns that have none, as rows of sdc.role_suggestion.
 */
#ifndef SDC_TOPIC_SUGGESTION_H
#define SDC_TOPIC_SUGGESTION_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "host/call/relation.h"
#include "host/server/host.h"
#include "kernel/risk/separation.h"
#include "topic/registry/roles.h"

/* One row; role and counts may be NULL. */
extern void sdcpg_suggestion_put(ReturnSetInfo *result, const char *name,
								 const char *role, const char *reason,
								 const SdcSeparation *counts);

/*
 * A row for each column that differs from its declaration: without a role,
 * of another type, gone.
 */
extern void sdcpg_suggestion_put_drift(ReturnSetInfo *result, SdcPgHost *host,
									   const SdcRelation *relation,
									   const SdcRoles *declared);

#endif
