/*
 * strong_bits.c
 *		Strong random bits for differential privacy, from the server.
 *
 * See strong_bits.h.  A call of pg_strong_random for every word costs some
 * hundred times as much as a word from a buffer of 4 kB.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "pg/server/strong_bits.h"

static void
fill(SdcStrongBits *bits, void *memory, size_t size)
{
	if (!pg_strong_random(memory, size))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values"),
				 errdetail("Noise is made from strong randomness only, and "
						   "its source has failed.")));
}

SdcStrongBits *
sdcpg_strong_bits(void)
{
	static SdcStrongBits bits;
	static int process = 0;

	if (process != MyProcPid)
	{
		sdc_strong_bits_start(&bits, fill);
		process = MyProcPid;
	}
	return &bits;
}
