/*
 * learned_distance.h
 *		Learns the worst distance for two relations and writes it down.
 */
#ifndef SDC_PG_LEARNED_DISTANCE_H
#define SDC_PG_LEARNED_DISTANCE_H

#include "postgres.h"

#include "kernel/attack/learned_distance.h"
#include "pg/disclosure/link_success.h"
#include "pg/disclosure/linkage.h"

/* Their names, in the order of SdcLearnedMethod; ends with NULL. */
extern const char *const sdcpg_learned_methods[];

/* Seconds when params.time_limit says nothing. */
#define SDC_LEARNED_SECONDS 60

/*
 * What is learned from.  linkage.method must be SDC_LINKAGE_EUCLIDEAN, for
 * the standard scores; of its params only map is looked at.
 */
typedef struct SdcLearnedCall
{
	SdcLinkageCall linkage;
	SdcLearnedMethod method;
	double seconds;
	uint64 seed;
} SdcLearnedCall;

/* What was learned; arrays belong to the host. */
typedef struct SdcLearnedModel
{
	SdcRelationColumns keys;
	int32 records; /* that have all keys, and a partner that has */
	SdcLearnedResult result;
	bool stopped; /* by the time limit */
} SdcLearnedModel;

/*
 * Learns from the records whose id is in both relations and that lack no key
 * in either; they are told from all records of the other relation that lack
 * no key.  Too many keys for the method stop with an error.  Runs GLPK under
 * its guard.
 */
extern SdcLearnedModel sdcpg_learned_run(SdcPgHost *host,
										 const SdcLearnedCall *call);

/* The method of sdc.attack_distance that a learned method belongs to. */
extern SdcLinkageMethod sdcpg_learned_linkage(SdcLearnedMethod method);

/* The parameters as sdc.attack_distance reads them. */
extern Jsonb *sdcpg_learned_parameters(const SdcLearnedModel *model);

/* A few sentences for a reader. */
extern char *sdcpg_learned_explain(const SdcLearnedModel *model);

/*
 * Learns and then links every record by what was learned, with all ties; end
 * it with sdcpg_linkage_end.  call->linkage becomes what was linked.
 */
extern void sdcpg_learned_attack(SdcLinkage *linkage, SdcPgHost *host,
								 SdcLearnedCall *call);

/*
 * The success of the attack by a learned weighted mean, for a report; seconds
 * is the time limit of the learning.
 */
extern SdcLinkSuccess sdcpg_learned_success(SdcPgHost *host, Oid original,
											Oid masked, const char *id,
											ArrayType *keys, bool to_original,
											double seconds);

#endif
