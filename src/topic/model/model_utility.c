/*
 * model_utility.c
 *		sdc.utility_clusters and sdc.utility_classifier: does an analysis of
 *		the masked relation find what one of the original finds?  The lines
 *		accuracy_* of sdc.utility_report.  sdc.classify: rows of one relation,
 *		predicted by a model of another.
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
#include "topic/registry/roles.h"
#include "topic/utility/contrast.h"
#include "topic/utility/utility.h"

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
 * The lines accuracy_* of sdc.utility_report: models that learn from each
 * relation, asked about records of the original that they have not seen, or
 * about those of a control.
 * ----------------------------------------------------------------------
 */

/* Parts of the original, each predicted by models of the other parts. */
#define UNSEEN_FOLDS 5

/* What a number may be off by, as a part of its deviation. */
#define UNSEEN_TOLERANCE 0.1

typedef struct Unseen
{
	SdcUtility *utility;
	SdcLearner learner;
	SdcContrast *control[2]; /* a control beside each relation; or NULL */
	int32 *fold;             /* of each original record, without a control */
	int32 *carried;          /* of each masked one, by its id; or NULL */
	SdcMean masked;
	SdcMean original;
	SdcMean baseline;
} Unseen;

/* One question: what is learned from, and which records are asked. */
typedef struct UnseenCase
{
	const SdcContrast *contrast; /* its original is asked */
	const SdcContrastSide *from;
	const int32 *from_fold; /* NULL: all are learned from */
	const int32 *asked_fold;
} UnseenCase;

static SdcModelColumn
unseen_column(const SdcContrast *contrast, const SdcContrastSide *side, int j)
{
	SdcModelColumn column = {NULL, NULL, 0};

	if (contrast->column[j].number)
		column.number = side->number[j];
	else
	{
		column.code = side->code[j];
		column.values = contrast->column[j].values;
	}
	return column;
}

/* All columns but the one that is predicted. */
static SdcModelTable
unseen_table(SdcHost *host, const SdcContrast *contrast,
			 const SdcContrastSide *side, int without)
{
	SdcModelTable table = {side->rows, 0,
						   sdc_new(host, SdcModelColumn, contrast->columns)};
	int j;

	for (j = 0; j < contrast->columns; j++)
		if (j != without)
			table.column[table.columns++] = unseen_column(contrast, side, j);
	return table;
}

/* One fold for all rows. */
static int32 *
same_fold(SdcHost *host, int32 rows, int32 fold)
{
	int32 *of = sdc_new(host, int32, rows);
	int32 i;

	for (i = 0; i < rows; i++)
		of[i] = fold;
	return of;
}

/* How many rows have a value. */
static int32
known_values(const SdcModelColumn *column, int32 rows)
{
	int32 known = 0;
	int32 i;

	for (i = 0; i < rows; i++)
		known += column->number != NULL ? !isnan(column->number[i])
										: column->code[i] >= 0;
	return known;
}

