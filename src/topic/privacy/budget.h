/*
 * budget.h
 *		Amounts of privacy as whole numbers: what a request costs, what a
 *		budget holds.
 *
 * Budgets are kept in units of 1e-9 (epsilon, rho) and 1e-18 (delta), so that
 * ten charges of 0.1 are 1 and no sum is rounded.  What is asked is rounded
 * up, what is granted down.
 */
#ifndef SDC_TOPIC_BUDGET_H
#define SDC_TOPIC_BUDGET_H

#include "postgres.h"

#include "utils/numeric.h"

/* How the costs of requests add up to the cost of all. */
typedef enum SdcAccounting
{
	SDC_ACCOUNTING_PURE,   /* epsilons add up */
	SDC_ACCOUNTING_APPROX, /* epsilons and deltas add up */
	SDC_ACCOUNTING_ZCDP    /* epsilon^2 / 2 add up to rho */
} SdcAccounting;

extern const char *const sdcpg_budget_accounting[];

/* Epsilon or rho in 1e-9, delta in 1e-18. */
typedef struct SdcAmount
{
	int64 first;
	int64 second;
} SdcAmount;

/*
 * What a budget of epsilon and delta holds.  Epsilon is 0 to 1e9, delta 0 or
 * more and below 1; anything else, NaN too, stops with an error.  pure takes
 * no delta.  zcdp needs one, and holds the largest rho with epsilon >= rho +
 * 2 sqrt(rho ln(1 / delta)) (Bun and Steinke 2016).
 */
extern SdcAmount sdcpg_budget_limit(SdcAccounting accounting, Numeric epsilon,
									Numeric delta);

/*
 * What a request costs, and in *rest how much epsilon, in 1e-9, its noise may
 * be made for.  Epsilon is 1e-9 to 1024, delta 0 or more and below 1.
 */
extern SdcAmount sdcpg_budget_cost(SdcAccounting accounting, Numeric epsilon,
								   Numeric delta, int64 *rest);

/* So many units of 10^-digits as a numeric. */
extern Datum sdcpg_budget_numeric(int64 amount, int digits);

#endif
