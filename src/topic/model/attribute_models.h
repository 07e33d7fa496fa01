/*
 * attribute_models.h
 *		What models of a release know about people.
 */
#ifndef SDC_TOPIC_ATTRIBUTE_MODELS_H
#define SDC_TOPIC_ATTRIBUTE_MODELS_H

#include "postgres.h"

#include "topic/registry/attacks.h"

/* The row "inference" of the attacks, and keys of its params. */
extern void sdcpg_attack_inference(const SdcAttack *attack,
								   const SdcAttackCase *of, SdcPgHost *host,
								   SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_inference_params[];

#endif
