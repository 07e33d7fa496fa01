/*
 * membership.h
 *		Does a model tell who it was trained on?
 */
#ifndef SDC_TOPIC_MEMBERSHIP_H
#define SDC_TOPIC_MEMBERSHIP_H

#include "postgres.h"

#include "topic/registry/attacks.h"

/* The row "membership" of the attacks, and keys of its params. */
extern void sdcpg_attack_membership(const SdcAttack *attack,
									const SdcAttackCase *of, SdcPgHost *host,
									SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_membership_params[];

#endif
