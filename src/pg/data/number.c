/*
 * number.c
 *		Values of PostgreSQL types as the doubles that kernels compute with.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "pg/server/compat.h"
#include "pg/data/number.h"

bool
sdcpg_number_is_arithmetic(Oid base)
{
	switch (base)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return true;
		default:
			return false;
	}
}

bool
sdcpg_number_is(Oid base)
{
	switch (base)
	{
		case BOOLOID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return true;
		default:
			return sdcpg_number_is_arithmetic(base);
	}
}

/* Dates and timestamps keep their infinities. */
static double
timestamp_number(Timestamp value)
{
	if (TIMESTAMP_IS_NOBEGIN(value))
		return -get_float8_infinity();
	if (TIMESTAMP_IS_NOEND(value))
		return get_float8_infinity();
	return (double) value;
}

double
sdcpg_number(Oid base, Datum value)
{
	switch (base)
	{
		case BOOLOID:
			return DatumGetBool(value);
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case NUMERICOID:
			return DatumGetFloat8(
				DirectFunctionCall1(numeric_float8_no_overflow, value));
		case DATEOID:
			if (DATE_IS_NOBEGIN(DatumGetDateADT(value)))
				return -get_float8_infinity();
			if (DATE_IS_NOEND(DatumGetDateADT(value)))
				return get_float8_infinity();
			return DatumGetDateADT(value);
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return timestamp_number(DatumGetTimestamp(value));
		default:
			elog(ERROR, "type %u is not a number", base);
	}
}
