/*
 * hierarchy.c
 *		Hierarchies: nesting against all pairs, steps against decimals.
 */
#include "unit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/table/hierarchy.h"

/* The same by its definition: all pairs of all levels. */
static bool
nests_by_pairs(const SdcHierarchy *h, SdcHierarchyConflict *conflict)
{
	int level;
	int32_t first;
	int32_t second;

	for (level = 1; level + 1 < h->levels; level++)
		for (second = 0; second < h->values; second++)
			for (first = 0; first < second; first++)
				if (h->group[level][first] == h->group[level][second] &&
					h->group[level + 1][first] != h->group[level + 1][second])
				{
					conflict->level = level;
					conflict->first = first;
					conflict->second = second;
					return false;
				}
	return true;
}

/* Levels that nest: group g of a level goes to a group drawn for it. */
static SdcHierarchy *
random_hierarchy(SdcRandom *random, int32_t values, int levels)
{
	SdcHierarchy *h = sdc_hierarchy_new(unit_host(), values, levels);
	int32_t parent[100];
	int level;
	int32_t i;

	for (level = 1; level < levels; level++)
	{
		int32_t groups = 1 + (h->groups[level - 1] - 1) / 2;

		for (i = 0; i < h->groups[level - 1]; i++)
			parent[i] = (int32_t) sdc_random_below(random, groups);
		for (i = 0; i < values; i++)
			h->group[level][i] = parent[h->group[level - 1][i]];
		h->groups[level] = groups;
	}
	return h;
}

static void
check_nesting(void)
{
	SdcRandom random;
	int nested = 0;
	int parted = 0;
	bool same = true;
	int trial;

	sdc_random_seed(&random, 5, 0);
	for (trial = 0; trial < 2000; trial++)
	{
		int32_t values = 1 + (int32_t) sdc_random_below(&random, 40);
		int levels = 2 + (int) sdc_random_below(&random, 4);
		SdcHierarchy *h = random_hierarchy(&random, values, levels);
		SdcHierarchyConflict expected = {0, 0, 0};
		SdcHierarchyConflict conflict = {0, 0, 0};
		bool by_pairs;

		if (trial % 2 == 1)
		{
			/* one value moves to another group of one level */
			int level = 1 + (int) sdc_random_below(&random, levels - 1);

			h->group[level][sdc_random_below(&random, values)] =
				(int32_t) sdc_random_below(&random, h->groups[level]);
		}
		by_pairs = nests_by_pairs(h, &expected);
		same = same &&
			   sdc_hierarchy_nests(unit_host(), h, &conflict) == by_pairs &&
			   conflict.level == expected.level &&
			   conflict.first == expected.first &&
			   conflict.second == expected.second;
		nested += by_pairs;
		parted += !by_pairs;
	}
	unit_check(same, "conflicts are those of all pairs");
	unit_check(nested >= 1000 && parted > 200,
			   "%d hierarchies nest, %d do not", nested, parted);
}

static void
check_members(void)
{
	SdcHierarchy *h = sdc_hierarchy_new(unit_host(), 5, 2);
	const int32_t group[5] = {0, 1, 0, 2, 0};
	int32_t *members;

	memcpy(h->group[1], group, sizeof(group));
	h->groups[1] = 3;
	members = sdc_hierarchy_members(unit_host(), h, 1);
	unit_check(members[0] == 3 && members[1] == 1 && members[2] == 1,
			   "members of three groups");
	members = sdc_hierarchy_members(unit_host(), h, 0);
	unit_check(members[0] == 1 && members[4] == 1, "level 0 parts all values");
	h = sdc_hierarchy_new(unit_host(), 0, 3);
	unit_check(sdc_hierarchy_nests(unit_host(), h, NULL), "no value nests");
}

/*
 * A value written with that many decimals lies on the step that whole numbers
 * find; no rounding of a division by the width may show.
 */
static void
check_decimals(int scale)
{
	SdcRandom random;
	SdcHierarchySteps steps;
	int wrong = 0;
	int trial;

	sdc_random_seed(&random, 6, (uint64_t) scale);
	for (trial = 0; trial < 200000; trial++)
	{
		int64_t units = (int64_t) sdc_random_below(&random, 2000001) - 1000000;
		char decimal[64];
		int64_t low = 0;
		int64_t expected;
		int i;

		steps.unit = 1;
		for (i = 0; i < scale; i++)
			steps.unit *= 10;
		steps.width = 1 + (int64_t) sdc_random_below(&random, 300);
		steps.origin = (int64_t) sdc_random_below(&random, 2001) - 1000;
		expected = units - steps.origin;
		expected -= ((expected % steps.width) + steps.width) % steps.width;
		expected += steps.origin;
		snprintf(decimal, sizeof(decimal), "%" PRId64 "e-%d", units, scale);
		if (!sdc_hierarchy_step(&steps, strtod(decimal, NULL), &low) ||
			low != expected)
			wrong++;
	}
	unit_check(wrong == 0, "%d decimals: %d of 200000 on a wrong step", scale,
			   wrong);
}

static void
check_bounds(void)
{
	SdcHierarchySteps steps = {0, 10, 1};
	SdcHierarchySteps wide = {0, (int64_t) 1 << 50, 1};
	int64_t low = -1;

	unit_check(sdc_hierarchy_step(&steps, 30, &low) && low == 30,
			   "a bound belongs to the step above it");
	unit_check(sdc_hierarchy_step(&steps, nextafter(30, 0), &low) && low == 20,
			   "just below it is the step below");
	unit_check(sdc_hierarchy_step(&steps, -0.5, &low) && low == -10,
			   "below 0");
	unit_check(!sdc_hierarchy_step(&steps, NAN, &low) &&
				   !sdc_hierarchy_step(&steps, INFINITY, &low) &&
				   !sdc_hierarchy_step(&steps, -INFINITY, &low) &&
				   !sdc_hierarchy_step(&steps, 1e300, &low),
			   "NaN, infinite, far out");
	unit_check(sdc_hierarchy_step(&wide, -1, &low) &&
				   low == -((int64_t) 1 << 50),
			   "a wide step");
	unit_check(!sdc_hierarchy_step(&wide, 4503599627370495.0, &low),
			   "a step whose upper bound is not exact");
}

int
main(void)
{
	int scale;

	unit_start("hierarchy");
	check_nesting();
	check_members();
	for (scale = 0; scale <= 15; scale += 3)
		check_decimals(scale);
	check_bounds();
	return unit_finish();
}
