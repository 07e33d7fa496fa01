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

/* Members of a cluster are alike to a unit, and every total is kept. */
static void
check_share(int round)
{
	int64_t pieces[GROUPS];
	int64_t amount[GROUPS];
	int64_t least[GROUPS];
	int64_t most[GROUPS];
	int64_t missing;
	int64_t whole = 0;
	bool enough = true;
	bool alike = true;
	SdcRandom random;
	Case one;
	int i;
	int g;

	draw(&one, round, round % 2 == 0 ? 100 : 1000);
	sdc_random_seed(&random, 9, (uint64_t) round);
	for (i = 0; i < CUSTOMERS; i++)
		whole -= one.pieces[i];
	missing = sdc_basket_plan_share(unit_host(), &one.plan, one.group, GROUPS,
									&random);
	for (g = 0; g < GROUPS; g++)
	{
		least[g] = INT64_MAX;
		most[g] = 0;
	}
	sum_groups(&one, pieces, amount);
	for (i = 0; i < CUSTOMERS; i++)
	{
		g = one.group[i];
		whole += one.pieces[i];
		least[g] = one.pieces[i] < least[g] ? one.pieces[i] : least[g];
		most[g] = one.pieces[i] > most[g] ? one.pieces[i] : most[g];
	}
	for (i = 0; i < CUSTOMERS; i++)
	{
		int64_t need = 0;
		int j;

		g = one.group[i];
		alike = alike && most[g] - least[g] <= 1;
		for (j = 0; j < CUSTOMERS; j++)
			if (one.group[j] == g)
			{
				need += one.need[j];
				alike = alike && llabs(one.amount[i] - one.amount[j]) <= 1;
			}
		enough = enough && pieces[g] >= need;
	}
	unit_check(alike, "round %d: members of a cluster differ by a unit",
			   round);
	unit_check(enough, "round %d: clusters have what they need", round);
	unit_check(whole == missing, "round %d: %d pieces are added", round,
			   (int) missing);
	unit_check(memcmp(amount, one.group_amount, sizeof(amount)) == 0,
			   "round %d: clusters keep their turnover", round);
}

/* Who gets the unit that is over is drawn: each is as likely. */
static void
check_fair(void)
{
	const int32_t cluster[] = {0, 0, 0};
	const int64_t need[] = {0, 0, 0};
	int more[3] = {0, 0, 0};
	SdcRandom random;
	int round;
	int i;

	sdc_random_seed(&random, 10, 0);
	for (round = 0; round < 3000; round++)
	{
		int64_t pieces[] = {1, 5, 4};
		int64_t amount[] = {7, 0, 4};
		SdcBasketPlan plan = {3, need, pieces, amount};

		(void) sdc_basket_plan_share(unit_host(), &plan, cluster, 1, &random);
		for (i = 0; i < 3; i++)
			more[i] += pieces[i] == 4;
	}
	/* 1000 of each, deviation 26 */
	for (i = 0; i < 3; i++)
		unit_check(abs(more[i] - 1000) < 110, "member %d has more %d times", i,
				   more[i]);
}

#define SETS 30

static double
distance(const SdcItemSets *sets, int32_t a, int32_t b)
{
	int32_t shared = 0;
	int64_t p;
	int64_t q;
	int32_t whole = sdc_item_sets_size(sets, a) + sdc_item_sets_size(sets, b);

	for (p = sets->start[a]; p < sets->start[a + 1]; p++)
		for (q = sets->start[b]; q < sets->start[b + 1]; q++)
			shared += sets->item[p] == sets->item[q];
	return whole == 0 ? 0 : 1 - (double) shared / (whole - shared);
}

static SdcItemSets
draw_sets(SdcRandom *random)
{
	int32_t set[SETS * ITEMS];
	int32_t item[SETS * ITEMS];
	int64_t n = 0;
	int32_t i;
	int32_t t;

	for (i = 0; i < SETS; i++)
		for (t = 0; t < ITEMS; t++)
			if (sdc_random_below(random, 3) == 0)
			{
				set[n] = i;
				item[n++] = t;
			}
	return sdc_item_sets_build(unit_host(), n, set, item, SETS, ITEMS);
}

/* How far members are from their centres, by items and by a trait. */
static double
sum_over(const SdcItemSets *sets, const SdcSetCentres *centres,
		 const double *trait)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < SETS; i++)
	{
		int32_t centre = centres->centre[centres->cluster[i]];
		double apart = trait == NULL ? 0 : trait[i] - trait[centre];

		sum += trait == NULL ? distance(sets, i, centre)
			   : apart < 0   ? -apart
							 : apart;
	}
	return sum;
}

