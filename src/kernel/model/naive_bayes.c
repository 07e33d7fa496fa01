/*
 * naive_bayes.c
 *		Naive Bayes: columns independent within each class.
 *
 * Logarithms of all probabilities of categories are tabulated, code by code,
 * NULL last; numbers are standardised and keep mean and variance by class.
 */
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/linear/moments.h"
#include "kernel/model/model.h"
#include "kernel/model/naive_bayes.h"

typedef struct Column
{
	/* of a category: log P(v | c) at v * classes + c, and is v known? */
	double *likelihood;
	bool *known;
	int32_t values;
	/* of a number, by class */
	SdcScale scale;
	double *mean;
	double *variance;
} Column;

typedef struct NaiveBayes
{
	int32_t classes;
	int columns;
	double *prior; /* logarithms */
	Column *column;
} NaiveBayes;

/* A cleared array of doubles. */
static double *
zeros(SdcHost *host, size_t count)
{
	double *array = sdc_new(host, double, count);

	memset(array, 0, sizeof(double) * count);
	return array;
}

/* The place of a code, NULL after all values. */
static int32_t
place_of(const SdcModelColumn *column, int32_t row)
{
	return column->code[row] < 0 ? column->values : column->code[row];
}

static void
fit_category(SdcHost *host, const SdcModelTask *task, const double *records,
			 const SdcModelColumn *from, Column *column)
{
	double laplace = task->settings->laplace;
	size_t classes = (size_t) task->classes;
	size_t values = (size_t) from->values + 1;
	int32_t different = 0;
	size_t v;
	size_t c;
	int32_t i;

	column->values = from->values;
	column->likelihood = zeros(host, values * classes);
	column->known = sdc_new(host, bool, values);
	memset(column->known, 0, sizeof(bool) * values);
	for (i = 0; i < task->rows; i++)
	{
		int32_t row = task->row[i];
		int32_t place = place_of(from, row);

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		different += !column->known[place];
		column->known[place] = true;
		column->likelihood[(size_t) place * classes +
						   (size_t) task->label[row]]++;
	}
	for (v = 0; v < values; v++)
	{
		double *cell = column->likelihood + v * classes;

		if (v % 64 == 0)
			host->poll(host, 0, 0);
		for (c = 0; c < classes && column->known[v]; c++)
			cell[c] = sdc_random_log((cell[c] + laplace) /
									 (records[c] + laplace * different));
	}
}

static void
fit_number(SdcHost *host, const SdcModelTask *task, int j, Column *column)
{
	const double *number = task->table->column[j].number;
	double laplace = task->settings->laplace;
	size_t classes = (size_t) task->classes;
	double *count = zeros(host, classes);
	size_t c;
	int32_t i;

	column->scale = sdc_training_scale_find(host, task, j);
	column->mean = zeros(host, classes);
	column->variance = zeros(host, classes);
	/* running mean and squared deviations of each class */
	for (i = 0; i < task->rows; i++)
	{
		double x = number[task->row[i]];
		int32_t label = task->label[task->row[i]];
		double shift;

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (isnan(x))
			continue;
		x = sdc_training_scale_apply(&column->scale, x);
		shift = x - column->mean[label];
		count[label]++;
		column->mean[label] += shift / count[label];
		column->variance[label] += shift * (x - column->mean[label]);
	}
	for (c = 0; c < classes; c++)
		column->variance[c] =
			(column->variance[c] + laplace) / (count[c] + laplace);
	host->release(host, count);
}

void *
sdc_naive_bayes_fit(SdcHost *host, const SdcModelTask *task)
{
	NaiveBayes *bayes = sdc_new(host, NaiveBayes, 1);
	double laplace = task->settings->laplace;
	double *records = zeros(host, (size_t) task->classes);
	int32_t c;
	int32_t i;
	int j;

	bayes->classes = task->classes;
	bayes->columns = task->table->columns;
	bayes->prior = zeros(host, (size_t) task->classes);
	bayes->column = sdc_new(host, Column, (size_t) bayes->columns);
	for (i = 0; i < task->rows; i++)
		records[task->label[task->row[i]]]++;
	for (c = 0; c < task->classes; c++)
		bayes->prior[c] = sdc_random_log(
			(records[c] + laplace) / (task->rows + laplace * task->classes));
	memset(bayes->column, 0, sizeof(Column) * (size_t) bayes->columns);
	for (j = 0; j < bayes->columns; j++)
	{
		const SdcModelColumn *from = &task->table->column[j];

		if (from->code != NULL)
			fit_category(host, task, records, from, &bayes->column[j]);
		else
			fit_number(host, task, j, &bayes->column[j]);
	}
	host->release(host, records);
	return bayes;
}

/* Adds the logarithm of a normal density, up to what all classes share. */
static void
add_number(const Column *column, double x, double *score, int32_t classes)
{
	int32_t c;

	if (isnan(x) || !(column->scale.deviation > 0))
		return;
	x = sdc_training_scale_apply(&column->scale, x);
	for (c = 0; c < classes; c++)
	{
		double shift = x - column->mean[c];

		score[c] -= 0.5 * (shift * shift / column->variance[c] +
						   sdc_random_log(column->variance[c]));
	}
}

void
sdc_naive_bayes_predict(void *fitted, const SdcModelTable *table, int32_t row,
						double *probability)
{
	const NaiveBayes *bayes = fitted;
	int32_t c;
	int j;

	memcpy(probability, bayes->prior,
		   sizeof(double) * (size_t) bayes->classes);
	for (j = 0; j < bayes->columns; j++)
	{
		const SdcModelColumn *from = &table->column[j];
		const Column *column = &bayes->column[j];
		int32_t place;

		if (from->code == NULL)
		{
			add_number(column, from->number[row], probability, bayes->classes);
			continue;
		}
		place = place_of(from, row);
		if (place > column->values || !column->known[place])
			continue;
		for (c = 0; c < bayes->classes; c++)
			probability[c] +=
				column->likelihood[(size_t) place * (size_t) bayes->classes +
								   (size_t) c];
	}
	sdc_model_softmax(probability, bayes->classes);
}
