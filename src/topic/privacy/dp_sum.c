/*
 * dp_sum.c
 *		sdc.dp_sum: the sum of a column, clipped to public bounds, with noise.
 *
 * One transition function for all types: what the values are is found out
 * for the first row.  Whole numbers stay whole.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "kernel/privacy/dp_sum.h"
#include "host/server/compat.h"
#include "topic/privacy/private_aggregate.h"
#include "host/server/host.h"
#include "kernel/privacy/neighbours.h"

PG_FUNCTION_INFO_V1(sdcf_dp_sum_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_sum_integer_final);
PG_FUNCTION_INFO_V1(sdcf_dp_sum_bigint_final);
PG_FUNCTION_INFO_V1(sdcf_dp_sum_float8_final);

typedef struct Sum
{
	Oid type;
	SdcDpSum sum;
} Sum;

static Sum *
begin(FunctionCallInfo fcinfo)
{
	SdcPrivateCall call;
	SdcNeighbours neighbours;
	double epsilon;
	bool started;
	Sum *state;

	sdcpg_private_begin(&call, fcinfo, 1, false);
	epsilon = sdcpg_private_epsilon(&call, 2);
	neighbours = sdcpg_private_neighbours(&call, 3);
	state = MemoryContextAllocZero(call.context, sizeof(Sum));
	state->type = call.type;
	if (call.type == INT4OID || call.type == INT8OID)
	{
		int64 lower;
		int64 upper;

		sdcpg_private_integer_bounds(&call, 0, &lower, &upper);
		started = sdc_dp_sum_start_integer(&state->sum, lower, upper,
										   neighbours, epsilon);
	}
	else
	{
		double lower;
		double upper;

		sdcpg_private_bounds(&call, 0, &lower, &upper);
		started =
			sdc_dp_sum_start(&state->sum, lower, upper, neighbours, epsilon);
	}
	if (!started)
		sdcpg_private_too_large();
	return state;
}

static inline Sum *
state(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(0) ? begin(fcinfo) : (Sum *) PG_GETARG_POINTER(0);
}

/* dp_sum_accum(state internal, value, lower, upper, epsilon [, neighbours]) */
Datum
sdcf_dp_sum_accum(PG_FUNCTION_ARGS)
{
	Sum *sum = state(fcinfo);

	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(sum);
	if (sum->type == INT4OID)
		sdc_dp_sum_add_integer(&sum->sum, PG_GETARG_INT32(1));
	else if (sum->type == INT8OID)
		sdc_dp_sum_add_integer(&sum->sum, PG_GETARG_INT64(1));
	else
		sdc_dp_sum_add(&sum->sum,
					   sdcpg_private_double(sum->type, PG_GETARG_DATUM(1)));
	PG_RETURN_POINTER(sum);
}

/* dp_sum_integer_final(state internal) */
Datum
sdcf_dp_sum_integer_final(PG_FUNCTION_ARGS)
{
	SdcInt128 noisy =
		sdc_dp_sum_release_integer(&state(fcinfo)->sum, sdcpg_strong_bits());

	PG_RETURN_INT64(noisy > PG_INT64_MAX   ? PG_INT64_MAX
					: noisy < PG_INT64_MIN ? PG_INT64_MIN
										   : (int64) noisy);
}

/* dp_sum_bigint_final(state internal): a numeric, as it may exceed 64 bits */
Datum
sdcf_dp_sum_bigint_final(PG_FUNCTION_ARGS)
{
	SdcInt128 noisy =
		sdc_dp_sum_release_integer(&state(fcinfo)->sum, sdcpg_strong_bits());
	SdcUint128 size = noisy < 0 ? -(SdcUint128) noisy : (SdcUint128) noisy;
	char digits[48];
	char *first = digits + sizeof(digits) - 1;

	*first = '\0';
	do
	{
		*--first = (char) ('0' + (int) (size % 10));
		size /= 10;
	} while (size > 0);
	if (noisy < 0)
		*--first = '-';
	return DirectFunctionCall3(numeric_in, CStringGetDatum(first),
							   ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(-1));
}

/* dp_sum_float8_final(state internal) */
Datum
sdcf_dp_sum_float8_final(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(
		sdc_dp_sum_release(&state(fcinfo)->sum, sdcpg_strong_bits()));
}
