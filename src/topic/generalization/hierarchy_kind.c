/*
 * hierarchy_kind.c
 *		Hierarchies of network addresses: the leading bits are kept.
 *
 * {"keep": [24, 16]} makes 192.168.3.0/24 and 192.168.0.0/16 of 192.168.3.4;
 * "keep6" says the same for IPv6, level by level.  A network that is wider
 * than what a level keeps stays as it is there.
 */
#include "postgres.h"

#include <math.h>
#include <sys/socket.h>

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/inet.h"
#include "utils/timestamp.h"

#include "host/call/params.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/sort.h"
#include "kernel/table/hierarchy.h"
#include "topic/generalization/hierarchy.h"
#include "topic/generalization/hierarchy_kind.h"

/* ----------------------------------------------------------------------
 * Hierarchies over an order of values: neighbours are joined.
 *
 * {"values": ["none", "primary", "secondary", "tertiary"], "sizes": [2]} makes
 * "none to primary" and "secondary to tertiary" of level 1, and "*" of level
 * 2.  The result is a table of values like any other.
 * ----------------------------------------------------------------------
 */

/* The sizes of groups of levels 1, 2, ...: each a multiple of the last. */
static int *
read_sizes(const SdcHierarchyList *list)
{
	int *size = palloc(sizeof(int) * (list->count + 1));
	int i;

	for (i = 0; i < list->count; i++)
	{
		size[i] = sdcpg_hierarchy_item_integer(list, i, 2, PG_INT32_MAX);
		if (i > 0 && (size[i] == size[i - 1] || size[i] % size[i - 1] != 0))
			sdcpg_hierarchy_not_nested(
				"sizes", i, "must be a multiple of the one before it");
	}
	return size;
}

/* "A to C" for the group of that size which value i is in. */
static char *
group_label(char **value, int count, int i, int size)
{
	int first = i - i % size;
	int last = Min(count - 1 - first, size - 1) + first;

	if (first == last)
		return value[first];
	return psprintf("%s to %s", value[first], value[last]);
}

static SdcHierarchyTable *
build_order(SdcPgHost *host, Jsonb *params)
{
	SdcHierarchyList values = sdcpg_hierarchy_list(params, "values", true);
	SdcHierarchyList sizes = sdcpg_hierarchy_list(params, "sizes", false);
	SdcHierarchyTable *table =
		sdcpg_hierarchy_table_new(host, sizes.count + 2, 0);
	int *size = read_sizes(&sizes);
	char **value = palloc(sizeof(char *) * values.count);
	char *labels[SDC_HIERARCHY_MAX_LEVELS];
	int i;
	int level;

	for (i = 0; i < values.count; i++)
	{
		value[i] = sdcpg_hierarchy_item_text(&values, i);
		if (value[i] == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("the value at position %d is null", i + 1)));
	}
	for (i = 0; i < values.count; i++)
	{
		labels[0] = value[i];
		for (level = 1; level <= sizes.count; level++)
			labels[level] =
				group_label(value, values.count, i, size[level - 1]);
		labels[sizes.count + 1] = "*";
		sdcpg_hierarchy_table_add(table, labels);
	}
	return table;
}

static const char *const order_keys[] = {"values", "sizes", NULL};

const SdcHierarchyKind sdcpg_hierarchy_order = {
	.name = "order",
	.keys = order_keys,
	.build = build_order,
	.label = sdcpg_hierarchy_table_label,
};

/* ----------------------------------------------------------------------
 * Hierarchies of numbers: intervals of a width that grows.
 *
 * {"widths": [5, 10], "bottom": 20, "top": 90} makes [35,40) of 37 on level 1,
 * [30,40) on level 2 and * on level 3; below 20 it is <20 on both, from 90 on
 * >=90.  Intervals start at "origin", 0 unless given, and are cut at bottom
 * and top.
 * ----------------------------------------------------------------------
 */

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

static const char *const numeric_keys[] = {"widths", "origin", "bottom",
										   "top",    "domain", NULL};

