/*
 * suda2_partition.c
 *		Classes of records that are equal on a set of keys, and how one more
 *		key splits them.
 *
 * A class is split by counting its codes.  What is alone is unique from here
 * on and leaves, as do classes in which nobody is looked for any more, so the
 * lists shrink quickly.
 *
 * A record with a NULL that is no value is not looked for below its key: the
 * key does not help to single it out.  As a wildcard it stays a witness in
 * every class it may belong to; ignored, it is a witness in none.
 */
#include "kernel/risk/suda2_partition.h"

#include <string.h>

static inline int32_t
cell_of(int32_t entry)
{
	return entry ^ (entry >> 31);
}

/* Codes + 1 of a key of few values, four times as many to a cache line. */
static uint8_t *
narrow_codes(SdcHost *host, const SdcFrequency *frequency, int j)
{
	uint8_t *narrow = sdc_new(host, uint8_t, frequency->cells);
	int32_t i;

	for (i = 0; i < frequency->cells; i++)
		narrow[i] = (uint8_t) (frequency->code[j][i] + 1);
	return narrow;
}

void
sdc_suda2_partition_start(SdcSuda2Splitter *splitter, SdcHost *host,
						  const SdcFrequency *frequency, SdcSuda2Nulls nulls)
{
	int32_t values = 0;
	int32_t codes;
	int j;

	for (j = 0; j < frequency->columns; j++)
		if (frequency->values[j] > values)
			values = frequency->values[j];
	memset(splitter, 0, sizeof(*splitter));
	splitter->host = host;
	splitter->frequency = frequency;
	splitter->nulls = nulls;
	splitter->slot = sdc_new(host, SdcSuda2Slot, (size_t) values + 1);
	memset(splitter->slot, 0, sizeof(SdcSuda2Slot) * ((size_t) values + 1));
	/* no class has more codes than cells */
	codes = values < frequency->cells ? values + 1 : frequency->cells;
	splitter->touched = sdc_new(host, int32_t, codes);
	if (nulls == SDC_SUDA2_NULL_IS_WILDCARD)
		splitter->null_entry = sdc_new(host, int32_t, frequency->cells);
	for (j = 0; j < frequency->columns; j++)
		if (frequency->values[j] <= UINT8_MAX)
			splitter->narrow[j] = narrow_codes(host, frequency, j);
}

void
sdc_suda2_partition_finish(SdcSuda2Splitter *splitter)
{
	int j;

	splitter->host->release(splitter->host, splitter->slot);
	splitter->host->release(splitter->host, splitter->touched);
	splitter->host->release(splitter->host, splitter->code);
	splitter->host->release(splitter->host, splitter->null_entry);
	for (j = 0; j < splitter->frequency->columns; j++)
		splitter->host->release(splitter->host, splitter->narrow[j]);
}

/* Room for at least that many items; the first used ones stay. */
static inline void
make_room(SdcHost *host, int32_t **array, int32_t *room, int32_t used,
		  int64_t items)
{
	int64_t wider = (int64_t) *room + *room / 2;
	int32_t *grown;

	if (items <= *room)
		return;
	if (wider < items)
		wider = items;
	/* what a number of an entry cannot tell is more than any host gives */
	grown =
		sdc_new(host, int32_t, items > INT32_MAX ? SIZE_MAX : (size_t) wider);
	if (used > 0)
		memcpy(grown, *array, sizeof(int32_t) * (size_t) used);
	host->release(host, *array);
	*array = grown;
	*room = wider < INT32_MAX ? (int32_t) wider : INT32_MAX;
}

void
sdc_suda2_partition_clear(SdcHost *host, SdcSuda2Partition *partition,
						  int32_t entries)
{
	partition->entries = 0;
	partition->classes = 0;
	make_room(host, &partition->entry, &partition->room, 0, entries);
}

void
sdc_suda2_partition_release(SdcHost *host, SdcSuda2Partition *partition)
{
	host->release(host, partition->entry);
	host->release(host, partition->end);
	memset(partition, 0, sizeof(*partition));
}

/* Lets the host look in once in a while. */
static inline void
count_step(SdcSuda2Splitter *splitter)
{
	if (++splitter->steps % SDC_POLL_STEPS == 0)
		splitter->host->poll(splitter->host, 0, 0);
}

static inline void
mark(SdcSuda2Splitter *splitter, int32_t entry)
{
	uint32_t bit;

	if (entry < 0)
		return;
	splitter->changed = true;
	bit = (uint32_t) (entry - splitter->first);
	splitter->found[bit / 64] |= UINT64_C(1) << (bit % 64);
}

/* Begins a class of that many entries and returns where they go. */
static int32_t
open_class(SdcHost *host, SdcSuda2Partition *to, int64_t size)
{
	int32_t start = to->entries;

	make_room(host, &to->entry, &to->room, to->entries, start + size);
	make_room(host, &to->end, &to->class_room, to->classes,
			  (int64_t) to->classes + 1);
	to->entries = (int32_t) (start + size);
	to->end[to->classes++] = to->entries;
	return start;
}

