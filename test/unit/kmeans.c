/*
 * kmeans.c
 *		k-means against plain Lloyd iterations from ten starts.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/index/points.h"
#include "kernel/model/kmeans.h"
#include "published_table.h"

/*
 * How far the best of ten starts may lie above the best of ten starts of the
 * plain version: starts differ, and both are local optima.
 */
#define MARGIN 0.02

static SdcKmeansSettings
make_settings(int32_t k)
{
	SdcKmeansSettings settings = {k, 10, 300, 42};

	return settings;
}

static void
make_matrix(SdcMatrix *matrix, size_t rows, int columns, int groups,
			double width, uint64_t seed)
{
	SdcRandom random;
	size_t i;
	int j;

	sdc_random_seed(&random, seed, 0);
	matrix->rows = rows;
	matrix->columns = columns;
	matrix->column = malloc(sizeof(double *) * (size_t) columns);
	for (j = 0; j < columns; j++)
		matrix->column[j] = malloc(sizeof(double) * rows);
	for (i = 0; i < rows; i++)
	{
		uint64_t group = sdc_random_below(&random, (uint64_t) groups);

		for (j = 0; j < columns; j++)
			matrix->column[j][i] =
				(double) (sdc_random_mix(group * 64 + (uint64_t) j) % 100) +
				width * sdc_random_normal(&random);
	}
}

static double
plain_distance(const SdcPoints *points, int32_t row, const double *center)
{
	double sum = 0;
	int j;

	for (j = 0; j < points->columns; j++)
		sum += (points->column[j][row] - center[j]) *
			   (points->column[j][row] - center[j]);
	return sum;
}

static int32_t
plain_nearest(const SdcPoints *points, int32_t row, const double *center,
			  int32_t k)
{
	int32_t nearest = 0;
	int32_t c;

	for (c = 1; c < k; c++)
		if (plain_distance(points, row, center + c * points->columns) <
			plain_distance(points, row, center + nearest * points->columns))
			nearest = c;
	return nearest;
}

/* Lloyd from k rows drawn at random; the inertia it ends with. */
static double
plain_start(const SdcPoints *points, int32_t k, SdcRandom *random)
{
	int columns = points->columns;
	double *center = malloc(sizeof(double) * (size_t) (k * columns));
	double before = INFINITY;
	double inertia = 1e300;
	int32_t c;
	int32_t i;
	int j;

	for (c = 0; c < k; c++)
		sdc_points_get(
			points,
			(int32_t) sdc_random_below(random, (uint64_t) points->rows),
			center + c * columns);
	while (inertia < before)
	{
		double *sum = calloc((size_t) (k * (columns + 1)), sizeof(double));

		before = inertia;
		inertia = 0;
		for (i = 0; i < points->rows; i++)
		{
			c = plain_nearest(points, i, center, k);
			inertia += plain_distance(points, i, center + c * columns);
			for (j = 0; j < columns; j++)
				sum[c * (columns + 1) + j] += points->column[j][i];
			sum[c * (columns + 1) + columns]++;
		}
		for (c = 0; c < k; c++)
			for (j = 0; j < columns; j++)
				if (sum[c * (columns + 1) + columns] > 0)
					center[c * columns + j] = sum[c * (columns + 1) + j] /
											  sum[c * (columns + 1) + columns];
		free(sum);
	}
	free(center);
	return before;
}

/* The inertia of labels, from the means of their clusters. */
static double
inertia_of(const SdcPoints *points, const SdcKmeans *result)
{
	double total = 0;
	int32_t c;
	int32_t i;
	int j;

	for (c = 0; c < result->clusters; c++)
		for (j = 0; j < points->columns; j++)
		{
			double n = 0;
			double mean = 0;

			for (i = 0; i < points->rows; i++)
				if (result->label[points->position[i]] == c)
				{
					n++;
					mean += points->column[j][i];
				}
			mean /= n;
			for (i = 0; i < points->rows; i++)
				if (result->label[points->position[i]] == c)
					total += (points->column[j][i] - mean) *
							 (points->column[j][i] - mean);
		}
	return total;
}

