/*
 * table.h
 *		Hash tables of numbers 0, 1, ... whose keys the caller keeps.
 *
 * Open addressing with linear probing, at most half full.  A slot holds a
 * number; the keys stay in the caller's arrays, in order of arrival, which is
 * why such a table costs 8 bytes a key, is made anew without looking at keys
 * that are equal, and never shows its order.  Hashes are made with
 * sdc_table_hash, number by number.
 */
#ifndef SDC_KERNEL_TABLE_H
#define SDC_KERNEL_TABLE_H

#include <string.h>

#include "kernel/base/host.h"

typedef struct SdcTable
{
	int32_t *slot; /* the number that lies there, or SDC_TABLE_NONE */
	size_t mask;   /* slots - 1, which are a power of two */
	int shift;     /* 64 - log2 of the slots, at most 2^32 */
} SdcTable;

/* A slot without a number. */
#define SDC_TABLE_NONE (-1)

/*
 * The hash of a key so far (0 at first) and one more number of it.  Its high
 * bits tell the slot (Fibonacci hashing: near numbers are far apart).
 */
static inline uint64_t
sdc_table_hash(uint64_t hash, uint64_t number)
{
	return (hash ^ hash >> 32 ^ number) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The same of a key that has been hashed to 32 bits elsewhere. */
static inline uint64_t
sdc_table_hashed(uint32_t hash)
{
	return (uint64_t) hash << 32;
}

/* How many slots a table for at most so many keys has.  O(log most). */
static inline size_t
sdc_table_slots(size_t most)
{
	size_t slots = 2;

	while (slots < 2 * most)
		slots *= 2;
	return slots;
}

/*
 * Empties a table and uses only as many slots as most keys need, no more than
 * it was created for.  O(most).
 */
static inline void
sdc_table_clear(SdcTable *table, size_t most)
{
	size_t slots = 2;

	table->shift = 63;
	for (; slots < 2 * most; slots *= 2)
		table->shift--;
	memset(table->slot, SDC_TABLE_NONE, slots * sizeof(int32_t));
	table->mask = slots - 1;
}

/* Makes an empty table for at most so many keys.  O(most). */
static inline void
sdc_table_create(SdcHost *host, SdcTable *table, size_t most)
{
	table->slot = sdc_new(host, int32_t, sdc_table_slots(most));
	sdc_table_clear(table, most);
}

/* Gives the slots back; the keys are the caller's. */
static inline void
sdc_table_release(SdcHost *host, SdcTable *table)
{
	host->release(host, table->slot);
	table->slot = NULL;
}

/* Adds a number whose key is known not to be there. */
static inline void
sdc_table_put(SdcTable *table, uint64_t hash, int32_t number)
{
	size_t at = (size_t) (hash >> table->shift);

	while (table->slot[at] != SDC_TABLE_NONE)
		at = (at + 1) & table->mask;
	table->slot[at] = number;
}

/*
 * Defines NAME(table, hash, keeper, key): the slot with the number of a key,
 * or the empty one where it belongs.  is_same(keeper, number, key) tells
 * whether that number's key is this one.
 */
#define SDC_TABLE_FIND(name, Keeper, Key, is_same)                    \
	static inline int32_t *name(const SdcTable *table, uint64_t hash, \
								Keeper keeper, Key key)               \
	{                                                                 \
		size_t at = (size_t) (hash >> table->shift);                  \
                                                                      \
		while (table->slot[at] != SDC_TABLE_NONE &&                   \
			   !is_same(keeper, table->slot[at], key))                \
			at = (at + 1) & table->mask;                              \
		return &table->slot[at];                                      \
	}                                                                 \
	struct SdcTable

#endif
