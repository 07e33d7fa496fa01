/*
 * published.h
 *		Which columns of a table a policy publishes.
 */
#ifndef SDC_PG_PUBLISHED_H
#define SDC_PG_PUBLISHED_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "pg/release/policy.h"
#include "pg/release/policy_params.h"

/*
 * The columns of a masked form of the table that are published, in its order:
 * those with a rule, and all others but the id, identifiers, households and
 * what the policy drops.  A list of names (char *).
 */
extern List *sdcpg_published_columns(const SdcPolicyRelation *policy,
									 const SdcPolicyParams *params,
									 const SdcRelation *original,
									 const SdcRelation *masked);

#endif
