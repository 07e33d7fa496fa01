/*
 * learner.c
 *		The arguments by which a caller chooses and sets a model.
 */
#include "postgres.h"

#include "kernel/model/logistic.h"
#include "kernel/model/logistic_classes.h"
#include "pg/call/args.h"
#include "pg/call/params.h"
#include "pg/model/learner.h"
#include "pg/server/compat.h"

/* Methods at the most, with the NULL that ends the list. */
#define MAX_METHODS 16

SdcLearner
sdcpg_learner_read(const text *method, Jsonb *params, uint64 seed)
{
	const char *names[MAX_METHODS] = {NULL};
	SdcLearner learner;
	SdcModelSettings *settings = &learner.settings;
	int i;

	for (i = 0; sdc_model_methods[i].name != NULL && i < MAX_METHODS - 1; i++)
		names[i] = sdc_model_methods[i].name;
	learner.method =
		&sdc_model_methods[sdcpg_args_choice("method", method, names)];
	settings->laplace = sdcpg_params_number(params, "laplace", 1, 1e-6, 1e6);
	settings->neighbours =
		sdcpg_params_integer(params, "neighbours", 5, 1, SDC_MAX_ROWS);
	settings->depth = sdcpg_params_integer(params, "depth", 10, 0, 64);
	settings->leaf = sdcpg_params_integer(params, "leaf", 5, 1, SDC_MAX_ROWS);
	settings->penalty = sdcpg_params_number(params, "penalty", 1, 1e-6, 1e6);
	settings->iterations =
		sdcpg_params_integer(params, "iterations", 100, 1, 1000000);
	settings->seed = seed;
	learner.bins = sdcpg_params_integer(params, "bins", 10, 1, 1000);
	return learner;
}

const SdcModelMethod *
sdcpg_learner_baseline(void)
{
	return &sdc_model_methods[0];
}

/* The labelled ones of the first rows of a table. */
static int32 *
labelled_rows(SdcHost *host, const SdcOutcome *outcome, int32 rows,
			  int32 *count)
{
	int32 *row = sdc_new(host, int32, rows);
	int32 i;

	*count = 0;
	for (i = 0; i < rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, rows);
		if (outcome->label[i] != SDC_MODEL_NO_LABEL)
			row[(*count)++] = i;
	}
	return row;
}

void
sdcpg_learner_check(const SdcLearner *learner, SdcPgHost *host,
					const SdcModelTable *table, const SdcOutcome *outcome,
					int32 rows)
{
	const char *name = learner->method->name;
	SdcModelTask task = {table, outcome->label, outcome->classes};
	int32 *row = labelled_rows(&host->kernel, outcome, rows, &task.rows);

	task.row = row;
	if (strcmp(name, "knn") == 0 && learner->settings.neighbours > task.rows)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("more neighbours than records to learn from"),
						errhint("Choose a smaller number in params => "
								"'{\"neighbours\": 1}'.")));
	if (strcmp(name, "logistic") == 0 &&
		sdc_logistic_classes_parameters(&host->kernel, &task) >
			SDC_LOGISTIC_MAX_PARAMETERS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("logistic regression would have more than %d "
							   "parameters",
							   SDC_LOGISTIC_MAX_PARAMETERS),
						errdetail("Each value of a category is one."),
						errhint("Choose another method, or keys with fewer "
								"values.")));
	host->kernel.release(&host->kernel, row);
}
