/*
 * mask_expression.h
 *		Each masking method as an SQL expression.
 */
#ifndef SDC_PG_MASK_EXPRESSION_H
#define SDC_PG_MASK_EXPRESSION_H

#include "postgres.h"

#include "pg/mask/mask_plan.h"

/*
 * Sets the output columns that a rule masks.  Stops when the method cannot
 * mask their types, or a key of the rule has a wrong value.
 */
extern void sdcpg_mask_expression(SdcMaskPlan *plan, const SdcRule *rule);

#endif
