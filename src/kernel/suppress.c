/*
 * suppress.c
 *		Local suppression: what lacks something, and who deals with it.
 */
#include "kernel/suppress.h"

#include <string.h>

#include "kernel/suppress_state.h"
#include "kernel/wildcard.h"

/* What the records of each class have like them. */
typedef struct Likeness
{
	int64_t *records;
	bool *diverse; /* at least l values in each sensitive column */
} Likeness;

/* Classes by themselves: runs of cells. */
static void
judge_runs(const SdcFrequency *frequency, int first, const SdcClasses *classes,
		   int64_t l, int32_t *seen, bool *diverse)
{
	int32_t c;

	for (c = 0; c < classes->classes; c++)
		diverse[c] =
			sdc_suppress_is_diverse(frequency, first, classes->first[c],
									classes->first[c + 1], l, seen);
}

static Likeness
judge(SdcHost *host, const SdcFrequency *frequency, const SdcClasses *classes,
	  const SdcSuppressRequest *request)
{
	int32_t *seen = sdc_new(host, int32_t, (size_t) request->l);
	Likeness likeness;
	SdcFrequency *expanded;
	SdcClasses *sets;

	likeness.records = sdc_new(host, int64_t, classes->classes);
	likeness.diverse = sdc_new(host, bool, classes->classes);
	if (request->wildcard)
		sdc_wildcard_match(host, frequency, classes, request->keys,
						   likeness.records, NULL);
	else
		memcpy(likeness.records, classes->size,
			   sizeof(int64_t) * (size_t) classes->classes);
	if (request->wildcard && request->l > 1)
	{
		expanded =
			sdc_wildcard_expand(host, frequency, classes, request->keys);
		sets = sdc_frequency_classes(host, expanded, 1);
		judge_runs(expanded, 1, sets, request->l, seen, likeness.diverse);
		sdc_classes_release(host, sets);
		sdc_frequency_release(host, expanded);
	}
	else
		judge_runs(frequency, request->keys, classes, request->l, seen,
				   likeness.diverse);
	host->release(host, seen);
	return likeness;
}

static void
release(SdcHost *host, Likeness *likeness)
{
	host->release(host, likeness->records);
	host->release(host, likeness->diverse);
}

void
sdc_suppress_add(SdcSuppressState *state, int32_t class, uint64_t mask,
				 int64_t count)
{
	SdcSuppression *result = state->result;
	SdcHost *host = state->host;
	SdcSuppressStep *step;

	if (result->steps == result->room)
	{
		step = sdc_new(host, SdcSuppressStep, 2 * (size_t) result->room);
		memcpy(step, result->step, sizeof(*step) * (size_t) result->steps);
		host->release(host, result->step);
		result->step = step;
		result->room *= 2;
	}
	step = &result->step[result->steps++];
	step->class = class;
	step->mask = mask;
	step->count = count;
}

static void
find_violators(SdcSuppressState *state, const Likeness *likeness)
{
	int32_t c;

	state->violator = sdc_new(state->host, int32_t, state->classes->classes);
	for (c = 0; c < state->classes->classes; c++)
		if (likeness->records[c] < state->request->k || !likeness->diverse[c])
			state->violator[state->violators++] = c;
}

static void
release_state(SdcSuppressState *state)
{
	SdcHost *host = state->host;

	host->release(host, state->mask);
	host->release(host, state->cost);
	host->release(host, state->nulls);
	host->release(host, state->packed);
	host->release(host, state->violator);
	host->release(host, state->group_key);
	host->release(host, state->slot);
	host->release(host, state->diverse);
	host->release(host, state->pairs);
	host->release(host, state->distinct);
	host->release(host, state->seen);
}

static void
sum_up(SdcSuppression *result)
{
	int32_t i;

	for (i = 0; i < result->steps; i++)
	{
		const SdcSuppressStep *step = &result->step[i];

		result->records += step->count;
		result->values += step->count * __builtin_popcountll(step->mask);
	}
}

SdcSuppression *
sdc_suppress_plan(SdcHost *host, const SdcFrequency *frequency,
				  const SdcClasses *classes, const SdcSuppressRequest *request)
{
	SdcSuppressState state = {.host = host,
							  .frequency = frequency,
							  .classes = classes,
							  .request = request};
	Likeness likeness = judge(host, frequency, classes, request);

	host->stage(host, "choosing what to suppress");
	state.result = sdc_new(host, SdcSuppression, 1);
	memset(state.result, 0, sizeof(*state.result));
	state.result->room = 64;
	state.result->step = sdc_new(host, SdcSuppressStep, 64);
	find_violators(&state, &likeness);
	sdc_suppress_masks(&state);
	sdc_suppress_pack(&state);
	state.diverse = sdc_new(host, int32_t, classes->classes);
	state.seen = sdc_new(host, int32_t, (size_t) request->l);
	if (request->wildcard)
		sdc_suppress_wildcard(&state, likeness.records, likeness.diverse);
	else
		sdc_suppress_category(&state);
	sum_up(state.result);
	release_state(&state);
	release(host, &likeness);
	return state.result;
}

int64_t
sdc_suppress_violations(SdcHost *host, const SdcFrequency *frequency,
						const SdcSuppressRequest *request)
{
	SdcClasses *classes =
		sdc_frequency_classes(host, frequency, request->keys);
	Likeness likeness = judge(host, frequency, classes, request);
	int64_t violations = 0;
	int32_t c;

	for (c = 0; c < classes->classes; c++)
		if (likeness.records[c] < request->k || !likeness.diverse[c])
			violations += classes->size[c];
	release(host, &likeness);
	sdc_classes_release(host, classes);
	return violations;
}