/*
 * Counts the codes of a class, and puts entries that stand for every value
 * aside.  Returns how many different codes there are.
 */
static int32_t
count_codes(SdcSuda2Splitter *splitter, const int32_t *entry, int32_t size,
			const int32_t *code)
{
	SdcSuda2Slot *slots = splitter->slot;
	bool null_is_value = splitter->nulls == SDC_SUDA2_NULL_IS_VALUE;
	int32_t codes = 0;
	int32_t i;

	splitter->null_entries = 0;
	for (i = 0; i < size; i++)
	{
		int32_t c = code[i];

		count_step(splitter);
		if (c == 0 && !null_is_value)
		{
			splitter->changed = true;
			if (splitter->nulls == SDC_SUDA2_NULL_IS_WILDCARD)
				splitter->null_entry[splitter->null_entries++] =
					~cell_of(entry[i]);
			continue;
		}
		if (slots[c].count++ == 0)
			splitter->touched[codes++] = c;
		slots[c].wanted += entry[i] >= 0;
		slots[c].place = entry[i];
	}
	return codes;
}

/* Marks who is alone with its code and opens a class for who is not. */
static bool
place_codes(SdcSuda2Splitter *splitter, int32_t codes, SdcSuda2Partition *to)
{
	int32_t nulls = splitter->null_entries;
	bool any = false;
	int32_t t;

	for (t = 0; t < codes; t++)
	{
		SdcSuda2Slot *slot = &splitter->slot[splitter->touched[t]];

		if (slot->wanted > 0 && slot->count + (int64_t) nulls == 1)
			mark(splitter, slot->place);
		else if (slot->wanted > 0 && to != NULL)
		{
			int32_t start =
				open_class(splitter->host, to, slot->count + (int64_t) nulls);

			if (nulls > 0)
				memcpy(to->entry + start + slot->count, splitter->null_entry,
					   sizeof(int32_t) * (size_t) nulls);
			slot->place = start;
			any = true;
			continue;
		}
		slot->place = -1;
	}
	return any;
}

static void
split_class(SdcSuda2Splitter *splitter, const int32_t *entry, int32_t size,
			const int32_t *code, SdcSuda2Partition *to)
{
	SdcSuda2Slot *slots = splitter->slot;
	int32_t codes = count_codes(splitter, entry, size, code);
	int32_t i;

	splitter->changed = splitter->changed || codes > 1;
	if (place_codes(splitter, codes, to))
		for (i = 0; i < size; i++)
		{
			SdcSuda2Slot *slot = &slots[code[i]];

			/* slots of NULL that is no value have no count */
			if (slot->count > 0 && slot->place >= 0)
				to->entry[slot->place++] = entry[i];
		}
	for (i = 0; i < codes; i++)
		memset(&slots[splitter->touched[i]], 0, sizeof(SdcSuda2Slot));
}

/* Most classes are pairs before long. */
static inline void
split_pair(SdcSuda2Splitter *splitter, const int32_t *entry,
		   const int32_t *code, SdcSuda2Partition *to)
{
	if (code[0] != code[1])
	{
		splitter->changed = true;
		mark(splitter, entry[0]);
		mark(splitter, entry[1]);
	}
	else if (to != NULL)
	{
		int32_t start = open_class(splitter->host, to, 2);

		to->entry[start] = entry[0];
		to->entry[start + 1] = entry[1];
	}
}

/*
 * Fetches the code + 1 of every entry: in a loop of its own, for most of these
 * reads miss the cache and do not wait for each other here.
 */
static void
fetch_codes(SdcSuda2Splitter *splitter, const SdcSuda2Partition *from, int j)
{
	const int32_t *code = splitter->frequency->code[j];
	const uint8_t *narrow = splitter->narrow[j];
	int32_t i = 0;

	make_room(splitter->host, &splitter->code, &splitter->code_room, 0,
			  from->entries);
	while (i < from->entries)
	{
		int32_t end = from->entries - i > SDC_POLL_STEPS ? i + SDC_POLL_STEPS
														 : from->entries;

		splitter->host->poll(splitter->host, 0, 0);
		if (narrow != NULL)
			for (; i < end; i++)
				splitter->code[i] = narrow[cell_of(from->entry[i])];
		for (; i < end; i++)
			splitter->code[i] = code[cell_of(from->entry[i])] + 1;
	}
}

void
sdc_suda2_partition_split(SdcSuda2Splitter *splitter,
						  const SdcSuda2Partition *from, int j,
						  SdcSuda2Partition *to)
{
	bool pairs = splitter->nulls == SDC_SUDA2_NULL_IS_VALUE;
	int32_t start = 0;
	int32_t c;

	splitter->changed = false;
	fetch_codes(splitter, from, j);
	for (c = 0; c < from->classes; c++)
	{
		int32_t size = from->end[c] - start;

		count_step(splitter);
		if (size == 2 && pairs)
			split_pair(splitter, from->entry + start, splitter->code + start,
					   to);
		else
			split_class(splitter, from->entry + start, size,
						splitter->code + start, to);
		start = from->end[c];
	}
}
