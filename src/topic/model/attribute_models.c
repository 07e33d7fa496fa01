/*
 * attribute_models.c
 *		sdc.inference_risk (ADR) and sdc.model_agreement (DDMbar): what models
 *		of a release know about people.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "host/call/params.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/model/cross_validation.h"
#include "kernel/model/kmeans.h"
#include "kernel/model/model.h"
#include "topic/model/learning.h"

PG_FUNCTION_INFO_V1(sdcf_inference_risk);
PG_FUNCTION_INFO_V1(sdcf_model_agreement);

static const SdcKey adr_keys[] = {
	SDC_LEARNER_KEYS,
	SDC_REPEATS_KEY,
	SDC_FOLDS_KEY,
	{"fold", SDC_KEY_TEXT},
	{"max_keys", SDC_KEY_INTEGER, .low = 0, .high = 1664, .absent = "0"},
	{NULL}};
static const SdcKey ddmbar_keys[] = {SDC_LEARNER_KEYS, {NULL}};

/* One call of either function. */
typedef struct Disclosure
{
	ReturnSetInfo *result;
	Jsonb *params;
	uint64 seed;
	SdcLearner learner;
	SdcLearning learning;
	SdcHeldOut held;
} Disclosure;

/* Reads the arguments, which both functions share, and the relations. */
static void
begin(Disclosure *disclosure, FunctionCallInfo fcinfo, const char *function,
	  const SdcKey *keys)
{
	SdcLearning *learning = &disclosure->learning;

	memset(disclosure, 0, sizeof(*disclosure));
	disclosure->result = sdcpg_result_begin(fcinfo);
	sdcpg_args_need_first(fcinfo, 2);
	sdcpg_args_need(fcinfo, 5);
	sdcpg_args_need(fcinfo, 6);
	disclosure->held.p = PG_GETARG_FLOAT8(5);
	sdcpg_args_range("p", disclosure->held.p, 0, 100);
	disclosure->params = PG_ARGISNULL(7) ? NULL : PG_GETARG_JSONB_P(7);
	sdcpg_params_check_keys(disclosure->params, keys);
	disclosure->seed =
		PG_ARGISNULL(8) ? sdcpg_strong_seed() : (uint64) PG_GETARG_INT64(8);
	disclosure->learner = sdcpg_learner_read(
		PG_GETARG_TEXT_PP(6), disclosure->params, disclosure->seed);
	sdcpg_learning_find(learning, PG_GETARG_OID(0), PG_GETARG_OID(1),
						PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2)),
						true,
						PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3),
						PG_ARGISNULL(4) ? NULL : PG_GETARG_ARRAYTYPE_P(4));
	learning->second_sensitive = true;
	disclosure->held.learning = learning;
	disclosure->held.learner = &disclosure->learner;
	disclosure->held.host = sdcpg_host_begin(function, CurrentMemoryContext);
	sdcpg_learning_load(learning, disclosure->held.host);
	sdcpg_held_out_prepare(&disclosure->held);
}

/* "is predicted right", by what the sensitive column is. */
static const char *
right_words(const Disclosure *disclosure, int sensitive)
{
	if (disclosure->learning.side[0].sensitive[sensitive].number == NULL)
		return "is predicted right";
	return psprintf("is predicted to %g %% of its standard deviation",
					disclosure->held.p);
}

/* inference_risk of one sensitive column. */
static void
put_adr(Disclosure *disclosure, int sensitive, int repeats)
{
	const SdcLearning *learning = &disclosure->learning;
	SdcHost *host = &disclosure->held.host->kernel;
	const char *subject = learning->sensitive.column[sensitive].name;
	double *masked = sdc_new(host, double, repeats);
	double *original = sdc_new(host, double, repeats);
	double *baseline = sdc_new(host, double, repeats);
	SdcHeldOutShares shares = {0};
	int r;

	for (r = 0; r < repeats; r++)
	{
		shares = sdcpg_held_out_measure(
			&disclosure->held, sensitive, learning->keys.count,
			sdcpg_repeats_seed(disclosure->seed, r));
		masked[r] = shares.masked;
		original[r] = shares.original;
		baseline[r] = shares.masked_baseline;
	}
	sdcpg_repeats_put(disclosure->result, "inference_risk", subject, masked,
					  repeats,
					  "Share of %d people whose value %s by a model of the "
					  "other people's masked records.",
					  shares.records, right_words(disclosure, sensitive));
	sdcpg_repeats_put(disclosure->result, "inference_risk_baseline", subject,
					  baseline, repeats,
					  "The same when the most frequent masked value is said "
					  "of all.");
	sdcpg_repeats_put(disclosure->result, "inference_risk_original", subject,
					  original, repeats,
					  "The same by a model of the other people's original "
					  "records.");
}

