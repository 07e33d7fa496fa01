/*
 * suppress.c
 *		Local suppression: what lacks something, and who deals with it.
 */
#include "kernel/generalization/suppress.h"

#include <string.h>

#include "kernel/generalization/suppress_state.h"
#include "kernel/table/wildcard.h"

/* What the records of each class have like them. */
typedef struct Likeness
{
	int64_t *records;
	bool *diverse; /* at least l values in each sensitive column */
} Likeness;

/* Classes by themselves: runs of cells. */
static void
judge_runs(const SdcSuppressState *state, const SdcFrequency *frequency,
		   int first, const SdcClasses *classes, bool *diverse)
{
	int32_t c;

	for (c = 0; c < classes->classes; c++)
	{
		sdc_suppress_poll(state, c);
		diverse[c] = sdc_suppress_is_diverse(
			frequency, first, classes->first[c], classes->first[c + 1],
			state->request->l, state->seen);
	}
}

/* Counts records that may agree with those of classes smaller than k. */
static void
match_small(SdcSuppressState *state, int64_t *records)
{
	SdcHost *host = state->host;
	int32_t n = state->classes->classes;
	int32_t *small = sdc_new(host, int32_t, n);
	int64_t *total = sdc_new(host, int64_t, n);
	int32_t count = 0;
	int32_t c;

	for (c = 0; c < n; c++)
		if (records[c] < state->request->k)
			small[count++] = c;
	sdc_suppress_match(state, 0, small, count, total);
	for (c = 0; c < count; c++)
		records[small[c]] = total[c];
	host->release(host, small);
	host->release(host, total);
}

/* records is exact for classes that lack some, and k or more for others. */
static Likeness
judge(SdcSuppressState *state)
{
	SdcHost *host = state->host;
	const SdcFrequency *frequency = state->frequency;
	const SdcClasses *classes = state->classes;
	const SdcSuppressRequest *request = state->request;
	bool match = request->wildcard && state->any_nulls;
	Likeness likeness;
	SdcFrequency *expanded;
	SdcClasses *sets;

	likeness.records = sdc_new(host, int64_t, classes->classes);
	likeness.diverse = sdc_new(host, bool, classes->classes);
	memcpy(likeness.records, classes->size,
		   sizeof(int64_t) * (size_t) classes->classes);
	if (match)
		match_small(state, likeness.records);
	if (match && request->l > 1)
	{
		expanded =
			sdc_wildcard_expand(host, frequency, classes, request->keys);
		sets = sdc_frequency_classes(host, expanded, 1);
		judge_runs(state, expanded, 1, sets, likeness.diverse);
		sdc_classes_release(host, sets);
		sdc_frequency_release(host, expanded);
	}
	else
		judge_runs(state, frequency, request->keys, classes, likeness.diverse);
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
	host->release(host, state->pattern);
	host->release(host, state->pattern_start);
	host->release(host, state->by_pattern);
	host->release(host, state->pattern_of);
	host->release(host, state->sum);
	host->release(host, state->group_key);
	host->release(host, state->slot);
	host->release(host, state->diverse);
	host->release(host, state->pairs);
	host->release(host, state->distinct);
	host->release(host, state->seen);
	host->release(host, state->seen_count);
	host->release(host, state->arranged);
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

/* What planning and checking have in common. */
static SdcSuppressState
start(SdcHost *host, const SdcFrequency *frequency, const SdcClasses *classes,
	  const SdcSuppressRequest *request)
{
	SdcSuppressState state = {.host = host,
							  .frequency = frequency,
							  .classes = classes,
							  .request = request};
	size_t sensitive = (size_t) (frequency->columns - request->keys);

	sdc_suppress_pack(&state);
	state.seen = sdc_new(host, int32_t, sensitive * (size_t) request->l);
	return state;
}

SdcSuppression *
sdc_suppress_plan(SdcHost *host, const SdcFrequency *frequency,
				  const SdcClasses *classes, const SdcSuppressRequest *request)
{
	SdcSuppressState state = start(host, frequency, classes, request);
	Likeness likeness;

	host->stage(host, "choosing what to suppress");
	likeness = judge(&state);
	state.result = sdc_new(host, SdcSuppression, 1);
	memset(state.result, 0, sizeof(*state.result));
	state.result->room = 64;
	state.result->step = sdc_new(host, SdcSuppressStep, 64);
	find_violators(&state, &likeness);
	sdc_suppress_masks(&state);
	state.diverse = sdc_new(host, int32_t, classes->classes);
	state.seen_count = sdc_new(host, int64_t, frequency->columns);
	state.arranged = sdc_new(host, int32_t, 2 * (size_t) classes->classes);
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
	SdcSuppressState state = start(host, frequency, classes, request);
	int64_t violations = 0;
	Likeness likeness;
	int32_t c;

	host->stage(host, "checking");
	likeness = judge(&state);
	for (c = 0; c < classes->classes; c++)
		if (likeness.records[c] < request->k || !likeness.diverse[c])
			violations += classes->size[c];
	release(host, &likeness);
	release_state(&state);
	sdc_classes_release(host, classes);
	return violations;
}
