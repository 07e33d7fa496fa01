/*
 * basket_plan.h
 *		Pieces and turnover of customers, moved so that totals stay; the sets
 *		of items that they move around.
 */
#ifndef SDC_KERNEL_BASKET_PLAN_H
#define SDC_KERNEL_BASKET_PLAN_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/transaction/item_sets.h"

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
 * Gives all customers of a cluster (0 to clusters - 1) the same pieces and the
 * same turnover.  Clusters that have fewer pieces than their customers need
 * take them from others, as above; returns how many are still missing, which
 * are added.  What cannot be parted goes to customers that are drawn, one unit
 * each, so that it tells nothing of anybody.  O(customers + clusters).
 */
extern int64_t sdc_basket_plan_share(SdcHost *host, SdcBasketPlan *plan,
									 const int32_t *cluster, int32_t clusters,
									 SdcRandom *random);

/* One row: price in units of money for a piece. */
typedef struct SdcBasketRow
{
	int32_t customer;
	int32_t item;
	int64_t day;
	int64_t price;
	int64_t pieces;
} SdcBasketRow;

/* The days of one customer, with the pieces and the turnover of each. */
typedef struct SdcBasketDays
{
	int32_t count;
	const int64_t *day; /* ascending, each once */
	const int64_t *pieces;
	const int64_t *amount;
} SdcBasketDays;

/* What the new basket of a customer must be. */
typedef struct SdcBasketOrder
{
	int32_t customer;
	int64_t pieces; /* at least the number of items, and of days */
	int64_t amount;
	int32_t items;
	const int32_t *item;
	const double *price; /* usual price of every item, by its number */
} SdcBasketOrder;

/* Rows that are written, in a list that grows. */
typedef struct SdcBasketRows
{
	SdcHost *host;
	int64_t count;
	int64_t room;
	SdcBasketRow *row;
} SdcBasketRows;

/* The most rows that an order gives, over all of its days. */
extern int64_t sdc_basket_rows_most(const SdcBasketOrder *order,
									const SdcBasketDays *days);

/*
 * Appends the rows of an order: each of its items at least once, each of the
 * customer's days at least once, and exactly its pieces and its amount.
 * Pieces and turnover of a day stay in proportion to what they were; when the
 * amount is what it was and no day has less than a unit for each piece, the
 * turnover of each day is what it was.  Which items fall on which day is drawn
 * at random; prices of a day are the usual ones times a common factor, rounded
 * down, and the rest is on one of its items, whose pieces may come in two rows
 * of prices one unit apart.  rows must have room.  O(items + days).
 */
extern void sdc_basket_rows_append(SdcBasketRows *rows,
								   const SdcBasketOrder *order,
								   const SdcBasketDays *days,
								   SdcRandom *random);

/*
 * The share of the turnover that is on other items than turnover[] says: half
 * of the sum of the differences.  O(rows + items).
 */
extern double sdc_basket_rows_moved(const SdcBasketRows *rows, int32_t items,
									const double *turnover);

/* ----------------------------------------------------------------------
 * Clusters of sets of items around few of these sets.
 * ----------------------------------------------------------------------
 */

/* Sets that are centres, and the nearest centre of each set. */
typedef struct SdcSetCentres
{
	int32_t count;
	int32_t *centre;  /* their rows, ascending */
	int32_t *cluster; /* of each set: which of the centres is nearest */
	double total;     /* sum of the distances to the nearest centres */
} SdcSetCentres;

/*
 * Chooses as few centres as it finds so that the mean Jaccard distance of the
 * sets to their nearest centres is at most t (0 to 1), but at least so many.
 * The nearest of several equally near ones is the first.
 *
 * Greedy choice (each centre is the one that lowers the sum most, the first
 * of equally good ones); while there are no more than
 * SDC_SET_CENTRES_EXCHANGED sets, then one centre less as long as exchanges of
 * a centre for another set bring the sum back under the bound.  The number is
 * the least that was found, not proven to be the least there is: that is a
 * problem of covering, NP-hard.
 *
 * Distances come from the inverted index.  Greedy: one pass over the pairs of
 * sets that share an item, and a few rows of it for each centre; exchanges
 * O(sets^2) for each round, 8 sets^2 bytes.
 */
extern SdcSetCentres sdc_set_centres_choose(SdcHost *host,
											const SdcItemSets *sets, double t,
											int32_t least);

/*
 * Gives the sets that are no centres to other centres, so that members of a
 * cluster are alike in traits too: trait[j][i] is the j-th of set i.  A set
 * goes to the centre with the least distance plus w times the sum of the
 * absolute differences of the traits, with the largest w of those that are
 * tried (by halving, 0 to 4) for which the mean distance is at most t.
 * Changes nothing where sets times centres are more than 2e7.  O(sets *
 * centres * (traits + tries)).
 */
extern void sdc_set_centres_regroup(SdcHost *host, const SdcItemSets *sets,
									SdcSetCentres *centres, double t,
									const double *const *trait, int traits);

/*
 * Prices that keep the turnover of each item, as far as that can be: cluster c
 * spends amount[c], on the items of its centre in proportion to price[], and
 * these are scaled item by item until what all clusters spend on an item is
 * what turnover[] says (iterative proportional fitting, so many rounds), but
 * for items that no centre has.  O(rounds * items of the centres).
 */
extern void sdc_basket_prices_fit(SdcHost *host, const SdcItemSets *sets,
								  const SdcSetCentres *centres,
								  const double *amount, const double *turnover,
								  int rounds, double *price);

#endif
