/*
 * basket_rows.c
 *		New baskets: rows with the items of a set and a customer's own days.
 *
 * Rows, then pieces, then turnover are split among the days; in a day each
 * item gets pieces and a price.  Everything is whole units, and each split
 * hands out what it was given to the last one.
 */
#include <math.h>
#include <string.h>

#include "kernel/transaction/basket_plan.h"
#include "kernel/transaction/basket_rows.h"

/* How an order falls on the days of its customer. */
typedef struct Split
{
	int64_t *rows;
	int64_t *pieces;
	int64_t *amount;
	int64_t *minimum;
	int32_t *item; /* shuffled, repeated when there are more days */
	/* of the rows of one day: shares, least and true numbers of pieces */
	int64_t *share;
	int64_t *least;
	int64_t *own;
} Split;

static int64_t
rows_of(const SdcBasketOrder *order, const SdcBasketDays *days)
{
	return order->items > days->count ? order->items : days->count;
}

int64_t
sdc_basket_rows_most(const SdcBasketOrder *order, const SdcBasketDays *days)
{
	return rows_of(order, days) + days->count;
}

static int64_t
sum_of(const int64_t *value, int32_t n)
{
	int64_t sum = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		sum += value[i];
	return sum;
}

static double
ratio_of(int64_t total, int64_t whole)
{
	return whole == 0 ? 0 : (double) total / (double) whole;
}

static void
fill(int64_t *value, int32_t n, int64_t with)
{
	int32_t i;

	for (i = 0; i < n; i++)
		value[i] = with;
}

/* Puts the items in an order drawn at random, as often as there are rows. */
static void
shuffle(const SdcBasketOrder *order, int64_t rows, int32_t *item,
		SdcRandom *random)
{
	int64_t i;

	memcpy(item, order->item, sizeof(int32_t) * (size_t) order->items);
	for (i = order->items - 1; i > 0; i--)
	{
		int64_t j = (int64_t) sdc_random_below(random, (uint64_t) i + 1);
		int32_t other = item[i];

		item[i] = item[j];
		item[j] = other;
	}
	for (i = order->items; i < rows; i++)
		item[i] = item[i - order->items];
}

/* Splits rows, pieces and turnover among the days. */
static Split
split_days(SdcHost *host, const SdcBasketOrder *order,
		   const SdcBasketDays *days, SdcRandom *random)
{
	int32_t n = days->count;
	int64_t rows = rows_of(order, days);
	int64_t pieces = sum_of(days->pieces, n);
	Split split;

	split.rows = sdc_new(host, int64_t, (size_t) n);
	split.pieces = sdc_new(host, int64_t, (size_t) n);
	split.amount = sdc_new(host, int64_t, (size_t) n);
	split.minimum = sdc_new(host, int64_t, (size_t) n);
	split.item = sdc_new(host, int32_t, (size_t) rows);
	split.share = sdc_new(host, int64_t, (size_t) rows);
	split.least = sdc_new(host, int64_t, (size_t) rows);
	split.own = sdc_new(host, int64_t, (size_t) rows);
	shuffle(order, rows, split.item, random);
	fill(split.minimum, n, 1);
	sdc_basket_plan_split(rows, n, days->pieces, ratio_of(rows, pieces),
						  split.minimum, split.rows);
	sdc_basket_plan_split(order->pieces, n, days->pieces,
						  ratio_of(order->pieces, pieces), split.rows,
						  split.pieces);
	fill(split.minimum, n, 0);
	sdc_basket_plan_split(order->amount, n, days->amount,
						  ratio_of(order->amount, sum_of(days->amount, n)),
						  order->amount < order->pieces ? split.minimum
														: split.pieces,
						  split.amount);
	return split;
}

static void
release_split(SdcHost *host, Split *split)
{
	host->release(host, split->rows);
	host->release(host, split->pieces);
	host->release(host, split->amount);
	host->release(host, split->minimum);
	host->release(host, split->item);
	host->release(host, split->share);
	host->release(host, split->least);
	host->release(host, split->own);
}

/* Deals the pieces of a day out to its rows, some more and some fewer. */
static void
deal_pieces(int64_t pieces, int32_t n, Split *split, SdcRandom *random)
{
	int32_t i;

	for (i = 0; i < n; i++)
		split->share[i] = 1 + (int64_t) sdc_random_below(random, 8);
	fill(split->least, n, 1);
	sdc_basket_plan_split(pieces, n, split->share,
						  ratio_of(pieces, sum_of(split->share, n)),
						  split->least, split->own);
}

/* Appends the rows of one day. */
static void
append_day(SdcBasketRows *rows, const SdcBasketOrder *order, int64_t day,
		   const int32_t *item, int32_t n, const int64_t *pieces,
		   int64_t amount)
{
	int64_t whole = sum_of(pieces, n);
	int64_t least = amount < whole ? 0 : 1;
	double spread = (double) (amount - least * whole);
	int64_t left = amount;
	int32_t smallest = 0;
	double usual = 0;
	SdcBasketRow *row = &rows->row[rows->count];
	int32_t i;

	for (i = 0; i < n; i++)
		usual += order->price[item[i]] * (double) pieces[i];
	for (i = 0; i < n; i++)
	{
		double share = usual > 0 ? order->price[item[i]] / usual : 0;

		row[i].customer = order->customer;
		row[i].item = item[i];
		row[i].day = day;
		row[i].pieces = pieces[i];
		row[i].price = least + (int64_t) floor(spread * share);
		/* rounding could give a unit too much */
		if (row[i].price * pieces[i] > left - least * (whole - pieces[i]) &&
			row[i].price > least)
			row[i].price--;
		left -= row[i].price * pieces[i];
		whole -= pieces[i];
		if (pieces[i] < pieces[smallest])
			smallest = i;
	}
	rows->count += n;
	row[smallest].price += left / pieces[smallest];
	left %= pieces[smallest];
	if (left > 0)
	{
		row[n] = row[smallest];
		row[n].price++;
		row[n].pieces = left;
		row[smallest].pieces -= left;
		rows->count++;
	}
}

void
sdc_basket_rows_append(SdcBasketRows *rows, const SdcBasketOrder *order,
					   const SdcBasketDays *days, SdcRandom *random)
{
	Split split = split_days(rows->host, order, days, random);
	const int32_t *item = split.item;
	int32_t d;

	for (d = 0; d < days->count; d++)
	{
		int32_t n = (int32_t) split.rows[d];

		deal_pieces(split.pieces[d], n, &split, random);
		append_day(rows, order, days->day[d], item, n, split.own,
				   split.amount[d]);
		item += n;
	}
	release_split(rows->host, &split);
}
