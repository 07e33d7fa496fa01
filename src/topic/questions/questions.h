/*
 * questions.h
 *		The three questions of data protection law as attacks.
 */
#ifndef SDC_TOPIC_QUESTIONS_H
#define SDC_TOPIC_QUESTIONS_H

#include "postgres.h"

#include "topic/registry/attacks.h"

/* The keys of params of each; they end with NULL. */
extern const SdcKey sdcpg_singling_out_params[];
extern const SdcKey sdcpg_linkability_params[];
extern const SdcKey sdcpg_nearest_inference_params[];
extern const SdcKey sdcpg_closest_record_params[];

/* Rows of the registry: run by policies and reports. */
extern void sdcpg_attack_singling_out(const SdcAttack *attack,
									  const SdcAttackCase *of, SdcPgHost *host,
									  SdcAttackOutcome *outcome);
extern void sdcpg_attack_linkability(const SdcAttack *attack,
									 const SdcAttackCase *of, SdcPgHost *host,
									 SdcAttackOutcome *outcome);
extern void sdcpg_attack_nearest_inference(const SdcAttack *attack,
										   const SdcAttackCase *of,
										   SdcPgHost *host,
										   SdcAttackOutcome *outcome);
extern void sdcpg_attack_closest_record(const SdcAttack *attack,
										const SdcAttackCase *of,
										SdcPgHost *host,
										SdcAttackOutcome *outcome);

#endif
