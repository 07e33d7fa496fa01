/*
 * frontier_policy.h
 *		A policy as what candidates are measured by.
 */
#ifndef SDC_PG_FRONTIER_POLICY_H
#define SDC_PG_FRONTIER_POLICY_H

#include "postgres.h"

#include "pg/frontier/frontier.h"

/*
 * Fills in all but the seed.  Stops unless the current role owns the policy,
 * and when it is for several tables.  Risk is what the first constraint bounds
 * from above that is not about utility, or else the worst attack; loss is
 * that of the first one about utility, over all columns, or else the usual
 * one.
 */
extern void sdcpg_frontier_policy(SdcFrontier *frontier, const char *policy);

#endif
