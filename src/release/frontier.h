/*
 * frontier.h
 *		Candidates of rules, masked, attacked and measured: risk against loss.
 *
 * The relation is masked into a temporary table, again and again, each time in
 * a subtransaction that is rolled back: nothing is left of it, whatever ends
 * the call.  All candidates mask the rows that the calling statement sees.
 */
#ifndef SDC_RELEASE_FRONTIER_H
#define SDC_RELEASE_FRONTIER_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/server/host.h"
#include "kernel/model/cross_validation.h"
#include "release/gate.h"
#include "release/policy.h"

struct SdcFrontierPoint;

/* What all candidates are measured by. */
typedef struct SdcFrontier
{
	/* of a policy only original, id and attacks count */
	SdcGateCase of;
	/* whose rules are varied; NULL: columns and the case are as given */
	const SdcPolicyRelation *policy;
	/* the constraints, then two that stand for risk and loss */
	SdcGate gate;
	int constraints;
	int repeats;
	uint64 seed;
	bool usual;    /* has nobody named attacks? */
	bool tolerant; /* candidates that cannot be applied do not stop the call */
	MemoryContext memory; /* of what is kept */
	/*
	 * Masks, measures and adds a repeat to the point, within a subtransaction
	 * that is then rolled back; NULL: by sdc.mask and the gate.
	 */
	void (*measure)(const struct SdcFrontier *frontier,
					struct SdcFrontierPoint *point, uint64 seed);
} SdcFrontier;

/* A candidate, and what its repeats have found. */
typedef struct SdcFrontierPoint
{
	int candidate; /* from 1 */
	Jsonb *rules;
	int repeats;  /* measured */
	double *risk; /* of each repeat; NaN: could not be found */
	double *loss;
	int failed;    /* repeats in which a constraint did not hold */
	char *failure; /* the first that did not, as sentences */
	char *note;    /* what was found of risk and loss in the first repeat */
	char *refusal; /* why the candidate cannot be applied; else NULL */
	/* filled in by sdcpg_frontier_finish */
	SdcInterval risk_interval;
	SdcInterval loss_interval;
	bool passed;
	int dominated_by; /* number of a candidate; 0 for none */
	char *detail;
} SdcFrontierPoint;

/* A point that is not measured yet. */
extern SdcFrontierPoint *sdcpg_frontier_point(const SdcFrontier *frontier,
											  int candidate, Jsonb *rules);

/* Masks and measures once more: the next repeat of the point. */
extern void sdcpg_frontier_repeat(const SdcFrontier *frontier,
								  SdcFrontierPoint *point);

/*
 * Means, intervals, which points are dominated, and the order: those that pass
 * first, the least lossy of them first.  ending, a sentence or NULL, ends each
 * detail.
 */
extern void sdcpg_frontier_finish(SdcPgHost *host, SdcFrontierPoint **point,
								  int count, const char *ending);

/* The point as a row of sdc.frontier_point. */
extern void sdcpg_frontier_put(ReturnSetInfo *result,
							   const SdcFrontierPoint *point);

/* A name that no temporary table of the session has. */
extern char *sdcpg_frontier_name(void);

/*
 * From here to sdcpg_frontier_looked what was written is seen, and nothing
 * else that is new.
 */
extern void sdcpg_frontier_look(void);

/* Ends that. */
extern void sdcpg_frontier_looked(void);

/* Does the point hold its constraints in each repeat so far? */
extern bool sdcpg_frontier_holds(const SdcFrontierPoint *point);

/* The mean of the loss; infinite when it is not known. */
extern double sdcpg_frontier_loss(const SdcFrontierPoint *point);

/*
 * Fills in all but the seed.  Stops unless the current role owns the policy,
 * and when it is for several tables.  Risk is what the first constraint bounds
 * from above that is not about utility, or else the worst attack; loss is
 * that of the first one about utility, over all columns, or else the usual
 * one.
 */
extern void sdcpg_frontier_policy(SdcFrontier *frontier, const char *policy);

/* ----------------------------------------------------------------------
 * The least lossy rules that satisfy the constraints of a policy.
 * ----------------------------------------------------------------------
 */

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

/* The same, not yet looked at: objects of whatever keys. */
extern List *sdcpg_frontier_expand(Jsonb *rules);

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
