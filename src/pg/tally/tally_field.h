/*
 * tally_field.h
 *		The values in an argument of an aggregate, row values taken apart.
 */
#ifndef SDC_PG_TALLY_FIELD_H
#define SDC_PG_TALLY_FIELD_H

#include "postgres.h"

#include "access/tupdesc.h"

#include "pg/tally/tally.h"

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
