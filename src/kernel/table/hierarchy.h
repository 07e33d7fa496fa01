/*
 * hierarchy.h
 *		A hierarchy of generalizations over the codes of a column.
 *
 * Level 0 is the values themselves; each level above joins groups of the
 * level below it, so levels nest.  The top level need not be one group.
 */
#ifndef SDC_KERNEL_HIERARCHY_H
#define SDC_KERNEL_HIERARCHY_H

#include "kernel/base/host.h"

/* A hierarchy; made by sdc_hierarchy_new, its groups by the caller. */
typedef struct SdcHierarchy
{
	int32_t values;
	int levels;      /* with level 0; height is levels - 1 */
	int32_t **group; /* group[level][value]: 0 .. groups[level] - 1 */
	int32_t *groups; /* of each level, how many */
} SdcHierarchy;

/* Two values that one level joins and the level above it parts. */
typedef struct SdcHierarchyConflict
{
	int level;      /* the level that joins them */
	int32_t first;  /* the first value of that group ... */
	int32_t second; /* ... and the first one that leaves it */
} SdcHierarchyConflict;

/*
 * Steps of equal width on the number line, in decimals: a bound is a whole
 * number divided by unit.  unit is a power of ten up to 10^15, width at least
 * 1, and all are below 2^52, so that a bound as a double is the double nearest
 * to the decimal, the one that a reader of the decimal gets.
 */
typedef struct SdcHierarchySteps
{
	int64_t origin;
	int64_t width;
	int64_t unit;
} SdcHierarchySteps;

/*
 * A hierarchy with that many values and levels: level 0 parts all values, the
 * groups of the others are to be filled in, their numbers of groups are 0.
 */
extern SdcHierarchy *sdc_hierarchy_new(SdcHost *host, int32_t values,
									   int levels);

/*
 * Do the levels nest?  If not, *conflict tells where: of the lowest level that
 * does not, the pair with the smallest second value.  Groups must be filled
 * in.  O(values * levels).
 */
extern bool sdc_hierarchy_nests(SdcHost *host, const SdcHierarchy *hierarchy,
								SdcHierarchyConflict *conflict);

/*
 * How many values each group of a level holds; an array of the host with one
 * number for each group.  O(values).
 */
extern int32_t *
sdc_hierarchy_members(SdcHost *host, const SdcHierarchy *hierarchy, int level);

/*
 * The step that a value lies on: *low / unit <= value < (*low + width) / unit,
 * both bounds as doubles.  False when the value is NaN or so far out that a
 * bound is not below 2^52.  O(1).
 */
extern bool sdc_hierarchy_step(const SdcHierarchySteps *steps, double value,
							   int64_t *low);

#endif
