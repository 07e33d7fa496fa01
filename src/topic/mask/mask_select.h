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
 * The writers of the methods, see SdcMask: each sets the output columns that a
 * rule masks, and stops when the method cannot mask their types.  _bound is of
 * the methods that are a function of the value and their first key.
 */
extern void sdcpg_write_rank_swap(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_anatomize(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_shuffle(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_microaggregate(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_add_noise(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_outlier_noise(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_data_shuffle(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_donut(SdcMaskPlan *plan, const SdcRule *rule);

/* Stops where the radii of a ring are none. */
extern void sdcpg_donut_check(const SdcRule *rule,
							  const SdcRelation *relation);
extern void sdcpg_write_record_swap(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_romm(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_pram(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_pram_matrix(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_bound(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_round_to(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_generalize(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_mask_text(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_mask_inet(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_pseudonym(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_fake(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_inside(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_scrub(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_shift(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_constant(SdcMaskPlan *plan, const SdcRule *rule);
extern void sdcpg_write_null(SdcMaskPlan *plan, const SdcRule *rule);

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
