/*
 * anatomize.c
 *		Groups of records whose sensitive values differ (Anatomy); what knowing
 *		how they were made gives away (minimality).
 *
 * Buckets stay ordered by size without a queue: of the buckets that are as
 * large as the l-th largest, those at the end of the run of equal sizes give
 * a record, so that one less is still no larger than what stands before.
 */
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/base/table.h"
#include "kernel/generalization/anatomize.h"

/*
 * Are n records eligible for groups of l different values, when the most
 * frequent one occurs largest times?  Xiao and Tao, property 1: no value may
 * have more than n / l records.
 */
static inline bool
sdc_anatomize_is_eligible(int32_t n, int32_t largest, int32_t l)
{
	return (int64_t) largest * l <= n;
}

/* ----------------------------------------------------------------------
 * Greedy grouping of a sequence of records until each group is l-diverse.
 *
 * Only the counts of the open group are kept.  They are cleared value by value
 * when it is closed, so that the whole scan is linear.
 * ----------------------------------------------------------------------
 */

/* The records that are counted: the open group. */
typedef struct Open
{
	int32_t *count; /* by value */
	int32_t size;
	int32_t largest;
} Open;

static void
add_record(Open *open, int32_t value)
{
	open->size++;
	if (++open->count[value] > open->largest)
		open->largest = open->count[value];
}

static void
close_group(Open *open, const int32_t *code, int32_t end)
{
	int32_t i;

	for (i = end - open->size; i < end; i++)
		open->count[code[i]] = 0;
	open->size = 0;
	open->largest = 0;
}

/*
 * Merges the open group into those before it until the union is l-diverse.
 * Returns the number of groups, or -1.
 */
static int32_t
merge_remainder(Open *open, const int32_t *code, int32_t n, double l,
				int32_t *group)
{
	int32_t i = n - open->size;

	while (i > 0)
	{
		int32_t before = group[i - 1];

		while (i > 0 && group[i - 1] == before)
			add_record(open, code[--i]);
		if (sdc_diverse_group_is(open->size, open->largest, l))
		{
			for (; i < n; i++)
				group[i] = before;
			return before + 1;
		}
	}
	return -1;
}

int32_t
sdc_diverse_group_scan(SdcHost *host, const int32_t *code, int32_t n,
					   int32_t values, double l, int32_t *group)
{
	Open open = {sdc_new(host, int32_t, values), 0, 0};
	int32_t groups = 0;
	int32_t i;

	host->stage(host, "grouping");
	memset(open.count, 0, sizeof(int32_t) * (size_t) values);
	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, n);
		add_record(&open, code[i]);
		group[i] = groups;
		if (sdc_diverse_group_is(open.size, open.largest, l))
		{
			close_group(&open, code, i + 1);
			groups++;
		}
	}
	if (open.size > 0)
		groups = merge_remainder(&open, code, n, l, group);
	host->release(host, open.count);
	return groups;
}

/* ----------------------------------------------------------------------
 * Groups of records whose sensitive values differ (Anatomy).
 * ----------------------------------------------------------------------
 */

/* Groups between two polls. */
#define POLL_GROUPS 4096

typedef struct Buckets
{
	int32_t *first; /* of each value, its place in record[]; one more at end */
	int32_t *record; /* by value, within a value in random order */
	int32_t *size;   /* records left, which are the first ones of the bucket */
	int32_t *order;  /* values, larger buckets first */
	int32_t left;    /* buckets that are not empty */
} Buckets;

static int
compare_sizes(int32_t a, int32_t b, void *arg)
{
	const int32_t *size = arg;

	return size[a] > size[b] ? -1 : size[a] < size[b];
}

/*
 * Sorts the rows 0 .. n - 1 by code into runs: those with code k are rows[]
 * from first[k] to first[k + 1] - 1, ascending.
 */
static void
sort_runs(SdcHost *host, const int32_t *code, int32_t n, int32_t codes,
		  int32_t *rows, int32_t *first)
{
	int32_t i;
	int32_t k;

	memset(first, 0, sizeof(int32_t) * ((size_t) codes + 1));
	for (i = 0; i < n; i++)
		first[code[i]]++;
	for (k = 1; k <= codes; k++)
		first[k] += first[k - 1];
	for (i = n - 1; i >= 0; i--)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		rows[--first[code[i]]] = i;
	}
}

