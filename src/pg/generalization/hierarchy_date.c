/*
 * hierarchy_date.c
 *		Hierarchies of dates and timestamps: units of the calendar.
 *
 * {"levels": ["month", "quarter", "year", "decade"]} makes 2024-09, 2024-Q3,
 * 2024 and 2020s of 2024-09-03.  Weeks are those of ISO 8601 and fit into no
 * longer unit.  A timestamp with time zone is of the day it has in the
 * session's time zone.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"

#include "pg/server/compat.h"
#include "pg/generalization/hierarchy_kind.h"

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

static bool
is_date(Oid base)
{
	return base == DATEOID || base == TIMESTAMPOID || base == TIMESTAMPTZOID;
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

static const char *const keys[] = {"levels", NULL};

const SdcHierarchyKind sdcpg_hierarchy_date = {
	.name = "date",
	.keys = keys,
	.reads = "dates and timestamps",
	.accepts = is_date,
	.parse = parse_calendar,
	.label = label_date,
	.range = range_date,
};
