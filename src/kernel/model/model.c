/*
 * model.c
 *		What classifiers have in common: tables they learn from, fit, predict.
 *
 * libm: exp turns scores into probabilities; which of them is the largest does
 * not hang on its last digits, because near ties go to the first class.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/linear/moments.h"
#include "kernel/model/learners.h"
#include "kernel/model/logistic.h"
#include "kernel/model/model.h"

/* ----------------------------------------------------------------------
 * Rows as features of a linear model.
 *
 * Features of categories are numbered in the order in which training rows
 * show them.
 * ----------------------------------------------------------------------
 */

/* Numbers the values of a category that occur in training. */
static void
number_values(SdcHost *host, const SdcModelTask *task, int j,
			  SdcDesign *design)
{
	const SdcModelColumn *column = &task->table->column[j];
	int32_t *feature = sdc_new(host, int32_t, (size_t) column->values + 1);
	int32_t i;

	for (i = 0; i <= column->values; i++)
		feature[i] = -1;
	for (i = 0; i < task->rows; i++)
	{
		int32_t *place = &feature[column->code[task->row[i]] + 1];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (*place < 0)
			*place = design->features++;
	}
	design->feature[j] = feature;
	design->values[j] = column->values;
}

SdcDesign *
sdc_design_create(SdcHost *host, const SdcModelTask *task)
{
	SdcDesign *design = sdc_new(host, SdcDesign, 1);
	size_t columns = (size_t) task->table->columns;
	int j;

	design->columns = task->table->columns;
	design->features = 0;
	design->feature = sdc_new(host, int32_t *, columns);
	design->values = sdc_new(host, int32_t, columns);
	design->number = sdc_new(host, int32_t, columns);
	design->scale = sdc_new(host, SdcScale, columns);
	for (j = 0; j < design->columns; j++)
	{
		design->feature[j] = NULL;
		design->number[j] = -1;
		if (task->table->column[j].code != NULL)
		{
			number_values(host, task, j, design);
			continue;
		}
		design->scale[j] = sdc_training_scale_find(host, task, j);
		if (design->scale[j].deviation > 0)
			design->number[j] = design->features++;
	}
	design->features++;
	return design;
}

SdcDesignRow
sdc_design_row(SdcHost *host, const SdcDesign *design)
{
	size_t room = (size_t) design->columns + 1;
	SdcDesignRow row = {0, sdc_new(host, int32_t, room),
						sdc_new(host, double, room)};

	return row;
}

/* The feature and value of one column of a row; feature -1 for none. */
static int32_t
take_column(const SdcDesign *design, const SdcModelColumn *column, int j,
			int32_t row, double *value)
{
	*value = 1;
	if (column->code != NULL)
		return column->code[row] < design->values[j]
				   ? design->feature[j][column->code[row] + 1]
				   : -1;
	if (design->number[j] < 0 || isnan(column->number[row]))
		return -1;
	*value = sdc_scale_apply(&design->scale[j], column->number[row]);
	return design->number[j];
}

void
sdc_design_take(const SdcDesign *design, const SdcModelTable *table,
				int32_t row, SdcDesignRow *taken)
{
	int j;

	taken->count = 0;
	for (j = 0; j < design->columns; j++)
	{
		double value;
		int32_t feature =
			take_column(design, &table->column[j], j, row, &value);

		if (feature < 0)
			continue;
		taken->feature[taken->count] = feature;
		taken->value[taken->count++] = value;
	}
	taken->feature[taken->count] = design->features - 1;
	taken->value[taken->count++] = 1;
}

SdcDesignRows
sdc_design_rows(SdcHost *host, const SdcDesign *design,
				const SdcModelTask *task)
{
	size_t room = (size_t) task->rows * (size_t) (design->columns + 1);
	SdcDesignRows rows;
	int32_t i;

	rows.columns = design->columns;
	rows.count = sdc_new(host, int32_t, (size_t) task->rows);
	rows.feature = sdc_new(host, int32_t, room);
	rows.value = sdc_new(host, double, room);
	for (i = 0; i < task->rows; i++)
	{
		SdcDesignRow row;

		if (i % 4096 == 0)
			host->poll(host, 0, 0);
		rows.count[i] = 0;
		row = sdc_design_rows_get(&rows, i);
		sdc_design_take(design, task->table, task->row[i], &row);
		rows.count[i] = row.count;
	}
	return rows;
}

