/*
 * probabilistic_linkage.h
 *		Two relations linked by the patterns in which their records agree.
 */
#ifndef SDC_PG_PROBABILISTIC_LINKAGE_H
#define SDC_PG_PROBABILISTIC_LINKAGE_H

#include "postgres.h"

#include "kernel/attack/fellegi_sunter.h"
#include "pg/disclosure/comparison_files.h"
#include "pg/disclosure/link_success.h"

/* The keys of params that are read here. */
#define SDC_PROBABILISTIC_PARAMS \
	SDC_COMPARISON_PARAMS, "estimate", "prior", "mu", "lambda", "iterations"

/* Two files, what their pairs look like, and what that says. */
typedef struct SdcProbabilisticLinkage
{
	SdcComparisonFiles files;
	SdcComparisonPatterns patterns;
	SdcFellegiSunter model;
	double link;     /* the least weight of a link, or infinity */
	double non_link; /* the largest of a non-link, or minus infinity */
} SdcProbabilisticLinkage;

/* The best of the pairs of one record: records of file 1, ascending. */
typedef struct SdcProbabilisticBest
{
	double weight;
	int32 count; /* with this weight; 0 when there is no pair */
	int32 *row;
	double *sum; /* of every pair; for the search only */
} SdcProbabilisticBest;

/*
 * Reads the two files of a described comparison and estimates the model:
 *		estimate	all: prior, m and u; m: only m, while u is that of all
 *					pairs and the prior says that all of the smaller file
 *					are in the other.  Unless given it is m where matches are
 *					rare, fewer than one of 20 pairs by that prior, or where
 *					fewer than three keys leave too much unknown.
 *		prior		share of pairs that match, instead of those
 *		mu, lambda	share of other pairs that may be linked, and of matches
 *					that may be lost; 0.001 and 0.01 unless given
 *		iterations	of EM at the most, 1000 unless given
 * Returns NULL, or why nothing can be told, a sentence.
 */
extern const char *
sdcpg_probabilistic_linkage_run(SdcProbabilisticLinkage *linkage,
								SdcPgHost *host, Jsonb *params);

/* Room for the best of any record. */
extern SdcProbabilisticBest
sdcpg_probabilistic_linkage_room(SdcProbabilisticLinkage *linkage);

/*
 * Finds the records of file 1 that are likeliest to match a record of file 0,
 * all that are equally likely.  O(fields * records in its block).
 */
extern void
sdcpg_probabilistic_linkage_best(const SdcProbabilisticLinkage *linkage,
								 int32 record, SdcProbabilisticBest *best);

/* The record of file 1 with the same id, for each of file 0, or -1. */
extern int32 *
sdcpg_probabilistic_linkage_partners(SdcProbabilisticLinkage *linkage);

/*
 * How well the best pairs match the truth: ids that are in both files.  O(all
 * pairs).
 */
extern SdcLinkSuccess
sdcpg_probabilistic_linkage_success(SdcProbabilisticLinkage *linkage);

#endif
