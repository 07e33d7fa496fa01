/*
 * probabilistic_linkage.h
 *		Two relations linked by the patterns in which their records agree.
 */
#ifndef SDC_TOPIC_PROBABILISTIC_LINKAGE_H
#define SDC_TOPIC_PROBABILISTIC_LINKAGE_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "host/server/host.h"
#include "kernel/linkage/agreement_tree.h"
#include "kernel/linkage/fellegi_sunter.h"
#include "topic/attack/comparison.h"
#include "topic/registry/attacks.h"

/* Two files, what their pairs look like, and what that says. */
typedef struct SdcProbabilisticLinkage
{
	SdcComparisonFiles files;
	SdcComparisonPatterns patterns;
	SdcComparisonLists lists; /* what m is from; model.lists NULL: not made */
	SdcFellegiSunter model;
	double link;     /* the least weight of a link, or infinity */
	double non_link; /* the largest of a non-link, or minus infinity */
	bool classes;    /* are link and non_link asked for? */
	SdcAgreementTree *tree;
	int64 work;  /* boxes, records and pairs that may be looked at */
	uint64 seed; /* of samples and ties */
} SdcProbabilisticLinkage;

/* The row "probabilistic" of the attacks, and keys of its params. */
extern void sdcpg_attack_probabilistic(const SdcAttack *attack,
									   const SdcAttackCase *of,
									   SdcPgHost *host,
									   SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_probabilistic_params[];

/*
 * Checks the values of its params: see SdcAttack.check.  method is not read,
 * as it has none.
 */
extern void sdcpg_probabilistic_check(const char *method, Jsonb *params);

#endif
