/*
 * minimality.h
 *		Beliefs of an intruder who knows the grouping algorithm.
 */
#ifndef SDC_TOPIC_MINIMALITY_H
#define SDC_TOPIC_MINIMALITY_H

#include "postgres.h"

#include "topic/registry/attacks.h"

/* The row "minimality" of the attacks, and keys of its params. */
extern void sdcpg_attack_minimality(const SdcAttack *attack,
									const SdcAttackCase *of, SdcPgHost *host,
									SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_minimality_params[];

#endif
