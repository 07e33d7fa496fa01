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
#include "topic/attack/transparency.h"
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

/* What was read, and the intruder whom the rules are told. */
typedef struct SdcLikelihoodTerms
{
	SdcTransparency transparency;
	SdcHost *host;
	SdcIntruder *intruder;
	bool by_original; /* are the ranks those of the original? */
	bool unknown;     /* does NULL mean that he does not know? */
	bool groups;      /* is there a spread to be fitted? */
	int swaps;        /* terms of rank swapping */
	int left_out;     /* parts without room */
} SdcLikelihoodTerms;

/* Adds the terms of all parts; keys beyond his room are left out. */
extern void sdcpg_likelihood_add(SdcLikelihoodTerms *terms);

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