void
sdc_design_rows_release(SdcHost *host, SdcDesignRows *rows)
{
	host->release(host, rows->count);
	host->release(host, rows->feature);
	host->release(host, rows->value);
}

/* ----------------------------------------------------------------------
 * The scale of a number column among the training rows.
 * ----------------------------------------------------------------------
 */

SdcScale
sdc_training_scale_find(SdcHost *host, const SdcModelTask *task, int j)
{
	const double *number = task->table->column[j].number;
	double *value = sdc_new(host, double, (size_t) task->rows);
	SdcScale scale;
	size_t n = 0;
	int32_t i;

	for (i = 0; i < task->rows; i++)
	{
		double x = number[task->row[i]];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (!isnan(x))
			value[n++] = x;
	}
	scale = sdc_scale_find(host, value, n);
	host->release(host, value);
	return scale;
}

/* ----------------------------------------------------------------------
 * The baseline: the most frequent class, whatever the columns say.
 * ----------------------------------------------------------------------
 */

typedef struct Majority
{
	int32_t classes;
	double *share;
} Majority;

/*
 * Probabilities are the shares of the classes (ZeroR).  O(rows); see
 * SdcModelMethod.
 */
static void *
majority_fit(SdcHost *host, const SdcModelTask *task)
{
	Majority *majority = sdc_new(host, Majority, 1);
	int32_t c;
	int32_t i;

	majority->classes = task->classes;
	majority->share = sdc_new(host, double, (size_t) task->classes);
	memset(majority->share, 0, sizeof(double) * (size_t) task->classes);
	for (i = 0; i < task->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) task->rows);
		majority->share[task->label[task->row[i]]]++;
	}
	for (c = 0; c < task->classes; c++)
		majority->share[c] /= task->rows;
	return majority;
}

static void
majority_predict(void *fitted, const SdcModelTable *table, int32_t row,
				 double *probability)
{
	const Majority *majority = fitted;

	(void) table;
	(void) row;
	memcpy(probability, majority->share,
		   sizeof(double) * (size_t) majority->classes);
}

/* ----------------------------------------------------------------------
 * What classifiers have in common: tables they learn from, fit, predict.
 *
 * libm: exp turns scores into probabilities; which of them is the largest does
 * not hang on its last digits, because near ties go to the first class.
 * ----------------------------------------------------------------------
 */

/* Probabilities that differ by less than this share are equal. */
#define NEAR_TIE 1e-9

const SdcModelMethod sdc_model_methods[] = {
	{"zeror", majority_fit, majority_predict},
	{"nb", sdc_naive_bayes_fit, sdc_naive_bayes_predict},
	{"knn", sdc_nearest_neighbours_fit, sdc_nearest_neighbours_predict},
	{"tree", sdc_decision_tree_fit, sdc_decision_tree_predict},
	{"logistic", sdc_logistic_classes_fit, sdc_logistic_classes_predict},
	{"svm", sdc_linear_svm_fit, sdc_linear_svm_predict},
	{NULL, NULL, NULL}};

SdcModel *
sdc_model_fit(SdcHost *host, const SdcModelMethod *method,
			  const SdcModelTask *task)
{
	SdcArena *arena = sdc_arena_create(host);
	SdcModel *model = sdc_new(&arena->host, SdcModel, 1);

	model->method = method;
	model->arena = arena;
	model->classes = task->classes;
	model->probability = sdc_new(&arena->host, double, (size_t) task->classes);
	model->fitted = method->fit(&arena->host, task);
	return model;
}

int32_t
sdc_model_predict(SdcModel *model, const SdcModelTable *table, int32_t row)
{
	double *probability = model->probability;
	double most = 0;
	int32_t c;

	model->method->predict(model->fitted, table, row, probability);
	for (c = 0; c < model->classes; c++)
		if (probability[c] > most)
			most = probability[c];
	for (c = 0; c < model->classes - 1; c++)
		if (probability[c] >= most * (1 - NEAR_TIE))
			break;
	return c;
}

void
sdc_model_release(SdcModel *model)
{
	if (model != NULL)
		sdc_arena_end(model->arena);
}

void
sdc_model_softmax(double *score, int32_t classes)
{
	double most = score[0];
	double sum = 0;
	int32_t c;

	for (c = 1; c < classes; c++)
		if (score[c] > most)
			most = score[c];
	for (c = 0; c < classes; c++)
	{
		score[c] = exp(score[c] - most);
		sum += score[c];
	}
	for (c = 0; c < classes; c++)
		score[c] /= sum;
}
