/*
 * suppress_match.c
 *		Local suppression: records that may agree as NULL matches everything.
 *
 * Classes are taken by pattern, the keys that are NULL in them.  Classes of
 * one pattern may agree with those of another when their codes are the same in
 * the keys that neither pattern has, nor the set that is to be suppressed; so
 * one hash table over the smaller of the two sides joins them.  Only whether
 * there are k matters, so the largest pattern goes first, and who has k is
 * left out of the next.
 */
#include <string.h>

#include "kernel/base/sort.h"
#include "kernel/generalization/suppress_state.h"

/* Classes of one pattern that records are looked for. */
typedef struct Wanted
{
	const int32_t *class;
	int64_t *total;
	int32_t *place; /* of those still looked for, in class and total */
	int32_t count;
	int32_t *group;
} Wanted;

/* Sorts the classes by pattern. */
static int32_t
sort_by_nulls(SdcSuppressState *state, uint64_t *sorted)
{
	int32_t n = state->classes->classes;
	int32_t patterns = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		sorted[i] = state->nulls[i];
		state->by_pattern[i] = i;
	}
	sdc_sort_keys(state->host, sorted, state->by_pattern, (size_t) n);
	for (i = 0; i < n; i++)
		patterns += i == 0 || sorted[i] != sorted[i - 1];
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
	state->pattern = sdc_new(host, uint64_t, state->patterns);
	state->pattern_start =
		sdc_new(host, int32_t, (size_t) state->patterns + 1);
	run = sdc_new(host, int32_t, state->patterns);
	unsorted = sdc_new(host, int32_t, (size_t) state->patterns + 1);
	for (i = 0, p = 0; i < n; i++)
		if (i == 0 || key[i] != key[i - 1])
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
		state->pattern[p] = state->nulls[state->by_pattern[i]];
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
match_pattern(SdcSuppressState *state, uint64_t mask, Wanted *wanted)
{
	int p;

	mask |= state->nulls[wanted->class[wanted->place[0]]];
	for (p = 0; p < state->patterns && wanted->count > 0; p++)
	{
		const int32_t *class = state->by_pattern + state->pattern_start[p];
		int32_t count = state->pattern_start[p + 1] - state->pattern_start[p];
		int32_t left = 0;
		int32_t i;

		sdc_suppress_groups_start(state, mask | state->pattern[p],
								  wanted->count < count ? wanted->count
														: count);
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

void
sdc_suppress_match(SdcSuppressState *state, uint64_t mask,
				   const int32_t *class, int32_t count, int64_t *total)
{
	SdcHost *host = state->host;
	uint64_t *key = sdc_new(host, uint64_t, count);
	int32_t *order = sdc_new(host, int32_t, count);
	int32_t *group = sdc_new(host, int32_t, count);
	int32_t first;
	int32_t last;

	if (state->pattern == NULL)
		find_patterns(state);
	for (first = 0; first < count; first++)
	{
		total[first] = 0;
		order[first] = first;
		key[first] = (uint64_t) state->pattern_of[class[first]];
	}
	sdc_sort_keys(host, key, order, (size_t) count);
	for (first = 0; first < count; first = last)
	{
		Wanted wanted = {class, total, order + first, 0, group};

		for (last = first; last < count && key[last] == key[first]; last++)
			;
		wanted.count = last - first;
		match_pattern(state, mask, &wanted);
	}
	host->release(host, key);
	host->release(host, order);
	host->release(host, group);
}
