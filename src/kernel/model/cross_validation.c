/*
 * cross_validation.c
 *		Rows predicted by models that have not seen them.
 */
#include "kernel/model/cross_validation.h"

/* The rows to learn from when a fold is left out; returns how many. */
static int32_t
collect_training(SdcHost *host, const SdcCrossValidation *validation,
				 int32_t fold, int32_t *row)
{
	int32_t count = 0;
	int32_t i;

	for (i = 0; i < validation->training->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) fold, (uint64_t) validation->folds);
		if (validation->label[i] != SDC_MODEL_NO_LABEL &&
			validation->training_fold[i] != fold)
			row[count++] = i;
	}
	return count;
}

static void
predict_fold(SdcHost *host, const SdcCrossValidation *validation, int32_t fold,
			 int32_t *row, int32_t *predicted)
{
	SdcModelTask task = {
		validation->training, validation->label, validation->classes, row, 0,
		validation->settings};
	SdcModel *model;
	int32_t i;

	task.rows = collect_training(host, validation, fold, row);
	if (task.rows == 0)
		return;
	model = sdc_model_fit(host, validation->method, &task);
	for (i = 0; i < validation->asked->rows; i++)
	{
		if (i % 1024 == 0)
			host->poll(host, (uint64_t) fold, (uint64_t) validation->folds);
		if (validation->asked_fold[i] == fold)
			predicted[i] = sdc_model_predict(model, validation->asked, i);
	}
	sdc_model_release(model);
}

void
sdc_cross_validation_predict(SdcHost *host,
							 const SdcCrossValidation *validation,
							 int32_t *predicted)
{
	int32_t *row = sdc_new(host, int32_t, (size_t) validation->training->rows);
	int32_t fold;
	int32_t i;

	for (i = 0; i < validation->asked->rows; i++)
		predicted[i] = -1;
	for (fold = 0; fold < validation->folds; fold++)
		predict_fold(host, validation, fold, row, predicted);
	host->release(host, row);
}
