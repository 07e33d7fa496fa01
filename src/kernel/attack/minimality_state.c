/*
 * minimality_state.c
 *		How far the values of a group have been used up, and what the greedy
 *		algorithm makes of it.
 *
 * States are found by open addressing; a table that is half full doubles.
 */
#include <string.h>

#include "kernel/generalization/diverse_group.h"
#include "kernel/attack/minimality_state.h"
#include "kernel/base/random.h"

#define FIRST_ROOM 32

static void
make_room(SdcHost *host, const SdcMinimalityGroup *group,
		  SdcMinimalityStates *set, int32_t room)
{
	set->room = room;
	set->key =
		sdc_new(host, uint32_t, room * sdc_minimality_state_width(group));
	set->slot = sdc_new(host, int32_t, (size_t) room * 2);
	sdc_minimality_state_empty(set);
}

void
sdc_minimality_state_start(SdcHost *host, const SdcMinimalityGroup *group,
						   SdcMinimalityStates *set)
{
	make_room(host, group, set, FIRST_ROOM);
}

void
sdc_minimality_state_empty(SdcMinimalityStates *set)
{
	set->states = 0;
	memset(set->slot, -1, sizeof(int32_t) * (size_t) set->room * 2);
}

void
sdc_minimality_state_release(SdcHost *host, SdcMinimalityStates *set)
{
	host->release(host, set->key);
	host->release(host, set->slot);
}

/* The slot where a state is, or where it would be put. */
static int32_t *
find_slot(const SdcMinimalityGroup *group, const SdcMinimalityStates *set,
		  const uint32_t *key)
{
	size_t mask = (size_t) set->room * 2 - 1;
	size_t width = sdc_minimality_state_width(group);
	uint64_t hash = 0;
	size_t i;

	for (i = 0; i < width; i++)
		hash = (hash ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15);
	i = (size_t) sdc_random_mix(hash) & mask;
	while (set->slot[i] >= 0 &&
		   memcmp(set->key + (size_t) set->slot[i] * width, key,
				  width * sizeof(uint32_t)) != 0)
		i = (i + 1) & mask;
	return &set->slot[i];
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
	sdc_minimality_state_release(host, &old);
}

int32_t
sdc_minimality_state_find(SdcHost *host, const SdcMinimalityGroup *group,
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
close_group(const SdcMinimalityGroup *group, uint32_t *key)
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

bool
sdc_minimality_state_settle(const SdcMinimalityGroup *group, int32_t used,
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
	close_group(group, key);
	return true;
}

int32_t
sdc_minimality_state_forget(const SdcMinimalityGroup *group, uint32_t *key,
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
