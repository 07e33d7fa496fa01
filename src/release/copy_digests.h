/*
 * copy_digests.h
 *		Digests that a copy holds, and those of identifiers.
 */
#ifndef SDC_RELEASE_COPY_DIGESTS_H
#define SDC_RELEASE_COPY_DIGESTS_H

#include "kernel/base/host.h"

typedef struct SdcCopyDigests SdcCopyDigests;

/* None yet; what holds them is of the host. */
extern SdcCopyDigests *sdcpg_copy_digests(SdcHost *host);

/* Starts a place: what was put aside before is forgotten. */
extern void sdcpg_copy_digests_start(SdcCopyDigests *set);

/*
 * Puts aside what in a value of a type may be a digest, with cut also one that
 * was cut; O(length).
 */
extern void sdcpg_copy_digests_take(SdcCopyDigests *set, Oid type,
									const char *text, size_t length, bool cut);

/* The same for a whole number, which the first bytes of one may be; O(1). */
extern void sdcpg_copy_digests_take_number(SdcCopyDigests *set, int64 number);

/* How many were put aside. */
extern size_t sdcpg_copy_digests_count(const SdcCopyDigests *set);

/*
 * Looks a value of the original up: how many digests of it were not found
 * before; number: letters and digits alone are hashed, too.
 */
extern int64 sdcpg_copy_digests_found(SdcCopyDigests *set, const char *text,
									  size_t length, bool number);

#endif
