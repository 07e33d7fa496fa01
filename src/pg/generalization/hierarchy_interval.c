/*
 * hierarchy_interval.c
 *		Hierarchies of numbers: intervals between break points.
 *
 * {"levels": [[20, 40, 60], [40]]} makes <20, [20,40), [40,60), >=60 of level
 * 1, <40 and >=40 of level 2, and * of level 3.  "labels" gives the intervals
 * names instead.  Numbers and break points are compared as doubles.
 */
#include "postgres.h"

#include <math.h>

#include "utils/float.h"

#include "pg/server/compat.h"
#include "pg/generalization/hierarchy_kind.h"

/* The break points of a level, ascending, and the labels between them. */
typedef struct Breaks
{
	int count;
	double *at;
	char **label; /* count + 1 */
} Breaks;

typedef struct Intervals
{
	Breaks *level; /* of level 1, 2, ... */
	bool bounded;
	double domain[2];
} Intervals;

/* "<20", "[20,40)", ">=60": the label of interval i. */
static char *
range_label(char *const *decimal, int count, int i)
{
	if (count == 0)
		return "*";
	if (i == 0)
		return psprintf("<%s", decimal[0]);
	if (i == count)
		return psprintf(">=%s", decimal[count - 1]);
	return psprintf("[%s,%s)", decimal[i - 1], decimal[i]);
}

static void
read_labels(const SdcHierarchyList *list, int level, Breaks *breaks)
{
	SdcHierarchyList labels = sdcpg_hierarchy_item_list(list, level);
	SdcHierarchyNames *names = sdcpg_hierarchy_names_new(NULL);
	int i;

	if (labels.count != breaks->count + 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("element %d of key \"labels\" in argument \"params\" "
						"must have %d labels, not %d",
						level + 1, breaks->count + 1, labels.count),
				 errdetail("There is one interval more than break points.")));
	for (i = 0; i < labels.count; i++)
	{
		char *label = sdcpg_hierarchy_item_text(&labels, i);

		if (label == NULL ||
			sdcpg_hierarchy_names_add(names, label, strlen(label)) != i)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("labels of element %d of key \"labels\" in "
							"argument \"params\" must differ and not be null",
							level + 1)));
		breaks->label[i] = label;
	}
}

static void
read_breaks(const SdcHierarchyList *list, int level, Breaks *breaks)
{
	SdcHierarchyList points = sdcpg_hierarchy_item_list(list, level);
	char **decimal = palloc(sizeof(char *) * (points.count + 1));
	int i;

	breaks->count = points.count;
	breaks->at = palloc(sizeof(double) * (points.count + 1));
	breaks->label = palloc(sizeof(char *) * (points.count + 1));
	for (i = 0; i < points.count; i++)
	{
		decimal[i] = sdcpg_hierarchy_item_decimal(&points, i);
		breaks->at[i] = strtod(decimal[i], NULL);
		if (i > 0 && !(breaks->at[i - 1] < breaks->at[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("break points of element %d of key \"levels\" in "
							"argument \"params\" must ascend",
							level + 1)));
	}
	for (i = 0; i <= points.count; i++)
		breaks->label[i] = range_label(decimal, points.count, i);
}

/* The interval that a number is in: how many break points are not above it. */
static int
find_interval(const Breaks *breaks, double number)
{
	int low = 0;
	int high = breaks->count;

	while (low < high)
	{
		int middle = low + (high - low) / 2;

		if (breaks->at[middle] <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A level has no break point that the level below it has not. */
static void
check_breaks(const Breaks *below, const Breaks *breaks, int level)
{
	int i;

	for (i = 0; i < breaks->count; i++)
	{
		int found = find_interval(below, breaks->at[i]);

		if (found == 0 || below->at[found - 1] != breaks->at[i])
			sdcpg_hierarchy_not_nested(
				"levels", level,
				"has a break point that the one before it does not have");
	}
}

static void
parse_intervals(SdcHierarchyRule *rule, Jsonb *params)
{
	SdcHierarchyList levels = sdcpg_hierarchy_list(params, "levels", true);
	SdcHierarchyList labels = sdcpg_hierarchy_list(params, "labels", false);
	Intervals *intervals = palloc0(sizeof(Intervals));
	int i;

	sdcpg_hierarchy_check_levels(levels.count + 2);
	intervals->level = palloc(sizeof(Breaks) * levels.count);
	if (labels.container != NULL && labels.count != levels.count)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("key \"labels\" in argument \"params\" must have as "
						"many elements as key \"levels\"")));
	for (i = 0; i < levels.count; i++)
	{
		read_breaks(&levels, i, &intervals->level[i]);
		if (i > 0)
			check_breaks(&intervals->level[i - 1], &intervals->level[i], i);
		if (labels.count > 0 &&
			sdcpg_hierarchy_item(&labels, i)->type != jbvNull)
			read_labels(&labels, i, &intervals->level[i]);
	}
	intervals->bounded =
		sdcpg_hierarchy_read_domain(params, intervals->domain);
	rule->levels = levels.count + 2;
	rule->detail = intervals;
}

static bool
label_interval(const SdcHierarchyRule *rule, SdcHierarchyInput *input,
			   Datum value, int level, StringInfo label)
{
	const Intervals *intervals = rule->detail;
	double number = sdcpg_hierarchy_number(input, value);
	const Breaks *breaks;

	if (isnan(number) ||
		(intervals->bounded &&
		 (number < intervals->domain[0] || number > intervals->domain[1])))
		return false;
	if (level == 0)
	{
		sdcpg_hierarchy_append_text(input, value, label);
		return true;
	}
	breaks = &intervals->level[level - 1];
	appendStringInfoString(label,
						   breaks->label[find_interval(breaks, number)]);
	return true;
}

static void
range_interval(const SdcHierarchyRule *rule, SdcHierarchyInput *input,
			   Datum value, int level, double *low, double *high)
{
	const Intervals *intervals = rule->detail;
	double number = sdcpg_hierarchy_number(input, value);

	*low = number;
	*high = number;
	if (level > 0)
	{
		const Breaks *breaks = &intervals->level[level - 1];
		int i = find_interval(breaks, number);

		*low = i == 0 ? -get_float8_infinity() : breaks->at[i - 1];
		*high = i == breaks->count ? get_float8_infinity() : breaks->at[i];
	}
}

static bool
domain_interval(const SdcHierarchyRule *rule, double *low, double *high)
{
	const Intervals *intervals = rule->detail;

	*low = intervals->domain[0];
	*high = intervals->domain[1];
	return intervals->bounded;
}

static const char *const keys[] = {"levels", "labels", "domain", NULL};

const SdcHierarchyKind sdcpg_hierarchy_interval = {
	.name = "interval",
	.keys = keys,
	.reads = "numbers",
	.accepts = sdcpg_hierarchy_is_number,
	.parse = parse_intervals,
	.label = label_interval,
	.range = range_interval,
	.domain = domain_interval,
};
