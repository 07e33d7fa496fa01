/*
 * suppress_category.c
 *		Local suppression when NULL is a value like others.
 *
 * For a set of keys, the classes that lack something are grouped by the keys
 * that they would keep.  Those of a group that lose the set become one new
 * class, with the records that were already there.  If these are too few,
 * classes that are safe give records: those above k, or else a whole class.
 * With l, only whole classes, for such a class brings all values it needs.
 *
 * A group is taken when what it loses, divided by the records that it helps,
 * is at most a level; the level starts at the dearness of the cheapest key and
 * doubles.  So cheap sets come first, and a few records that would cost many
 * others a value rather lose more of their own.
 */
#include <math.h>
#include <string.h>

#include "kernel/generalization/suppress_state.h"

#define NONE (-1)

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
} Category;

static uint64_t
all_keys(const SdcSuppressState *state)
{
	return UINT64_MAX >> (64 - state->request->keys);
}

/* Can a class lose keys until just these are NULL? */
static bool
fits(const SdcSuppressState *state, int32_t class, uint64_t mask)
{
	return (state->nulls[class] & ~mask) == 0;
}

static double
record_cost(const SdcSuppressState *state, int32_t class, uint64_t mask)
{
	return sdc_suppress_cost(state, mask & ~state->nulls[class]);
}

/* Suppresses records of a class until the keys of set m are NULL. */
static void
move(Category *category, int32_t class, int m, int64_t count)
{
	SdcSuppressState *state = category->state;
	SdcHost *host = state->host;
	uint64_t mask = state->mask[m] & ~state->nulls[class];
	int32_t step = state->result->steps;
	int32_t *next;

	if (mask == 0 || count == 0)
		return;
	sdc_suppress_add(state, class, mask, count);
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

/* Groups the violators that fit a set of keys. */
static void
group_violators(Category *category, int m)
{
	SdcSuppressState *state = category->state;
	uint64_t mask = state->mask[m];
	int32_t i;

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
			group->dearest = INFINITY;
		}
		group->lacking += state->classes->size[class];
		group->cost += record_cost(state, class, mask) *
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
		g = sdc_suppress_groups_find(state, state->result->step[step].class);
		if (g >= 0)
			category->group[g].there += state->result->step[step].count;
	}
	for (c = 0; state->any_nulls && c < state->classes->classes; c++)
	{
		sdc_suppress_poll(state, c);
		if (state->nulls[c] != state->mask[m] ||
			category->standing[c] == LACKING || category->left[c] == 0)
			continue;
		g = sdc_suppress_groups_find(state, c);
		if (g >= 0)
			category->group[g].there += category->left[c];
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
			if (fits(state, state->violator[i], state->mask[m]))
				sdc_suppress_values_bring(
					state, j, state->violator[i],
					sdc_suppress_groups_find(state, state->violator[i]));
		}
		sdc_suppress_values_end(state);
	}
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

		if (group->there > 0)
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
		if (category->standing[c] != SAFE || !fits(state, c, state->mask[m]))
			continue;
		g = sdc_suppress_groups_find(state, c);
		if (g < 0)
			continue;
		group = &category->group[g];
		group->spare += category->left[c] - state->request->k;
		cost =
			record_cost(state, c, state->mask[m]) * (double) category->left[c];
		if (cost < group->dearest)
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
		else if (state->request->l <= 1 && group->spare >= group->need &&
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
		if (category->standing[c] != SAFE || !fits(state, c, state->mask[m]))
			continue;
		g = sdc_suppress_groups_find(state, c);
		if (g < 0 || !category->group[g].taken)
			continue;
		group = &category->group[g];
		if (state->nulls[c] == state->mask[m])
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

		if (!fits(state, class, state->mask[m]) ||
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

/*
 * The last resort: some records lack others even without any key, and all
 * safe classes are counted on.  One set of keys joins them with all that lost
 * it, which together are at least one sound class.
 */
static void
join_all(Category *category)
{
	SdcSuppressState *state = category->state;
	uint64_t all = all_keys(state);
	int last = state->masks - 1;
	int m = 0;
	int32_t step;
	int32_t i;
	int32_t c;

	while (m < last && category->first[m] == NONE)
		m++;
	for (step = category->first[m]; step != NONE; step = category->next[step])
	{
		SdcSuppressStep *moved = &state->result->step[step];

		moved->mask = all & ~state->nulls[moved->class];
	}
	for (c = 0; c < state->classes->classes; c++)
		if (state->nulls[c] == state->mask[m] &&
			category->standing[c] == SETTLED)
			move(category, c, last, category->left[c]);
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

void
sdc_suppress_category(SdcSuppressState *state)
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
}
