/*
 * mask_select.h
 *		The SELECT that masks a relation.
 */
#ifndef SDC_TOPIC_MASK_SELECT_H
#define SDC_TOPIC_MASK_SELECT_H

#include "postgres.h"

#include "topic/mask/mask_plan.h"
#include "topic/mask/rules.h"

/*
 * Sets the output columns that a rule masks.  Stops when the method cannot
 * mask their types, or a key of the rule has a wrong value.
 */
extern void sdcpg_mask_expression(SdcMaskPlan *plan, const SdcRule *rule);

/*
 * The SELECT of the columns of the relation, masked, in their order.  In place
 * it has no generated columns, and starts with the oid of the table that each
 * row is in, named sdcpg_mask_plan_unused(plan, 0).  With originals it ends
 * with the columns of sdcpg_mask_select_compares as they were.
 */
extern char *sdcpg_mask_select(SdcMaskPlan *plan, bool originals);

/*
 * A SELECT in place, of the rows that an earlier one left in a table; each
 * column is brought back to its own type.
 */
extern char *sdcpg_mask_select_again(const SdcMaskPlan *plan,
									 const char *table);

/* Is the column one of the SELECT? */
extern bool sdcpg_mask_select_has(const SdcMaskPlan *plan,
								  const SdcMaskColumn *column);

/* Is the column masked, and read, so that it can be compared with itself? */
extern bool sdcpg_mask_select_compares(const SdcMaskColumn *column);

#endif