static void
fill_buckets(SdcHost *host, Buckets *buckets, const int32_t *code, int32_t n,
			 int32_t values)
{
	int32_t v;

	buckets->first = sdc_new(host, int32_t, (size_t) values + 1);
	buckets->record = sdc_new(host, int32_t, n);
	buckets->size = sdc_new(host, int32_t, values);
	buckets->order = sdc_new(host, int32_t, values);
	sort_runs(host, code, n, values, buckets->record, buckets->first);
	for (v = 0; v < values; v++)
	{
		buckets->size[v] = buckets->first[v + 1] - buckets->first[v];
		buckets->order[v] = v;
	}
	sdc_sort_rows(host, buckets->order, values, compare_sizes, buckets->size);
	buckets->left = values;
}

/* Fisher-Yates in each run of rows: run k is first[k] .. first[k + 1] - 1. */
static void
shuffle_runs(SdcHost *host, int32_t *rows, const int32_t *first, int32_t runs,
			 SdcRandom *random)
{
	int32_t k;
	int32_t i;

	for (k = 0; k < runs; k++)
	{
		if (k % POLL_GROUPS == 0)
			host->poll(host, first[k], first[runs]);
		for (i = first[k + 1] - 1; i > first[k]; i--)
		{
			int32_t other = first[k] + (int32_t) sdc_random_below(
										   random, i - first[k] + 1);
			int32_t moved = rows[i];

			if (i % SDC_POLL_STEPS == 0)
				host->poll(host, first[k], first[runs]);
			rows[i] = rows[other];
			rows[other] = moved;
		}
	}
}

static int32_t
take_record(Buckets *buckets, int32_t value)
{
	return buckets->record[buckets->first[value] + --buckets->size[value]];
}

