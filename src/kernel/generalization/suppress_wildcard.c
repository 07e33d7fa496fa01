/*
 * suppress_wildcard.c
 *		Local suppression when NULL matches everything.
 *
 * For each set of keys, cheapest first, the classes that lack something are
 * grouped by the keys that they would keep.  A group whose kept keys at least
 * k records of the table have can help itself: whoever loses the set is like
 * all of these, and each of the others gets one more record like it.  So only
 * as many lose it as the others need; the group is then done with.  Groups of
 * sets that cost the same are pooled first.
 */
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/generalization/suppress.h"
#include "kernel/generalization/suppress_wildcard.h"
#include "kernel/table/frequency.h"

/*
 * Groups that compete for classes: a class may be in several, which lose sets
 * of keys that cost the same.
 */
typedef struct SdcSuppressPool
{
	SdcSuppressState *state;
	const int64_t *alike;
	const bool *diverse;
	bool *done; /* by class */
	int32_t groups;
	int32_t group_room;
	struct SdcSuppressPooled *group;
	int64_t entries;
	int64_t room;
	int32_t *class;
} SdcSuppressPool;

static int32_t
class_code(const SdcSuppressState *state, int j, int32_t class)
{
	return state->frequency->code[j][state->classes->first[class]];
}

/* ----------------------------------------------------------------------
 * Local suppression: records that may agree as NULL matches everything.
 *
 * Classes are taken by pattern, the keys that are NULL in them.  Classes of
 * one pattern may agree with those of another when their codes are the same in
 * the keys that neither pattern has, nor the set that is to be suppressed; so
 * one hash table over the smaller of the two sides joins them.  Only whether
 * there are k matters, so the largest pattern goes first, and who has k is
 * left out of the next.  Where nearly each class has a pattern of its own,
 * classes are compared with classes instead.
 * ----------------------------------------------------------------------
 */

/* Classes of one pattern that records are looked for. */
typedef struct Wanted
{
	const int32_t *class;
	int64_t *total;
	int32_t *place; /* of those still looked for, in class and total */
	int32_t count;
	int32_t *group;
} Wanted;

/* Do the classes in places a and b of by_pattern have the same NULLs? */
static bool
same_nulls(const SdcSuppressState *state, int32_t a, int32_t b)
{
	return memcmp(sdc_suppress_nulls(state, state->by_pattern[a]),
				  sdc_suppress_nulls(state, state->by_pattern[b]),
				  sizeof(uint64_t) * (size_t) state->words) == 0;
}

/* Sorts the classes by pattern, last word last; returns how many there are. */
static int32_t
sort_by_nulls(SdcSuppressState *state, uint64_t *key)
{
	int32_t n = state->classes->classes;
	int32_t patterns = 0;
	int32_t i;
	int w;

	for (i = 0; i < n; i++)
		state->by_pattern[i] = i;
	for (w = 0; w < state->words; w++)
	{
		for (i = 0; i < n; i++)
			key[i] = sdc_suppress_nulls(state, state->by_pattern[i])[w];
		sdc_sort_keys(state->host, key, state->by_pattern, (size_t) n);
	}
	for (i = 0; i < n; i++)
		patterns += i == 0 || !same_nulls(state, i, i - 1);
	return patterns;
}

/* Finds the patterns, and puts those with most classes first. */
static void
find_patterns(SdcSuppressState *state)
{
	SdcHost *host = state->host;
	int32_t n = state->classes->classes;
	uint64_t *key = sdc_new(host, uint64_t, n);
	int32_t *run;
	int32_t *unsorted;
	int32_t i;
	int p;

	state->by_pattern = sdc_new(host, int32_t, n);
	state->pattern_of = sdc_new(host, int32_t, n);
	state->patterns = sort_by_nulls(state, key);
	state->pattern = sdc_new(host, uint64_t,
							 (size_t) state->patterns * (size_t) state->words);
	state->pattern_start =
		sdc_new(host, int32_t, (size_t) state->patterns + 1);
	run = sdc_new(host, int32_t, state->patterns);
	unsorted = sdc_new(host, int32_t, (size_t) state->patterns + 1);
	for (i = 0, p = 0; i < n; i++)
		if (i == 0 || !same_nulls(state, i, i - 1))
			unsorted[p++] = i;
	unsorted[p] = n;
	for (p = 0; p < state->patterns; p++)
	{
		run[p] = p;
		key[p] = (uint64_t) (n - (unsorted[p + 1] - unsorted[p]));
	}
	sdc_sort_keys(host, key, run, (size_t) state->patterns);
	memcpy(state->pattern_of, state->by_pattern, sizeof(int32_t) * (size_t) n);
	for (p = 0, i = 0; p < state->patterns; p++)
	{
		int32_t size = unsorted[run[p] + 1] - unsorted[run[p]];

		memcpy(state->by_pattern + i, state->pattern_of + unsorted[run[p]],
			   sizeof(int32_t) * (size_t) size);
		memcpy(state->pattern + (size_t) p * (size_t) state->words,
			   sdc_suppress_nulls(state, state->by_pattern[i]),
			   sizeof(uint64_t) * (size_t) state->words);
		state->pattern_start[p] = i;
		i += size;
	}
	state->pattern_start[p] = n;
	for (p = 0; p < state->patterns; p++)
		for (i = state->pattern_start[p]; i < state->pattern_start[p + 1]; i++)
			state->pattern_of[state->by_pattern[i]] = p;
	host->release(host, key);
	host->release(host, run);
	host->release(host, unsorted);
}

