/*
 * learned_start.c
 *		Points to start from, and the pairs that matter at them.
 *
 * A family without dominance cannot tell in advance which pairs matter, so it
 * begins with those that are near at good points and adds what spoils later
 * ones.
 */
#include "kernel/attack/learned_start.h"

#include <math.h>
#include <string.h>

#include "kernel/base/sort.h"

#define MOST SDC_LEARNED_MAX_COLUMNS

/* Pivots below this, relative to the largest entry, are taken for 0. */
#define SINGULAR 1e-12

/* Covariance of the differences, by n x n, with the identity beside it. */
static void
take_covariance(const SdcLearnedData *data, double (*matrix)[2 * MOST])
{
	int n = data->columns;
	double mean[MOST] = {0};
	int32_t i;
	int a;
	int b;

	for (a = 0; a < n; a++)
	{
		for (i = 0; i < data->records; i++)
			mean[a] += data->record[(size_t) i * n + a] -
					   data->target[(size_t) data->own[i] * n + a];
		mean[a] /= data->records;
	}
	for (a = 0; a < n; a++)
		for (b = 0; b < n; b++)
		{
			double sum = 0;

			for (i = 0; i < data->records; i++)
			{
				const double *x = data->record + (size_t) i * n;
				const double *y = data->target + (size_t) data->own[i] * n;

				sum += (x[a] - y[a] - mean[a]) * (x[b] - y[b] - mean[b]);
			}
			matrix[a][b] = sum / data->records;
			matrix[a][n + b] = a == b;
		}
}

/* Subtracts multiples of row k so that column k is 0 elsewhere. */
static void
clear_column(double (*matrix)[2 * MOST], int n, int k)
{
	double scale = 1 / matrix[k][k];
	int i;
	int c;

	for (c = 0; c < 2 * n; c++)
		matrix[k][c] *= scale;
	for (i = 0; i < n; i++)
	{
		double factor = matrix[i][k];

		for (c = 0; c < 2 * n && i != k; c++)
			matrix[i][c] -= factor * matrix[k][c];
	}
}

bool
sdc_learned_start_mahalanobis(const SdcLearnedData *data, double *half)
{
	double matrix[MOST][2 * MOST];
	int n = data->columns;
	double most = 0;
	int at = 0;
	int i;
	int j;

	if (data->records < 2)
		return false;
	take_covariance(data, matrix);
	for (i = 0; i < n; i++)
		most = matrix[i][i] > most ? matrix[i][i] : most;
	/* a covariance needs no other pivots than those of its diagonal */
	for (i = 0; i < n; i++)
	{
		if (!(matrix[i][i] > SINGULAR * most))
			return false;
		clear_column(matrix, n, i);
	}
	for (i = 0; i < n; i++)
		for (j = i; j < n; j++)
			half[at++] = (matrix[i][n + j] + matrix[j][n + i]) / 2;
	return true;
}

/* The measure of sets whose Choquet integral is that OWA. */
static void
symmetric_measure(const SdcLearnedForm *form, const double *weight,
				  double *point)
{
	int set;
	int c;

	for (set = 1; set <= form->features; set++)
	{
		int place = 0;

		point[set - 1] = 0;
		for (c = 0; c < form->columns; c++)
			if (set >> c & 1)
				point[set - 1] += weight[place++];
	}
}

/* The measure of sets with that Moebius form, half a matrix. */
static void
additive_measure(const SdcLearnedForm *form, const double *half, double *point)
{
	int set;
	int i;
	int j;

	for (set = 1; set <= form->features; set++)
	{
		int at = 0;

		point[set - 1] = 0;
		for (i = 0; i < form->columns; i++)
			for (j = i; j < form->columns; j++, at++)
				if ((set >> i & 1) && (set >> j & 1))
					point[set - 1] += half[at];
	}
}

void
sdc_learned_start_embed(const SdcLearnedForm *inner, const double *from,
						const SdcLearnedForm *outer, double *to)
{
	double half[SDC_LEARNED_MAX_FEATURES];

	switch (inner->method)
	{
		case SDC_LEARNED_WM:
			sdc_learned_form_weighted(outer, from, to);
			break;
		case SDC_LEARNED_OWA:
			symmetric_measure(outer, from, to);
			break;
		case SDC_LEARNED_CHOQUET2:
			sdc_learned_form_describe(inner, from, half);
			additive_measure(outer, half, to);
			break;
		default:
			memcpy(to, from, (size_t) inner->features * sizeof(double));
	}
}

void
sdc_learned_start_nearest(SdcHost *host, const SdcLearnedForm *form,
						  const SdcLearnedData *data, const double *point,
						  int count, SdcLearnedPool *pool)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) data->targets);
	int32_t *order = sdc_new(host, int32_t, (size_t) data->targets);
	double feature[SDC_LEARNED_MAX_FEATURES];
	double difference[MOST];
	int n = data->columns;
	int32_t i;
	int32_t j;
	int c;

	for (i = 0; i < data->records; i++)
	{
		int left = count;

		host->poll(host, (uint64_t) i, (uint64_t) data->records);
		for (j = 0; j < data->targets; j++)
		{
			double sum = 0;

			for (c = 0; c < n; c++)
				difference[c] = data->record[(size_t) i * n + c] -
								data->target[(size_t) j * n + c];
			sdc_learned_form_features(form, difference, feature);
			for (c = 0; c < form->features; c++)
				sum += feature[c] * point[c];
			key[j] = sdc_sort_key(sum);
			order[j] = j;
		}
		sdc_sort_keys(host, key, order, (size_t) data->targets);
		for (j = 0; j < data->targets && left > 0; j++)
			if (order[j] != data->own[i])
			{
				sdc_learned_rows_add(pool, i, order[j]);
				left--;
			}
	}
	host->release(host, key);
	host->release(host, order);
}
