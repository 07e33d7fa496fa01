/*
 * mask_step.c
 *		Rows of sdc.mask_step.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "pg/mask/mask_step.h"
#include "pg/server/compat.h"
#include "pg/server/result.h"

#define COLUMNS 8

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
sdcpg_mask_step_put(ReturnSetInfo *result, const SdcMaskStep *step)
{
	Datum value[COLUMNS] = {0};
	bool isnull[COLUMNS] = {0};

	put_text(value, isnull, 0, step->step);
	put_text(value, isnull, 1, step->subject);
	put_text(value, isnull, 2, step->method);
	put_count(value, isnull, 3, step->rows);
	put_count(value, isnull, 4, step->changed);
	isnull[5] = step->seconds < 0;
	value[5] = Float8GetDatum(step->seconds);
	put_text(value, isnull, 6, step->detail);
	put_text(value, isnull, 7, step->sql);
	sdcpg_result_put(result, value, isnull);
}
