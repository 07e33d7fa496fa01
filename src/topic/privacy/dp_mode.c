/*
 * dp_mode.c
 *		sdc.dp_mode: the most frequent of given values, privately.
 *
 * The candidates are public and given in the query.  Each is counted, and
 * permute and flip chooses one; a count can only grow with a record, which
 * halves the loss.
 */
#include "postgres.h"

#include "utils/array.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "kernel/privacy/selection.h"
#include "host/call/args.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "topic/privacy/private_aggregate.h"
#include "kernel/privacy/neighbours.h"

PG_FUNCTION_INFO_V1(sdcf_dp_mode_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_mode_final);

typedef struct Counts
{
	FmgrInfo *compare;
	Oid collation;
	int count;
	Datum *candidate; /* in the order of their type */
	int64 *score;
	SdcSelectionRate rate;
} Counts;

static int
compare(const Counts *state, Datum a, Datum b)
{
	return DatumGetInt32(
		FunctionCall2Coll(state->compare, state->collation, a, b));
}

static int
compare_candidates(const void *a, const void *b, void *state)
{
	return compare(state, *(const Datum *) a, *(const Datum *) b);
}

/* Takes the candidates over into the memory of the state and sorts them. */
static void
take_candidates(Counts *state, const SdcPrivateCall *call)
{
	MemoryContext caller = MemoryContextSwitchTo(call->context);
	ArrayType *array;
	TypeCacheEntry *type;
	bool *isnull;
	int i;

	if (call->parameter[0].isnull)
		sdcpg_args_null("candidates");
	array = DatumGetArrayTypePCopy(call->parameter[0].value);
	type = lookup_type_cache(ARR_ELEMTYPE(array), TYPECACHE_CMP_PROC_FINFO);
	if (!OidIsValid(type->cmp_proc_finfo.fn_oid))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("could not identify a comparison function for "
							   "the type of the candidates")));
	state->compare = &type->cmp_proc_finfo;
	deconstruct_array(array, type->type_id, type->typlen, type->typbyval,
					  type->typalign, &state->candidate, &isnull,
					  &state->count);
	if (ARR_NDIM(array) != 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"candidates\" must be an array of one "
						"dimension that is not empty and holds no nulls")));
	qsort_arg(state->candidate, state->count, sizeof(Datum),
			  compare_candidates, state);
	for (i = 1; i < state->count; i++)
		if (compare(state, state->candidate[i - 1], state->candidate[i]) == 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("the candidates must all differ")));
	state->score = palloc0(state->count * sizeof(int64));
	MemoryContextSwitchTo(caller);
}

/* Parameters candidates, epsilon [, neighbours]. */
static Counts *
find_state(FunctionCallInfo fcinfo)
{
	SdcPrivateCall call;
	SdcNeighbours neighbours;
	double epsilon;
	Counts *state;

	if (!PG_ARGISNULL(0))
		return (Counts *) PG_GETARG_POINTER(0);
	sdcpg_private_begin(&call, fcinfo, 1, false);
	epsilon = sdcpg_private_epsilon(&call, 1);
	neighbours = sdcpg_private_neighbours(&call, 2);
	state = MemoryContextAllocZero(call.context, sizeof(Counts));
	state->collation = PG_GET_COLLATION();
	take_candidates(state, &call);
	/* a replaced record takes from one count and gives to another */
	sdc_selection_rate(1, neighbours == SDC_NEIGHBOURS_ADD_REMOVE, epsilon,
					   &state->rate);
	return state;
}

/* dp_mode_accum(state internal, value, candidates, epsilon [, neighbours]) */
Datum
sdcf_dp_mode_accum(PG_FUNCTION_ARGS)
{
	Counts *state = find_state(fcinfo);
	int low = 0;
	int high = state->count;

	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(state);
	while (low < high)
	{
		int middle = (low + high) / 2;
		int order =
			compare(state, PG_GETARG_DATUM(1), state->candidate[middle]);

		if (order == 0)
		{
			state->score[middle]++;
			break;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	PG_RETURN_POINTER(state);
}

/* dp_mode_final(state internal, value, candidates, epsilon, ...) */
Datum
sdcf_dp_mode_final(PG_FUNCTION_ARGS)
{
	const Counts *state = find_state(fcinfo);
	SdcPgHost *host = sdcpg_host_begin("dp_mode", CurrentMemoryContext);
	size_t chosen = sdc_selection_permute_and_flip(
		&host->kernel, sdcpg_strong_bits(), &state->rate, state->score,
		state->count);

	sdcpg_host_end(host);
	PG_RETURN_DATUM(state->candidate[chosen]);
}