/* How many of the buckets that are left are larger than size. */
static int32_t
count_larger(const Buckets *buckets, int32_t size)
{
	int32_t low = 0;
	int32_t high = buckets->left;

	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;

		if (buckets->size[buckets->order[middle]] > size)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* One record of each of the l largest buckets. */
static void
make_group(Buckets *buckets, int32_t l, int32_t number, int32_t *group)
{
	int32_t size = buckets->size[buckets->order[l - 1]];
	int32_t larger = count_larger(buckets, size);
	int32_t end = count_larger(buckets, size - 1);
	int32_t i;

	for (i = 0; i < larger; i++)
		group[take_record(buckets, buckets->order[i])] = number;
	for (i = end - (l - larger); i < end; i++)
		group[take_record(buckets, buckets->order[i])] = number;
	while (buckets->left > 0 &&
		   buckets->size[buckets->order[buckets->left - 1]] == 0)
		buckets->left--;
}

/* A group that does not have a value, drawn at random. */
static int32_t
draw_group(const Buckets *buckets, int32_t value, int32_t groups, int32_t *has,
		   const int32_t *group, SdcRandom *random)
{
	int32_t without = groups;
	int32_t chosen;
	int32_t g;
	int32_t i;

	memset(has, 0, sizeof(int32_t) * (size_t) groups);
	for (i = buckets->first[value] + buckets->size[value];
		 i < buckets->first[value + 1]; i++)
	{
		has[group[buckets->record[i]]] = 1;
		without--;
	}
	/* a theorem of the paper: eligible records leave a group without it */
	chosen = (int32_t) sdc_random_below(random, without);
	for (g = 0; has[g] || chosen > 0; g++)
		chosen -= !has[g];
	return g;
}

/* Puts each record that is left into a group without its value. */
static void
place_residue(SdcHost *host, Buckets *buckets, int32_t groups, int32_t *group,
			  SdcRandom *random)
{
	int32_t *has = sdc_new(host, int32_t, groups);
	int32_t i;

	for (i = 0; i < buckets->left; i++)
	{
		int32_t value = buckets->order[i];
		int32_t chosen;

		host->poll(host, i, buckets->left);
		chosen = draw_group(buckets, value, groups, has, group, random);
		group[take_record(buckets, value)] = chosen;
	}
	host->release(host, has);
}

static void
release_buckets(SdcHost *host, Buckets *buckets)
{
	host->release(host, buckets->first);
	host->release(host, buckets->record);
	host->release(host, buckets->size);
	host->release(host, buckets->order);
}

int32_t
sdc_anatomize_group(SdcHost *host, const int32_t *code, int32_t n,
					int32_t values, int32_t l, SdcRandom *random,
					int32_t *group)
{
	Buckets buckets;
	int32_t groups = 0;

	if (n == 0)
		return 0;
	host->stage(host, "grouping");
	fill_buckets(host, &buckets, code, n, values);
	if (!sdc_anatomize_is_eligible(n, buckets.size[buckets.order[0]], l))
		groups = -1;
	else
	{
		shuffle_runs(host, buckets.record, buckets.first, values, random);
		while (buckets.left >= l)
		{
			if (groups % POLL_GROUPS == 0)
				host->poll(host, groups, n / l);
			make_group(&buckets, l, groups++, group);
		}
		place_residue(host, &buckets, groups, group, random);
	}
	release_buckets(host, &buckets);
	return groups;
}

void
sdc_anatomize_place(SdcHost *host, const int32_t *group, int32_t n,
					int32_t groups, SdcRandom *random, int32_t *position)
{
	int32_t *first = sdc_new(host, int32_t, (size_t) groups + 1);
	int32_t *rows = sdc_new(host, int32_t, n);
	int32_t i;

	host->stage(host, "ordering");
	sort_runs(host, group, n, groups, rows, first);
	shuffle_runs(host, rows, first, groups, random);
	for (i = 0; i < n; i++)
		position[rows[i]] = i;
	host->release(host, first);
	host->release(host, rows);
}

/* ----------------------------------------------------------------------
 * What knowing the greedy grouping algorithm reveals.
 *
 * The values of the group are put into classes, the consistent assignments are
 * drawn as arrows between states, and the beliefs come from what flows through
 * these.
 * ----------------------------------------------------------------------
 */

/* Work for one group at the most: a second or so, some 100 MB. */
#define SDC_MINIMALITY_LIMIT ((int64_t) 1 << 28)

/*
 * A group.  Places are its values in the order of how often they occur; the
 * places of class c, which occur equally often, are first[c] .. first[c + 1]
 * - 1.
 */
typedef struct SdcMinimalityGroup
{
	int32_t size; /* records, at most SDC_MINIMALITY_MOST */
	int32_t values;
	int32_t *total; /* records at each place */
	int32_t classes;
	int32_t *first;
	double l;
	bool last; /* may be a merger with the remainder */
} SdcMinimalityGroup;

/*
 * A state is a number for each place: how many of its records were used before
 * the group that is open now, and in it.  Within a class the numbers ascend.
 *
 * In a group that is not the last one nothing was used before, and one more
 * number follows: how often the value was used that was used most.  A class
 * whose values do not occur more often than that is forgotten: the group stays
 * open anyway until it has l times as many records, and from then on these
 * values cannot keep it open.  All that matters is how many records of
 * forgotten classes are left.
 */
#define SDC_MINIMALITY_MOST 65535

#define SDC_MINIMALITY_BITS 16

#define SDC_MINIMALITY_FORGOTTEN UINT32_MAX

/* Numbers in a state. */
static inline size_t
sdc_minimality_state_width(const SdcMinimalityGroup *group)
{
	return (size_t) group->values + 1;
}

static inline int32_t
sdc_minimality_state_before(uint32_t used)
{
	return (int32_t) (used >> SDC_MINIMALITY_BITS);
}

static inline int32_t
sdc_minimality_state_open(uint32_t used)
{
	return (int32_t) (used & SDC_MINIMALITY_MOST);
}

/* Different states, numbered from 0 as they come. */
typedef struct SdcMinimalityStates
{
	int32_t states;
	int32_t room;
	uint32_t *key; /* of each state its numbers */
	SdcTable table;
} SdcMinimalityStates;

/* The class of an arrow that draws from the forgotten ones. */
#define SDC_MINIMALITY_POOL (-1)

/* A record gets a value: from a state of one step to one of the next. */
typedef struct SdcMinimalityArrow
{
	int32_t from;
	int32_t to;
	int32_t class;  /* of the value, or SDC_MINIMALITY_POOL */
	int32_t pool;   /* records of forgotten classes left before */
	int32_t forgot; /* the class that is forgotten now, or -1 */
	int32_t rest;   /* of which so many records are left */
	double weight;  /* probability of the draw */
} SdcMinimalityArrow;

typedef struct SdcMinimalitySearch
{
	SdcHost *host;
	SdcMinimalityGroup group;
	SdcMinimalityStates set[2]; /* of this step and the next */
	uint32_t *tried;
	int32_t *states; /* of each step, how many; size + 1 steps */
	int32_t *first;  /* of each step, the first arrow; size + 1 */
	SdcMinimalityArrow *arrow;
	int32_t arrows;
	int32_t room;
	int64_t work;
} SdcMinimalitySearch;

/* ----------------------------------------------------------------------
 * How far the values of a group have been used up, and what the greedy
 * algorithm makes of it.
 *
 * States are found by open addressing; a table that is half full doubles.
 * ----------------------------------------------------------------------
 */

#define FIRST_ROOM 32

static void
make_room(SdcHost *host, const SdcMinimalityGroup *group,
		  SdcMinimalityStates *set, int32_t room)
{
	set->room = room;
	set->key =
		sdc_new(host, uint32_t, room * sdc_minimality_state_width(group));
	set->states = 0;
	sdc_table_create(host, &set->table, (size_t) room);
}

/* Makes an empty set; it must have been cleared or emptied before. */
static void
minimality_state_start(SdcHost *host, const SdcMinimalityGroup *group,
					   SdcMinimalityStates *set)
{
	make_room(host, group, set, FIRST_ROOM);
}

/* Takes all states out. */
static void
minimality_state_empty(SdcMinimalityStates *set)
{
	set->states = 0;
	sdc_table_clear(&set->table, (size_t) set->room);
}

static void
minimality_state_release(SdcHost *host, SdcMinimalityStates *set)
{
	host->release(host, set->key);
	sdc_table_release(host, &set->table);
}

/* States, and how many numbers each has. */
typedef struct Keeper
{
	const uint32_t *key;
	size_t width;
} Keeper;

static inline bool
is_state(Keeper keeper, int32_t state, const uint32_t *key)
{
	return memcmp(keeper.key + (size_t) state * keeper.width, key,
				  keeper.width * sizeof(uint32_t)) == 0;
}

SDC_TABLE_FIND(find_state, Keeper, const uint32_t *, is_state);

/* The slot where a state is, or where it would be put. */
static int32_t *
find_slot(const SdcMinimalityGroup *group, const SdcMinimalityStates *set,
		  const uint32_t *key)
{
	Keeper keeper = {set->key, sdc_minimality_state_width(group)};
	uint64_t hash = 0;
	size_t i;

	for (i = 0; i < keeper.width; i++)
		hash = sdc_table_hash(hash, key[i]);
	return find_state(&set->table, hash, keeper, key);
}

static int32_t
put_state(const SdcMinimalityGroup *group, SdcMinimalityStates *set,
		  int32_t *slot, const uint32_t *key)
{
	size_t width = sdc_minimality_state_width(group);

	memcpy(set->key + (size_t) set->states * width, key,
		   width * sizeof(uint32_t));
	*slot = set->states;
	return set->states++;
}

static void
grow(SdcHost *host, const SdcMinimalityGroup *group, SdcMinimalityStates *set)
{
	SdcMinimalityStates old = *set;
	int32_t i;

	make_room(host, group, set, old.room * 2);
	for (i = 0; i < old.states; i++)
	{
		const uint32_t *key =
			old.key + (size_t) i * sdc_minimality_state_width(group);

		put_state(group, set, find_slot(group, set, key), key);
	}
	minimality_state_release(host, &old);
}

/* The number of a state, which is put in if it is new. */
static int32_t
minimality_state_find(SdcHost *host, const SdcMinimalityGroup *group,
					  SdcMinimalityStates *set, const uint32_t *key)
{
	int32_t *slot = find_slot(group, set, key);

	if (*slot >= 0)
		return *slot;
	if (set->states == set->room)
	{
		grow(host, group, set);
		slot = find_slot(group, set, key);
	}
	return put_state(group, set, slot, key);
}

/* What the state says of the open group and of the records not yet used. */
typedef struct Sums
{
	int32_t open;
	int32_t largest_open;
	int32_t largest_rest;
	bool merged; /* was a group closed before? */
} Sums;

static Sums
sum_up(const SdcMinimalityGroup *group, const uint32_t *key)
{
	Sums sums = {0, 0, 0, false};
	int32_t v;

	for (v = 0; v < group->values; v++)
	{
		int32_t before = sdc_minimality_state_before(key[v]);
		int32_t open = sdc_minimality_state_open(key[v]);
		int32_t rest = group->total[v] - before - open;

		sums.open += open;
		sums.merged = sums.merged || before > 0;
		if (open > sums.largest_open)
			sums.largest_open = open;
		if (rest > sums.largest_rest)
			sums.largest_rest = rest;
	}
	return sums;
}

/* All that was used is used before the next group; sorts each class again. */
static void
minimality_close_group(const SdcMinimalityGroup *group, uint32_t *key)
{
	int32_t c;
	int32_t i;

	for (i = 0; i < group->values; i++)
		key[i] = (uint32_t) (sdc_minimality_state_before(key[i]) +
							 sdc_minimality_state_open(key[i]))
				 << SDC_MINIMALITY_BITS;
	for (c = 0; c < group->classes; c++)
		for (i = group->first[c] + 1; i < group->first[c + 1]; i++)
		{
			uint32_t moved = key[i];
			int32_t place = i;

			for (; place > group->first[c] && key[place - 1] > moved; place--)
				key[place] = key[place - 1];
			key[place] = moved;
		}
}

/*
 * Lets the algorithm look at the group after a record was used: used is how
 * many there are now, key the state, which changes when the open group is
 * closed.  False when the algorithm would not have made the group.  Forgets
 * nothing.
 */
static bool
minimality_state_settle(const SdcMinimalityGroup *group, int32_t used,
						uint32_t *key)
{
	int32_t rest = group->size - used;
	Sums sums;

	if (!group->last)
		return sdc_diverse_group_is(used, (int32_t) key[group->values],
									group->l) == (rest == 0);
	sums = sum_up(group, key);
	if (!sdc_diverse_group_is(sums.open, sums.largest_open, group->l))
		return rest > 0 || sums.merged;
	if (rest == 0)
		return !sums.merged;
	/* closed too early, unless what follows is merged with it at the end */
	if (sdc_diverse_group_is(rest, sums.largest_rest, group->l))
		return false;
	minimality_close_group(group, key);
	return true;
}

/*
 * Forgets the class, if there is one, that has come to matter no more since a
 * record was used; returns it, or -1.  *rest becomes how many of its records
 * are left.
 */
static int32_t
minimality_state_forget(const SdcMinimalityGroup *group, uint32_t *key,
						int32_t *rest)
{
	int32_t c;
	int32_t i;

	/* the most used value is used once more at a time: one class at most */
	for (c = 0; c < group->classes; c++)
	{
		int32_t first = group->first[c];

		if (key[first] == SDC_MINIMALITY_FORGOTTEN ||
			(uint32_t) group->total[first] > key[group->values])
			continue;
		*rest = 0;
		for (i = first; i < group->first[c + 1]; i++)
		{
			*rest += group->total[i] - sdc_minimality_state_open(key[i]);
			key[i] = SDC_MINIMALITY_FORGOTTEN;
		}
		return c;
	}
	return -1;
}

/* ----------------------------------------------------------------------
 * The assignments of a group that the greedy algorithm would have made.
 *
 * Records are assigned one after the other.  The states of a step come from
 * those of the step before by arrows; one that leads to an assignment under
 * which the group would not have been made is not drawn.  Interchangeable
 * assignments meet in one state.
 * ----------------------------------------------------------------------
 */

#define FIRST_ARROWS 256

/* What an arrow costs, for each value and class and at least. */
#define ARROW_WORK 128
#define CLASS_WORK 8
#define VALUE_WORK 4

/* States between two polls. */
#define POLL_STATES 16

/* Room for one more arrow. */
static SdcMinimalityArrow *
add_arrow(SdcMinimalitySearch *search)
{
	SdcHost *host = search->host;

	if (search->arrows == search->room)
	{
		SdcMinimalityArrow *old = search->arrow;

		search->room = search->room == 0 ? FIRST_ARROWS : search->room * 2;
		search->arrow = sdc_new(host, SdcMinimalityArrow, search->room);
		if (old != NULL)
			memcpy(search->arrow, old,
				   sizeof(SdcMinimalityArrow) * (size_t) search->arrows);
		host->release(host, old);
	}
	return &search->arrow[search->arrows++];
}

/*
 * Draws an arrow to the state in search->tried if the algorithm lets it pass.
 * The draw has so many records to choose from.
 */
static void
try_arrow(SdcMinimalitySearch *search, int32_t step, int32_t state,
		  int32_t class, int32_t choice, int32_t pool)
{
	const SdcMinimalityGroup *group = &search->group;
	SdcMinimalityArrow *arrow;

	search->work +=
		VALUE_WORK * group->values + CLASS_WORK * group->classes + ARROW_WORK;
	if (!minimality_state_settle(group, step + 1, search->tried))
		return;
	arrow = add_arrow(search);
	arrow->from = state;
	arrow->class = class;
	arrow->pool = pool;
	arrow->weight = (double) choice / (group->size - step);
	arrow->rest = 0;
	arrow->forgot = -1;
	if (!group->last)
		arrow->forgot =
			minimality_state_forget(group, search->tried, &arrow->rest);
	arrow->to = minimality_state_find(
		search->host, group, &search->set[(step + 1) % 2], search->tried);
}

static const uint32_t *
state_key(const SdcMinimalitySearch *search, int32_t step, int32_t state)
{
	return search->set[step % 2].key +
		   (size_t) state * sdc_minimality_state_width(&search->group);
}

/* Makes search->tried the given state, to be changed. */
static void
copy_state(SdcMinimalitySearch *search, const uint32_t *key)
{
	memcpy(search->tried, key,
		   sizeof(uint32_t) * sdc_minimality_state_width(&search->group));
}

/*
 * Gives the next record a value from one of the places equal to place, which
 * is the last of them, so that the class stays in order.  Returns how many
 * records these places have left.
 */
static int32_t
try_place(SdcMinimalitySearch *search, int32_t step, int32_t state,
		  int32_t class, int32_t equal, int32_t place)
{
	const SdcMinimalityGroup *group = &search->group;
	const uint32_t *key = state_key(search, step, state);
	int32_t rest = group->total[place] -
				   sdc_minimality_state_before(key[place]) -
				   sdc_minimality_state_open(key[place]);
	uint32_t *most = &search->tried[group->values];

	rest *= place - equal + 1;
	if (rest == 0)
		return 0;
	copy_state(search, key);
	search->tried[place]++;
	if (!group->last && search->tried[place] > *most)
		*most = search->tried[place];
	try_arrow(search, step, state, class, rest, 0);
	return rest;
}

/* Draws the arrows that start at a state. */
static void
try_state(SdcMinimalitySearch *search, int32_t step, int32_t state)
{
	const SdcMinimalityGroup *group = &search->group;
	const uint32_t *key = state_key(search, step, state);
	int32_t pool = group->size - step;
	int32_t c;
	int32_t place;

	for (c = 0; c < group->classes; c++)
	{
		int32_t end = group->first[c + 1];
		int32_t equal = group->first[c];

		if (key[equal] == SDC_MINIMALITY_FORGOTTEN)
			continue;
		for (place = equal; place < end; place++)
		{
			if (place + 1 < end && key[place + 1] == key[place])
				continue;
			pool -= try_place(search, step, state, c, equal, place);
			equal = place + 1;
		}
	}
	if (pool == 0)
		return;
	copy_state(search, key);
	try_arrow(search, step, state, SDC_MINIMALITY_POOL, pool, pool);
}

/* Draws all arrows; stops early when there are none or too many. */
static SdcMinimalityAnswer
minimality_draw(SdcMinimalitySearch *search)
{
	const SdcMinimalityGroup *group = &search->group;
	SdcHost *host = search->host;
	int32_t step;
	int32_t state;

	/* no merger ends before it is l-diverse */
	if (!sdc_diverse_group_is(group->size, group->total[group->values - 1],
							  group->l))
		return SDC_MINIMALITY_NONE;
	memset(search->tried, 0,
		   sizeof(uint32_t) * sdc_minimality_state_width(group));
	minimality_state_find(host, group, &search->set[0], search->tried);
	for (step = 0; step < group->size; step++)
	{
		search->first[step] = search->arrows;
		search->states[step] = search->set[step % 2].states;
		minimality_state_empty(&search->set[(step + 1) % 2]);
		for (state = 0; state < search->states[step]; state++)
		{
			if (state % POLL_STATES == 0)
				host->poll(host, step, group->size);
			try_state(search, step, state);
			if (search->work > SDC_MINIMALITY_LIMIT)
				return SDC_MINIMALITY_LARGE;
		}
		if (search->arrows == search->first[step])
			return SDC_MINIMALITY_NONE;
	}
	search->first[step] = search->arrows;
	search->states[step] = search->set[step % 2].states;
	return SDC_MINIMALITY_FOUND;
}

/* ----------------------------------------------------------------------
 * Beliefs from the arrows between the states of a group.
 *
 * A forward pass gives the probability of each state, a backward pass that of
 * reaching the end from it; the product is the share of the assignments that
 * go through an arrow.  Both are scaled anew in every step, so that small
 * probabilities do not vanish.
 *
 * A forgotten class is in no state.  But what is left of it is drawn from
 * without any condition, so the expected number of its records is all that is
 * needed, and that goes along with the forward pass.
 * ----------------------------------------------------------------------
 */

/*
 * What the forward pass knows: the probability of each state, of all steps one
 * after the other, if the assignment is consistent so far; and that times the
 * records that are then expected to be left of each forgotten class.
 */
typedef struct Forward
{
	double *reached;
	double *rest; /* classes numbers for each state */
} Forward;

/* Adds what flows through an arrow to the state at its end. */
static void
flow_forward(const SdcMinimalityArrow *arrow, int32_t classes,
			 const Forward *here, const Forward *next)
{
	double flow = here->reached[arrow->from] * arrow->weight;
	double left = 1;
	const double *from = here->rest + (size_t) arrow->from * classes;
	double *to = next->rest + (size_t) arrow->to * classes;
	int32_t c;

	/* a record of the pool is of each class in proportion to what is left */
	if (arrow->class == SDC_MINIMALITY_POOL)
		left -= 1.0 / arrow->pool;
	next->reached[arrow->to] += flow;
	for (c = 0; c < classes; c++)
		to[c] += from[c] * arrow->weight * left;
	if (arrow->forgot >= 0)
		to[arrow->forgot] += flow * arrow->rest;
}

static double
sum_of(const double *number, int32_t n)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		sum += number[i];
	return sum;
}

