/*
 * dictionary.h
 *		The different values of a column, and their codes.
 */
#ifndef SDC_PG_DICTIONARY_H
#define SDC_PG_DICTIONARY_H

#include "postgres.h"

#include "pg/data/equality.h"
#include "pg/server/host.h"

typedef struct SdcDictionary SdcDictionary;

/*
 * An empty dictionary for values of a type, in memory of the host.  Types
 * without equality stop with an error.
 */
extern SdcDictionary *sdcpg_dictionary_new(SdcPgHost *host, Oid type,
										   Oid collation);

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
