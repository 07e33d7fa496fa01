/*
 * model_utility.c
 *		sdc.utility_clusters and sdc.utility_classifier: does an analysis of
 *		the masked relation find what one of the original finds?  sdc.classify:
 *		rows of one relation, predicted by a model of another.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/model/cross_validation.h"
#include "kernel/model/kmeans.h"
#include "kernel/model/model.h"
#include "topic/model/kmeans.h"
#include "topic/model/learning.h"

PG_FUNCTION_INFO_V1(sdcf_utility_clusters);
PG_FUNCTION_INFO_V1(sdcf_utility_classifier);

static const char *const clusters_keys[] = {SDC_CLUSTERS_PARAMS, "repeats",
											NULL};
static const SdcKey classifier_keys[] = {
	SDC_LEARNER_KEYS,
	SDC_REPEATS_KEY,
	SDC_FOLDS_KEY,
	{"fold", SDC_KEY_TEXT},
	{"id", SDC_KEY_TEXT},
	{"p", SDC_KEY_NUMBER, .low = 0, .high = 100, .absent = "10"},
	{NULL}};

/* What utility_clusters measures, repeat by repeat. */
typedef struct Agreement
{
	double *adjusted;
	double *rand;
	double *jaccard;
	double *f_measure;
	double *itself; /* adjusted Rand of the original with itself */
} Agreement;

/* The labels of a masked clustering by row of the original; -1 of none. */
static int32 *
align_labels(const SdcClusters *original, const SdcClusters *masked,
			 SdcPgHost *host, const int32 *label, int32 *records)
{
	int32 *aligned = sdc_new(&host->kernel, int32, original->rows);
	int32 i;

	*records = 0;
	for (i = 0; i < original->rows; i++)
	{
		int32 row = sdcpg_ids_find(
			&masked->ids, sdcpg_frame_text(&original->frame->column[0], i));

		if (i % SDC_POLL_STEPS == 0)
			host->kernel.poll(&host->kernel, i, original->rows);
		*records += row >= 0;
		aligned[i] = row < 0 ? -1 : label[row];
	}
	return aligned;
}

/* Clusters both relations by the seed of each repeat; returns the records. */
static int32
measure_agreement(const SdcClusters clusters[2], SdcPgHost *host,
				  SdcKmeansSettings settings, int repeats,
				  Agreement *agreement)
{
	SdcHost *kernel = &host->kernel;
	uint64 seed = settings.seed;
	int32 rows = clusters[0].rows;
	int32 *first = NULL;
	int32 records = 0;
	int r;

	for (r = 0; r < repeats; r++)
	{
		int32 *original;
		int32 *masked;
		int32 *aligned;
		SdcPartitionAgreement found;

		settings.seed = sdcpg_repeats_seed(seed, r);
		original = sdcpg_clusters_find(&clusters[0], host, &settings);
		masked = sdcpg_clusters_find(&clusters[1], host, &settings);
		aligned =
			align_labels(&clusters[0], &clusters[1], host, masked, &records);
		found = sdc_partition_agreement_labels(kernel, original, settings.k,
											   aligned, settings.k, rows);
		agreement->adjusted[r] = found.adjusted;
		agreement->rand[r] = found.rand;
		agreement->jaccard[r] = found.jaccard;
		agreement->f_measure[r] = found.f_measure;
		if (r == 0)
			first = original;
		else
			agreement->itself[r - 1] =
				sdc_partition_agreement_labels(kernel, first, settings.k,
											   original, settings.k, rows)
					.adjusted;
		kernel->release(kernel, masked);
		kernel->release(kernel, aligned);
		if (r > 0)
			kernel->release(kernel, original);
	}
	return records;
}

static void
put_agreement(const Agreement *agreement, ReturnSetInfo *result, int32 k,
			  int32 records, int repeats)
{
	const char *subject = psprintf("k = %d", k);

	sdcpg_repeats_put(result, "adjusted_rand", subject, agreement->adjusted,
					  repeats,
					  "Agreement of the clusters of both relations, 0 by "
					  "chance and 1 when equal.");
	sdcpg_repeats_put(result, "rand_index", subject, agreement->rand, repeats,
					  "Share of the pairs of records that both clusterings "
					  "treat alike.");
	sdcpg_repeats_put(result, "jaccard_index", subject, agreement->jaccard,
					  repeats,
					  "Share of the pairs together in both clusterings, of "
					  "those together in one.");
	sdcpg_repeats_put(result, "f_measure", subject, agreement->f_measure,
					  repeats,
					  "How well each original cluster is matched by its best "
					  "masked one.");
	if (repeats > 1)
		sdcpg_repeats_put(result, "adjusted_rand_self", subject,
						  agreement->itself, repeats - 1,
						  "Agreement of the original with itself under "
						  "another seed: no masking can be told from less.");
	sdcpg_result_measure(result, "records", subject, records, false,
						 "Records that are in both relations.");
}

/*
 * utility_clusters(original regclass, masked regclass, id name,
 *                  columns columns, k integer, params jsonb, seed bigint)
 */
