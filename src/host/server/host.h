/*
 * host.h
 *		PostgreSQL as the host of a kernel: memory, interrupts, progress.
 */
#ifndef SDC_HOST_HOST_H
#define SDC_HOST_HOST_H

#include "postgres.h"

#include "host/server/progress.h"
#include "kernel/base/host.h"
#include "kernel/base/keyed_hash.h"
#include "kernel/base/random.h"
#include "kernel/privacy/strong_bits.h"

/* Kilobytes that one call may hold at a time (sdc.memory_limit). */
extern int sdcpg_memory_limit;

/* May a superuser read views of others (sdc.allow_views)? */
extern bool sdcpg_allow_views;

/* The setting sdc.digits: significant digits of figures in reports. */
extern int sdcpg_digits;

/* The most there can be: figures as they were computed. */
#define SDC_ALL_DIGITS 17

/* Seconds between progress lines, 0 for none (sdc.progress_interval). */
extern double sdcpg_progress_interval;

/* Who counts the records of a relation (sdc.count_with). */
typedef enum SdcCountWith
{
	SDC_COUNT_AUTO,
	SDC_COUNT_ROWS,  /* sdc, from rows */
	SDC_COUNT_GROUPS /* PostgreSQL, with GROUP BY */
} SdcCountWith;

/* The setting, an SdcCountWith. */
extern int sdcpg_count_with;

/* Defines the settings; called once, when the library is loaded. */
extern void sdcpg_settings_define(void);

/*
 * Gives a setting that any user may change a value, until the level that
 * NewGUCNestLevel began ends.
 */
extern void sdcpg_set_for_now(const char *name, const char *value);

/*
 * Has values printed the same in every session (dates, intervals, digits of
 * floats), as long.  Dates are read in the order of the session, and moments
 * are shown in its time zone, still.
 */
extern void sdcpg_print_alike(void);

/*
 * The bits of this process: a buffer filled by pg_strong_random.  There is no
 * seed, and a child never goes on with what its parent had left.  When the
 * source fails, the call that needs bits stops with an error.
 */
extern SdcStrongBits *sdcpg_strong_bits(void);

/*
 * A host and the two memory contexts it allocates in: work is deleted when
 * the host ends (or by an error), keep belongs to the caller.
 */
typedef struct SdcPgHost
{
	SdcHost kernel;
	MemoryContext work;
	MemoryContext keep;
	Size used; /* bytes that are counted against sdc.memory_limit now */
	Size peak; /* the most there were */
	/* an error that an interrupt raised where it could not be let out */
	struct ErrorData *stopped;
	SdcProgress progress;
} SdcPgHost;

/*
 * Starts a host for a call of the named SQL function, or of NULL, one that
 * tells nobody how far it is.  The host itself lies in a new context below the
 * current one; what must outlive it goes to keep.
 */
extern SdcPgHost *sdcpg_host_begin(const char *function, MemoryContext keep);

/* Ends the host: its work memory is freed, its progress slot given back. */
extern void sdcpg_host_end(SdcPgHost *host);

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

/* An array of count items of a type, in the caller's context. */
#define sdcpg_keep_new(host, type, count) \
	((type *) sdcpg_host_keep((host), (count), sizeof(type)))

/* A seed for the random numbers of one call, from strong randomness. */
extern uint64 sdcpg_strong_seed(void);

/* Starts a stream of strong random numbers. */
extern void sdcpg_strong_random(SdcRandom *random);

/* Strong random bytes. */
extern void sdcpg_strong_bytes(void *bytes, Size length);

/* Bytes of such a hash. */
#define SDC_KEYED_HASH_BYTES SDC_HASH_BYTES

/* HMAC-SHA-256 (RFC 2104); the key has at most 64 bytes. */
extern void sdcpg_keyed_hash(const uint8 *key, int key_length,
							 const void *data, Size length, uint8 *output);

/* Data of fewer bytes have their first block hashed once. */
#define SDC_DIGEST_BEGUN 256

/*
 * A key of digests of many short data, of at most 56 bytes; it starts as
 * zeros but for the key.
 */
typedef struct SdcDigestKey
{
	uint8 key[SDC_HASH_BLOCK];
	SdcHash begun[SDC_DIGEST_BEGUN]; /* of data of a length, if length > 0 */
} SdcDigestKey;

/*
 * SHA-256 of the key, padded to 64 bytes, the length and the data: a third of
 * the time of the above.
 */
extern void sdcpg_keyed_digest(SdcDigestKey *key, const void *data,
							   Size length, uint8 *output);

/* What is called under the guard of GLPK. */
typedef void (*SdcSolverBody)(SdcPgHost *host, void *arg);

/*
 * Calls the body, which may build, solve and read GLPK problems through the
 * kernel.  An error inside GLPK becomes an error of SQLSTATE 38000
 * (external_routine_exception) with GLPK's text as its detail; more memory
 * than sdc.memory_limit leaves becomes 54000 (program_limit_exceeded).  When
 * it returns or leaves, every problem the body made is gone: results must be
 * copied out by the body.  A cancel leaves GLPK where it prints, some times a
 * second, like an error inside it; one that made the solver stop is raised
 * before this returns.  Guards do not nest.
 */
extern void sdcpg_solver_run(SdcPgHost *host, SdcSolverBody body, void *arg);

#endif
