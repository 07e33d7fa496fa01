/*
 * suppress.c
 *		Local suppression: what lacks something, and who deals with it.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/generalization/suppress.h"
#include "kernel/generalization/suppress_models.h"
#include "kernel/generalization/suppress_wildcard.h"
#include "kernel/table/frequency.h"

/* ----------------------------------------------------------------------
 * Local suppression: the sets of keys to try, cheapest first.
 *
 * A set costs the sum of the importance of its keys.  Of sets that cost the
 * same, the one whose keys have more values comes first: without such a key
 * more records become alike.
 * ----------------------------------------------------------------------
 */

/* Sets at the most, not counting those of the fixed order. */
#define MOST_MASKS 4096

/* Keys of a set at the most when all sets are made: 2^12 are MOST_MASKS. */
#define MOST_SIZE 12

typedef struct Masks
{
	SdcSuppressState *state;
	int *rank; /* 0: suppressed first */
	int *by_rank;
	uint64_t *mask;
	double *cost;
	int *tie;   /* sum of ranks */
	int *chain; /* keys of a set of the fixed order, else 0 */
	int count;
	int chosen[MOST_SIZE]; /* ranks of the keys of the set being made */
} Masks;

static double
importance(const SdcSuppressState *state, int j)
{
	const double *given = state->request->importance;

	return given == NULL ? 1 : given[j];
}

static double
set_cost(const SdcSuppressState *state, const uint64_t *mask)
{
	double cost = 0;
	uint64_t word;
	int w;

	for (w = 0; w < state->words; w++)
		for (word = mask[w]; word != 0; word &= word - 1)
			cost += importance(state, 64 * w + __builtin_ctzll(word));
	return cost;
}

/* Does key a go before key b? */
static bool
masks_goes_first(const SdcSuppressState *state, int a, int b)
{
	double cost_a = importance(state, a);
	double cost_b = importance(state, b);
	int32_t values_a = state->frequency->values[a];
	int32_t values_b = state->frequency->values[b];

	if (cost_a != cost_b)
		return cost_a < cost_b;
	if (values_a != values_b)
		return values_a > values_b;
	return a < b;
}

static void
rank_keys(Masks *masks)
{
	int keys = masks->state->request->keys;
	int a;
	int b;

	for (a = 0; a < keys; a++)
	{
		masks->rank[a] = 0;
		for (b = 0; b < keys; b++)
			masks->rank[a] += b != a && masks_goes_first(masks->state, b, a);
		masks->by_rank[masks->rank[a]] = a;
	}
}

/* Adds the set of the keys of these ranks. */
static void
add_mask(Masks *masks, const int *rank, int size, int chain)
{
	int i = masks->count++;
	uint64_t *mask = masks->mask + (size_t) i * (size_t) masks->state->words;
	int r;

	masks->tie[i] = 0;
	masks->chain[i] = chain;
	for (r = 0; r < size; r++)
	{
		int j = masks->by_rank[rank == NULL ? r : rank[r]];

		mask[j / 64] |= UINT64_C(1) << j % 64;
		masks->tie[i] += masks->rank[j];
	}
	masks->cost[i] = set_cost(masks->state, mask);
}

/* Adds all sets of size keys out of those of rank first and above. */
static void
add_sets(Masks *masks, int first, int size, int chosen)
{
	int keys = masks->state->request->keys;
	int r;

	if (chosen == size)
	{
		add_mask(masks, masks->chosen, size, 0);
		return;
	}
	for (r = first; r + size - chosen <= keys; r++)
	{
		masks->chosen[chosen] = r;
		add_sets(masks, r + 1, size, chosen + 1);
	}
}

static int
compare_masks(int32_t a, int32_t b, void *arg)
{
	const Masks *masks = arg;

	if (masks->cost[a] != masks->cost[b])
		return masks->cost[a] < masks->cost[b] ? -1 : 1;
	return masks->tie[a] - masks->tie[b];
}

/*
 * Makes all sets of up to a size that leaves no more than MOST_MASKS of them,
 * then the first keys by rank for each size above it.
 */