const SdcHierarchyKind sdcpg_hierarchy_numeric = {
	.name = "numeric",
	.keys = numeric_keys,
	.reads = "numbers",
	.accepts = sdcpg_hierarchy_is_number,
	.parse = parse_steps,
	.label = label_step,
	.range = range_step,
	.domain = domain_step,
};

/* ----------------------------------------------------------------------
 * Hierarchies of dates and timestamps: units of the calendar.
 *
 * {"levels": ["month", "quarter", "year", "decade"]} makes 2024-09, 2024-Q3,
 * 2024 and 2020s of 2024-09-03.  Weeks are those of ISO 8601 and fit into no
 * longer unit.  A timestamp with time zone is of the day it has in the
 * session's time zone.
 * ----------------------------------------------------------------------
 */

typedef enum Unit
{
	UNIT_DAY,
	UNIT_WEEK,
	UNIT_MONTH,
	UNIT_QUARTER,
	UNIT_HALFYEAR,
	UNIT_YEAR,
	UNIT_DECADE,
	UNIT_CENTURY,
	UNIT_COUNT
} Unit;

static const char *const units[UNIT_COUNT] = {"day",     "week",     "month",
											  "quarter", "halfyear", "year",
											  "decade",  "century"};

typedef struct Calendar
{
	int count;
	Unit *unit; /* of level 1, 2, ... */
} Calendar;

/* A day; year is that of the calendar, 1 or later. */
typedef struct Day
{
	int julian;
	int year;
	int month;
	int day;
} Day;

static Unit
read_unit(const SdcHierarchyList *list, int i)
{
	char *word = sdcpg_hierarchy_item_text(list, i);
	int unit;

	for (unit = 0; word != NULL && unit < UNIT_COUNT; unit++)
		if (strcmp(word, units[unit]) == 0)
			return (Unit) unit;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("element %d of key \"levels\" in argument \"params\" is "
					"not a unit of dates",
					i + 1),
			 errhint("Units are day, week, month, quarter, halfyear, year, "
					 "decade, century.")));
}

static void
parse_calendar(SdcHierarchyRule *rule, Jsonb *params)
{
	SdcHierarchyList levels = sdcpg_hierarchy_list(params, "levels", true);
	Calendar *calendar = palloc(sizeof(Calendar));
	int i;

	sdcpg_hierarchy_check_levels(levels.count + 2);
	calendar->count = levels.count;
	calendar->unit = palloc(sizeof(Unit) * levels.count);
	for (i = 0; i < levels.count; i++)
	{
		calendar->unit[i] = read_unit(&levels, i);
		if (i > 0 && calendar->unit[i] <= calendar->unit[i - 1])
			sdcpg_hierarchy_not_nested(
				"levels", i, "must be a longer unit than the one before it");
		if (i > 0 && calendar->unit[i - 1] == UNIT_WEEK)
			sdcpg_hierarchy_not_nested("levels", i,
									   "does not consist of whole weeks");
	}
	rule->levels = levels.count + 2;
	rule->detail = calendar;
}

/* The day of a value; infinite and those before the year 1 have none. */
static bool
find_day(Oid base, Datum value, Day *day)
{
	if (base == DATEOID)
	{
		DateADT date = DatumGetDateADT(value);

		if (DATE_NOT_FINITE(date))
			return false;
		j2date(date + POSTGRES_EPOCH_JDATE, &day->year, &day->month,
			   &day->day);
	}
	else
	{
		Timestamp timestamp = DatumGetTimestamp(value);
		bool zoned = base == TIMESTAMPTZOID;
		struct pg_tm tm;
		fsec_t fraction;
		int zone;

		if (TIMESTAMP_NOT_FINITE(timestamp) ||
			timestamp2tm(timestamp, zoned ? &zone : NULL, &tm, &fraction, NULL,
						 NULL) != 0)
			return false;
		day->year = tm.tm_year;
		day->month = tm.tm_mon;
		day->day = tm.tm_mday;
	}
	day->julian = date2j(day->year, day->month, day->day);
	return day->year >= 1;
}

