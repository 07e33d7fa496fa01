/*
 * mask_seed.c
 *		The seed of each rule, from the seed of the call.
 *
 * FNV-1a over the bytes of the names, mixed with the seed; the same on every
 * machine.
 */
#include "postgres.h"

#include "kernel/base/random.h"
#include "pg/mask/mask_seed.h"

uint64
sdcpg_mask_seed(uint64 seed, const char *subject)
{
	uint64 hash = UINT64CONST(0xcbf29ce484222325);

	for (; *subject != '\0'; subject++)
		hash = (hash ^ (unsigned char) *subject) * UINT64CONST(0x100000001b3);
	return sdc_random_mix(seed ^ sdc_random_mix(hash));
}
