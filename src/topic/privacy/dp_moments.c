/*
 * dp_moments.c
 *		sdc.dp_avg, sdc.dp_var, sdc.dp_stddev: moments of a column, with
 *		noise.
 *
 * Each is made from two or three noisy sums that share epsilon.
 */
#include "postgres.h"

#include "kernel/privacy/dp_moments.h"
#include "host/server/compat.h"
#include "topic/privacy/private_aggregate.h"
#include "host/server/host.h"
#include "kernel/privacy/neighbours.h"

PG_FUNCTION_INFO_V1(sdcf_dp_avg_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_var_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_avg_final);
PG_FUNCTION_INFO_V1(sdcf_dp_var_final);
PG_FUNCTION_INFO_V1(sdcf_dp_stddev_final);

typedef struct Moments
{
	Oid type;
	SdcDpMoments moments;
} Moments;

static Moments *
begin(FunctionCallInfo fcinfo, int order)
{
	SdcPrivateCall call;
	SdcNeighbours neighbours;
	double epsilon;
	double lower;
	double upper;
	Moments *state;

	sdcpg_private_begin(&call, fcinfo, 1, false);
	epsilon = sdcpg_private_epsilon(&call, 2);
	neighbours = sdcpg_private_neighbours(&call, 3);
	sdcpg_private_bounds(&call, 0, &lower, &upper);
	state = MemoryContextAllocZero(call.context, sizeof(Moments));
	state->type = call.type;
	sdc_dp_moments_start(&state->moments, lower, upper, order, neighbours,
						 epsilon);
	return state;
}

static inline Moments *
state(FunctionCallInfo fcinfo, int order)
{
	return PG_ARGISNULL(0) ? begin(fcinfo, order)
						   : (Moments *) PG_GETARG_POINTER(0);
}

static Datum
accumulate(FunctionCallInfo fcinfo, int order)
{
	Moments *moments = state(fcinfo, order);

	if (!PG_ARGISNULL(1))
		sdc_dp_moments_add(
			&moments->moments,
			sdcpg_private_double(moments->type, PG_GETARG_DATUM(1)));
	PG_RETURN_POINTER(moments);
}

/* dp_avg_accum(state internal, value, lower, upper, epsilon [, neighbours]) */
Datum
sdcf_dp_avg_accum(PG_FUNCTION_ARGS)
{
	return accumulate(fcinfo, 1);
}

/* dp_var_accum(state internal, value, lower, upper, epsilon [, neighbours]) */
Datum
sdcf_dp_var_accum(PG_FUNCTION_ARGS)
{
	return accumulate(fcinfo, 2);
}

/* dp_avg_final(state internal) */
Datum
sdcf_dp_avg_final(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(
		sdc_dp_moments_mean(&state(fcinfo, 1)->moments, sdcpg_strong_bits()));
}

/* dp_var_final(state internal) */
Datum
sdcf_dp_var_final(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(sdc_dp_moments_variance(&state(fcinfo, 2)->moments,
											 sdcpg_strong_bits()));
}

/* dp_stddev_final(state internal) */
Datum
sdcf_dp_stddev_final(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(sdc_dp_moments_deviation(&state(fcinfo, 2)->moments,
											  sdcpg_strong_bits()));
}