/* Divides n numbers by a divisor, unless that is 0. */
static void
divide(double *number, size_t n, double divisor)
{
	size_t i;

	for (i = 0; i < n && divisor > 0; i++)
		number[i] /= divisor;
}

static Forward
pass_forward(SdcMinimalitySearch *search, SdcMinimality *result)
{
	int32_t size = search->group.size;
	int32_t classes = result->classes;
	size_t states = 0;
	Forward forward;
	Forward here;
	int32_t step;
	int32_t a;

	for (step = 0; step <= size; step++)
		states += search->states[step];
	forward.reached = sdc_new(search->host, double, states);
	forward.rest = sdc_new(search->host, double, states *classes);
	memset(forward.reached, 0, sizeof(double) * states);
	memset(forward.rest, 0, sizeof(double) * states * classes);
	forward.reached[0] = 1;
	result->consistent = 1;
	here = forward;
	for (step = 0; step < size; step++)
	{
		int32_t after = search->states[step + 1];
		Forward next = {here.reached + search->states[step],
						here.rest + (size_t) search->states[step] * classes};
		double sum;

		search->host->poll(search->host, step, size);
		for (a = search->first[step]; a < search->first[step + 1]; a++)
			flow_forward(&search->arrow[a], classes, &here, &next);
		sum = sum_of(next.reached, after);
		divide(next.reached, after, sum);
		divide(next.rest, (size_t) after * classes, sum);
		result->consistent *= sum;
		here = next;
	}
	return forward;
}

