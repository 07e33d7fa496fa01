/*
 * mask_sink.h
 *		A heap that takes the masked rows.
 */
#ifndef SDC_PG_MASK_SINK_H
#define SDC_PG_MASK_SINK_H

#include "postgres.h"

#include "pg/mask/mask_plan.h"
#include "pg/mask/row_check.h"

typedef struct SdcMaskSink SdcMaskSink;

/*
 * Opens a heap for the rows of a plan; columns are found by name, so a
 * partition may have them in another order.  With a table, each row is what
 * this table would take: generated columns are computed, NOT NULL and CHECK
 * are enforced; InvalidOid for none.  frozen: rows are visible to all at once,
 * for a heap that nobody can see yet.  At most bytes of rows are held back.
 */
extern SdcMaskSink *sdcpg_mask_sink_open(const SdcMaskPlan *plan, Oid heap,
										 Oid table, bool frozen, Size bytes);

/* Appends a row: the columns of sdcpg_mask_select, in their order. */
extern void sdcpg_mask_sink_put(SdcMaskSink *sink, const Datum *values,
								const bool *isnull);

/* Writes what is held back, closes the heap and says how many rows it took. */
extern int64 sdcpg_mask_sink_close(SdcMaskSink *sink);

#endif