/* The share of the values of column j that a model predicts right. */
static double
unseen_share(const Unseen *unseen, const SdcModelMethod *method,
			 const UnseenCase *asked, int j)
{
	const SdcContrast *contrast = asked->contrast;
	SdcArena *arena = sdc_arena_create(&contrast->host->kernel);
	SdcHost *host = &arena->host;
	int32 rows = contrast->original.rows;
	SdcModelColumn truth = unseen_column(contrast, &contrast->original, j);
	SdcModelColumn learned = unseen_column(contrast, asked->from, j);
	SdcOutcome outcome = sdc_outcome_make(host, &learned, asked->from->rows,
										  unseen->learner.bins);
	SdcModelTable training = unseen_table(host, contrast, asked->from, j);
	SdcModelTable questions =
		unseen_table(host, contrast, &contrast->original, j);
	SdcCrossValidation validation = {
		.method = method,
		.settings = &unseen->learner.settings,
		.folds = asked->from_fold == NULL ? 1 : UNSEEN_FOLDS,
		.training = &training,
		.label = outcome.label,
		.classes = outcome.classes,
		.training_fold = asked->from_fold,
		.asked = &questions,
		.asked_fold = asked->asked_fold};
	int32 *predicted = sdc_new(host, int32, rows);
	double tolerance =
		truth.number == NULL
			? 0
			: UNSEEN_TOLERANCE * sdc_outcome_deviation(host, &truth, rows);
	int32 known = known_values(&truth, rows);
	int32 right;

	if (asked->from_fold == NULL)
	{
		validation.training_fold = same_fold(host, asked->from->rows, -1);
		validation.asked_fold = same_fold(host, rows, 0);
	}
	sdc_cross_validation_predict(host, &validation, predicted);
	right = sdc_outcome_right(&outcome, predicted, &truth, rows, tolerance);
	sdc_arena_end(arena);
	return known == 0 ? NAN : (double) right / known;
}

/* What is learned from the original (0), or from the masked relation (1). */
static UnseenCase
unseen_case(const Unseen *unseen, int side)
{
	const SdcContrast *own = &unseen->utility->comparison;
	UnseenCase asked = {own, side == 0 ? &own->original : &own->masked,
						side == 0 ? unseen->fold : unseen->carried,
						unseen->fold};

	if (unseen->control[side] != NULL)
	{
		asked.contrast = unseen->control[side];
		asked.from = &unseen->control[side]->masked;
		asked.from_fold = NULL;
	}
	return asked;
}

/* The folds of the original, and by the ids those of the masked records. */
static void
deal_unseen(Unseen *unseen, uint64 seed)
{
	const SdcContrast *contrast = &unseen->utility->comparison;
	SdcHost *host = &contrast->host->kernel;
	SdcRandom random;
	int32 i;

	sdc_random_seed(&random, seed, 0);
	unseen->fold = sdc_new(host, int32, contrast->original.rows);
	sdc_folds_deal(host, contrast->original.rows, UNSEEN_FOLDS, &random,
				   unseen->fold);
	if (contrast->partner == NULL)
		return;
	unseen->carried = same_fold(host, contrast->masked.rows, -1);
	for (i = 0; i < contrast->original.rows; i++)
		if (contrast->partner[i] >= 0)
			unseen->carried[contrast->partner[i]] = unseen->fold[i];
}

/* Reads the control beside both relations. */
static void
load_control(Unseen *unseen, const char *name)
{
	SdcUtility *utility = unseen->utility;
	SdcRelation *control = sdcpg_relation_named(name);
	SdcRelationColumns columns = utility->columns;
	int side;
	int j;

	columns.column = palloc(sizeof(SdcRelationColumn) * columns.count);
	for (j = 0; j < columns.count; j++)
		columns.column[j] =
			sdcpg_relation_column(control, utility->columns.column[j].name);
	for (side = 0; side < 2; side++)
	{
		unseen->control[side] = palloc0(sizeof(SdcContrast));
		sdcpg_contrast_describe(
			unseen->control[side], control,
			side == 0 ? utility->comparison.original.relation
					  : utility->comparison.masked.relation,
			NULL, &columns, sdcpg_utility_categories(utility->params));
		sdcpg_contrast_load(unseen->control[side], utility->host);
	}
}

