/*
 * dictionary.h
 *		The different values of a column, and their codes.
 */
#ifndef SDC_HOST_DICTIONARY_H
#define SDC_HOST_DICTIONARY_H

#include "postgres.h"

#include "access/attnum.h"
#include "fmgr.h"

#include "host/data/column.h"
#include "host/server/host.h"

/* How two values are found to be equal. */
typedef enum SdcEqualityKind
{
	SDC_EQUALITY_BITS,   /* by value: equal when the bits are */
	SDC_EQUALITY_FLOAT,  /* -0 equals 0, all NaN are equal */
	SDC_EQUALITY_BYTES,  /* equal when the contents are */
	SDC_EQUALITY_METHODS /* the type's own hash and equality functions */
} SdcEqualityKind;

/* When values of a type are equal, as GROUP BY sees it. */
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

/*
 * Can two values of a type be equal, and print differently?  modifier and
 * collation are those of a column of that base type.
 */
extern bool sdcpg_equality_has_forms(Oid base, int32 modifier, Oid collation);

/* The same of a column of a relation. */
extern bool sdcpg_column_has_forms(Oid relation, AttrNumber number);

/* The value, decompressed and fetched if it was not whole. */
extern Datum sdcpg_equality_whole(const SdcEquality *equality, Datum value);

/* Different values and their codes; private to dictionary.c. */
typedef struct SdcDictionary SdcDictionary;

/*
 * An empty dictionary for values of a type, in memory of the host.  Types
 * without equality stop with an error.
 */
extern SdcDictionary *sdcpg_dictionary_new(SdcPgHost *host, Oid type,
										   Oid collation);

/*
 * Codes are asked for only after sorting: until then equal numbers and dates
 * may have several, so that many different ones need not be looked up.
 */
extern void sdcpg_dictionary_late(SdcDictionary *dictionary);

/*
 * The code of a value that is not NULL.  New values get the next number and
 * are copied.  O(1) expected.
 */
extern int32 sdcpg_dictionary_code(SdcDictionary *dictionary, Datum value);

/*
 * Puts the values in the order of their type (of their bytes, if it has none)
 * and returns the rank of each code.  From then on the functions below may be
 * called, and a code is a rank; sdcpg_dictionary_code may not be called.
 */
extern const int32 *sdcpg_dictionary_sort(SdcDictionary *dictionary);

/* Gives the ranks of the codes back, when all codes were turned into them. */
extern void sdcpg_dictionary_forget_ranks(SdcDictionary *dictionary);

/* How many values there are. */
extern int32 sdcpg_dictionary_values(const SdcDictionary *dictionary);

/* The value with a rank. */
extern Datum sdcpg_dictionary_value(const SdcDictionary *dictionary,
									int32 rank);

/* The same as text, from the type's output function; NULL for rank -1. */
extern char *sdcpg_dictionary_text(SdcDictionary *dictionary, int32 rank);

/* The type of the values, as given. */
extern Oid sdcpg_dictionary_type(const SdcDictionary *dictionary);

#endif