static void
make_masks(Masks *masks)
{
	int keys = masks->state->request->keys;
	double sets = 1;
	int total = 0;
	int size;

	for (size = 1; size <= keys; size++)
	{
		sets = sets * (keys - size + 1) / size;
		if (total + sets > MOST_MASKS)
			break;
		total += (int) sets;
		add_sets(masks, 0, size, 0);
	}
	for (; size <= keys; size++)
		add_mask(masks, NULL, size, size);
}

/* The sets in the order of their cost. */
static void
take_masks(SdcSuppressState *state, const Masks *masks, const int32_t *order)
{
	SdcHost *host = state->host;
	size_t words = (size_t) state->words;
	int i;

	state->masks = masks->count;
	state->mask = sdc_new(host, uint64_t, (size_t) masks->count * words);
	state->cost = sdc_new(host, double, masks->count);
	state->chain = sdc_new(host, int, masks->count);
	for (i = 0; i < masks->count; i++)
	{
		memcpy(state->mask + (size_t) i * words,
			   masks->mask + (size_t) order[i] * words,
			   sizeof(uint64_t) * words);
		state->cost[i] = masks->cost[order[i]];
		state->chain[i] = masks->chain[order[i]];
	}
	state->order = masks->by_rank;
}

static void
find_sets(SdcSuppressState *state)
{
	SdcHost *host = state->host;
	int keys = state->request->keys;
	size_t room = (size_t) MOST_MASKS + (size_t) keys;
	Masks masks = {.state = state};
	int32_t *order = sdc_new(host, int32_t, room);
	int i;

	masks.mask = sdc_new(host, uint64_t, room * (size_t) state->words);
	memset(masks.mask, 0, sizeof(uint64_t) * room * (size_t) state->words);
	masks.cost = sdc_new(host, double, room);
	masks.tie = sdc_new(host, int, room);
	masks.chain = sdc_new(host, int, room);
	masks.rank = sdc_new(host, int, keys);
	masks.by_rank = sdc_new(host, int, keys);
	rank_keys(&masks);
	make_masks(&masks);
	for (i = 0; i < masks.count; i++)
		order[i] = i;
	sdc_sort_rows(host, order, (size_t) masks.count, compare_masks, &masks);
	take_masks(state, &masks, order);
	host->release(host, masks.mask);
	host->release(host, masks.cost);
	host->release(host, masks.tie);
	host->release(host, masks.chain);
	host->release(host, masks.rank);
	host->release(host, order);
}

/* ----------------------------------------------------------------------
 * Local suppression when NULL is a value like others.
 *
 * For a set of keys, the classes that lack something are grouped by the keys
 * that they would keep.  Those of a group that lose the set become one new
 * class, with the records that were already there.  If these are too few,
 * classes that are safe give records: those above k, or else a whole class.
 * With l, only whole classes, for such a class brings all values it needs.
 *
 * With models no class brings what another one needs: classes that are put
 * together are judged by the values of all of them, also when they join one
 * that was sound.  So only whole classes move, of which the values are known.
 *
 * A group is taken when what it loses, divided by the records that it helps,
 * is at most a level; the level starts at the dearness of the cheapest key and
 * doubles.  So cheap sets come first, and a few records that would cost many
 * others a value rather lose more of their own.
 * ----------------------------------------------------------------------
 */

#define NONE (-1)

/* Safe classes tried for a group: the cheapest that helps is taken. */
#define MOST_TRIES 8

/* What a class may still do. */
typedef enum Standing
{
	SAFE,    /* has what it needs */
	LACKING, /* a violator */
	SETTLED, /* gone, or a member of a class that others count on */
} Standing;

/* One group of a set of keys. */
typedef struct Group
{
	int64_t lacking; /* records to be helped */
	int64_t there;   /* records of a sound class with just these values */
	int64_t spare;   /* records that safe classes have above k */
	int64_t need;    /* to be given by them */
	double cost;     /* of what the lacking records lose */
	double dearest;  /* of the cheapest whole class */
	int32_t whole;   /* that class, or NONE */
	int32_t member;  /* with models: the last class of it, or NONE */
	int tries;       /* with models */
	bool taken;
} Group;

