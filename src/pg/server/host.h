/*
 * host.h
 *		PostgreSQL as the host of a kernel: memory, interrupts, progress.
 */
#ifndef SDC_PG_HOST_H
#define SDC_PG_HOST_H

#include "postgres.h"

#include "kernel/base/host.h"
#include "pg/server/progress.h"

/*
 * A host and the two memory contexts it allocates in: work is deleted when
 * the host ends (or by an error), keep belongs to the caller.
 */
typedef struct SdcPgHost
{
	SdcHost kernel;
	MemoryContext work;
	MemoryContext keep;
	Size used;
	Size peak;
	/* an error that an interrupt raised where it could not be let out */
	struct ErrorData *stopped;
	SdcProgress progress;
} SdcPgHost;

/*
 * Starts a host for a call of the named SQL function.  The host itself lies
 * in a new context below the current one; what must outlive it goes to keep.
 */
extern SdcPgHost *sdcpg_host_begin(const char *function, MemoryContext keep);

/* Ends the host: its work memory is freed, its progress slot given back. */
extern void sdcpg_host_end(SdcPgHost *host);

/*
 * Answers interrupts, and raises the error that made pending say yes.  To be
 * called after code that could only ask.
 */
extern void sdcpg_host_check(SdcPgHost *host);

/* As alloc, but in the caller's context; counted against the limit too. */
extern void *sdcpg_host_keep(SdcPgHost *host, Size count, Size size);

/*
 * Gives an array from the kernel's alloc, or NULL, room for count items; its
 * contents stay.  Counted against the limit as it then is.
 */
extern void *sdcpg_host_grow(SdcPgHost *host, void *memory, Size count,
							 Size size);

/*
 * Counts memory that PostgreSQL holds for the call outside the host (shared
 * memory of workers), or with a negative size no longer holds.
 */
extern void sdcpg_host_count(SdcPgHost *host, int64 bytes);

#define sdcpg_keep_new(host, type, count) \
	((type *) sdcpg_host_keep((host), (count), sizeof(type)))

/* A seed for the random numbers of one call, from strong randomness. */
extern uint64 sdcpg_strong_seed(void);

#endif