/* Adds the records of a pattern, by a table of the wanted classes. */
static void
join_wanted(SdcSuppressState *state, const Wanted *wanted,
			const int32_t *class, int32_t count)
{
	int32_t i;

	for (i = 0; i < wanted->count; i++)
		wanted->group[i] =
			sdc_suppress_groups_add(state, wanted->class[wanted->place[i]]);
	memset(state->sum, 0, sizeof(int64_t) * (size_t) state->groups);
	for (i = 0; i < count; i++)
	{
		int32_t group = sdc_suppress_groups_find(state, class[i]);

		sdc_suppress_poll(state, i);
		if (group >= 0)
			state->sum[group] += state->classes->size[class[i]];
	}
	for (i = 0; i < wanted->count; i++)
		wanted->total[wanted->place[i]] += state->sum[wanted->group[i]];
}

/* The same by a table of the pattern. */
static void
join_pattern(SdcSuppressState *state, const Wanted *wanted,
			 const int32_t *class, int32_t count)
{
	int32_t i;

	for (i = 0; i < count; i++)
	{
		int32_t groups = state->groups;
		int32_t group = sdc_suppress_groups_add(state, class[i]);

		if (state->groups > groups)
			state->sum[group] = 0;
		state->sum[group] += state->classes->size[class[i]];
	}
	for (i = 0; i < wanted->count; i++)
	{
		int32_t group =
			sdc_suppress_groups_find(state, wanted->class[wanted->place[i]]);

		sdc_suppress_poll(state, i);
		if (group >= 0)
			wanted->total[wanted->place[i]] += state->sum[group];
	}
}

/* Joins classes of one pattern with all patterns until each has k. */
static void
match_pattern(SdcSuppressState *state, const uint64_t *mask, Wanted *wanted)
{
	const uint64_t *nulls =
		sdc_suppress_nulls(state, wanted->class[wanted->place[0]]);
	uint64_t *both = state->both;
	int p;
	int w;

	for (p = 0; p < state->patterns && wanted->count > 0; p++)
	{
		const int32_t *class = state->by_pattern + state->pattern_start[p];
		int32_t count = state->pattern_start[p + 1] - state->pattern_start[p];
		int32_t left = 0;
		const uint64_t *pattern =
			state->pattern + (size_t) p * (size_t) state->words;
		int32_t i;

		for (w = 0; w < state->words; w++)
			both[w] = mask[w] | nulls[w] | pattern[w];
		sdc_suppress_groups_start(
			state, both, wanted->count < count ? wanted->count : count);
		if (wanted->count < count)
			join_wanted(state, wanted, class, count);
		else
			join_pattern(state, wanted, class, count);
		for (i = 0; i < wanted->count; i++)
			if (wanted->total[wanted->place[i]] < state->request->k)
				wanted->place[left++] = wanted->place[i];
		wanted->count = left;
	}
}

/* May two classes agree in all keys but a set? */
static bool
may_agree(const SdcSuppressState *state, const uint64_t *mask, int32_t a,
		  int32_t b)
{
	int j;

	for (j = 0; j < state->request->keys; j++)
	{
		int32_t x = class_code(state, j, a);
		int32_t y = class_code(state, j, b);

		if (x != y && x != SDC_CODE_NULL && y != SDC_CODE_NULL &&
			(mask[j / 64] >> j % 64 & 1) == 0)
			return false;
	}
	return true;
}

/* Compares each of the classes with all others until it has k. */
static void
match_pairs(SdcSuppressState *state, const uint64_t *mask,
			const int32_t *class, int32_t count, int64_t *total)
{
	int32_t n = state->classes->classes;
	int32_t i;
	int32_t c;

	for (i = 0; i < count; i++)
	{
		total[i] = 0;
		state->host->poll(state->host, (uint64_t) i, (uint64_t) count);
		for (c = 0; c < n && total[i] < state->request->k; c++)
		{
			sdc_suppress_poll(state, c);
			if (may_agree(state, mask, class[i], c))
				total[i] += state->classes->size[c];
		}
	}
}

/* Steps of a comparison of two classes, about; most differ early. */
#define STEPS_OF_PAIR 8

/* Joins classes, sorted by pattern, pattern by pattern. */
static void
match_patterns(SdcSuppressState *state, const uint64_t *mask,
			   const int32_t *class, int32_t count, const uint64_t *key,
			   int32_t *order, int64_t *total)
{
	int32_t *group = sdc_new(state->host, int32_t, count);
	int32_t first;
	int32_t last;

	for (first = 0; first < count; first = last)
	{
		Wanted wanted = {class, total, order + first, 0, group};

		for (last = first; last < count && key[last] == key[first]; last++)
			;
		wanted.count = last - first;
		match_pattern(state, mask, &wanted);
	}
	state->host->release(state->host, group);
}

/*
 * Is it less work to compare classes with classes?  For each pattern that is
 * looked for, all classes are put into tables, key by key.
 */
static bool
pairs_are_less(const SdcSuppressState *state, const uint64_t *key,
			   int32_t count)
{
	double n = state->classes->classes;
	double keys = state->request->keys;
	int32_t patterns = 0;
	int32_t i;

	for (i = 0; i < count; i++)
		patterns += i == 0 || key[i] != key[i - 1];
	return STEPS_OF_PAIR * n * count < patterns * (n + state->patterns * keys);
}

