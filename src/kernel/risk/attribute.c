/*
 * attribute.c
 *		What somebody's value is, by the records that could be his.
 *
 * Entries are put in order of their values, so that equal ones lie side by
 * side; those without one come last and count in the sum of chances only.
 */
#include "kernel/risk/attribute.h"

#include <math.h>

#include "kernel/base/sort.h"

/* Chances that differ by rounding only are equal. */
#define TIE 1e-9

static int
compare_values(int32_t a, int32_t b, void *arg)
{
	const SdcAttributeEntry *entry = arg;
	double first = entry[a].value;
	double second = entry[b].value;

	if (isnan(first) || isnan(second))
		return (isnan(first) != 0) - (isnan(second) != 0);
	return (first > second) - (first < second);
}

/*
 * Orders the entries by value, makes the chances shares, and returns how many
 * have values.
 */
static int32_t
prepare(SdcHost *host, SdcAttributeEntry *entry, int32_t *order, int32_t count)
{
	double sum = 0;
	int32_t valued = 0;
	int32_t i;

	for (i = 0; i < count; i++)
	{
		order[i] = i;
		sum += entry[i].chance;
		valued += !isnan(entry[i].value);
	}
	for (i = 0; i < count; i++)
		entry[i].chance = sum > 0 ? entry[i].chance / sum : 0;
	sdc_sort_rows(host, order, (size_t) count, compare_values, entry);
	return valued;
}

SdcAttributeBelief
sdc_attribute_category(SdcHost *host, SdcAttributeEntry *entry, int32_t *order,
					   int32_t count, double truth)
{
	SdcAttributeBelief belief = {NAN, 0, 0};
	int32_t valued = prepare(host, entry, order, count);
	int32_t ties = 0;
	int32_t right = 0;
	int32_t first;
	int32_t end;

	for (first = 0; first < valued; first = end)
	{
		double chance = 0;

		for (end = first; end < valued &&
						  entry[order[end]].value == entry[order[first]].value;
			 end++)
			chance += entry[order[end]].chance;
		if (chance < belief.chance - TIE || chance <= 0)
			continue;
		if (chance > belief.chance + TIE)
		{
			ties = right = 0;
			belief.chance = chance;
			belief.said = entry[order[first]].value;
		}
		ties++;
		right += entry[order[first]].value == truth;
	}
	if (ties > 0)
		belief.right = (double) right / ties;
	return belief;
}

SdcAttributeBelief
sdc_attribute_number(SdcHost *host, SdcAttributeEntry *entry, int32_t *order,
					 int32_t count, double tolerance, double truth)
{
	SdcAttributeBelief belief = {NAN, 0, 0};
	int32_t valued = prepare(host, entry, order, count);
	double sum = 0;
	double half = 0;
	int32_t i;

	for (i = 0; i < valued; i++)
		sum += entry[order[i]].chance;
	if (sum <= 0)
		return belief;
	for (i = 0; i < valued - 1; i++)
	{
		half += entry[order[i]].chance;
		if (half >= sum / 2 - TIE)
			break;
	}
	belief.said = entry[order[i]].value;
	for (i = 0; i < valued; i++)
		if (fabs(entry[order[i]].value - belief.said) <= tolerance)
			belief.chance += entry[order[i]].chance;
	belief.right = fabs(truth - belief.said) <= tolerance;
	return belief;
}
