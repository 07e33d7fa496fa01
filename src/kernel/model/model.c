/*
 * model.c
 *		What classifiers have in common: tables they learn from, fit, predict.
 *
 * libm: exp turns scores into probabilities; which of them is the largest does
 * not hang on its last digits, because near ties go to the first class.
 */
#include "kernel/model/model.h"

#include <math.h>

#include "kernel/model/decision_tree.h"
#include "kernel/model/linear_svm.h"
#include "kernel/model/logistic_classes.h"
#include "kernel/model/majority.h"
#include "kernel/model/naive_bayes.h"
#include "kernel/model/nearest_neighbours.h"

/* Probabilities that differ by less than this share are equal. */
#define NEAR_TIE 1e-9

const SdcModelMethod sdc_model_methods[] = {
	{"zeror", sdc_majority_fit, sdc_majority_predict},
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