/* The beliefs about one record from what flows through its arrows. */
static void
share_beliefs(const SdcMinimalitySearch *search, int32_t step,
			  const Forward *here, const double *end, double *before,
			  double *posterior)
{
	const SdcMinimalityGroup *group = &search->group;
	int32_t classes = group->classes;
	double sum;
	int32_t a;
	int32_t c;

	memset(before, 0, sizeof(double) * (size_t) search->states[step]);
	memset(posterior, 0, sizeof(double) * (size_t) classes);
	for (a = search->first[step]; a < search->first[step + 1]; a++)
	{
		const SdcMinimalityArrow *arrow = &search->arrow[a];
		const double *rest = here->rest + (size_t) arrow->from * classes;
		double flow = arrow->weight * end[arrow->to];

		before[arrow->from] += flow;
		if (arrow->class != SDC_MINIMALITY_POOL)
			posterior[arrow->class] += here->reached[arrow->from] * flow;
		else
			for (c = 0; c < classes; c++)
				posterior[c] += rest[c] / arrow->pool * flow;
	}
	sum = sum_of(posterior, classes);
	for (c = 0; c < classes; c++)
		posterior[c] =
			posterior[c] / sum / (group->first[c + 1] - group->first[c]);
	divide(before, search->states[step], sum_of(before, search->states[step]));
}

