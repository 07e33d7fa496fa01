/*
 * arena.h
 *		A host that takes back at once all that was allocated through it.
 *
 * What is built of many arrays, such as a model, is built with the host of an
 * arena; its end releases the arrays to the host below.
 */
#ifndef SDC_KERNEL_ARENA_H
#define SDC_KERNEL_ARENA_H

#include "kernel/base/host.h"

struct SdcArenaBlock;

typedef struct SdcArena
{
	SdcHost host; /* to allocate with; the address must not change */
	SdcHost *outer;
	struct SdcArenaBlock *last;
} SdcArena;

/* An empty arena whose memory is that of outer. */
extern SdcArena *sdc_arena_create(SdcHost *outer);

/* Releases the arena and all that was allocated with it; NULL is ignored. */
extern void sdc_arena_end(SdcArena *arena);

/*
 * An array with room for that many items of a size, which begins with the
 * used items of the old one; the old one, which may be NULL when none are
 * used, is given back.  O(used * size).
 */
extern void *sdc_grow(SdcHost *host, void *array, size_t used, size_t room,
					  size_t size);

#endif
