/*
 * mask_copy.h
 *		A masked copy of a relation.
 */
#ifndef SDC_PG_MASK_COPY_H
#define SDC_PG_MASK_COPY_H

#include "postgres.h"

#include "pg/data/target.h"
#include "pg/mask/mask_write.h"

/*
 * Creates the target and fills it, as the caller, from the rows that the
 * active snapshot sees.  Columns keep their names and types, domains become
 * the types below them.
 */
extern SdcMaskCount *sdcpg_mask_copy(SdcPgHost *host, SdcMaskPlan *plan,
									 const SdcTarget *target);

#endif
