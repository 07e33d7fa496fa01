/*
 * mask_refuse.h
 *		What cannot be masked in place, and why.
 */
#ifndef SDC_PG_MASK_REFUSE_H
#define SDC_PG_MASK_REFUSE_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "storage/lockdefs.h"

#include "pg/mask/mask_plan.h"

/*
 * Stops unless the caller owns the table and it is one that can be rewritten,
 * then locks it until the end of the transaction: AccessExclusiveLock to mask
 * it, against everybody else; AccessShareLock only to look.  To be called
 * before anything else takes a weaker lock: two sessions that both held one
 * would wait for each other.
 */
extern void sdcpg_mask_refuse_table(Oid table, LOCKMODE lock);

/* Stops when a relation to copy is a view: its owner's code would run. */
extern void sdcpg_mask_refuse_view(const SdcRelation *relation);

/* Stops when row-level security hides rows of a relation to copy. */
extern void sdcpg_mask_refuse_rows(const SdcRelation *relation);

/*
 * Locks the partitions and stops when something about the table, or about what
 * the plan masks, forbids a rewrite.  Returns the oids of the tables that hold
 * rows: the table itself or its partitions.
 */
extern List *sdcpg_mask_refuse_plan(const SdcMaskPlan *plan, LOCKMODE lock);

#endif
