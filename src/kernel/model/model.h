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
	int iterations;     /* svm: passes at the most */
	uint64_t seed;      /* svm: order of the rows within a pass */
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

extern SdcModel *sdc_model_fit(SdcHost *host, const SdcModelMethod *method,
							   const SdcModelTask *task);

/*
 * The most probable class of a row, the first of equals (to 1e-9);
 * model->probability holds the probabilities of all.
 */
extern int32_t sdc_model_predict(SdcModel *model, const SdcModelTable *table,
								 int32_t row);

extern void sdc_model_release(SdcModel *model);

/* Turns scores, which are logarithms, into probabilities that sum to 1. */
extern void sdc_model_softmax(double *score, int32_t classes);

typedef struct SdcDesign
{
	int columns;
	int32_t features;
	int32_t **feature; /* of each category by code + 1; -1: none */
	int32_t *values;   /* of each category */
	int32_t *number;   /* the feature of each number, else -1 */
	SdcScale *scale;
} SdcDesign;

/* One row: the features that may not be zero, at most columns + 1. */
typedef struct SdcDesignRow
{
	int32_t count;
	int32_t *feature;
	double *value;
} SdcDesignRow;

/* All training rows; row i is at i * (columns + 1) of the arrays. */
typedef struct SdcDesignRows
{
	int columns;
	int32_t *count;
	int32_t *feature;
	double *value;
} SdcDesignRows;

/* Finds the features of the training rows.  O(rows columns). */
extern SdcDesign *sdc_design_create(SdcHost *host, const SdcModelTask *task);

/* Room for one row. */
extern SdcDesignRow sdc_design_row(SdcHost *host, const SdcDesign *design);

/* The features of a row of a table with the same columns and codes. */
extern void sdc_design_take(const SdcDesign *design,
							const SdcModelTable *table, int32_t row,
							SdcDesignRow *taken);

/* The features of all training rows.  12 rows (columns + 1) bytes. */
extern SdcDesignRows sdc_design_rows(SdcHost *host, const SdcDesign *design,
									 const SdcModelTask *task);

extern void sdc_design_rows_release(SdcHost *host, SdcDesignRows *rows);

/* One of them. */
static inline SdcDesignRow
sdc_design_rows_get(const SdcDesignRows *rows, int32_t i)
{
	size_t at = (size_t) i * (size_t) (rows->columns + 1);
	SdcDesignRow row = {rows->count[i], rows->feature + at, rows->value + at};

	return row;
}

/* The sum of a row's features, each times its weight. */
static inline double
sdc_design_product(const SdcDesignRow *row, const double *weight)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < row->count; i++)
		sum += row->value[i] * weight[row->feature[i]];
	return sum;
}

/*
 * The scale of column j by its values that are not NULL in the training rows;
 * deviation 0 when there are none or all are equal.  O(rows).
 */
extern SdcScale sdc_training_scale_find(SdcHost *host,
										const SdcModelTask *task, int j);

/* The standard score of a value that is not NULL; 0 without a deviation. */
static inline double
sdc_training_scale_apply(const SdcScale *scale, double x)
{
	return scale->deviation > 0 ? sdc_scale_apply(scale, x) : 0;
}

#endif
