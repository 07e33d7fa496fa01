/*
 * dp_choose.c
 *		sdc.dp_choose, sdc.dp_choose_em: one of several candidates, privately.
 *
 * The caller gives each candidate a score and says how far one record can
 * change a score.  As functions they take arrays, as an aggregate rows.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "kernel/privacy/selection.h"
#include "host/call/args.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "topic/privacy/private_aggregate.h"
#include "kernel/base/host.h"
#include "kernel/privacy/strong_bits.h"

PG_FUNCTION_INFO_V1(sdcf_dp_choose);
PG_FUNCTION_INFO_V1(sdcf_dp_choose_em);
PG_FUNCTION_INFO_V1(sdcf_dp_choose_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_choose_final);

typedef size_t (*Mechanism)(SdcHost *host, SdcStrongBits *bits,
							const SdcSelectionRate *rate, const int64_t *score,
							size_t count);

static void
check_sensitivity(double sensitivity)
{
	sdcpg_args_range("sensitivity", sensitivity, 0, DBL_MAX);
	if (sensitivity == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"sensitivity\" must be positive"),
						errdetail("Scores that no record can change are not "
								  "private: take the best.")));
}

static int64
take_score(bool isnull, Datum score, double sensitivity)
{
	if (isnull || !isfinite(DatumGetFloat8(score)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("scores must be finite numbers"),
				 errdetail("A candidate without a score would tell something "
						   "about the data.")));
	return sdc_selection_score(DatumGetFloat8(score), sensitivity);
}

static void
refuse_candidates(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("candidates and scores must be as many, at least one, "
					"and no candidate may be null")));
}

/* The elements of an array of one dimension. */
static int
take_elements(ArrayType *array, Datum **element, bool **isnull)
{
	int16 length;
	bool by_value;
	char align;
	int count;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, align,
					  element, isnull, &count);
	return ARR_NDIM(array) == 1 ? count : 0;
}

/* (candidates anyarray, scores float8[], sensitivity, epsilon, monotonic) */
static Datum
choose(FunctionCallInfo fcinfo, const char *function, Mechanism mechanism)
{
	static const char *const name[] = {"candidates", "scores", "sensitivity",
									   "epsilon", "monotonic"};
	double sensitivity;
	SdcSelectionRate rate;
	SdcPgHost *host;
	Datum *candidate;
	Datum *given;
	bool *isnull;
	int64 *score;
	int count;
	int i;

	for (i = 0; i < 5; i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(name[i]);
	sensitivity = PG_GETARG_FLOAT8(2);
	check_sensitivity(sensitivity);
	sdcpg_private_check_epsilon(PG_GETARG_FLOAT8(3));
	sdc_selection_rate(sdc_selection_sensitivity(sensitivity),
					   PG_GETARG_BOOL(4), PG_GETARG_FLOAT8(3), &rate);
	count = take_elements(PG_GETARG_ARRAYTYPE_P(0), &candidate, &isnull);
	if (array_contains_nulls(PG_GETARG_ARRAYTYPE_P(0)) || count == 0 ||
		take_elements(PG_GETARG_ARRAYTYPE_P(1), &given, &isnull) != count)
		refuse_candidates();
	host = sdcpg_host_begin(function, CurrentMemoryContext);
	score = sdc_new(&host->kernel, int64, count);
	for (i = 0; i < count; i++)
		score[i] = take_score(isnull[i], given[i], sensitivity);
	i = (int) mechanism(&host->kernel, sdcpg_strong_bits(), &rate, score,
						count);
	sdcpg_host_end(host);
	PG_RETURN_DATUM(candidate[i]);
}

Datum
sdcf_dp_choose(PG_FUNCTION_ARGS)
{
	return choose(fcinfo, "dp_choose", sdc_selection_permute_and_flip);
}

Datum
sdcf_dp_choose_em(PG_FUNCTION_ARGS)
{
	return choose(fcinfo, "dp_choose_em", sdc_selection_exponential);
}

/* The aggregate. */
typedef struct Choice
{
	double sensitivity;
	SdcSelectionRate rate;
	int16 length;
	bool by_value;
	int32 count;
	int32 room;
	Datum *candidate;
	int64 *score;
} Choice;

/* Values candidate, score; parameters sensitivity, epsilon [, monotonic]. */
static Choice *
find_state(FunctionCallInfo fcinfo)
{
	SdcPrivateCall call;
	bool monotonic = false;
	Choice *state;

	if (!PG_ARGISNULL(0))
		return (Choice *) PG_GETARG_POINTER(0);
	sdcpg_private_begin(&call, fcinfo, 2, false);
	state = MemoryContextAllocZero(call.context, sizeof(Choice));
	if (call.parameter[0].isnull)
		sdcpg_args_null("sensitivity");
	state->sensitivity = DatumGetFloat8(call.parameter[0].value);
	check_sensitivity(state->sensitivity);
	if (call.count > 2)
	{
		if (call.parameter[2].isnull)
			sdcpg_args_null("monotonic");
		monotonic = DatumGetBool(call.parameter[2].value);
	}
	sdc_selection_rate(sdc_selection_sensitivity(state->sensitivity),
					   monotonic, sdcpg_private_epsilon(&call, 1),
					   &state->rate);
	get_typlenbyval(call.type, &state->length, &state->by_value);
	state->room = 16;
	state->candidate =
		MemoryContextAlloc(call.context, state->room * sizeof(Datum));
	state->score =
		MemoryContextAlloc(call.context, state->room * sizeof(int64));
	return state;
}

/* dp_choose_accum(state internal, candidate, score, sensitivity, ...) */
Datum
sdcf_dp_choose_accum(PG_FUNCTION_ARGS)
{
	Choice *state = find_state(fcinfo);
	MemoryContext caller;

	if (PG_ARGISNULL(1))
		refuse_candidates();
	caller = MemoryContextSwitchTo(GetMemoryChunkContext(state));
	if (state->count == state->room)
	{
		state->room *= 2;
		state->candidate =
			repalloc(state->candidate, state->room * sizeof(Datum));
		state->score = repalloc(state->score, state->room * sizeof(int64));
	}
	state->candidate[state->count] =
		datumCopy(PG_GETARG_DATUM(1), state->by_value, state->length);
	state->score[state->count++] =
		take_score(PG_ARGISNULL(2), PG_ARGISNULL(2) ? 0 : PG_GETARG_DATUM(2),
				   state->sensitivity);
	MemoryContextSwitchTo(caller);
	PG_RETURN_POINTER(state);
}

/* dp_choose_final(state internal, candidate, score, sensitivity, ...) */
Datum
sdcf_dp_choose_final(PG_FUNCTION_ARGS)
{
	const Choice *state = find_state(fcinfo);
	SdcPgHost *host;
	size_t chosen;

	if (state->count == 0)
		refuse_candidates();
	host = sdcpg_host_begin("dp_choose", CurrentMemoryContext);
	chosen = sdc_selection_permute_and_flip(&host->kernel, sdcpg_strong_bits(),
											&state->rate, state->score,
											state->count);
	sdcpg_host_end(host);
	PG_RETURN_DATUM(state->candidate[chosen]);
}
