/*
 * dp_quantile.c
 *		sdc.dp_median, sdc.dp_quantile: quantiles of a column, privately.
 *
 * The state holds the cell of each value, and a count for each cell once
 * that is smaller: so many small groups need little memory, and one large
 * group no more than a fixed amount.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/memutils.h"

#include "kernel/privacy/dp_quantile.h"
#include "host/call/args.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "topic/privacy/private_aggregate.h"
#include "kernel/base/host.h"
#include "kernel/privacy/neighbours.h"

PG_FUNCTION_INFO_V1(sdcf_dp_median_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_median_final);
PG_FUNCTION_INFO_V1(sdcf_dp_quantile_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_quantile_final);

#define DEFAULT_CELLS 65536
#define MOST_CELLS    (1 << 20)

typedef struct Quantile
{
	Oid type;
	SdcDpQuantileRange range;
	SdcDpQuantileFraction fraction;
	SdcNeighbours neighbours;
	double epsilon;
	/* the cells of single values, until there are counts */
	uint32 *cell;
	uint32 values;
	uint32 room;
	uint64 *count;
} Quantile;

static Quantile *
begin(const SdcPrivateCall *call, int bounds, double fraction, int32 cells,
	  int neighbours)
{
	Quantile *state = MemoryContextAllocZero(call->context, sizeof(Quantile));

	sdcpg_private_bounds(call, bounds, &state->range.lower,
						 &state->range.upper);
	state->type = call->type;
	state->epsilon = sdcpg_private_epsilon(call, bounds + 2);
	state->fraction = sdc_dp_quantile_fraction(fraction);
	state->neighbours = sdcpg_private_neighbours(call, neighbours);
	state->range.cells = cells;
	state->room = 64;
	state->cell =
		MemoryContextAlloc(call->context, state->room * sizeof(uint32));
	return state;
}

/* Parameters lower, upper, epsilon [, cells] [, neighbours]. */
static Quantile *
median_state(FunctionCallInfo fcinfo)
{
	SdcPrivateCall call;
	int32 cells = DEFAULT_CELLS;
	int next = 3;

	if (!PG_ARGISNULL(0))
		return (Quantile *) PG_GETARG_POINTER(0);
	sdcpg_private_begin(&call, fcinfo, 1, false);
	if (call.count > next && call.parameter_type[next] == INT4OID)
	{
		if (call.parameter[next].isnull)
			sdcpg_args_null("cells");
		cells = DatumGetInt32(call.parameter[next].value);
		if (cells < 2 || cells > MOST_CELLS)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("argument \"cells\" must lie between 2 and %d",
							MOST_CELLS)));
		next++;
	}
	return begin(&call, 0, 0.5, cells, next);
}

/* Direct arguments fraction, lower, upper, epsilon [, neighbours]. */
static Quantile *
quantile_state(FunctionCallInfo fcinfo)
{
	SdcPrivateCall call;

	if (!PG_ARGISNULL(0))
		return (Quantile *) PG_GETARG_POINTER(0);
	sdcpg_private_begin(&call, fcinfo, 1, false);
	return begin(&call, 1, sdcpg_private_fraction(&call, 0), DEFAULT_CELLS, 4);
}

static void
count_values(const Quantile *state, uint64 *count)
{
	uint32 i;

	for (i = 0; i < state->values; i++)
		count[state->cell[i]]++;
}

/* Makes room for one more value, if need be by counting. */
static void
make_room(Quantile *state)
{
	if (state->room < state->range.cells)
	{
		state->room *= 2;
		state->cell = repalloc(state->cell, state->room * sizeof(uint32));
		return;
	}
	state->count = MemoryContextAllocZero(GetMemoryChunkContext(state),
										  state->range.cells * sizeof(uint64));
	count_values(state, state->count);
	pfree(state->cell);
	state->cell = NULL;
}

static void
add(Quantile *state, Datum value)
{
	double number = sdcpg_private_double(state->type, value);
	uint32 cell;

	if (isnan(number))
		return;
	cell = sdc_dp_quantile_cell(&state->range, number);
	if (state->count == NULL && state->values == state->room)
		make_room(state);
	if (state->count != NULL)
		state->count[cell]++;
	else
		state->cell[state->values++] = cell;
}

static Datum
choose(const Quantile *state, const char *function)
{
	SdcPgHost *host = sdcpg_host_begin(function, CurrentMemoryContext);
	uint64 *count = state->count;
	uint32 cell;

	if (count == NULL)
	{
		count = sdc_new(&host->kernel, uint64, state->range.cells);
		memset(count, 0, state->range.cells * sizeof(uint64));
		count_values(state, count);
	}
	cell = sdc_dp_quantile_choose(&host->kernel, sdcpg_strong_bits(), count,
								  state->range.cells, &state->fraction,
								  state->neighbours, state->epsilon);
	sdcpg_host_end(host);
	PG_RETURN_FLOAT8(sdc_dp_quantile_value(&state->range, cell));
}

/* dp_median_accum(state internal, value, lower, upper, epsilon, ...) */
Datum
sdcf_dp_median_accum(PG_FUNCTION_ARGS)
{
	Quantile *state = median_state(fcinfo);

	if (!PG_ARGISNULL(1))
		add(state, PG_GETARG_DATUM(1));
	PG_RETURN_POINTER(state);
}

/* dp_median_final(state internal) */
Datum
sdcf_dp_median_final(PG_FUNCTION_ARGS)
{
	return choose(median_state(fcinfo), "dp_median");
}

/* dp_quantile_accum(state internal, value) */
Datum
sdcf_dp_quantile_accum(PG_FUNCTION_ARGS)
{
	Quantile *state = quantile_state(fcinfo);

	if (!PG_ARGISNULL(1))
		add(state, PG_GETARG_DATUM(1));
	PG_RETURN_POINTER(state);
}

/* dp_quantile_final(state internal, fraction, lower, upper, epsilon, ...) */
Datum
sdcf_dp_quantile_final(PG_FUNCTION_ARGS)
{
	return choose(quantile_state(fcinfo), "dp_quantile");
}
