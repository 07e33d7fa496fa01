/*
 * pairs.h
 *		State of an aggregate that needs all of its pairs of numbers.
 */
#ifndef SDC_HOST_PAIRS_H
#define SDC_HOST_PAIRS_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/expandeddatum.h"

/*
 * Pairs of numbers and a percentage that holds for all of them.  In memory an
 * expanded object; between processes and to SQL a bytea.
 */
typedef struct SdcPairs
{
	ExpandedObjectHeader header;
	double p;
	int32 count;
	int32 room;
	double *original; /* finite */
	double *masked;   /* finite, or NaN for a NULL */
} SdcPairs;

/*
 * The pairs in an argument, or without argument (NULL) new ones with that
 * percentage, to be added to.  Inside an aggregate they stay where they are;
 * anything else is copied.  A bytea that is no such state stops with an
 * error, as does one with another percentage.
 */
extern SdcPairs *sdcpg_pairs_change(FunctionCallInfo fcinfo, int argument,
									double p);

/* The pairs in an argument that is not NULL, to be read only. */
extern const SdcPairs *sdcpg_pairs_read(FunctionCallInfo fcinfo, int argument);

/*
 * Appends a pair, in amortised constant time.  Pairs that need more than
 * sdc.memory_limit stop with an error.
 */
extern void sdcpg_pairs_add(SdcPairs *pairs, double original, double masked);

/* The pairs as what sdcpg_pairs_change was given. */
extern Datum sdcpg_pairs_datum(SdcPairs *pairs);

#endif
