/*
 * itemset_linkage.h
 *		Who is who by the set of items that a customer bought.
 */
#ifndef SDC_TOPIC_ITEMSET_LINKAGE_H
#define SDC_TOPIC_ITEMSET_LINKAGE_H

#include "postgres.h"

#include "topic/registry/attacks.h"

/* The row "itemset" of the attacks, and keys of its params. */
extern void sdcpg_attack_itemset(const SdcAttack *attack,
								 const SdcAttackCase *of, SdcPgHost *host,
								 SdcAttackOutcome *outcome);
extern const SdcKey sdcpg_itemset_params[];
extern void sdcpg_itemset_check(const char *method, Jsonb *params);
extern const char *const sdcpg_itemset_methods[];

#endif
