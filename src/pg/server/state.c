/*
 * state.c
 *		States of aggregates: small arrays of float8, changed in place.
 *
 * A state of a concrete type can travel to parallel workers and to other
 * servers.  Changed in place it costs no more than an internal one; that is
 * allowed only when the executor says that the function runs as part of an
 * aggregate.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "pg/server/compat.h"
#include "pg/server/state.h"

/* Bytes before the numbers of a one-dimensional array without nulls. */
#define HEADER ARR_OVERHEAD_NONULLS(1)

static double *
check_state(ArrayType *array, int count)
{
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

Datum
sdcpg_state_datum(double *numbers)
{
	return PointerGetDatum((char *) numbers - HEADER);
}
