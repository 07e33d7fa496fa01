/*
 * suda2_partition.h
 *		Classes of records that are equal on a set of keys, and how one more
 *		key splits them.
 */
#ifndef SDC_KERNEL_SUDA2_PARTITION_H
#define SDC_KERNEL_SUDA2_PARTITION_H

#include "kernel/risk/suda2.h"

/*
 * The classes of a set of keys that hold at least one record looked for and
 * another record.  An entry is a cell that is looked for, or the complement
 * (~) of one that is only a witness: it keeps others from being unique.
 */
typedef struct SdcSuda2Partition
{
	int32_t *entry;
	int32_t entries;
	int32_t room;
	int32_t *end; /* of each class in entry */
	int32_t classes;
	int32_t class_room;
} SdcSuda2Partition;

/* One value of the key that splits a class. */
typedef struct SdcSuda2Slot
{
	int32_t count;
	int32_t wanted; /* of these, looked for */
	int32_t place;  /* the last of them; then where the next one goes */
} SdcSuda2Slot;

typedef struct SdcSuda2Splitter
{
	SdcHost *host;
	const SdcFrequency *frequency;
	SdcSuda2Nulls nulls;
	uint8_t *narrow[SDC_SUDA2_MAX_KEYS]; /* codes + 1 of keys of few values */
	int32_t first;                       /* the cell of bit 0 of found */
	uint64_t *found;    /* cells looked for that turned out unique */
	bool changed;       /* did the last split change anything? */
	uint64_t steps;     /* entries seen */
	SdcSuda2Slot *slot; /* by code + 1 */
	int32_t *touched;   /* codes + 1 of the class at hand */
	int32_t *code;      /* code + 1 of each entry of all classes */
	int32_t code_room;
	int32_t *null_entry; /* of the class, entries that stand for every value */
	int32_t null_entries;
} SdcSuda2Splitter;

/* Room for work on the cells of a table. */
extern void sdc_suda2_partition_start(SdcSuda2Splitter *splitter,
									  SdcHost *host,
									  const SdcFrequency *frequency,
									  SdcSuda2Nulls nulls);
extern void sdc_suda2_partition_finish(SdcSuda2Splitter *splitter);

/*
 * Splits the classes of from by key j.  Entries looked for that are left alone
 * get their bit in splitter->found; classes that can still matter go to
 * *to, unless it is NULL.  *to grows as needed.  O(entries), with wildcards
 * O(entries * values).
 */
extern void sdc_suda2_partition_split(SdcSuda2Splitter *splitter,
									  const SdcSuda2Partition *from, int j,
									  SdcSuda2Partition *to);

/* Empties a partition and makes room for that many entries. */
extern void sdc_suda2_partition_clear(SdcHost *host,
									  SdcSuda2Partition *partition,
									  int32_t entries);
extern void sdc_suda2_partition_release(SdcHost *host,
										SdcSuda2Partition *partition);

#endif
