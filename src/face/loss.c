/*
 * loss.c
 *		sdc.il1s: the information loss of one column.
 *
 * The mean of |x - x'| over the standard deviation of a difference of two
 * independent values, sqrt(2) sd(x) (Yancey, Winkler and Creecy 2002).  Mean
 * and squared deviations of x are updated row by row and merged over workers
 * (Chan, Golub and LeVeque 1979), so that a constant column has a deviation
 * of exactly zero.
 */
#include "postgres.h"

#include <math.h>

#include "pg/call/args.h"
#include "pg/server/state.h"

PG_FUNCTION_INFO_V1(sdcf_il1s_accum);
PG_FUNCTION_INFO_V1(sdcf_il1s_combine);
PG_FUNCTION_INFO_V1(sdcf_il1s_final);

/* What the state holds. */
typedef enum State
{
	COUNT,
	MEAN,       /* of x */
	SQUARES,    /* sum of (x - mean)^2 */
	DIFFERENCE, /* sum of |x - x'| */
	STATES
} State;

/* il1s_accum(state float8[], value_original float8, value_masked float8) */
Datum
sdcf_il1s_accum(PG_FUNCTION_ARGS)
{
	double *state = sdcpg_state_change(fcinfo, 0, STATES);
	double original = PG_GETARG_FLOAT8(1);
	double masked = PG_GETARG_FLOAT8(2);
	double shift;

	sdcpg_args_finite(original);
	sdcpg_args_finite(masked);
	shift = original - state[MEAN];
	state[COUNT]++;
	state[MEAN] += shift / state[COUNT];
	state[SQUARES] += shift * (original - state[MEAN]);
	state[DIFFERENCE] += fabs(original - masked);
	return sdcpg_state_datum(state);
}

/* il1s_combine(state float8[], other float8[]) */
Datum
sdcf_il1s_combine(PG_FUNCTION_ARGS)
{
	double *state = sdcpg_state_change(fcinfo, 0, STATES);
	const double *other = sdcpg_state_read(fcinfo, 1, STATES);
	double count = state[COUNT] + other[COUNT];
	double shift = other[MEAN] - state[MEAN];

	if (other[COUNT] > 0)
	{
		state[MEAN] += shift * (other[COUNT] / count);
		state[SQUARES] += other[SQUARES] + shift * shift *
											   (state[COUNT] / count) *
											   other[COUNT];
		state[DIFFERENCE] += other[DIFFERENCE];
		state[COUNT] = count;
	}
	return sdcpg_state_datum(state);
}

/* il1s_final(state float8[]) */
Datum
sdcf_il1s_final(PG_FUNCTION_ARGS)
{
	const double *state = sdcpg_state_read(fcinfo, 0, STATES);
	double deviation;

	if (!isfinite(state[SQUARES]) || !isfinite(state[DIFFERENCE]))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("value out of range: overflow")));
	if (state[COUNT] == 0)
		PG_RETURN_NULL();
	if (state[DIFFERENCE] == 0)
		PG_RETURN_FLOAT8(0);
	/* a change of a column that has no spread has no scale */
	if (state[COUNT] < 2 || state[SQUARES] <= 0)
		PG_RETURN_NULL();
	deviation = sqrt(state[SQUARES] / (state[COUNT] - 1));
	PG_RETURN_FLOAT8(state[DIFFERENCE] / state[COUNT] /
					 (sqrt(2.0) * deviation));
}
