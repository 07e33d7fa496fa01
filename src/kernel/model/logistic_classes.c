/*
 * logistic_classes.c
 *		Logistic regression as a classifier: one class against the rest.
 *
 * All fits share one copy of the training rows; only the successes change.
 */
#include "kernel/model/logistic_classes.h"

#include <math.h>

#include "kernel/model/logistic.h"

typedef struct LogisticClasses
{
	SdcHost *host;
	int32_t classes;
	int columns;
	double *mean;    /* of each number, for its NULLs */
	int32_t **level; /* of each category by code + 1; 0 is the base */
	int32_t *values; /* codes of each category */
	SdcLogisticColumn *column;
	SdcLogistic **model;
	/* one row that is asked about */
	SdcLogisticData asked;
	double *number;
	int32_t *code;
} LogisticClasses;

/* Numbers the values of a category that occur; returns how many. */
static int32_t
number_levels(SdcHost *host, const SdcModelTask *task, int j, int32_t *level)
{
	const SdcModelColumn *column = &task->table->column[j];
	int32_t levels = 0;
	int32_t i;

	for (i = 0; i <= column->values; i++)
		level[i] = -1;
	for (i = 0; i < task->rows; i++)
	{
		int32_t *place = &level[column->code[task->row[i]] + 1];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (*place < 0)
			*place = levels++;
	}
	for (i = 0; i <= column->values; i++)
		if (level[i] < 0)
			level[i] = 0;
	return levels;
}

int64_t
sdc_logistic_classes_parameters(SdcHost *host, const SdcModelTask *task)
{
	int64_t parameters = 1;
	int j;

	for (j = 0; j < task->table->columns; j++)
	{
		const SdcModelColumn *column = &task->table->column[j];
		int32_t *level;

		if (column->code == NULL)
		{
			parameters++;
			continue;
		}
		level = sdc_new(host, int32_t, (size_t) column->values + 1);
		parameters += number_levels(host, task, j, level) - 1;
		host->release(host, level);
	}
	return parameters;
}

static void
copy_category(LogisticClasses *fitted, const SdcModelTask *task, int j)
{
	SdcHost *host = fitted->host;
	const SdcModelColumn *from = &task->table->column[j];
	int32_t *code = sdc_new(host, int32_t, (size_t) task->rows);
	int32_t i;

	fitted->values[j] = from->values;
	fitted->level[j] = sdc_new(host, int32_t, (size_t) from->values + 1);
	fitted->column[j].number = NULL;
	fitted->column[j].levels = number_levels(host, task, j, fitted->level[j]);
	for (i = 0; i < task->rows; i++)
		code[i] = fitted->level[j][from->code[task->row[i]] + 1];
	fitted->column[j].code = code;
}

static void
copy_number(LogisticClasses *fitted, const SdcModelTask *task, int j)
{
	const SdcModelColumn *from = &task->table->column[j];
	double *number = sdc_new(fitted->host, double, (size_t) task->rows);
	double mean = 0;
	int32_t n = 0;
	int32_t i;

	for (i = 0; i < task->rows; i++)
	{
		double x = from->number[task->row[i]];

		/* halves, for a difference of doubles may overflow */
		if (!isnan(x))
			mean += 2 * ((x / 2 - mean / 2) / ++n);
		number[i] = x;
	}
	for (i = 0; i < task->rows; i++)
		if (isnan(number[i]))
			number[i] = mean;
	fitted->mean[j] = mean;
	fitted->level[j] = NULL;
	fitted->column[j].number = number;
	fitted->column[j].code = NULL;
	fitted->column[j].levels = 0;
}

/* Room for the one row that is asked about. */
static void
make_asked(LogisticClasses *fitted)
{
	SdcHost *host = fitted->host;
	size_t columns = (size_t) fitted->columns;
	SdcLogisticColumn *column = sdc_new(host, SdcLogisticColumn, columns);
	int j;

	fitted->number = sdc_new(host, double, columns);
	fitted->code = sdc_new(host, int32_t, columns);
	for (j = 0; j < fitted->columns; j++)
	{
		column[j] = fitted->column[j];
		if (column[j].number != NULL)
			column[j].number = &fitted->number[j];
		else
			column[j].code = &fitted->code[j];
	}
	fitted->asked.rows = 1;
	fitted->asked.columns = fitted->columns;
	fitted->asked.column = column;
	fitted->asked.successes = NULL;
	fitted->asked.trials = NULL;
}

void *
sdc_logistic_classes_fit(SdcHost *host, const SdcModelTask *task)
{
	LogisticClasses *fitted = sdc_new(host, LogisticClasses, 1);
	size_t columns = (size_t) task->table->columns;
	double *success = sdc_new(host, double, (size_t) task->rows);
	SdcLogisticData data;
	int32_t c;
	int32_t i;
	int j;

	fitted->host = host;
	fitted->classes = task->classes;
	fitted->columns = task->table->columns;
	fitted->mean = sdc_new(host, double, columns);
	fitted->level = sdc_new(host, int32_t *, columns);
	fitted->values = sdc_new(host, int32_t, columns);
	fitted->column = sdc_new(host, SdcLogisticColumn, columns);
	fitted->model = sdc_new(host, SdcLogistic *, (size_t) task->classes);
	for (j = 0; j < fitted->columns; j++)
		if (task->table->column[j].code != NULL)
			copy_category(fitted, task, j);
		else
			copy_number(fitted, task, j);
	data.rows = (size_t) task->rows;
	data.columns = fitted->columns;
	data.column = fitted->column;
	data.successes = success;
	data.trials = NULL;
	for (c = 0; c < task->classes; c++)
	{
		for (i = 0; i < task->rows; i++)
			success[i] = task->label[task->row[i]] == c;
		fitted->model[c] = sdc_logistic_fit(host, &data);
	}
	host->release(host, success);
	make_asked(fitted);
	return fitted;
}

void
sdc_logistic_classes_predict(void *fitted_model, const SdcModelTable *table,
							 int32_t row, double *probability)
{
	LogisticClasses *fitted = fitted_model;
	double sum = 0;
	int32_t c;
	int j;

	for (j = 0; j < fitted->columns; j++)
	{
		const SdcModelColumn *column = &table->column[j];

		if (fitted->level[j] == NULL)
			fitted->number[j] = isnan(column->number[row])
									? fitted->mean[j]
									: column->number[row];
		else
			fitted->code[j] = column->code[row] < fitted->values[j]
								  ? fitted->level[j][column->code[row] + 1]
								  : 0;
	}
	for (c = 0; c < fitted->classes; c++)
	{
		sdc_logistic_predict(fitted->host, fitted->model[c], &fitted->asked,
							 &probability[c]);
		sum += probability[c];
	}
	for (c = 0; c < fitted->classes; c++)
		probability[c] =
			sum > 0 ? probability[c] / sum : 1.0 / fitted->classes;
}
