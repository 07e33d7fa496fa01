/*
 * linear_svm.c
 *		Linear support vector machines, one class against the rest.
 *
 * Each step of a pass solves the dual problem for one row, given all others,
 * and carries the change over to the weights.  Rows are taken in a random
 * order that the seed decides.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/model/cross_validation.h"
#include "kernel/model/linear_svm.h"
#include "kernel/model/model.h"

/* Largest violation of the optimum's conditions that is let be. */
#define TOLERANCE 1e-3

typedef struct Svm
{
	SdcDesign *design;
	int32_t classes;
	double **weight;
	SdcDesignRow row;
} Svm;

/* The state of one machine while it learns. */
typedef struct Descent
{
	SdcHost *host;
	const SdcModelTask *task;
	const SdcDesign *design;
	const SdcDesignRows *rows;
	int32_t label;
	double *weight;
	double *dual;   /* by training row, 0 .. penalty */
	double *length; /* squared, by training row */
	int32_t *order;
} Descent;

/* Optimises one row; returns how far it was from its optimum. */
static double
step(Descent *descent, int32_t i)
{
	const SdcModelTask *task = descent->task;
	SdcDesignRow row = sdc_design_rows_get(descent->rows, i);
	double sign = task->label[task->row[i]] == descent->label ? 1 : -1;
	double penalty = task->settings->penalty;
	double before = descent->dual[i];
	double gradient;
	double after;
	int32_t f;

	gradient = sign * sdc_design_product(&row, descent->weight) - 1;
	if ((before <= 0 && gradient > 0) || (before >= penalty && gradient < 0))
		return 0;
	after = before - gradient / descent->length[i];
	after = after < 0 ? 0 : after > penalty ? penalty : after;
	descent->dual[i] = after;
	for (f = 0; f < row.count; f++)
		descent->weight[row.feature[f]] +=
			sign * (after - before) * row.value[f];
	return fabs(gradient);
}

static void
start(Descent *descent)
{
	SdcHost *host = descent->host;
	const SdcModelTask *task = descent->task;
	size_t rows = (size_t) task->rows;
	int32_t i;
	int32_t f;

	descent->weight =
		sdc_new(host, double, (size_t) descent->design->features);
	memset(descent->weight, 0,
		   sizeof(double) * (size_t) descent->design->features);
	descent->dual = sdc_new(host, double, rows);
	descent->length = sdc_new(host, double, rows);
	descent->order = sdc_new(host, int32_t, rows);
	for (i = 0; i < task->rows; i++)
	{
		SdcDesignRow row;

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		row = sdc_design_rows_get(descent->rows, i);
		descent->order[i] = i;
		descent->dual[i] = 0;
		descent->length[i] = 0;
		for (f = 0; f < row.count; f++)
			descent->length[i] += row.value[f] * row.value[f];
	}
}

/*
 * The weights w[design->features] with the least
 *     w.w / 2 + penalty * sum of max(0, 1 - y_i w.x_i),
 * y_i being 1 where label is the class and -1 elsewhere, by dual coordinate
 * descent (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008) until no row
 * violates the conditions of the optimum by more than 0.001, or for
 * settings->iterations passes.  The constant feature is one as any other.
 * O(rows columns) a pass.
 */
static double *
sdc_linear_svm_separate(SdcHost *host, const SdcModelTask *task,
						const SdcDesign *design, const SdcDesignRows *rows,
						int32_t label)
{
	Descent descent;
	double worst = INFINITY;
	SdcRandom random;
	int pass;
	int32_t i;

	descent.host = host;
	descent.task = task;
	descent.design = design;
	descent.rows = rows;
	descent.label = label;
	start(&descent);
	sdc_random_seed(&random, task->settings->seed, (uint64_t) label);
	for (pass = 0; pass < task->settings->iterations && worst > TOLERANCE;
		 pass++)
	{
		worst = 0;
		sdc_folds_shuffle(descent.order, task->rows, &random);
		for (i = 0; i < task->rows; i++)
		{
			if (i % 4096 == 0)
				host->poll(host, (uint64_t) pass,
						   (uint64_t) task->settings->iterations);
			worst = fmax(worst, step(&descent, descent.order[i]));
		}
	}
	host->release(host, descent.dual);
	host->release(host, descent.length);
	host->release(host, descent.order);
	return descent.weight;
}

void *
sdc_linear_svm_fit(SdcHost *host, const SdcModelTask *task)
{
	Svm *svm = sdc_new(host, Svm, 1);
	SdcDesignRows rows;
	int32_t c;

	svm->design = sdc_design_create(host, task);
	svm->classes = task->classes;
	svm->weight = sdc_new(host, double *, (size_t) task->classes);
	svm->row = sdc_design_row(host, svm->design);
	rows = sdc_design_rows(host, svm->design, task);
	for (c = 0; c < task->classes; c++)
		svm->weight[c] =
			sdc_linear_svm_separate(host, task, svm->design, &rows, c);
	sdc_design_rows_release(host, &rows);
	return svm;
}

void
sdc_linear_svm_predict(void *fitted, const SdcModelTable *table, int32_t row,
					   double *probability)
{
	Svm *svm = fitted;
	int32_t c;

	sdc_design_take(svm->design, table, row, &svm->row);
	for (c = 0; c < svm->classes; c++)
		probability[c] = sdc_design_product(&svm->row, svm->weight[c]);
	sdc_model_softmax(probability, svm->classes);
}
