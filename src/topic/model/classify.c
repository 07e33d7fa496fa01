/*
 * classify.c
 *		sdc.classify: learn from one relation, predict for another.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "host/call/args.h"
#include "host/call/params.h"
#include "host/data/dictionary.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/model/cross_validation.h"
#include "kernel/model/model.h"
#include "topic/model/learning.h"

PG_FUNCTION_INFO_V1(sdcf_classify);

static const SdcKey params_keys[] = {SDC_LEARNER_KEYS, {NULL}};

/* One call of the function. */
typedef struct Classification
{
	SdcPgHost *host;
	SdcLearner learner;
	SdcLearning learning;
	SdcOutcome outcome;
} Classification;

/* Fits the model to all labelled rows. */
static SdcModel *
fit(Classification *classification)
{
	SdcHost *host = &classification->host->kernel;
	const SdcLearningSide *side = &classification->learning.side[0];
	int32 *row = sdc_new(host, int32, side->rows);
	SdcModelTask task = {&side->keys,
						 classification->outcome.label,
						 classification->outcome.classes,
						 row,
						 0,
						 &classification->learner.settings};
	int32 i;

	for (i = 0; i < side->rows; i++)
		if (classification->outcome.label[i] != SDC_MODEL_NO_LABEL)
			row[task.rows++] = i;
	if (task.rows == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation \"%s\" has no record to learn from",
						side->relation->name),
				 errdetail("A record whose sensitive value is null teaches "
						   "nothing.")));
	sdcpg_learner_check(&classification->learner, classification->host,
						&side->keys, &classification->outcome, side->rows);
	host->stage(host, "training models");
	return sdc_model_fit(host, classification->learner.method, &task);
}

/* The class as text. */
static char *
label_text(const Classification *classification, int32 label)
{
	const SdcLearning *learning = &classification->learning;

	if (classification->outcome.value != NULL)
		return DatumGetCString(DirectFunctionCall1(
			float8out, Float8GetDatum(classification->outcome.value[label])));
	return sdcpg_dictionary_text(learning->dictionary[learning->keys.count],
								 label);
}

static void
put_labels(const Classification *classification, SdcModel *model,
		   ReturnSetInfo *result)
{
	SdcHost *host = &classification->host->kernel;
	const SdcLearningSide *side = &classification->learning.side[1];
	MemoryContext scratch = AllocSetContextCreate(
		classification->host->work, "sdc result", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	int32 i;

	host->stage(host, "predicting");
	for (i = 0; i < side->rows; i++)
	{
		bool isnull[3] = {false, false, false};
		Datum values[3];
		int32 label = sdc_model_predict(model, &side->keys, i);

		if (i % 256 == 0)
		{
			MemoryContextReset(scratch);
			host->poll(host, i, side->rows);
		}
		values[0] = CStringGetTextDatum(sdcpg_learning_id(side, i));
		values[1] = CStringGetTextDatum(label_text(classification, label));
		values[2] = Float8GetDatum(model->probability[label]);
		sdcpg_result_put(result, values, isnull);
	}
	MemoryContextSwitchTo(caller);
}

/*
 * classify(relation regclass, external regclass, id name, keys columns,
 *          sensitive columns, variant text, params jsonb, seed bigint)
 */
Datum
sdcf_classify(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(6) ? NULL : PG_GETARG_JSONB_P(6);
	Classification classification;
	SdcLearning *learning = &classification.learning;

	sdcpg_args_need_first(fcinfo, 2);
	sdcpg_args_need(fcinfo, 5);
	sdcpg_params_check_keys(params, params_keys);
	classification.learner = sdcpg_learner_read(
		PG_GETARG_TEXT_PP(5), params,
		PG_ARGISNULL(7) ? sdcpg_strong_seed() : (uint64) PG_GETARG_INT64(7));
	sdcpg_learning_find(learning, PG_GETARG_OID(0), PG_GETARG_OID(1),
						PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2)),
						true,
						PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3),
						PG_ARGISNULL(4) ? NULL : PG_GETARG_ARRAYTYPE_P(4));
	if (learning->sensitive.count != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"sensitive\" must name one column"),
				 errhint("Call the function once for each column that is to "
						 "be predicted.")));
	classification.host = sdcpg_host_begin("classify", CurrentMemoryContext);
	sdcpg_learning_load(learning, classification.host);
	classification.outcome = sdc_outcome_make(
		&classification.host->kernel, &learning->side[0].sensitive[0],
		learning->side[0].rows, classification.learner.bins);
	put_labels(&classification, fit(&classification), result);
	sdcpg_host_end(classification.host);
	return (Datum) 0;
}
