/*
 * step.c
 *		Rows of sdc.mask_step: what a function that writes a table has done.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "host/data/step.h"
#include "host/server/compat.h"
#include "host/server/result.h"

#define COLUMNS 10

static void
put_text(Datum *value, bool *isnull, int place, const char *text)
{
	isnull[place] = text == NULL;
	if (text != NULL)
		value[place] = CStringGetTextDatum(text);
}

static void
put_count(Datum *value, bool *isnull, int place, int64 count)
{
	isnull[place] = count < 0;
	value[place] = Int64GetDatum(count);
}

void
sdcpg_step_put(ReturnSetInfo *result, const SdcStep *step)
{
	Datum value[COLUMNS] = {0};
	bool isnull[COLUMNS] = {0};

	put_text(value, isnull, 0, step->step);
	put_text(value, isnull, 1, step->subject);
	put_text(value, isnull, 2, step->method);
	put_count(value, isnull, 3, step->rows);
	put_count(value, isnull, 4, step->changed);
	isnull[5] = step->seconds < 0;
	value[5] = Float8GetDatum(sdcpg_result_round(step->seconds));
	put_text(value, isnull, 6, step->detail);
	put_text(value, isnull, 7, step->sql);
	put_text(value, isnull, 8, step->measure);
	isnull[9] = isnan(step->value);
	value[9] = Float8GetDatum(sdcpg_result_round(step->value));
	sdcpg_result_put(result, value, isnull);
}

void
sdcpg_step_masked(ReturnSetInfo *result, const char *column,
				  const char *method, int64 rows, int64 changed,
				  const char *detail)
{
	SdcStep step = SDC_STEP("mask");

	step.subject = column;
	step.method = method;
	step.rows = rows;
	step.changed = changed;
	step.detail = detail;
	sdcpg_step_put(result, &step);
}

void
sdcpg_step_written(ReturnSetInfo *result, const SdcTarget *target)
{
	SdcStep step = SDC_STEP("write");

	step.subject = target->sql;
	step.rows = target->rows;
	step.seconds = target->seconds;
	sdcpg_step_put(result, &step);
}

void
sdcpg_step_measure(ReturnSetInfo *result, const char *measure,
				   const char *subject, double value, const char *format, ...)
{
	SdcStep step = SDC_STEP("measure");
	va_list args;

	step.subject = subject;
	step.measure = measure;
	step.value = value;
	va_start(args, format);
	step.detail = sdcpg_result_sentence(format, args);
	va_end(args);
	sdcpg_step_put(result, &step);
}
