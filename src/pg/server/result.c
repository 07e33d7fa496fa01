/*
 * result.c
 *		Rows of a set-returning function.
 *
 * Rows go to a tuplestore, which spills to disk at work_mem; the caller sees
 * them when the function is done.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "pg/server/compat.h"
#include "pg/server/result.h"

ReturnSetInfo *
sdcpg_result_begin(FunctionCallInfo fcinfo)
{
	InitMaterializedSRF(fcinfo, 0);
	return (ReturnSetInfo *) fcinfo->resultinfo;
}

void
sdcpg_result_put(ReturnSetInfo *result, Datum *values, bool *isnull)
{
	tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
}

void
sdcpg_result_measure(ReturnSetInfo *result, const char *measure,
					 const char *subject, double value, bool isnull,
					 const char *detail)
{
	Datum values[4];
	bool nulls[4] = {false, false, isnull, false};

	values[0] = CStringGetTextDatum(measure);
	values[1] = CStringGetTextDatum(subject);
	values[2] = Float8GetDatum(value);
	values[3] = CStringGetTextDatum(detail);
	sdcpg_result_put(result, values, nulls);
}

char *
sdcpg_result_sentence(const char *format, va_list args)
{
	StringInfoData sentence;

	initStringInfo(&sentence);
	for (;;)
	{
		va_list again;
		int needed;

		va_copy(again, args);
		needed = appendStringInfoVA(&sentence, format, again);
		va_end(again);
		if (needed == 0)
			return sentence.data;
		enlargeStringInfo(&sentence, needed);
	}
}
