/*
 * learned_count.c
 *		How many records a point re-identifies.
 *
 * What is reported is counted over all pairs, with features made anew; while
 * searching the rows that matter are enough.
 */
#include "kernel/attack/learned_count.h"

static double
dot(const double *a, const double *b, int n)
{
	double sum = 0;
	int c;

	for (c = 0; c < n; c++)
		sum += a[c] * b[c];
	return sum;
}

/* The target that comes closest to a record's own, or spoils it; -1: none. */
static int32_t
spoiler(const SdcLearnedForm *form, const SdcLearnedData *data, int32_t i,
		double margin, const double *point, bool worst)
{
	double feature[SDC_LEARNED_MAX_FEATURES];
	double limit;
	int32_t found = -1;
	int32_t j;

	sdc_learned_rows_features(form, data, i, data->own[i], feature);
	limit = dot(feature, point, form->features) + margin;
	for (j = 0; j < data->targets; j++)
	{
		double distance;

		if (j == data->own[i])
			continue;
		sdc_learned_rows_features(form, data, i, j, feature);
		distance = dot(feature, point, form->features);
		if (distance < limit || margin == 0)
		{
			found = j;
			limit = distance;
			if (!worst)
				break;
		}
	}
	return found;
}

int32_t
sdc_learned_count_pairs(SdcHost *host, const SdcLearnedForm *form,
						const SdcLearnedData *data, const double *margin,
						const double *point, int32_t *nearest)
{
	int32_t good = 0;
	int32_t i;

	for (i = 0; i < data->records; i++)
	{
		int32_t by = spoiler(form, data, i, margin[i], point, nearest != NULL);

		host->poll(host, 0, 0);
		good += by < 0;
		if (nearest != NULL)
			nearest[i] = by;
	}
	return good;
}

int32_t
sdc_learned_count_rows(const SdcLearnedRows *rows, const double *point,
					   bool *good)
{
	int m = rows->form->features;
	int32_t count = 0;
	int32_t k;

	for (k = 0; k < rows->records; k++)
	{
		int32_t r = rows->start[k];

		for (; r < rows->start[k + 1]; r++)
			if (dot(rows->value + (size_t) r * (size_t) m, point, m) <
				(rows->margin != NULL ? rows->margin[r] : 0))
				break;
		count += r == rows->start[k + 1];
		if (good != NULL)
			good[k] = r == rows->start[k + 1];
	}
	return count;
}
