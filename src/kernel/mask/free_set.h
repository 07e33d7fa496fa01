/*
 * free_set.h
 *		A shrinking set of integers from which one in a range can be drawn.
 *
 * Starts with 0 .. n - 1.  A draw from a short range counts its members.  In
 * a longer one it first tries random positions, which takes less than two
 * tries as long as the range is half full; when tries fail, the members are
 * counted through a Fenwick tree over 64-bit words, made at the first need, so
 * that no long range is ever scanned: O(log n) at the worst.
 */
#ifndef SDC_KERNEL_FREE_SET_H
#define SDC_KERNEL_FREE_SET_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"

typedef struct SdcFreeSet
{
	int32_t n;
	uint64_t *taken;
	int32_t *count; /* Fenwick tree of members per word, NULL until needed */
} SdcFreeSet;

extern void sdc_free_set_init(SdcFreeSet *set, SdcHost *host, int32_t n);

/* Is the number still a member? */
static inline bool
sdc_free_set_has(const SdcFreeSet *set, int32_t number)
{
	return !(set->taken[number >> 6] >> (number & 63) & 1);
}

/* Takes a member out. */
extern void sdc_free_set_take(SdcFreeSet *set, int32_t number);

/* A member of low .. high drawn uniformly, or -1 when there is none. */
extern int32_t sdc_free_set_draw(SdcFreeSet *set, SdcHost *host, int32_t low,
								 int32_t high, SdcRandom *random);

/* The smallest member that is at least low, or -1. */
extern int32_t sdc_free_set_next(SdcFreeSet *set, SdcHost *host, int32_t low);

#endif
