/*
 * foreign_keys.h
 *		Foreign keys of a table that is masked in place.
 */
#ifndef SDC_PG_FOREIGN_KEYS_H
#define SDC_PG_FOREIGN_KEYS_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "pg/mask/mask_plan.h"

typedef struct SdcForeignKey
{
	char *name;
	/* the constraint of the partitioned table that this one is part of */
	Oid parent;
	Oid from;
	Oid to;
	char match; /* as pg_constraint.confmatchtype */
	int columns;
	AttrNumber from_column[INDEX_MAX_KEYS];
	AttrNumber to_column[INDEX_MAX_KEYS];
	Oid operator[INDEX_MAX_KEYS]; /* to = from */
} SdcForeignKey;

/* The foreign keys (SdcForeignKey *) from a table, or else to it. */
extern List *sdcpg_foreign_keys_find(Oid table, bool from);

/*
 * Stops when a row of the table has a masked foreign key without a partner, in
 * the active snapshot.  The current user must be able to read both tables.
 */
extern void sdcpg_foreign_keys_verify(const SdcMaskPlan *plan, Oid table);

#endif
