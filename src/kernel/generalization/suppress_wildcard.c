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

#include "kernel/base/sort.h"
#include "kernel/generalization/suppress_state.h"
#include "kernel/table/wildcard.h"

/* Classes in the pool from which on it is settled early. */
#define MOST_ENTRIES 4000000

typedef struct Wildcard
{
	SdcSuppressState *state;
	const int64_t *alike; /* by class, before anything was suppressed */
	SdcSuppressPool pool;
	/* by group */
	int64_t *total; /* records of the table with the kept values */
	int32_t *one;   /* a class of it */
	/* classes of the present groups, by group, then by alike */
	int32_t *entry;
	uint64_t *order;
	int32_t entries;
} Wildcard;

/* Groups the classes that have all the keys of the set to lose. */
static void
group_violators(Wildcard *wildcard, uint64_t mask)
{
	SdcSuppressState *state = wildcard->state;
	int32_t i;

	sdc_suppress_groups_start(state, mask, state->violators);
	wildcard->entries = 0;
	for (i = 0; i < state->violators; i++)
	{
		int32_t class = state->violator[i];
		int64_t alike = wildcard->alike[class];
		uint64_t group;

		sdc_suppress_poll(state, i);
		if ((state->nulls[class] & mask) != 0)
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
		if ((state->suppressed >> j & 1) == 0)
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
	uint64_t mask = state->suppressed;
	int32_t i;

	if (state->request->l > 1)
		match_values(wildcard);
	for (i = wildcard->entries - 1; i >= 0; i--)
		wildcard->one[wildcard->order[i] >> 32] = wildcard->entry[i];
	sdc_suppress_match(state, mask, wildcard->one, state->groups,
					   wildcard->total);
	state->suppressed = mask;
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
			sdc_suppress_pool_add(&wildcard->pool, state->suppressed,
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

/* Pools the groups of one set of keys. */
static void
try_mask(Wildcard *wildcard, uint64_t mask)
{
	SdcSuppressState *state = wildcard->state;

	group_violators(wildcard, mask);
	if (wildcard->entries == 0)
		return;
	if (mask == UINT64_MAX >> (64 - state->request->keys))
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
	sdc_suppress_pool_settle(&wildcard->pool);
	drop_done(wildcard);
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
		try_mask(wildcard, state->mask[m]);
		if (m + 1 == state->masks || state->cost[m + 1] != state->cost[m] ||
			wildcard->pool.entries > MOST_ENTRIES)
			settle(wildcard);
	}
	/* who has NULLs where each set of many keys wants values loses the rest */
	while (state->violators > 0)
	{
		try_mask(wildcard, UINT64_MAX >> (64 - state->request->keys) &
							   ~state->nulls[state->violator[0]]);
		settle(wildcard);
	}
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
	sdc_suppress_pool_release(&wildcard.pool);
	host->release(host, done);
	host->release(host, wildcard.total);
	host->release(host, wildcard.one);
	host->release(host, wildcard.entry);
	host->release(host, wildcard.order);
}
