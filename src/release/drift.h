/*
 * drift.h
 *		What has changed in a table since somebody decided about it.
 */
#ifndef SDC_RELEASE_DRIFT_H
#define SDC_RELEASE_DRIFT_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "host/call/relation.h"
#include "release/policy.h"

/* A column that somebody must decide about, and why, as a sentence. */
typedef struct SdcDrift
{
	char *column;
	char *reason;
} SdcDrift;

/*
 * What must be decided before a table of a policy can be released: how its
 * columns differ from those that the policy was written for and from those
 * that were declared, and columns that nobody decided about: without a role,
 * without a rule, and not named in the params.  A list of SdcDrift.
 */
extern List *sdcpg_drift_find(const SdcRelation *relation,
							  const SdcPolicyRelation *policy);

#endif
