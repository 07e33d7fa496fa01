/*
 * suppress_pool.c
 *		Local suppression: groups that compete for classes.
 *
 * Groups wait in a heap by how many records they spare.  When the first one
 * has lost classes to others meanwhile it is valued anew and goes back to the
 * heap; else it is settled.
 */
#include <string.h>

#include "kernel/generalization/suppress_state.h"
#include "kernel/base/grow.h"

typedef struct SdcSuppressPooled
{
	uint64_t mask;
	int64_t first;  /* in pool->class */
	int32_t count;  /* classes that are not done */
	int64_t spared; /* records that are helped and lose nothing */
	int32_t number; /* of those that spare as many, the first goes first */
} Pooled;

/* Settles a group, or says what that takes. */
static int64_t
settle(SdcSuppressPool *pool, const Pooled *group, bool apply)
{
	SdcSuppressState *state = pool->state;
	const int32_t *class = pool->class + group->first;

	state->suppressed = group->mask;
	if (state->request->l > 1)
		return sdc_suppress_settle_values(state, pool->alike, pool->diverse,
										  class, group->count, apply);
	return sdc_suppress_settle(state, pool->alike, class, group->count, 0,
							   apply);
}

static void
value(SdcSuppressPool *pool, Pooled *group)
{
	int64_t records = 0;
	int32_t i;

	for (i = 0; i < group->count; i++)
		records += pool->state->classes->size[pool->class[group->first + i]];
	group->spared = records - settle(pool, group, false);
}

void
sdc_suppress_pool_add(SdcSuppressPool *pool, uint64_t mask,
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
drop_done(SdcSuppressPool *pool, Pooled *group)
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

void
sdc_suppress_pool_settle(SdcSuppressPool *pool)
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
		if (drop_done(pool, first) && first->count > 0)
			value(pool, first);
		else
		{
			if (first->count > 0)
				settle(pool, first, true);
			for (i = 0; i < first->count; i++)
				pool->done[pool->class[first->first + i]] = true;
			*first = pool->group[--pool->groups];
		}
		if (pool->groups > 0)
			sink(pool, 0);
	}
	pool->entries = 0;
}

void
sdc_suppress_pool_release(SdcSuppressPool *pool)
{
	SdcHost *host = pool->state->host;

	host->release(host, pool->group);
	host->release(host, pool->class);
}
