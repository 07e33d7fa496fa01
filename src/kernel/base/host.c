/*
 * host.c
 *		Hosts made of a host: one that takes back at once all that was
 *		allocated through it, and one for a part of a larger task.
 *
 * In an arena each array is preceded by the links of a list of all of them.
 */
#include <string.h>

#include "kernel/base/host.h"

/* ----------------------------------------------------------------------
 * A host that takes back at once all that was allocated through it.
 *
 * Each array is preceded by the links of a list of all of them.
 * ----------------------------------------------------------------------
 */

typedef struct SdcArenaBlock
{
	struct SdcArenaBlock *before;
	struct SdcArenaBlock *after;
} SdcArenaBlock;

static void *
arena_alloc(SdcHost *host, size_t count, size_t size)
{
	SdcArena *arena = (SdcArena *) host;
	size_t head = sizeof(SdcArenaBlock);
	size_t items = size > 0 && count > (SIZE_MAX - head) / size
					   ? SIZE_MAX /* more than the host below can give */
					   : count * size + head;
	SdcArenaBlock *block = arena->outer->alloc(arena->outer, items, 1);

	block->before = arena->last;
	block->after = NULL;
	if (arena->last != NULL)
		arena->last->after = block;
	arena->last = block;
	return block + 1;
}

static void
arena_release(SdcHost *host, void *memory)
{
	SdcArena *arena = (SdcArena *) host;
	SdcArenaBlock *block;

	if (memory == NULL)
		return;
	block = (SdcArenaBlock *) memory - 1;
	if (block->before != NULL)
		block->before->after = block->after;
	if (block->after != NULL)
		block->after->before = block->before;
	else
		arena->last = block->before;
	arena->outer->release(arena->outer, block);
}

static void
arena_poll(SdcHost *host, uint64_t done, uint64_t total)
{
	SdcArena *arena = (SdcArena *) host;

	arena->outer->poll(arena->outer, done, total);
}

static void
arena_stage(SdcHost *host, const char *name)
{
	SdcArena *arena = (SdcArena *) host;

	arena->outer->stage(arena->outer, name);
}

static bool
arena_pending(SdcHost *host)
{
	SdcArena *arena = (SdcArena *) host;

	return arena->outer->pending(arena->outer);
}

SdcArena *
sdc_arena_create(SdcHost *outer)
{
	SdcArena *arena = sdc_new(outer, SdcArena, 1);

	arena->host.alloc = arena_alloc;
	arena->host.release = arena_release;
	arena->host.poll = arena_poll;
	arena->host.stage = arena_stage;
	arena->host.pending = arena_pending;
	arena->outer = outer;
	arena->last = NULL;
	return arena;
}

void
sdc_arena_end(SdcArena *arena)
{
	SdcHost *outer;

	if (arena == NULL)
		return;
	outer = arena->outer;
	while (arena->last != NULL)
		arena_release(&arena->host, arena->last + 1);
	outer->release(outer, arena);
}

/* ----------------------------------------------------------------------
 * Arrays that grow.
 * ----------------------------------------------------------------------
 */

void *
sdc_grow(SdcHost *host, void *array, size_t used, size_t room, size_t size)
{
	void *larger = host->alloc(host, room, size);

	if (used > 0)
		memcpy(larger, array, used * size);
	host->release(host, array);
	return larger;
}

/* ----------------------------------------------------------------------
 * A host for a part of a larger task.
 *
 * The host that the part sees is the first member of SdcPartHost, so its
 * address leads back to the rest.
 * ----------------------------------------------------------------------
 */

static SdcPartHost *
part_of(SdcHost *host)
{
	return (SdcPartHost *) host;
}

static void *
part_alloc(SdcHost *host, size_t count, size_t size)
{
	SdcHost *outer = part_of(host)->outer;

	return outer->alloc(outer, count, size);
}

static void
part_release(SdcHost *host, void *memory)
{
	SdcHost *outer = part_of(host)->outer;

	outer->release(outer, memory);
}

/* A part that does not know its progress reports 0. */
static void
part_poll(SdcHost *host, uint64_t done, uint64_t total)
{
	SdcPartHost *part = part_of(host);

	(void) total;
	part->outer->poll(part->outer, part->before + done, part->total);
}

static void
part_stage(SdcHost *host, const char *name)
{
	(void) host;
	(void) name;
}

static bool
part_pending(SdcHost *host)
{
	SdcHost *outer = part_of(host)->outer;

	return outer->pending(outer);
}

void
sdc_part_host_start(SdcPartHost *part, SdcHost *outer, uint64_t before,
					uint64_t total)
{
	part->host.alloc = part_alloc;
	part->host.release = part_release;
	part->host.poll = part_poll;
	part->host.stage = part_stage;
	part->host.pending = part_pending;
	part->outer = outer;
	part->before = before;
	part->total = total;
}
