/*
 * bench_data.h
 *		Tables to measure microaggregation on.
 */
#ifndef SDC_TEST_BENCH_DATA_H
#define SDC_TEST_BENCH_DATA_H

#include "kernel/matrix.h"
#include "kernel/random.h"

#include "shared_table.h"

#include <math.h>

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

/* Two common factors and noise. */
static inline SdcMatrix
correlated_normal(size_t rows, int columns)
{
	SdcMatrix matrix = new_matrix(rows, columns);
	SdcRandom random;
	size_t i;
	int j;

	sdc_random_seed(&random, 1, 0);
	for (i = 0; i < rows; i++)
	{
		double f = sdc_random_normal(&random);
		double g = sdc_random_normal(&random);

		for (j = 0; j < columns; j++)
			matrix.column[j][i] = 0.7 * f + (j % 2 ? 0.4 : -0.4) * g +
								  0.6 * sdc_random_normal(&random);
	}
	standardize(&matrix);
	return matrix;
}

#define NEIGHBOURS 8

/* The nearest rows of a small table. */
static inline void
find_neighbours(const SdcMatrix *table, size_t row, size_t *neighbour)
{
	double distance[NEIGHBOURS];
	int count = 0;
	size_t other;

	for (other = 0; other < table->rows; other++)
	{
		double sum = 0;
		int t;

		for (t = 0; t < table->columns; t++)
			sum += (table->column[t][row] - table->column[t][other]) *
				   (table->column[t][row] - table->column[t][other]);
		if (other == row ||
			(count == NEIGHBOURS && sum >= distance[NEIGHBOURS - 1]))
			continue;
		t = count < NEIGHBOURS ? count++ : NEIGHBOURS - 1;
		for (; t > 0 && distance[t - 1] > sum; t--)
		{
			distance[t] = distance[t - 1];
			neighbour[t] = neighbour[t - 1];
		}
		distance[t] = sum;
		neighbour[t] = other;
	}
}

/*
 * Many rows with the skew and the correlation of a small real table: points
 * near the line from a row to one of its neighbours, with a little noise.
 * Falls back to correlated normals when the table is not there.
 */
static inline SdcMatrix
interpolated(const char *name, size_t rows)
{
	SdcMatrix table;
	SdcMatrix matrix;
	SdcRandom random;
	size_t(*neighbour)[NEIGHBOURS];
	size_t i;
	int j;

	if (!shared_table_read(name, &table))
		return correlated_normal(rows, 13);
	standardize(&table);
	neighbour = malloc(table.rows * sizeof(*neighbour));
	for (i = 0; i < table.rows; i++)
		find_neighbours(&table, i, neighbour[i]);
	matrix = new_matrix(rows, table.columns);
	sdc_random_seed(&random, 7, 0);
	for (i = 0; i < rows; i++)
	{
		size_t from = sdc_random_below(&random, table.rows);
		size_t to = neighbour[from][sdc_random_below(&random, NEIGHBOURS)];
		double part = sdc_random_unit(&random);

		for (j = 0; j < table.columns; j++)
			matrix.column[j][i] =
				table.column[j][from] +
				(part + 0.15 * sdc_random_normal(&random)) *
					(table.column[j][to] - table.column[j][from]) +
				0.02 * sdc_random_normal(&random);
	}
	free(neighbour);
	shared_table_free(&table);
	standardize(&matrix);
	return matrix;
}

/* Nine distinct rows, very often. */
static inline SdcMatrix
few_distinct(size_t rows)
{
	SdcMatrix matrix = new_matrix(rows, 2);
	SdcRandom random;
	size_t i;

	sdc_random_seed(&random, 3, 0);
	for (i = 0; i < rows; i++)
	{
		matrix.column[0][i] = (double) sdc_random_below(&random, 3);
		matrix.column[1][i] = (double) sdc_random_below(&random, 3);
	}
	return matrix;
}

#endif
