/*
 * frontier_search.h
 *		The least lossy rules that satisfy the constraints of a policy.
 */
#ifndef SDC_RELEASE_FRONTIER_SEARCH_H
#define SDC_RELEASE_FRONTIER_SEARCH_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/server/host.h"
#include "release/frontier.h"

/*
 * The candidates, documents for sdc.mask (Jsonb *) without arrays of values,
 * in the order given; of combinations the last parameter varies fastest, in
 * the order of jsonb.  Parameters that may be lists by themselves (strata,
 * importance, value) are no arrays of values.  Stops at an empty array, at
 * more than SDC_FRONTIER_CANDIDATES, and at a candidate that sdcpg_rules_read
 * does not take.
 */
extern List *sdcpg_frontier_rules_read(Jsonb *rules,
									   const SdcRelation *relation);

/*
 * Varies the rules of a policy for one table, which the current role must own,
 * until it knows nothing better to try or so many seconds have passed: it then
 * gives up after the repeat that it is at, but the rules of the policy
 * themselves are always measured.  All points as sdcpg_frontier_finish leaves
 * them.
 */
extern SdcFrontierPoint **sdcpg_frontier_search(SdcPgHost *host,
												const char *policy,
												double seconds, uint64 seed,
												int *count);

#endif