typedef struct Category
{
	SdcSuppressState *state;
	Standing *standing; /* by class */
	int64_t *left;      /* by class, records not suppressed */
	Group *group;
	/* steps by the set of keys that are NULL after them, linked */
	int32_t *first; /* by place in state->mask */
	int32_t *next;  /* by step */
	int32_t room;
	int32_t *before; /* by class: the member of its group before it */
} Category;

/* Can a class lose keys until just these are NULL? */
static bool
fits(const SdcSuppressState *state, int32_t class, const uint64_t *mask)
{
	return !state->any_nulls ||
		   sdc_suppress_within(state, sdc_suppress_nulls(state, class), mask);
}

/* Are these the keys that are NULL in a class? */
static bool
has_nulls(const SdcSuppressState *state, int32_t class, const uint64_t *mask)
{
	return memcmp(sdc_suppress_nulls(state, class), mask,
				  sizeof(uint64_t) * (size_t) state->words) == 0;
}

/* What a record of a class loses when the keys of set m are NULL. */
static double
record_cost(const SdcSuppressState *state, int32_t class, int m)
{
	if (!state->any_nulls)
		return state->cost[m];
	sdc_suppress_minus(state, state->joined, sdc_suppress_mask(state, m),
					   sdc_suppress_nulls(state, class));
	return set_cost(state, state->joined);
}

/* Suppresses records of a class until the keys of set m are NULL. */
static void
move(Category *category, int32_t class, int m, int64_t count)
{
	SdcSuppressState *state = category->state;
	SdcHost *host = state->host;
	int32_t step = state->result->steps;
	int32_t *next;

	if (count == 0 || has_nulls(state, class, sdc_suppress_mask(state, m)))
		return;
	sdc_suppress_minus(state, state->joined, sdc_suppress_mask(state, m),
					   sdc_suppress_nulls(state, class));
	sdc_suppress_add(state, class, state->joined, count);
	category->left[class] -= count;
	if (step >= category->room)
	{
		next = sdc_new(host, int32_t, 2 * (size_t) category->room);
		memcpy(next, category->next, sizeof(int32_t) * (size_t) step);
		host->release(host, category->next);
		category->next = next;
		category->room *= 2;
	}
	category->next[step] = category->first[m];
	category->first[m] = step;
}

/* With models, a group knows its classes. */
static void
add_member(Category *category, Group *group, int32_t class)
{
	if (category->before == NULL)
		return;
	category->before[class] = group->member;
	group->member = class;
}

/* Do the classes of a group satisfy the models, with one more unless NONE? */
static bool
group_passes(Category *category, const Group *group, int32_t more)
{
	const SdcSuppressRequest *request = category->state->request;
	SdcUnion *joined = category->state->joined_classes;
	int32_t class;

	sdc_union_clear(joined);
	for (class = group->member; class != NONE; class = category->before[class])
	{
		sdc_suppress_poll(category->state, class);
		sdc_union_add(joined, class);
	}
	if (more != NONE)
		sdc_union_add(joined, more);
	return sdc_union_passes(joined, request->k);
}

/* Groups the violators that fit a set of keys. */
static void
group_violators(Category *category, int m)
{
	SdcSuppressState *state = category->state;
	const uint64_t *mask = sdc_suppress_mask(state, m);
	int32_t i;

	sdc_suppress_prepare(state, m);
	sdc_suppress_groups_start(state, mask, state->violators);
	for (i = 0; i < state->violators; i++)
	{
		int32_t class = state->violator[i];
		int32_t before = state->groups;
		Group *group;

		sdc_suppress_poll(state, i);
		if (!fits(state, class, mask))
			continue;
		group = &category->group[sdc_suppress_groups_add(state, class)];
		if (state->groups > before)
		{
			memset(group, 0, sizeof(*group));
			group->whole = NONE;
			group->member = NONE;
			group->dearest = INFINITY;
		}
		add_member(category, group, class);
		group->lacking += state->classes->size[class];
		group->cost += record_cost(state, class, m) *
					   (double) state->classes->size[class];
	}
}

