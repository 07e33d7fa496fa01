/*
 * suda2.c
 *		Special uniques: minimal sample uniques, SUDA and DIS-SUDA scores.
 *
 * The search works on a block of cells at a time: all of them when the sets
 * of unique records fit the budget, else a quarter of the block that did not.
 * What a block gave is forgotten when it turns out too large, so records and
 * sums do not depend on the blocks.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/risk/suda2.h"
#include "kernel/table/frequency.h"

const char *const sdc_suda2_score_words[] = {"factorial", "elliot", "ihsn",
											 NULL};

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
	SdcNulls nulls;
	uint8_t **narrow;   /* codes + 1 of keys of few values, or NULL */
	int32_t first;      /* the cell of bit 0 of found */
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

/* A run of cells whose MSU are looked for. */
typedef struct SdcSuda2Block
{
	int32_t first;
	int32_t cells;
} SdcSuda2Block;

/* ----------------------------------------------------------------------
 * Classes of records that are equal on a set of keys, and how one more
 * key splits them.
 *
 * A class is split by counting its codes.  What is alone is unique from here
 * on and leaves, as do classes in which nobody is looked for any more, so the
 * lists shrink quickly.
 *
 * A record with a NULL that is no value is not looked for below its key: the
 * key does not help to single it out.  As a wildcard it stays a witness in
 * every class it may belong to; ignored, it is a witness in none.
 * ----------------------------------------------------------------------
 */

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

/* Room for work on the cells of a table. */
static void
suda2_partition_start(SdcSuda2Splitter *splitter, SdcHost *host,
					  const SdcFrequency *frequency, SdcNulls nulls)
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
	if (nulls == SDC_NULLS_WILDCARD)
		splitter->null_entry = sdc_new(host, int32_t, frequency->cells);
	splitter->narrow = sdc_new(host, uint8_t *, frequency->columns);
	for (j = 0; j < frequency->columns; j++)
		splitter->narrow[j] = frequency->values[j] <= UINT8_MAX
								  ? narrow_codes(host, frequency, j)
								  : NULL;
}

