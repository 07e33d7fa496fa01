/*
 * attack_rows.h
 *		The rows of attacks whose files show nothing else: composition of
 *		several releases, minimality of the algorithm, a learned distance,
 *		sensitive values.
 */
#ifndef SDC_TOPIC_ATTACK_ROWS_H
#define SDC_TOPIC_ATTACK_ROWS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/server/host.h"
#include "topic/registry/attacks.h"

/*
 * The row "composition" of the attacks; below it, as for the other rows here,
 * the keys of its params, which end with a name that is NULL.
 */
extern void sdcpg_attack_composition(const SdcAttack *attack,
									 const SdcAttackCase *of, SdcPgHost *host,
									 SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_composition_params[];

/*
 * The row "differencing": two versions of one release taken from each other,
 * as the changes of the case say; 0 where there is no version before.
 */
extern void sdcpg_attack_differencing(const SdcAttack *attack,
									  const SdcAttackCase *of, SdcPgHost *host,
									  SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_differencing_params[];

/* The row "attribute_linkage" of the attacks. */
extern void sdcpg_attack_attribute_linkage(const SdcAttack *attack,
										   const SdcAttackCase *of,
										   SdcPgHost *host,
										   SdcAttackOutcome *outcome);

/* The row "minimality" of the attacks, and keys of its params. */
extern void sdcpg_attack_minimality(const SdcAttack *attack,
									const SdcAttackCase *of, SdcPgHost *host,
									SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_minimality_params[];

/* What made the release of which minimality is asked. */
typedef enum SdcMinimalityVariant
{
	SDC_MINIMALITY_GREEDY,
	SDC_MINIMALITY_LATTICE,
	SDC_MINIMALITY_LOCAL,
	SDC_MINIMALITY_MONDRIAN,
	SDC_MINIMALITY_SUPPRESS
} SdcMinimalityVariant;

/* A call about a search; NULL and NAN where nothing was given. */
typedef struct SdcMinimalityCall
{
	SdcMinimalityVariant variant; /* not SDC_MINIMALITY_GREEDY */
	const SdcRelation *original;
	const SdcRelation *masked;
	const SdcRelationColumn *id; /* of the original */
	ArrayType *keys;
	ArrayType *sensitive;
	int32 k;
	double l;
	Jsonb *params;
} SdcMinimalityCall;

/* Columns of sdc.belief. */
#define SDC_BELIEF_COLUMNS 7

/*
 * Returns beliefs of who knows that a method that loses as little as it can
 * made the masked relation of the original.
 */
extern void sdcpg_minimality_search(const SdcMinimalityCall *call,
									ReturnSetInfo *result);

/*
 * The row "learned" of the attacks, its methods, which end with NULL, and keys
 * of its params.
 */
extern void sdcpg_attack_learned(const SdcAttack *attack,
								 const SdcAttackCase *of, SdcPgHost *host,
								 SdcAttackOutcome *outcome);
extern const char *const sdcpg_learned_methods[];
extern const SdcKey sdcpg_learned_params[];

#endif
