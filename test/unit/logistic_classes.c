/*
 * logistic_classes.c
 *		Logistic regression as a classifier: the gradient is zero.
 */
#include "unit.h"

#include "model_table.h"

/*
 * With two classes the probabilities are those of one fit, so the likelihood
 * is at its maximum when sum (y - p) x is zero for each feature x.
 */
static void
check_gradient(void)
{
	const int32_t rows = 400;
	ModelSample sample;
	SdcModelSettings settings = model_settings();
	SdcModelTask task = {&sample.table, NULL, 2, NULL, rows, &settings};
	double gradient[2 + 5] = {0};
	double worst = 0;
	SdcModel *model;
	int32_t i;
	int f;

	model_sample_make(&sample, rows, 2, 1, 8);
	for (i = 0; i < rows; i++)
	{
		sample.label[i] = sample.label[i] > 0;
		/* a NULL would be the mean */
		if (isnan(sample.column[0].number[i]))
			((double *) sample.column[0].number)[i] = 0.5;
		if (isnan(sample.column[1].number[i]))
			((double *) sample.column[1].number)[i] = 3;
	}
	task.label = sample.label;
	task.row = sample.row;
	model = sdc_model_fit(unit_host(), model_method("logistic"), &task);
	for (i = 0; i < rows; i++)
	{
		double rest;

		(void) sdc_model_predict(model, &sample.table, i);
		rest = sample.label[i] - model->probability[1];
		gradient[0] += rest * sample.column[0].number[i];
		gradient[1] += rest * sample.column[1].number[i];
		gradient[2 + sample.column[2].code[i] + 1] += rest;
	}
	for (f = 0; f < 7; f++)
		worst = fmax(worst, fabs(gradient[f]));
	unit_check(worst < 1e-6, "largest component of the gradient: %g", worst);
	sdc_model_release(model);
	model_sample_free(&sample);
}

/* A single binary key: probabilities are the shares in its two groups. */
static void
check_shares(void)
{
	const int32_t code[10] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
	const int32_t label[10] = {0, 0, 0, 1, 0, 0, 1, 1, 1, 1};
	int32_t row[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
	SdcModelColumn column = {NULL, code, 2};
	SdcModelTable table = {10, 1, &column};
	SdcModelSettings settings = model_settings();
	SdcModelTask task = {&table, label, 2, row, 10, &settings};
	SdcModel *model =
		sdc_model_fit(unit_host(), model_method("logistic"), &task);

	unit_check(sdc_model_predict(model, &table, 0) == 0 &&
				   fabs(model->probability[0] - 3.0 / 4) < 1e-9,
			   "3 of 4");
	unit_check(sdc_model_predict(model, &table, 9) == 1 &&
				   fabs(model->probability[1] - 4.0 / 6) < 1e-9,
			   "4 of 6");
	sdc_model_release(model);
}

int
main(void)
{
	unit_start("logistic_classes");
	check_gradient();
	check_shares();
	return unit_finish();
}
