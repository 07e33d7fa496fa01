/*
 * drift.h
 *		What has changed in a table since somebody decided about it.
 */
#ifndef SDC_PG_DRIFT_H
#define SDC_PG_DRIFT_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "pg/call/relation.h"
#include "pg/release/policy.h"

/* A column that somebody must decide about, and why, as a sentence. */
typedef struct SdcDrift
{
	char *column;
	char *reason;
} SdcDrift;

/*
 * How the columns of a table differ from those of a list as
 * sdcpg_policy_columns makes it: added, retyped, gone.  when ends the
 * sentences: "the policy was written".  A list of SdcDrift.
 */
extern List *sdcpg_drift_since(const SdcRelation *relation, Jsonb *columns,
							   const char *when);

/*
 * What must be decided before a table of a policy can be released: how its
 * columns differ from those that the policy was written for and from those
 * that were declared, and columns that nobody decided about: without a role,
 * without a rule, and not named in the params.  A list of SdcDrift.
 */
extern List *sdcpg_drift_find(const SdcRelation *relation,
							  const SdcPolicyRelation *policy);

/*
 * How the columns of a table differ from those that its policies, of those
 * the caller sees, were written for.  A list of SdcDrift; the reasons say
 * which release was the last.
 */
extern List *sdcpg_drift_of_policies(const SdcRelation *relation);

#endif
