/*
 * suda2_search.c
 *		The search for minimal sample uniques among a block of cells.
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
 */
#include "kernel/risk/suda2_search.h"

#include <string.h>

#include "kernel/risk/suda2_partition.h"
#include "kernel/base/grow.h"

#define DEAD_END (-1)

/* A set of keys in the tree of sets, at a level of the search. */
typedef struct Step
{
	SdcSuda2Partition classes;
	int bit;     /* its lowest bit; the number of keys at the root */
	int32_t set; /* its number */
	/* numbers of the sets that lack one key, last key last */
	int32_t without[SDC_SUDA2_MAX_KEYS];
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
	int key[SDC_SUDA2_MAX_KEYS]; /* the column of each bit */
	/* of each bit, the cells that are NULL there and so no MSU; or NULL */
	uint64_t *null_cells[SDC_SUDA2_MAX_KEYS];
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
	int64_t of_size[SDC_SUDA2_MAX_KEYS + 1]; /* MSU found */
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
		sdc_suda2_partition_clear(search->host, &next->classes,
								  step->classes.entries);
	sdc_suda2_partition_split(&search->splitter, &step->classes,
							  search->key[bit],
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

	sdc_suda2_partition_clear(search->host, &root->classes, frequency->cells);
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

	sdc_suda2_partition_finish(&search->splitter);
	for (i = 0; i <= search->options->max_size; i++)
		sdc_suda2_partition_release(host, &search->step[i].classes);
	for (i = 0; i < search->keys; i++)
		host->release(host, search->null_cells[i]);
	host->release(host, search->step);
	host->release(host, search->known);
	host->release(host, search->found);
	host->release(host, search->unique);
	host->release(host, search->child);
	host->release(host, search->link);
}

bool
sdc_suda2_search(SdcHost *host, const SdcFrequency *frequency,
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
	order_keys(&search, frequency);
	if (options->nulls != SDC_SUDA2_NULL_IS_VALUE)
		find_null_cells(&search, frequency);
	sdc_suda2_partition_start(&search.splitter, host, frequency,
							  options->nulls);
	search.splitter.first = block.first;
	search.splitter.found = search.found;
	start_root(&search, frequency);
	visit_below(&search, 0);
	release_search(&search);
	for (s = 1; s <= options->max_size && !search.exceeded; s++)
		suda->of_size[s] += search.of_size[s];
	return !search.exceeded;
}