/* Adds the records that already are in the new classes. */
static void
count_there(Category *category, int m)
{
	SdcSuppressState *state = category->state;
	int32_t step;
	int32_t c;
	int32_t g;

	for (step = category->first[m]; step != NONE; step = category->next[step])
	{
		int32_t class = state->result->step[step].class;

		g = sdc_suppress_groups_find(state, class);
		if (g < 0)
			continue;
		category->group[g].there += state->result->step[step].count;
		add_member(category, &category->group[g], class);
	}
	for (c = 0; state->any_nulls && c < state->classes->classes; c++)
	{
		sdc_suppress_poll(state, c);
		if (category->standing[c] == LACKING || category->left[c] == 0 ||
			!has_nulls(state, c, sdc_suppress_mask(state, m)))
			continue;
		g = sdc_suppress_groups_find(state, c);
		if (g < 0)
			continue;
		category->group[g].there += category->left[c];
		add_member(category, &category->group[g], c);
	}
}

/* Counts the values of the violators of each group. */
static void
count_values(Category *category, int m)
{
	SdcSuppressState *state = category->state;
	int32_t i;
	int j;

	memset(state->diverse, 0, sizeof(int32_t) * (size_t) state->groups);
	for (j = state->request->keys;
		 j < state->frequency->columns && state->request->l > 1; j++)
	{
		sdc_suppress_values_begin(state);
		for (i = 0; i < state->violators; i++)
		{
			sdc_suppress_poll(state, i);
			if (fits(state, state->violator[i], sdc_suppress_mask(state, m)))
				sdc_suppress_values_bring(
					state, j, state->violator[i],
					sdc_suppress_groups_find(state, state->violator[i]));
		}
		sdc_suppress_values_end(state);
	}
}

/* With models: does a group need others, as it is? */
static bool
needs_others(Category *category, const Group *group, double level)
{
	if (group->cost > level * (double) group->lacking)
		return false; /* it is not taken anyway */
	return !group_passes(category, group, NONE);
}

/* What each group still needs; is there one that somebody must help? */
static bool
find_needs(Category *category, double level)
{
	SdcSuppressState *state = category->state;
	int sensitive = state->frequency->columns - state->request->keys;
	bool any = false;
	int32_t g;

	for (g = 0; g < state->groups; g++)
	{
		Group *group = &category->group[g];

		if (category->before != NULL)
			group->need = needs_others(category, group, level);
		else if (group->there > 0)
			group->need = 0;
		else if (group->lacking < state->request->k)
			group->need = state->request->k - group->lacking;
		else if (state->request->l > 1 && state->diverse[g] < sensitive)
			group->need = 1;
		any = any || (group->need > 0 && group->cost + state->cost[0] <=
											 level * (double) group->lacking);
	}
	return any;
}

/* With models: may a class be the one that helps a group? */
static bool
may_help(Category *category, Group *group, int32_t class, int m)
{
	SdcSuppressState *state = category->state;

	if (category->before == NULL)
		return true;
	/* who has these NULLs already is a member */
	if (group->need == 0 || group->tries == MOST_TRIES ||
		has_nulls(state, class, sdc_suppress_mask(state, m)))
		return false;
	group->tries++;
	return group_passes(category, group, class);
}

/* Looks for safe classes that can give records to groups. */
static void
find_givers(Category *category, int m)
{
	SdcSuppressState *state = category->state;
	int32_t c;

	for (c = 0; c < state->classes->classes; c++)
	{
		Group *group;
		double cost;
		int32_t g;

		sdc_suppress_poll(state, c);
		if (category->standing[c] != SAFE ||
			!fits(state, c, sdc_suppress_mask(state, m)))
			continue;
		g = sdc_suppress_groups_find(state, c);
		if (g < 0)
			continue;
		group = &category->group[g];
		group->spare += category->left[c] - state->request->k;
		cost = record_cost(state, c, m) * (double) category->left[c];
		if (cost < group->dearest && may_help(category, group, c, m))
		{
			group->dearest = cost;
			group->whole = c;
		}
	}
}

