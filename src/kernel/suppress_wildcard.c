/*
 * suppress_wildcard.c
 *		Local suppression when NULL matches everything.
 *
 * For each set of keys, cheapest first, the classes that lack something are
 * grouped by the keys that they would keep.  A group whose kept keys at least
 * k records of the table have can help itself: whoever loses the set is like
 * all of these, and each of the others gets one more record like it.  So only
 * as many lose it as the others need; the group is then done with.
 *
 * Let T records of a group be suppressed.  A class that keeps its values and
 * had f records like it then has f + T, less those of its own among the T.  So
 * the classes with f + T < k must all be among the T; the least T for which
 * they fit, and for which the rest of T is found in other classes, is taken.
 */
#include <string.h>

#include "kernel/sort.h"
#include "kernel/suppress_state.h"
#include "kernel/wildcard.h"

typedef struct Wildcard
{
	SdcSuppressState *state;
	const int64_t *alike; /* by class, before anything was suppressed */
	const bool *diverse;
	bool *done; /* by class */
	/* by group */
	int64_t *total; /* records of the table with the kept values */
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

	sdc_suppress_groups_start(state, mask);
	wildcard->entries = 0;
	for (i = 0; i < state->violators; i++)
	{
		int32_t class = state->violator[i];
		int64_t alike = wildcard->alike[class];
		uint64_t group;

		if ((state->nulls[class] & mask) != 0)
			continue;
		if (!wildcard->diverse[class])
			alike = 0;
		else if (alike > UINT32_MAX)
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

		if (c % SDC_POLL_STEPS == 0)
			state->host->poll(state->host, 0, 0);
		if (group >= 0)
			wildcard->total[group] += classes->size[c];
	}
	for (j = state->request->keys; j < columns && state->request->l > 1; j++)
	{
		sdc_suppress_values_begin(state);
		for (c = 0; c < classes->classes; c++)
		{
			int32_t group = sdc_suppress_groups_find(state, c);

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

	memset(diverse, true, (size_t) classes->classes);
	if (state->request->l <= 1)
		return diverse;
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

/* The same when it has: records that may have the kept values count. */
static void
match_groups(Wildcard *wildcard)
{
	SdcSuppressState *state = wildcard->state;
	SdcHost *host = state->host;
	int sensitive = state->frequency->columns - state->request->keys;
	int kept;
	int32_t *place;
	SdcFrequency *table = project(state, &kept, &place);
	SdcClasses *classes = sdc_frequency_classes(host, table, kept);
	int32_t *number = number_cells(host, classes);
	int64_t *records = sdc_new(host, int64_t, classes->classes);
	bool *diverse = judge_sets(state, table, classes, kept);
	int32_t i;

	sdc_wildcard_match(host, table, classes, kept, records, NULL);
	for (i = 0; i < wildcard->entries; i++)
	{
		int32_t cell = state->classes->first[wildcard->entry[i]];
		int32_t group = (int32_t) (wildcard->order[i] >> 32);

		wildcard->total[group] = records[number[place[cell]]];
		state->diverse[group] = diverse[number[place[cell]]] ? sensitive : -1;
	}
	host->release(host, diverse);
	host->release(host, records);
	host->release(host, number);
	sdc_classes_release(host, classes);
	sdc_frequency_release(host, table);
	host->release(host, place);
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

/*
 * Finds amount records in the classes from first to last that keep k records
 * like them if total records of the group are suppressed; the classes with
 * most like them first.  Suppresses them if apply; else says whether there
 * are so many.
 */
static bool
fill(Wildcard *wildcard, int32_t first, int32_t last, int64_t total,
	 int64_t amount, bool apply)
{
	SdcSuppressState *state = wildcard->state;
	int32_t i;

	for (i = last - 1; i >= first && amount > 0; i--)
	{
		int32_t class = wildcard->entry[i];
		int64_t size = state->classes->size[class];
		int64_t part = size < amount ? size : amount;

		if (part < size &&
			wildcard->alike[class] + total - part < state->request->k)
			continue;
		amount -= part;
		if (apply)
			sdc_suppress_add(state, class, state->suppressed, part);
	}
	return amount == 0;
}

/* Suppresses what is best in the group of the entries first .. last - 1. */
static void
settle_group(Wildcard *wildcard, int32_t first, int32_t last)
{
	SdcSuppressState *state = wildcard->state;
	int64_t best = INT64_MAX;
	int64_t best_sum = 0;
	int32_t best_forced = last;
	int64_t sum = 0; /* records before i */
	int32_t i;

	for (i = first; i <= last && sum < best; i++)
	{
		int64_t total = sum;

		if (i < last)
		{
			int32_t class = wildcard->entry[i];
			int64_t lack = state->request->k - wildcard->alike[class];

			if (total < lack)
				total = lack;
			/* who lacks values must lose some; nobody can give them */
			if (wildcard->diverse[class] && total < best &&
				fill(wildcard, i, last, total, total - sum, false))
			{
				best = total;
				best_sum = sum;
				best_forced = i;
			}
			sum += state->classes->size[class];
		}
		else if (total < best)
		{
			best = total;
			best_sum = sum;
			best_forced = i;
		}
	}
	for (i = first; i < best_forced; i++)
		sdc_suppress_add(state, wildcard->entry[i], state->suppressed,
						 state->classes->size[wildcard->entry[i]]);
	fill(wildcard, best_forced, last, best, best - best_sum, true);
	for (i = first; i < last; i++)
		wildcard->done[wildcard->entry[i]] = true;
}

/* Goes through the groups that can help themselves. */
static void
settle_groups(Wildcard *wildcard)
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
			settle_group(wildcard, first, last);
	}
}

static void
drop_done(Wildcard *wildcard)
{
	SdcSuppressState *state = wildcard->state;
	int32_t left = 0;
	int32_t i;

	for (i = 0; i < state->violators; i++)
		if (!wildcard->done[state->violator[i]])
			state->violator[left++] = state->violator[i];
	state->violators = left;
}

/* Tries one set of keys. */
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
	settle_groups(wildcard);
	drop_done(wildcard);
}

void
sdc_suppress_wildcard(SdcSuppressState *state, const int64_t *alike,
					  const bool *diverse)
{
	SdcHost *host = state->host;
	size_t violators = (size_t) state->violators;
	uint64_t all = UINT64_MAX >> (64 - state->request->keys);
	Wildcard wildcard = {.state = state, .alike = alike, .diverse = diverse};
	int m;

	wildcard.done = sdc_new(host, bool, state->classes->classes);
	memset(wildcard.done, false, (size_t) state->classes->classes);
	wildcard.total = sdc_new(host, int64_t, violators);
	wildcard.entry = sdc_new(host, int32_t, violators);
	wildcard.order = sdc_new(host, uint64_t, violators);
	for (m = 0; m < state->masks && state->violators > 0; m++)
	{
		host->poll(host, (uint64_t) m, (uint64_t) state->masks);
		try_mask(&wildcard, state->mask[m]);
	}
	/* who has NULLs where each set of many keys wants values loses the rest */
	while (state->violators > 0)
		try_mask(&wildcard, all & ~state->nulls[state->violator[0]]);
	host->release(host, wildcard.done);
	host->release(host, wildcard.total);
	host->release(host, wildcard.entry);
	host->release(host, wildcard.order);
}