Datum
sdcf_utility_clusters(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	uint64 seed =
		PG_ARGISNULL(6) ? sdcpg_strong_seed() : (uint64) PG_GETARG_INT64(6);
	SdcKmeansSettings settings;
	SdcClusters clusters[2];
	Agreement agreement;
	SdcPgHost *host;
	int repeats;
	int i;

	sdcpg_args_need_first(fcinfo, 5);
	sdcpg_params_check(params, clusters_keys);
	settings = sdcpg_clusters_settings(PG_GETARG_INT32(4), params, seed);
	repeats = sdcpg_repeats_read(params, 5);
	host = sdcpg_host_begin("utility_clusters", CurrentMemoryContext);
	for (i = 0; i < 2; i++)
		sdcpg_clusters_load(
			&clusters[i], host, sdcpg_relation_find(PG_GETARG_OID(i)),
			NameStr(*PG_GETARG_NAME(2)), PG_GETARG_ARRAYTYPE_P(3));
	agreement.adjusted = sdc_new(&host->kernel, double, repeats);
	agreement.rand = sdc_new(&host->kernel, double, repeats);
	agreement.jaccard = sdc_new(&host->kernel, double, repeats);
	agreement.f_measure = sdc_new(&host->kernel, double, repeats);
	agreement.itself = sdc_new(&host->kernel, double, repeats);
	i = measure_agreement(clusters, host, settings, repeats, &agreement);
	put_agreement(&agreement, result, settings.k, i, repeats);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* Accuracies of one sensitive column, by repeat. */
static void
put_classifier(const SdcHeldOut *held, ReturnSetInfo *result, int sensitive,
			   int repeats, uint64 seed)
{
	SdcHost *host = &held->host->kernel;
	const SdcLearning *learning = held->learning;
	const char *subject = learning->sensitive.column[sensitive].name;
	double *masked = sdc_new(host, double, repeats);
	double *original = sdc_new(host, double, repeats);
	double *baseline = sdc_new(host, double, repeats);
	double *loss = sdc_new(host, double, repeats);
	int r;

	for (r = 0; r < repeats; r++)
	{
		SdcHeldOutShares shares =
			sdcpg_held_out_measure(held, sensitive, learning->keys.count,
								   sdcpg_repeats_seed(seed, r));

		masked[r] = shares.masked;
		original[r] = shares.original;
		baseline[r] = shares.original_baseline;
		loss[r] = shares.original - shares.masked;
	}
	sdcpg_repeats_put(result, "accuracy_masked", subject, masked, repeats,
					  "Share of held-out original records that a model of "
					  "the masked ones predicts right%s.",
					  learning->id != NULL
						  ? ""
						  : "; without an id it may have learned from them, "
							"masked");
	sdcpg_repeats_put(result, "accuracy_original", subject, original, repeats,
					  "The same of a model of the original records.");
	sdcpg_repeats_put(result, "accuracy_baseline", subject, baseline, repeats,
					  "The same when the most frequent value is predicted for "
					  "all.");
	sdcpg_repeats_put(result, "accuracy_loss", subject, loss, repeats,
					  "What masking costs: accuracy_original minus "
					  "accuracy_masked.");
}

/*
 * utility_classifier(original regclass, masked regclass, keys columns,
 *                    sensitive columns, variant text, params jsonb,
 *                    seed bigint)
 */
Datum
sdcf_utility_classifier(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	uint64 seed =
		PG_ARGISNULL(6) ? sdcpg_strong_seed() : (uint64) PG_GETARG_INT64(6);
	SdcLearner learner;
	SdcLearning learning;
	SdcHeldOut held;
	const char *fold;
	int repeats;
	int s;

	sdcpg_args_need_first(fcinfo, 2);
	sdcpg_args_need(fcinfo, 4);
	memset(&held, 0, sizeof(held));
	sdcpg_params_check_keys(params, classifier_keys);
	learner = sdcpg_learner_read(PG_GETARG_TEXT_PP(4), params, seed);
	fold = sdcpg_params_text(params, "fold");
	repeats = sdcpg_repeats_read(params, fold != NULL ? 1 : 10);
	held.folds = sdcpg_keys_integer(classifier_keys, params, "folds");
	held.p = sdcpg_keys_number(classifier_keys, params, "p");
	sdcpg_learning_find(&learning, PG_GETARG_OID(0), PG_GETARG_OID(1),
						sdcpg_params_text(params, "id"), fold != NULL,
						PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2),
						PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3));
	learning.second_sensitive = true;
	held.learning = &learning;
	held.learner = &learner;
	held.host = sdcpg_host_begin("utility_classifier", CurrentMemoryContext);
	sdcpg_learning_load(&learning, held.host);
	sdcpg_held_out_prepare(&held);
	if (fold != NULL)
		held.fixed =
			sdcpg_held_out_folds(&learning, held.host, fold, &held.folds);
	for (s = 0; s < learning.sensitive.count; s++)
		put_classifier(&held, result, s, repeats, seed);
	sdcpg_host_end(held.host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * sdc.classify: learn from one relation, predict for another.
 * ----------------------------------------------------------------------
 */

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
