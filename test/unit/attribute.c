/*
 * attribute.c
 *		What somebody's value is by the records that could be his: by hand, and
 *		drawn lists against a search that asks of each value how likely it is.
 */
#include "unit.h"

#include <math.h>

#include "kernel/base/random.h"
#include "kernel/risk/attribute.h"

#define ENTRIES 12
#define LISTS   2000

static SdcAttributeBelief
category_of(SdcAttributeEntry *entry, int count, double truth)
{
	int32_t order[ENTRIES];

	return sdc_attribute_category(unit_host(), entry, order, count, truth);
}

static SdcAttributeBelief
number_of(SdcAttributeEntry *entry, int count, double tolerance, double truth)
{
	int32_t order[ENTRIES];

	return sdc_attribute_number(unit_host(), entry, order, count, tolerance,
								truth);
}

static void
check_belief(SdcAttributeBelief found, double right, double chance,
			 const char *what)
{
	unit_check(fabs(found.right - right) < 1e-12, "%s: right %g, not %g", what,
			   found.right, right);
	unit_check(fabs(found.chance - chance) < 1e-12, "%s: chance %g, not %g",
			   what, found.chance, chance);
}

static void
check_by_hand(void)
{
	SdcAttributeEntry same[] = {{7, .2}, {7, .3}, {7, .5}};
	SdcAttributeEntry ties[] = {{1, .25}, {2, .25}, {1, .25}, {2, .25}};
	SdcAttributeEntry lost[] = {{NAN, .6}, {3, .3}, {4, .1}};
	SdcAttributeEntry none[] = {{NAN, .5}, {NAN, .5}};
	SdcAttributeEntry part[] = {{1, .1}, {2, .3}};
	SdcAttributeEntry near[] = {{104, .25}, {100, .5}, {90, .25}};
	SdcAttributeEntry even[] = {{1, .5}, {9, .5}};

	check_belief(category_of(same, 3, 7), 1, 1, "all the same");
	check_belief(category_of(same, 3, 8), 0, 1, "all are wrong");
	check_belief(category_of(ties, 4, 2), .5, .5, "a tie");
	check_belief(category_of(lost, 3, 3), 1, .3, "some have none");
	check_belief(category_of(none, 2, 3), 0, 0, "none has one");
	check_belief(category_of(part, 2, 2), 1, .75, "shares");
	check_belief(category_of(part, 0, 2), 0, 0, "nobody");
	check_belief(number_of(near, 3, 4, 97), 1, .75, "near");
	check_belief(number_of(near, 3, 4, 95), 0, .75, "too far");
	check_belief(number_of(near, 3, 0, 100), 1, .5, "exactly");
	check_belief(number_of(even, 2, 0, 1), 1, .5, "the lower one");
	check_belief(number_of(none, 2, 4, 1), 0, 0, "no number");
}

/* What a value is believed with, within a tolerance; entries as drawn. */
static double
chance_near(const SdcAttributeEntry *entry, int count, double value,
			double tolerance)
{
	double near = 0;
	double all = 0;
	int i;

	for (i = 0; i < count; i++)
	{
		all += entry[i].chance;
		if (fabs(entry[i].value - value) <= tolerance)
			near += entry[i].chance;
	}
	return all > 0 ? near / all : 0;
}

/* The least value with at least half of what is believed not above it. */
static double
slow_median(const SdcAttributeEntry *entry, int count)
{
	double best = INFINITY;
	int i;
	int j;

	for (i = 0; i < count; i++)
	{
		double below = 0;
		double all = 0;

		if (isnan(entry[i].value))
			continue;
		for (j = 0; j < count; j++)
		{
			if (isnan(entry[j].value))
				continue;
			all += entry[j].chance;
			if (entry[j].value <= entry[i].value)
				below += entry[j].chance;
		}
		if (below >= all / 2 - 1e-9 && entry[i].value < best)
			best = entry[i].value;
	}
	return best;
}

static SdcAttributeBelief
slow_category(const SdcAttributeEntry *entry, int count, double truth)
{
	SdcAttributeBelief belief = {NAN, 0, 0};
	double ties = 0;
	double right = 0;
	int value;

	for (value = 0; value < 4; value++)
		belief.chance =
			fmax(belief.chance, chance_near(entry, count, value, 0));
	for (value = 0; value < 4; value++)
	{
		double chance = chance_near(entry, count, value, 0);

		if (chance <= 0 || chance < belief.chance - 1e-9)
			continue;
		ties++;
		right += value == truth;
	}
	belief.right = ties > 0 ? right / ties : 0;
	return belief;
}

static bool
is_same(SdcAttributeBelief found, SdcAttributeBelief expected)
{
	return fabs(found.right - expected.right) < 1e-12 &&
		   fabs(found.chance - expected.chance) < 1e-12;
}

static void
check_drawn(void)
{
	SdcRandom random;
	int categories = 0;
	int numbers = 0;
	int list;

	sdc_random_seed(&random, 3, 0);
	for (list = 0; list < LISTS; list++)
	{
		SdcAttributeEntry entry[ENTRIES];
		int count = (int) sdc_random_below(&random, ENTRIES + 1);
		double truth = (double) sdc_random_below(&random, 4);
		SdcAttributeBelief category;
		SdcAttributeBelief number = {NAN, 0, 0};
		int valued = 0;
		int i;

		for (i = 0; i < count; i++)
		{
			bool none = sdc_random_below(&random, 6) == 0;

			entry[i].value =
				none ? NAN : (double) sdc_random_below(&random, 4);
			/* few different chances, so that there are ties */
			entry[i].chance = (1 + sdc_random_below(&random, 3)) / 16.0;
			valued += !none;
		}
		category = slow_category(entry, count, truth);
		if (valued > 0)
		{
			double median = slow_median(entry, count);

			number.chance = chance_near(entry, count, median, 1);
			number.right = fabs(median - truth) <= 1;
		}
		/* both make shares of the chances, which changes nothing */
		categories += is_same(category_of(entry, count, truth), category);
		numbers += is_same(number_of(entry, count, 1, truth), number);
	}
	unit_check(categories == LISTS, "categories of %d of %d drawn lists",
			   categories, LISTS);
	unit_check(numbers == LISTS, "numbers of %d of %d drawn lists", numbers,
			   LISTS);
}

int
main(void)
{
	check_by_hand();
	check_drawn();
	return unit_finish();
}
