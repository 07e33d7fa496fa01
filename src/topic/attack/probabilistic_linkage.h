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

/*
 * Reads the two files of a described comparison and estimates the model, from
 * a sample of the records where all pairs are too much for linkage->work:
 *		estimate	all: prior, m and u; m: only m, while u is that of all
 *					pairs and the prior says that all of the smaller file
 *					are in the other; records: the same, from records that
 *					have one match at most.  Unless given it is records where
 *					matches are rare, fewer than one of 20 pairs by that
 *					prior, or where fewer than three keys leave too much
 *					unknown.
 *		prior		share of pairs that match, instead of those
 *		mu, lambda	share of other pairs that may be linked, and of matches
 *					that may be lost; 0.001 and 0.01 unless given
 *		iterations	of EM at the most, 1000 unless given
 * Returns NULL, or why nothing can be told, a sentence.
 */
extern const char *
sdcpg_probabilistic_linkage_run(SdcProbabilisticLinkage *linkage,
								SdcPgHost *host, Jsonb *params);

/* The row "probabilistic" of the attacks, and keys of its params. */
extern void sdcpg_attack_probabilistic(const SdcAttack *attack,
									   const SdcAttackCase *of,
									   SdcPgHost *host,
									   SdcAttackOutcome *outcome);
extern const char *const sdcpg_probabilistic_params[];

#endif