/* Takes the groups that cost at most the level, with what they need. */
static bool
take_groups(Category *category, int m, double level)
{
	SdcSuppressState *state = category->state;
	bool any = false;
	int32_t g;

	for (g = 0; g < state->groups; g++)
	{
		Group *group = &category->group[g];
		double cost = group->cost;

		if (group->need == 0)
			group->whole = NONE;
		else if (state->request->l <= 1 && category->before == NULL &&
				 group->spare >= group->need &&
				 (double) group->need * state->cost[m] < group->dearest)
		{
			cost += (double) group->need * state->cost[m];
			group->whole = NONE;
		}
		else if (group->whole != NONE)
		{
			cost += group->dearest;
			group->need = 0;
		}
		else
			continue;
		group->taken = cost <= level * (double) group->lacking;
		any = any || group->taken;
	}
	return any;
}

/* Suppresses what safe classes give; those that others join are settled. */
static void
move_givers(Category *category, int m)
{
	SdcSuppressState *state = category->state;
	int32_t c;

	for (c = 0; c < state->classes->classes; c++)
	{
		int32_t g;
		Group *group;
		int64_t part;

		sdc_suppress_poll(state, c);
		if (category->standing[c] != SAFE ||
			!fits(state, c, sdc_suppress_mask(state, m)))
			continue;
		g = sdc_suppress_groups_find(state, c);
		if (g < 0 || !category->group[g].taken)
			continue;
		group = &category->group[g];
		if (has_nulls(state, c, sdc_suppress_mask(state, m)))
			category->standing[c] = SETTLED;
		else if (group->whole == c)
		{
			move(category, c, m, category->left[c]);
			category->standing[c] = SETTLED;
		}
		else if (group->need > 0)
		{
			part = category->left[c] - state->request->k;
			if (part > group->need)
				part = group->need;
			move(category, c, m, part);
			group->need -= part;
		}
	}
}

static void
move_violators(Category *category, int m)
{
	SdcSuppressState *state = category->state;
	int32_t left = 0;
	int32_t i;

	for (i = 0; i < state->violators; i++)
	{
		int32_t class = state->violator[i];

		if (!fits(state, class, sdc_suppress_mask(state, m)) ||
			!category->group[sdc_suppress_groups_find(state, class)].taken)
		{
			state->violator[left++] = class;
			continue;
		}
		move(category, class, m, category->left[class]);
		category->standing[class] = SETTLED;
	}
	state->violators = left;
}

/* Tries one set of keys at a level. */
static void
try_mask(Category *category, int m, double level)
{
	SdcSuppressState *state = category->state;
	bool any_need;

	group_violators(category, m);
	if (state->groups == 0)
		return;
	count_there(category, m);
	count_values(category, m);
	any_need = find_needs(category, level);
	if (any_need)
		find_givers(category, m);
	if (!take_groups(category, m, level))
		return;
	if (any_need || state->any_nulls)
		move_givers(category, m);
	move_violators(category, m);
}

/* All that have lost the set of keys m lose all keys. */
static void
widen(Category *category, int m)
{
	SdcSuppressState *state = category->state;
	int last = state->masks - 1;
	int32_t step;
	int32_t c;

	for (step = category->first[m]; step != NONE; step = category->next[step])
	{
		int32_t class = state->result->step[step].class;

		sdc_suppress_minus(
			state, state->result->lost + (size_t) step * (size_t) state->words,
			sdc_suppress_mask(state, last), sdc_suppress_nulls(state, class));
		if (category->before != NULL)
			sdc_union_add(state->joined_classes, class);
	}
	for (c = 0; c < state->classes->classes; c++)
	{
		sdc_suppress_poll(state, c);
		if (category->standing[c] != SETTLED || category->left[c] == 0 ||
			!has_nulls(state, c, sdc_suppress_mask(state, m)))
			continue;
		if (category->before != NULL)
			sdc_union_add(state->joined_classes, c);
		move(category, c, last, category->left[c]);
	}
}

/* A judgement for each part of so many that have joined. */
#define MOST_SURPLUS 64

/*
 * With models: the classes that lose all keys satisfy them, when as many of
 * the safe ones have joined as it takes, and then those that lost fewer keys,
 * set by set.  In the end these are all records, which satisfy them.
 */
