/*
 * naive_bayes.c
 *		Naive Bayes and the majority: the inpatients by hand, and a formula.
 */
#include "unit.h"

#include "model_table.h"

static SdcModelColumn inpatient_columns[2] = {{NULL, inpatient_zip, 3},
											  {NULL, inpatient_age, 3}};
static SdcModelColumn released_columns[2] = {{NULL, inpatient_zip, 3},
											 {NULL, released_age, 2}};

static void
check_inpatients(void)
{
	SdcModelTable table = {INPATIENTS, 2, inpatient_columns};
	SdcModelTable released = {INPATIENTS, 2, released_columns};
	SdcModelSettings settings = model_settings();
	SdcHost *host = unit_host();

	unit_check(model_right_by_fold(host, model_method("zeror"), &table,
								   &settings) == 5,
			   "majority: 5 of 12");
	unit_check(
		model_right_by_fold(host, model_method("nb"), &table, &settings) == 5,
		"naive Bayes on zip and age: 5 of 12");
	unit_check(model_right_by_fold(host, model_method("nb"), &released,
								   &settings) == 2,
			   "naive Bayes on the release: 2 of 12");
}

/* Models of the inpatients and of the release agree on 8 of 12. */
static void
check_agreement(void)
{
	SdcModelTable table = {INPATIENTS, 2, inpatient_columns};
	SdcModelTable released = {INPATIENTS, 2, released_columns};
	SdcModelSettings settings = model_settings();
	int32_t row[INPATIENTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
	SdcModelTask task = {&table, inpatient_disease, 3,
						 row,    INPATIENTS,        &settings};
	SdcModel *x;
	SdcModel *masked;
	int same = 0;
	int32_t i;

	x = sdc_model_fit(unit_host(), model_method("nb"), &task);
	task.table = &released;
	masked = sdc_model_fit(unit_host(), model_method("nb"), &task);
	for (i = 0; i < INPATIENTS; i++)
		same += sdc_model_predict(x, &table, i) ==
				sdc_model_predict(masked, &released, i);
	unit_check(same == 8, "both models agree on 8 of 12");
	/* P(cancer) = 6/15, P(1305 | cancer) = 3/8, P(30..39 | cancer) = 5/8 */
	(void) sdc_model_predict(x, &table, 8);
	{
		double cancer = 6.0 / 15 * 3 / 8 * 5 / 8;
		double heart = 4.0 / 15 * 2 / 6 * 1 / 6;
		double viral = 5.0 / 15 * 2 / 7 * 1 / 7;

		unit_check(fabs(x->probability[0] -
						cancer / (cancer + heart + viral)) < 1e-12,
				   "posterior of patient 9 by hand");
	}
	sdc_model_release(x);
	sdc_model_release(masked);
}

/* One number and a NULL, against the densities. */
static void
check_numbers(void)
{
	const double number[5] = {1, 3, 10, 14, NAN};
	const int32_t label[5] = {0, 0, 1, 1, 1};
	int32_t row[5] = {0, 1, 2, 3, 4};
	SdcModelColumn column = {number, NULL, 0};
	SdcModelTable table = {5, 1, &column};
	SdcModelSettings settings = model_settings();
	SdcModelTask task = {&table, label, 2, row, 5, &settings};
	SdcModel *model = sdc_model_fit(unit_host(), model_method("nb"), &task);
	/* mean 7, variance 110 / 3, added once to each class of two values */
	double s = 110.0 / 3;
	double v[2] = {(2 + s) / 3, (8 + s) / 3};
	double density[2];

	density[0] = 3.0 / 7 / sqrt(v[0]) * exp(-(10.0 - 2) * 8 / (2 * v[0]));
	density[1] = 4.0 / 7 / sqrt(v[1]) * exp(-(10.0 - 12) * -2 / (2 * v[1]));
	unit_check(sdc_model_predict(model, &table, 2) == 1, "the nearer class");
	unit_check(fabs(model->probability[0] -
					density[0] / (density[0] + density[1])) < 1e-12,
			   "normal densities by hand");
	(void) sdc_model_predict(model, &table, 4);
	unit_check(fabs(model->probability[0] - 3.0 / 7) < 1e-12,
			   "a NULL leaves the prior");
	sdc_model_release(model);
}

/* One row, one class, a constant column, a value never seen. */
static void
check_limits(void)
{
	const int32_t code[2] = {0, 1};
	const double constant[2] = {5, 5};
	const int32_t label[2] = {0, 0};
	int32_t row[1] = {0};
	SdcModelColumn column[2] = {{NULL, code, 2}, {constant, NULL, 0}};
	SdcModelTable table = {2, 2, column};
	SdcModelSettings settings = model_settings();
	SdcModelTask task = {&table, label, 1, row, 1, &settings};
	const SdcModelMethod *method;

	for (method = sdc_model_methods; method->name != NULL; method++)
	{
		SdcModel *model = sdc_model_fit(unit_host(), method, &task);

		unit_check(sdc_model_predict(model, &table, 1) == 0 &&
					   fabs(model->probability[0] - 1) < 1e-12,
				   "%s: one row of one class", method->name);
		sdc_model_release(model);
	}
}

int
main(void)
{
	unit_start("naive_bayes");
	check_inpatients();
	check_agreement();
	check_numbers();
	check_limits();
	return unit_finish();
}