static void
pass_backward(SdcMinimalitySearch *search, const Forward *forward,
			  SdcMinimality *result)
{
	SdcHost *host = search->host;
	int32_t size = search->group.size;
	Forward here = *forward;
	int32_t most = 0;
	double *end;
	double *before;
	int32_t step;
	int32_t i;

	for (step = 0; step <= size; step++)
		most = search->states[step] > most ? search->states[step] : most;
	for (step = 0; step < size; step++)
	{
		here.reached += search->states[step];
		here.rest += (size_t) search->states[step] * result->classes;
	}
	end = sdc_new(host, double, most);
	before = sdc_new(host, double, most);
	for (i = 0; i < search->states[size]; i++)
		end[i] = 1;
	for (step = size - 1; step >= 0; step--)
	{
		double *swap = end;

		host->poll(host, size - step, size);
		here.reached -= search->states[step];
		here.rest -= (size_t) search->states[step] * result->classes;
		share_beliefs(search, step, &here, end, before,
					  result->posterior + (size_t) step * result->classes);
		end = before;
		before = swap;
	}
	host->release(host, end);
	host->release(host, before);
}

/*
 * Fills posterior and consistent of *result, whose classes are known, from the
 * arrows.
 */
static void
minimality_pass(SdcMinimalitySearch *search, SdcMinimality *result)
{
	Forward forward = pass_forward(search, result);

	result->posterior = sdc_new(search->host, double,
								(size_t) search->group.size * result->classes);
	pass_backward(search, &forward, result);
	search->host->release(search->host, forward.reached);
	search->host->release(search->host, forward.rest);
}