/* The same by the first key, by the first two, and so on. */
static void
put_adr_by_keys(Disclosure *disclosure, int sensitive, int repeats,
				int max_keys)
{
	const SdcLearning *learning = &disclosure->learning;
	SdcHost *host = &disclosure->held.host->kernel;
	double *masked = sdc_new(host, double, repeats);
	StringInfoData subject;
	int keys;
	int r;

	initStringInfo(&subject);
	appendStringInfo(&subject, "%s by ",
					 learning->sensitive.column[sensitive].name);
	for (keys = 1; keys <= Min(max_keys, learning->keys.count); keys++)
	{
		appendStringInfo(&subject, "%s%s", keys > 1 ? ", " : "",
						 learning->keys.column[keys - 1].name);
		for (r = 0; r < repeats; r++)
			masked[r] =
				sdcpg_held_out_measure(&disclosure->held, sensitive, keys,
									   sdcpg_repeats_seed(disclosure->seed, r))
					.masked;
		sdcpg_repeats_put(disclosure->result, "inference_risk_first_keys",
						  subject.data, masked, repeats,
						  "The same when the intruder knows only %s.",
						  keys == 1 ? "this key" : "these keys");
	}
}

/*
 * inference_risk(original regclass, masked regclass, id name, keys columns,
 *     sensitive columns, p float8, variant text, params jsonb, seed bigint)
 */
Datum
sdcf_inference_risk(PG_FUNCTION_ARGS)
{
	Disclosure disclosure;
	SdcHeldOut *held = &disclosure.held;
	const char *fold;
	int max_keys;
	int repeats;
	int s;

	begin(&disclosure, fcinfo, "inference_risk", adr_keys);
	held->folds = sdcpg_keys_integer(adr_keys, disclosure.params, "folds");
	fold = sdcpg_params_text(disclosure.params, "fold");
	if (fold != NULL)
		held->fixed = sdcpg_held_out_folds(&disclosure.learning, held->host,
										   fold, &held->folds);
	repeats = sdcpg_repeats_read(disclosure.params, fold != NULL ? 1 : 10);
	max_keys = sdcpg_keys_integer(adr_keys, disclosure.params, "max_keys");
	for (s = 0; s < disclosure.learning.sensitive.count; s++)
	{
		put_adr(&disclosure, s, repeats);
		put_adr_by_keys(&disclosure, s, repeats, max_keys);
	}
	sdcpg_host_end(held->host);
	return (Datum) 0;
}

/* What a model of all rows of one side says of each row of that side. */
static int32 *
predict_side(const Disclosure *disclosure, int side, int sensitive)
{
	const SdcHeldOut *held = &disclosure->held;
	SdcHost *host = &held->host->kernel;
	const SdcModelTable *keys = &disclosure->learning.side[side].keys;
	const SdcOutcome *outcome =
		side == 0 ? &held->original[sensitive] : &held->masked[sensitive];
	int32 *fold = sdc_new(host, int32, keys->rows);
	int32 *always = sdc_new(host, int32, keys->rows);
	int32 *predicted = sdc_new(host, int32, keys->rows);
	SdcCrossValidation all = {disclosure->learner.method,
							  &disclosure->learner.settings,
							  1,
							  keys,
							  outcome->label,
							  outcome->classes,
							  always,
							  keys,
							  fold};
	int32 i;

	for (i = 0; i < keys->rows; i++)
	{
		fold[i] = 0;
		always[i] = -1;
	}
	host->stage(host, "training models");
	sdc_cross_validation_predict(host, &all, predicted);
	host->release(host, fold);
	host->release(host, always);
	return predicted;
}

