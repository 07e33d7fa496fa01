/*
 * composition.h
 *		Several releases of the same people, intersected.
 */
#ifndef SDC_TOPIC_COMPOSITION_H
#define SDC_TOPIC_COMPOSITION_H

#include "postgres.h"

#include "topic/registry/attacks.h"

/* The row "composition" of the attacks, and keys of its params. */
extern void sdcpg_attack_composition(const SdcAttack *attack,
									 const SdcAttackCase *of, SdcPgHost *host,
									 SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_composition_params[];

#endif
