/*
 * mask_cascade.h
 *		Tables that must be masked with a table, or foreign keys would break.
 */
#ifndef SDC_PG_MASK_CASCADE_H
#define SDC_PG_MASK_CASCADE_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "storage/lockdefs.h"

#include "pg/mask/mask_plan.h"

/*
 * The plans (SdcMaskPlan *) of all tables that are masked in place: the one
 * given, and where it gives pseudonyms to columns that foreign keys reference,
 * one for each table that these come from, which gives the same pseudonyms to
 * the columns of the foreign keys; and so on.  Stops when referenced columns
 * are masked in any other way, when the caller does not own one of the tables,
 * or when two rules for a column contradict each other.  Locks the tables.
 */
extern List *sdcpg_mask_cascade(SdcMaskPlan *plan, LOCKMODE lock);

#endif
