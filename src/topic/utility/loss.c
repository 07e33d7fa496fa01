/*
 * loss.c
 *		sdc.information_loss: the information loss of one column (IL1s).
 *
 * The mean of |x - x'| over the standard deviation of a difference of two
 * independent values, sqrt(2) sd(x) (Yancey, Winkler and Creecy 2002).  Sums
 * are exact, so that the order of the rows and the workers of a plan change
 * nothing, and a constant column has a deviation of exactly zero.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "host/call/params.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/linear/moments.h"

/* ----------------------------------------------------------------------
 * sdc.information_loss, an aggregate.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_il1s_accum);
PG_FUNCTION_INFO_V1(sdcf_il1s_combine);
PG_FUNCTION_INFO_V1(sdcf_il1s_final);

/* What the state holds: doubles and nothing else. */
typedef struct State
{
	double count;
	SdcExactSum first;      /* of x */
	SdcExactSum second;     /* of x^2 */
	SdcExactSum difference; /* of |x - x'| */
} State;

#define STATES ((int) (sizeof(State) / sizeof(double)))

/* A state may come from anybody who calls these functions by himself. */
static const State *
check(const State *state)
{
	sdcpg_state_need(sdc_exact_valid(&state->first) &&
					 sdc_exact_valid(&state->second) &&
					 sdc_exact_valid(&state->difference));
	return state;
}

/* il1s_accum(state float8[], value_original float8, value_masked float8) */
Datum
sdcf_il1s_accum(PG_FUNCTION_ARGS)
{
	State *state = (State *) sdcpg_state_change(fcinfo, 0, STATES);
	double original = PG_GETARG_FLOAT8(1);
	double masked = PG_GETARG_FLOAT8(2);

	(void) check(state);
	sdcpg_args_finite(original);
	sdcpg_args_finite(masked);
	state->count++;
	sdc_exact_add(&state->first, original);
	sdc_exact_add_product(&state->second, original, original);
	sdc_exact_add(&state->difference, fabs(original - masked));
	return sdcpg_state_datum((double *) state);
}

/* il1s_combine(state float8[], other float8[]) */
Datum
sdcf_il1s_combine(PG_FUNCTION_ARGS)
{
	State *state = (State *) sdcpg_state_change(fcinfo, 0, STATES);
	const State *other =
		check((const State *) sdcpg_state_read(fcinfo, 1, STATES));

	(void) check(state);
	state->count += other->count;
	sdc_exact_merge(&state->first, &other->first);
	sdc_exact_merge(&state->second, &other->second);
	sdc_exact_merge(&state->difference, &other->difference);
	return sdcpg_state_datum((double *) state);
}

/* il1s_final(state float8[]) */
Datum
sdcf_il1s_final(PG_FUNCTION_ARGS)
{
	const State *state =
		check((const State *) sdcpg_state_read(fcinfo, 0, STATES));
	double difference;
	double squares;
	double deviation;

	if (state->count == 0)
		PG_RETURN_NULL();
	difference = sdc_exact_total(&state->difference);
	squares = sdc_exact_squares(state->count, &state->first, &state->second);
	if (!isfinite(squares) || !isfinite(difference))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("value out of range: overflow")));
	if (difference == 0)
		PG_RETURN_FLOAT8(0);
	/* a change of a column that has no spread has no scale */
	if (state->count < 2 || squares <= 0)
		PG_RETURN_NULL();
	deviation = sqrt(squares / (state->count - 1));
	PG_RETURN_FLOAT8(difference / state->count / (sqrt(2.0) * deviation));
}
