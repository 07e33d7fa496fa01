/*
 * decision_tree.c
 *		The tree of the inpatients by hand, and first questions by brute force.
 */
#include "unit.h"

#include "model_table.h"

/*
 * Sums of squared counts over rows: 50/12 without a question, 17/4 by zip 1305
 * or 1306, 9/2 by zip 1485 or age above 39, 23/4 by age below 30, 29/4 by age
 * 30 to 39, which holds four of cancer and leaves 1, 3 and 4 of the diseases.
 */
static void
check_inpatients(void)
{
	SdcModelColumn columns[2] = {{NULL, inpatient_zip, 3},
								 {NULL, inpatient_age, 3}};
	SdcModelTable table = {INPATIENTS, 2, columns};
	SdcModelSettings settings = model_settings();
	int32_t row[INPATIENTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
	SdcModelTask task = {&table, inpatient_disease, 3,
						 row,    INPATIENTS,        &settings};
	SdcModel *model;
	int right = 0;
	int32_t i;

	settings.depth = 1;
	model = sdc_model_fit(unit_host(), model_method("tree"), &task);
	unit_check(sdc_model_predict(model, &table, 8) == 0 &&
				   model->probability[0] == 1,
			   "who is 30 to 39 has cancer");
	unit_check(sdc_model_predict(model, &table, 0) == 2 &&
				   fabs(model->probability[0] - 1.0 / 8) < 1e-12 &&
				   fabs(model->probability[1] - 3.0 / 8) < 1e-12,
			   "of the others half have an infection");
	sdc_model_release(model);
	settings.depth = 0;
	model = sdc_model_fit(unit_host(), model_method("tree"), &task);
	unit_check(sdc_model_predict(model, &table, 0) == 0 &&
				   fabs(model->probability[0] - 5.0 / 12) < 1e-12,
			   "without a question: the majority");
	sdc_model_release(model);
	/*
	 * Grown to the end: 4 of the thirties; 1305 and 1306 below 30 and 1485
	 * have one or two of each disease, the most frequent wins, ties to the
	 * first: 1 of 2, 1 of 2 and 2 of 4.
	 */
	settings.depth = 10;
	model = sdc_model_fit(unit_host(), model_method("tree"), &task);
	for (i = 0; i < INPATIENTS; i++)
		right += sdc_model_predict(model, &table, i) == inpatient_disease[i];
	unit_check(right == 8, "the whole tree is right on %d of 12", right);
	sdc_model_release(model);
}

/* Weighted Gini impurity of a split. */
static double
impurity(const ModelSample *sample, const bool *yes)
{
	double count[2][3] = {{0}};
	double rows[2] = {0};
	double sum = 0;
	int32_t i;
	int side;
	int c;

	for (i = 0; i < sample->table.rows; i++)
	{
		count[yes[i]][sample->label[i]]++;
		rows[yes[i]]++;
	}
	for (side = 0; side < 2; side++)
	{
		double squares = 0;

		if (rows[side] == 0)
			return INFINITY;
		for (c = 0; c < 3; c++)
			squares += pow(count[side][c] / rows[side], 2);
		sum += rows[side] * (1 - squares);
	}
	return sum;
}

/* The least impurity of any question. */
static double
least_impurity(const ModelSample *sample)
{
	int32_t rows = sample->table.rows;
	bool *yes = malloc((size_t) rows * sizeof(bool));
	double least = INFINITY;
	int32_t other;
	int32_t i;
	int j;

	for (j = 0; j < sample->table.columns; j++)
	{
		const SdcModelColumn *column = &sample->column[j];

		for (other = 0; other < rows; other++)
		{
			for (i = 0; i < rows; i++)
				yes[i] = column->code != NULL
							 ? column->code[i] == column->code[other]
							 : column->number[i] <= column->number[other];
			least = fmin(least, impurity(sample, yes));
		}
	}
	free(yes);
	return least;
}

/* The impurity that the leaves of a model of depth 1 leave. */
static double
tree_impurity(const ModelSample *sample, SdcModel *model)
{
	int32_t rows = sample->table.rows;
	bool *yes = malloc((size_t) rows * sizeof(bool));
	double first;
	double result;
	int32_t i;

	(void) sdc_model_predict(model, &sample->table, 0);
	first = model->probability[0];
	for (i = 0; i < rows; i++)
	{
		(void) sdc_model_predict(model, &sample->table, i);
		yes[i] = model->probability[0] == first;
	}
	result = impurity(sample, yes);
	free(yes);
	return result;
}

static void
check_first_question(int numbers, int categories, uint64_t seed)
{
	ModelSample sample;
	SdcModelSettings settings = model_settings();
	SdcModelTask task = {&sample.table, NULL, 3, NULL, 150, &settings};
	SdcModel *model;

	model_sample_make(&sample, 150, numbers, categories, seed);
	task.label = sample.label;
	task.row = sample.row;
	settings.depth = 1;
	model = sdc_model_fit(unit_host(), model_method("tree"), &task);
	unit_check(fabs(tree_impurity(&sample, model) - least_impurity(&sample)) <
				   1e-9,
			   "%d numbers, %d categories: the best of all questions", numbers,
			   categories);
	sdc_model_release(model);
	model_sample_free(&sample);
}

/* Grown without limit, a tree knows all rows that differ. */
static void
check_memory(void)
{
	ModelSample sample;
	SdcModelSettings settings = model_settings();
	SdcModelTask task = {&sample.table, NULL, 3, NULL, 300, &settings};
	SdcModel *model;
	int right = 0;
	int32_t i;

	model_sample_make(&sample, 300, 1, 0, 3);
	for (i = 0; i < 300; i++)
		((double *) sample.column[0].number)[i] = i;
	task.label = sample.label;
	task.row = sample.row;
	settings.depth = 64;
	model = sdc_model_fit(unit_host(), model_method("tree"), &task);
	for (i = 0; i < 300; i++)
		right += sdc_model_predict(model, &sample.table, i) == sample.label[i];
	unit_check(right == 300, "a tree without limit knows all rows");
	sdc_model_release(model);
	settings.leaf = 100;
	model = sdc_model_fit(unit_host(), model_method("tree"), &task);
	right = 0;
	for (i = 1; i < 300; i++)
	{
		double before;

		(void) sdc_model_predict(model, &sample.table, i - 1);
		before = model->probability[0];
		(void) sdc_model_predict(model, &sample.table, i);
		right += before != model->probability[0];
	}
	unit_check(right <= 2, "leaves of 100 rows: no more than three");
	sdc_model_release(model);
	model_sample_free(&sample);
}

int
main(void)
{
	unit_start("decision_tree");
	check_inpatients();
	check_first_question(1, 0, 11);
	check_first_question(0, 2, 12);
	check_first_question(3, 2, 13);
	check_memory();
	return unit_finish();
}
