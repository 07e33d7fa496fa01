/*
 * hierarchy_numeric.c
 *		Hierarchies of numbers: intervals of a width that grows.
 *
 * {"widths": [5, 10], "bottom": 20, "top": 90} makes [35,40) of 37 on level 1,
 * [30,40) on level 2 and * on level 3; below 20 it is <20 on both, from 90 on
 * >=90.  Intervals start at "origin", 0 unless given, and are cut at bottom
 * and top.
 */
#include "postgres.h"

#include <math.h>

#include "utils/float.h"

#include "pg/server/compat.h"
#include "pg/generalization/hierarchy_kind.h"

/* Digits after the point at the most, and bounds of numbers times unit. */
#define MAX_SCALE 15
#define MAX_WIDTH ((int64) 1 << 50)
#define MAX_VALUE ((int64) 1 << 51)

/* Numbers of params are whole numbers here, in units of the last digit. */
typedef struct Steps
{
	int scale;
	int64 unit; /* 10 ^ scale */
	int64 origin;
	int64 *width; /* of level 1, 2, ... */
	bool has_bottom;
	bool has_top;
	int64 bottom;
	int64 top;
	bool bounded;
	double domain[2];
} Steps;

/* Where a number lies on a level; low and high only when it is between. */
typedef enum Side
{
	BELOW,
	BETWEEN,
	ABOVE
} Side;

static int
decimal_scale(const char *decimal)
{
	const char *point = decimal == NULL ? NULL : strchr(decimal, '.');

	return point == NULL ? 0 : (int) strlen(point + 1);
}

/* The decimal in units of the last of scale digits after the point. */
static int64
decimal_units(const char *decimal, int scale, const char *key)
{
	bool negative = *decimal == '-';
	const char *digit = negative ? decimal + 1 : decimal;
	int left = scale;
	bool fraction = false;
	int64 units = 0;

	for (; *digit != '\0' || left > 0; digit += *digit != '\0')
	{
		if (*digit == '.')
		{
			fraction = true;
			continue;
		}
		left -= fraction || *digit == '\0';
		units = units * 10 + (*digit == '\0' ? 0 : *digit - '0');
		if (units > MAX_WIDTH)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("key \"%s\" in argument \"params\" has too many "
							"digits",
							key),
					 errdetail("All numbers are counted in units of the last "
							   "digit that any of them has.")));
	}
	return negative ? -units : units;
}

static void
read_widths(Steps *steps, const SdcHierarchyList *widths, char **decimal)
{
	int i;

	steps->width = palloc(sizeof(int64) * widths->count);
	for (i = 0; i < widths->count; i++)
	{
		steps->width[i] = decimal_units(decimal[i], steps->scale, "widths");
		if (steps->width[i] <= 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("element %d of key \"widths\" in argument "
								   "\"params\" must be above 0",
								   i + 1)));
		if (i > 0 && (steps->width[i] == steps->width[i - 1] ||
					  steps->width[i] % steps->width[i - 1] != 0))
			sdcpg_hierarchy_not_nested(
				"widths", i, "must be a multiple of the one before it");
	}
}

static void
read_bounds(Steps *steps, const char *origin, const char *bottom,
			const char *top)
{
	if (origin != NULL)
		steps->origin = decimal_units(origin, steps->scale, "origin");
	steps->has_bottom = bottom != NULL;
	if (bottom != NULL)
		steps->bottom = decimal_units(bottom, steps->scale, "bottom");
	steps->has_top = top != NULL;
	if (top != NULL)
		steps->top = decimal_units(top, steps->scale, "top");
	if (bottom != NULL && top != NULL && steps->bottom >= steps->top)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("key \"bottom\" in argument \"params\" must be "
							   "less than key \"top\"")));
}

static void
parse_steps(SdcHierarchyRule *rule, Jsonb *params)
{
	SdcHierarchyList widths = sdcpg_hierarchy_list(params, "widths", true);
	char **decimal = palloc(sizeof(char *) * widths.count);
	char *origin = sdcpg_hierarchy_decimal(params, "origin");
	char *bottom = sdcpg_hierarchy_decimal(params, "bottom");
	char *top = sdcpg_hierarchy_decimal(params, "top");
	Steps *steps = palloc0(sizeof(Steps));
	int i;

	sdcpg_hierarchy_check_levels(widths.count + 2);
	steps->scale = Max(Max(decimal_scale(origin), decimal_scale(bottom)),
					   decimal_scale(top));
	for (i = 0; i < widths.count; i++)
	{
		decimal[i] = sdcpg_hierarchy_item_decimal(&widths, i);
		steps->scale = Max(steps->scale, decimal_scale(decimal[i]));
	}
	if (steps->scale > MAX_SCALE)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("numbers in argument \"params\" can have at most %d "
						"digits after the point",
						MAX_SCALE)));
	for (steps->unit = 1, i = 0; i < steps->scale; i++)
		steps->unit *= 10;
	read_widths(steps, &widths, decimal);
	read_bounds(steps, origin, bottom, top);
	steps->bounded = sdcpg_hierarchy_read_domain(params, steps->domain);
	rule->levels = widths.count + 2;
	rule->detail = steps;
}