static void
join_until_passing(Category *category)
{
	SdcSuppressState *state = category->state;
	SdcUnion *joined = state->joined_classes;
	int64_t k = state->request->k;
	int last = state->masks - 1;
	int64_t next = 0; /* records when it is judged again */
	int32_t i;
	int m;

	sdc_union_clear(joined);
	for (i = 0; i < state->violators; i++)
		sdc_union_add(joined, state->violator[i]);
	/* who has no key at all is in that class already */
	for (i = 0; i < state->classes->classes; i++)
		if (category->standing[i] == SAFE &&
			has_nulls(state, i, sdc_suppress_mask(state, last)))
			category->standing[i] = SETTLED;
	widen(category, last);
	for (i = 0; i < state->classes->classes; i++)
	{
		sdc_suppress_poll(state, i);
		if (category->standing[i] != SAFE)
			continue;
		if (joined->records >= next)
		{
			if (sdc_union_passes(joined, k))
				break;
			next = joined->records + joined->records / MOST_SURPLUS;
		}
		sdc_union_add(joined, i);
		move(category, i, last, category->left[i]);
		category->standing[i] = SETTLED;
	}
	for (m = 0; m < last && !sdc_union_passes(joined, k); m++)
		widen(category, m);
}

/*
 * The last resort: some records lack others even without any key, and all
 * safe classes are counted on.  One set of keys joins them with all that lost
 * it, which together are at least one sound class.
 */
static void
join_all(Category *category)
{
	SdcSuppressState *state = category->state;
	int last = state->masks - 1;
	int m = 0;
	int32_t i;

	while (m < last && category->first[m] == NONE)
		m++;
	if (category->before != NULL)
		join_until_passing(category);
	else
		widen(category, m);
	for (i = 0; i < state->violators; i++)
		move(category, state->violator[i], last,
			 category->left[state->violator[i]]);
	state->violators = 0;
}

static void
try_masks(Category *category, double level)
{
	SdcSuppressState *state = category->state;
	int m;

	for (m = 0; m < state->masks && state->violators > 0; m++)
	{
		state->host->poll(state->host, (uint64_t) m, (uint64_t) state->masks);
		if (state->cost[m] <= level)
			try_mask(category, m, level);
	}
}

static void
suppress_category(SdcSuppressState *state)
{
	SdcHost *host = state->host;
	int32_t n = state->classes->classes;
	Category category = {.state = state, .room = 64};
	double dear = state->cost[state->masks - 1] * (double) state->request->k;
	double level;
	int32_t i;

	category.standing = sdc_new(host, Standing, n);
	category.left = sdc_new(host, int64_t, n);
	category.group = sdc_new(host, Group, state->violators);
	category.first = sdc_new(host, int32_t, state->masks);
	category.next = sdc_new(host, int32_t, category.room);
	if (state->joined_classes != NULL)
		category.before = sdc_new(host, int32_t, n);
	memset(category.first, NONE, sizeof(int32_t) * (size_t) state->masks);
	for (i = 0; i < n; i++)
	{
		category.standing[i] = SAFE;
		category.left[i] = state->classes->size[i];
	}
	for (i = 0; i < state->violators; i++)
		category.standing[state->violator[i]] = LACKING;
	for (level = state->cost[0]; level < dear; level *= 2)
		try_masks(&category, level);
	try_masks(&category, INFINITY);
	if (state->violators > 0)
		join_all(&category);
	host->release(host, category.standing);
	host->release(host, category.left);
	host->release(host, category.group);
	host->release(host, category.first);
	host->release(host, category.next);
	host->release(host, category.before);
}

/* ----------------------------------------------------------------------
 * Local suppression: what lacks something, and who deals with it.
 * ----------------------------------------------------------------------
 */

/* What the records of each class have like them. */
typedef struct Likeness
{
	int64_t *records;
	bool *diverse; /* l values in each sensitive column, and its models */
} Likeness;

