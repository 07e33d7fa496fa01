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

/* Finds the features of the training rows.  O(rows columns). */
extern SdcDesign *sdc_design_create(SdcHost *host, const SdcModelTask *task);

/* Room for one row. */
extern SdcDesignRow sdc_design_row(SdcHost *host, const SdcDesign *design);

/* The features of a row of a table with the same columns and codes. */
extern void sdc_design_take(const SdcDesign *design,
							const SdcModelTable *table, int32_t row,
							SdcDesignRow *taken);

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