static void
append_unit(StringInfo label, const Day *day, Unit unit)
{
	int year = day->year;

	switch (unit)
	{
		case UNIT_DAY:
			appendStringInfo(label, "%04d-%02d-%02d", year, day->month,
							 day->day);
			break;
		case UNIT_WEEK:
			appendStringInfo(label, "%04d-W%02d",
							 date2isoyear(year, day->month, day->day),
							 date2isoweek(year, day->month, day->day));
			break;
		case UNIT_MONTH:
			appendStringInfo(label, "%04d-%02d", year, day->month);
			break;
		case UNIT_QUARTER:
			appendStringInfo(label, "%04d-Q%d", year, (day->month + 2) / 3);
			break;
		case UNIT_HALFYEAR:
			appendStringInfo(label, "%04d-H%d", year, (day->month + 5) / 6);
			break;
		case UNIT_YEAR:
			appendStringInfo(label, "%04d", year);
			break;
		case UNIT_DECADE:
			appendStringInfo(label, "%ds", year / 10 * 10);
			break;
		default:
			appendStringInfo(label, "%d-%d", year / 100 * 100,
							 year / 100 * 100 + 99);
	}
}

static bool
label_date(const SdcHierarchyRule *rule, SdcHierarchyInput *input, Datum value,
		   int level, StringInfo label)
{
	const Calendar *calendar = rule->detail;
	Day day;

	if (!find_day(input->base, value, &day))
		return false;
	if (level == 0)
		sdcpg_hierarchy_append_text(input, value, label);
	else
		append_unit(label, &day, calendar->unit[level - 1]);
	return true;
}

/* The first day of a stretch of that many months; days count from 2000. */
static double
months_start(int months)
{
	return date2j(months / 12, months % 12 + 1, 1) - POSTGRES_EPOCH_JDATE;
}

static void
range_date(const SdcHierarchyRule *rule, SdcHierarchyInput *input, Datum value,
		   int level, double *low, double *high)
{
	static const int months[UNIT_COUNT] = {0, 0, 1, 3, 6, 12, 120, 1200};
	const Calendar *calendar = rule->detail;
	Unit unit = level == 0 ? UNIT_DAY : calendar->unit[level - 1];
	Day day;
	int days = 1;
	int first;

	if (!find_day(input->base, value, &day))
		elog(ERROR, "date out of the range of a hierarchy");
	if (months[unit] > 0)
	{
		first = (day.year * 12 + day.month - 1) / months[unit] * months[unit];
		*low = months_start(first);
		*high = months_start(first + months[unit]);
		return;
	}
	*low = day.julian - POSTGRES_EPOCH_JDATE;
	if (unit == UNIT_WEEK)
	{
		/* Julian day 0 was a Monday */
		*low -= day.julian % 7;
		days = 7;
	}
	*high = *low + days;
}

static const char *const date_keys[] = {"levels", NULL};

const SdcHierarchyKind sdcpg_hierarchy_date = {
	.name = "date",
	.keys = date_keys,
	.reads = "dates and timestamps",
	.accepts = sdcpg_time_is,
	.parse = parse_calendar,
	.label = label_date,
	.range = range_date,
};

/* ----------------------------------------------------------------------
 * Hierarchies of numbers: intervals between break points.
 *
 * {"levels": [[20, 40, 60], [40]]} makes <20, [20,40), [40,60), >=60 of level
 * 1, <40 and >=40 of level 2, and * of level 3.  "labels" gives the intervals
 * names instead.  Numbers and break points are compared as doubles.
 * ----------------------------------------------------------------------
 */

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
	SdcHierarchyNames *names = sdcpg_hierarchy_names_new(NULL, 0);
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
	return (int) sdc_sort_up_to(breaks->at, (size_t) breaks->count, number);
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

static const char *const interval_keys[] = {"levels", "labels", "domain",
											NULL};

