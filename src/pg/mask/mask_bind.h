/*
 * mask_bind.h
 *		What rules say, as parameters of the statement.
 *
 * Each function binds one parameter and returns it as SQL: "$3".  All but
 * seeds are noted in the legend of the plan.
 */
#ifndef SDC_PG_MASK_BIND_H
#define SDC_PG_MASK_BIND_H

#include "postgres.h"

#include "pg/mask/mask_plan.h"

/* The key of a rule as a float8 between low and high. */
extern char *sdcpg_mask_bind_float(SdcMaskPlan *plan, const SdcRule *rule,
								   const char *key, double low, double high);

/* The key of a rule as an integer between low and high. */
extern char *sdcpg_mask_bind_integer(SdcMaskPlan *plan, const SdcRule *rule,
									 const char *key, int32 low, int32 high);

/* The key of a rule as text; absent is the default, which may be NULL. */
extern char *sdcpg_mask_bind_text(SdcMaskPlan *plan, const SdcRule *rule,
								  const char *key, const char *absent);

/* The key of a rule as a value of the base type of a column. */
extern char *sdcpg_mask_bind_value(SdcMaskPlan *plan, const SdcRule *rule,
								   const char *key,
								   const SdcRelationColumn *column);

/* The seed of a rule as bigint. */
extern char *sdcpg_mask_bind_seed(SdcMaskPlan *plan, const SdcRule *rule);

/* Any float8 that was made from the seed: not in the legend. */
extern char *sdcpg_mask_bind_secret(SdcMaskPlan *plan, double value);

#endif