static bool
has_rule(const Steps *steps, double number)
{
	if (isnan(number) || (steps->bounded && (number < steps->domain[0] ||
											 number > steps->domain[1])))
		return false;
	if (steps->has_bottom && number < (double) steps->bottom / steps->unit)
		return true;
	if (steps->has_top && number >= (double) steps->top / steps->unit)
		return true;
	/* within this, the steps of all levels have bounds that are exact */
	return fabs(number) < (double) MAX_VALUE / steps->unit;
}

/* The interval of a number that has a rule. */
static Side
find_step(const Steps *steps, double number, int level, int64 *low,
		  int64 *high)
{
	SdcHierarchySteps level_steps = {steps->origin, steps->width[level - 1],
									 steps->unit};

	if (steps->has_bottom && number < (double) steps->bottom / steps->unit)
		return BELOW;
	if (steps->has_top && number >= (double) steps->top / steps->unit)
		return ABOVE;
	if (!sdc_hierarchy_step(&level_steps, number, low))
		elog(ERROR, "number out of the range of a hierarchy");
	*high = *low + level_steps.width;
	if (steps->has_bottom)
		*low = Max(*low, steps->bottom);
	if (steps->has_top)
		*high = Min(*high, steps->top);
	return BETWEEN;
}

/* Appends units as a decimal without trailing zeros. */
static void
append_units(StringInfo label, const Steps *steps, int64 units)
{
	int64 absolute = units < 0 ? -units : units;

	appendStringInfo(label, "%s" INT64_FORMAT, units < 0 ? "-" : "",
					 absolute / steps->unit);
	if (absolute % steps->unit == 0)
		return;
	appendStringInfo(label, ".%0*lld", steps->scale,
					 (long long) (absolute % steps->unit));
	while (label->data[label->len - 1] == '0')
		label->data[--label->len] = '\0';
}

static bool
label_step(const SdcHierarchyRule *rule, SdcHierarchyInput *input, Datum value,
		   int level, StringInfo label)
{
	const Steps *steps = rule->detail;
	double number = sdcpg_hierarchy_number(input, value);
	int64 low;
	int64 high;

	if (!has_rule(steps, number))
		return false;
	if (level == 0)
	{
		sdcpg_hierarchy_append_text(input, value, label);
		return true;
	}
	switch (find_step(steps, number, level, &low, &high))
	{
		case BELOW:
			appendStringInfoChar(label, '<');
			append_units(label, steps, steps->bottom);
			break;
		case ABOVE:
			appendStringInfoString(label, ">=");
			append_units(label, steps, steps->top);
			break;
		case BETWEEN:
			appendStringInfoChar(label, '[');
			append_units(label, steps, low);
			appendStringInfoChar(label, ',');
			append_units(label, steps, high);
			appendStringInfoChar(label, ')');
			break;
	}
	return true;
}

static void
range_step(const SdcHierarchyRule *rule, SdcHierarchyInput *input, Datum value,
		   int level, double *low, double *high)
{
	const Steps *steps = rule->detail;
	double number = sdcpg_hierarchy_number(input, value);
	int64 first = steps->top;
	int64 last = steps->bottom;
	Side side;

	*low = number;
	*high = number;
	if (level == 0)
		return;
	side = find_step(steps, number, level, &first, &last);
	*low =
		side == BELOW ? -get_float8_infinity() : (double) first / steps->unit;
	*high =
		side == ABOVE ? get_float8_infinity() : (double) last / steps->unit;
}

static bool
domain_step(const SdcHierarchyRule *rule, double *low, double *high)
{
	const Steps *steps = rule->detail;

	*low = steps->domain[0];
	*high = steps->domain[1];
	return steps->bounded;
}

static const char *const keys[] = {"widths", "origin", "bottom",
								   "top",    "domain", NULL};

const SdcHierarchyKind sdcpg_hierarchy_numeric = {
	.name = "numeric",
	.keys = keys,
	.reads = "numbers",
	.accepts = sdcpg_hierarchy_is_number,
	.parse = parse_steps,
	.label = label_step,
	.range = range_step,
	.domain = domain_step,
};
