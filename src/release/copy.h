/*
 * copy.h
 *		A safe copy of a schema: what was decided of its columns, and the
 *		search for what is left of the original.
 */
#ifndef SDC_RELEASE_COPY_H
#define SDC_RELEASE_COPY_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/execnodes.h"
#include "utils/jsonb.h"

#include "host/call/catalog.h"

/* A column and what is done to it. */
typedef struct SdcCopyColumn
{
	Oid table;
	char *relation;
	char *column;
	char *type;
	char *kind; /* NULL: none was found */
	char *level;
	Jsonb *rule; /* NULL: nobody has decided */
	char *role;  /* or NULL */
	bool generated;
} SdcCopyColumn;

/* Original identifiers that are looked for. */
typedef struct SdcCopySought SdcCopySought;

typedef struct SdcCopy
{
	char *schema;
	Oid namespace;
	char *target;
	Jsonb *rules;
	int columns;
	SdcCopyColumn *column;
	ReturnSetInfo *result;
	Datum seed;
	bool seeded;
	SdcCopySought *sought;
} SdcCopy;

/* The method of the rule of a column; NULL: nobody has decided. */
extern char *sdcpg_copy_method(const SdcCopyColumn *column);

/*
 * Reads the original identifiers of a schema as the caller, one scan for each
 * column that has them.
 */
extern SdcCopySought *sdcpg_copy_sought(const SdcCopy *copy);

/* How many different ones there are. */
extern int64 sdcpg_copy_sought_count(const SdcCopySought *sought);

/* Does a name or a definition hold one? */
extern bool sdcpg_copy_named(SdcCopySought *sought, const char *text);

/*
 * How many different ones are in the copy, column by column and in all
 * definitions; lines: a row of the result for each place.  The places are
 * appended as a list, without a name that holds one.
 */
extern int64 sdcpg_copy_search(const SdcCopy *copy, bool lines,
							   StringInfo places);

/* Gives back what was read. */
extern void sdcpg_copy_sought_end(SdcCopySought *sought);

#endif
