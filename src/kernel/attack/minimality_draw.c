/*
 * minimality_draw.c
 *		The assignments of a group that the greedy algorithm would have made.
 *
 * Records are assigned one after the other.  The states of a step come from
 * those of the step before by arrows; one that leads to an assignment under
 * which the group would not have been made is not drawn.  Interchangeable
 * assignments meet in one state.
 */
#include <string.h>

#include "kernel/generalization/diverse_group.h"
#include "kernel/attack/minimality_search.h"

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
	if (!sdc_minimality_state_settle(group, step + 1, search->tried))
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
			sdc_minimality_state_forget(group, search->tried, &arrow->rest);
	arrow->to = sdc_minimality_state_find(
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

SdcMinimalityAnswer
sdc_minimality_draw(SdcMinimalitySearch *search)
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
	sdc_minimality_state_find(host, group, &search->set[0], search->tried);
	for (step = 0; step < group->size; step++)
	{
		search->first[step] = search->arrows;
		search->states[step] = search->set[step % 2].states;
		sdc_minimality_state_empty(&search->set[(step + 1) % 2]);
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