static void
check_matrix(const char *what, const SdcMatrix *matrix, int32_t k)
{
	SdcKmeansSettings settings = make_settings(k);
	SdcKmeans result = sdc_kmeans_run(unit_host(), matrix, &settings);
	SdcPoints *points = sdc_points_create(unit_host(), matrix, true);
	double best = INFINITY;
	SdcRandom random;
	int start;

	sdc_random_seed(&random, 1, 0);
	for (start = 0; start < 10; start++)
		best = fmin(best, plain_start(points, k, &random));
	unit_check(result.inertia <= best * (1 + MARGIN),
			   "%s, k = %d: %.4f, best of ten plain starts %.4f", what, k,
			   result.inertia, best);
	unit_check(fabs(inertia_of(points, &result) - result.inertia) <=
				   1e-9 * result.inertia,
			   "%s, k = %d: labels are those of the means", what, k);
}

/* The rows in another order have the same labels. */
static void
check_permutation(const SdcMatrix *matrix)
{
	SdcKmeansSettings settings = make_settings(5);
	SdcMatrix turned = *matrix;
	SdcKmeans one;
	SdcKmeans other;
	size_t wrong = 0;
	size_t i;
	int j;

	turned.column = malloc(sizeof(double *) * (size_t) matrix->columns);
	for (j = 0; j < matrix->columns; j++)
	{
		turned.column[j] = malloc(sizeof(double) * matrix->rows);
		for (i = 0; i < matrix->rows; i++)
			turned.column[j][i] =
				matrix->column[j][(i * 7 + 3) % matrix->rows];
	}
	one = sdc_kmeans_run(unit_host(), matrix, &settings);
	other = sdc_kmeans_run(unit_host(), &turned, &settings);
	for (i = 0; i < matrix->rows; i++)
		wrong += other.label[i] != one.label[(i * 7 + 3) % matrix->rows];
	unit_check(wrong == 0 && one.inertia == other.inertia,
			   "order of rows does not matter");
	for (j = 0; j < matrix->columns; j++)
		free(turned.column[j]);
	free(turned.column);
}

static void
check_limits(void)
{
	double x[6] = {1, 1, 5, 5, 9, 9};
	double constant[6] = {2, 2, 2, 2, 2, 2};
	double *columns[2] = {x, constant};
	SdcMatrix matrix = {6, 2, columns};
	SdcKmeansSettings settings = make_settings(3);
	SdcKmeans result = sdc_kmeans_run(unit_host(), &matrix, &settings);

	unit_check(result.inertia == 0 && result.label[0] == 0 &&
				   result.label[3] == 1 && result.label[5] == 2,
			   "three values: three clusters, in their order");
	settings.k = 6;
	result = sdc_kmeans_run(unit_host(), &matrix, &settings);
	unit_check(result.clusters == 3, "no more clusters than distinct rows");
	matrix.rows = 1;
	settings.k = 1;
	result = sdc_kmeans_run(unit_host(), &matrix, &settings);
	unit_check(result.clusters == 1 && result.label[0] == 0, "one row");
	columns[0] = constant;
	matrix.rows = 6;
	settings.k = 2;
	result = sdc_kmeans_run(unit_host(), &matrix, &settings);
	unit_check(result.clusters == 1 && result.inertia == 0,
			   "constant columns: one cluster");
}

int
main(void)
{
	SdcMatrix matrix;
	SdcMatrix census;
	int j;

	unit_start("kmeans");
	/* 701 is prime to the step of the permutation */
	make_matrix(&matrix, 701, 3, 5, 2, 9);
	check_matrix("five groups", &matrix, 5);
	check_permutation(&matrix);
	for (j = 0; j < matrix.columns; j++)
		free(matrix.column[j]);
	free(matrix.column);
	make_matrix(&matrix, 800, 4, 1, 1, 10);
	check_matrix("no groups", &matrix, 6);
	for (j = 0; j < matrix.columns; j++)
		free(matrix.column[j]);
	free(matrix.column);
	published_table_read("census.csv", &census);
	check_matrix("census", &census, 8);
	published_table_free(&census);
	check_limits();
	return unit_finish();
}