void
sdc_suppress_match(SdcSuppressState *state, const uint64_t *mask,
				   const int32_t *class, int32_t count, int64_t *total)
{
	SdcHost *host = state->host;
	uint64_t *key = sdc_new(host, uint64_t, count);
	int32_t *order = sdc_new(host, int32_t, count);
	int32_t i;

	if (state->pattern == NULL)
		find_patterns(state);
	for (i = 0; i < count; i++)
	{
		total[i] = 0;
		order[i] = i;
		key[i] = (uint64_t) state->pattern_of[class[i]];
	}
	sdc_sort_keys(host, key, order, (size_t) count);
	if (pairs_are_less(state, key, count))
		match_pairs(state, mask, class, count, total);
	else
		match_patterns(state, mask, class, count, key, order, total);
	host->release(host, key);
	host->release(host, order);
}

/* ----------------------------------------------------------------------
 * Local suppression: classes that are alike without some of the keys.
 *
 * The codes of a class are packed into 64 bits; a group is found by hashing
 * those that are kept.  Codes that need more bits are hashed one by one and
 * the hashes added up, so that those of suppressed keys can be taken out
 * again; two groups in 2^64 would then be taken for one, which the check that
 * follows every suppression finds.
 * ----------------------------------------------------------------------
 */

/* Gives each key its bits; the codes are 0 .. values, the last for NULL. */
static void
lay_out(SdcSuppressState *state)
{
	int used = 0;
	int j;

	state->bits = sdc_new(state->host, uint64_t, state->request->keys);
	for (j = 0; j < state->request->keys; j++)
	{
		uint32_t values = (uint32_t) state->frequency->values[j];
		int bits = 0;

		while (bits < 32 && values >> bits != 0)
			bits++;
		state->hashed = state->hashed || used + bits > 64;
		if (state->hashed)
			return;
		state->bits[j] = bits == 0 ? 0 : (UINT64_MAX >> (64 - bits)) << used;
		used += bits;
	}
}

