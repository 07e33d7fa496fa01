/*
 * design.h
 *		Rows as features of a linear model.
 *
 * A number is its standard score among the training rows, 0 for NULL and for
 * a column without spread.  A category is one feature for each value, NULL
 * among them, that occurs in training: 1 where it is the value.  A value
 * that never occurred is all zeros.  The last feature is 1 everywhere.
 */
#ifndef SDC_KERNEL_DESIGN_H
#define SDC_KERNEL_DESIGN_H

#include "kernel/geometry/scale.h"
#include "kernel/model/model.h"

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

#endif