/* ----------------------------------------------------------------------
 * Values in classes, and the beliefs in the end.
 * ----------------------------------------------------------------------
 */

static int
compare_counts(int32_t a, int32_t b, void *arg)
{
	const int32_t *count = arg;

	return count[a] < count[b] ? -1 : count[a] > count[b];
}

/* Puts values that occur equally often into a class. */
static void
classify(SdcMinimalitySearch *search, const int32_t *count, int32_t *class_of)
{
	SdcMinimalityGroup *group = &search->group;
	SdcHost *host = search->host;
	int32_t *order = sdc_new(host, int32_t, group->values);
	int32_t i;

	group->total = sdc_new(host, int32_t, group->values);
	group->first = sdc_new(host, int32_t, (size_t) group->values + 1);
	for (i = 0; i < group->values; i++)
		order[i] = i;
	sdc_sort_rows(host, order, group->values, compare_counts, (void *) count);
	for (i = 0; i < group->values; i++)
	{
		group->total[i] = count[order[i]];
		if (i == 0 || group->total[i] > group->total[i - 1])
			group->first[group->classes++] = i;
		class_of[order[i]] = group->classes - 1;
	}
	group->first[group->classes] = group->values;
	host->release(host, order);
}

static void
start(SdcMinimalitySearch *search, const int32_t *count, SdcMinimality *result)
{
	SdcMinimalityGroup *group = &search->group;
	SdcHost *host = search->host;

	result->class_of = sdc_new(host, int32_t, group->values);
	classify(search, count, result->class_of);
	result->classes = group->classes;
	search->tried = sdc_new(host, uint32_t, sdc_minimality_state_width(group));
	search->states = sdc_new(host, int32_t, (size_t) group->size + 1);
	search->first = sdc_new(host, int32_t, (size_t) group->size + 1);
	minimality_state_start(host, group, &search->set[0]);
	minimality_state_start(host, group, &search->set[1]);
}