/* Classes by themselves: runs of cells. */
static void
judge_runs(SdcSuppressState *state, const SdcFrequency *frequency, int first,
		   const SdcClasses *classes, bool *diverse)
{
	int32_t c;

	for (c = 0; c < classes->classes; c++)
	{
		sdc_suppress_poll(state, c);
		diverse[c] = sdc_suppress_is_diverse(
			frequency, first, classes->first[c], classes->first[c + 1],
			state->request->l, state->seen);
		if (state->joined_classes == NULL || !diverse[c])
			continue;
		sdc_union_clear(state->joined_classes);
		sdc_union_add(state->joined_classes, c);
		diverse[c] = sdc_union_passes(state->joined_classes, 0);
	}
}

/* Counts records that may agree with those of classes smaller than k. */
static void
match_small(SdcSuppressState *state, int64_t *records)
{
	SdcHost *host = state->host;
	int32_t n = state->classes->classes;
	int32_t *small = sdc_new(host, int32_t, n);
	int64_t *total = sdc_new(host, int64_t, n);
	int32_t count = 0;
	int32_t c;

	for (c = 0; c < n; c++)
		if (records[c] < state->request->k)
			small[count++] = c;
	memset(state->joined, 0, sizeof(uint64_t) * (size_t) state->words);
	sdc_suppress_match(state, state->joined, small, count, total);
	for (c = 0; c < count; c++)
		records[small[c]] = total[c];
	host->release(host, small);
	host->release(host, total);
}

/* records is exact for classes that lack some, and k or more for others. */
static Likeness
judge(SdcSuppressState *state)
{
	SdcHost *host = state->host;
	const SdcFrequency *frequency = state->frequency;
	const SdcClasses *classes = state->classes;
	const SdcSuppressRequest *request = state->request;
	bool match = request->wildcard && state->any_nulls;
	Likeness likeness;
	SdcFrequency *expanded;
	SdcClasses *sets;

	likeness.records = sdc_new(host, int64_t, classes->classes);
	likeness.diverse = sdc_new(host, bool, classes->classes);
	memcpy(likeness.records, classes->size,
		   sizeof(int64_t) * (size_t) classes->classes);
	if (match)
		match_small(state, likeness.records);
	if (match && request->l > 1)
	{
		expanded =
			sdc_wildcard_expand(host, frequency, classes, request->keys);
		sets = sdc_frequency_classes(host, expanded, 1);
		judge_runs(state, expanded, 1, sets, likeness.diverse);
		sdc_classes_release(host, sets);
		sdc_frequency_release(host, expanded);
	}
	else
		judge_runs(state, frequency, request->keys, classes, likeness.diverse);
	return likeness;
}

static void
release(SdcHost *host, Likeness *likeness)
{
	host->release(host, likeness->records);
	host->release(host, likeness->diverse);
}

void
sdc_suppress_add(SdcSuppressState *state, int32_t class, const uint64_t *mask,
				 int64_t count)
{
	SdcSuppression *result = state->result;
	SdcHost *host = state->host;
	size_t words = sizeof(uint64_t) * (size_t) state->words;
	size_t used = (size_t) result->steps;

	if (result->steps == result->room)
	{
		result->step = sdc_grow(host, result->step, used, 2 * used,
								sizeof(SdcSuppressStep));
		result->lost = sdc_grow(host, result->lost, used, 2 * used, words);
		result->room *= 2;
	}
	result->step[used].class = class;
	result->step[used].count = count;
	memcpy(result->lost + used * (size_t) state->words, mask, words);
	result->steps++;
}

static void
find_violators(SdcSuppressState *state, const Likeness *likeness)
{
	int32_t c;

	state->violator = sdc_new(state->host, int32_t, state->classes->classes);
	for (c = 0; c < state->classes->classes; c++)
		if (likeness->records[c] < state->request->k || !likeness->diverse[c])
			state->violator[state->violators++] = c;
}

