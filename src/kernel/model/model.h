/*
 * model.h
 *		What classifiers have in common: tables they learn from, fit, predict.
 *
 * A table mixes numbers and categories.  A category's NULL is one more value;
 * a number's NULL is absent, and each method says what it does then.  Rows
 * come in an order that the caller defines (by id, or by value); results
 * depend on that order only, and not on more than ties and last digits.
 */
#ifndef SDC_KERNEL_MODEL_H
#define SDC_KERNEL_MODEL_H

#include <math.h>

#include "kernel/base/host.h"
#include "kernel/linear/moments.h"

/* The label of a row that has none. */
#define SDC_MODEL_NO_LABEL (-1)

/* The code of NULL, as in kernel/table/frequency.h. */
#define SDC_MODEL_NULL (-1)

/* One column; the one of number and code that is not NULL tells its kind. */
typedef struct SdcModelColumn
{
	const double *number; /* finite, or NaN for a NULL */
	const int32_t *code;  /* 0 .. values - 1, or SDC_MODEL_NULL */
	int32_t values;
} SdcModelColumn;

/* Columns of the same rows. */
typedef struct SdcModelTable
{
	int32_t rows;
	int columns;
	SdcModelColumn *column;
} SdcModelTable;

/* How models are fitted; each method uses what is its own. */
typedef struct SdcModelSettings
{
	double laplace;     /* nb: what is added to each count, > 0 */
	int32_t neighbours; /* knn: how many vote, at least 1 */
	int depth;          /* tree: questions on the longest path, 0 .. 64 */
	int32_t leaf;       /* tree: rows in the smallest leaf, at least 1 */
	double penalty;     /* svm: C, the price of a margin violated, > 0 */
	int iterations;     /* svm: Newton steps at the most */
	uint64_t seed;      /* of who draws folds; no method draws */
} SdcModelSettings;

/*
 * What is to be learned: the label, 0 .. classes - 1, of the rows listed (at
 * least one) from their columns.
 */
typedef struct SdcModelTask
{
	const SdcModelTable *table;
	const int32_t *label; /* by row of the table */
	int32_t classes;
	const int32_t *row;
	int32_t rows;
	const SdcModelSettings *settings;
} SdcModelTask;

/*
 * A method.  fit returns its model, all of it in memory of the host; what it
 * needs of the task is copied, except the table, the labels and the list of
 * rows, which must last as long as the model.  predict fills
 * probability[classes] for a row of a table with the same columns and the same
 * codes, those of the training or other ones.
 */
typedef struct SdcModelMethod
{
	const char *name;
	void *(*fit)(SdcHost *host, const SdcModelTask *task);
	void (*predict)(void *fitted, const SdcModelTable *table, int32_t row,
					double *probability);
} SdcModelMethod;

/* All methods; the last has no name. */
extern const SdcModelMethod sdc_model_methods[];

/* A fitted model. */
typedef struct SdcModel
{
	const SdcModelMethod *method;
	SdcArena *arena;
	void *fitted;
	int32_t classes;
	double *probability; /* of the row predicted last */
} SdcModel;

/* Fits a method to a task; all memory is the model's own. */
extern SdcModel *sdc_model_fit(SdcHost *host, const SdcModelMethod *method,
							   const SdcModelTask *task);

/*
 * The most probable class of a row, the first of equals (to 1e-9);
 * model->probability holds the probabilities of all.
 */
extern int32_t sdc_model_predict(SdcModel *model, const SdcModelTable *table,
								 int32_t row);

/* Gives back a model; NULL is allowed. */
extern void sdc_model_release(SdcModel *model);

#endif
