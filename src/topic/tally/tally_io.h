/*
 * tally_io.h
 *		States of aggregates as text and in binary form.
 *
 * Both forms name types and collations by schema and name, and write values
 * as their type does, so that they mean the same on another server.
 */
#ifndef SDC_TOPIC_TALLY_IO_H
#define SDC_TOPIC_TALLY_IO_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "lib/stringinfo.h"

#include "topic/tally/tally.h"

/*
 * The text form is a JSON object: keys (how many of the columns are), columns
 * (schema and name of each type and of its collation or null), numbers and
 * lists (the constant arguments) and cells (the count, then the values as
 * strings or null).  What is not one stops with an error.
 */
extern Datum sdcpg_tally_parse(char *string);

/* A state in the text form, in the current context. */
extern char *sdcpg_tally_print(const SdcTally *tally);

/* Reads the binary form; what is not one stops with an error. */
extern Datum sdcpg_tally_receive(StringInfo message);

/* A state in the binary form, in the current context. */
extern bytea *sdcpg_tally_send(const SdcTally *tally);

/* An argument, or a field of one; private but for its size. */
typedef struct SdcTallyField
{
	bool is_row;
	bool is_literal; /* of unknown type, to be read as text */
	int column;
	/* of rows */
	MemoryContext context;
	Oid type;
	int32 typmod;
	TupleDesc descriptor;
	struct SdcTallyField *field;
	Datum *value;
	bool *isnull;
} SdcTallyField;

/* The columns found so far; starts as zeros. */
typedef struct SdcTallyList
{
	int columns;
	int room;
	SdcTallyColumn *column;
} SdcTallyList;

/*
 * Finds out what an argument of that type looks like, by its first value, and
 * appends its columns to the list.  *field must be zeros.  A row value of
 * unknown fields that is NULL stops with an error.  Memory is that of the
 * current context and must last as long as the field.
 */
extern void sdcpg_tally_field_describe(SdcTallyList *list,
									   SdcTallyField *field, Oid type,
									   Oid collation, Datum value,
									   bool isnull);

/*
 * Reads a value into its columns of the shape; a row value that is NULL is a
 * row of NULLs.  Row values of other fields than the first one's stop with an
 * error.
 */
extern void sdcpg_tally_field_read(SdcTallyField *field, SdcTallyShape *shape,
								   Datum value, bool isnull);

#endif
