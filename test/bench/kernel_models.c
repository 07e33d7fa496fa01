/*
 * kernel_models.c
 *		Speed of k-means and of the classifiers.
 *
 * Times are also given as a ratio to one pass over the data: the sum of all
 * numbers of the table, read once.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/model/kmeans.h"
#include "kernel/model/model.h"

#define ROWS       100000
#define NUMBERS    5
#define CATEGORIES 5
#define VALUES     8
#define CLASSES    4

static double number[NUMBERS + CATEGORIES][ROWS];
static int32_t code[CATEGORIES][ROWS];
static int32_t label[ROWS];
static int32_t row[ROWS];

static void
make_rows(void)
{
	SdcRandom random;
	int32_t i;
	int j;

	sdc_random_seed(&random, 1, 0);
	for (i = 0; i < ROWS; i++)
	{
		label[i] = (int32_t) sdc_random_below(&random, CLASSES);
		row[i] = i;
		for (j = 0; j < NUMBERS + CATEGORIES; j++)
			number[j][i] = sdc_random_normal(&random) + 0.5 * label[i];
		for (j = 0; j < CATEGORIES; j++)
			code[j][i] = sdc_random_below(&random, 3) == 0
							 ? label[i]
							 : (int32_t) sdc_random_below(&random, VALUES);
	}
}

/* CPU seconds of one pass, from many. */
static double
measure_pass(void)
{
	volatile double sum = 0;
	double start = bench_start();
	int passes;
	int32_t i;
	int j;

	for (passes = 0; passes < 100; passes++)
		for (j = 0; j < NUMBERS + CATEGORIES; j++)
		{
			double part = 0;

			for (i = 0; i < ROWS; i++)
				part += number[j][i];
			sum = sum + part;
		}
	return bench_stop(start) / 100;
}

static void
measure_kmeans(int32_t k, double pass)
{
	double *column[NUMBERS + CATEGORIES];
	SdcMatrix matrix = {ROWS, NUMBERS + CATEGORIES, column};
	SdcKmeansSettings settings = {k, 1, 100, 1};
	SdcKmeans result;
	double seconds;
	double start;
	char what[32];
	int j;

	for (j = 0; j < NUMBERS + CATEGORIES; j++)
		column[j] = number[j];
	start = bench_start();
	result = sdc_kmeans_run(bench_host(), &matrix, &settings);
	seconds = bench_stop(start);
	snprintf(what, sizeof(what), "k-means k = %d", k);
	bench_line("models", what, ROWS, NUMBERS + CATEGORIES, seconds,
			   "%.0f passes; %d iterations of one start", seconds / pass,
			   result.iterations);
	bench_host()->release(bench_host(), result.label);
}

static void
measure_method(const SdcModelMethod *method, double pass)
{
	SdcModelColumn column[NUMBERS + CATEGORIES];
	SdcModelTable table = {ROWS, NUMBERS + CATEGORIES, column};
	SdcModelSettings settings = {1, 5, 10, 5, 1, 100, 1};
	SdcModelTask task = {&table, label, CLASSES, row, ROWS / 2, &settings};
	/* a search among rows of ten columns is not for all of them */
	int32_t asked = ROWS / 20;
	SdcModel *model;
	double seconds;
	double start;
	char what[32];
	int32_t right = 0;
	int32_t i;
	int j;

	for (j = 0; j < NUMBERS + CATEGORIES; j++)
	{
		column[j].number = j < NUMBERS ? number[j] : NULL;
		column[j].code = j < NUMBERS ? NULL : code[j - NUMBERS];
		column[j].values = j < NUMBERS ? 0 : VALUES;
	}
	task.rows = ROWS;
	start = bench_start();
	model = sdc_model_fit(bench_host(), method, &task);
	seconds = bench_stop(start);
	snprintf(what, sizeof(what), "%s fit", method->name);
	bench_line("models", what, ROWS, NUMBERS + CATEGORIES, seconds,
			   "%.0f passes", seconds / pass);
	start = bench_start();
	for (i = 0; i < asked; i++)
		right += sdc_model_predict(model, &table, i * (ROWS / asked)) ==
				 label[i * (ROWS / asked)];
	seconds = bench_stop(start);
	snprintf(what, sizeof(what), "%s predict", method->name);
	bench_line("models", what, (size_t) asked, NUMBERS + CATEGORIES, seconds,
			   "%.2f us a row; %.1f %% right", seconds / asked * 1e6,
			   100.0 * right / asked);
	sdc_model_release(model);
}

int
main(void)
{
	const SdcModelMethod *method;
	double pass;

	make_rows();
	pass = measure_pass();
	bench_line("models", "one pass", ROWS, NUMBERS + CATEGORIES, pass,
			   "sum of all numbers");
	measure_kmeans(5, pass);
	measure_kmeans(20, pass);
	for (method = sdc_model_methods; method->name != NULL; method++)
		measure_method(method, pass);
	return 0;
}
