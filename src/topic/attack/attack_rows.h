/*
 * attack_rows.h
 *		The rows of attacks whose files show nothing else: composition of
 *		several releases, minimality of the algorithm, a learned distance,
 *		sensitive values.
 */
#ifndef SDC_TOPIC_ATTACK_ROWS_H
#define SDC_TOPIC_ATTACK_ROWS_H

#include "postgres.h"

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