static void
release_state(SdcSuppressState *state)
{
	SdcHost *host = state->host;

	host->release(host, state->mask);
	host->release(host, state->cost);
	host->release(host, state->chain);
	host->release(host, state->order);
	host->release(host, state->bits);
	host->release(host, state->chained);
	host->release(host, state->without);
	host->release(host, state->suppressed);
	host->release(host, state->joined);
	host->release(host, state->both);
	host->release(host, state->out);
	host->release(host, state->nulls);
	host->release(host, state->packed);
	host->release(host, state->violator);
	host->release(host, state->pattern);
	host->release(host, state->pattern_start);
	host->release(host, state->by_pattern);
	host->release(host, state->pattern_of);
	host->release(host, state->sum);
	host->release(host, state->group_key);
	sdc_table_release(host, &state->table);
	host->release(host, state->diverse);
	host->release(host, state->pair);
	sdc_table_release(host, &state->pair_table);
	host->release(host, state->distinct);
	host->release(host, state->seen);
	host->release(host, state->seen_count);
	host->release(host, state->arranged);
	sdc_union_release(state->joined_classes);
}

static void
sum_up(SdcSuppression *result)
{
	int32_t i;
	int w;

	for (i = 0; i < result->steps; i++)
	{
		int64_t count = result->step[i].count;

		result->records += count;
		for (w = 0; w < result->words; w++)
			result->values += count * __builtin_popcountll(
										  sdc_suppression_lost(result, i)[w]);
	}
}

/* What planning and checking have in common. */
static SdcSuppressState
start(SdcHost *host, const SdcFrequency *frequency, const SdcClasses *classes,
	  const SdcSuppressRequest *request)
{
	SdcSuppressState state = {.host = host,
							  .frequency = frequency,
							  .classes = classes,
							  .request = request,
							  .words = (request->keys + 63) / 64};
	size_t sensitive = (size_t) (frequency->columns - request->keys);

	sdc_suppress_pack(&state);
	state.seen = sdc_new(host, int32_t, sensitive * (size_t) request->l);
	if (request->models != NULL)
		state.joined_classes = sdc_union_new(host, frequency, classes,
											 request->keys, request->models);
	return state;
}

SdcSuppression *
sdc_suppress_plan(SdcHost *host, const SdcFrequency *frequency,
				  const SdcClasses *classes, const SdcSuppressRequest *request)
{
	SdcSuppressState state = start(host, frequency, classes, request);
	Likeness likeness;

	host->stage(host, "choosing what to suppress");
	likeness = judge(&state);
	state.result = sdc_new(host, SdcSuppression, 1);
	memset(state.result, 0, sizeof(*state.result));
	state.result->room = 64;
	state.result->step = sdc_new(host, SdcSuppressStep, 64);
	state.result->words = state.words;
	state.result->lost = sdc_new(host, uint64_t, 64 * (size_t) state.words);
	find_violators(&state, &likeness);
	find_sets(&state);
	state.diverse = sdc_new(host, int32_t, classes->classes);
	state.seen_count = sdc_new(host, int64_t, frequency->columns);
	state.arranged = sdc_new(host, int32_t, 2 * (size_t) classes->classes);
	if (request->wildcard)
		sdc_suppress_wildcard(&state, likeness.records, likeness.diverse);
	else
		suppress_category(&state);
	sum_up(state.result);
	release_state(&state);
	release(host, &likeness);
	return state.result;
}

bool
sdc_suppress_possible(SdcHost *host, const SdcFrequency *frequency,
					  const SdcClasses *classes,
					  const SdcSuppressRequest *request)
{
	SdcUnion *all;
	bool possible;
	int32_t c;

	if (request->models == NULL || classes->classes == 0)
		return true;
	all = sdc_union_new(host, frequency, classes, request->keys,
						request->models);
	for (c = 0; c < classes->classes; c++)
		sdc_union_add(all, c);
	possible = sdc_union_passes(all, 0);
	sdc_union_release(all);
	return possible;
}

int64_t
sdc_suppress_violations(SdcHost *host, const SdcFrequency *frequency,
						const SdcSuppressRequest *request)
{
	SdcClasses *classes =
		sdc_frequency_classes(host, frequency, request->keys);
	SdcSuppressState state = start(host, frequency, classes, request);
	int64_t violations = 0;
	Likeness likeness;
	int32_t c;

	host->stage(host, "checking");
	likeness = judge(&state);
	for (c = 0; c < classes->classes; c++)
		if (likeness.records[c] < request->k || !likeness.diverse[c])
			violations += classes->size[c];
	release(host, &likeness);
	release_state(&state);
	sdc_classes_release(host, classes);
	return violations;
}