static void
check_regroup(int round)
{
	double trait[SETS];
	const double *traits[] = {trait};
	SdcRandom random;
	SdcItemSets sets;
	SdcSetCentres centres;
	double before;
	double apart;
	double t;
	bool stay = true;
	int32_t i;

	sdc_random_seed(&random, 11, (uint64_t) round);
	sets = draw_sets(&random);
	for (i = 0; i < SETS; i++)
		trait[i] = sdc_random_unit(&random);
	centres = sdc_set_centres_choose(unit_host(), &sets, 0.7, 8);
	before = sum_over(&sets, &centres, NULL);
	apart = sum_over(&sets, &centres, trait);
	t = (before / SETS + 0.75) / 2;
	sdc_set_centres_regroup(unit_host(), &sets, &centres, t, traits, 1);
	for (i = 0; i < centres.count; i++)
		stay = stay && centres.cluster[centres.centre[i]] == i;
	unit_check(stay, "round %d: a centre stays", round);
	unit_check(sum_over(&sets, &centres, NULL) <= t * SETS + 1e-9 &&
				   centres.total - sum_over(&sets, &centres, NULL) < 1e-9,
			   "round %d: the bound holds", round);
	unit_check(sum_over(&sets, &centres, trait) < apart,
			   "round %d: members are more alike: %.3f of %.3f", round,
			   sum_over(&sets, &centres, trait), apart);
	before = sum_over(&sets, &centres, NULL);
	apart = sum_over(&sets, &centres, trait);
	sdc_set_centres_regroup(unit_host(), &sets, &centres, 0, traits, 1);
	unit_check(sum_over(&sets, &centres, NULL) == before &&
				   sum_over(&sets, &centres, trait) == apart,
			   "round %d: nothing changes where nothing may", round);
}

/* How far what clusters spend on items is from a turnover. */
static double
off_by(const SdcItemSets *sets, const SdcSetCentres *centres,
	   const double *amount, const double *turnover, const double *price)
{
	double spent[ITEMS] = {0};
	double off = 0;
	int64_t r;
	int32_t c;
	int t;

	for (c = 0; c < centres->count; c++)
	{
		int32_t set = centres->centre[c];
		double whole = 0;

		for (r = sets->start[set]; r < sets->start[set + 1]; r++)
			whole += price[sets->item[r]];
		for (r = sets->start[set]; r < sets->start[set + 1]; r++)
			spent[sets->item[r]] += amount[c] * price[sets->item[r]] / whole;
	}
	for (t = 0; t < ITEMS; t++)
		off += turnover[t] > spent[t] ? turnover[t] - spent[t]
									  : spent[t] - turnover[t];
	return off;
}

/* Prices that gave a turnover are found again, from others. */
static void
check_fit(int round)
{
	double amount[SETS];
	double price[ITEMS];
	double turnover[ITEMS] = {0};
	SdcRandom random;
	SdcItemSets sets;
	SdcSetCentres centres;
	double before;
	double after;
	int64_t r;
	int32_t c;
	int t;

	sdc_random_seed(&random, 12, (uint64_t) round);
	sets = draw_sets(&random);
	centres = sdc_set_centres_choose(unit_host(), &sets, 0.7, 6);
	for (t = 0; t < ITEMS; t++)
		price[t] = 1 + 9 * sdc_random_unit(&random);
	for (c = 0; c < centres.count; c++)
	{
		int32_t set = centres.centre[c];
		double whole = 0;

		amount[c] = 10 + 90 * sdc_random_unit(&random);
		for (r = sets.start[set]; r < sets.start[set + 1]; r++)
			whole += price[sets.item[r]];
		for (r = sets.start[set]; r < sets.start[set + 1]; r++)
			turnover[sets.item[r]] += amount[c] * price[sets.item[r]] / whole;
	}
	for (t = 0; t < ITEMS; t++)
		price[t] = 1 + 9 * sdc_random_unit(&random);
	before = off_by(&sets, &centres, amount, turnover, price);
	sdc_basket_prices_fit(unit_host(), &sets, &centres, amount, turnover, 200,
						  price);
	after = off_by(&sets, &centres, amount, turnover, price);
	unit_check(after < before / 50, "round %d: off by %.4f, before %.1f",
			   round, after, before);
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
	for (round = 0; round < 10; round++)
	{
		check_share(round);
		check_regroup(round);
		check_fit(round);
	}
	check_fair();
	unit_check(unit_polls() > 0, "polls");
	return unit_finish();
}
