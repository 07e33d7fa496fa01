/*
 * basket_plan.h
 *		Pieces and turnover of customers, moved so that totals stay.
 */
#ifndef SDC_KERNEL_BASKET_PLAN_H
#define SDC_KERNEL_BASKET_PLAN_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"

/*
 * Customers as points: how many pieces they bought, for how much in all, the
 * latter in the smallest unit of money that occurs.  need[i] is how many
 * pieces the new basket has at least, one for each of its rows.
 */
typedef struct SdcBasketPlan
{
	int32_t customers;
	const int64_t *need;
	int64_t *pieces;
	int64_t *amount;
} SdcBasketPlan;

/*
 * Gives customers with fewer pieces than they need the missing ones, taken
 * from those of the same group that have more than they need, in proportion
 * to what they have over.  group[i] is 0 to groups - 1.  The sum of each
 * group stays.  Returns how many pieces are still missing.  O(customers +
 * groups).
 */
extern int64_t sdc_basket_plan_balance(SdcHost *host, SdcBasketPlan *plan,
									   const int32_t *group, int32_t groups);

/*
 * Moves customers at random, each at most once, in pairs of one group in
 * opposite directions.  Step 1: of one half of the customers of a group, one
 * of a pair gives pieces to the other (as many as it has over, at most share
 * of the pieces of either).  Step 2: of the other half, one of a pair gives
 * turnover to the other, at most share of either's and at most `most` units,
 * and keeps one unit for each piece.  So each group keeps its pieces and its
 * turnover, and with them its mean price.  Who is left over does not move.
 * Returns how many moved.
 */
extern int32_t sdc_basket_plan_move(SdcHost *host, SdcBasketPlan *plan,
									const int32_t *group, int32_t groups,
									double share, int64_t most,
									SdcRandom *random);

/*
 * Splits a total into n parts near ideal[], each at least minimum[]; the sum
 * of these must not be more than the total.  What rounding leaves goes to the
 * part with the largest ideal, the first of equal ones; where minimum is more
 * than ideal it is taken from the parts that have most over.  ratio times
 * ideal[] is what the parts are rounded down from.  O(n) but for parts that
 * are below their minimum, O(n) each.
 */
extern void sdc_basket_plan_split(int64_t total, int32_t n,
								  const int64_t *ideal, double ratio,
								  const int64_t *minimum, int64_t *part);

#endif
