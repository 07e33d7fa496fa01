/*
 * frontier_search.h
 *		The least lossy rules that satisfy the constraints of a policy.
 */
#ifndef SDC_PG_FRONTIER_SEARCH_H
#define SDC_PG_FRONTIER_SEARCH_H

#include "postgres.h"

#include "pg/frontier/frontier.h"

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
