/*
 * mask_rewrite.h
 *		A table masked in place: its storage is written anew.
 */
#ifndef SDC_PG_MASK_REWRITE_H
#define SDC_PG_MASK_REWRITE_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "pg/mask/mask_write.h"

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
