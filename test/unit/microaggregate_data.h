/*
 * microaggregate_data.h
 *		Random tables for the tests of multivariate microaggregation.
 */
#ifndef SDC_TEST_UNIT_MICROAGGREGATE_DATA_H
#define SDC_TEST_UNIT_MICROAGGREGATE_DATA_H

#include "unit.h"

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum DataShape
{
	DATA_NORMAL,
	DATA_LOGNORMAL,
	DATA_INTEGERS,   /* many ties of distance, many equal rows */
	DATA_FEW,        /* three distinct values per column */
	DATA_CONSTANT,   /* some columns of one value */
	DATA_ALL_EQUAL,  /* all columns of one value */
	DATA_FAR_OFFSET, /* small differences at a large distance from zero */
	DATA_SPHERE,     /* all points equally far from the centre */
	DATA_SHAPES
};

static inline double
data_value(SdcRandom *random, enum DataShape shape, int column, double factor)
{
	double x = 0.7 * factor + 0.6 * sdc_random_normal(random);

	switch (shape)
	{
		case DATA_LOGNORMAL:
			return exp(1.5 * x);
		case DATA_INTEGERS:
			return (double) sdc_random_below(random, 6);
		case DATA_FEW:
			return (double) sdc_random_below(random, 3) - 1;
		case DATA_CONSTANT:
			return column % 2 == 0 ? 7 : x;
		case DATA_ALL_EQUAL:
			return 1.0 / 3;
		case DATA_FAR_OFFSET:
			return 1e9 + x;
		default:
			return x;
	}
}

static inline SdcMatrix
data_new(int rows, int columns)
{
	SdcMatrix matrix;
	int j;

	matrix.rows = (size_t) rows;
	matrix.columns = columns;
	matrix.column = sdc_new(unit_host(), double *, (size_t) columns);
	for (j = 0; j < columns; j++)
		matrix.column[j] = sdc_new(unit_host(), double, (size_t) rows);
	return matrix;
}

static inline SdcMatrix
data_random(SdcRandom *random, enum DataShape shape, int rows, int columns)
{
	SdcMatrix matrix = data_new(rows, columns);
	int i;
	int j;

	for (i = 0; i < rows; i++)
	{
		double factor = sdc_random_normal(random);
		double norm = 0;

		for (j = 0; j < columns; j++)
		{
			double value = data_value(random, shape, j, factor);

			matrix.column[j][i] = value;
			norm += value * value;
		}
		if (shape == DATA_SPHERE)
			for (j = 0; j < columns; j++)
				matrix.column[j][i] /= sqrt(norm);
	}
	return matrix;
}

/* The rows in another order: row i of the result is row order[i]. */
static inline SdcMatrix
data_permuted(const SdcMatrix *matrix, const int32_t *order)
{
	SdcMatrix permuted = data_new((int) matrix->rows, matrix->columns);
	size_t i;
	int j;

	for (j = 0; j < matrix->columns; j++)
		for (i = 0; i < matrix->rows; i++)
			permuted.column[j][i] = matrix->column[j][order[i]];
	return permuted;
}

static inline void
data_shuffle(SdcRandom *random, int32_t *order, int32_t n)
{
	int32_t i;

	for (i = 0; i < n; i++)
		order[i] = i;
	for (i = n - 1; i > 0; i--)
	{
		int32_t j = (int32_t) sdc_random_below(random, (uint64_t) i + 1);
		int32_t kept = order[i];

		order[i] = order[j];
		order[j] = kept;
	}
}

/* Size of the smallest and the largest group; false if a label is wrong. */
static inline bool
data_sizes(const int32_t *group, int32_t rows, int32_t groups, int32_t *least,
		   int32_t *most)
{
	int32_t *size = calloc((size_t) groups + 1, sizeof(int32_t));
	bool right = true;
	int32_t i;

	for (i = 0; i < rows; i++)
	{
		if (group[i] < 0 || group[i] >= groups)
			right = false;
		else
			size[group[i]]++;
	}
	*least = *most = size[0];
	for (i = 0; i < groups; i++)
	{
		*least = size[i] < *least ? size[i] : *least;
		*most = size[i] > *most ? size[i] : *most;
	}
	free(size);
	return right;
}

/* The contents of a row as a number. */
static inline uint64_t
data_row_signature(const SdcMatrix *matrix, size_t row)
{
	uint64_t signature = 0;
	int j;

	for (j = 0; j < matrix->columns; j++)
	{
		uint64_t bits;

		memcpy(&bits, &matrix->column[j][row], sizeof(bits));
		signature = sdc_random_mix(signature * 31 + bits);
	}
	return signature;
}

/*
 * A number that partitions of the same rows share if and (all but certainly)
 * only if their groups hold rows of the same contents.
 */
static inline uint64_t
data_signature(const SdcMatrix *matrix, const int32_t *group, int32_t groups)
{
	uint64_t *sum = calloc(matrix->rows, sizeof(uint64_t));
	uint64_t signature = 0;
	size_t i;

	for (i = 0; i < matrix->rows; i++)
		sum[group[i]] += data_row_signature(matrix, i);
	for (i = 0; (int32_t) i < groups; i++)
		signature += sdc_random_mix(sum[i]);
	free(sum);
	return signature;
}

#endif
