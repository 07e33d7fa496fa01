/*
 * nearest_neighbours.c
 *		k-NN against a scan of all rows, with ties and NULLs.
 */
#include "unit.h"

#include "model_table.h"

/* Standard scores of the column in place of the numbers. */
static void
standardize(double *number, int32_t rows)
{
	double n = 0;
	double mean = 0;
	double squares = 0;
	int32_t i;

	for (i = 0; i < rows; i++)
		if (!isnan(number[i]))
		{
			n++;
			mean += number[i];
		}
	mean /= n;
	for (i = 0; i < rows; i++)
		if (!isnan(number[i]))
			squares += (number[i] - mean) * (number[i] - mean);
	for (i = 0; i < rows; i++)
		number[i] = (number[i] - mean) / sqrt(squares / (n - 1));
}

static double
distance(const ModelSample *sample, int32_t a, int32_t b)
{
	double sum = 0;
	int j;

	for (j = 0; j < sample->table.columns; j++)
	{
		const SdcModelColumn *column = &sample->column[j];

		if (column->code != NULL)
			sum += column->code[a] != column->code[b];
		else if (isnan(column->number[a]) || isnan(column->number[b]))
			sum += isnan(column->number[a]) != isnan(column->number[b]);
		else
			sum += pow(column->number[a] - column->number[b], 2);
	}
	return sum;
}

/* Votes of the k nearest of the training rows, by selection. */
static void
scan(const ModelSample *sample, int32_t training, int32_t k, int32_t row,
	 double *votes)
{
	bool *used = calloc((size_t) training, sizeof(bool));
	int32_t i;

	memset(votes, 0, sizeof(double) * 3);
	for (; k > 0; k--)
	{
		int32_t nearest = -1;
		double least = INFINITY;

		for (i = 0; i < training; i++)
		{
			double d = distance(sample, i, row);

			/* equal up to rounding: the first wins */
			if (!used[i] && d < least - 1e-9)
			{
				least = d;
				nearest = i;
			}
		}
		used[nearest] = true;
		votes[sample->label[nearest]]++;
	}
	free(used);
}

static void
check_scan(int numbers, int categories, int32_t k)
{
	const int32_t rows = 600;
	const int32_t training = 400;
	ModelSample sample;
	SdcModelSettings settings = model_settings();
	SdcModelTask task = {&sample.table, NULL, 3, NULL, training, &settings};
	SdcModel *model;
	int wrong = 0;
	int32_t i;
	int j;

	model_sample_make(&sample, rows, numbers, categories, 5);
	for (j = 0; j < numbers; j++)
		standardize((double *) sample.column[j].number, training);
	for (j = 0; j < numbers; j++)
		for (i = training; i < rows; i++)
			((double *) sample.column[j].number)[i] /= 2;
	task.label = sample.label;
	task.row = sample.row;
	settings.neighbours = k;
	model = sdc_model_fit(unit_host(), model_method("knn"), &task);
	for (i = 0; i < rows; i += unit_sparing() ? 5 : 1)
	{
		double votes[3];

		scan(&sample, training, k, i, votes);
		(void) sdc_model_predict(model, &sample.table, i);
		for (j = 0; j < 3; j++)
			wrong += fabs(model->probability[j] - votes[j] / k) > 1e-12;
	}
	unit_check(wrong == 0, "%d numbers, %d categories, k = %d", numbers,
			   categories, k);
	sdc_model_release(model);
	model_sample_free(&sample);
}

static void
check_inpatients(void)
{
	SdcModelColumn columns[2] = {{NULL, inpatient_zip, 3},
								 {NULL, inpatient_age, 3}};
	SdcModelTable table = {INPATIENTS, 2, columns};
	SdcModelSettings settings = model_settings();

	settings.neighbours = 1;
	unit_check(model_right_by_fold(unit_host(), model_method("knn"), &table,
								   &settings) == 5,
			   "1-NN on zip and age: 5 of 12");
	columns[1].code = released_age;
	columns[1].values = 2;
	unit_check(model_right_by_fold(unit_host(), model_method("knn"), &table,
								   &settings) == 1,
			   "1-NN on the release: 1 of 12");
}

int
main(void)
{
	unit_start("nearest_neighbours");
	check_scan(2, 0, 1);
	check_scan(0, 3, 1);
	check_scan(2, 2, 5);
	check_scan(4, 1, 7);
	check_scan(1, 4, 400);
	check_inpatients();
	return unit_finish();
}
