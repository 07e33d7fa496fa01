/*
 * dp_count.c
 *		sdc.dp_count: how many rows or values, with noise.
 *
 * One record changes a count by one, whether it is added, removed or
 * replaced.  The noise is discrete Laplace: counts stay whole numbers.
 */
#include "postgres.h"

#include "kernel/privacy/discrete_laplace.h"
#include "host/server/compat.h"
#include "topic/privacy/private_aggregate.h"
#include "host/server/host.h"

PG_FUNCTION_INFO_V1(sdcf_dp_count_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_count_any_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_count_final);
PG_FUNCTION_INFO_V1(sdcf_dp_count_any_final);

typedef struct Count
{
	int64 rows;
	SdcDiscreteLaplace noise;
} Count;

static Count *
begin(FunctionCallInfo fcinfo, int values)
{
	SdcPrivateCall call;
	Count *count;

	sdcpg_private_begin(&call, fcinfo, values, values > 0);
	count = MemoryContextAllocZero(call.context, sizeof(Count));
	/* a sensitivity of 1 is never too large */
	sdc_discrete_laplace_scale(1, 1, sdcpg_private_epsilon(&call, 0),
							   &count->noise);
	return count;
}

static inline Count *
state(FunctionCallInfo fcinfo, int values)
{
	return PG_ARGISNULL(0) ? begin(fcinfo, values)
						   : (Count *) PG_GETARG_POINTER(0);
}

/* dp_count_accum(state internal, epsilon float8) */
Datum
sdcf_dp_count_accum(PG_FUNCTION_ARGS)
{
	Count *count = state(fcinfo, 0);

	count->rows++;
	PG_RETURN_POINTER(count);
}

/* dp_count_accum(state internal, value "any", epsilon float8) */
Datum
sdcf_dp_count_any_accum(PG_FUNCTION_ARGS)
{
	Count *count = state(fcinfo, 1);

	if (!PG_ARGISNULL(1))
		count->rows++;
	PG_RETURN_POINTER(count);
}

static int64
release_count(const Count *count)
{
	SdcInt128 noisy = count->rows + sdc_discrete_laplace_draw(
										sdcpg_strong_bits(), &count->noise);

	return noisy > PG_INT64_MAX   ? PG_INT64_MAX
		   : noisy < PG_INT64_MIN ? PG_INT64_MIN
								  : (int64) noisy;
}

/* dp_count_final(state internal) */
Datum
sdcf_dp_count_final(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(release_count(state(fcinfo, 0)));
}

/* dp_count_any_final(state internal) */
Datum
sdcf_dp_count_any_final(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(release_count(state(fcinfo, 1)));
}