const SdcHierarchyKind sdcpg_hierarchy_interval = {
	.name = "interval",
	.keys = interval_keys,
	.reads = "numbers",
	.accepts = sdcpg_hierarchy_is_number,
	.parse = parse_intervals,
	.label = label_interval,
	.range = range_interval,
	.domain = domain_interval,
};

/* ----------------------------------------------------------------------
 * Hierarchies that redact characters: 53715, 5371*, 537**, ...
 *
 * {"length": 5} keeps 4, 3, 2, 1 and 0 of five characters; {"keep": [3, 2]}
 * keeps three and two, and * is the level above.  With a length all values are
 * printed with that length, and longer ones have no rule; without, the length
 * of a value stays to be seen until the last level.
 * ----------------------------------------------------------------------
 */

#define MAX_LENGTH 1000

typedef struct Prefix
{
	int *keep;  /* characters that level 1, 2, ... keeps */
	int length; /* of all values, or 0 */
	bool from_end;
	char *fill; /* one character */
} Prefix;

static const char *const sides[] = {"start", "end", NULL};
static const char *const prefix_keys[] = {"keep", "length", "from", "fill",
										  NULL};

static void
read_keep(SdcHierarchyRule *rule, Prefix *prefix, const SdcHierarchyList *list)
{
	int i;

	prefix->keep = palloc(sizeof(int) * (list->count + 1));
	for (i = 0; i < list->count; i++)
	{
		prefix->keep[i] = sdcpg_hierarchy_item_integer(list, i, 1, MAX_LENGTH);
		if (i > 0 && prefix->keep[i] >= prefix->keep[i - 1])
			sdcpg_hierarchy_not_nested("keep", i,
									   "must be less than the one before it");
	}
	rule->levels = list->count + 2;
}

/* One character less on each level, down to none. */
static void
count_down(SdcHierarchyRule *rule, Prefix *prefix)
{
	int i;

	if (prefix->length == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"params\" must have the key \"keep\" or "
						"the key \"length\"")));
	sdcpg_hierarchy_check_levels(prefix->length + 1);
	prefix->keep = palloc(sizeof(int) * prefix->length);
	for (i = 0; i < prefix->length; i++)
		prefix->keep[i] = prefix->length - 1 - i;
	rule->levels = prefix->length + 1;
}

static char *
read_fill(Jsonb *params)
{
	JsonbValue *value = sdcpg_hierarchy_value(params, "fill");

	if (value == NULL)
		return "*";
	if (value->type != jbvString ||
		pg_mbstrlen_with_len(value->val.string.val, value->val.string.len) !=
			1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("key \"fill\" in argument \"params\" must be "
							   "one character")));
	return pnstrdup(value->val.string.val, value->val.string.len);
}

static void
parse_prefix(SdcHierarchyRule *rule, Jsonb *params)
{
	SdcHierarchyList keep = sdcpg_hierarchy_list(params, "keep", false);
	Prefix *prefix = palloc0(sizeof(Prefix));

	prefix->length =
		(int) sdcpg_params_integer(params, "length", 0, 1, MAX_LENGTH);
	prefix->from_end = sdcpg_params_choice(params, "from", sides) == 1;
	prefix->fill = read_fill(params);
	sdcpg_hierarchy_check_levels(keep.count + 2);
	if (keep.container == NULL)
		count_down(rule, prefix);
	else
		read_keep(rule, prefix, &keep);
	rule->detail = prefix;
}

static void
append_fill(StringInfo label, const Prefix *prefix, int count)
{
	while (count-- > 0)
		appendStringInfoString(label, prefix->fill);
}

/* Bytes of the first count characters. */
static int
bytes_of(const char *text, int length, int count)
{
	return pg_mbcharcliplen(text, length, count);
}

