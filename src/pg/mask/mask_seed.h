/*
 * mask_seed.h
 *		The seed of each rule, from the seed of the call.
 */
#ifndef SDC_PG_MASK_SEED_H
#define SDC_PG_MASK_SEED_H

#include "postgres.h"

/*
 * Two columns with the same values must not be masked alike, so each rule has
 * a seed of its own: the seed of the call, mixed with the names of the rule's
 * columns, "a,b".  Not with numbers of the catalog, which a restore changes.
 */
extern uint64 sdcpg_mask_seed(uint64 seed, const char *subject);

#endif
