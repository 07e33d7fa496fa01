/*
 * report.c
 *		Reports: the rows of sdc.measure that the caller chose.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "host/call/params.h"
#include "host/call/report.h"
#include "host/server/compat.h"
#include "host/server/result.h"

static int
count_measures(const char *const *measures)
{
	int count = 0;

	while (measures[count] != NULL)
		count++;
	return count;
}

/* Marks the measures that the argument methods lists. */
static void
choose_measures(SdcReport *report, ArrayType *methods)
{
	Datum *element;
	bool *isnull;
	int count;
	int i;

	deconstruct_array(methods, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
					  &element, &isnull, &count);
	if (count == 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("argument \"measures\" must name at least one measure"),
			 errhint("Leave it out to get all measures.")));
	for (i = 0; i < count; i++)
	{
		if (isnull[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument \"measures\" must not contain nulls")));
		report->chosen[sdcpg_args_choice(
			"measure", cstring_to_text(NameStr(*DatumGetName(element[i]))),
			report->measures)] = true;
	}
}

SdcReport *
sdcpg_report_begin(FunctionCallInfo fcinfo, const char *const *measures,
				   int usual, ArrayType *methods)
{
	SdcReport *report = palloc0(sizeof(SdcReport));

	report->result = sdcpg_result_begin(fcinfo);
	report->measures = measures;
	report->chosen = palloc0(sizeof(bool) * count_measures(measures));
	if (methods == NULL)
		memset(report->chosen, true, sizeof(bool) * usual);
	else
		choose_measures(report, methods);
	return report;
}

bool
sdcpg_report_wants(const SdcReport *report, const char *measure)
{
	int i;

	for (i = 0; report->measures[i] != NULL; i++)
		if (strcmp(report->measures[i], measure) == 0)
			return report->chosen[i];
	elog(ERROR, "a report has no line of that name");
}

/* Appends a line if it is wanted. */
pg_attribute_printf(6, 0) static void put_line(
	SdcReport *report, const char *measure, const char *subject, double value,
	const char *example, const char *format, va_list args)
{
	if (sdcpg_report_wants(report, measure))
		sdcpg_result_example(report->result, measure, subject, value,
							 isnan(value), sdcpg_result_sentence(format, args),
							 example);
}

void
sdcpg_report_put(SdcReport *report, const char *measure, const char *subject,
				 double value, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_line(report, measure, subject, value, NULL, format, args);
	va_end(args);
}

void
sdcpg_report_example(SdcReport *report, const char *measure,
					 const char *subject, double value, const char *example,
					 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_line(report, measure, subject, value, example, format, args);
	va_end(args);
}