static bool
label_prefix(const SdcHierarchyRule *rule, SdcHierarchyInput *input,
			 Datum value, int level, StringInfo label)
{
	const Prefix *prefix = rule->detail;
	int characters;
	int hidden;
	char *text;
	int length;
	int bytes;

	sdcpg_hierarchy_append_text(input, value, label);
	characters = pg_mbstrlen_with_len(label->data, label->len);
	if (prefix->length > 0 && characters > prefix->length)
		return false;
	if (level == 0)
		return true;
	hidden = Max(characters - prefix->keep[level - 1], 0);
	text = pnstrdup(label->data, label->len);
	length = label->len;
	resetStringInfo(label);
	if (!prefix->from_end)
	{
		bytes = bytes_of(text, length, characters - hidden);
		appendBinaryStringInfo(label, text, bytes);
	}
	append_fill(label, prefix,
				prefix->length > 0 ? prefix->length - characters + hidden
								   : hidden);
	if (prefix->from_end)
	{
		bytes = bytes_of(text, length, hidden);
		appendBinaryStringInfo(label, text + bytes, length - bytes);
	}
	pfree(text);
	return true;
}

const SdcHierarchyKind sdcpg_hierarchy_prefix = {
	.name = "prefix",
	.keys = prefix_keys,
	.parse = parse_prefix,
	.label = label_prefix,
};

/* ----------------------------------------------------------------------
 * Hierarchies of network addresses: the leading bits are kept.
 * ----------------------------------------------------------------------
 */

typedef struct Network
{
	int *keep;  /* bits that level 1, 2, ... keeps; NULL: no rule for IPv4 */
	int *keep6; /* the same for IPv6 */
} Network;

static int *
read_bits(const SdcHierarchyList *list, int most)
{
	int *bits;
	int i;

	if (list->container == NULL)
		return NULL;
	bits = palloc(sizeof(int) * (list->count + 1));
	for (i = 0; i < list->count; i++)
	{
		bits[i] = sdcpg_hierarchy_item_integer(list, i, 0, most);
		if (i > 0 && bits[i] >= bits[i - 1])
			sdcpg_hierarchy_not_nested(list->key, i,
									   "must be less than the one before it");
	}
	return bits;
}

static void
parse_network(SdcHierarchyRule *rule, Jsonb *params)
{
	SdcHierarchyList keep = sdcpg_hierarchy_list(params, "keep", false);
	SdcHierarchyList keep6 = sdcpg_hierarchy_list(params, "keep6", false);
	int levels = Max(keep.count, keep6.count);
	Network *network = palloc(sizeof(Network));

	if (levels == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"params\" must have the key \"keep\" or "
						"the key \"keep6\""),
				 errhint("List the bits that each level keeps: {\"keep\": "
						 "[24, 16, 8], \"keep6\": [64, 48, 32]}.")));
	if (keep.container != NULL && keep6.container != NULL &&
		keep.count != keep6.count)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("keys \"keep\" and \"keep6\" in argument \"params\" "
						"must have as many elements as each other")));
	sdcpg_hierarchy_check_levels(levels + 2);
	network->keep = read_bits(&keep, 32);
	network->keep6 = read_bits(&keep6, 128);
	rule->levels = levels + 2;
	rule->detail = network;
}

static bool
is_address(Oid base)
{
	return base == INETOID || base == CIDROID;
}

static bool
label_network(const SdcHierarchyRule *rule, SdcHierarchyInput *input,
			  Datum value, int level, StringInfo label)
{
	const Network *network = rule->detail;
	inet *address = DatumGetInetPP(value);
	const int *keep =
		ip_family(address) == PGSQL_AF_INET ? network->keep : network->keep6;
	int bits;

	if (keep == NULL)
		return false;
	if (level == 0)
	{
		sdcpg_hierarchy_append_text(input, value, label);
		return true;
	}
	bits = Min(ip_bits(address), keep[level - 1]);
	appendStringInfoString(
		label, DatumGetCString(DirectFunctionCall1(
				   cidr_out,
				   InetPGetDatum(cidr_set_masklen_internal(address, bits)))));
	return true;
}

static const char *const keys[] = {"keep", "keep6", NULL};

const SdcHierarchyKind sdcpg_hierarchy_network = {
	.name = "network",
	.keys = keys,
	.reads = "network addresses",
	.accepts = is_address,
	.parse = parse_network,
	.label = label_network,
};
