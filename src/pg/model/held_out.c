/*
 * held_out.c
 *		Sensitive values of original records predicted by models that have
 *		not seen them, trained on the original and on the masked relation.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/model/cross_validation.h"
#include "kernel/model/folds.h"
#include "pg/call/query.h"
#include "pg/model/held_out.h"

void
sdcpg_held_out_prepare(SdcHeldOut *held)
{
	const SdcLearning *learning = held->learning;
	SdcHost *host = &held->host->kernel;
	const SdcLearningSide *side = learning->side;
	int count = learning->sensitive.count;
	int s;

	held->asked = side[0].keys;
	held->partner[0] = NULL;
	held->partner[1] = NULL;
	if (learning->id != NULL)
	{
		held->partner[0] = sdcpg_learning_partners(learning, held->host, 0);
		held->partner[1] = sdcpg_learning_partners(learning, held->host, 1);
		held->asked =
			sdcpg_learning_recode(learning, held->host, held->partner[0]);
	}
	held->original = sdc_new(host, SdcOutcome, count);
	held->masked = sdc_new(host, SdcOutcome, count);
	held->tolerance = sdc_new(host, double, count);
	for (s = 0; s < count; s++)
	{
		const SdcModelColumn *truth = &side[0].sensitive[s];

		held->original[s] =
			sdc_outcome_make(host, truth, side[0].rows, held->learner->bins);
		held->masked[s] = sdc_outcome_make(host, &side[1].sensitive[s],
										   side[1].rows, held->learner->bins);
		sdcpg_learner_check(held->learner, held->host, &side[0].keys,
							&held->original[s], side[0].rows);
		sdcpg_learner_check(held->learner, held->host, &side[1].keys,
							&held->masked[s], side[1].rows);
		held->tolerance[s] =
			truth->number == NULL
				? 0
				: held->p / 100 *
					  sdc_outcome_deviation(host, truth, side[0].rows);
	}
}

const int32 *
sdcpg_held_out_folds(const SdcLearning *learning, SdcPgHost *host,
					 const char *column, int *folds)
{
	SdcFrameType types[2] = {SDC_FRAME_TEXT, SDC_FRAME_CODE};
	SdcDictionary *dictionary[2] = {NULL, NULL};
	SdcRelationColumn fold =
		sdcpg_relation_column(learning->relation[0], column);
	SdcRelationColumns columns = {1, &fold};
	SdcFrame *frame = sdcpg_frame_load_codes(
		host,
		sdcpg_query_records(learning->relation[0], learning->id, &columns), 2,
		types, dictionary);

	(void) sdcpg_dictionary_sort(dictionary[1]);
	*folds = sdcpg_dictionary_values(dictionary[1]);
	return frame->column[1].code;
}

/* The fold of each original row that is asked, -1 for the others. */
static int32 *
deal_folds(const SdcHeldOut *held, int sensitive, int folds, uint64 seed,
		   int32 *asked)
{
	SdcHost *host = &held->host->kernel;
	const SdcLearningSide *side = &held->learning->side[0];
	const SdcOutcome *outcome = &held->original[sensitive];
	int32 *fold = sdc_new(host, int32, side->rows);
	SdcRandom random;
	int32 i;

	sdc_random_seed(&random, seed, 0);
	if (held->fixed == NULL)
		sdc_folds_deal(host, side->rows, folds, &random, fold);
	else
		memcpy(fold, held->fixed, sizeof(int32) * side->rows);
	*asked = 0;
	for (i = 0; i < side->rows; i++)
		*asked += fold[i] >= 0 && outcome->label[i] != SDC_MODEL_NO_LABEL;
	return fold;
}

/* The fold of each masked row is its original's; -1 when it has none. */
static int32 *
carry_folds(const SdcHeldOut *held, const int32 *fold)
{
	int32 rows = held->learning->side[1].rows;
	int32 *carried = sdc_new(&held->host->kernel, int32, rows);
	int32 i;

	for (i = 0; i < rows; i++)
		carried[i] = held->partner[1] == NULL || held->partner[1][i] < 0
						 ? -1
						 : fold[held->partner[1][i]];
	return carried;
}

/* Share of right predictions of one method trained on one side. */
static double
share_right(const SdcHeldOut *held, SdcCrossValidation *validation, int side,
			int sensitive, int32 asked)
{
	SdcHost *host = &held->host->kernel;
	const SdcLearningSide *from = held->learning->side;
	const SdcOutcome *outcome =
		side == 0 ? &held->original[sensitive] : &held->masked[sensitive];
	SdcModelTable training = from[side].keys;
	int32 *predicted = sdc_new(host, int32, from[0].rows);
	int32 right;

	training.columns = validation->asked->columns;
	validation->training = &training;
	validation->label = outcome->label;
	validation->classes = outcome->classes;
	sdc_cross_validation_predict(host, validation, predicted);
	right =
		sdc_outcome_right(outcome, predicted, &from[0].sensitive[sensitive],
						  from[0].rows, held->tolerance[sensitive]);
	host->release(host, predicted);
	return asked > 0 ? (double) right / asked : NAN;
}

SdcHeldOutShares
sdcpg_held_out_measure(const SdcHeldOut *held, int sensitive, int keys,
					   uint64 seed)
{
	SdcHost *host = &held->host->kernel;
	SdcModelTable original = held->learning->side[0].keys;
	SdcModelTable asked = held->asked;
	SdcModelSettings settings = held->learner->settings;
	int folds = held->fixed != NULL ? held->folds
									: Min(held->folds, Max(original.rows, 1));
	SdcHeldOutShares shares;
	int32 *fold = deal_folds(held, sensitive, folds, seed, &shares.records);
	int32 *carried = carry_folds(held, fold);
	SdcCrossValidation validation = {held->learner->method, &settings, folds};

	host->stage(host, "training models");
	settings.seed = seed;
	original.columns = keys;
	asked.columns = keys;
	validation.asked_fold = fold;
	validation.asked = &asked;
	validation.training_fold = carried;
	shares.masked =
		share_right(held, &validation, 1, sensitive, shares.records);
	validation.method = sdcpg_learner_baseline();
	shares.masked_baseline =
		share_right(held, &validation, 1, sensitive, shares.records);
	validation.asked = &original;
	validation.training_fold = fold;
	shares.original_baseline =
		share_right(held, &validation, 0, sensitive, shares.records);
	validation.method = held->learner->method;
	shares.original =
		share_right(held, &validation, 0, sensitive, shares.records);
	host->release(host, fold);
	host->release(host, carried);
	return shares;
}
