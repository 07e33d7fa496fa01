/*
 * result.c
 *		Rows of a set-returning function.
 *
 * Rows go to a tuplestore, which spills to disk at work_mem; the caller sees
 * them when the function is done.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"

/* ----------------------------------------------------------------------
 * States of aggregates: small arrays of float8, changed in place.
 *
 * A state of a concrete type can travel to parallel workers and to other
 * servers.  Changed in place it costs no more than an internal one; that is
 * allowed only when the executor says that the function runs as part of an
 * aggregate.
 * ----------------------------------------------------------------------
 */

/* Bytes before the numbers of a one-dimensional array without nulls. */
#define HEADER ARR_OVERHEAD_NONULLS(1)

/* So many zeros: a state begins as an empty array. */
static ArrayType *
new_state(int count)
{
	Size size = HEADER + sizeof(double) * count;
	ArrayType *array = palloc0(size);

	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->elemtype = FLOAT8OID;
	ARR_DIMS(array)[0] = count;
	ARR_LBOUND(array)[0] = 1;
	return array;
}

static double *
check_state(ArrayType *array, int count)
{
	if (ARR_NDIM(array) == 0 && ARR_ELEMTYPE(array) == FLOAT8OID)
		array = new_state(count);
	if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != count ||
		ARR_HASNULL(array) || ARR_ELEMTYPE(array) != FLOAT8OID)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("aggregate state must be an array of %d numbers", count)));
	return (double *) ARR_DATA_PTR(array);
}

double *
sdcpg_state_change(FunctionCallInfo fcinfo, int argument, int count)
{
	ArrayType *array = AggCheckCallContext(fcinfo, NULL)
						   ? PG_GETARG_ARRAYTYPE_P(argument)
						   : PG_GETARG_ARRAYTYPE_P_COPY(argument);

	return check_state(array, count);
}

const double *
sdcpg_state_read(FunctionCallInfo fcinfo, int argument, int count)
{
	return check_state(PG_GETARG_ARRAYTYPE_P(argument), count);
}

void
sdcpg_state_need(bool valid)
{
	if (!valid)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("malformed aggregate state")));
}

Datum
sdcpg_state_datum(double *numbers)
{
	return PointerGetDatum((char *) numbers - HEADER);
}

/* ----------------------------------------------------------------------
 * Rows of a set-returning function.
 * ----------------------------------------------------------------------
 */

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

bool sdcpg_result_exact = false;

/* The nearest number with so many significant digits in decimal. */
static double
round_digits(double value, int digits)
{
	char text[40];

	snprintf(text, sizeof(text), "%.*e", digits - 1, value);
	return strtod(text, NULL);
}

/* Digits that no error of computing reaches. */
#define SURE_DIGITS 12

double
sdcpg_result_round(double value)
{
	int digits = sdcpg_digits;
	double rounded = value;

	if (sdcpg_result_exact || digits == SDC_ALL_DIGITS || !isfinite(value) ||
		value == floor(value))
		return value;
	for (; digits < SDC_ALL_DIGITS; digits++)
	{
		rounded = round_digits(value, digits);
		if (rounded != floor(rounded) || digits >= SURE_DIGITS ||
			fabs(value) >= pow(10, digits - 1))
			break;
	}
	return rounded;
}

void
sdcpg_result_measure(ReturnSetInfo *result, const char *measure,
					 const char *subject, double value, bool isnull,
					 const char *detail)
{
	sdcpg_result_example(result, measure, subject, value, isnull, detail,
						 NULL);
}

void
sdcpg_result_example(ReturnSetInfo *result, const char *measure,
					 const char *subject, double value, bool isnull,
					 const char *detail, const char *example)
{
	Datum values[5];
	bool nulls[5] = {false, false, isnull, false, example == NULL};

	values[0] = CStringGetTextDatum(measure);
	values[1] = CStringGetTextDatum(subject);
	values[2] = Float8GetDatum(sdcpg_result_round(value));
	values[3] = CStringGetTextDatum(detail);
	values[4] = example == NULL ? (Datum) 0 : CStringGetTextDatum(example);
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
