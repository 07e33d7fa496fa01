/*
 * learned_distance.h
 *		Learns the worst distance for two relations and writes it down.
 */
#ifndef SDC_TOPIC_LEARNED_DISTANCE_H
#define SDC_TOPIC_LEARNED_DISTANCE_H

#include "postgres.h"

#include "host/server/host.h"
#include "topic/registry/attacks.h"

/* The row "learned" of the attacks, its methods and keys of its params. */
extern void sdcpg_attack_learned(const SdcAttack *attack,
								 const SdcAttackCase *of, SdcPgHost *host,
								 SdcAttackOutcome *outcome);
extern const char *const sdcpg_learned_methods[];
extern const SdcKey sdcpg_learned_params[];

#endif
