/*
 * strong_bits.h
 *		Strong random bits for differential privacy, from the server.
 */
#ifndef SDC_PG_STRONG_BITS_H
#define SDC_PG_STRONG_BITS_H

#include "postgres.h"

#include "kernel/privacy/strong_bits.h"

/*
 * The bits of this process: a buffer filled by pg_strong_random.  There is no
 * seed, and a child never goes on with what its parent had left.  When the
 * source fails, the call that needs bits stops with an error.
 */
extern SdcStrongBits *sdcpg_strong_bits(void);

#endif
