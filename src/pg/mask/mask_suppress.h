/*
 * mask_suppress.h
 *		Local suppression of what the other rules leave.
 */
#ifndef SDC_PG_MASK_SUPPRESS_H
#define SDC_PG_MASK_SUPPRESS_H

#include "postgres.h"

#include "pg/data/target.h"
#include "pg/mask/mask_write.h"

/* A table that does not exist yet, for rows on their way. */
extern SdcTarget *sdcpg_mask_suppress_stage(Oid schema, const char *name);

/*
 * Makes the new table target from the rows in the table stage, without the
 * values that must go, and drops stage.  Counts these values.  Everything is
 * done by sdc.suppress, as the current user.  Stops unless one column tells
 * the records apart.
 */
extern void sdcpg_mask_suppress(SdcMaskPlan *plan, const SdcTarget *stage,
								const SdcTarget *target, SdcMaskCount *count);

/* Drops a table that was made on the way. */
extern void sdcpg_mask_suppress_drop(const SdcTarget *stage);

#endif
