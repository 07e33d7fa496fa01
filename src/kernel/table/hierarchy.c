/*
 * hierarchy.c
 *		A hierarchy of generalizations over the codes of a column.
 *
 * Groups are codes, so that all there is to see of a hierarchy here is which
 * values a level joins: labels, ranges and rules are the host's.
 */
#include <math.h>

#include "kernel/base/host.h"
#include "kernel/table/hierarchy.h"

/* Below this every whole number and its neighbours are doubles. */
#define LARGEST 4503599627370496.0

SdcHierarchy *
sdc_hierarchy_new(SdcHost *host, int32_t values, int levels)
{
	SdcHierarchy *hierarchy = sdc_new(host, SdcHierarchy, 1);
	int32_t value;
	int level;

	hierarchy->values = values;
	hierarchy->levels = levels;
	hierarchy->group = sdc_new(host, int32_t *, levels);
	hierarchy->groups = sdc_new(host, int32_t, levels);
	for (level = 0; level < levels; level++)
	{
		hierarchy->group[level] = sdc_new(host, int32_t, values);
		hierarchy->groups[level] = 0;
	}
	for (value = 0; value < values; value++)
		hierarchy->group[0][value] = value;
	hierarchy->groups[0] = values;
	return hierarchy;
}

/* The same for one level and the one above; first has room for a level. */
static bool
level_nests(SdcHost *host, const SdcHierarchy *hierarchy, int level,
			int32_t *first, SdcHierarchyConflict *conflict)
{
	const int32_t *below = hierarchy->group[level];
	const int32_t *above = hierarchy->group[level + 1];
	int32_t value;

	for (value = 0; value < hierarchy->groups[level]; value++)
		first[value] = -1;
	for (value = 0; value < hierarchy->values; value++)
	{
		int32_t *leader = &first[below[value]];

		if (value % SDC_POLL_STEPS == 0)
			host->poll(host, value, hierarchy->values);
		if (*leader < 0)
			*leader = value;
		else if (above[value] != above[*leader])
		{
			conflict->level = level;
			conflict->first = *leader;
			conflict->second = value;
			return false;
		}
	}
	return true;
}

bool
sdc_hierarchy_nests(SdcHost *host, const SdcHierarchy *hierarchy,
					SdcHierarchyConflict *conflict)
{
	int32_t *first = sdc_new(host, int32_t, hierarchy->values);
	bool nests = true;
	int level;

	/* level 0 joins no values */
	for (level = 1; nests && level + 1 < hierarchy->levels; level++)
		nests = level_nests(host, hierarchy, level, first, conflict);
	host->release(host, first);
	return nests;
}

int32_t *
sdc_hierarchy_members(SdcHost *host, const SdcHierarchy *hierarchy, int level)
{
	int32_t *members = sdc_new(host, int32_t, hierarchy->groups[level]);
	int32_t i;

	for (i = 0; i < hierarchy->groups[level]; i++)
		members[i] = 0;
	for (i = 0; i < hierarchy->values; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, hierarchy->values);
		members[hierarchy->group[level][i]]++;
	}
	return members;
}

bool
sdc_hierarchy_step(const SdcHierarchySteps *steps, double value, int64_t *low)
{
	double unit = (double) steps->unit;
	double number;
	int64_t bound;

	/* NaN fails the first test, too */
	if (!(fabs(value) < LARGEST / unit))
		return false;
	number =
		floor((value * unit - (double) steps->origin) / (double) steps->width);
	bound = steps->origin + (int64_t) number * steps->width;
	/* the quotient was rounded, so the step may be one beside it */
	while ((double) bound / unit > value)
		bound -= steps->width;
	while ((double) (bound + steps->width) / unit <= value)
		bound += steps->width;
	if (fabs((double) bound) >= LARGEST ||
		fabs((double) (bound + steps->width)) >= LARGEST)
		return false;
	*low = bound;
	return true;
}