/* model_agreement of one sensitive column. */
static void
put_ddmbar(Disclosure *disclosure, int sensitive)
{
	const SdcHeldOut *held = &disclosure->held;
	SdcHost *host = &held->host->kernel;
	const char *subject =
		disclosure->learning.sensitive.column[sensitive].name;
	int32 rows = disclosure->learning.side[0].rows;
	int32 *original = predict_side(disclosure, 0, sensitive);
	int32 *masked = predict_side(disclosure, 1, sensitive);
	int32 *aligned = sdc_new(host, int32, rows);
	SdcModelAgreement found;
	double share;
	int32 i;

	for (i = 0; i < rows; i++)
		aligned[i] =
			held->partner[0][i] < 0 ? -1 : masked[held->partner[0][i]];
	found = sdc_model_agreement_count(
		host, &held->original[sensitive], original, &held->masked[sensitive],
		aligned, rows, held->tolerance[sensitive]);
	share = found.records > 0 ? (double) found.same / found.records : NAN;
	sdcpg_result_measure(
		disclosure->result, "model_agreement", subject, share, isnan(share),
		psprintf("For %d of %d records models of the original and of the "
				 "masked relation say the same.",
				 found.same, found.records));
	sdcpg_result_measure(disclosure->result, "model_agreement_chance", subject,
						 found.chance, isnan(found.chance),
						 "Share expected if what one model says had nothing "
						 "to do with what the other says.");
}

/*
 * model_agreement(original regclass, masked regclass, id name, keys columns,
 *        sensitive columns, p float8, variant text, params jsonb, seed bigint)
 */
Datum
sdcf_model_agreement(PG_FUNCTION_ARGS)
{
	Disclosure disclosure;
	int s;

	begin(&disclosure, fcinfo, "model_agreement", ddmbar_keys);
	for (s = 0; s < disclosure.learning.sensitive.count; s++)
		put_ddmbar(&disclosure, s);
	sdcpg_host_end(disclosure.held.host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * The attack "inference": each sensitive value is asked of models of the
 * masked records of the other people.
 * ----------------------------------------------------------------------
 */

const SdcKey sdcpg_inference_params[] = {
	SDC_LEARNER_KEYS, SDC_FOLDS_KEY, {NULL}};

/* What is known of the column that is predicted best. */
static void
infer_best(const SdcHeldOut *held, uint64 seed, SdcAttackOutcome *outcome)
{
	const SdcLearning *learning = held->learning;
	SdcHeldOutShares best = {0, -1};
	int column = 0;
	int s;

	for (s = 0; s < learning->sensitive.count; s++)
	{
		SdcHeldOutShares shares =
			sdcpg_held_out_measure(held, s, learning->keys.count, seed);

		if (shares.masked > best.masked)
		{
			best = shares;
			column = s;
		}
	}
	if (best.records == 0)
	{
		outcome->reason = "There is no record with a sensitive value.";
		return;
	}
	sdcpg_attack_share(outcome, best.masked, best.records,
					   "predicts %s of %.0f of %d people right, where saying "
					   "the most frequent value of all is right for %.0f",
					   learning->sensitive.column[column].name,
					   best.masked * best.records, best.records,
					   best.masked_baseline * best.records);
}

void
sdcpg_attack_inference(const SdcAttack *attack, const SdcAttackCase *of,
					   SdcPgHost *host, SdcAttackOutcome *outcome)
{
	uint64 seed = of->seeded ? (uint64) of->seed : sdcpg_strong_seed();
	SdcLearner learner =
		sdcpg_learner_read(cstring_to_text(of->method), of->params, seed);
	SdcLearning learning;
	SdcHeldOut held = {&learning, &learner, host, of->p};

	held.folds =
		sdcpg_keys_integer(sdcpg_inference_params, of->params, "folds");
	sdcpg_learning_find(&learning, of->original->oid, of->masked->oid, of->id,
						true, of->keys, of->sensitive);
	learning.second_sensitive = true;
	sdcpg_learning_load(&learning, host);
	if ((double) learning.side[0].rows * learning.keys.count * held.folds *
			learning.sensitive.count >
		attack->budget)
	{
		outcome->reason = "There are too many records for so many models; "
						  "ask for fewer folds.";
		return;
	}
	sdcpg_held_out_prepare(&held);
	infer_best(&held, seed, outcome);
}
