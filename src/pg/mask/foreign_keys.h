/*
 * foreign_keys.h
 *		Foreign keys of a table that is masked in place.
 */
#ifndef SDC_PG_FOREIGN_KEYS_H
#define SDC_PG_FOREIGN_KEYS_H

#include "postgres.h"

#include "pg/mask/mask_plan.h"

/*
 * Stops when a masked column is referenced by a foreign key, of the relation
 * or, as partitions, of one of the tables.
 */
extern void sdcpg_foreign_keys_refuse(const SdcMaskPlan *plan, Oid table);

/*
 * Stops when a row of the table has a masked foreign key without a partner, in
 * the active snapshot.  The current user must be able to read both tables.
 */
extern void sdcpg_foreign_keys_verify(const SdcMaskPlan *plan, Oid table);

#endif
