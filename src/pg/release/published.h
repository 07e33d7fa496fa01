/*
 * published.h
 *		Which columns of a table a policy publishes.
 */
#ifndef SDC_PG_PUBLISHED_H
#define SDC_PG_PUBLISHED_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "pg/mask/rules.h"
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

/* The rule of the id, or NULL; stops when it masks other columns with it. */
extern const SdcRule *sdcpg_published_rule_of_id(const SdcPolicyParams *params,
												 const SdcRules *rules,
												 const SdcRelation *original);

#endif
