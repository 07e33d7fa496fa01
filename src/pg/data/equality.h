/*
 * equality.h
 *		When two values of a type are the same, as GROUP BY sees it.
 */
#ifndef SDC_PG_EQUALITY_H
#define SDC_PG_EQUALITY_H

#include "postgres.h"

#include "fmgr.h"

#include "pg/data/column.h"

typedef enum SdcEqualityKind
{
	SDC_EQUALITY_BITS,   /* by value: equal when the bits are */
	SDC_EQUALITY_FLOAT,  /* -0 equals 0, all NaN are equal */
	SDC_EQUALITY_BYTES,  /* equal when the contents are */
	SDC_EQUALITY_METHODS /* the type's own hash and equality functions */
} SdcEqualityKind;

typedef struct SdcEquality
{
	SdcColumnType type;
	SdcEqualityKind kind;
	FmgrInfo hash;
	FmgrInfo equal;
} SdcEquality;

/*
 * Fills *equality for values of a type; its memory is that of context.  Stops
 * when the type has no equality (json, point, ...), as GROUP BY does.
 */
extern void sdcpg_equality_find(SdcEquality *equality, Oid type, Oid collation,
								MemoryContext context);

/*
 * A hash that equal values share.  The value must be whole: neither
 * compressed nor external (sdcpg_equality_whole).
 */
extern uint64 sdcpg_equality_hash(SdcEquality *equality, Datum value);

/* Are two whole values equal? */
extern bool sdcpg_equality_same(SdcEquality *equality, Datum a, Datum b);

/*
 * Of two equal values, does a come first byte by byte?  Values may be equal
 * and not look alike (1.0 and 1.00); to keep the first makes what is shown
 * independent of the order of rows.
 */
extern bool sdcpg_equality_first(const SdcEquality *equality, Datum a,
								 Datum b);

/* The value, decompressed and fetched if it was not whole. */
extern Datum sdcpg_equality_whole(const SdcEquality *equality, Datum value);

#endif
