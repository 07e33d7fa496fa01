/*
 * set_centres.c
 *		Clusters of sets around centres: the bound, the nearest centre, and
 *		the least number, which all choices of small cases show.
 */
#include "unit.h"

#include <string.h>

#include "kernel/base/random.h"
#include "kernel/transaction/basket_plan.h"
#include "kernel/transaction/item_sets.h"

#define SETS  12
#define ITEMS 10

static SdcItemSets
draw(SdcRandom *random, uint16_t *bits, int32_t sets)
{
	int32_t set[SETS * ITEMS];
	int32_t item[SETS * ITEMS];
	int32_t n = 0;
	int32_t i;
	int32_t j;

	for (i = 0; i < sets; i++)
	{
		bits[i] = (uint16_t) (sdc_random_bits(random) &
							  sdc_random_bits(random) & 1023);
		for (j = 0; j < ITEMS; j++)
			if (bits[i] >> j & 1)
			{
				set[n] = i;
				item[n++] = j;
			}
	}
	return sdc_item_sets_build(unit_host(), n, set, item, sets, ITEMS);
}

static double
distance(uint16_t a, uint16_t b)
{
	int shared = __builtin_popcount(a & b);
	int whole = __builtin_popcount(a | b);

	return whole == 0 ? 0 : (double) (whole - shared) / whole;
}

/* The sum of the distances to the nearest of the centres. */
static double
sum_of(const uint16_t *bits, int32_t sets, uint32_t centres)
{
	double sum = 0;
	int32_t i;
	int32_t c;

	for (i = 0; i < sets; i++)
	{
		double nearest = 1;

		for (c = 0; c < sets; c++)
			if ((centres >> c & 1) && distance(bits[i], bits[c]) < nearest)
				nearest = distance(bits[i], bits[c]);
		sum += nearest;
	}
	return sum;
}

/* The least number of centres by all choices. */
static int
least_number(const uint16_t *bits, int32_t sets, double t)
{
	int least = sets;
	uint32_t centres;

	for (centres = 1; centres < 1u << sets; centres++)
		if (__builtin_popcount(centres) < least &&
			sum_of(bits, sets, centres) <= t * sets)
			least = __builtin_popcount(centres);
	return least;
}

/* Each set in the cluster of a nearest centre, itself if it is one. */
static bool
is_assigned(const SdcSetCentres *found, const uint16_t *bits, int32_t sets)
{
	double sum = 0;
	bool right = true;
	int32_t i;
	int32_t c;

	for (i = 0; i < sets; i++)
	{
		double own = distance(bits[i], bits[found->centre[found->cluster[i]]]);

		for (c = 0; c < found->count; c++)
			right = right && own <= distance(bits[i], bits[found->centre[c]]);
		sum += own;
	}
	for (c = 0; c < found->count; c++)
		right = right && found->cluster[found->centre[c]] == c;
	return right && sum <= found->total + 1e-9 && sum >= found->total - 1e-9;
}

static void
check_small(void)
{
	int extra = 0;
	int cases = 0;
	int round;

	for (round = 0; round < 30; round++)
	{
		uint16_t bits[SETS];
		double t = 0.1 + 0.02 * round;
		SdcRandom random;
		SdcItemSets sets;
		SdcSetCentres found;

		sdc_random_seed(&random, 8, (uint64_t) round);
		sets = draw(&random, bits, SETS);
		found = sdc_set_centres_choose(unit_host(), &sets, t, 1);
		unit_check(found.total <= t * SETS + 1e-9 &&
					   is_assigned(&found, bits, SETS),
				   "t = %g: %d centres hold the bound", t, found.count);
		extra += found.count - least_number(bits, SETS, t);
		cases++;
	}
	unit_check(extra <= 3, "%d centres more than the least in all of %d cases",
			   extra, cases);
}

static void
check_limits(void)
{
	uint16_t bits[SETS];
	SdcRandom random;
	SdcItemSets sets;
	SdcSetCentres found;

	sdc_random_seed(&random, 9, 0);
	sets = draw(&random, bits, SETS);
	found = sdc_set_centres_choose(unit_host(), &sets, 1, 1);
	unit_check(found.count == 1, "t = 1: one centre");
	found = sdc_set_centres_choose(unit_host(), &sets, 1, 5);
	unit_check(found.count == 5, "at least five");
	found = sdc_set_centres_choose(unit_host(), &sets, 0, 1);
	unit_check(found.total == 0, "t = 0: every set is its centre's");
	sets = draw(&random, bits, 1);
	found = sdc_set_centres_choose(unit_host(), &sets, 0.5, 1);
	unit_check(found.count == 1 && found.centre[0] == 0, "one set");
	sets = draw(&random, bits, 0);
	found = sdc_set_centres_choose(unit_host(), &sets, 0.5, 1);
	unit_check(found.count == 0, "no sets");
}

int
main(void)
{
	unit_start("set_centres");
	check_small();
	check_limits();
	unit_check(unit_polls() > 0, "polls");
	return unit_finish();
}
