/*
 * utility_lines.c
 *		Lines of a report on utility, shown worst column first.
 */
#include "postgres.h"

#include <math.h>

#include "pg/server/compat.h"
#include "pg/server/result.h"
#include "pg/utility/utility_lines.h"

#define FIRST_ROOM 64

static SdcUtilityLine *
next_line(SdcUtilityLines *lines)
{
	if (lines->room == 0)
	{
		lines->room = FIRST_ROOM;
		lines->line = palloc(sizeof(SdcUtilityLine) * FIRST_ROOM);
	}
	else if (lines->count == lines->room)
	{
		lines->room *= 2;
		lines->line =
			repalloc(lines->line, sizeof(SdcUtilityLine) * lines->room);
	}
	return &lines->line[lines->count];
}

/* The place of a measure, as first added. */
static int
find_measure(SdcUtilityLines *lines, const char *name)
{
	int i;

	for (i = 0; i < lines->count; i++)
		if (strcmp(lines->line[i].name, name) == 0)
			return lines->line[i].measure;
	return lines->measures++;
}

void
sdcpg_utility_lines_add(SdcUtilityLines *lines, const char *name,
						const char *subject, double value, const char *format,
						...)
{
	int measure = find_measure(lines, name);
	SdcUtilityLine *line = next_line(lines);
	va_list args;

	va_start(args, format);
	line->detail = sdcpg_result_sentence(format, args);
	va_end(args);
	line->measure = measure;
	line->all = subject == NULL;
	line->name = name;
	line->subject = subject == NULL ? "all columns" : subject;
	line->value = value;
	line->worse = value;
	line->number = lines->count++;
}

const char *
sdcpg_utility_lines_columns(int columns)
{
	return psprintf(columns == 1 ? "%d column" : "%d columns", columns);
}

void
sdcpg_utility_lines_turn(SdcUtilityLines *lines)
{
	SdcUtilityLine *line = &lines->line[lines->count - 1];

	line->worse = -line->value;
}

static int
compare_lines(const void *a, const void *b)
{
	const SdcUtilityLine *x = a;
	const SdcUtilityLine *y = b;

	if (x->measure != y->measure)
		return x->measure < y->measure ? -1 : 1;
	if (x->all != y->all)
		return x->all ? -1 : 1;
	if (isnan(x->worse) != isnan(y->worse))
		return isnan(x->worse) ? 1 : -1;
	if (x->worse != y->worse && !isnan(x->worse))
		return x->worse > y->worse ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

void
sdcpg_utility_lines_put(SdcUtilityLines *lines, ReturnSetInfo *result)
{
	int i;

	if (lines->count > 0)
		qsort(lines->line, lines->count, sizeof(SdcUtilityLine),
			  compare_lines);
	for (i = 0; i < lines->count; i++)
	{
		const SdcUtilityLine *line = &lines->line[i];

		sdcpg_result_measure(result, line->name, line->subject, line->value,
							 isnan(line->value), line->detail);
	}
}
