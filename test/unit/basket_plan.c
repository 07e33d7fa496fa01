/*
 * basket_plan.c
 *		Pieces and turnover that move, and new baskets: every total is kept,
 *		every item and day occurs.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/transaction/basket_plan.h"

#define CUSTOMERS 40
#define GROUPS    6
#define ITEMS     30

typedef struct Case
{
	int64_t need[CUSTOMERS];
	int64_t pieces[CUSTOMERS];
	int64_t amount[CUSTOMERS];
	int32_t group[CUSTOMERS];
	int64_t group_pieces[GROUPS];
	int64_t group_amount[GROUPS];
	SdcBasketPlan plan;
} Case;

static void
sum_groups(const Case *one, int64_t *pieces, int64_t *amount)
{
	int i;

	memset(pieces, 0, sizeof(int64_t) * GROUPS);
	memset(amount, 0, sizeof(int64_t) * GROUPS);
	for (i = 0; i < CUSTOMERS; i++)
	{
		pieces[one->group[i]] += one->pieces[i];
		amount[one->group[i]] += one->amount[i];
	}
}

static bool
keeps_groups(const Case *one)
{
	int64_t pieces[GROUPS];
	int64_t amount[GROUPS];

	sum_groups(one, pieces, amount);
	return memcmp(pieces, one->group_pieces, sizeof(pieces)) == 0 &&
		   memcmp(amount, one->group_amount, sizeof(amount)) == 0;
}

static void
draw(Case *one, int round, uint64_t most_needed)
{
	SdcRandom random;
	int i;

	sdc_random_seed(&random, 4, (uint64_t) round);
	for (i = 0; i < CUSTOMERS; i++)
	{
		one->group[i] = (int32_t) sdc_random_below(&random, GROUPS);
		one->need[i] = 1 + (int64_t) sdc_random_below(&random, most_needed);
		one->pieces[i] = 1 + (int64_t) sdc_random_below(&random, 500);
		one->amount[i] = (int64_t) sdc_random_below(&random, 100000);
	}
	sum_groups(one, one->group_pieces, one->group_amount);
	one->plan.customers = CUSTOMERS;
	one->plan.need = one->need;
	one->plan.pieces = one->pieces;
	one->plan.amount = one->amount;
}

/* What all groups lack together, when each helps itself as far as it can. */
static int64_t
lack_of(const Case *one)
{
	int64_t needed[GROUPS] = {0};
	int64_t lack = 0;
	int i;

	for (i = 0; i < CUSTOMERS; i++)
		needed[one->group[i]] += one->need[i];
	for (i = 0; i < GROUPS; i++)
		if (needed[i] > one->group_pieces[i])
			lack += needed[i] - one->group_pieces[i];
	return lack;
}

static void
check_balance(int round, uint64_t most_needed)
{
	Case one;
	int64_t expected;
	int64_t missing;
	bool served = true;
	int i;

	draw(&one, round, most_needed);
	expected = lack_of(&one);
	missing =
		sdc_basket_plan_balance(unit_host(), &one.plan, one.group, GROUPS);
	for (i = 0; i < CUSTOMERS; i++)
		served = served && (expected > 0 || one.pieces[i] >= one.need[i]);
	unit_check(missing == expected && served && keeps_groups(&one),
			   "round %d: %d pieces missing, groups keep theirs", round,
			   (int) missing);
}

static void
check_moves(int round, double share, int64_t most)
{
	Case one;
	Case before;
	SdcRandom random;
	int32_t moved;
	int32_t changed = 0;
	bool right = true;
	int i;

	draw(&one, round, 20);
	sdc_basket_plan_balance(unit_host(), &one.plan, one.group, GROUPS);
	before = one;
	sdc_random_seed(&random, 6, (uint64_t) round);
	moved = sdc_basket_plan_move(unit_host(), &one.plan, one.group, GROUPS,
								 share, most, &random);
	for (i = 0; i < CUSTOMERS; i++)
	{
		int64_t pieces = llabs(one.pieces[i] - before.pieces[i]);
		int64_t amount = llabs(one.amount[i] - before.amount[i]);

		changed += pieces > 0 || amount > 0;
		right = right && (pieces == 0 || amount == 0) && amount <= most &&
				pieces <= share * before.pieces[i] &&
				amount <= share * before.amount[i] &&
				one.pieces[i] >= one.need[i];
	}
	unit_check(right && keeps_groups(&one) && changed == moved,
			   "round %d: %d customers moved once, groups keep theirs", round,
			   moved);
	unit_check(share == 0 ? moved == 0 : moved > CUSTOMERS / 3,
			   "round %d: as many as there are pairs", round);
}

/* One order with its own days; every total and item is looked up. */
static void
check_rows(int round)
{
	int64_t day[] = {3, 5, 9, 30};
	int64_t pieces[] = {10, 1, 7, 300};
	int64_t amount[] = {1000, 20, 333, 4001};
	int32_t item[ITEMS];
	double price[ITEMS];
	SdcBasketRow row[2 * ITEMS + 8];
	SdcBasketRows rows = {unit_host(), 0, 2 * ITEMS + 8, row};
	SdcBasketDays days = {4, day, pieces, amount};
	SdcBasketOrder order = {7, 318, 5354, 1 + round % ITEMS, item, price};
	int64_t sum_pieces = 0;
	int64_t of_day[4] = {0};
	bool has_item[ITEMS] = {false};
	int found = 0;
	bool right = true;
	SdcRandom random;
	int64_t r;
	int i;

	sdc_random_seed(&random, 7, (uint64_t) round);
	if (round % 3 == 1)
		order.amount = round; /* less than a unit for each piece */
	if (round % 3 == 2)
		order.pieces = order.items > 4 ? order.items : 4;
	for (i = 0; i < ITEMS; i++)
	{
		item[i] = ITEMS - 1 - i;
		price[i] = round % 5 == 0 ? 0 : 1 + i * i;
	}
	sdc_basket_rows_append(&rows, &order, &days, &random);
	for (r = 0; r < rows.count; r++)
	{
		for (i = 0; i < 4 && day[i] != row[r].day; i++)
			;
		right = right && i < 4 && row[r].customer == 7 && row[r].pieces > 0 &&
				row[r].price >= (order.amount >= order.pieces);
		of_day[i] += row[r].price * row[r].pieces;
		sum_pieces += row[r].pieces;
		found += !has_item[row[r].item];
		has_item[row[r].item] = true;
	}
	unit_check(right && sum_pieces == order.pieces && found == order.items &&
				   of_day[0] + of_day[1] + of_day[2] + of_day[3] ==
					   order.amount &&
				   rows.count <= sdc_basket_rows_most(&order, &days),
			   "round %d: pieces, turnover, items and rows", round);
	unit_check(round % 3 == 1 || round % 3 == 2 ||
				   memcmp(of_day, amount, sizeof(amount)) == 0,
			   "round %d: turnover of each day", round);
}

int
main(void)
{
	int round;

	unit_start("basket_plan");
	for (round = 0; round < 10; round++)
	{
		check_balance(round, 100);
		check_balance(round, 1000);
		check_moves(round, 0.1, 1000000);
		check_moves(round, 0.5, 100);
		check_moves(round, 0, 100);
	}
	for (round = 0; round < 40; round++)
		check_rows(round);
	unit_check(unit_polls() > 0, "polls");
	return unit_finish();
}
