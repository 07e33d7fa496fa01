/*
 * copy_structure.h
 *		What a masked copy takes over from its table besides the rows.
 */
#ifndef SDC_PG_COPY_STRUCTURE_H
#define SDC_PG_COPY_STRUCTURE_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "pg/call/relation.h"
#include "pg/data/target.h"

/* What may be asked for, as bits. */
typedef enum SdcCopyStructure
{
	SDC_COPY_COMMENTS = 1,
	SDC_COPY_NOT_NULL = 2,
	SDC_COPY_KEYS = 4, /* primary key and unique constraints */
	SDC_COPY_INDEXES = 8
} SdcCopyStructure;

/* Reads the list under "keep"; 0 when it is absent. */
extern int sdcpg_copy_structure_read(Jsonb *params);

/*
 * Gives the target, which exists and has the rows, what was asked for, as the
 * caller.  Indexes are built on columns only, with the default operators of
 * their types: those with expressions or conditions are left out, because
 * code in them would run with the rights of the caller.  A key that does not
 * hold in the copy is an error that shows no value.
 */
extern void sdcpg_copy_structure(const SdcRelation *relation,
								 const SdcTarget *target, int wanted);

#endif