static void
add_unseen(Unseen *unseen, int j)
{
	SdcUtilityLines *lines = &unseen->utility->lines;
	const char *subject = unseen->utility->comparison.column[j].subject;
	UnseenCase own = unseen_case(unseen, 0);
	UnseenCase foreign = unseen_case(unseen, 1);
	const SdcModelMethod *method = unseen->learner.method;
	double masked = unseen_share(unseen, method, &foreign, j);
	double original = unseen_share(unseen, method, &own, j);
	double baseline = unseen_share(unseen, &sdc_model_methods[0], &own, j);

	sdcpg_utility_lines_add(
		lines, "accuracy_loss", subject, original - masked,
		"accuracy_original minus accuracy_masked, by all other columns.");
	sdcpg_utility_lines_add(lines, "accuracy_masked", subject, masked,
							"Predicted right by a model of the masked "
							"records.");
	sdcpg_utility_lines_turn(lines);
	sdcpg_utility_lines_add(lines, "accuracy_original", subject, original,
							"The same by a model of the original.");
	sdcpg_utility_lines_turn(lines);
	sdcpg_utility_lines_add(lines, "accuracy_baseline", subject, baseline,
							"The same when the most frequent value is "
							"predicted for all.");
	sdcpg_utility_lines_turn(lines);
	sdc_mean_add(&unseen->masked, masked);
	sdc_mean_add(&unseen->original, original);
	sdc_mean_add(&unseen->baseline, baseline);
}

/* The mean of all columns that were predicted. */
static void
add_all_unseen(const Unseen *unseen)
{
	SdcUtilityLines *lines = &unseen->utility->lines;
	const char *what = psprintf(
		"Mean of %s, each predicted by the others (%s): %s.",
		sdcpg_utility_lines_columns(unseen->original.count),
		unseen->learner.method->name,
		unseen->control[0] != NULL ? "values of the control"
		: unseen->carried != NULL
			? "values of original records that no model has learned from"
			: "values of original records, which the masked ones may have "
			  "been made of");

	sdcpg_utility_lines_add(lines, "accuracy_loss", NULL,
							sdc_mean_of(&unseen->original) -
								sdc_mean_of(&unseen->masked),
							"accuracy_original minus accuracy_masked.");
	sdcpg_utility_lines_add(lines, "accuracy_masked", NULL,
							sdc_mean_of(&unseen->masked), "%s", what);
	sdcpg_utility_lines_add(lines, "accuracy_original", NULL,
							sdc_mean_of(&unseen->original),
							"The same by models of the original.");
	sdcpg_utility_lines_add(lines, "accuracy_baseline", NULL,
							sdc_mean_of(&unseen->baseline),
							"The same when the most frequent value is "
							"predicted for all.");
}

/* Is a column to be predicted: named, or else declared as sensitive? */
static bool
is_predicted(const SdcUtility *utility, List *named,
			 const SdcRelationColumns *sensitive, int j)
{
	const SdcRelationColumn *column = &utility->columns.column[j];

	if (named != NIL)
		return sdcpg_params_is_listed(named, column->name);
	return sensitive->count == 0 ||
		   sdcpg_relation_lists(sensitive, column->number);
}

void
sdcpg_utility_models(SdcUtility *utility)
{
	Unseen unseen = {.utility = utility};
	char *variant = sdcpg_params_text(utility->params, "variant");
	char *control = sdcpg_params_text(utility->params, "control");
	List *named = sdcpg_params_names(utility->params, "predict");
	SdcRelationColumns sensitive;
	int j;

	if (!sdcpg_report_wants(utility->report, "accuracy_loss"))
		return;
	unseen.learner =
		sdcpg_learner_read(cstring_to_text(variant != NULL ? variant : "tree"),
						   NULL, utility->seed);
	sensitive = sdcpg_roles_columns(utility->comparison.original.relation,
									"sensitive", NULL, SDC_ROLE_SENSITIVE);
	if (utility->columns.count < 2)
	{
		sdcpg_utility_lines_add(&utility->lines, "accuracy_loss", NULL, NAN,
								"There is no other column to predict by.");
		return;
	}
	if (control != NULL)
		load_control(&unseen, control);
	else
		deal_unseen(&unseen, utility->seed);
	for (j = 0; j < utility->columns.count; j++)
		if (is_predicted(utility, named, &sensitive, j))
			add_unseen(&unseen, j);
	add_all_unseen(&unseen);
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
