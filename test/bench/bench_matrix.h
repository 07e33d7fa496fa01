/*
 * bench_matrix.h
 *		Matrices that benchmarks make.
 */
#ifndef SDC_TEST_BENCH_MATRIX_H
#define SDC_TEST_BENCH_MATRIX_H

#include <math.h>
#include <stdlib.h>

#include "kernel/base/matrix.h"

/* Room for rows and columns, from malloc. */
static inline SdcMatrix
new_matrix(size_t rows, int columns)
{
	SdcMatrix matrix = {rows, columns, NULL};
	int j;

	matrix.column = malloc((size_t) columns * sizeof(double *));
	for (j = 0; j < columns; j++)
		matrix.column[j] = malloc(rows * sizeof(double));
	return matrix;
}

/* Each column with mean 0 and standard deviation 1 (n - 1). */
static inline void
standardize(SdcMatrix *matrix)
{
	double n = (double) matrix->rows;
	size_t i;
	int j;

	for (j = 0; j < matrix->columns; j++)
	{
		double *value = matrix->column[j];
		double mean = 0;
		double squares = 0;

		for (i = 0; i < matrix->rows; i++)
			mean += value[i] / n;
		for (i = 0; i < matrix->rows; i++)
			squares += (value[i] - mean) * (value[i] - mean) / (n - 1);
		for (i = 0; i < matrix->rows; i++)
			value[i] = (value[i] - mean) / sqrt(squares);
	}
}

#endif