static void
finish(SdcMinimalitySearch *search)
{
	SdcHost *host = search->host;

	minimality_state_release(host, &search->set[0]);
	minimality_state_release(host, &search->set[1]);
	host->release(host, search->group.total);
	host->release(host, search->group.first);
	host->release(host, search->tried);
	host->release(host, search->states);
	host->release(host, search->first);
	host->release(host, search->arrow);
}

SdcMinimalityAnswer
sdc_minimality_solve(SdcHost *host, const int32_t *count, int32_t values,
					 double l, bool last, SdcMinimality *result)
{
	SdcMinimalitySearch search;
	SdcMinimalityAnswer answer;
	int64_t size = 0;
	int32_t v;

	memset(&search, 0, sizeof(search));
	memset(result, 0, sizeof(*result));
	search.host = host;
	for (v = 0; v < values; v++)
		size += count[v];
	if (size > SDC_MINIMALITY_MOST)
		return SDC_MINIMALITY_LARGE;
	search.group.size = (int32_t) size;
	search.group.values = values;
	search.group.l = l;
	search.group.last = last;
	start(&search, count, result);
	answer = minimality_draw(&search);
	if (answer == SDC_MINIMALITY_FOUND)
		minimality_pass(&search, result);
	finish(&search);
	return answer;
}

void
sdc_minimality_release(SdcHost *host, SdcMinimality *result)
{
	host->release(host, result->class_of);
	host->release(host, result->posterior);
}