static uint64_t
hash_code(int j, int32_t code)
{
	return sdc_random_mix(((uint64_t) j << 32 | (uint32_t) code) +
						  UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t
pack(const SdcSuppressState *state, int32_t class)
{
	uint64_t packed = 0;
	int j;

	for (j = 0; j < state->request->keys; j++)
	{
		int32_t code = class_code(state, j, class);

		if (state->hashed)
			packed += hash_code(j, code);
		else if (state->bits[j] != 0)
			packed |=
				(uint64_t) (code == SDC_CODE_NULL ? state->frequency->values[j]
												  : code)
				<< __builtin_ctzll(state->bits[j]);
	}
	return packed;
}

uint64_t *
sdc_suppress_empty(const SdcSuppressState *state)
{
	uint64_t *set = sdc_new(state->host, uint64_t, state->words);

	memset(set, 0, sizeof(uint64_t) * (size_t) state->words);
	return set;
}

/* Finds the keys that are NULL in a class. */
static void
find_nulls(SdcSuppressState *state, int32_t class)
{
	uint64_t *nulls = state->nulls + (size_t) class * (size_t) state->words;
	int j;

	for (j = 0; j < state->request->keys; j++)
		if (class_code(state, j, class) == SDC_CODE_NULL)
		{
			nulls[j / 64] |= UINT64_C(1) << j % 64;
			state->any_nulls = true;
		}
}

void
sdc_suppress_pack(SdcSuppressState *state)
{
	SdcHost *host = state->host;
	size_t n = (size_t) state->classes->classes;
	size_t words = n * (size_t) state->words;
	int32_t c;

	lay_out(state);
	state->packed = sdc_new(host, uint64_t, n);
	state->nulls = sdc_new(host, uint64_t, words);
	memset(state->nulls, 0, sizeof(uint64_t) * words);
	for (c = 0; c < state->classes->classes; c++)
	{
		sdc_suppress_poll(state, c);
		state->packed[c] = pack(state, c);
		find_nulls(state, c);
	}
	state->suppressed = sdc_suppress_empty(state);
	state->joined = sdc_suppress_empty(state);
	state->both = sdc_suppress_empty(state);
	state->out = sdc_suppress_empty(state);
	sdc_table_create(host, &state->table, n);
	state->group_key = sdc_new(host, uint64_t, n);
	state->sum = sdc_new(host, int64_t, n);
}

/* Starts the hashes without keys anew. */
static void
restart_chain(SdcSuppressState *state)
{
	size_t n = (size_t) state->classes->classes;

	if (state->chained == NULL)
	{
		state->chained = sdc_new(state->host, uint64_t, n);
		state->without = sdc_suppress_empty(state);
	}
	memcpy(state->chained, state->packed, sizeof(uint64_t) * n);
	memset(state->without, 0, sizeof(uint64_t) * (size_t) state->words);
	state->chained_keys = 0;
}

void
sdc_suppress_prepare(SdcSuppressState *state, int m)
{
	int32_t c;

	if (!state->hashed || state->chain[m] == 0)
		return;
	if (state->chained == NULL || state->chain[m] < state->chained_keys)
		restart_chain(state);
	while (state->chained_keys < state->chain[m])
	{
		int j = state->order[state->chained_keys++];

		state->host->poll(state->host, 0, 0);
		for (c = 0; c < state->classes->classes; c++)
			state->chained[c] -= hash_code(j, class_code(state, j, c));
		state->without[j / 64] |= UINT64_C(1) << j % 64;
	}
}

void
sdc_suppress_groups_start(SdcSuppressState *state, const uint64_t *suppressed,
						  int32_t most)
{
	int j;

	sdc_table_clear(&state->table, (size_t) most);
	state->groups = 0;
	memcpy(state->suppressed, suppressed,
		   sizeof(uint64_t) * (size_t) state->words);
	state->base = state->packed;
	memcpy(state->out, suppressed, sizeof(uint64_t) * (size_t) state->words);
	if (state->chained != NULL &&
		sdc_suppress_within(state, state->without, suppressed))
	{
		state->base = state->chained;
		sdc_suppress_minus(state, state->out, suppressed, state->without);
	}
	state->keep = 0;
	for (j = 0; j < state->request->keys && !state->hashed; j++)
		if ((suppressed[j / 64] >> j % 64 & 1) == 0)
			state->keep |= state->bits[j];
}

/* What tells groups apart. */
static inline uint64_t
key_of(const SdcSuppressState *state, int32_t class)
{
	uint64_t key = state->base[class];
	uint64_t left;
	int w;

	if (!state->hashed)
		return key & state->keep;
	for (w = 0; w < state->words; w++)
		for (left = state->out[w]; left != 0; left &= left - 1)
		{
			int j = 64 * w + __builtin_ctzll(left);

			key -= hash_code(j, class_code(state, j, class));
		}
	return key;
}

static inline bool
is_key(const uint64_t *keys, int32_t number, uint64_t key)
{
	return keys[number] == key;
}

SDC_TABLE_FIND(find_key, const uint64_t *, uint64_t, is_key);

int32_t
sdc_suppress_groups_add(SdcSuppressState *state, int32_t class)
{
	uint64_t key = key_of(state, class);
	int32_t *slot =
		find_key(&state->table, sdc_table_hash(0, key), state->group_key, key);

	if (*slot == SDC_TABLE_NONE)
	{
		state->group_key[state->groups] = key;
		*slot = state->groups++;
	}
	return *slot;
}

int32_t
sdc_suppress_groups_find(const SdcSuppressState *state, int32_t class)
{
	uint64_t key = key_of(state, class);

	return *find_key(&state->table, sdc_table_hash(0, key), state->group_key,
					 key);
}

void
sdc_suppress_values_begin(SdcSuppressState *state)
{
	SdcHost *host = state->host;
	size_t most = state->frequency->cells;

	if (state->pair == NULL)
	{
		state->pair = sdc_new(host, uint64_t, most);
		sdc_table_create(host, &state->pair_table, most);
		state->distinct = sdc_new(host, int32_t, state->classes->classes);
	}
	if (most / (size_t) state->request->l >= (size_t) state->groups)
		most = (size_t) state->groups * (size_t) state->request->l;
	sdc_table_clear(&state->pair_table, most);
	state->pairs = 0;
	memset(state->distinct, 0, sizeof(int32_t) * (size_t) state->groups);
}

void
sdc_suppress_values_bring(SdcSuppressState *state, int sensitive,
						  int32_t class, int32_t group)
{
	const int32_t *code = state->frequency->code[sensitive];
	int32_t cell;

	for (cell = state->classes->first[class];
		 cell < state->classes->first[class + 1] &&
		 state->distinct[group] < state->request->l;
		 cell++)
	{
		uint64_t pair = (uint64_t) group << 32 | (uint32_t) (code[cell] + 1);
		int32_t *slot = find_key(&state->pair_table, sdc_table_hash(0, pair),
								 state->pair, pair);

		if (*slot != SDC_TABLE_NONE)
			continue;
		*slot = state->pairs;
		state->pair[state->pairs++] = pair;
		state->distinct[group]++;
	}
}

void
sdc_suppress_values_end(SdcSuppressState *state)
{
	int32_t g;

	for (g = 0; g < state->groups; g++)
		state->diverse[g] += state->distinct[g] >= state->request->l;
}

/* Counts different codes up to l; those of a class are mostly few. */
static bool
groups_has_values(const int32_t *code, int32_t begin, int32_t end, int64_t l,
				  int32_t *seen)
{
	int64_t count = 0;
	int64_t i;
	int32_t cell;

	for (cell = begin; cell < end && count < l; cell++)
	{
		for (i = count; i > 0 && seen[i - 1] != code[cell]; i--)
			;
		if (i == 0)
			seen[count++] = code[cell];
	}
	return count >= l;
}

bool
sdc_suppress_is_diverse(const SdcFrequency *frequency, int first,
						int32_t begin, int32_t end, int64_t l, int32_t *seen)
{
	int j;

	if (l <= 1)
		return true;
	for (j = first; j < frequency->columns; j++)
		if (!groups_has_values(frequency->code[j], begin, end, l, seen))
			return false;
	return true;
}

/* ----------------------------------------------------------------------
 * Local suppression: which records of a group help the others.
 *
 * Let T records of a group be suppressed.  A class that keeps its values and
 * had f records like it then has f + T, less those of its own among the T.  So
 * the classes with f + T < k must all be among the T; the least T for which
 * they fit, and for which the rest of T is found in other classes, is taken.
 *
 * With l there are two ways: classes that lack values are suppressed; or such
 * whole classes are that have l values together, which everyone then is like.
 * ----------------------------------------------------------------------
 */

/* A group being settled. */
typedef struct Group
{
	SdcSuppressState *state;
	const int64_t *alike;
	const int32_t *class;
	int32_t count;
} Group;

/* What a choice of T is made of. */
typedef struct Choice
{
	int64_t total; /* T */
	int64_t sum;   /* records of the first whole classes */
	int32_t whole; /* these classes */
} Choice;

/*
 * Finds amount records in the classes from first on that keep k records like
 * them if total records of the group are suppressed; the classes with most
 * like them first.  Suppresses them if apply; else says whether there are so
 * many.
 */
static bool
fill(const Group *group, int32_t first, int64_t total, int64_t amount,
	 bool apply)
{
	SdcSuppressState *state = group->state;
	int32_t i;

	for (i = group->count - 1; i >= first && amount > 0; i--)
	{
		int32_t class = group->class[i];
		int64_t size = state->classes->size[class];
		int64_t part = size < amount ? size : amount;

		if (part < size &&
			group->alike[class] + total - part < state->request->k)
			continue;
		amount -= part;
		if (apply)
			sdc_suppress_add(state, class, state->suppressed, part);
	}
	return amount == 0;
}

/* The least T, with at least the first forced classes among it. */
static Choice
choose(const Group *group, int32_t forced)
{
	const SdcSuppressState *state = group->state;
	Choice best = {INT64_MAX, 0, 0};
	int64_t sum = 0; /* records before i */
	int32_t i;

	for (i = 0; i <= group->count && sum < best.total; i++)
	{
		int64_t total = sum;
		int64_t lack;

		if (i < group->count)
		{
			lack = state->request->k - group->alike[group->class[i]];
			total = lack > sum ? lack : sum;
		}
		if (i >= forced && total < best.total &&
			fill(group, i, total, total - sum, false))
			best = (Choice){total, sum, i};
		if (i < group->count)
			sum += state->classes->size[group->class[i]];
	}
	return best;
}

/*
 * Settles a group of count classes that may lose the present set of keys, the
 * set being enough for each: suppresses as few records as let the others have
 * k like them, and returns how many.  The first forced classes lose it in any
 * case; the others are in the order of alike, records like each so far.
 * Without apply nothing is suppressed.
 */
static int64_t
suppress_settle(SdcSuppressState *state, const int64_t *alike,
				const int32_t *class, int32_t count, int32_t forced,
				bool apply)
{
	Group group = {state, alike, class, count};
	Choice choice = choose(&group, forced);
	int32_t i;

	if (!apply)
		return choice.total;
	for (i = 0; i < choice.whole; i++)
		sdc_suppress_add(state, class[i], state -> suppressed,
						 state -> classes -> size[class[i]]);
	fill(&group, choice.whole, choice.total, choice.total - choice.sum, true);
	return choice.total;
}

/* Takes the values of a class in; were there new ones that are needed? */
static bool
take_values(SdcSuppressState *state, int32_t class)
{
	int64_t l = state->request->l;
	bool any = false;
	int j;

	for (j = state->request->keys; j < state->frequency->columns; j++)
	{
		const int32_t *code = state->frequency->code[j];
		int64_t *count = &state->seen_count[j - state->request->keys];
		int32_t *seen = state->seen + (j - state->request->keys) * l;
		int32_t cell;

		for (cell = state->classes->first[class];
			 cell < state->classes->first[class + 1] && *count < l; cell++)
		{
			int64_t i = *count;

			while (i > 0 && seen[i - 1] != code[cell])
				i--;
			if (i > 0)
				continue;
			seen[(*count)++] = code[cell];
			any = true;
		}
	}
	return any;
}

static bool
has_values(const SdcSuppressState *state)
{
	int sensitive = state->frequency->columns - state->request->keys;
	int j;

	for (j = 0; j < sensitive; j++)
		if (state->seen_count[j] < state->request->l)
			return false;
	return true;
}

/*
 * Puts classes that have l values together first; returns how many these are,
 * or -1 if all together have not.
 */
static int32_t
arrange_givers(SdcSuppressState *state, const int32_t *class, int32_t count,
			   int32_t *arranged)
{
	int sensitive = state->frequency->columns - state->request->keys;
	int32_t givers = 0;
	int32_t others = 0;
	int32_t i;

	memset(state->seen_count, 0, sizeof(int64_t) * (size_t) sensitive);
	for (i = 0; i < count; i++)
		if (take_values(state, class[i]))
			arranged[givers++] = class[i];
	if (!has_values(state))
		return -1;
	/* givers are in the same order, so that one walk tells the others */
	for (i = 0; i < count; i++)
		if (i - others < givers && arranged[i - others] == class[i])
			continue;
		else
			arranged[givers + others++] = class[i];
	return givers;
}

/* Puts classes that lack values first, and returns how many these are. */
static int32_t
arrange_lacking(const bool *diverse, const int32_t *class, int32_t count,
				int32_t *arranged)
{
	int32_t lacking = 0;
	int32_t others = 0;
	int32_t i;

	for (i = 0; i < count; i++)
		lacking += !diverse[class[i]];
	for (i = 0; i < count; i++)
		if (diverse[class[i]])
			arranged[lacking + others++] = class[i];
		else
			arranged[i - others] = class[i];
	return lacking;
}

/*
 * The same, when those that keep the keys must also have l values; all classes
 * are in the order of alike.
 */
static int64_t
suppress_settle_values(SdcSuppressState *state, const int64_t *alike,
					   const bool *diverse, const int32_t *class,
					   int32_t count, bool apply)
{
	int32_t *arranged = state->arranged;
	int32_t *others = state->arranged + count;
	int32_t forced = arrange_lacking(diverse, class, count, arranged);
	int32_t givers = arrange_givers(state, class, count, others);
	int64_t least =
		suppress_settle(state, alike, arranged, count, forced, false);
	int64_t total = INT64_MAX;

	if (givers >= 0)
		total = suppress_settle(state, alike, others, count, givers, false);
	if (total < least)
	{
		least = total;
		arranged = others;
		forced = givers;
	}
	if (apply)
		suppress_settle(state, alike, arranged, count, forced, true);
	return least;
}

/* ----------------------------------------------------------------------
 * Local suppression: groups that compete for classes.
 *
 * Groups wait in a heap by how many records they spare.  When the first one
 * has lost classes to others meanwhile it is valued anew and goes back to the
 * heap; else it is settled.
 * ----------------------------------------------------------------------
 */

typedef struct SdcSuppressPooled
{
	const uint64_t *mask;
	int64_t first;  /* in pool->class */
	int32_t count;  /* classes that are not done */
	int64_t spared; /* records that are helped and lose nothing */
	int32_t number; /* of those that spare as many, the first goes first */
} Pooled;

/* Settles a group, or says what that takes. */
static int64_t
pool_settle(SdcSuppressPool *pool, const Pooled *group, bool apply)
{
	SdcSuppressState *state = pool->state;
	const int32_t *class = pool->class + group->first;

	memcpy(state->suppressed, group->mask,
		   sizeof(uint64_t) * (size_t) state->words);
	if (state->request->l > 1)
		return suppress_settle_values(state, pool->alike, pool->diverse, class,
									  group->count, apply);
	return suppress_settle(state, pool->alike, class, group->count, 0, apply);
}

static void
value(SdcSuppressPool *pool, Pooled *group)
{
	int64_t records = 0;
	int32_t i;

	for (i = 0; i < group->count; i++)
		records += pool->state->classes->size[pool->class[group->first + i]];
	group->spared = records - pool_settle(pool, group, false);
}

/*
 * Adds a group of classes, in the order of alike, that may lose a set, which
 * must stay until the pool is settled.
 */
static void
suppress_pool_add(SdcSuppressPool *pool, const uint64_t *mask,
				  const int32_t *class, int32_t count)
{
	SdcHost *host = pool->state->host;
	Pooled *group;

	if (pool->groups == pool->group_room)
	{
		pool->group_room = pool->group_room == 0 ? 64 : 2 * pool->group_room;
		pool->group = sdc_grow(host, pool->group, (size_t) pool->groups,
							   (size_t) pool->group_room, sizeof(Pooled));
	}
	if (pool->entries + count > pool->room)
	{
		pool->room = 2 * (pool->entries + count);
		pool->class = sdc_grow(host, pool->class, (size_t) pool->entries,
							   (size_t) pool->room, sizeof(int32_t));
	}
	memcpy(pool->class + pool->entries, class,
		   sizeof(int32_t) * (size_t) count);
	group = &pool->group[pool->groups];
	group->mask = mask;
	group->first = pool->entries;
	group->count = count;
	group->number = pool->groups++;
	pool->entries += count;
	value(pool, group);
}

static bool
goes_first(const Pooled *a, const Pooled *b)
{
	if (a->spared != b->spared)
		return a->spared > b->spared;
	return a->number < b->number;
}

/* Moves a group down the heap to where it belongs. */
static void
sink(SdcSuppressPool *pool, int32_t at)
{
	Pooled moved = pool->group[at];
	int64_t child;

	while ((child = 2 * (int64_t) at + 1) < pool->groups)
	{
		if (child + 1 < pool->groups &&
			goes_first(&pool->group[child + 1], &pool->group[child]))
			child++;
		if (!goes_first(&pool->group[child], &moved))
			break;
		pool->group[at] = pool->group[child];
		at = (int32_t) child;
	}
	pool->group[at] = moved;
}

/* Leaves out classes that others have helped; were there any? */
static bool
pool_drop_done(SdcSuppressPool *pool, Pooled *group)
{
	int32_t *class = pool->class + group->first;
	int32_t before = group->count;
	int32_t left = 0;
	int32_t i;

	for (i = 0; i < before; i++)
		if (!pool->done[class[i]])
			class[left++] = class[i];
	group->count = left;
	return left < before;
}

/*
 * Settles the groups, those first that help most records without a loss of
 * their own, and empties the pool.  Classes that were helped are done.
 */
static void
suppress_pool_settle(SdcSuppressPool *pool)
{
	SdcHost *host = pool->state->host;
	uint64_t steps = 0;
	int32_t i;

	for (i = pool->groups / 2; i-- > 0;)
		sink(pool, i);
	while (pool->groups > 0)
	{
		Pooled *first = &pool->group[0];

		if (steps++ % 1024 == 0)
			host->poll(host, 0, 0);
		if (pool_drop_done(pool, first) && first->count > 0)
			value(pool, first);
		else
		{
			if (first->count > 0)
				pool_settle(pool, first, true);
			for (i = 0; i < first->count; i++)
				pool->done[pool->class[first->first + i]] = true;
			*first = pool->group[--pool->groups];
		}
		if (pool->groups > 0)
			sink(pool, 0);
	}
	pool->entries = 0;
}

static void
suppress_pool_release(SdcSuppressPool *pool)
{
	SdcHost *host = pool->state->host;

	host->release(host, pool->group);
	host->release(host, pool->class);
}

/* ----------------------------------------------------------------------
 * Local suppression when NULL matches everything.
 * ----------------------------------------------------------------------
 */

/* Classes in the pool from which on it is settled early. */
#define MOST_ENTRIES 4000000

typedef struct Wildcard
{
	SdcSuppressState *state;
	const int64_t *alike; /* by class, before anything was suppressed */
	SdcSuppressPool pool;
	const uint64_t *mask; /* that is tried */
	/* by group */
	int64_t *total; /* records of the table with the kept values */
	int32_t *one;   /* a class of it */
	/* classes of the present groups, by group, then by alike */
	int32_t *entry;
	uint64_t *order;
	int32_t entries;
} Wildcard;

/* Has a class one of the keys of a set to lose no more? */
static bool
lacks_one(const SdcSuppressState *state, int32_t class, const uint64_t *mask)
{
	const uint64_t *nulls = sdc_suppress_nulls(state, class);
	int w;

	for (w = 0; w < state->words && state->any_nulls; w++)
		if ((nulls[w] & mask[w]) != 0)
			return true;
	return false;
}

/* Groups the classes that have all the keys of the set to lose. */
static void
group_violators(Wildcard *wildcard)
{
	SdcSuppressState *state = wildcard->state;
	const uint64_t *mask = wildcard->mask;
	int32_t i;

	sdc_suppress_groups_start(state, mask, state->violators);
	wildcard->entries = 0;
	for (i = 0; i < state->violators; i++)
	{
		int32_t class = state->violator[i];
		int64_t alike = wildcard->alike[class];
		uint64_t group;

		sdc_suppress_poll(state, i);
		if (lacks_one(state, class, mask))
			continue;
		if (alike > UINT32_MAX)
			alike = UINT32_MAX;
		group = (uint64_t) sdc_suppress_groups_add(state, class);
		wildcard->entry[wildcard->entries] = class;
		wildcard->order[wildcard->entries++] = group << 32 | (uint64_t) alike;
	}
}

/* What the table holds for each group when it has no NULLs. */
static void
count_groups(Wildcard *wildcard)
{
	SdcSuppressState *state = wildcard->state;
	const SdcClasses *classes = state->classes;
	int columns = state->frequency->columns;
	int32_t c;
	int j;

	memset(wildcard->total, 0, sizeof(int64_t) * (size_t) state->groups);
	memset(state->diverse, 0, sizeof(int32_t) * (size_t) state->groups);
	for (c = 0; c < classes->classes; c++)
	{
		int32_t group = sdc_suppress_groups_find(state, c);

		sdc_suppress_poll(state, c);
		if (group >= 0)
			wildcard->total[group] += classes->size[c];
	}
	for (j = state->request->keys; j < columns && state->request->l > 1; j++)
	{
		sdc_suppress_values_begin(state);
		for (c = 0; c < classes->classes; c++)
		{
			int32_t group = sdc_suppress_groups_find(state, c);

			sdc_suppress_poll(state, c);
			if (group >= 0)
				sdc_suppress_values_bring(state, j, c, group);
		}
		sdc_suppress_values_end(state);
	}
}

/* The table without the keys of a set, and where its cells went. */
static SdcFrequency *
project(const SdcSuppressState *state, int *kept, int32_t **place)
{
	SdcHost *host = state->host;
	int *column = sdc_new(host, int, state->frequency->columns);
	SdcFrequency *table;
	int columns = 0;
	int j;

	for (j = 0; j < state->request->keys; j++)
		if ((state->suppressed[j / 64] >> j % 64 & 1) == 0)
			column[columns++] = j;
	*kept = columns;
	for (; j < state->frequency->columns; j++)
		column[columns++] = j;
	table =
		sdc_frequency_project(host, state->frequency, column, columns, place);
	host->release(host, column);
	return table;
}

/* The class of each cell. */
static int32_t *
number_cells(SdcHost *host, const SdcClasses *classes)
{
	int32_t *number =
		sdc_new(host, int32_t, (size_t) classes->first[classes->classes]);
	int32_t cell;
	int32_t c;

	for (c = 0; c < classes->classes; c++)
		for (cell = classes->first[c]; cell < classes->first[c + 1]; cell++)
			number[cell] = c;
	return number;
}

/* Which classes of a table have compatible records with l values? */
static bool *
judge_sets(SdcSuppressState *state, const SdcFrequency *table,
		   const SdcClasses *classes, int kept)
{
	SdcHost *host = state->host;
	bool *diverse = sdc_new(host, bool, classes->classes);
	SdcFrequency *expanded;
	SdcClasses *sets;
	int32_t c;

	expanded = sdc_wildcard_expand(host, table, classes, kept);
	sets = sdc_frequency_classes(host, expanded, 1);
	for (c = 0; c < sets->classes; c++)
		diverse[c] = sdc_suppress_is_diverse(expanded, 1, sets->first[c],
											 sets->first[c + 1],
											 state->request->l, state->seen);
	sdc_classes_release(host, sets);
	sdc_frequency_release(host, expanded);
	return diverse;
}

/* Which groups may agree with records that have l values? */
static void
match_values(Wildcard *wildcard)
{
	SdcSuppressState *state = wildcard->state;
	SdcHost *host = state->host;
	int sensitive = state->frequency->columns - state->request->keys;
	int kept;
	int32_t *place;
	SdcFrequency *table = project(state, &kept, &place);
	SdcClasses *classes = sdc_frequency_classes(host, table, kept);
	int32_t *number = number_cells(host, classes);
	bool *diverse = judge_sets(state, table, classes, kept);
	int32_t i;

	for (i = 0; i < wildcard->entries; i++)
	{
		int32_t cell = state->classes->first[wildcard->entry[i]];

		state->diverse[wildcard->order[i] >> 32] =
			diverse[number[place[cell]]] ? sensitive : -1;
	}
	host->release(host, diverse);
	host->release(host, number);
	sdc_classes_release(host, classes);
	sdc_frequency_release(host, table);
	host->release(host, place);
}

/* The same when it has: records that may have the kept values count. */
static void
match_groups(Wildcard *wildcard)
{
	SdcSuppressState *state = wildcard->state;
	int32_t i;

	if (state->request->l > 1)
		match_values(wildcard);
	for (i = wildcard->entries - 1; i >= 0; i--)
		wildcard->one[wildcard->order[i] >> 32] = wildcard->entry[i];
	sdc_suppress_match(state, wildcard->mask, wildcard->one, state->groups,
					   wildcard->total);
}

/* All keys are lost: everyone is like everyone. */
static void
count_all(Wildcard *wildcard)
{
	SdcSuppressState *state = wildcard->state;

	if (state->groups == 0)
		return;
	wildcard->total[0] = state->classes->records;
	state->diverse[0] = state->frequency->columns - state->request->keys;
}

/* Pools the groups that can help themselves. */
static void
pool_groups(Wildcard *wildcard)
{
	SdcSuppressState *state = wildcard->state;
	int sensitive = state->frequency->columns - state->request->keys;
	int32_t first;
	int32_t last;

	sdc_sort_keys(state->host, wildcard->order, wildcard->entry,
				  (size_t) wildcard->entries);
	for (first = 0; first < wildcard->entries; first = last)
	{
		uint64_t group = wildcard->order[first] >> 32;

		for (last = first + 1;
			 last < wildcard->entries && wildcard->order[last] >> 32 == group;
			 last++)
			;
		if (wildcard->total[group] >= state->request->k &&
			(state->request->l <= 1 || state->diverse[group] == sensitive))
			suppress_pool_add(&wildcard->pool, wildcard->mask,
							  wildcard->entry + first, last - first);
	}
}

static void
drop_done(Wildcard *wildcard)
{
	SdcSuppressState *state = wildcard->state;
	int32_t left = 0;
	int32_t i;

	for (i = 0; i < state->violators; i++)
		if (!wildcard->pool.done[state->violator[i]])
			state->violator[left++] = state->violator[i];
	state->violators = left;
}

/* Pools the groups of one set of keys, which are all of them or not. */
static void
try_mask(Wildcard *wildcard, const uint64_t *mask, bool all)
{
	SdcSuppressState *state = wildcard->state;

	wildcard->mask = mask;
	group_violators(wildcard);
	if (wildcard->entries == 0)
		return;
	if (all)
		count_all(wildcard);
	else if (state->any_nulls)
		match_groups(wildcard);
	else
		count_groups(wildcard);
	pool_groups(wildcard);
}

/* Settles what is in the pool. */
static void
settle(Wildcard *wildcard)
{
	suppress_pool_settle(&wildcard->pool);
	drop_done(wildcard);
}

/* Who has NULLs where each set of many keys wants values loses the rest. */
static void
lose_rest(Wildcard *wildcard)
{
	SdcSuppressState *state = wildcard->state;
	const uint64_t *all = sdc_suppress_mask(state, state->masks - 1);
	uint64_t *rest = sdc_suppress_empty(state);

	while (state->violators > 0)
	{
		sdc_suppress_minus(state, rest, all,
						   sdc_suppress_nulls(state, state->violator[0]));
		try_mask(wildcard, rest, sdc_suppress_within(state, all, rest));
		settle(wildcard);
	}
	state->host->release(state->host, rest);
}

/* Goes through all sets; those that cost the same compete. */
static void
try_masks(Wildcard *wildcard)
{
	SdcSuppressState *state = wildcard->state;
	int m;

	for (m = 0; m < state->masks && state->violators > 0; m++)
	{
		state->host->poll(state->host, (uint64_t) m, (uint64_t) state->masks);
		sdc_suppress_prepare(state, m);
		try_mask(wildcard, sdc_suppress_mask(state, m), m + 1 == state->masks);
		if (m + 1 == state->masks || state->cost[m + 1] != state->cost[m] ||
			wildcard->pool.entries > MOST_ENTRIES)
			settle(wildcard);
	}
	lose_rest(wildcard);
}

void
sdc_suppress_wildcard(SdcSuppressState *state, const int64_t *alike,
					  const bool *diverse)
{
	SdcHost *host = state->host;
	size_t violators = (size_t) state->violators;
	bool *done = sdc_new(host, bool, state->classes->classes);
	Wildcard wildcard = {
		.state = state,
		.alike = alike,
		.pool = {
			.state = state, .alike = alike, .diverse = diverse, .done = done}};

	memset(done, false, (size_t) state->classes->classes);
	wildcard.total = sdc_new(host, int64_t, violators);
	wildcard.one = sdc_new(host, int32_t, violators);
	wildcard.entry = sdc_new(host, int32_t, violators);
	wildcard.order = sdc_new(host, uint64_t, violators);
	try_masks(&wildcard);
	suppress_pool_release(&wildcard.pool);
	host->release(host, done);
	host->release(host, wildcard.total);
	host->release(host, wildcard.one);
	host->release(host, wildcard.entry);
	host->release(host, wildcard.order);
}
