/*
 * host.h
 *		What a kernel may ask of the program it runs in.
 *
 * A kernel is plain C on arrays.  Memory, interrupts and progress come from
 * its host: PostgreSQL (src/host/server/host.c) or a unit test
 * (test/unit/unit.c).  alloc and poll may leave by longjmp, so a kernel owns
 * nothing but memory it got from alloc, and never calls malloc, opens a file
 * or takes a lock.
 */
#ifndef SDC_KERNEL_HOST_H
#define SDC_KERNEL_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The host: functions that get the host itself as their first argument. */
typedef struct SdcHost SdcHost;

struct SdcHost
{
	/*
	 * Room for count items of the given size, not cleared, never NULL.  The
	 * host raises its own error when the memory limit would be exceeded or
	 * the product overflows.  Everything is given back when the host ends.
	 */
	void *(*alloc)(SdcHost *host, size_t count, size_t size);

	/* Gives back early what alloc returned; NULL is ignored. */
	void (*release)(SdcHost *host, void *memory);

	/*
	 * Lets the host answer a cancel and show progress: done of total steps of
	 * the present stage are finished (total 0: not known).  Call it every
	 * 64k cheap or 64 expensive steps, at least every 50 ms.
	 */
	void (*poll)(SdcHost *host, uint64_t done, uint64_t total);

	/* Names the stage that begins now, for the progress line. */
	void (*stage)(SdcHost *host, const char *name);

	/* Is a cancel waiting?  Never leaves by longjmp: for use inside GLPK. */
	bool (*pending)(SdcHost *host);
};

/* Row numbers are int32_t in every kernel; hosts refuse longer inputs. */
#define SDC_MAX_ROWS INT32_MAX

/* An array of count items of a type, from the host. */
#define sdc_new(host, type, count) \
	((type *) (host)->alloc((host), (count), sizeof(type)))

/* Steps between two polls of a loop whose steps take nanoseconds. */
#define SDC_POLL_STEPS 65536

/*
 * Compiles a function for several instruction sets and picks one at load
 * time.  Results do not depend on the choice: kernels are compiled with
 * -ffp-contract=off and without -ffast-math, so every variant does the same
 * IEEE operations in the same order.  Sanitizers cannot run the resolver.
 */
#ifdef SDC_CLONES
/* A test compiles for one instruction set of its choice. */
#elif defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && \
	!defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define SDC_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SDC_CLONES
#endif

/* ----------------------------------------------------------------------
 * A host that takes back at once all that was allocated through it.
 *
 * What is built of many arrays, such as a model, is built with the host of an
 * arena; its end releases the arrays to the host below.
 * ----------------------------------------------------------------------
 */

struct SdcArenaBlock;

typedef struct SdcArena
{
	SdcHost host;   /* to allocate with; the address must not change */
	SdcHost *outer; /* whose memory it is */
	struct SdcArenaBlock *last; /* the latest array, of a list; NULL: none */
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

/* ----------------------------------------------------------------------
 * A host for a part of a larger task.
 *
 * A kernel that is called for a part of the rows reports its own progress;
 * this host adds what was done before and hands everything else on.
 * ----------------------------------------------------------------------
 */

/* Filled in by sdc_part_host_start. */
typedef struct SdcPartHost
{
	SdcHost host; /* for the kernel that does the part */
	SdcHost *outer;
	uint64_t before; /* steps done before the part */
	uint64_t total;  /* steps of the whole task */
} SdcPartHost;

/*
 * A host for a part of a task, whose steps count from before on; all else is
 * the outer one's, which must outlive it.
 */
extern void sdc_part_host_start(SdcPartHost *part, SdcHost *outer,
								uint64_t before, uint64_t total);

#endif
