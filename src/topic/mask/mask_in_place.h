/*
 * mask_in_place.h
 *		A table masked in place: its storage is written anew.
 */
#ifndef SDC_TOPIC_MASK_IN_PLACE_H
#define SDC_TOPIC_MASK_IN_PLACE_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "storage/lockdefs.h"

#include "host/call/relation.h"
#include "host/server/host.h"
#include "topic/mask/mask_plan.h"

/*
 * Calls work(arg) as the owner of a table in a security-restricted operation,
 * as CLUSTER and ANALYZE do: code of the user that runs in there has no more
 * rights than the owner, whoever calls.  Settings that it changes are put
 * back.
 */
extern void sdcpg_owner_run(Oid table, void (*work)(void *arg), void *arg);

/*
 * The plans (SdcMaskPlan *) of all tables that are masked in place: the one
 * given, and where it gives pseudonyms to columns that foreign keys reference,
 * one for each table that these come from, which gives the same pseudonyms to
 * the columns of the foreign keys; and so on.  Stops when referenced columns
 * are masked in any other way, when the caller does not own one of the tables,
 * or when two rules for a column contradict each other.  Locks the tables.
 */
extern List *sdcpg_mask_cascade(SdcMaskPlan *plan, LOCKMODE lock);

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

/*
 * Masks the tables of the plans of sdcpg_mask_cascade, each as its owner, and
 * returns what was counted (SdcMaskCount *) for each.  A table keeps its
 * identity: views, foreign keys, rights, triggers and indexes stay.  Heap,
 * TOAST and indexes are new files and the statistics are new; no trigger
 * fires.  An error leaves everything as it was.
 *
 * Rows are those committed when the table was locked, whatever the snapshot
 * of the caller.  As after ALTER TABLE, a transaction whose snapshot is older
 * sees the table as it is now.
 */
extern List *sdcpg_mask_rewrite(SdcPgHost *host, List *plans);

#endif
