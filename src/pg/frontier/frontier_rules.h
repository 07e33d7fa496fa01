/*
 * frontier_rules.h
 *		The argument "rules" of sdc.frontier: several ways to mask a relation.
 *
 *		[{"income": {"method": "rank_swap", "p": [2, 5, 10]}},
 *		 {"income": {"method": "microaggregate", "k": [3, 5]}}]
 *
 * An array of documents as sdc.mask takes them, or one of them.  In a document
 * a parameter may be an array of values, and a rule an array of rules: all
 * combinations are meant.
 */
#ifndef SDC_PG_FRONTIER_RULES_H
#define SDC_PG_FRONTIER_RULES_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "pg/call/relation.h"

/* Candidates of one call at the most. */
#define SDC_FRONTIER_CANDIDATES 1000

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

/* The object with one member exchanged, or added. */
extern Jsonb *sdcpg_frontier_rules_set(Jsonb *object, const char *key,
									   Jsonb *value);

#endif
