/*
 * likelihood.h
 *		The intruder who knows how each mask moves values, and how likely.
 */
#ifndef SDC_TOPIC_LIKELIHOOD_H
#define SDC_TOPIC_LIKELIHOOD_H

#include "postgres.h"

#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/server/host.h"
#include "kernel/intruder/intruder.h"
#include "kernel/intruder/slab.h"
#include "topic/registry/attacks.h"

/* The arguments of the attack; rules and params may be NULL. */
typedef struct SdcLikelihoodCall
{
	Oid original;
	Oid masked;
	const char *id;
	ArrayType *keys; /* name[] */
	Jsonb *rules;
	Jsonb *params;
	uint64 seed;
	double budget; /* looks, unless params.work says more or less */
} SdcLikelihoodCall;

/* What the attack found, for reports and the gate. */
typedef struct SdcLikelihoodFinding
{
	SdcIntruderSuccess success;
	bool sampled; /* were slabs, or a sample of persons, attacked? */
	bool alone;   /* persons by themselves, whom others do not compete with */
	/* the share of the counted that is found; an interval when sampled */
	SdcSlabEstimate found;
	int32 persons;  /* in the original */
	int32 attacked; /* of them counted */
} SdcLikelihoodFinding;

/* The params that a call may have; ends with NULL. */
extern const SdcKey sdcpg_likelihood_params[];

/* The row "likelihood" of the attacks. */
extern void sdcpg_attack_likelihood(const SdcAttack *attack,
									const SdcAttackCase *of, SdcPgHost *host,
									SdcAttackOutcome *outcome);

/* The same of all versions together, where the case has several. */
extern void sdcpg_attack_sequence(const SdcAttack *attack,
								  const SdcAttackCase *of, SdcPgHost *host,
								  SdcAttackOutcome *outcome);

#endif
