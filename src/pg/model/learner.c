/*
 * learner.c
 *		The arguments by which a caller chooses and sets a model.
 */
#include "postgres.h"

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
	settings->ridge = sdcpg_params_number(params, "ridge", 1, 0, 1e9);
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

void
sdcpg_learner_check(const SdcLearner *learner, const SdcOutcome *outcome,
					int32 rows)
{
	int32 labelled = 0;
	int32 i;

	if (strcmp(learner->method->name, "knn") != 0)
		return;
	for (i = 0; i < rows; i++)
		labelled += outcome->label[i] != SDC_MODEL_NO_LABEL;
	if (learner->settings.neighbours > labelled)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("more neighbours than records to learn from"),
						errhint("Choose a smaller number in params => "
								"'{\"neighbours\": 1}'.")));
}
