/*
 * seed_hash.h
 *		What the history keeps of a seed.
 */
#ifndef SDC_PG_SEED_HASH_H
#define SDC_PG_SEED_HASH_H

#include "postgres.h"

/*
 * SHA-256 of "policy:release:seed" in hexadecimal.  It proves which seed was
 * used to whom it is shown; a small seed can be found from it by trying.
 */
extern char *sdcpg_seed_hash(const char *policy, int64 release, int64 seed);

#endif