static void
suda2_partition_finish(SdcSuda2Splitter *splitter)
{
	int j;

	splitter->host->release(splitter->host, splitter->slot);
	splitter->host->release(splitter->host, splitter->touched);
	splitter->host->release(splitter->host, splitter->code);
	splitter->host->release(splitter->host, splitter->null_entry);
	for (j = 0; j < splitter->frequency->columns; j++)
		splitter->host->release(splitter->host, splitter->narrow[j]);
	splitter->host->release(splitter->host, splitter->narrow);
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

/* Empties a partition and makes room for that many entries. */
static void
suda2_partition_clear(SdcHost *host, SdcSuda2Partition *partition,
					  int32_t entries)
{
	partition->entries = 0;
	partition->classes = 0;
	make_room(host, &partition->entry, &partition->room, 0, entries);
}

static void
suda2_partition_release(SdcHost *host, SdcSuda2Partition *partition)
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
	bool null_is_value = splitter->nulls == SDC_NULLS_CATEGORY;
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
			if (splitter->nulls == SDC_NULLS_WILDCARD)
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

/*
 * Splits the classes of from by key j.  Entries looked for that are left alone
 * get their bit in splitter->found; classes that can still matter go to
 * *to, unless it is NULL.  *to grows as needed.  O(entries), with wildcards
 * O(entries * values).
 */
static void
suda2_partition_split(SdcSuda2Splitter *splitter,
					  const SdcSuda2Partition *from, int j,
					  SdcSuda2Partition *to)
{
	bool pairs = splitter->nulls == SDC_NULLS_CATEGORY;
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

/* ----------------------------------------------------------------------
 * The search for minimal sample uniques among a block of cells.
 *
 * Sets of keys are visited depth first, each set after all its subsets: keys
 * have bits, a set grows by bits lower than those it has, lowest first, so
 * sets come in the order of their bits read as a number.  Each level of the
 * search holds the classes of its set, split from those of the level above.
 *
 * Who is unique on a set is kept as one bit a cell.  A record is known to be
 * unique on a set when it is on one of the sets with one key less; who is
 * newly unique has found an MSU.  So minimality costs a few words for 64
 * records, and no list of MSU is needed.
 *
 * A set is a dead end, and all that contain it need not be visited, when
 * everybody is unique on it, or when its last key splits no class: then the
 * key is never needed to be unique.
 * ----------------------------------------------------------------------
 */

#define DEAD_END (-1)

/* A set of keys in the tree of sets, at a level of the search. */
typedef struct Step
{
	SdcSuda2Partition classes;
	int bit;     /* its lowest bit; the number of keys at the root */
	int32_t set; /* its number */
	/* numbers of the sets that lack one key, last key last */
	int32_t without[SDC_SUDA2_MAX_SIZE];
} Step;

typedef struct Search
{
	SdcHost *host;
	const SdcSuda2Options *options;
	const double *weight;
	SdcSuda2Block block;
	SdcSuda2 *suda;
	SdcSuda2Splitter splitter;
	int keys;
	int *key; /* the column of each bit */
	/* of each bit, the cells that are NULL there and so no MSU; or NULL */
	uint64_t **null_cells;
	size_t words;    /* of the bits of a set */
	uint64_t *known; /* unique on a subset */
	uint64_t *found; /* or on the set at hand */
	/* sets that are no dead ends, numbered as they come */
	int32_t sets;
	int32_t set_room;
	uint64_t *unique; /* words for each set */
	int32_t *child;   /* of each set the place of bit 0 in link */
	int32_t *link;    /* numbers of sets */
	int64_t links;
	int64_t link_room;
	bool exceeded;                           /* the budget */
	int64_t of_size[SDC_SUDA2_MAX_SIZE + 1]; /* MSU found */
	Step *step;                              /* max_size + 1 of them */
} Search;

/*
 * Keeps a set whose unique records are in found, with room for children if
 * it may have any, and returns its number; DEAD_END when the budget is spent.
 */
static int32_t
keep_set(Search *search, int bit, bool children)
{
	size_t bytes = sizeof(uint64_t) * search->words;
	int b;

	if (search->sets > 0 && search->words > 1 &&
		(size_t) search->sets + 1 > search->options->budget / bytes)
	{
		search->exceeded = true;
		return DEAD_END;
	}
	if (search->sets == search->set_room)
	{
		int32_t room = search->sets < 16 ? 16 : search->sets / 2 * 3;

		search->unique = sdc_grow(search->host, search->unique,
								  (size_t) search->sets, (size_t) room, bytes);
		search->child =
			sdc_grow(search->host, search->child, (size_t) search->sets,
					 (size_t) room, sizeof(int32_t));
		search->set_room = room;
	}
	memcpy(search->unique + search->words * (size_t) search->sets,
		   search->found, bytes);
	search->child[search->sets] = (int32_t) search->links;
	if (children)
	{
		if (search->links + bit > search->link_room)
		{
			int64_t room = search->link_room / 2 * 3 + 1024;

			search->link = sdc_grow(
				search->host, search->link, (size_t) search->links,
				room > INT32_MAX ? SIZE_MAX : (size_t) room, sizeof(int32_t));
			search->link_room = room;
		}
		for (b = 0; b < bit; b++)
			search->link[search->links++] = DEAD_END;
	}
	return search->sets++;
}

/*
 * Fills the next level's list of sets that lack one key, for the set that
 * the key of bit extends; false if one of them is a dead end.
 */
static bool
find_subsets(Search *search, int depth, int bit)
{
	Step *step = &search->step[depth];
	Step *next = step + 1;
	int k;

	for (k = 0; k < depth; k++)
	{
		next->without[k] = search->link[search->child[step->without[k]] + bit];
		if (next->without[k] == DEAD_END)
			return false;
	}
	next->without[depth] = step->set;
	next->bit = bit;
	return true;
}

/*
 * Fills known with who is unique on a subset of the next level's set, or can
 * have no MSU with its keys; false when that is everybody.
 */
static bool
collect_known(Search *search, int depth, const uint64_t *null_cells)
{
	Step *next = &search->step[depth + 1];
	uint64_t all = ~UINT64_C(0);
	size_t w;
	int k;

	if (null_cells != NULL)
		memcpy(search->known, null_cells, sizeof(uint64_t) * search->words);
	else
		memset(search->known, 0, sizeof(uint64_t) * search->words);
	for (k = 0; k <= depth; k++)
	{
		const uint64_t *unique =
			search->unique + search->words * (size_t) next->without[k];

		for (w = 0; w < search->words; w++)
			search->known[w] |= unique[w];
	}
	for (w = 0; w < search->words; w++)
		all &= search->known[w];
	return ~all != 0;
}

/* Books an MSU of the first size + 1 steps for a cell. */
static void
book_msu(Search *search, int size, int32_t cell)
{
	SdcSuda2 *suda = search->suda;
	int32_t u = suda->unique[cell];
	double weight = search->weight[size];
	int k;

	suda->score[u] += weight;
	suda->msus[u]++;
	search->of_size[size]++;
	if (suda->size[u] == 0 || suda->size[u] > size)
		suda->size[u] = (uint8_t) size;
	for (k = 1; k <= size; k++)
		suda->part[(size_t) u * search->keys +
				   search->key[search->step[k].bit]] += weight;
}

/* Books who is newly unique; false when everybody is unique now. */
static bool
book_found(Search *search, int size)
{
	uint64_t all = ~UINT64_C(0);
	size_t w;

	for (w = 0; w < search->words; w++)
	{
		uint64_t fresh = search->found[w] & ~search->known[w];

		for (; fresh != 0; fresh &= fresh - 1)
			book_msu(search, size,
					 search->block.first + (int32_t) (w * 64) +
						 __builtin_ctzll(fresh));
		search->found[w] |= search->known[w];
		all &= search->found[w];
	}
	return ~all != 0;
}

/*
 * Visits the set of the level and the key of bit: books its MSU, and keeps
 * it for the sets that contain it.  Returns its number or DEAD_END.
 */
static int32_t
visit(Search *search, int depth, int bit)
{
	int max_size = search->options->max_size;
	bool deeper = depth + 1 < max_size && bit > 0;
	Step *step = &search->step[depth];
	Step *next = step + 1;

	if (!find_subsets(search, depth, bit) ||
		!collect_known(search, depth, search->null_cells[bit]))
		return DEAD_END;
	memset(search->found, 0, sizeof(uint64_t) * search->words);
	if (deeper)
		suda2_partition_clear(search->host, &next->classes,
							  step->classes.entries);
	suda2_partition_split(&search->splitter, &step->classes, search->key[bit],
						  deeper ? &next->classes : NULL);
	if (!search->splitter.changed || !book_found(search, depth + 1))
		return DEAD_END;
	if (depth + 1 == max_size)
		return DEAD_END;
	next->set = keep_set(search, bit, depth + 2 < max_size);
	return next->set;
}

/* Visits all sets that extend the one of the level. */
static void
visit_below(Search *search, int depth)
{
	Step *step = &search->step[depth];
	int bit;

	for (bit = 0; bit < step->bit && !search->exceeded; bit++)
	{
		int32_t set = visit(search, depth, bit);

		if (depth + 1 < search->options->max_size)
			search->link[search->child[step->set] + bit] = set;
		if (set != DEAD_END && bit > 0)
			visit_below(search, depth + 1);
	}
}

/*
 * Gives bits to the keys: keys with many values split best and so get the
 * high bits, for these are in most prefixes of sets.
 */
static void
order_keys(Search *search, const SdcFrequency *frequency)
{
	int j;
	int b;

	for (j = 0; j < search->keys; j++)
	{
		for (b = j; b > 0 && frequency->values[search->key[b - 1]] >
								 frequency->values[j];
			 b--)
			search->key[b] = search->key[b - 1];
		search->key[b] = j;
	}
}

static uint64_t *
clear_bits(Search *search)
{
	uint64_t *bits = sdc_new(search->host, uint64_t, search->words);

	memset(bits, 0, sizeof(uint64_t) * search->words);
	return bits;
}

static void
find_null_cells(Search *search, const SdcFrequency *frequency)
{
	int32_t i;
	int b;

	for (b = 0; b < search->keys; b++)
	{
		const int32_t *code = frequency->code[search->key[b]];
		uint64_t *bits = clear_bits(search);
		bool any = false;

		for (i = 0; i < search->block.cells; i++)
			if (code[search->block.first + i] == SDC_CODE_NULL)
			{
				bits[i / 64] |= UINT64_C(1) << (i % 64);
				any = true;
			}
		search->null_cells[b] = any ? bits : NULL;
		if (!any)
			search->host->release(search->host, bits);
	}
}

/* One class of all cells; who is not looked for counts as found. */
static void
start_root(Search *search, const SdcFrequency *frequency)
{
	Step *root = &search->step[0];
	int32_t first = search->block.first;
	int32_t i;

	suda2_partition_clear(search->host, &root->classes, frequency->cells);
	root->classes.end = sdc_new(search->host, int32_t, 1);
	root->classes.class_room = 1;
	root->classes.classes = 1;
	root->classes.end[0] = frequency->cells;
	root->classes.entries = frequency->cells;
	for (i = 0; i < frequency->cells; i++)
		root->classes.entry[i] = ~i;
	memset(search->found, 255, sizeof(uint64_t) * search->words);
	for (i = 0; i < search->block.cells; i++)
		if (frequency->count[first + i] == 1)
		{
			root->classes.entry[first + i] = first + i;
			search->found[i / 64] &= ~(UINT64_C(1) << (i % 64));
		}
	root->bit = search->keys;
	root->set = keep_set(search, root->bit, search->options->max_size > 1);
}

static void
release_search(Search *search)
{
	SdcHost *host = search->host;
	int i;

	suda2_partition_finish(&search->splitter);
	for (i = 0; i <= search->options->max_size; i++)
		suda2_partition_release(host, &search->step[i].classes);
	for (i = 0; i < search->keys; i++)
		host->release(host, search->null_cells[i]);
	host->release(host, search->key);
	host->release(host, search->null_cells);
	host->release(host, search->step);
	host->release(host, search->known);
	host->release(host, search->found);
	host->release(host, search->unique);
	host->release(host, search->child);
	host->release(host, search->link);
}

/*
 * Adds the MSU of the unique records of a block to the arrays of *suda; every
 * other record is a witness.  weight[s] is what an MSU of s keys is worth.
 * False if the sets of unique records would take more than the budget: the
 * arrays of the block then hold a part, and the block must be made smaller;
 * a block of 64 cells is always done.
 */
static bool
suda2_search(SdcHost *host, const SdcFrequency *frequency,
			 const SdcSuda2Options *options, const double *weight,
			 SdcSuda2Block block, SdcSuda2 *suda)
{
	Search search;
	size_t steps = (size_t) options->max_size + 1;
	int s;

	memset(&search, 0, sizeof(search));
	search.host = host;
	search.options = options;
	search.weight = weight;
	search.block = block;
	search.suda = suda;
	search.keys = frequency->columns;
	search.words = ((size_t) block.cells + 63) / 64;
	search.known = clear_bits(&search);
	search.found = clear_bits(&search);
	search.step = sdc_new(host, Step, steps);
	memset(search.step, 0, sizeof(Step) * steps);
	search.key = sdc_new(host, int, search.keys);
	search.null_cells = sdc_new(host, uint64_t *, search.keys);
	memset(search.null_cells, 0, sizeof(uint64_t *) * (size_t) search.keys);
	order_keys(&search, frequency);
	if (options->nulls != SDC_NULLS_CATEGORY)
		find_null_cells(&search, frequency);
	suda2_partition_start(&search.splitter, host, frequency, options->nulls);
	search.splitter.first = block.first;
	search.splitter.found = search.found;
	start_root(&search, frequency);
	visit_below(&search, 0);
	release_search(&search);
	for (s = 1; s <= options->max_size && !search.exceeded; s++)
		suda->of_size[s] += search.of_size[s];
	return !search.exceeded;
}

/* ----------------------------------------------------------------------
 * Special uniques: minimal sample uniques, SUDA and DIS-SUDA scores.
 * ----------------------------------------------------------------------
 */

/* libm: DIS-SUDA is a measure, and its definition has a power. */

#define BUDGET ((size_t) 64 * 1024 * 1024)

/* Q of DIS-SUDA at the least. */
#define LEAST_EXPONENT 0.05

/* (keys - s)!, or divided by (keys - 1)!. */
static double
factorial_weight(int keys, int s, bool scaled)
{
	double weight = 1;
	int i;

	if (scaled)
		for (i = 1; i < s; i++)
			weight /= keys - i;
	else
		for (i = s; i < keys; i++)
			weight *= keys - i;
	return weight;
}

/* Fills weight[1 .. max_size]. */
static void
fill_weights(const SdcSuda2Options *options, int keys, double *weight)
{
	int last = options->max_size < keys - 1 ? options->max_size : keys - 1;
	bool scaled = keys >= SDC_SUDA2_SCALED_KEYS;
	double subsets = 1;
	int s;
	int i;

	for (s = 1; s <= options->max_size; s++)
	{
		/* C(keys, s), exact while it fits a double */
		subsets = subsets * (keys - s + 1) / s;
		weight[s] = 1;
		if (options->score == SDC_SUDA2_FACTORIAL)
			weight[s] = factorial_weight(keys, s, scaled);
		else if (options->score == SDC_SUDA2_IHSN)
			weight[s] = (scaled ? ldexp(1, 1 - s) - ldexp(1, 1 - keys)
								: ldexp(1, keys - s) - 1) /
						subsets;
		else
			for (i = s; i <= last; i++)
				weight[s] *= keys - i;
	}
}

/* Counts who agrees in all keys with nobody, and with one other. */
static void
count_matches(SdcHost *host, const SdcFrequency *frequency, SdcNulls nulls,
			  SdcSuda2 *suda)
{
	SdcClasses *classes =
		sdc_frequency_classes(host, frequency, frequency->columns);
	int64_t *matches = classes->size;
	int32_t i;

	if (nulls == SDC_NULLS_WILDCARD)
	{
		matches = sdc_new(host, int64_t, classes->classes);
		sdc_wildcard_match(host, frequency, classes, frequency->columns,
						   matches, NULL);
	}
	for (i = 0; i < classes->classes; i++)
	{
		suda->singles += matches[i] == 1;
		suda->doubles += matches[i] == 2 ? classes->size[i] : 0;
	}
	if (matches != classes->size)
		host->release(host, matches);
	sdc_classes_release(host, classes);
}

/* Numbers the unique records. */
static SdcSuda2 *
start_result(SdcHost *host, const SdcFrequency *frequency)
{
	SdcSuda2 *suda = sdc_new(host, SdcSuda2, 1);
	size_t count;
	int32_t i;

	memset(suda, 0, sizeof(*suda));
	suda->keys = frequency->columns;
	suda->unique = sdc_new(host, int32_t, frequency->cells);
	for (i = 0; i < frequency->cells; i++)
		suda->unique[i] = frequency->count[i] == 1 ? suda->uniques++ : -1;
	count = (size_t) suda->uniques;
	suda->score = sdc_new(host, double, count);
	suda->msus = sdc_new(host, int64_t, count);
	suda->size = sdc_new(host, uint8_t, count);
	suda->part = sdc_new(host, double, count *(size_t) suda->keys);
	suda->of_size = sdc_new(host, int64_t, (size_t) suda->keys + 1);
	memset(suda->of_size, 0, sizeof(int64_t) * ((size_t) suda->keys + 1));
	return suda;
}

/* Forgets what a block has given. */
static void
clear_block(SdcSuda2 *suda, SdcSuda2Block block)
{
	int32_t i;
	int j;

	for (i = block.first; i < block.first + block.cells; i++)
	{
		int32_t u = suda->unique[i];

		if (u < 0)
			continue;
		suda->score[u] = 0;
		suda->msus[u] = 0;
		suda->size[u] = 0;
		for (j = 0; j < suda->keys; j++)
			suda->part[(size_t) u * suda->keys + j] = 0;
	}
}

static bool
has_unique(const SdcSuda2 *suda, SdcSuda2Block block)
{
	int32_t i;

	for (i = block.first; i < block.first + block.cells; i++)
		if (suda->unique[i] >= 0)
			return true;
	return false;
}

static void
search_blocks(SdcHost *host, const SdcFrequency *frequency,
			  const SdcSuda2Options *options, const double *weight,
			  SdcSuda2 *suda)
{
	SdcSuda2Block block = {0, frequency->cells};
	int32_t cells = frequency->cells;

	while (block.first < frequency->cells)
	{
		block.cells = frequency->cells - block.first < cells
						  ? frequency->cells - block.first
						  : cells;
		clear_block(suda, block);
		if (has_unique(suda, block) &&
			!suda2_search(host, frequency, options, weight, block, suda))
		{
			cells = (block.cells / 4 + 63) / 64 * 64;
			continue;
		}
		block.first += block.cells;
	}
}

SdcSuda2 *
sdc_suda2_find(SdcHost *host, const SdcFrequency *frequency,
			   const SdcSuda2Options *options)
{
	SdcSuda2Options chosen = *options;
	SdcSuda2 *suda = start_result(host, frequency);
	double weight[SDC_SUDA2_MAX_SIZE + 1];
	int32_t u;

	if (chosen.budget == 0)
		chosen.budget = BUDGET;
	fill_weights(&chosen, suda->keys, weight);
	host->stage(host, "looking for special uniques");
	search_blocks(host, frequency, &chosen, weight, suda);
	count_matches(host, frequency, chosen.nulls, suda);
	for (u = 0; u < suda->uniques; u++)
		suda->total += suda->score[u];
	return suda;
}

double
sdc_suda2_match(const SdcSuda2 *suda, double p)
{
	double right = p * (double) suda->singles;

	return right / (right + (1 - p) * (double) suda->doubles);
}

void
sdc_suda2_dis(SdcHost *host, const SdcSuda2 *suda, double p, double *dis)
{
	double match = sdc_suda2_match(suda, p);
	double q = fmax(1 + (8 - suda->keys) / 20.0, LEAST_EXPONENT);
	double odds = (double) suda->singles / match - (double) suda->singles;
	double sum = 0;
	int32_t u;

	for (u = 0; u < suda->uniques; u++)
	{
		if (u % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		dis[u] = suda->score[u] > 0 ? pow(suda->score[u], q) : 0;
		if (dis[u] > 0)
			sum += 1 / dis[u];
	}
	for (u = 0; u < suda->uniques; u++)
		if (dis[u] > 0)
			dis[u] = 1 / (1 + odds / (dis[u] * sum));
}

void
sdc_suda2_contributions(SdcHost *host, const SdcSuda2 *suda, double *share)
{
	int32_t u;
	int j;

	for (j = 0; j < suda->keys; j++)
		share[j] = 0;
	for (u = 0; u < suda->uniques; u++)
	{
		if (u % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		for (j = 0; j < suda->keys; j++)
			share[j] += suda->part[(size_t) u * suda->keys + j];
	}
	for (j = 0; j < suda->keys; j++)
		if (suda->total > 0)
			share[j] /= suda->total;
}

void
sdc_suda2_value_contributions(SdcHost *host, const SdcSuda2 *suda,
							  const SdcFrequency *frequency, int j,
							  double *share)
{
	int32_t values = frequency->values[j];
	int32_t i;

	for (i = 0; i <= values; i++)
		share[i] = 0;
	for (i = 0; i < frequency->cells; i++)
	{
		int32_t u = suda->unique[i];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (u >= 0)
			share[1 + frequency->code[j][i]] +=
				suda->part[(size_t) u * suda->keys + j];
	}
	for (i = 0; i <= values; i++)
		if (suda->total > 0)
			share[i] /= suda->total;
}
