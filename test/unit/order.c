/*
 * order.c
 *		Places by several keys against counting, and orders found again.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/random.h"
#include "kernel/intruder/order.h"

#define ROWS 60
#define KEYS 4

static SdcRandom random_state;
static double keys[KEYS][ROWS];
static const double *const key[KEYS] = {keys[0], keys[1], keys[2], keys[3]};

/* Keys of few values, so that ties have to be broken, some of them NaN. */
static void
draw_keys(void)
{
	int i;
	int k;

	for (k = 0; k < KEYS; k++)
		for (i = 0; i < ROWS; i++)
			keys[k][i] = sdc_random_unit(&random_state) < .05
							 ? NAN
							 : floor(8 * sdc_random_unit(&random_state));
}

/* Does row a come before row b? */
static bool
is_before(const SdcOrder *order, int a, int b)
{
	int k;

	for (k = 0; k < order->keys; k++)
	{
		double x = keys[order->key[k]][order->descending[k] ? b : a];
		double y = keys[order->key[k]][order->descending[k] ? a : b];

		x = isnan(x) ? 100 : x;
		y = isnan(y) ? 100 : y;
		if (x != y)
			return x < y;
	}
	return false;
}

/* The mean place of a row: those before it, and half of those like it. */
static double
count_place(const SdcOrder *order, int row)
{
	double before = 0;
	double alike = -1;
	int i;

	for (i = 0; i < ROWS; i++)
		if (is_before(order, i, row))
			before++;
		else if (!is_before(order, row, i))
			alike++;
	return before + alike / 2;
}

static SdcOrder
draw_order(int count)
{
	SdcOrder order = {count, {0}, {false}};
	int first = (int) sdc_random_below(&random_state, KEYS);
	int k;

	for (k = 0; k < count; k++)
	{
		order.key[k] = (first + k) % KEYS;
		order.descending[k] = sdc_random_below(&random_state, 2) > 0;
	}
	return order;
}

static void
test_places(void)
{
	double place[ROWS];
	int wrong = 0;
	int k;
	int i;

	for (k = 0; k < 200; k++)
	{
		SdcOrder order = draw_order(1 + k % KEYS);

		draw_keys();
		sdc_order_places(unit_host(), key, &order, ROWS, place);
		for (i = 0; i < ROWS; i++)
			wrong += place[i] != count_place(&order, i);
	}
	unit_check(wrong == 0, "places are those that are counted");
}

/* What follows an order is found to, and its first key is the right one; what
 * is drawn follows none. */
static void
test_found(void)
{
	double column[ROWS];
	int first = 0;
	int followed = 0;
	int drawn = 0;
	SdcOrder found;
	int k;
	int i;

	for (k = 0; k < 200; k++)
	{
		SdcOrder order = draw_order(1 + k % 3);

		draw_keys();
		sdc_order_places(unit_host(), key, &order, ROWS, column);
		for (i = 0; i < ROWS; i++)
			column[i] = sdc_exp(column[i] / 10);
		followed +=
			sdc_order_find(unit_host(), key, KEYS, column, ROWS, &found) > .99;
		first += found.keys > 0 && found.key[0] == order.key[0] &&
				 found.descending[0] == order.descending[0];
		for (i = 0; i < ROWS; i++)
			column[i] = sdc_random_unit(&random_state);
		drawn +=
			sdc_order_find(unit_host(), key, KEYS, column, ROWS, &found) > .9;
	}
	unit_check(followed == 200, "what follows an order is found to");
	unit_check(first == 200, "its first key is the right one");
	unit_check(drawn == 0, "what is drawn follows none");
	unit_check(sdc_order_find(unit_host(), key, 0, column, ROWS, &found) == 0,
			   "nothing follows no key");
	unit_check(found.keys == 0, "no order without keys");
}

/* Two columns that follow one order are found to follow the same, to the last
 * byte: nothing is left of keys that were tried. */
static void
test_same(void)
{
	const SdcOrder order = {1, {2}, {false}};
	double column[2][ROWS];
	SdcOrder found[2];
	int same = 0;
	int k;
	int i;
	int c;

	for (k = 0; k < 200; k++)
	{
		draw_keys();
		for (c = 0; c < 2; c++)
		{
			sdc_order_places(unit_host(), key, &order, ROWS, column[c]);
			for (i = 0; i < ROWS; i++)
				column[c][i] += sdc_random_unit(&random_state);
			memset(&found[c], 77, sizeof(found[c]));
			sdc_order_find(unit_host(), key, KEYS, column[c], ROWS, &found[c]);
		}
		same += found[0].keys != found[1].keys ||
				memcmp(&found[0], &found[1], sizeof(found[0])) == 0;
	}
	unit_check(same == 200, "equal orders are equal bytes: %d", same);
}

int
main(void)
{
	unit_start("orders by several keys");
	sdc_random_seed(&random_state, 12, 0);
	test_places();
	test_found();
	test_same();
	return unit_finish();
}
